/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/progress.h"
#include "api/cli/input/input.h"
#include "api/cli/input/inputs.h"
#include "api/cli/input/number.h"

/* An input on its way into the rows. */
struct reading {
    struct cli_rows *rows;
    const struct cli_rows_options *options;
    struct cli_input *input;
    const char *name;
    size_t width, element[CLI_CSV_COLUMNS]; /* of its rows, and which of that width are read */
    size_t before, room;                    /* rows of the inputs before it, and that there is memory for */
    uint64_t done;                          /* elements of it */
};

/* Makes room for so many rows. */
static int grow(struct reading *reading, uint64_t n, struct cli_error *error) {
    struct cli_rows *rows = reading->rows;
    size_t bytes;
    if (n <= reading->room)
        return 0;
    const uint64_t twice = 2 * (uint64_t)reading->room, room = n > twice ? n : twice;
    const int fits = !__builtin_mul_overflow(room, rows->width * uh_dtype_size(rows->dtype), &bytes);
    void *grown = fits ? realloc(rows->data, bytes) : NULL;
    if (!grown)
        return cli_fail(error, "%.300s: out of memory for %" PRIu64 " rows, which are all held in memory",
                        reading->name, room);
    rows->data = grown;
    reading->room = (size_t)room;
    return 0;
}

/* Makes float64 of what was read as float32, from the last to the first. */
static int widen(struct reading *reading, struct cli_error *error) {
    struct cli_rows *rows = reading->rows;
    const size_t n = rows->n * rows->width;
    rows->dtype = UH_F64;
    reading->room = 0;
    if (n == 0)
        return 0;
    if (grow(reading, rows->n, error))
        return -1;
    for (size_t i = n; i-- > 0;) {
        float narrow;
        memcpy(&narrow, (const char *)rows->data + i * sizeof narrow, sizeof narrow);
        ((double *)rows->data)[i] = narrow;
    }
    return 0;
}

static double number_at(const void *data, uh_dtype dtype, size_t i) {
    switch (dtype) {
    case UH_F32: return ((const float *)data)[i];
    case UH_F64: return ((const double *)data)[i];
    case UH_I8: return ((const int8_t *)data)[i];
    case UH_I16: return ((const int16_t *)data)[i];
    case UH_I32: return ((const int32_t *)data)[i];
    case UH_I64: return (double)((const int64_t *)data)[i];
    case UH_U8: return ((const uint8_t *)data)[i];
    case UH_U16: return ((const uint16_t *)data)[i];
    case UH_U32: return ((const uint32_t *)data)[i];
    default: return (double)((const uint64_t *)data)[i];
    }
}

/* Stores a coordinate of the input's row. Text has told of those that are not finite, with their line. */
static int put(const struct reading *reading, uint64_t row, size_t column, double value, struct cli_error *error) {
    const struct cli_rows *rows = reading->rows;
    const size_t at = (reading->before + (size_t)row) * rows->width + column;
    if (!isfinite(value))
        return cli_fail(error, "%.300s: row %" PRIu64 ", column %zu is %g, expected a finite number (the first are 0)",
                        reading->name, row, reading->element[column], value);
    if (rows->dtype == UH_F32)
        ((float *)rows->data)[at] = (float)value;
    else
        ((double *)rows->data)[at] = value;
    return 0;
}

/* ---- one input --------------------------------------------------------------------------------------------------- */

/* By its name in the header, else by its number. */
static void name_column(const struct reading *reading, size_t column) {
    const char *header = cli_input_column_name(reading->input, column);
    char *name = reading->rows->names[column];
    const size_t size = sizeof reading->rows->names[column];
    if (*header)
        snprintf(name, size, "%s", header);
    else
        snprintf(name, size, "x%.20s", reading->options->ncolumns ? reading->options->columns[column] : "");
    if (!*header && !reading->options->ncolumns)
        snprintf(name, size, "x%zu", column);
}

