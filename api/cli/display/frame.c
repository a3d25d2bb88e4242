/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/frame.h"

#include <math.h>

#define MAX_STEPS 6    /* maximum number of steps in the heights of bars */
#define HEAD_ROOM 0.06 /* beyond the highest bar, as a fraction of the range */

/* Tolerance for rounded positions of marks. */
#define SLACK 1e-6

static double widest(const struct cli_ticks *ticks, const struct cli_paper *paper) {
    double width = 0;
    for (size_t i = 0; i < ticks->count; i++)
        width = fmax(width, paper->measure(paper->on, ticks->tick[i].label));
    return ceil(width / paper->point) * paper->point;
}

/* Makes the heights from 0 to beyond all bars; on a terminal they are whole steps. */
static void make_heights(struct cli_frame *frame, const struct cli_paper *paper, unsigned flags) {
    const struct cli_grid *grid = &frame->grid;
    const long double low = grid->low, high = grid->high > 0 || low < 0 ? grid->high : 1;
    if (!paper->characters) {
        frame->low = low < 0 ? low - HEAD_ROOM * (high - low) : 0;
        frame->high = high > 0 ? high + HEAD_ROOM * (high - low) : 0;
        cli_ticks_make(&frame->up, frame->low, frame->high, 0, MAX_STEPS + 1, flags);
        return;
    }
    long double step = cli_ticks_step((high - low) / MAX_STEPS);
    if (grid->whole)
        step = fmaxl(step, 1);
    const long double first = floorl(low / step + SLACK), last = ceill(high / step - SLACK);
    frame->low = first * step;
    frame->high = last * step;
    frame->steps = (unsigned)(last - first);
    cli_ticks_make(&frame->up, frame->low, frame->high, 0, frame->steps + 1, flags);
}

static void make_ticks(struct cli_ticks *ticks, const struct cli_view *view, unsigned max, unsigned flags) {
    ticks->count = 0;
    ticks->unit[0] = 0;
    if (view->unbounded)
        return;
    const int calendar = view->axis && view->axis->time && !view->log && view->high - view->low > 1e-6L;
    if (calendar && fmaxl(-view->low, view->high) < CLI_TIME_LIMIT)
        cli_ticks_make_times(ticks, (double)view->low, (double)view->high, max);
    else
        cli_ticks_make(ticks, view->low, view->high, view->log, max, flags);
}

static void make_sides(struct cli_frame *frame, const struct cli_paper *paper) {
    const struct cli_grid *grid = &frame->grid;
    const unsigned flags = paper->flags | CLI_TICKS_CONTENTS | (grid->whole ? CLI_TICKS_WHOLE : 0u);
    if (grid->result->naxes == 1) {
        make_heights(frame, paper, flags);
        return;
    }
    make_ticks(&frame->up, &grid->view[1], paper->max_up, paper->flags);
    if (paper->colours)
        cli_ticks_make(&frame->colours, grid->logarithmic ? log10l(grid->low) : grid->low,
                       grid->logarithmic ? log10l(grid->high) : grid->high, grid->logarithmic, paper->max_up, flags);
}

/* Places the labels below, within the line, and drops those that overlap. Returns whether none did. */
static int place_labels(struct cli_frame *frame, const struct cli_paper *paper) {
    double used = 0;
    int separate = 1;
    for (size_t i = 0; i < frame->across.count; i++) {
        struct cli_tick *tick = &frame->across.tick[i];
        const double at = tick->position * (frame->right - frame->left), width = paper->measure(paper->on, tick->label);
        tick->mark = frame->left + (paper->characters ? ceil(at - SLACK) : at);
        /* On a terminal a mark is the character before its position. */
        const double begin = paper->characters ? floor(tick->mark - (width + 1) / 2) : tick->mark - width / 2;
        tick->begin = fmax(fmin(begin, paper->width - width), 0);
        if (!tick->label[0])
            continue;
        if (tick->begin < used) {
            tick->label[0] = 0;
            separate = 0;
        } else
            used = tick->begin + width + paper->gap;
    }
    return separate;
}

