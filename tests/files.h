/* SPDX-License-Identifier: Apache-2.0 */
/* A scratch directory for one test program, and whole files. */
#pragma once

#include <sys/stat.h>

#include "tests/support.h"

/* Its path; cmocka's set-up and tear-down of a group make it below $TMPDIR and remove it. */
extern char files_directory[256];
int files_setup(void **state);
int files_teardown(void **state);

/* Removes all that is in it. */
void files_clear(void);

/* The number of files in a folder, and the paths of the first ones. */
enum { FILES_PATH = 1024 };
size_t files_in(const char *folder, char paths[][FILES_PATH], size_t room);

/* Returns the path of a file in the scratch directory; valid until the fourth call after. */
const char *files_path(const char *name);

/* Reads a whole file, whose bytes go with the unit test; writes one for its owner alone. */
unsigned char *files_read(const char *path, size_t *size);
void files_write(const char *path, const void *bytes, size_t size);
