/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file or a pipe, read by position. Files are read with pread, so that one which is cut short while it
 * is read gives an error and not a SIGBUS. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

struct cli_stream {
    char *name;    /* what messages call it: its path, or "standard input" */
    uint64_t size; /* in bytes, as it was when opened; 0 where it is not known */
    int is_file;   /* it can be opened again by its path */

    /* The stream's own: */
    int fd;
    int seekable;        /* read by pread, from `base` on */
    uint64_t base;       /* where the file's position stood when it was opened (standard input) */
    uint64_t drawn;      /* how much has come out of a pipe */
    unsigned char *head; /* the first bytes, peeked at */
    size_t head_bytes;
    int keep;
    int spool; /* what came out of a pipe after the head; -1: none yet */
};

/* Opens a path, or standard input for "-". With `keep`, what comes out of a pipe is also written into an unlinked
 * temporary file (in $TMPDIR, else /var/tmp, else /tmp), so that every position can be read again. Returns 0, or -1;
 * cli_stream_close follows either. */
int cli_stream_open(struct cli_stream *stream, const char *path, int keep, struct cli_error *error);

void cli_stream_close(struct cli_stream *stream);

/* Returns 1 when position 0 can be read again, 0 when those bytes of a pipe are gone. */
int cli_stream_can_rewind(const struct cli_stream *stream);

/* Gives the first bytes of the stream: `bytes` of them (at most CLI_STREAM_HEAD) or more, fewer only when there are no
 * more. They are owned by the stream. Not to be called once cli_stream_read was. Returns 0 or -1. */
#define CLI_STREAM_HEAD ((1 << 16) + 64)
int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got,
                    struct cli_error *error);

/* Reads from `position` at most `bytes` bytes, and at least so many as are wanted or there are. A pipe is read in
 * order, or from any position already read when it is kept. Returns 0 or -1. */
int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t wanted, size_t bytes, size_t *got,
                    struct cli_error *error);

#endif
