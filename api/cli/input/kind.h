/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of an input: its kind, and where its data are. */
#ifndef CLI_KIND_H
#define CLI_KIND_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/input/csv.h"
#include "api/cli/input/input.h"
#include "api/cli/input/stream.h"

enum cli_kind { NPY, RAW, TEXT };

struct cli_input {
    enum cli_kind kind;
    struct cli_input_facts facts;
    struct cli_stream stream;
    struct cli_input_options options;
    uint64_t begin, end;   /* range of the data in the stream; `end` is UINT64_MAX if unknown */
    uint64_t position;     /* reached in the stream */
    uint64_t first, last;  /* range of the share in the stream; all of it without shares */
    uint64_t column_bytes; /* of an array in Fortran order, */
    size_t column;         /* and the column being read; the share is a part of each */
    size_t stored_bytes;   /* per element in the stream */
    size_t chunk_elements; /* per chunk */
    int swapped, half;
    unsigned char *block; /* as read from the stream; has one more byte, a zero after text */
    size_t block_bytes;
    void *elements;               /* elements that are not returned directly from the block */
    struct cli_csv csv;           /* of TEXT */
    int has_quotes;               /* in the first bytes of the text */
    size_t text_used, text_bytes; /* of the block: parsed, and present */
    int text_ended;
};

/* Opens the stream, determines the kind of input, whose options are set, and reads its header. */
int cli_kind_open(struct cli_input *input, const char *path, struct cli_error *error);

/* Stores the message that `bytes` is no whole number of rows. Returns -1. */
int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes, struct cli_error *error);

/* ---- cuts of text ------------------------------------------------------------------------------------------------ */

/* Shares begin after newlines or, if ranks examine the text before theirs, after newlines that end lines. */

/* Finds the first line that begins at or after `position`, which is not 0, and before `end`; otherwise finds `end`. */
int cli_cut_find(struct cli_stream *stream, uint64_t position, uint64_t end, uint64_t *found, struct cli_error *error);

/* `*first` and `*last` are where this share and the next one would begin, both after newlines; moves them to beginnings
 * of lines outside quotes. All processes call it together, one share each, in order, including those without text, for
 * which both are equal. `separator`: that of the fields. */
int cli_cut_outside_quotes(struct cli_stream *stream, char separator, uint64_t end, uint64_t *first, uint64_t *last,
                           struct cli_error *error);

/* Counts the lines that end before `end`. */
int cli_cut_count(struct cli_stream *stream, uint64_t end, uint64_t *lines, struct cli_error *error);

#endif
