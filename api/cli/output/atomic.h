/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic files of the command (runtime/atomic_file.h): streams, and messages for the user. One thread at a time may
 * open and close files. */
#pragma once

#include <stdio.h>

#include "api/cli/error.h"
#include "runtime/atomic_file.h"

/* A file being written; zero: none. */
struct cli_atomic {
    FILE *file; /* binary, seekable; closed by commit and abort */
    struct uhi_atomic_file whole;
    const char *path; /* borrowed, for messages; NULL: standard output */
    int guard;
    int shared; /* other processes write it too */
    int joined; /* created and named by the first process */
};

/* Returns 0 if a file can be made at `path`: its directory exists and is writable, and `path`, if it exists, is a
 * regular file. Otherwise returns -1 with a line that names the path. Creates nothing. */
int cli_atomic_check(const char *path);

/* Starts to write `path`, which is borrowed. A symbolic link is kept, and the file it points to is replaced. NULL is
 * standard output, which is not closed and keeps all that was written. */
int cli_atomic_open(struct cli_atomic *atomic, const char *path);

/* The same by all processes together (group.h), each of which writes its part of the file: the first one creates it,
 * and names it once all have called commit. */
int cli_atomic_open_shared(struct cli_atomic *atomic, const char *path);

/* Gives the file its name. Returns 0, or -1 with a message if a write failed (a full disk) or the name cannot be given;
 * then no file remains, and an existing file is unchanged. */
int cli_atomic_commit(struct cli_atomic *atomic);

/* Stores the message that a write to the stream failed. Returns -1. */
int cli_atomic_fail(const struct cli_atomic *atomic);

/* Removes what was written, if anything is open. */
void cli_atomic_abort(struct cli_atomic *atomic);

/* Writes `path` by `write`, which gets the stream and `what`, and returns 0, or -1 with a message; it may leave failed
 * writes to the stream's error flag. Returns 0 or -1 as commit. */
int cli_atomic_write(const char *path, int (*write)(FILE *file, const void *what), const void *what);
