/* SPDX-License-Identifier: Apache-2.0 */
/* An input as its own files see it: of what kind it is, and where its data lie. */
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
    uint64_t begin, end;   /* where the data lie in the stream; `end` is UINT64_MAX when not known */
    uint64_t position;     /* how far the stream was read */
    size_t share, shares;  /* 0: all is read; */
    uint64_t before, all;  /* bytes of the inputs that shares are of */
    uint64_t first, last;  /* where the share lies in the stream: all of it where there are none */
    uint64_t column_bytes; /* of an array in Fortran's order, */
    size_t column;         /* of whose columns this one is read: of each, the share is what lies there */
    size_t stored_bytes;   /* of one element in the stream */
    size_t chunk_elements; /* of one chunk */
    int swapped, half;
    unsigned char *block; /* as read from the stream; there is one byte more, a zero behind text */
    size_t block_bytes;
    void *elements; /* what is not given out of the block */
    struct cli_csv *csv;
    int has_quotes;               /* among the first bytes of the text */
    size_t text_used, text_bytes; /* of the block: parsed, and there */
    int text_ended;
};

/* Opens the stream, decides what the input is, and reads its header. 0, or -1 with a message. */
int cli_kind_open(struct cli_input *input, const char *path, const struct cli_input_options *options,
                  struct cli_error *error);

/* Says that so many bytes are no whole number of rows. Returns -1. */
int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes, struct cli_error *error);

#endif
