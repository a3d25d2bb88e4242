/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/clusters.h"
#include "api/cli/display/frame.h"
#include "api/cli/output/output.h"

#define MIN_WIDTH       20
#define MAX_WIDTH       4096
#define LISTED          10 /* cells */
#define LISTED_CLUSTERS 20
#define NUMBER          13 /* width of a coordinate */
#define FIXED           26 /* width of the columns before them */
#define LINE_SIZE       2048
#define MAX_ROWS        20
#define MIN_BAR         4
#define LABEL           CLI_TIME_SIZE /* bytes of a label of a row */

/* ---- results without a chart: their largest cells ---------------------------------------------------------------- */

/* Returns the sort key of a cell; for means, the number of points. */
static double weight_of(const struct cli_result *result, size_t cell) {
    double value = fabs(cli_result_value(result, cell));
    return isnan(value) ? INFINITY : value;
}

/* Finds the non-empty cells with the largest values, the first of equal ones; returns their number. */
static size_t find_largest(const struct cli_result *result, size_t cells[LISTED]) {
    const size_t all = cli_result_cells(result);
    size_t n = 0;
    for (size_t cell = 0; cell < all; cell++) {
        double weight = weight_of(result, cell);
        size_t i = n;
        for (; i > 0 && weight_of(result, cells[i - 1]) < weight; i--)
            if (i < LISTED)
                cells[i] = cells[i - 1];
        if (weight > 0 && i < LISTED) {
            cells[i] = cell;
            n += n < LISTED;
        }
    }
    return n;
}

/* Writes a value of the axis, with significant digits or, of time, to a step. */
static void write_position(char text[CLI_TIME_SIZE], const struct cli_axis *axis, double value, int digits,
                           double step) {
    if (axis->time)
        cli_time_write(text, value, step);
    else
        cli_text_number(text, value, digits, CLI_TEXT_COORDINATE);
}

/* Writes an edge; times to a thousandth of the mean bin if they do not end sooner. `from`: as of cli_text_number. */
static void write_edge(char text[CLI_TIME_SIZE], const struct cli_axis *axis, double edge, int digits, int from) {
    const double bin = (axis->edges[axis->bins] - axis->edges[0]) / (double)axis->bins;
    if (axis->time)
        cli_time_write(text, edge, fmax(cli_time_resolution(axis->edges, axis->bins + 1), bin / 1000));
    else
        cli_text_number(text, edge, digits, from);
}

static void print_cell(const struct cli_terminal *terminal, const struct cli_result *result, size_t cell) {
    char text[LINE_SIZE], number[CLI_TEXT_COUNT_SIZE];
    size_t rows = cli_result_cells(result);
    if (result->density || result->sums)
        cli_text_number(number, (result->density ? result->density : result->sums)[cell], 6, CLI_TEXT_CONTENT);
    else
        cli_text_count(number, result->counts[cell]);
    snprintf(text, sizeof text, "%12s", number);
    cli_text_number(number, result->means ? result->means[cell] : 0, 6, CLI_TEXT_CONTENT);
    if (result->means)
        cli_append(text, sizeof text, "  ", "mean %-12s", number);
    for (size_t a = 0; a < result->naxes; a++) {
        rows /= result->axis[a].bins;
        const double *edge = result->axis[a].edges + cell / rows % result->axis[a].bins;
        char left[CLI_TIME_SIZE], right[CLI_TIME_SIZE];
        write_edge(left, &result->axis[a], edge[0], 6, CLI_TEXT_COORDINATE);
        write_edge(right, &result->axis[a], edge[1], 6, CLI_TEXT_COORDINATE);
        cli_append(text, sizeof text, a ? ", " : "  ", "%s %s %s", left, terminal->utf8 ? "…" : "..", right);
    }
    cli_terminal_text(terminal, text, terminal->width, "\n");
}

