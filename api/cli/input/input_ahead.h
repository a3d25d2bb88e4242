/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a stream in blocks, one block ahead in a thread of its own: two buffers, whatever the stream's size. */
#ifndef CLI_INPUT_AHEAD_H
#define CLI_INPUT_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"
#include "api/cli/input/input_stream.h"

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
