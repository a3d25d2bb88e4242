/* SPDX-License-Identifier: Apache-2.0 */
/* Few bins of equal width: a row each, with edges and what the bin holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/frame.h"

#define MIN_BAR 4
#define LABEL   32 /* bytes of one */

/* What the rows say, and the columns they need for it. */
struct rows {
    char edge[CLI_MAX_ROWS + 1][LABEL];
    char value[CLI_MAX_ROWS][LABEL];
    double height[CLI_MAX_ROWS];
    double highest;
    size_t edge_width, value_width;
};

/* Returns 1 when %.*g with `digits` tells every edge to a thousandth of its bins' width. */
static int digits_suffice(const struct cli_axis *axis, int digits) {
    char text[LABEL];
    for (size_t i = 0; i <= axis->bins; i++) {
        double edge = axis->edges[i];
        double width = INFINITY;
        if (i > 0)
            width = fmin(width, edge - axis->edges[i - 1]);
        if (i < axis->bins)
            width = fmin(width, axis->edges[i + 1] - edge);
        snprintf(text, sizeof text, "%.*g", digits, edge);
        if (isfinite(edge) && !(fabs(strtod(text, NULL) - edge) <= width * 1e-3))
            return 0;
    }
    return 1;
}

/* Returns the digits that tell all edges apart, and write numbers below 10^7 without a power of ten. */
static int digits_of(const struct cli_axis *axis) {
    double largest = 0;
    for (size_t i = 0; i <= axis->bins; i++)
        if (isfinite(axis->edges[i]))
            largest = fmax(largest, fabs(axis->edges[i]));
    int digits = largest >= 1 && largest < 1e7 ? (int)floor(log10(largest)) + 1 : 1;
    while (digits < 17 && !digits_suffice(axis, digits))
        digits++;
    return digits;
}

/* Writes what is shown of a bin and returns it. */
static double write_value(char text[LABEL], const struct cli_result *result, size_t bin) {
    const double value = result->density                    ? result->density[bin]
                         : cli_result_is_cumulative(result) ? cli_result_running(result, bin)
                         : result->means                    ? result->means[bin]
                                                            : cli_result_value(result, bin);
    if (result->density || !result->counts || result->means)
        snprintf(text, LABEL, "%.6g", value);
    else
        cli_text_count(text, (result->cumulative ? result->cumulative : result->counts)[bin]);
    return isfinite(value) ? value : 0;
}

static void fill_rows(struct rows *rows, const struct cli_result *result) {
    const struct cli_axis *axis = &result->axis[0];
    const int digits = digits_of(axis);
    for (size_t i = 0; i <= axis->bins; i++) {
        /* Zero may be the rounding of a sum; -0 would only puzzle. */
        double edge = axis->edges[i] == 0 ? 0 : axis->edges[i];
        size_t width = (size_t)snprintf(rows->edge[i], LABEL, "%.*g", digits, edge);
        rows->edge_width = width > rows->edge_width ? width : rows->edge_width;
    }
    for (size_t i = 0; i < axis->bins; i++) {
        rows->height[i] = write_value(rows->value[i], result, i);
        rows->highest = fmax(rows->highest, rows->height[i]);
        size_t width = strlen(rows->value[i]);
        rows->value_width = width > rows->value_width ? width : rows->value_width;
    }
}

/* Draws a bar of at most `cells` characters; returns how many it took. */
static size_t print_bar(const struct cli_terminal *terminal, double share, size_t cells) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t parts = terminal->utf8 ? 8 : 1;
    size_t length = (size_t)lround(share * (double)(cells * parts));
    if (length == 0 && share > 0)
        length = 1;
    cli_terminal_style(terminal, CLI_BAR);
    cli_terminal_repeat(terminal, terminal->utf8 ? "█" : "#", length / parts);
    fputs(eighths[length % parts], terminal->out);
    cli_terminal_style(terminal, CLI_NORMAL);
    return (length + parts - 1) / parts;
}

void cli_rows_print(const struct cli_terminal *terminal, const struct cli_result *result, const char *label) {
    struct rows rows = {.highest = 0};
    fill_rows(&rows, result);
    cli_terminal_title(terminal, result->title, label);
    const char *range = terminal->utf8 ? " … " : " .. ";
    size_t range_width = cli_text_columns(range);
    /* Where it is narrow, first the right edge is left out, then the number. */
    size_t fixed = rows.edge_width + 2; /* the left edge, a space, the axis */
    int both = terminal->width >= fixed + range_width + rows.edge_width + MIN_BAR + 1 + rows.value_width;
    if (both)
        fixed += range_width + rows.edge_width;
    int values = terminal->width >= fixed + MIN_BAR + 1 + rows.value_width;
    size_t cells = terminal->width - fixed - (values ? rows.value_width + 1 : 0);
    if (fixed + 1 > terminal->width)
        cells = 1;
    for (size_t i = 0; i < result->axis[0].bins; i++) {
        cli_terminal_style(terminal, CLI_DIM);
        fprintf(terminal->out, "%*s", (int)rows.edge_width, rows.edge[i]);
        if (both)
            fprintf(terminal->out, "%s%*s", range, (int)rows.edge_width, rows.edge[i + 1]);
        fputs(terminal->utf8 ? " │" : " |", terminal->out);
        cli_terminal_style(terminal, CLI_NORMAL);
        /* What is below zero has no bar; its number says so. */
        double share = rows.highest > 0 && rows.height[i] > 0 ? rows.height[i] / rows.highest : 0;
        size_t used = print_bar(terminal, share, cells);
        if (values)
            fprintf(terminal->out, "%s%s", used > 0 ? " " : "", rows.value[i]);
        fputc('\n', terminal->out);
    }
}
