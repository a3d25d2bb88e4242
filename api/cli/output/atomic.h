/* SPDX-License-Identifier: Apache-2.0 */
/* The command's atomic files (runtime/atomic_file.h, runtime/atomic_guard.h): streams, and messages for the user. Files
 * are opened and closed by one thread at a time. */
#ifndef CLI_ATOMIC_H
#define CLI_ATOMIC_H

#include <stdio.h>

#include "api/cli/error.h"

struct cli_atomic;

/*
 * Returns 0 when a file can be made at `path`: its directory exists and is writable, and `path` is not something else
 * than a regular file. Otherwise -1 and a line that names the path. Creates nothing.
 */
int cli_atomic_check(const char *path, struct cli_error *error);

/*
 * Begins to write `path`, which is lent. Where it is a symbolic link, the file that it points to is replaced, not the
 * link. NULL is standard output, which is not closed and keeps what is written there. Returns NULL with a line in
 * `error` on failure; otherwise the caller ends it with commit or abort.
 */
struct cli_atomic *cli_atomic_open(const char *path, struct cli_error *error);

/*
 * The same by all processes together (group.h), each of which writes its part of the file: the first one makes it, and
 * gives it its name once all have called commit.
 */
struct cli_atomic *cli_atomic_open_shared(const char *path, struct cli_error *error);

/* Lends the stream to write to: binary, seekable, closed by commit and abort. */
FILE *cli_atomic_file(struct cli_atomic *atomic);

/*
 * Gives the file its name and frees `atomic`. Returns 0, or -1 with a line in `error` when a write had failed (a full
 * disk) or the name cannot be given; nothing is left behind then and a file that was there before is untouched.
 */
int cli_atomic_commit(struct cli_atomic *atomic, struct cli_error *error);

/* Says that a write to the stream failed. Returns -1. */
int cli_atomic_fail(const struct cli_atomic *atomic, struct cli_error *error);

/* Removes what was written and frees `atomic`; NULL is allowed. */
void cli_atomic_abort(struct cli_atomic *atomic);

/* Writes `path` by `write`, which gets the stream and `what`, and returns 0, or -1 with a line in `error`; failed
 * writes it may leave to the stream's error flag. Returns 0 or -1 as commit. */
int cli_atomic_write(const char *path, int (*write)(FILE *file, const void *what, struct cli_error *error),
                     const void *what, struct cli_error *error);

#endif
