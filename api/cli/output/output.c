/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unihist/save.h>

#include "api/cli/output/atomic.h"

const double cli_quantile_parts[CLI_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

int cli_output_format(const char *path, const char *names, struct cli_error *error) {
    const size_t length = strlen(path);
    int format = 0;
    for (const char *name = strchr(names, '.'); name; name = strchr(name + 1, '.'), format++) {
        const size_t tail = strcspn(name, ", ");
        if (length > tail && path[length - tail - 1] != '/' && strncasecmp(path + length - tail, name, tail) == 0)
            return format;
    }
    return cli_fail(error, "cannot write '%s': expected a name ending in %s", path, names);
}

int cli_output_check(const char *path, const char *names, struct cli_error *error) {
    return cli_output_format(path, names, error) < 0 ? -1 : cli_atomic_check(path, error);
}

int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value) {
    const char *word = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : NULL;
    if (word)
        return snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%s", word);
    /* %.15g finds every number of at most 15 digits (C17 5.2.4.2.2, DBL_DIG) except subnormal ones, which have fewer
     * bits. */
    int length = 0;
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
        length = snprintf(text, CLI_OUTPUT_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return length;
}

void cli_output_little(unsigned char *to, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * i));
}

size_t cli_output_columns(const struct cli_result *result, struct cli_column columns[CLI_COLUMNS]) {
    const size_t bytes = result->storage == UH_STORAGE_U8 ? 1 : result->storage == UH_STORAGE_U16 ? 2 : 8;
    const int own = !result->density && !cli_result_is_cumulative(result);
    const struct cli_column all[CLI_COLUMNS] = {
        {"counts", "count", result->counts, NULL, bytes, own},
        {"sums", "sum", NULL, result->sums, 8, own},
        {"sum_squares", "sum_squares", NULL, result->squares, 8, own},
        {"means", "mean", NULL, result->means, 8, own},
        {"m2", "m2", NULL, result->deviations, 8, own},
        {"cumulative", "cumulative", result->cumulative, result->running, 8, 1},
        {"density", "density", NULL, result->density, 8, 1},
    };
    size_t n = 0;
    for (size_t i = 0; i < CLI_COLUMNS; i++)
        if (all[i].integers || all[i].numbers)
            columns[n++] = all[i];
    return n;
}

void cli_output_element(FILE *file, const struct cli_column *column, size_t i, int quoted) {
    char text[CLI_OUTPUT_NUMBER_SIZE];
    if (column->integers) {
        fprintf(file, "%" PRIu64, column->integers[i]);
        return;
    }
    cli_output_number(text, column->numbers[i]);
    fprintf(file, quoted && !isfinite(column->numbers[i]) ? "\"%s\"" : "%s", text);
}

/* ---- .csv ------------------------------------------------------------------------------------------------------- */

static void write_csv_names(FILE *file, const struct cli_result *result, const struct cli_column *column, size_t n) {
    for (size_t a = 0; a < result->naxes; a++)
        if (result->axis[a].integers)
            fputs(result->axis[a].name, file);
        else if (result->axis[a].categories && result->naxes == 1)
            fputs("value", file);
        else if (result->axis[a].categories)
            fprintf(file, "%svalue%zu", a ? "," : "", a);
        else if (result->naxes == 1)
            fputs("left,right", file);
        else
            fprintf(file, "%sleft%zu,right%zu", a ? "," : "", a, a);
    for (size_t i = 0; i < n; i++)
        if (column[i].shown)
            fprintf(file, ",%s", column[i].name);
    fputc('\n', file);
}

const char *cli_output_category(const struct cli_axis *axis, size_t bin, char text[CLI_OUTPUT_NUMBER_SIZE]) {
    if (bin >= axis->ncategories)
        return "other";
    cli_output_number(text, axis->categories[bin]);
    return text;
}

/* Writes the position of a bin on its axis: its edges, integer or category. */
static void write_bin(FILE *file, const struct cli_axis *axis, size_t bin) {
    char left[CLI_OUTPUT_NUMBER_SIZE], right[CLI_OUTPUT_NUMBER_SIZE];
    if (axis->integers) {
        fprintf(file, "%" PRId64, (int64_t)((uint64_t)axis->first + bin));
        return;
    }
    if (axis->categories) {
        fputs(cli_output_category(axis, bin, left), file);
        return;
    }
    cli_output_number(left, axis->edges[bin]);
    cli_output_number(right, axis->edges[bin + 1]);
    fprintf(file, "%s,%s", left, right);
}

static int write_csv(FILE *file, const void *what, struct cli_error *error) {
    const struct cli_result *result = what;
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column), cells = cli_result_cells(result);
    (void)error;
    write_csv_names(file, result, column, n);
    for (size_t cell = 0; cell < cells && !ferror(file); cell++) {
        size_t rows = cells;
        for (size_t a = 0; a < result->naxes; a++) {
            rows /= result->axis[a].bins;
            fputs(a ? "," : "", file);
            write_bin(file, &result->axis[a], cell / rows % result->axis[a].bins);
        }
        for (size_t i = 0; i < n; i++)
            if (column[i].shown) {
                fputc(',', file);
                cli_output_element(file, &column[i], cell, 0);
            }
        fputc('\n', file);
    }
    return 0;
}

/* ---- .uh -------------------------------------------------------------------------------------------------------- */

/* Not by uh_histogram_save: like all outputs of the command, the file is removed if a signal ends the command. */
static int write_saved(FILE *file, const void *what, struct cli_error *error) {
    uh_histogram *histogram = ((const struct cli_result *)what)->histogram;
    size_t size;
    if (uh_histogram_save_bytes(histogram, NULL, 0, &size))
        return cli_fail_library(error);
    void *bytes = malloc(size);
    int status = -1;
    if (!bytes)
        cli_fail(error, "out of memory for a file of %zu bytes", size);
    else if (uh_histogram_save_bytes(histogram, bytes, size, &size))
        cli_fail_library(error);
    else
        status = fwrite(bytes, 1, size, file) == size ? 0 : -1;
    free(bytes);
    return status;
}

int cli_output_write(const char *path, const struct cli_result *result, struct cli_error *error) {
    static int (*const writers[])(FILE *, const void *, struct cli_error *) = {
        cli_output_npy, write_csv, cli_output_json, cli_output_npz, write_saved}; /* as in CLI_OUTPUT_HISTOGRAM */
    const int format = cli_output_format(path, result->histogram ? CLI_OUTPUT_HISTOGRAM : CLI_OUTPUT_RESULT, error);
    return format < 0 ? -1 : cli_atomic_write(path, writers[format], result, error);
}
