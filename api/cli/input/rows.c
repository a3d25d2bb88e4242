/* SPDX-License-Identifier: Apache-2.0 */

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/progress.h"
#include "api/cli/group.h"
#include "api/cli/input/inputs.h"

struct reading {
    struct cli_rows *rows;
    const struct cli_input_options *options;
    struct cli_inputs *inputs;
    struct cli_input *input;                /* the one being read */
    const char *name, *first_name;          /* of it, and of the first that had rows */
    size_t width, element[CLI_CSV_COLUMNS]; /* of its rows, and the elements of them that are read */
    uint64_t first;                         /* number in its file of the first row read */
    size_t before, room;                    /* rows of the inputs before it, and allocated */
    uint64_t done;                          /* elements of it read */
    uint64_t bytes;                         /* of the inputs before it */
    struct cli_progress *progress;
};

static int grow(struct reading *reading, uint64_t n) {
    struct cli_rows *rows = reading->rows;
    size_t bytes;
    if (n <= reading->room)
        return 0;
    const uint64_t twice = 2 * (uint64_t)reading->room, room = n > twice ? n : twice;
    const int fits = !__builtin_mul_overflow(room, rows->width * uh_dtype_size(rows->dtype), &bytes);
    void *grown = fits ? realloc(rows->data, bytes) : NULL;
    if (!grown)
        return cli_fail("%.300s: out of memory for %" PRIu64 " rows, all of which are held in memory", reading->name,
                        room);
    rows->data = grown;
    reading->room = (size_t)room;
    return 0;
}

/* Stores a coordinate of the input's row. Text has reported those that are not finite already, with their line. */
static int store_value(const struct reading *reading, uint64_t row, size_t column, double value) {
    const struct cli_rows *rows = reading->rows;
    const size_t at = (reading->before + (size_t)row) * rows->width + column;
    if (!isfinite(value))
        return cli_fail("%.300s: row %" PRIu64 ", column %zu is %g, expected a finite number (the first are 0)",
                        reading->name, reading->first + row, reading->element[column], value);
    if (rows->dtype == UH_F32)
        ((float *)rows->data)[at] = (float)value;
    else
        ((double *)rows->data)[at] = value;
    return 0;
}

static void name_column(const struct reading *reading, size_t column) {
    const char *header = cli_input_column_name(reading->input, column);
    char *name = reading->rows->names[column];
    const size_t size = sizeof reading->rows->names[column];
    if (*header)
        snprintf(name, size, "%s", header);
    else if (reading->options->ncolumns) {
        const char *given = reading->options->columns[column];
        snprintf(name, size, "%s%.60s", strspn(given, "0123456789") < strlen(given) ? "" : "x",
                 given + (*given == '='));
    } else
        snprintf(name, size, "x%zu", column);
}

static int fail_width(const char *name, size_t width, size_t expected, const char *first) {
    return cli_fail("%.300s: rows of %zu value%s, expected %zu as in %.300s", name, width, width == 1 ? "" : "s",
                    expected, first);
}

/* Finds the elements of a row to read, once some data was read. */
static int find_columns(struct reading *reading) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const struct cli_input_options *options = reading->options;
    struct cli_rows *rows = reading->rows;
    const int named = options->ncolumns && facts->is_fortran;
    const size_t n = named ? options->ncolumns : facts->width;
    reading->width = facts->width;
    if (facts->is_separate && !facts->is_fortran)
        return cli_fail("%.300s: the fields of the structures have different types, expected one type, or an array",
                        reading->name);
    if (n > CLI_CSV_COLUMNS)
        return cli_fail("%.300s: rows of %zu values are more than %d coordinates; name some by --columns",
                        reading->name, n, CLI_CSV_COLUMNS);
    if (rows->width && rows->width != n)
        return fail_width(reading->name, n, rows->width, reading->first_name);
    for (size_t i = 0; i < n; i++) {
        uint64_t element = i;
        if (named && cli_parse_u64(options->columns[i], 0, facts->width - 1, &element))
            return cli_fail("%.300s: --columns '%.200s': expected a number from 0 to %zu", reading->name,
                            options->columns[i], facts->width - 1);
        reading->element[i] = (size_t)element;
    }
    for (size_t i = 0; i < n && !rows->width; i++)
        name_column(reading, i);
    reading->first_name = rows->width ? reading->first_name : reading->name;
    rows->width = n;
    return 0;
}

/* An array in Fortran order stores column after column. */
static int take_fortran(struct reading *reading, const void *data, size_t n) {
    const uh_dtype dtype = cli_input_facts(reading->input)->dtype;
    double number;
    const uint64_t lines = cli_input_count(reading->input) / reading->width;
    if (grow(reading, reading->before + lines))
        return -1;
    for (size_t i = 0; i < n; i++) {
        cli_convert_numbers(&(uh_array){dtype, (const char *)data + i * uh_dtype_size(dtype), 0, 1}, &number);
        for (size_t column = 0; column < reading->rows->width; column++)
            if (reading->element[column] == reading->done / lines &&
                store_value(reading, reading->done % lines + i, column, number))
                return -1;
    }
    return 0;
}