static void print_table(const struct cli_terminal *terminal, const struct cli_result *result) {
    char text[128], name[512], low[CLI_TIME_SIZE], high[CLI_TIME_SIZE];
    size_t cells[LISTED], n = find_largest(result, cells);
    snprintf(text, sizeof text, n ? "the %zu largest cells of storage %s%s" : "all cells are empty", n,
             uh_enum_name(UH_ENUM_STORAGE, result->storage), result->density ? ", as densities" : "");
    cli_terminal_title(terminal, result->title, text);
    for (size_t i = 0; i < n; i++)
        print_cell(terminal, result, cells[i]);
    struct cli_lines lines = cli_terminal_lines(terminal);
    for (size_t a = 0; a < result->naxes; a++) {
        const struct cli_axis *axis = &result->axis[a];
        cli_frame_axis_name(name, result, a, CLI_NAME, terminal->utf8);
        write_edge(low, axis, axis->edges[0], 6, CLI_TEXT_COORDINATE);
        write_edge(high, axis, axis->edges[axis->bins], 6, CLI_TEXT_COORDINATE);
        cli_lines_add(&lines, "%s from %s to %s", name, low, high);
    }
    cli_frame_words(&lines, result, NULL, terminal->utf8);
}

/* ---- few bins of equal width: one row each, with edges and contents ---------------------------------------------- */

struct rows {
    char edge[MAX_ROWS + 1][LABEL];
    char value[MAX_ROWS][LABEL];
    double height[MAX_ROWS];
    double lowest, highest; /* including 0 */
    size_t edge_width, value_width;
};

/* Returns 1 if %.*g with `digits` shows every edge to a thousandth of its bins' width. */
static int digits_suffice(const struct cli_axis *axis, int digits) {
    char text[LABEL];
    for (size_t i = 0; i <= axis->bins; i++) {
        const double *edge = axis->edges + i;
        const double width = fmin(i > 0 ? edge[0] - edge[-1] : INFINITY, i < axis->bins ? edge[1] - edge[0] : INFINITY);
        snprintf(text, sizeof text, "%.*g", digits, *edge);
        if (isfinite(*edge) && !(fabs(strtod(text, NULL) - *edge) <= width * 1e-3))
            return 0;
    }
    return 1;
}

static double largest_edge(const struct cli_axis *axis) {
    double largest = 0;
    for (size_t i = 0; i <= axis->bins; i++)
        if (isfinite(axis->edges[i]))
            largest = fmax(largest, fabs(axis->edges[i]));
    return largest;
}

/* Returns the digits that distinguish all edges and show numbers below 10^7 without a power of ten. */
static int digits_of_edges(const struct cli_axis *axis, double largest) {
    int digits = largest >= 1 && largest < 1e7 ? (int)floor(log10(largest)) + 1 : 1;
    while (digits < 17 && !digits_suffice(axis, digits))
        digits++;
    return digits;
}

static double write_value(char text[LABEL], const struct cli_result *result, size_t bin) {
    const double value = result->density                    ? result->density[bin]
                         : cli_result_is_cumulative(result) ? cli_result_running(result, bin)
                         : result->means                    ? result->means[bin]
                                                            : cli_result_value(result, bin);
    if (result->density || !result->counts || result->means)
        cli_text_number(text, value, 6, CLI_TEXT_CONTENT);
    else
        cli_text_count(text, (result->cumulative ? result->cumulative : result->counts)[bin]);
    return isfinite(value) ? value : 0;
}

static void fill_rows(struct rows *rows, const struct cli_result *result) {
    const struct cli_axis *axis = &result->axis[0];
    const double largest = largest_edge(axis);
    const int digits = axis->time ? 0 : digits_of_edges(axis, largest);
    for (size_t i = 0; i <= axis->bins; i++) {
        /* A rounded sum may be -0, which is shown as 0. */
        double edge = axis->edges[i] == 0 ? 0 : axis->edges[i];
        write_edge(rows->edge[i], axis, edge, digits, largest >= CLI_TEXT_COORDINATE ? 0 : CLI_TEXT_COORDINATE);
        const size_t width = strlen(rows->edge[i]);
        rows->edge_width = width > rows->edge_width ? width : rows->edge_width;
    }
    for (size_t i = 0; i < axis->bins; i++) {
        rows->height[i] = write_value(rows->value[i], result, i);
        rows->lowest = fmin(rows->lowest, rows->height[i]);
        rows->highest = fmax(rows->highest, rows->height[i]);
        size_t width = strlen(rows->value[i]);
        rows->value_width = width > rows->value_width ? width : rows->value_width;
    }
}

