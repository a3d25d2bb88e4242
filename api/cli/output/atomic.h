/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic files of the command (runtime/atomic_file.h): streams, and messages for the user. One thread at a time may
 * open and close files. */
#pragma once

#include <stdio.h>

#include "api/cli/error.h"
#include "runtime/atomic_file.h"

/* A file being written; zero: none. */
struct cli_atomic {
    FILE *file; /* binary; seekable unless it is a stream; closed by commit and abort */
    struct uhi_atomic_file whole;
    const char *path; /* borrowed, for messages */
    int guard;
    int owned;  /* this process creates and names it: it is no stream, nor another process's file */
    int shared; /* other processes write it too */
};

/* Streams are written as they are: a FIFO, a character device, or a descriptor: "-" for standard output, /dev/stdout,
 * /dev/fd/N. Return whether a path is a stream, and standard output. */
int cli_atomic_is_stream(const char *path);
int cli_atomic_is_standard_output(const char *path);

/* Keeps standard output for results alone: what is printed goes to standard error from now on. Returns 0 or -1. */
int cli_atomic_take_standard_output(void);
int cli_atomic_standard_output_is_taken(void);

/* Returns the path by which the library opens the same file; it may be in `name`. */
const char *cli_atomic_name(const char *path, char name[32]);

/* Checks that `path` can be written: it is a stream, and no terminal if `binary`, or its directory exists and is
 * writable, and `path`, if it exists, is a regular file. Creates nothing. */
int cli_atomic_check(const char *path, int binary);

/* Starts to write `path`, which is borrowed. A symbolic link is kept, and the file it points to is replaced. What
 * killed processes left in its directory is removed. */
int cli_atomic_open(struct cli_atomic *atomic, const char *path);

/* The same by all processes together (group.h), each of which writes its part of the file: the first one creates it,
 * and names it once all have called commit. */
int cli_atomic_open_shared(struct cli_atomic *atomic, const char *path);

/* Gives the file its name. Returns 0, or -1 with a message if a write failed (a full disk, a pipe without a reader) or
 * the name cannot be given; then no file remains, and an existing file is unchanged. */
int cli_atomic_commit(struct cli_atomic *atomic);

/* Stores the message that a write to the stream failed. Returns -1. */
int cli_atomic_fail(const struct cli_atomic *atomic);
void cli_atomic_abort(struct cli_atomic *atomic);

/* Writes `path` by `write`, which gets the stream and `what`, and may leave failed writes to its error flag. */
int cli_atomic_write(const char *path, int (*write)(FILE *file, const void *what), const void *what);
