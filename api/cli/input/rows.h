/* SPDX-License-Identifier: Apache-2.0 */
/* Points that have to be in memory: rows of coordinates, those of several inputs one after the other. Of several
 * processes each has its part of them, that of the first one first (group.h). */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "api/cli/error.h"
#include "api/cli/input/csv.h"

struct cli_rows_options {
    char *const *paths;
    size_t npaths;
    const char *dtype;          /* as of an input */
    size_t row;                 /* of raw binary, 0 is 1 */
    const char *const *columns; /* which are read: of text by number or name, of other rows by number */
    size_t ncolumns;            /* 0: all */
};

/* `data` is freed by cli_rows_free. */
struct cli_rows {
    uh_dtype dtype; /* float32 where all inputs are (float16 is too), else float64 */
    void *data;     /* n rows of `width` coordinates */
    size_t n, width;
    uint64_t first, all; /* which the first of them is of the rows of all processes, and how many these are */
    char names[CLI_CSV_COLUMNS]
              [64]; /* of the columns: those of the first input's header or of the options, else x0, ... */
};

/* Reads all rows of all inputs, with a progress bar; at least one process has some. Coordinates are finite: another one
 * is an error that names file and place. 0, or -1 with a message; the caller frees the rows after either. */
int cli_rows_read(struct cli_rows *rows, const struct cli_rows_options *options, struct cli_error *error);

void cli_rows_free(struct cli_rows *rows);

#endif
