/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file or a pipe, read by position, and filters that decode them. Files are read with pread, so that a file
 * truncated while it is read gives an error and not a SIGBUS. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

struct cli_stream {
    char *name;    /* for messages: its path, or "standard input" */
    uint64_t size; /* in bytes, when opened; 0 if unknown */
    int is_file;   /* it can be opened again by its path */

    /* Internal: */
    int fd;
    int seekable;        /* read by pread, from `base` */
    uint64_t base;       /* file position when it was opened (standard input) */
    uint64_t drawn;      /* bytes read from a pipe */
    unsigned char *head; /* the first bytes, peeked at */
    size_t head_bytes;
    struct cli_filter *filter; /* that writes the pipe, or NULL */
    int left_at;               /* the end of the pipe that this stream's filter writes, or -1: closed there, it ends */
};

/* Opens a path, or standard input for "-". Returns 0 or -1; call cli_stream_close in both cases. */
int cli_stream_open(struct cli_stream *stream, const char *path);
void cli_stream_close(struct cli_stream *stream);

/* Gets the first bytes of the stream: `bytes` of them (at most CLI_STREAM_HEAD) or more, fewer only at its end. The
 * stream owns them. Not to be called after cli_stream_read. */
#define CLI_STREAM_HEAD ((1 << 20) + 64)
int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got);

/* Reads at most `bytes` bytes from `position`, and at least `wanted` unless the stream ends; of a pipe in order. */
int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t wanted, size_t bytes, size_t *got);

/* ---- filters ----------------------------------------------------------------------------------------------------- */

/* A thread that reads one stream and writes another, a pipe. */
struct cli_filter {
    struct cli_stream from;
    const char *argument; /* of the decoder */

    /* Internal: */
    int (*decode)(struct cli_filter *filter);
    int to;
    int is_joined;
    unsigned long thread;
    int status;
    struct cli_error error;
};

/* Replaces a stream by what `decode` writes of it. The argument is borrowed. A failure of `decode`, which runs in a
 * thread of its own, becomes that of the stream's read at its end. */
int cli_stream_filter(struct cli_stream *stream, int (*decode)(struct cli_filter *filter), const char *argument);

/* Writes decoded bytes. Returns -1 if the reader has left. */
int cli_filter_write(struct cli_filter *filter, const void *data, size_t bytes);