/* Finds which elements of a row are read, once something has been. */
static int find_columns(struct reading *reading, struct cli_error *error) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const struct cli_rows_options *options = reading->options;
    struct cli_rows *rows = reading->rows;
    const int named = options->ncolumns && !facts->is_text;
    const size_t n = named ? options->ncolumns : facts->width;
    reading->width = facts->width;
    if (n > CLI_CSV_COLUMNS)
        return cli_fail(error, "%.300s: rows of %zu values are more than %d coordinates; name some by --columns",
                        reading->name, n, CLI_CSV_COLUMNS);
    if (rows->width && rows->width != n)
        return cli_fail(error, "%.300s: rows of %zu value%s, expected %zu as in %.300s", reading->name, n,
                        n == 1 ? "" : "s", rows->width, options->paths[0]);
    for (size_t i = 0; i < n; i++) {
        uint64_t element = i;
        if (named && cli_parse_u64(options->columns[i], 0, facts->width - 1, &element))
            return cli_fail(error, "%.300s: --columns '%.200s': expected a number from 0 to %zu", reading->name,
                            options->columns[i], facts->width - 1);
        reading->element[i] = (size_t)element;
    }
    for (size_t i = 0; i < n && !rows->width; i++)
        name_column(reading, i);
    rows->width = n;
    return 0;
}

/* An array in Fortran's order holds one column after the other. */
static int take_fortran(struct reading *reading, const void *data, size_t n, struct cli_error *error) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const uint64_t lines = facts->count / reading->width;
    if (grow(reading, reading->before + lines, error))
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t column = 0; column < reading->rows->width; column++)
            if (reading->element[column] == (reading->done + i) / lines &&
                put(reading, (reading->done + i) % lines, column, number_at(data, facts->dtype, i), error))
                return -1;
    return 0;
}

static int take_rows(struct reading *reading, const void *data, size_t n, struct cli_error *error) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const uint64_t first = reading->done / reading->width;
    const size_t lines = n / reading->width;
    const uint64_t expected = facts->is_counted ? facts->count / reading->width : first + lines;
    if (grow(reading, reading->before + expected, error))
        return -1;
    for (size_t row = 0; row < lines; row++)
        for (size_t column = 0; column < reading->rows->width; column++) {
            const size_t at = row * reading->width + reading->element[column];
            if (put(reading, first + row, column, number_at(data, facts->dtype, at), error))
                return -1;
        }
    return 0;
}

static int read_input(struct reading *reading, struct cli_progress *progress, struct cli_error *error) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const void *data;
    size_t n;
    int more;
    if (facts->dtype != UH_F32 && reading->rows->dtype == UH_F32 && widen(reading, error))
        return -1;
    reading->done = 0;
    reading->before = reading->rows->n;
    while ((more = cli_input_next(reading->input, &data, &n, error)) > 0) {
        if ((reading->done == 0 && find_columns(reading, error)) ||
            (facts->is_fortran ? take_fortran : take_rows)(reading, data, n, error))
            return -1;
        reading->done += n;
        cli_progress_update(progress, cli_input_bytes_read(reading->input));
    }
    reading->rows->n += reading->done ? (size_t)(reading->done / reading->width) : 0;
    return more;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

int cli_rows_read(struct cli_rows *rows, const struct cli_rows_options *options, struct cli_error *error) {
    const struct cli_input_options input = {.dtype = options->dtype,
                                            .row = options->row,
                                            .rows = 1,
                                            .columns = options->columns,
                                            .ncolumns = options->ncolumns,
                                            .all_columns = !options->ncolumns,
                                            .finite = 1};
    struct reading reading = {.rows = rows, .options = options};
    int result = cli_inputs_check(options->paths, options->npaths, error);
    *rows = (struct cli_rows){.dtype = UH_F32};
    for (size_t i = 0; i < options->npaths && result == 0; i++) {
        const char *path = options->paths[i];
        reading.name = strcmp(path, "-") == 0 ? "standard input" : path;
        result = cli_input_open(path, &input, &reading.input, error);
        if (result)
            break;
        struct cli_progress *progress =
            cli_progress_start(stderr, "reading", cli_input_facts(reading.input)->bytes, "B");
        result = read_input(&reading, progress, error);
        cli_progress_finish(progress);
        cli_input_close(reading.input);
    }
    if (result == 0 && rows->n == 0)
        return cli_fail(error, "%.300s: there are no points%s", reading.name,
                        options->npaths > 1 ? ", nor in the inputs before it" : "");
    return result;
}

void cli_rows_free(struct cli_rows *rows) {
    free(rows->data);
    rows->data = NULL;
}
