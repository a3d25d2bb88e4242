/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/text.h"
#include "api/cli/display/view.h"

#define ROWS          12 /* maximum rows of a chart */
#define MAX_STEPS     6  /* maximum steps of the vertical axis */
#define STUB          3  /* columns of an open-ended bin, */
#define NARROW_STUB   1  /* and where there are fewer than */
#define NARROW        30 /* columns for everything */
#define MIN_MIDDLE    1  /* columns left to the axis, whatever the labels */
#define COLUMNS_LABEL 8  /* columns for each label under the axis, at least */

/* The vertical axis: `steps` of `rows_each` rows each. */
struct scale {
    double step;
    size_t steps, rows_each;
    char label[MAX_STEPS + 1][40];
    size_t label_width;
};

/* A chart in the making. From left to right: left stub, bars, right stub. */
struct chart {
    const struct cli_terminal *bars;
    const struct cli_view *view;
    struct scale scale;
    size_t label_width;
    size_t left, middle, right, columns; /* columns = left + middle + right */
    double *heights;                     /* one a column */
};

/* Chooses the round scale that holds `highest` with the least room above it; among equally high ones the finest. */
static void make_scale(struct scale *scale, double highest, int whole, int utf8) {
    static const size_t rows_each[MAX_STEPS + 1] = {0, 12, 6, 4, 3, 2, 2};
    double best = INFINITY;
    *scale = (struct scale){.step = 1, .steps = 1, .rows_each = ROWS};
    for (int max = 1; max <= MAX_STEPS && highest > 0; max++) {
        double step = (double)cli_ticks_step((long double)highest / max);
        if (whole && step < 1)
            step = 1;
        size_t steps = (size_t)ceil(highest / step * (1 - 1e-9));
        double top = step * (double)steps;
        if (steps >= 1 && steps <= MAX_STEPS && top <= best * (1 + 1e-9)) {
            best = top;
            scale->step = step;
            scale->steps = steps;
            scale->rows_each = rows_each[steps];
        }
    }
    double top = scale->step * (double)scale->steps;
    for (size_t i = 0; i <= scale->steps; i++) {
        cli_ticks_label(scale->label[i], scale->step * (double)i, scale->step, top,
                        CLI_TICKS_COMMAS | (utf8 ? CLI_TICKS_UTF8 : 0u));
        size_t width = cli_text_columns(scale->label[i]);
        scale->label_width = width > scale->label_width ? width : scale->label_width;
    }
}

/* Divides what `label_width` leaves of the width among stubs and bars. */
static void divide_width(struct chart *chart, size_t label_width) {
    const struct cli_view *view = chart->view;
    size_t width = chart->bars->width, room = width > label_width + 2 ? width - label_width - 2 : 0;
    size_t stub = room < NARROW ? NARROW_STUB : STUB, bins = view->last - view->first;
    chart->label_width = label_width;
    chart->left = view->open_left ? stub : 0;
    chart->right = view->open_right ? stub : 0;
    size_t stubs = chart->left + chart->right;
    chart->middle = room >= stubs + MIN_MIDDLE ? room - stubs : MIN_MIDDLE;
    /* Equal bins look best when each takes the same number of columns, if that does not leave much unused. */
    if (view->equal && bins > 0 && bins <= chart->middle && chart->middle % bins <= chart->middle / 4)
        chart->middle -= chart->middle % bins;
    chart->columns = chart->left + chart->middle + chart->right;
}

static void fill_heights(struct chart *chart) {
    const struct cli_view *view = chart->view;
    double *middle = chart->heights + chart->left, highest = 0;
    cli_view_columns(view, chart->middle, middle);
    for (size_t i = 0; i < chart->middle; i++)
        highest = fmax(highest, middle[i]);
    double left = cli_view_open_value(view, view->left, (double)chart->left / (double)chart->middle);
    double right = cli_view_open_value(view, view->right, (double)chart->right / (double)chart->middle);
    for (size_t i = 0; i < chart->left; i++)
        chart->heights[i] = left;
    for (size_t i = 0; i < chart->right; i++)
        middle[chart->middle + i] = right;
    highest = cli_view_highest(highest, left, right);
    const int whole = cli_view_is_whole(view, view->last - view->first > chart->middle);
    make_scale(&chart->scale, highest, whole, chart->bars->utf8);
}