static void make_across(struct cli_frame *frame, const struct cli_view *view, const struct cli_paper *paper) {
    unsigned max = paper->max_across;
    do
        make_ticks(&frame->across, view, max, paper->flags);
    while (!place_labels(frame, paper) && --max > 0);
}

void cli_frame_make(struct cli_frame *frame, const struct cli_result *result, enum cli_heat_scale scale,
                    const struct cli_paper *paper) {
    const struct cli_grid *grid = &frame->grid;
    double labels = 0, colours = 0;
    *frame = (struct cli_frame){.steps = 1};
    /* The labels' widths depend on the values, which depend on the room that the labels leave. */
    for (int i = 0; i < 4; i++) {
        frame->left = paper->left + labels;
        const double room = floor((paper->width - paper->right - colours - frame->left) / paper->point);
        cli_grid_free(&frame->grid);
        cli_grid_make(&frame->grid, result, (size_t)fmax(room, 1), paper->rows, paper->characters, scale);
        frame->right = frame->left + (double)grid->width * paper->point;
        make_sides(frame, paper);
        const double wanted = widest(&frame->up, paper), colour_width = widest(&frame->colours, paper);
        if (wanted <= labels && colour_width <= colours)
            break;
        labels = fmax(labels, wanted);
        colours = fmax(colours, colour_width);
    }
    make_across(frame, &grid->view[0], paper);
}

void cli_frame_axes(struct cli_frame *frame, const double low[2], const double high[2], const struct cli_paper *paper) {
    const struct cli_view view = {.low = low[0], .high = high[0]};
    cli_ticks_make(&frame->up, low[1], high[1], 0, paper->max_up, paper->flags);
    frame->left = paper->left + widest(&frame->up, paper);
    frame->right = paper->width - paper->right;
    make_across(frame, &view, paper);
}

void cli_frame_axis_name(char text[512], const struct cli_result *result, size_t axis, size_t columns, int utf8) {
    const char *name = result->axis[axis].name;
    if (name && *name)
        cli_text_clean(text, 512, name, columns, utf8);
    else
        snprintf(text, 512, result->naxes == 1 ? "value" : "axis %zu", axis);
}

void cli_frame_words(struct cli_lines *lines, const struct cli_result *result, const struct cli_grid *grid, int utf8) {
    const char *times = utf8 ? " × " : " x ";
    char name[512], before[600] = "", number[CLI_TEXT_COUNT_SIZE];
    int times_shown = 0;
    for (size_t a = 0; a < result->naxes; a++) {
        cli_text_count(number, result->axis[a].bins);
        cli_append(before, sizeof before, times, "%s", number);
    }
    cli_lines_add(lines, "%s %s", before, cli_result_cells(result) == 1 ? "bin" : "bins");
    cli_lines_count(lines, "n", result->n);
    if (result->naxes > 1)
        cli_lines_count(lines, "outside", result->outside);
    for (size_t a = 0; a < result->naxes; a++) {
        const uh_flow *flow = &result->axis[a].flow;
        cli_frame_axis_name(name, result, a, CLI_NAME, utf8);
        snprintf(before, sizeof before, result->naxes == 1 ? "below" : "%s: below", name);
        cli_lines_count(lines, before, flow->below);
        cli_lines_count(lines, "above", flow->above);
        cli_lines_count(lines, "NaN", flow->nan);
        times_shown |= result->axis[a].time;
    }
    if (times_shown)
        cli_lines_add(lines, "times in UTC");
    if (result->sums)
        cli_lines_number(lines, "weight outside", result->outside_sum, 6, CLI_TEXT_CONTENT);
    if (grid && grid->has_beyond)
        cli_lines_number(lines, "in bins without end", grid->beyond, 15, CLI_TEXT_CONTENT);
    cli_lines_end(lines);
}
