/* SPDX-License-Identifier: Apache-2.0 */
/* Where text is cut into shares. */
#ifndef CLI_CUT_H
#define CLI_CUT_H

#include "api/cli/input/stream.h"

/* Finds the first line that begins at a position or behind it, before `end`; else that is what is found. `position` is
 * not 0. 0, or -1 with a message. */
int cli_cut_find(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found, struct cli_error *error);

/* Counts the lines that end before a position. 0, or -1 with a message. */
int cli_cut_count(struct cli_stream *stream, uint64_t end, uint64_t *lines, struct cli_error *error);

#endif
