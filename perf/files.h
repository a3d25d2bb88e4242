/* SPDX-License-Identifier: Apache-2.0 */
/* Files of results, whole or not at all. */
#ifndef PERF_FILES_H
#define PERF_FILES_H

#include "perf/error.h"

#include <stddef.h>

/* Fails where the file could not be written: to be asked before a long measurement rather than after it. */
int perf_file_check(const char *path, struct perf_error *error);

/* Writes a file beside its place and renames it, so that nobody sees half of it. A device or a pipe is written to. */
int perf_file_write(const char *path, const void *data, size_t size, struct perf_error *error);

#endif
