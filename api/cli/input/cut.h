/* SPDX-License-Identifier: Apache-2.0 */
/* Where text is cut into shares: behind newlines, and where ranks look at what is before theirs, those that end lines.
 */
#ifndef CLI_CUT_H
#define CLI_CUT_H

#include "api/cli/input/stream.h"

/* Finds the first line that begins at a position or behind it, before `end`; else that is what is found. `position` is
 * not 0. 0, or -1 with a message. */
int cli_cut_find(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found, struct cli_error *error);

/* The lines of a share are to begin at `*first`, and those of the next one at `*last`, both behind newlines: moves them
 * to where lines begin outside quotes. All processes make it together, one share each, in order, and those without any
 * text too, which have the same of both; `separator` is that of the fields. 0, or -1 with a message. */
int cli_cut_outside_quotes(struct cli_stream *stream, char separator, uint64_t end, uint64_t *first, uint64_t *last,
                           struct cli_error *error);

/* Counts the lines that end before a position. 0, or -1 with a message. */
int cli_cut_count(struct cli_stream *stream, uint64_t end, uint64_t *lines, struct cli_error *error);

#endif
