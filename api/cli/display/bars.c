/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/text.h"
#include "api/cli/display/view.h"

#define MIN_WIDTH 20
#define MAX_WIDTH 4096
#define MAX_ROWS  20 /* bins, all of equal width, that get a row each */
#define MIN_BAR   4
#define LABEL     32 /* bytes of one */

/* Prints the input's name and what the bars say, cut to the width. */
static void print_title(const struct cli_terminal *bars, const char *title, const char *label) {
    char text[MAX_WIDTH * 4 + 1];
    size_t label_width = strlen(label), separator = 3;
    if (title && *title && label_width + separator + 4 <= bars->width) {
        cli_text_clean(text, sizeof text, title, bars->width - label_width - separator, bars->utf8);
        fprintf(bars->out, "%s%s", text, bars->utf8 ? " · " : " - ");
    } else if (title && *title) {
        cli_terminal_line(bars, title);
    }
    cli_text_clean(text, sizeof text, label, bars->width, bars->utf8);
    cli_terminal_style(bars, CLI_DIM);
    fputs(text, bars->out);
    cli_terminal_style(bars, CLI_NORMAL);
    fputc('\n', bars->out);
}

/* A line of items that breaks between them where it is full. */
struct items {
    const struct cli_terminal *bars;
    size_t used;
};

static void print_item(struct items *items, const char *name, const char *digits) {
    size_t width = strlen(name) + 1 + strlen(digits);
    if (items->used > 0 && items->used + 3 + width > items->bars->width) {
        fputc('\n', items->bars->out);
        items->used = 0;
    }
    if (items->used > 0) {
        fputs(items->bars->utf8 ? " · " : " | ", items->bars->out);
        items->used += 3;
    }
    fprintf(items->bars->out, "%s %s", name, digits);
    items->used += width;
}

static void print_count(struct items *items, const char *name, uint64_t count) {
    char digits[CLI_TEXT_COUNT_SIZE];
    cli_text_count(digits, count);
    print_item(items, name, digits);
}

static void print_flow(const struct cli_terminal *bars, const struct cli_result *result) {
    struct items items = {bars, 0};
    print_count(&items, "n", result->n);
    print_count(&items, "below", result->axis[0].flow.below);
    print_count(&items, "above", result->axis[0].flow.above);
    print_count(&items, "NaN", result->axis[0].flow.nan);
    if (result->sums) {
        char sum[40];
        snprintf(sum, sizeof sum, "%.6g", result->outside_sum);
        print_item(&items, "weight outside", sum);
    }
    fputc('\n', bars->out);
}

/* Digits that tell a hundredth of the deviation. */
static int digits_of(const struct cli_estimates *estimates) {
    const double ratio = fabs(estimates->mean) / estimates->deviation;
    return ratio > 1 && isfinite(ratio) ? (int)fmin(3 + ceil(log10(ratio)), 17) : 3;
}

/* On a terminal, what the bins tell of the values: of some data nothing, or no quantiles. */
static void print_estimates(const struct cli_terminal *bars, const struct cli_estimates *estimates) {
    struct items items = {bars, 0};
    const int digits = bars->is_terminal && estimates ? digits_of(estimates) : 0;
    char name[32], text[40];
    if (!digits || !isfinite(estimates->mean) || !isfinite(estimates->deviation))
        return;
    snprintf(text, sizeof text, "%.*g", digits, estimates->mean);
    print_item(&items, "about: mean", text);
    snprintf(text, sizeof text, "%.4g", estimates->deviation);
    print_item(&items, "deviation", text);
    for (size_t i = 0; i < CLI_QUANTILES && !isnan(estimates->quantile[i]); i++) {
        snprintf(name, sizeof name, "%s%g%%", i ? "" : "quantiles ", 100 * cli_quantile_parts[i]);
        snprintf(text, sizeof text, "%.*g", digits, estimates->quantile[i]);
        print_item(&items, name, text);
    }
    fputc('\n', bars->out);
}

/* The exact counts of the open-ended bins, which the columns may cut off. */
static void print_open(const struct cli_terminal *bars, const struct cli_view *view) {
    const struct cli_axis *axis = view->axis;
    struct items items = {bars, 0};
    char name[64];
    char left[CLI_TEXT_COUNT_SIZE], right[CLI_TEXT_COUNT_SIZE];
    cli_text_bins(left, view->result, 0, view->first);
    cli_text_bins(right, view->result, view->last, axis->bins);
    if (view->open_left) {
        snprintf(name, sizeof name, "%.6g to %.6g:", axis->edges[0], axis->edges[view->first]);
        print_item(&items, name, left);
    }
    if (view->open_right) {
        snprintf(name, sizeof name, "%.6g to %.6g:", axis->edges[view->last], axis->edges[axis->bins]);
        print_item(&items, name, right);
    }
    if (items.used > 0)
        fputc('\n', bars->out);
}