/* Draws a bar of at most `cells` characters, at their right end if `left`wards. Returns its length in characters. */
static size_t print_bar(const struct cli_terminal *terminal, double share, size_t cells, int left) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const size_t parts = !terminal->utf8 ? 1 : left ? 2 : 8;
    size_t length = (size_t)lround(share * (double)(cells * parts));
    if (length == 0 && share > 0)
        length = 1;
    const size_t used = (length + parts - 1) / parts;
    cli_terminal_style(terminal, CLI_BAR);
    if (left)
        fprintf(terminal->out, "%*s%s", (int)(cells - used), "", length % parts ? "▐" : "");
    for (size_t i = 0; i < length / parts; i++)
        fputs(terminal->utf8 ? "█" : "#", terminal->out);
    if (!left)
        fputs(eighths[length % parts], terminal->out);
    cli_terminal_style(terminal, CLI_NORMAL);
    return used;
}

static void print_rows(const struct cli_terminal *terminal, const struct cli_result *result, const char *label) {
    struct rows rows = {.highest = 0};
    fill_rows(&rows, result);
    cli_terminal_title(terminal, result->title, label);
    const char *range = terminal->utf8 ? " … " : " .. ";
    size_t range_width = cli_text_columns(range);
    /* A narrow terminal drops first the right edge, then the number. */
    size_t fixed = rows.edge_width + 2; /* left edge, space, axis */
    int both = terminal->width >= fixed + range_width + rows.edge_width + MIN_BAR + 1 + rows.value_width;
    if (both)
        fixed += range_width + rows.edge_width;
    int values = terminal->width >= fixed + MIN_BAR + 1 + rows.value_width;
    size_t cells = terminal->width - fixed - (values ? rows.value_width + 1 : 0);
    if (fixed + 1 > terminal->width)
        cells = 1;
    /* Sums below 0 are left of a line at 0, if there is room. */
    const double below = rows.lowest / 2 / (rows.lowest / 2 - rows.highest / 2);
    const size_t most = cells - 1 - (rows.highest > 0);
    const size_t left = rows.lowest < 0 && cells >= MIN_BAR
                            ? (size_t)fmin(fmax(round((double)(cells - 1) * below), 1), (double)most)
                            : 0;
    cells -= left + (left > 0);
    for (size_t i = 0; i < result->axis[0].bins; i++) {
        cli_terminal_style(terminal, CLI_DIM);
        fprintf(terminal->out, "%*s", (int)rows.edge_width, rows.edge[i]);
        if (both)
            fprintf(terminal->out, "%s%*s", range, (int)rows.edge_width, rows.edge[i + 1]);
        fputs(terminal->utf8 ? " │" : " |", terminal->out);
        cli_terminal_style(terminal, CLI_NORMAL);
        if (left) {
            print_bar(terminal, fmax(rows.height[i] / rows.lowest, 0), left, 1);
            cli_terminal_style(terminal, CLI_DIM);
            fputs(terminal->utf8 ? "│" : "|", terminal->out);
            cli_terminal_style(terminal, CLI_NORMAL);
        }
        size_t used = print_bar(terminal, rows.highest > 0 ? fmax(rows.height[i] / rows.highest, 0) : 0, cells, 0);
        if (values)
            fprintf(terminal->out, "%s%s", used > 0 ? " " : "", rows.value[i]);
        fputc('\n', terminal->out);
    }
}

/* On a terminal, prints estimates from the bins, to a hundredth of the deviation; some data have none, or no quantiles.
 * Values in a single bin are spread over it, and have no deviation from its centre. */
static void print_estimates(const struct cli_terminal *terminal, const struct cli_result *result) {
    const struct cli_estimates *estimates = result->estimates;
    struct cli_lines lines = cli_terminal_lines(terminal);
    if (!terminal->is_terminal || !estimates || !isfinite(estimates->mean) || !isfinite(estimates->deviation))
        return;
    const struct cli_axis *axis = &result->axis[0];
    const int digits = cli_text_digits(estimates->mean, estimates->deviation, 3);
    const double step = fmax(estimates->deviation / 100, 1e-6);
    char text[CLI_TIME_SIZE];
    write_position(text, axis, estimates->mean, digits, step);
    cli_lines_add(&lines, "about: mean %s", text);
    if (axis->time)
        cli_time_write_duration(text, estimates->deviation);
    else
        cli_text_number(text, estimates->deviation, 4, CLI_TEXT_COORDINATE);
    if (estimates->deviation > 0 || estimates->quantile[0] == estimates->quantile[CLI_QUANTILES - 1])
        cli_lines_add(&lines, "deviation %s", text);
    for (size_t i = 0; i < CLI_QUANTILES && !isnan(estimates->quantile[i]); i++) {
        write_position(text, axis, estimates->quantile[i], digits, step);
        cli_lines_add(&lines, "%s%g%% %s", i ? "" : "quantiles ", 100 * cli_quantile_parts[i], text);
    }
    cli_lines_end(&lines);
}

