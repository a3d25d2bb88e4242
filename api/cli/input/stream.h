/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file or a pipe, read by position. Files are read with pread, so that one which is cut short while it
 * is read gives an error and not a SIGBUS. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

struct cli_stream;

/* Opens a path, or standard input for "-". Returns 0 and a stream for cli_stream_close, or -1. */
int cli_stream_open(const char *path, struct cli_stream **out, struct cli_error *error);

void cli_stream_close(struct cli_stream *stream);

/* Returns what messages call the stream: its path, or "standard input". Owned by the stream. */
const char *cli_stream_name(const struct cli_stream *stream);

/* Returns the size in bytes, 0 where it is not known. */
uint64_t cli_stream_size(const struct cli_stream *stream);

/* From now on, what comes out of a pipe is also stored, so that every position can be read again.
 * Does nothing once something was read. */
void cli_stream_keep(struct cli_stream *stream);

/* Returns 1 when position 0 can be read again, 0 when those bytes of a pipe are gone. */
int cli_stream_can_rewind(const struct cli_stream *stream);

/* Gives the first bytes of the stream: `bytes` of them or more, fewer only when there are no more. They are owned by
 * the stream and valid until the next call. Not to be called once cli_stream_read was. Returns 0 or -1. */
int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got,
                    struct cli_error *error);

/* Reads `bytes` bytes from `position`, fewer only at the end or after cli_stream_interrupt. A pipe is read in order,
 * or from any position already read when it is kept. Returns 0 or -1. */
int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t bytes, size_t *got,
                    struct cli_error *error);

/* Makes a cli_stream_read that waits for a pipe in another thread, and every later one, give what it has at once;
 * cli_stream_resume ends that. Neither is for two threads at once. */
void cli_stream_interrupt(struct cli_stream *stream);
void cli_stream_resume(struct cli_stream *stream);

/* How many bytes cli_stream_read has given since this was last set. Any thread may ask. */
uint64_t cli_stream_bytes_read(const struct cli_stream *stream);
void cli_stream_set_bytes_read(struct cli_stream *stream, uint64_t bytes);

/* ---- blocks, one block ahead in a thread of its own: two buffers, whatever the stream's size ---- */

struct cli_ahead;

/* Makes a reader of blocks of `block` bytes; it borrows the stream. Returns NULL when there is no memory. */
struct cli_ahead *cli_ahead_create(struct cli_stream *stream, size_t block);

void cli_ahead_destroy(struct cli_ahead *ahead);

/* Starts (again) at `from`; the blocks end at `to`, or where the stream does. */
void cli_ahead_seek(struct cli_ahead *ahead, uint64_t from, uint64_t to);

/* Gives the next block, aligned to 64 bytes: full, but for the last one. The caller may change its bytes; they are
 * valid until the next call. Returns 1, 0 at the end, -1 on an error. */
int cli_ahead_next(struct cli_ahead *ahead, unsigned char **data, size_t *bytes, struct cli_error *error);

#endif
