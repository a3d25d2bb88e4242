/* SPDX-License-Identifier: Apache-2.0 */
/* Everything the command reads: .npy files, text (CSV) and raw binary, from a file or standard input, in chunks.
 *
 * The kind is decided by what the file holds and by its name: NumPy's magic string means .npy; otherwise, with a dtype
 * given, a name that does not end like text (.csv, .tsv, .tab, .txt, .text, .dat, .asc) is raw binary; the rest is
 * text. Arrays of any shape are read flattened, in the order in which the file stores them. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "api/cli/error.h"

struct cli_input_options {
    const char *column; /* CSV: NULL (first column), a number from 0, or a name of the header row */
    const char *dtype;  /* NULL, or a dtype's name: what raw binary holds, and what text is parsed as (else float64) */
    int integers;       /* text without a dtype is parsed as int64 */
    int characters;     /* text gives its characters, uint8, not its numbers */
    size_t chunk_bytes; /* about how much one cli_input_next gives; 0 is 8 MiB */
    int several_passes; /* it will be read again: what comes out of a pipe is kept in a temporary file */

    /* Rows of several values: cli_input_next then gives whole rows. Without any of these, arrays are flattened. */
    int rows;                   /* a .npy array of two dimensions is rows, and more dimensions are an error */
    size_t row;                 /* raw binary: values of a row; 0 is 1 */
    const char *const *columns; /* text: instead of `column`, */
    size_t ncolumns;            /* so many, a row of each line; 0: `column` */
    int all_columns;            /* text: all that there are, at most CLI_CSV_COLUMNS */
    int finite;                 /* text: NaN, infinities and empty fields are errors */
    size_t part;                /* 1 or more, of an array in Fortran's order: read its column `part` - 1 alone */

    /* Where `shares` is not 0, share `share` of so many is read alone: the data's bytes are divided evenly, and rows,
     * or whole lines of text, belong where they begin; what comes before a text's first rows goes with these. Where
     * a text has quotes among its first 64 KiB ranks find out together which newlines end lines; without these an end
     * of share in a line that goes on within quotes is an error. All of a group open texts in shares together. Where
     * `all` is not 0 shares are those of several inputs one after the other, of so many bytes (facts), `before` of them
     * in those before this one. */
    size_t share, shares;
    uint64_t before, all;
};

struct cli_input;

/* Opens a file, or standard input for "-"; `options` may be NULL. Reads no more than the header. Returns 0 and an
 * input for cli_input_close, or -1. */
int cli_input_open(const char *path, const struct cli_input_options *options, struct cli_input **out,
                   struct cli_error *error);

/* Gives the next chunk: `*n` elements, contiguous, in the machine's byte order, aligned to the element, owned by the
 * input and valid until the next call; of an array in Fortran's order they are of one column. Returns 1; 0 at the end,
 * and again after it; -1 on an error. */
int cli_input_next(struct cli_input *input, const void **data, size_t *n, struct cli_error *error);

/* Starts again from the first element. Returns 0; -1 for a pipe that was read and not opened for several passes. */
int cli_input_rewind(struct cli_input *input, struct cli_error *error);

/* What an input is, which is known once it is open. */
struct cli_input_facts {
    uh_dtype dtype; /* of the elements that cli_input_next gives (bool is uint8, float16 is float32) */
    size_t width;   /* elements of a row, 1 where there are no rows; of all columns, those of what was read */
    int is_text;    /* it is read as text */
    int is_file;    /* it can be opened again, by its path, and is the same */
    int is_fortran; /* rows do not lie in the file as such: the array is in Fortran's order, each column a part */
    uint64_t bytes; /* of the data, 0 where that is not known before the end */
    int is_counted; /* how many elements there are is known before reading: */
    uint64_t count; /* in all shares together */
};

/* Lends that. */
const struct cli_input_facts *cli_input_facts(const struct cli_input *input);

/* Returns where the share begins: so many elements come before it; and how many it has. Of text that is not known,
 * and 0. */
uint64_t cli_input_before(const struct cli_input *input);
uint64_t cli_input_count(const struct cli_input *input);

/* Returns how many bytes this pass has read, of text a little ahead of what cli_input_next gave. */
uint64_t cli_input_bytes_read(const struct cli_input *input);

/* Lends what the header of a text that was read from calls the i-th of its columns, "" where nothing does. */
const char *cli_input_column_name(const struct cli_input *input, size_t i);

/* Closes the input and frees it; NULL is allowed. */
void cli_input_close(struct cli_input *input);

#endif
