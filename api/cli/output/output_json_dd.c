/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "api/cli/output/output_formats.h"

/* What one list of cells holds: integers or numbers. */
struct cells {
    const uint64_t *integers;
    const double *numbers;
};

static void write_item(FILE *file, const struct cells *cells, size_t cell) {
    if (cells->integers)
        fprintf(file, "%" PRIu64, cells->integers[cell]);
    else
        cli_output_json_number(file, cells->numbers[cell]);
}

/* Writes lists as deep as there are axes: a bracket opens where a bin of the axis in front of it begins. */
static void write_cells(FILE *file, const char *key, const struct cli_result_dd *result, struct cells cells) {
    size_t rows[UH_MAX_AXES] = {0}; /* how many cells one list at a depth holds */
    size_t cells_below = 1;
    for (size_t a = result->naxes; a-- > 0;)
        rows[a] = cells_below *= result->axis[a].bins;
    fprintf(file, ",\n  \"%s\": ", key);
    for (size_t i = 0; i < result->cells && !ferror(file); i++) {
        if (i)
            fputs(", ", file);
        for (size_t a = 0; a < result->naxes; a++)
            if (i % rows[a] == 0)
                fputc('[', file);
        write_item(file, &cells, i);
        for (size_t a = 0; a < result->naxes; a++)
            if ((i + 1) % rows[a] == 0)
                fputc(']', file);
    }
}

static void write_axis(FILE *file, const struct cli_result_axis *axis) {
    fputs("    {\"name\": ", file);
    cli_output_json_text(file, axis->name);
    fputs(", \"dtype\": ", file);
    cli_output_json_text(file, axis->dtype);
    fprintf(file,
            ", \"below\": %" PRIu64 ", \"above\": %" PRIu64 ", \"nan\": %" PRIu64 ", \"method\": ", axis->flow.below,
            axis->flow.above, axis->flow.nan);
    cli_output_json_text(file, axis->method);
    fputs(", \"plan\": ", file);
    cli_output_json_text(file, axis->plan);
    fputs(", \"edges\": [", file);
    for (size_t i = 0; i <= axis->bins && !ferror(file); i++) {
        fputs(i ? ", " : "", file);
        cli_output_json_number(file, axis->edges[i]);
    }
    fputs("]}", file);
}

static void write_head(FILE *file, const struct cli_result_dd *result) {
    fputs("{\n  \"axes\": [\n", file);
    for (size_t a = 0; a < result->naxes; a++) {
        write_axis(file, &result->axis[a]);
        fputs(a + 1 < result->naxes ? ",\n" : "\n  ],\n  \"shape\": [", file);
    }
    for (size_t a = 0; a < result->naxes; a++)
        fprintf(file, "%s%zu", a ? ", " : "", result->axis[a].bins);
    fprintf(file, "],\n  \"storage\": \"%s\",\n  \"exact\": %s,\n", uh_storage_name(result->storage),
            result->sum == UH_SUM_EXACT ? "true" : "false");
    fprintf(file, "  \"inside\": %" PRIu64 ",\n  \"outside\": %" PRIu64 ",\n  \"device\": ", result->inside,
            result->outside);
    cli_output_json_text(file, result->device);
    fputs(",\n  \"values\": ", file);
    cli_output_json_text(file, result->values);
    fputs(",\n  \"values_dtype\": ", file);
    cli_output_json_text(file, result->values_dtype);
    fputs(",\n  \"seconds\": ", file);
    cli_output_json_number(file, result->seconds);
}

void cli_output_write_json_dd(FILE *file, const struct cli_result_dd *result) {
    write_head(file, result);
    if (result->sums) {
        fputs(",\n  \"outside_sum\": ", file);
        cli_output_json_number(file, result->outside_sum);
    }
    if (result->squares) {
        fputs(",\n  \"outside_sum_squares\": ", file);
        cli_output_json_number(file, result->outside_squares);
    }
    if (result->counts)
        write_cells(file, "counts", result, (struct cells){result->counts, NULL});
    if (result->sums)
        write_cells(file, "sums", result, (struct cells){NULL, result->sums});
    if (result->squares)
        write_cells(file, "sum_squares", result, (struct cells){NULL, result->squares});
    if (result->means)
        write_cells(file, "means", result, (struct cells){NULL, result->means});
    if (result->deviations)
        write_cells(file, "m2", result, (struct cells){NULL, result->deviations});
    if (result->density)
        write_cells(file, "density", result, (struct cells){NULL, result->density});
    fputs("\n}\n", file);
}
