/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/display.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "api/cli/display/text.h"

/* How many cells are listed. */
#define LISTED 10

#define LINE_SIZE 2048

static void print_axis(const struct cli_terminal *table, const struct cli_axis *axis, size_t number) {
    char text[LINE_SIZE], name[64];
    struct cli_line line = {text, sizeof text, 0};
    cli_text_clean(name, sizeof name, axis->name, 24, table->utf8);
    line.used = (size_t)snprintf(text, sizeof text, "axis %zu %s", number, name);
    cli_line_count(&line, ": ", axis->bins);
    line.used += (size_t)snprintf(text + line.used, sizeof text - line.used, " %s from %.6g to %.6g",
                                  axis->bins == 1 ? "bin" : "bins", axis->edges[0], axis->edges[axis->bins]);
    cli_line_count(&line, "; below ", axis->flow.below);
    cli_line_count(&line, ", above ", axis->flow.above);
    cli_line_count(&line, ", NaN ", axis->flow.nan);
    cli_terminal_line(table, text);
}

/* What cells are listed by: of means, how many points. */
static double weight_of(const struct cli_result *result, size_t cell) {
    double value = result->sums ? fabs(result->sums[cell]) : (double)result->counts[cell];
    return isnan(value) ? INFINITY : value;
}

/* Finds the cells with the largest values, the first of equal ones; returns how many are not empty, up to LISTED. */
static size_t find_largest(const struct cli_result *result, size_t cells[LISTED]) {
    const size_t all = cli_result_cells(result);
    size_t n = 0;
    for (size_t cell = 0; cell < all; cell++) {
        double weight = weight_of(result, cell);
        if (!(weight > 0) || (n == LISTED && !(weight > weight_of(result, cells[n - 1]))))
            continue;
        size_t i = n < LISTED ? n++ : n - 1;
        for (; i > 0 && weight_of(result, cells[i - 1]) < weight; i--)
            cells[i] = cells[i - 1];
        cells[i] = cell;
    }
    return n;
}

static void print_cell(const struct cli_terminal *table, const struct cli_result *result, size_t cell) {
    char text[LINE_SIZE], digits[CLI_TEXT_COUNT_SIZE];
    int used = 0;
    size_t rows = cli_result_cells(result);
    const size_t size = sizeof text;
    if (result->density)
        used += snprintf(text, size, "%12.6g", result->density[cell]);
    else if (result->sums)
        used += snprintf(text, size, "%12.6g", result->sums[cell]);
    else {
        cli_text_count(digits, result->counts[cell]);
        used += snprintf(text, size, "%12s", digits);
    }
    if (result->means)
        used += snprintf(text + used, size - (size_t)used, "  mean %-12.6g", result->means[cell]);
    for (size_t a = 0; a < result->naxes; a++) {
        rows /= result->axis[a].bins;
        const double *edge = result->axis[a].edges + cell / rows % result->axis[a].bins;
        used += snprintf(text + used, size - (size_t)used, "%s%.6g %s %.6g", a ? ", " : "  ", edge[0],
                         table->utf8 ? "…" : "..", edge[1]);
    }
    cli_terminal_line(table, text);
}

int cli_table_print(const struct cli_terminal *terminal, const struct cli_result *result) {
    const struct cli_terminal table = *terminal;
    char text[LINE_SIZE], counts[3][CLI_TEXT_COUNT_SIZE];
    size_t cells[LISTED], n = find_largest(result, cells);
    if (result->title)
        cli_terminal_line(&table, result->title);
    for (size_t a = 0; a < result->naxes; a++)
        print_axis(&table, &result->axis[a], a);
    cli_text_count(counts[0], cli_result_cells(result));
    cli_text_count(counts[1], result->n);
    cli_text_count(counts[2], result->outside);
    snprintf(text, sizeof text, "%s cells of storage %s; n %s, outside %s", counts[0], uh_storage_name(result->storage),
             counts[1], counts[2]);
    cli_terminal_line(&table, text);
    snprintf(text, sizeof text, n ? "the %zu largest%s:" : "all cells are empty", n,
             result->density ? ", as densities" : "");
    cli_terminal_line(&table, text);
    for (size_t i = 0; i < n; i++)
        print_cell(&table, result, cells[i]);
    return ferror(table.out) ? -1 : 0;
}
