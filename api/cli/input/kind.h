/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of an input: its kind, and where its data are. */
#pragma once

#include "api/cli/input/csv.h"
#include "api/cli/input/input.h"

/* ---- bytes of a file or a pipe, read by position. Files are read with pread, so that a file truncated while it is
 * read gives an error and not a SIGBUS. */

struct cli_stream {
    char *name;    /* for messages: its path, or "standard input" */
    uint64_t size; /* in bytes, when opened; 0 if unknown */
    int is_file;   /* it can be opened again by its path */

    /* Internal: */
    int fd;
    int seekable;        /* read by pread, from `base` */
    uint64_t base;       /* file position when it was opened (standard input) */
    uint64_t drawn;      /* bytes read from a pipe */
    unsigned char *head; /* the first bytes, peeked at */
    size_t head_bytes;
    int keep;
    int spool; /* data of a pipe after the head; -1: none yet */
};

/* Opens a path, or standard input for "-". With `keep`, a pipe's data is also written to an unlinked temporary file (in
 * $TMPDIR, else /var/tmp, else /tmp), so that every position can be read again. Returns 0 or -1; call cli_stream_close
 * in both cases. */
int cli_stream_open(struct cli_stream *stream, const char *path, int keep);
void cli_stream_close(struct cli_stream *stream);

/* Gets the first bytes of the stream: `bytes` of them (at most CLI_STREAM_HEAD) or more, fewer only at its end. The
 * stream owns them. Not to be called after cli_stream_read. */
#define CLI_STREAM_HEAD ((1 << 20) + 64)
int cli_stream_peek(struct cli_stream *stream, size_t bytes, const unsigned char **data, size_t *got);

/* Reads at most `bytes` bytes from `position`, and at least `wanted` unless the stream ends. A pipe is read in order,
 * or from any position already read if it is kept. */
int cli_stream_read(struct cli_stream *stream, uint64_t position, void *data, size_t wanted, size_t bytes, size_t *got);

/* ---- an input ---------------------------------------------------------------------------------------------------- */

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
int cli_kind_open(struct cli_input *input, const char *path);

/* Stores the message that `bytes` is no whole number of rows. Returns -1. */
int cli_kind_fail_multiple(const struct cli_input *input, uint64_t bytes);

/* ---- header and elements of NumPy's .npy files, versions 1.0, 2.0 and 3.0 (npy.c;
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html) */

#define CLI_NPY_MAGIC        "\x93NUMPY"
#define CLI_NPY_MAGIC_BYTES  6
#define CLI_NPY_HEADER_LIMIT (1 << 16) /* longer headers are errors */

struct cli_npy {
    uh_dtype dtype;       /* of the elements once read: bool is uint8, float16 is float32 */
    size_t element_bytes; /* as stored */
    int swapped;          /* stored in the other byte order */
    int half;             /* stored as float16 */
    int fortran;          /* the first index varies fastest */
    uint64_t count;       /* elements: the product of the shape */
    int sizes;            /* number of sizes of the shape: 0 for a scalar, 2 for a table */
    uint64_t last;        /* last size, 1 for a scalar */
    uint64_t data_offset; /* where the elements begin in the file */
};

/* Returns whether the first bytes of a file (6 or more, if it has them) are NumPy's magic string. */
int cli_npy_is_magic(const unsigned char *bytes, size_t n);

/* Reads a header from a file's first bytes, CLI_NPY_FIRST_BYTES or more, fewer only if the file is shorter. `name`: for
 * messages. */
#define CLI_NPY_FIRST_BYTES (12 + CLI_NPY_HEADER_LIMIT)
int cli_npy_parse(const char *name, const unsigned char *bytes, size_t n, struct cli_npy *npy);

/* Reverses the bytes of each of `n` elements of 1, 2, 4 or 8 bytes, in place. `data` is aligned to the element. */
void cli_convert_swap(void *data, size_t n, size_t element_bytes);

/* Converts IEEE 754 binary16 to binary32 exactly; keeps the payload and sign of a NaN. */
void cli_convert_half(const uint16_t *half, float *single, size_t n);
