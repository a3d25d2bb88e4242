/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts text into shares: after newlines or, if ranks examine the text before theirs, after newlines that end lines. */
#ifndef CLI_CUT_H
#define CLI_CUT_H

#include "api/cli/input/stream.h"

/* Finds the first line that begins at or after `position`, which is not 0, and before `end`; otherwise finds `end`.
 * Returns 0, or -1 with a message. */
int cli_cut_find(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found, struct cli_error *error);

/* `*first` and `*last` are where this share and the next one would begin, both after newlines; moves them to beginnings
 * of lines outside quotes. All processes call it together, one share each, in order, including those without text, for
 * which both are equal. `separator`: that of the fields. Returns 0, or -1 with a message. */
int cli_cut_outside_quotes(struct cli_stream *stream, char separator, uint64_t end, uint64_t *first, uint64_t *last,
                           struct cli_error *error);

/* Counts the lines that end before `end`. Returns 0, or -1 with a message. */
int cli_cut_count(struct cli_stream *stream, uint64_t end, uint64_t *lines, struct cli_error *error);

#endif
