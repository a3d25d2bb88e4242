/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/bars_parts.h"
#include "api/cli/display/plot_text.h"

#define MIN_BAR    4
#define LABEL_SIZE 32

/* What the rows say, and the columns they need for it. */
struct rows {
    size_t count;
    char edge[CLI_BARS_ROWS + 1][LABEL_SIZE];
    char value[CLI_BARS_ROWS][LABEL_SIZE];
    double height[CLI_BARS_ROWS];
    double highest;
    size_t edge_width, value_width;
};

/* Returns 1 when %.*g with `digits` tells every edge to a thousandth of its bins' width. */
static int digits_suffice(const struct cli_result *result, int digits) {
    char text[LABEL_SIZE];
    for (size_t i = 0; i <= result->bins; i++) {
        double edge = result->edges[i];
        double width = INFINITY;
        if (i > 0)
            width = fmin(width, edge - result->edges[i - 1]);
        if (i < result->bins)
            width = fmin(width, result->edges[i + 1] - edge);
        snprintf(text, sizeof text, "%.*g", digits, edge);
        if (isfinite(edge) && !(fabs(strtod(text, NULL) - edge) <= width * 1e-3))
            return 0;
    }
    return 1;
}

static void write_value(char text[LABEL_SIZE], const struct cli_result *result, size_t bin) {
    char digits[CLI_TEXT_COUNT_SIZE];
    if (result->density)
        snprintf(text, LABEL_SIZE, "%.4g", result->density[bin]);
    else if (result->sums)
        snprintf(text, LABEL_SIZE, "%.6g", (result->running ? cli_result_running : cli_result_value)(result, bin));
    else {
        cli_text_count(digits, result->cumulative ? result->cumulative[bin] : result->counts[bin]);
        snprintf(text, LABEL_SIZE, "%s", digits);
    }
}

static void fill_rows(struct rows *rows, const struct cli_result *result) {
    double largest = 0;
    for (size_t i = 0; i <= result->bins; i++)
        if (isfinite(result->edges[i]))
            largest = fmax(largest, fabs(result->edges[i]));
    int digits = cli_text_digits(largest);
    while (digits < 17 && !digits_suffice(result, digits))
        digits++;
    for (size_t i = 0; i <= result->bins; i++) {
        /* Zero may be the rounding of a sum; -0 would only puzzle. */
        double edge = result->edges[i] == 0 ? 0 : result->edges[i];
        size_t width = (size_t)snprintf(rows->edge[i], LABEL_SIZE, "%.*g", digits, edge);
        rows->edge_width = width > rows->edge_width ? width : rows->edge_width;
    }
    rows->count = result->bins;
    for (size_t i = 0; i < result->bins; i++) {
        double height = result->density                    ? result->density[i]
                        : cli_result_is_cumulative(result) ? cli_result_running(result, i)
                                                           : cli_result_value(result, i);
        rows->height[i] = isfinite(height) ? height : 0;
        rows->highest = fmax(rows->highest, rows->height[i]);
        write_value(rows->value[i], result, i);
        size_t width = strlen(rows->value[i]);
        rows->value_width = width > rows->value_width ? width : rows->value_width;
    }
}

/* Draws a bar of at most `cells` characters; returns how many it took. */
static size_t print_bar(const struct cli_bars *bars, double share, size_t cells) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t parts = bars->utf8 ? 8 : 1;
    size_t length = (size_t)lround(share * (double)(cells * parts));
    if (length == 0 && share > 0)
        length = 1;
    cli_bars_paint(bars);
    cli_bars_repeat(bars, bars->utf8 ? "█" : "#", length / parts);
    fputs(eighths[length % parts], bars->out);
    cli_bars_normal(bars);
    return (length + parts - 1) / parts;
}

int cli_bars_rows(const struct cli_bars *bars, const struct cli_view *view) {
    struct rows rows = {.count = 0};
    fill_rows(&rows, view->result);
    const char *range = bars->utf8 ? " … " : " .. ";
    size_t range_width = bars->utf8 ? 3 : 4;
    /* Where it is narrow, first the right edge is left out, then the number. */
    size_t fixed = rows.edge_width + 2; /* the left edge, a space, the axis */
    int both = bars->width >= fixed + range_width + rows.edge_width + MIN_BAR + 1 + rows.value_width;
    if (both)
        fixed += range_width + rows.edge_width;
    int values = bars->width >= fixed + MIN_BAR + 1 + rows.value_width;
    size_t cells = bars->width - fixed - (values ? rows.value_width + 1 : 0);
    if (fixed + 1 > bars->width)
        cells = 1;
    for (size_t i = 0; i < rows.count; i++) {
        cli_bars_dim(bars);
        fprintf(bars->out, "%*s", (int)rows.edge_width, rows.edge[i]);
        if (both)
            fprintf(bars->out, "%s%*s", range, (int)rows.edge_width, rows.edge[i + 1]);
        fputs(bars->utf8 ? " │" : " |", bars->out);
        cli_bars_normal(bars);
        /* What is below zero has no bar; its number says so. */
        double share = rows.highest > 0 && rows.height[i] > 0 ? rows.height[i] / rows.highest : 0;
        size_t used = print_bar(bars, share, cells);
        if (values)
            fprintf(bars->out, "%s%s", used > 0 ? " " : "", rows.value[i]);
        fputc('\n', bars->out);
    }
    return 0;
}
