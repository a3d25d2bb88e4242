/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of an input: its kind, and where its data are. */
#pragma once

#include "api/cli/input/calendar.h"
#include "api/cli/input/csv.h"
#include "api/cli/input/input.h"
#include "api/cli/input/stream.h"

enum cli_kind { NPY, RAW, TEXT };

struct cli_input {
    enum cli_kind kind;
    struct cli_input_facts facts;
    struct cli_stream stream;
    char *contents; /* the name of what is read, by whose ending its kind is known */
    struct cli_input_options options;
    uint64_t begin, end;      /* range of the data in the stream; `end` is UINT64_MAX if unknown */
    uint64_t position;        /* reached in the stream */
    uint64_t first, last;     /* range of the share in the stream; all of it without shares */
    uint64_t column_bytes;    /* of an array in Fortran order, */
    size_t column;            /* and the column being read; the share is a part of each */
    struct cli_stored stored; /* the elements in the stream */
    uint64_t row_bytes;       /* from a row to the next one */
    int gathers;              /* of a row some elements are read, at these places: */
    uint64_t places[CLI_CSV_COLUMNS];
    void *gathered;       /* these elements of the block */
    unsigned char *block; /* as read from the stream; has one more byte, a zero after text */
    size_t block_bytes;
    void *elements;               /* elements that are not returned directly from the block */
    struct cli_csv csv;           /* of TEXT */
    int has_quotes;               /* in the first bytes of the text */
    size_t text_used, text_bytes; /* of the block: parsed, and present */
    int text_ended;
    struct cli_part *parts; /* of the block, parsed by threads, CLI_PARTS; */
    size_t nparts, part;    /* their number, and the next one to return */
    size_t room;            /* of `elements` */
    size_t density;         /* elements found in a KiB of text, about */
};

/* ---- text (text.c) ----------------------------------------------------------------------------------------------- */

/* Moves to the start of the text, or of its share. */
void cli_text_start(struct cli_input *input);

/* Reads the text's first rows, so that its table is known; `*end`: position after them. */
int cli_text_table(struct cli_input *input, uint64_t *end);

/* cli_input_next for text. */
int cli_text_next(struct cli_input *input, const void **data, size_t *n);

/* Opens the stream, determines the kind of input, whose options are set, and reads its header. */
int cli_kind_open(struct cli_input *input, const char *path);

/* Stores the message that `bytes` is no whole number of rows. Returns -1. */
int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes);

/* ---- header and elements of NumPy's .npy files, versions 1.0, 2.0 and 3.0 (npy.c;
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html) */

#define CLI_NPY_MAGIC        "\x93NUMPY"
#define CLI_NPY_MAGIC_BYTES  6
#define CLI_NPY_HEADER_LIMIT (1 << 16) /* longer headers are errors */

struct cli_npy {
    struct cli_stored stored; /* the elements, or the field of structures requested */
    uint64_t item_bytes;      /* of an element: more than stored.bytes of structures, */
    uint64_t field;           /* in which the field begins here */
    int structured;
    int fortran;          /* the first index varies fastest */
    uint64_t count;       /* elements: the product of the shape */
    int sizes;            /* number of sizes of the shape: 0 for a scalar, 2 for a table */
    uint64_t last;        /* last size, 1 for a scalar */
    char shape[51];       /* as in the header; "" if it is longer */
    uint64_t data_offset; /* where the elements begin in the file */
};

/* Returns whether the first bytes of a file (6 or more, if it has them) are NumPy's magic string. */
int cli_npy_is_magic(const unsigned char *bytes, size_t n);

/* Reads a header from a file's first bytes, CLI_NPY_FIRST_BYTES or more, fewer only if the file is shorter. `name`: for
 * messages. `column`: of structures, the field that is read: a number from 0, or a path such as a, a.b or a[0], which
 * may follow '='; else it is ignored. NULL: structures are errors. */
#define CLI_NPY_FIRST_BYTES (12 + CLI_NPY_HEADER_LIMIT)
int cli_npy_parse(const char *name, const unsigned char *bytes, size_t n, const char *column, struct cli_npy *npy);

/* Reads NumPy's code of a type, after its byte order if there is one. Returns 0, or -1 without a message. */
int cli_stored_from_code(const char *code, size_t length, struct cli_stored *stored);
int cli_is_byte_order(char c);

/* Reverses the bytes of each of `n` elements of 1, 2, 4 or 8 bytes, in place. `data` is aligned to the element. */
void cli_convert_swap(void *data, size_t n, size_t element_bytes);

/* Converts IEEE 754 binary16 to binary32 exactly; keeps the payload and sign of a NaN. */
void cli_convert_half(const uint16_t *half, float *single, size_t n);
