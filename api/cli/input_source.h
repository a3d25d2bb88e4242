/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file or a pipe, read by position. Files are read with pread, so that one which is cut short while it
 * is read gives an error and not a SIGBUS. */
#ifndef CLI_INPUT_SOURCE_H
#define CLI_INPUT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

struct cli_source;

/* Opens a path, or standard input for "-". Returns 0 and a source for cli_source_close, or -1. */
int cli_source_open(const char *path, struct cli_source **source, struct cli_error *error);

void cli_source_close(struct cli_source *source);

/* Returns what messages call the source: its path, or "standard input". Owned by the source. */
const char *cli_source_name(const struct cli_source *source);

/* Returns the size in bytes, 0 where it is not known. */
uint64_t cli_source_size(const struct cli_source *source);

/* From now on, what comes out of a pipe is also stored, so that every position can be read again.
 * Does nothing once something was read. */
void cli_source_keep(struct cli_source *source);

/* Returns 1 when position 0 can be read again, 0 when those bytes of a pipe are gone. */
int cli_source_can_rewind(const struct cli_source *source);

/* Gives the first bytes of the source: `bytes` of them or more, fewer only when there are no more. They are owned by
 * the source and valid until the next call. Not to be called once cli_source_read was. Returns 0 or -1. */
int cli_source_peek(struct cli_source *source, size_t bytes, const unsigned char **data, size_t *got,
                    struct cli_error *error);

/* Reads `bytes` bytes from `position`, fewer only at the end or after cli_source_interrupt. A pipe is read in order,
 * or from any position already read when it is kept. Returns 0 or -1. */
int cli_source_read(struct cli_source *source, uint64_t position, void *data, size_t bytes, size_t *got,
                    struct cli_error *error);

/* Makes a cli_source_read that waits for a pipe in another thread, and every later one, give what it has at once;
 * cli_source_resume ends that. Neither is for two threads at once. */
void cli_source_interrupt(struct cli_source *source);
void cli_source_resume(struct cli_source *source);

/* How many bytes cli_source_read has given since this was last set. Any thread may ask. */
uint64_t cli_source_bytes_read(const struct cli_source *source);
void cli_source_set_bytes_read(struct cli_source *source, uint64_t bytes);

#endif