/* Returns the character that shows `eighths` (0 to 8) of a full one. */
static const char *block(const struct cli_terminal *bars, int eighths) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[] = {" ", ".", ".", ".", ":", ":", ":", ":", "#"};
    return (bars->utf8 ? blocks : ascii)[eighths];
}

static const char *cell(const struct chart *chart, size_t column, size_t row) {
    size_t rows = chart->scale.steps * chart->scale.rows_each;
    double top = chart->scale.step * (double)chart->scale.steps, height = chart->heights[column];
    if (height > top * (1 + 1e-9) && row == rows)
        return chart->bars->utf8 ? "▲" : "^";
    if (height < 0)
        return row > 1 ? " " : chart->bars->utf8 ? "▼" : "v";
    double eighths = round(height / top * (double)rows * 8);
    if (height > 0 && eighths < 1)
        eighths = 1;
    double here = eighths - 8 * (double)(row - 1);
    return block(chart->bars, here >= 8 ? 8 : here > 0 ? (int)here : 0);
}

/* Prints a label at the right end of the room for it. */
static void print_label(const struct chart *chart, const char *label) {
    size_t width = cli_text_columns(label);
    cli_terminal_repeat(chart->bars, " ", chart->label_width > width ? chart->label_width - width : 0);
    fprintf(chart->bars->out, "%s ", label);
}

static void print_rows(const struct chart *chart) {
    const struct cli_terminal *bars = chart->bars;
    const struct scale *scale = &chart->scale;
    for (size_t row = scale->steps * scale->rows_each; row > 0; row--) {
        int labelled = row % scale->rows_each == 0;
        cli_terminal_style(bars, CLI_DIM);
        print_label(chart, labelled ? scale->label[row / scale->rows_each] : "");
        fputs(labelled ? (bars->utf8 ? "┤" : "+") : (bars->utf8 ? "│" : "|"), bars->out);
        cli_terminal_style(bars, CLI_NORMAL);
        size_t end = chart->columns;
        while (end > 0 && *cell(chart, end - 1, row) == ' ')
            end--;
        if (end > 0) {
            cli_terminal_style(bars, CLI_BAR);
            for (size_t column = 0; column < end; column++)
                fputs(cell(chart, column, row), bars->out);
            cli_terminal_style(bars, CLI_NORMAL);
        }
        fputc('\n', bars->out);
    }
}

/* ---- the axis of values ----------------------------------------------------------------------------------------- */

#define MAX_LABELS (CLI_TICKS_MAJOR + 2)

/* Labels under the axis. `mark` counts columns from the axis's corner, `begin` from the left end of the line. */
struct labels {
    size_t count;
    struct {
        char text[40];
        size_t mark, begin, end;
    } label[MAX_LABELS];
};

/* Adds a label centred under `mark` and pushed inside of the line; returns 0 where that would touch another. */
static int place(struct labels *labels, const struct chart *chart, const char *text, size_t mark) {
    size_t width = cli_text_columns(text), centre = chart->label_width + 1 + mark, line = chart->bars->width;
    size_t begin = centre > width / 2 ? centre - width / 2 : 0;
    if (begin + width > line)
        begin = width < line ? line - width : 0;
    if (width > line || labels->count == MAX_LABELS)
        return 0;
    for (size_t i = 0; i < labels->count; i++)
        if (begin < labels->label[i].end + 1 && labels->label[i].begin < begin + width + 1)
            return 0;
    snprintf(labels->label[labels->count].text, sizeof labels->label[0].text, "%s", text);
    labels->label[labels->count].mark = mark;
    labels->label[labels->count].begin = begin;
    labels->label[labels->count++].end = begin + width;
    return 1;
}

/* The ends that lie at infinity. */
static void place_infinities(struct labels *labels, const struct chart *chart) {
    const double *edges = chart->view->axis->edges;
    int utf8 = chart->bars->utf8;
    char text[40];
    if (chart->view->open_left || chart->view->unbounded) {
        snprintf(text, sizeof text, "%.4g", edges[0]);
        place(labels, chart, isinf(edges[0]) ? (utf8 ? "-∞" : "-inf") : text, 0);
    }
    if (chart->view->open_right || chart->view->unbounded)
        place(labels, chart, utf8 ? "∞" : "inf", chart->columns);
}