/* Few bins of equal width have one row each; others are a chart. */
static void print_bars(const struct cli_terminal *terminal, const struct cli_result *result) {
    struct cli_grid grid = {.edge = NULL};
    struct cli_lines lines = cli_terminal_lines(terminal);
    const size_t bins = result->axis[0].bins;
    if (bins <= MAX_ROWS)
        cli_grid_make(&grid, result, 8 * bins, 1, 0, CLI_HEAT_AUTO);
    if (grid.view[0].equal) {
        print_rows(terminal, result, grid.label);
        cli_frame_words(&lines, result, NULL, terminal->utf8);
    } else
        cli_chart_print(terminal, result, CLI_HEAT_AUTO);
    cli_grid_free(&grid);
}

int cli_display_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale) {
    struct cli_terminal within = *terminal;
    within.width = within.width < MIN_WIDTH ? MIN_WIDTH : within.width > MAX_WIDTH ? MAX_WIDTH : within.width;
    if (result->naxes > 2)
        print_table(&within, result);
    else if (result->naxes == 2)
        cli_chart_print(&within, result, scale);
    else {
        print_bars(&within, result);
        print_estimates(&within, result);
    }
    char text[CLI_REPORT_TEXT];
    struct cli_lines lines = cli_terminal_lines(&within);
    if (result->text && *cli_text_describe(result->text, text)) {
        cli_lines_add(&lines, "text: %s", text);
        cli_lines_end(&lines);
    }
    return ferror(terminal->out) ? -1 : 0;
}

static void print_head(const struct cli_terminal *terminal, const struct cli_clusters *clusters, size_t coordinates) {
    char name[64];
    cli_terminal_style(terminal, CLI_DIM);
    fprintf(terminal->out, "%5s %11s %7s", "#", "points", "share");
    for (size_t a = 0; a < coordinates; a++) {
        cli_text_clean(name, sizeof name, clusters->points->names[a], NUMBER - 1, terminal->utf8);
        fprintf(terminal->out, "%*s%s", NUMBER - (int)cli_text_columns(name), "", name);
    }
    cli_terminal_end(terminal);
}

/* Prints as many coordinates as fit. */
static void print_clusters(const struct cli_terminal *terminal, const struct cli_clusters *clusters) {
    const uh_clusters_properties *found = clusters->found;
    const size_t room = terminal->width > FIXED + NUMBER ? (terminal->width - FIXED) / NUMBER : 1;
    const size_t coordinates = found->dims < room ? found->dims : room;
    const size_t listed = found->clusters < LISTED_CLUSTERS ? found->clusters : LISTED_CLUSTERS;
    const char *more = coordinates == found->dims ? "" : terminal->utf8 ? " …" : " ..";
    char count[CLI_TEXT_COUNT_SIZE];
    uint64_t rest = clusters->points->all;
    print_head(terminal, clusters, coordinates);
    for (size_t i = 0; i < listed; i++) {
        cli_text_count(count, found->counts[i]);
        fprintf(terminal->out, "%5zu %11s %6.2f%%", i, count,
                100 * (double)found->counts[i] / (double)clusters->points->all);
        for (size_t a = 0; a < coordinates; a++) {
            cli_text_number(count, found->centroids[i * found->dims + a], 6, CLI_TEXT_COORDINATE);
            fprintf(terminal->out, "%*s", NUMBER, count);
        }
        fprintf(terminal->out, "%s\n", more);
        rest -= found->counts[i];
    }
    if (listed == found->clusters)
        return;
    cli_text_count(count, found->clusters - listed);
    fprintf(terminal->out, "and %s more of", count);
    cli_text_count(count, rest);
    fprintf(terminal->out, " %s point%s\n", count, rest == 1 ? "" : "s");
}

int cli_display_clusters_print(const struct cli_terminal *terminal, const struct cli_clusters *clusters) {
    struct cli_cloud cloud = {.dot = NULL};
    if (clusters->nshown > 1 && cli_cloud_make(&cloud, clusters))
        return -1;
    if (clusters->nshown > 1)
        cli_chart_clusters(terminal, &cloud);
    free(cloud.dot);
    print_clusters(terminal, clusters);
    return 0;
}