static int take_rows(struct reading *reading, const void *data, size_t n) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const uint64_t first = reading->done / reading->width;
    const size_t lines = n / reading->width, bytes = reading->width * uh_dtype_size(facts->dtype);
    double numbers[CLI_CSV_COLUMNS];
    const uint64_t expected = facts->is_counted ? cli_input_count(reading->input) / reading->width : first + lines;
    if (grow(reading, reading->before + expected))
        return -1;
    for (size_t row = 0; row < lines; row++) {
        const uh_array values = uh_array_of(facts->dtype, (const char *)data + row * bytes, reading->width);
        cli_convert_numbers(&values, numbers);
        for (size_t column = 0; column < reading->rows->width; column++)
            if (store_value(reading, first + row, column, numbers[reading->element[column]]))
                return -1;
    }
    return 0;
}

static int read_input(struct reading *reading) {
    const struct cli_input_facts *facts = cli_input_facts(reading->input);
    const void *data;
    size_t n;
    int more;
    reading->done = 0;
    reading->before = reading->rows->n;
    while ((more = cli_input_next(reading->input, &data, &n)) > 0) {
        if (reading->done == 0 && find_columns(reading))
            return -1;
        if ((facts->is_fortran ? take_fortran : take_rows)(reading, data, n))
            return -1;
        reading->done += n;
        cli_progress_update(reading->progress, reading->bytes + cli_input_bytes_read(reading->input));
    }
    reading->bytes += cli_input_bytes_read(reading->input);
    reading->rows->n += reading->done ? (size_t)(reading->done / reading->width) : 0;
    return more;
}

/* Opens every input, so that types and sizes are known before anything is read. `*all`: their bytes, 0 if unknown. */
static int open_all(struct reading *reading, char *const *paths, size_t npaths, uint64_t *all) {
    if (cli_inputs_open(paths, npaths, reading->options, &reading->inputs))
        return -1;
    for (size_t i = 0; i < reading->inputs->n; i++)
        *all += reading->inputs->entries[i].facts.bytes;
    for (size_t i = 0; i < reading->inputs->n; i++)
        if (!reading->inputs->entries[i].facts.is_file && !reading->inputs->entries[i].facts.bytes)
            *all = 0;
    reading->rows->dtype = reading->inputs->dtype_set == 1U << UH_F32 ? UH_F32 : UH_F64;
    return 0;
}

/* In a group, each process reads its share of all inputs, one after the other. */
static int read_all(struct reading *reading, uint64_t all) {
    struct cli_input_options *input = &reading->inputs->options;
    int result = 0;
    if (cli_group) {
        input->share = cli_group_rank();
        input->shares = cli_group_ranks();
        input->all = all;
        all = cli_group_share(all, input->share + 1, input->shares) - cli_group_share(all, input->share, input->shares);
    }
    reading->progress = cli_progress_start(stderr, "reading", all, "B", 1);
    for (size_t i = 0; i < reading->inputs->n && result == 0; i++) {
        struct cli_entry *entry = &reading->inputs->entries[i];
        reading->name = strcmp(entry->path, "-") == 0 ? "standard input" : entry->path;
        result = entry->input ? 0 : cli_input_open(entry->path, input, &entry->input);
        reading->input = entry->input;
        if (result == 0) {
            reading->first = cli_input_before(reading->input) / cli_input_facts(reading->input)->width;
            input->before += entry->facts.bytes;
            result = read_input(reading);
        }
        cli_input_close(entry->input);
        entry->input = NULL;
    }
    cli_progress_finish(reading->progress);
    return result;
}

/* Shared data must have the same size on all processes. */
static int check_sizes(uint64_t all) {
    uint64_t first = all;
    if (cli_group_broadcast(0, &first, sizeof first))
        return -1;
    return first == all
               ? 0
               : cli_fail("the inputs have %" PRIu64 " bytes of data here, but %" PRIu64 " for rank 0", all, first);
}

/* The first process with rows determines their width and the names of the columns. */
static int join_ranks(struct reading *reading) {
    struct cli_rows *rows = reading->rows;
    struct {
        size_t width;
        char names[CLI_CSV_COLUMNS][sizeof *rows->names];
        char file[300];
    } table = {.width = rows->width};
    uint64_t first = rows->n ? cli_group_ranks() - cli_group_rank() : 0;
    if (cli_group_offset(rows->n, &rows->first, &rows->all) || cli_group_largest(&first, 1))
        return -1;
    memcpy(table.names, rows->names, sizeof table.names);
    snprintf(table.file, sizeof table.file, "%s", rows->n ? reading->first_name : "");
    if (first && cli_group_broadcast(cli_group_ranks() - (size_t)first, &table, sizeof table))
        return -1;
    if (rows->n && rows->width != table.width)
        return fail_width(reading->first_name, rows->width, table.width, table.file);
    rows->width = table.width;
    memcpy(rows->names, table.names, sizeof table.names);
    return 0;
}

int cli_rows_read(struct cli_rows *rows, char *const *paths, size_t npaths, const struct cli_input_options *options) {
    struct reading reading = {.rows = rows, .options = options};
    uint64_t all = 0;
    *rows = (struct cli_rows){.dtype = UH_F32};
    const int result =
        open_all(&reading, paths, npaths, &all) || check_sizes(all) || read_all(&reading, all) || join_ranks(&reading)
            ? -1
            : 0;
    cli_inputs_close(reading.inputs);
    if (result == 0 && rows->all == 0)
        return cli_fail("%.300s: no points%s", reading.name, npaths > 1 ? ", nor in the inputs before it" : "");
    return result;
}

void cli_rows_free(struct cli_rows *rows) {
    free(rows->data);
    rows->data = NULL;
}
