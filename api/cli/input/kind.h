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
    uint64_t begin, end;   /* range of the data in the stream; `end` is UINT64_MAX if unknown */
    uint64_t position;     /* reached in the stream */
    size_t share, shares;  /* `shares` 0: all is read */
    uint64_t before, all;  /* bytes before this input, and of all inputs that are divided */
    uint64_t first, last;  /* range of the share in the stream; all of it without shares */
    uint64_t column_bytes; /* of an array in Fortran order, */
    size_t column;         /* and the column being read; the share is a part of each */
    size_t stored_bytes;   /* per element in the stream */
    size_t chunk_elements; /* per chunk */
    int swapped, half;
    unsigned char *block; /* as read from the stream; has one more byte, a zero after text */
    size_t block_bytes;
    void *elements; /* elements that are not returned directly from the block */
    struct cli_csv *csv;
    int has_quotes;               /* in the first bytes of the text */
    size_t text_used, text_bytes; /* of the block: parsed, and present */
    int text_ended;
};

/* Opens the stream, determines the kind of input, and reads its header. Returns 0, or -1 with a message. */
int cli_kind_open(struct cli_input *input, const char *path, const struct cli_input_options *options,
                  struct cli_error *error);

/* Stores the message that `bytes` is no whole number of rows. Returns -1. */
int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes, struct cli_error *error);

#endif
