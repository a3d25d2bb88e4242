/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of results that appear together, each whole: what is written goes to temporary files in the folder, which
 * get their names on commit and are removed where that does not happen. */
#ifndef PERF_FOLDER_H
#define PERF_FOLDER_H

#include "perf/error.h"

struct perf_folder;

/* Makes the folder `path`, lent, unless it is there. Fails at once where no file can be made in it. The caller destroys
 * it. */
int perf_folder_create(const char *path, struct perf_folder **folder, struct perf_error *error);

/* Removes what was not committed, and the folder if it was made for that; NULL is allowed. */
void perf_folder_destroy(struct perf_folder *folder);

/* Adds a file, empty, and lends the path of its temporary for others to write. `name`, lent, has no slash. */
int perf_folder_add(struct perf_folder *folder, const char *name, const char **path, struct perf_error *error);

/* Adds a file with this text, and lends the path of its temporary where `path` is not NULL. */
int perf_folder_write(struct perf_folder *folder, const char *name, const char *text, const char **path,
                      struct perf_error *error);

/* Takes back the file added last, if any. */
void perf_folder_drop(struct perf_folder *folder);

/* Removes the file `name`, of an earlier run, on commit. */
int perf_folder_remove(struct perf_folder *folder, const char *name, struct perf_error *error);

/* Gives all files their names. */
int perf_folder_commit(struct perf_folder *folder, struct perf_error *error);

#endif
