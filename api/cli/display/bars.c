/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/bars.h"

#include <inttypes.h>
#include <string.h>

#include "api/cli/display/bars_parts.h"
#include "api/cli/display/plot_text.h"

#define MIN_WIDTH 20
#define MAX_WIDTH 4096

/* Prints the input's name and what the bars say, cut to the width. */
static void print_title(const struct cli_bars *bars, const char *title, const char *label) {
    char text[MAX_WIDTH * 4 + 1];
    size_t label_width = strlen(label), separator = 3;
    if (title && *title && label_width + separator + 4 <= bars->width) {
        cli_text_clean(text, sizeof text, title, bars->width - label_width - separator, bars->utf8);
        fprintf(bars->out, "%s%s", text, bars->utf8 ? " · " : " - ");
    } else if (title && *title) {
        cli_bars_line(bars, title);
    }
    cli_text_clean(text, sizeof text, label, bars->width, bars->utf8);
    cli_bars_dim(bars);
    fputs(text, bars->out);
    cli_bars_normal(bars);
    fputc('\n', bars->out);
}

/* A line of items that breaks between them where it is full. */
struct items {
    const struct cli_bars *bars;
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

static void print_flow(const struct cli_bars *bars, const struct cli_result *result) {
    struct items items = {bars, 0};
    print_count(&items, "n", result->n);
    print_count(&items, "below", result->flow.below);
    print_count(&items, "above", result->flow.above);
    print_count(&items, "NaN", result->flow.nan);
    if (result->sums) {
        char sum[40];
        snprintf(sum, sizeof sum, "%.6g", result->outside_sum);
        print_item(&items, "weight outside", sum);
    }
    fputc('\n', bars->out);
}

/* The exact counts of the open-ended bins, which the columns may cut off. */
static void print_open(const struct cli_bars *bars, const struct cli_view *view) {
    const struct cli_result *result = view->result;
    struct items items = {bars, 0};
    char name[64];
    char left[CLI_TEXT_COUNT_SIZE], right[CLI_TEXT_COUNT_SIZE];
    cli_text_bins(left, result, 0, view->first);
    cli_text_bins(right, result, view->last, result->bins);
    if (view->open_left) {
        snprintf(name, sizeof name, "%.6g to %.6g:", result->edges[0], result->edges[view->first]);
        print_item(&items, name, left);
    }
    if (view->open_right) {
        snprintf(name, sizeof name, "%.6g to %.6g:", result->edges[view->last], result->edges[result->bins]);
        print_item(&items, name, right);
    }
    if (items.used > 0)
        fputc('\n', bars->out);
}

int cli_bars_print(FILE *out, unsigned width, int utf8, int colour, const struct cli_result *result) {
    const struct cli_bars bars = cli_bars_begin(out, width, MIN_WIDTH, MAX_WIDTH, utf8, colour);
    struct cli_view view;
    cli_view_init(&view, result);
    int rows = result->bins <= CLI_BARS_ROWS && view.equal;
    print_title(&bars, result->title, cli_view_label(&view, !rows && view.last - view.first > bars.width));
    if ((rows ? cli_bars_rows : cli_bars_columns)(&bars, &view) != 0)
        return -1;
    if (!rows)
        print_open(&bars, &view);
    print_flow(&bars, result);
    return ferror(out) ? -1 : 0;
}
