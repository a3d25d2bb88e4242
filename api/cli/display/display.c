/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/display.h"

#include <math.h>
#include <string.h>

#include "api/cli/display/frame.h"
#include "api/cli/output/output.h"

#define MIN_WIDTH 20
#define MAX_WIDTH 4096
#define LISTED    10 /* cells */
#define LINE_SIZE 2048

int cli_heat_scale_from_name(const char *name, enum cli_heat_scale *scale) {
    static const char *const names[] = {"auto", "linear", "log"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *scale = (enum cli_heat_scale)i;
            return 0;
        }
    return -1;
}

/* ---- what has no chart: its fullest cells -------------------------------------------------------------------------
 */

/* What cells are listed by: of means, how many points. */
static double weight_of(const struct cli_result *result, size_t cell) {
    double value = fabs(cli_result_value(result, cell));
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

static void print_cell(const struct cli_terminal *terminal, const struct cli_result *result, size_t cell) {
    char text[LINE_SIZE], digits[CLI_TEXT_COUNT_SIZE];
    int used = 0;
    size_t rows = cli_result_cells(result);
    const size_t size = sizeof text;
    if (result->density || result->sums)
        used += snprintf(text, size, "%12.6g", (result->density ? result->density : result->sums)[cell]);
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
                         terminal->utf8 ? "…" : "..", edge[1]);
    }
    cli_terminal_line(terminal, text);
}

static void print_table(const struct cli_terminal *terminal, const struct cli_result *result) {
    char text[128], name[128];
    size_t cells[LISTED], n = find_largest(result, cells);
    snprintf(text, sizeof text, n ? "the %zu largest cells of storage %s%s" : "all cells are empty", n,
             uh_storage_name(result->storage), result->density ? ", as densities" : "");
    cli_terminal_title(terminal, result->title, text);
    for (size_t i = 0; i < n; i++)
        print_cell(terminal, result, cells[i]);
    struct cli_lines lines = cli_terminal_lines(terminal);
    for (size_t a = 0; a < result->naxes; a++) {
        const struct cli_axis *axis = &result->axis[a];
        cli_frame_axis_name(name, result, a, terminal->utf8);
        cli_lines_add(&lines, "%s from %.6g to %.6g", name, axis->edges[0], axis->edges[axis->bins]);
    }
    cli_frame_words(&lines, result, NULL, terminal->utf8);
    cli_lines_end(&lines);
}

/* ---- below a chart of one axis ------------------------------------------------------------------------------------
 */

/* Digits that tell a hundredth of the deviation. */
static int digits_of(const struct cli_estimates *estimates) {
    const double ratio = fabs(estimates->mean) / estimates->deviation;
    return ratio > 1 && isfinite(ratio) ? (int)fmin(3 + ceil(log10(ratio)), 17) : 3;
}

/* On a terminal, what the bins tell of the values: of some data nothing, or no quantiles. */
static void print_estimates(const struct cli_terminal *terminal, const struct cli_estimates *estimates) {
    struct cli_lines lines = cli_terminal_lines(terminal);
    const int digits = terminal->is_terminal && estimates ? digits_of(estimates) : 0;
    if (!digits || !isfinite(estimates->mean) || !isfinite(estimates->deviation))
        return;
    cli_lines_add(&lines, "about: mean %.*g", digits, estimates->mean);
    cli_lines_add(&lines, "deviation %.4g", estimates->deviation);
    for (size_t i = 0; i < CLI_QUANTILES && !isnan(estimates->quantile[i]); i++)
        cli_lines_add(&lines, "%s%g%% %.*g", i ? "" : "quantiles ", 100 * cli_quantile_parts[i], digits,
                      estimates->quantile[i]);
    cli_lines_end(&lines);
}

/* ---- which --------------------------------------------------------------------------------------------------------
 */

/* Few bins of equal width have a row each, others are a chart. */
static int print_bars(const struct cli_terminal *terminal, const struct cli_result *result) {
    const size_t bins = result->axis[0].bins;
    struct cli_grid grid;
    struct cli_lines lines = cli_terminal_lines(terminal);
    if (bins > CLI_MAX_ROWS)
        return cli_chart_print(terminal, result, CLI_HEAT_AUTO);
    int status = cli_grid_make(&grid, result, 8 * bins, 1, 0, CLI_HEAT_AUTO);
    if (status == 0 && grid.view[0].equal) {
        cli_rows_print(terminal, result, grid.label);
        cli_frame_words(&lines, result, NULL, terminal->utf8);
        cli_lines_end(&lines);
    } else if (status == 0)
        status = cli_chart_print(terminal, result, CLI_HEAT_AUTO);
    cli_grid_free(&grid);
    return status;
}

int cli_display_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale) {
    const struct cli_terminal within = cli_terminal_within(terminal, MIN_WIDTH, MAX_WIDTH);
    int status = 0;
    if (result->naxes > 2)
        print_table(&within, result);
    else if (result->naxes == 2)
        status = cli_chart_print(&within, result, scale);
    else if ((status = print_bars(&within, result)) == 0)
        print_estimates(&within, result->estimates);
    return status || ferror(terminal->out) ? -1 : 0;
}

/* What picture.c does where there is cairo. */
#ifndef UNIHIST_CAIRO
int cli_display_check(const char *path, struct cli_error *error) {
    return cli_output_check(path, CLI_PICTURE_NAMES, error)
               ? -1
               : cli_fail(error, "cannot draw to '%s': this command was built without cairo", path);
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale,
                      struct cli_error *error) {
    (void)result;
    (void)scale;
    return cli_display_check(path, error);
}
#endif
