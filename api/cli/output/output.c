/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/output.h"

#include <inttypes.h>
#include <stdlib.h>

#include <unihist/save.h>

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

static int write_csv(FILE *file, const void *what) {
    const struct cli_result *result = what;
    struct cli_column column[CLI_COLUMNS];
    const size_t n = cli_output_columns(result, column), cells = cli_result_cells(result);
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

/* Not by uh_histogram_save: like all outputs of the command, the file is removed if a signal ends the command. */
static int write_saved(FILE *file, const void *what) {
    uh_histogram *histogram = ((const struct cli_result *)what)->histogram;
    size_t size;
    if (uh_histogram_save_bytes(histogram, NULL, 0, &size))
        return cli_fail_library();
    void *bytes = malloc(size);
    int status = -1;
    if (!bytes)
        cli_fail("out of memory for a file of %zu bytes", size);
    else if (uh_histogram_save_bytes(histogram, bytes, size, &size))
        cli_fail_library();
    else
        status = fwrite(bytes, 1, size, file) == size ? 0 : -1;
    free(bytes);
    return status;
}

int cli_output_write(const char *path, const struct cli_result *result) {
    static int (*const writers[])(FILE *, const void *) = {cli_output_npy, write_csv, cli_output_json, cli_output_npz,
                                                           write_saved}; /* as in CLI_OUTPUT_HISTOGRAM */
    const int format = cli_output_format(path, result->histogram ? CLI_OUTPUT_HISTOGRAM : CLI_OUTPUT_RESULT);
    return format < 0 ? -1 : cli_atomic_write(path, writers[format], result);
}
