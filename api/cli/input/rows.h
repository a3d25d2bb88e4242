/* SPDX-License-Identifier: Apache-2.0 */
/* Points in memory: rows of coordinates, those of several inputs one after the other. Of several processes each has its
 * part, in the order of processes (group.h). */
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
    const char *dtype;          /* as for an input */
    size_t row;                 /* of raw binary, 0 is 1 */
    const char *const *columns; /* to be read: of text by number or name, of other rows by number */
    size_t ncolumns;            /* 0: all */
};

/* Free `data` with cli_rows_free. */
struct cli_rows {
    uh_dtype dtype; /* float32 if all inputs are (float16 too), otherwise float64 */
    void *data;     /* n rows of `width` coordinates */
    size_t n, width;
    uint64_t first, all; /* number of the first of them among the rows of all processes, and that of all rows */
    char names[CLI_CSV_COLUMNS]
              [64]; /* of the columns: from the first input's header or the options, otherwise x0, ... */
};

/* Reads all rows of all inputs, with a progress bar. It is an error if no process has any; a coordinate that is not
 * finite is an error that names file and place. The caller frees the rows in both cases. */
int cli_rows_read(struct cli_rows *rows, const struct cli_rows_options *options, struct cli_error *error);

void cli_rows_free(struct cli_rows *rows);

#endif
