/* SPDX-License-Identifier: Apache-2.0 */
/* Reads all inputs of the command: .npy files, text (CSV) and raw binary, from a file or standard input, in chunks.
 * unihist-histogram(1) says which kind one is. Arrays of any shape are read flattened, in the order of the file. */
#pragma once

#include <unihist/base.h>

#include "api/cli/error.h"
#include "api/cli/input/calendar.h"
#include "api/cli/input/dialect.h"

struct cli_stored {
    uh_dtype dtype; /* once read: bool is uint8, float16 is float32 */
    size_t bytes;
    int swapped;               /* in the other byte order */
    int half;                  /* float16 */
    struct cli_time_unit unit; /* of dates, which are float64 once read */
};

/* Reads the name of a type: one of uh_enum_from_name, float16, f16 or f2, or NumPy's code after its byte order, as >f8.
 * Returns 0, or -1 without a message. */
int cli_stored_from_name(const char *name, struct cli_stored *stored);

/* Converts elements of any type and stride to float64 (convert.c). */
void cli_convert_numbers(const uh_array *x, double *numbers);

struct cli_input_options {
    const struct cli_dialect *dialect; /* of text; NULL: all is found */
    /* Columns of text, fields of structures or columns of rows: numbers from 0 or names, in text and structures also
     * '=' and a name. None: the first column of text, or all of a row. */
    const char *const *columns;
    size_t ncolumns;
    const char *dtype;  /* NULL, or name of the dtype of raw binary and of parsed text (otherwise float64) */
    int integers;       /* text without a dtype is parsed as int64 */
    int characters;     /* text is read as characters, uint8, not as numbers */
    size_t chunk_bytes; /* approximate size of a cli_input_next; 0 is 8 MiB */
    size_t piece_bytes; /* minimum of text that a thread parses; 0 is 128 KiB */
    int several_passes; /* it will be read again: what costs much to read, or cannot be read again, is kept */

    /* Rows of several values: cli_input_next then returns whole rows. Without these options, arrays are flattened. */
    int rows;        /* a .npy array of two dimensions is rows; more dimensions are an error */
    size_t row;      /* raw binary: values per row; 0 is 1 */
    int all_columns; /* text: all columns, at most CLI_CSV_COLUMNS */
    int finite;      /* text: NaN, infinities and empty fields are errors */
    int no_times;    /* dates and times are errors */

    /* If `shares` is not 0, only share `share` of them is read: the data's bytes are divided evenly, and rows, or whole
     * lines of text, belong to the share in which they begin; text before the first rows belongs to these. If a text
     * has quotes in its first MiB, ranks find out together which newlines end lines; otherwise the end of a share in
     * a line that continues within quotes is an error. All processes of a group open texts in shares together. If `all`
     * is not 0, the shares are those of several consecutive inputs of that many bytes (facts), `before` of them in the
     * inputs before this one. */
    size_t share, shares;
    uint64_t before, all;
};

struct cli_input;

/* Opens a file, or standard input for "-". Reads at most the header. Returns 0 and an input for
 * cli_input_close, or -1. */
int cli_input_open(const char *path, const struct cli_input_options *options, struct cli_input **out);
void cli_input_close(struct cli_input *input); /* or NULL */

/* Returns the next chunk: `*n` elements, contiguous, in the machine's byte order, aligned to the element, owned by the
 * input and valid until the next call; of an array in Fortran order, they are of one column. Returns 1; 0 at the end,
 * and again after it; -1 on error. */
int cli_input_next(struct cli_input *input, const void **data, size_t *n);

/* Restarts at the first element. Returns 0, or -1 for a pipe that was read. */
int cli_input_rewind(struct cli_input *input);

/* Properties of an input, borrowed, known once it is open. */
struct cli_input_facts {
    uh_dtype dtype;      /* of elements from cli_input_next (bool is uint8, float16 is float32) */
    size_t width;        /* elements per row, 1 without rows; for all columns, those read so far */
    int is_text;         /* it is read as text */
    uint32_t kinds[2];   /* bit i: column i is known to be of numbers; of dates and times, as seconds (calendar.h) */
    int is_seekable;     /* it can be rewound */
    int is_file;         /* can be opened again by its path, with the same contents */
    int is_separate;     /* each column is to be opened on its own: their types differ, */
    int is_fortran;      /* or the array is in Fortran order, and one column after the other is read, all of them */
    char shape[51];      /* of a whole .npy file, as "(3, 4)"; "" if it is longer or of another input, */
    int is_column_major; /* with the first index varying fastest */
    uint64_t bytes;      /* of the data, 0 if unknown before the end */
    int is_counted;      /* the number of elements is known before reading: */
    uint64_t count;      /* in all shares together */
};
const struct cli_input_facts *cli_input_facts(const struct cli_input *input);

/* Return the number of elements before the share, and in it. Both are 0 for text, where they are unknown. */
uint64_t cli_input_before(const struct cli_input *input);
uint64_t cli_input_count(const struct cli_input *input);

/* Returns the bytes read in this pass; for text, slightly ahead of cli_input_next. */
uint64_t cli_input_bytes_read(const struct cli_input *input);

/* Returns the reader of a text (borrowed), with its dialect and what has been read so far; NULL of other inputs. */
struct cli_csv;
const struct cli_csv *cli_input_text(const struct cli_input *input);

/* Returns the header's name of the i-th column of a text read from (borrowed), "" if none exists. */
const char *cli_input_column_name(const struct cli_input *input, size_t i);