/* Writes an edge with the fewest digits, three at least, that tell it to a fiftieth of the axis. */
static void write_end(char text[40], double edge, double width) {
    int min = cli_text_digits(fabs(edge));
    for (int digits = min > 3 ? min : 3; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, edge);
        if (fabs(strtod(text, NULL) - edge) <= width / 50)
            break;
    }
}

/* The first and the last finite edge. */
static void place_ends(struct labels *labels, const struct chart *chart) {
    const struct cli_view *view = chart->view;
    double low = view->axis->edges[view->first], high = view->axis->edges[view->last];
    char text[40];
    write_end(text, low, high - low);
    place(labels, chart, text, chart->left);
    write_end(text, high, high - low);
    place(labels, chart, text, chart->left + chart->middle);
}

/* Labels as many round values as there is room for, or else the ends. */
static void place_labels(struct labels *labels, const struct chart *chart) {
    const struct cli_view *view = chart->view;
    struct cli_ticks ticks;
    struct labels infinities = {.count = 0};
    place_infinities(&infinities, chart);
    *labels = infinities;
    if (view->unbounded)
        return;
    for (size_t max = chart->middle / COLUMNS_LABEL + 2; max >= 2; max--) {
        cli_ticks_make(&ticks, view->low, view->high, view->log, (unsigned)max,
                       chart->bars->utf8 ? CLI_TICKS_UTF8 : 0u);
        *labels = infinities;
        int fits = 1;
        for (size_t i = 0; i < ticks.count && fits; i++)
            if (ticks.tick[i].major) {
                double column = ceil(ticks.tick[i].position * (double)chart->middle - 1e-6);
                fits = place(labels, chart, ticks.tick[i].label, chart->left + (size_t)fmax(column, 0));
            }
        if (fits && labels->count >= infinities.count + 2)
            return;
    }
    *labels = infinities;
    place_ends(labels, chart);
}

static int is_marked(const struct labels *labels, size_t mark) {
    for (size_t i = 0; i < labels->count; i++)
        if (labels->label[i].mark == mark)
            return 1;
    return 0;
}

static void print_labels(const struct cli_terminal *bars, const struct labels *labels) {
    size_t column = 0;
    for (size_t printed = 0; printed < labels->count; printed++) {
        size_t next = labels->count;
        for (size_t i = 0; i < labels->count; i++)
            if (labels->label[i].begin >= column &&
                (next == labels->count || labels->label[i].begin < labels->label[next].begin))
                next = i;
        cli_terminal_repeat(bars, " ", labels->label[next].begin - column);
        fputs(labels->label[next].text, bars->out);
        column = labels->label[next].end;
    }
}

static void print_axis(const struct chart *chart) {
    const struct cli_terminal *bars = chart->bars;
    struct labels labels;
    place_labels(&labels, chart);
    cli_terminal_style(bars, CLI_DIM);
    print_label(chart, chart->scale.label[0]);
    fputs(bars->utf8 ? (is_marked(&labels, 0) ? "┼" : "└") : "+", bars->out);
    for (size_t mark = 1; mark <= chart->columns; mark++) {
        int open = mark <= chart->left || mark > chart->left + chart->middle;
        int marked = is_marked(&labels, mark) && !(open && mark != chart->left);
        if (bars->utf8)
            fputs(marked ? "┬" : open ? "╌" : "─", bars->out);
        else
            fputs(marked ? "+" : open ? "." : "-", bars->out);
    }
    fputc('\n', bars->out);
    print_labels(bars, &labels);
    cli_terminal_style(bars, CLI_NORMAL);
    fputc('\n', bars->out);
}

int cli_bars_columns(const struct cli_terminal *bars, const struct cli_view *view) {
    struct chart chart = {.bars = bars, .view = view};
    chart.heights = calloc(bars->width + (size_t)(2 * STUB + MIN_MIDDLE), sizeof *chart.heights);
    if (!chart.heights)
        return -1;
    /* The labels' width depends on the heights, these on the columns, and those on the room that the labels leave. */
    size_t label_width = 1;
    for (int i = 0; i < 4; i++) {
        divide_width(&chart, label_width);
        fill_heights(&chart);
        if (chart.scale.label_width <= label_width)
            break;
        label_width = chart.scale.label_width;
    }
    print_rows(&chart);
    print_axis(&chart);
    free(chart.heights);
    return 0;
}