/* ---- a row for each bin ------------------------------------------------------------------------------------------ */

/* What the rows say, and the columns they need for it. */
struct rows {
    size_t count;
    char edge[MAX_ROWS + 1][LABEL];
    char value[MAX_ROWS][LABEL];
    double height[MAX_ROWS];
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

static void write_value(char text[LABEL], const struct cli_result *result, size_t bin) {
    char digits[CLI_TEXT_COUNT_SIZE];
    if (result->density)
        snprintf(text, LABEL, "%.4g", result->density[bin]);
    else if (result->sums)
        snprintf(text, LABEL, "%.6g", (result->running ? cli_result_running : cli_result_value)(result, bin));
    else {
        cli_text_count(digits, result->cumulative ? result->cumulative[bin] : result->counts[bin]);
        snprintf(text, LABEL, "%s", digits);
    }
}

static void fill_rows(struct rows *rows, const struct cli_result *result) {
    const struct cli_axis *axis = &result->axis[0];
    double largest = 0;
    for (size_t i = 0; i <= axis->bins; i++)
        if (isfinite(axis->edges[i]))
            largest = fmax(largest, fabs(axis->edges[i]));
    int digits = cli_text_digits(largest);
    while (digits < 17 && !digits_suffice(axis, digits))
        digits++;
    for (size_t i = 0; i <= axis->bins; i++) {
        /* Zero may be the rounding of a sum; -0 would only puzzle. */
        double edge = axis->edges[i] == 0 ? 0 : axis->edges[i];
        size_t width = (size_t)snprintf(rows->edge[i], LABEL, "%.*g", digits, edge);
        rows->edge_width = width > rows->edge_width ? width : rows->edge_width;
    }
    rows->count = axis->bins;
    for (size_t i = 0; i < axis->bins; i++) {
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
static size_t print_bar(const struct cli_terminal *bars, double share, size_t cells) {
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t parts = bars->utf8 ? 8 : 1;
    size_t length = (size_t)lround(share * (double)(cells * parts));
    if (length == 0 && share > 0)
        length = 1;
    cli_terminal_style(bars, CLI_BAR);
    cli_terminal_repeat(bars, bars->utf8 ? "█" : "#", length / parts);
    fputs(eighths[length % parts], bars->out);
    cli_terminal_style(bars, CLI_NORMAL);
    return (length + parts - 1) / parts;
}

static void print_rows(const struct cli_terminal *bars, const struct cli_view *view) {
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
        cli_terminal_style(bars, CLI_DIM);
        fprintf(bars->out, "%*s", (int)rows.edge_width, rows.edge[i]);
        if (both)
            fprintf(bars->out, "%s%*s", range, (int)rows.edge_width, rows.edge[i + 1]);
        fputs(bars->utf8 ? " │" : " |", bars->out);
        cli_terminal_style(bars, CLI_NORMAL);
        /* What is below zero has no bar; its number says so. */
        double share = rows.highest > 0 && rows.height[i] > 0 ? rows.height[i] / rows.highest : 0;
        size_t used = print_bar(bars, share, cells);
        if (values)
            fprintf(bars->out, "%s%s", used > 0 ? " " : "", rows.value[i]);
        fputc('\n', bars->out);
    }
}

/* ---- together --------------------------------------------------------------------------------------------------- */

int cli_bars_print(const struct cli_terminal *terminal, const struct cli_result *result) {
    const struct cli_terminal bars = cli_terminal_within(terminal, MIN_WIDTH, MAX_WIDTH);
    struct cli_view view;
    cli_view_init(&view, result);
    const int rows = result->axis[0].bins <= MAX_ROWS && view.equal;
    print_title(&bars, result->title, cli_view_label(&view, !rows && view.last - view.first > bars.width));
    if (rows)
        print_rows(&bars, &view);
    else if (cli_bars_columns(&bars, &view))
        return -1;
    else
        print_open(&bars, &view);
    print_flow(&bars, result);
    print_estimates(&bars, result->estimates);
    return ferror(bars.out) ? -1 : 0;
}
