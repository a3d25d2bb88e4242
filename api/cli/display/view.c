/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/view.h"

#include <math.h>
#include <stdlib.h>

/* Bins are of equal width for the eye when none differs from the mean by more than this share of it. */
#define EQUAL_WIDTH 1e-3L

/* An edge this near the boundary of two columns, in columns, is meant to lie on it, and misses it by rounding. */
#define SNAP 1e-6

/* An open-ended bin this many times higher than all others is cut off. */
#define CUT_OFF 4.0

/* Long double: the difference of two float64 edges always fits it, up to the widest range and down to subnormals. */
static long double to_axis(const struct cli_view *view, double x) {
    if (!view->log)
        return x;
    return x > 0 ? log10l(x) : -INFINITY;
}

/* Finds the first and last edges that are finite on the axis; returns 0 when there is none. */
static int find_finite(struct cli_view *view) {
    const struct cli_axis *axis = view->axis;
    size_t first = 0, last = axis->bins;
    while (first <= last && !isfinite(to_axis(view, axis->edges[first])))
        first++;
    if (first > last)
        return 0;
    while (!isfinite(to_axis(view, axis->edges[last])))
        last--;
    view->first = first;
    view->last = last;
    view->low = to_axis(view, axis->edges[first]);
    view->high = to_axis(view, axis->edges[last]);
    return 1;
}

static void find_axis(struct cli_view *view) {
    const struct cli_axis *axis = view->axis;
    view->log = axis->log != 0;
    if (view->log && !find_finite(view))
        view->log = 0;
    if (!find_finite(view)) {
        view->unbounded = 1;
        view->first = 0;
        view->last = axis->bins;
        view->low = 0;
        view->high = 1;
    } else if (view->low == view->high) {
        long double half = fmaxl(0.5L, fabsl(view->low) / 1000);
        view->low -= half;
        view->high += half;
    }
    view->open_left = view->first > 0;
    view->open_right = view->last < axis->bins;
}

static int bins_are_equal(const struct cli_view *view) {
    const double *edges = view->axis->edges;
    size_t bins = view->last - view->first;
    if (view->unbounded || bins == 0)
        return 1;
    if (edges[view->first] == edges[view->last])
        return 0;
    long double mean = (view->high - view->low) / (long double)bins, left = view->low;
    for (size_t i = view->first; i < view->last; i++) {
        long double right = to_axis(view, edges[i + 1]);
        if (fabsl(right - left - mean) > EQUAL_WIDTH * mean)
            return 0;
        left = right;
    }
    return 1;
}

void cli_view_axis(struct cli_view *view, const struct cli_axis *axis) {
    *view = (struct cli_view){.axis = axis, .unit = 1};
    find_axis(view);
    view->equal = bins_are_equal(view);
}

void cli_view_init(struct cli_view *view, const struct cli_result *result) {
    const size_t bins = result->axis[0].bins;
    cli_view_axis(view, &result->axis[0]);
    view->result = result;
    double total = 0;
    for (size_t i = 0; i < bins; i++) {
        double value = cli_result_value(result, i);
        if (!isfinite(value))
            continue;
        total += value;
        if (i < view->first)
            view->left += value;
        if (i >= view->last)
            view->right += value;
    }
    if (cli_result_is_cumulative(result) && !result->density) {
        view->height = CLI_VIEW_CUMULATIVE;
        view->left = view->open_left ? cli_result_running(result, view->first - 1) : 0;
        view->right = view->open_right ? cli_result_running(result, bins - 1) : 0;
    } else if (!result->density && view->equal) {
        view->height = CLI_VIEW_COUNT;
        if (view->last > view->first)
            view->unit = 1 / (double)(view->last - view->first);
    } else {
        view->height = CLI_VIEW_DENSITY;
        double unit = (double)(1 / (view->high - view->low));
        if (result->density && total != 0)
            unit /= total;
        /* Heights of the narrowest axes would overflow: they are then counts over the whole axis. */
        if (isfinite(unit * total * 1e9))
            view->unit = unit;
        else
            view->relative = 1;
    }
}

double cli_view_position(const struct cli_view *view, double x) {
    if (view->unbounded)
        return x < 0 ? 0 : 1;
    double position = (double)((to_axis(view, x) - view->low) / (view->high - view->low));
    return position > 0 ? position < 1 ? position : 1 : 0;
}

/* Returns the height of `count` values spread over `width` of the axis; for cumulative views, of that running sum. */
static double height_of(const struct cli_view *view, double count, double width) {
    return view->height == CLI_VIEW_CUMULATIVE ? count : count / width * view->unit;
}

double cli_view_open_value(const struct cli_view *view, double count, double width) {
    return view->height == CLI_VIEW_DENSITY ? height_of(view, count, width) : count;
}

/* Returns where an edge lies among `columns` columns. */
static double column_position(const struct cli_view *view, double edge, size_t columns) {
    double position = cli_view_position(view, edge) * (double)columns;
    return fabs(position - round(position)) < SNAP ? round(position) : position;
}

/* Adds a bin from `left` to `right`, in columns, to the counts of the columns. */
static void add_count(double *sums, size_t columns, double left, double right, double count) {
    size_t column = (size_t)left < columns ? (size_t)left : columns - 1;
    if (!(right > left)) {
        sums[column] += count;
        return;
    }
    for (; column < columns && (double)column < right; column++)
        sums[column] += count * ((fmin(right, (double)column + 1) - fmax(left, (double)column)) / (right - left));
}

/* The same for running sums: the last bin in a column is the largest. */
static void set_sum(double *sums, size_t columns, double left, double right, double sum) {
    size_t column = (size_t)left < columns ? (size_t)left : columns - 1;
    do
        sums[column++] = sum;
    while (column < columns && (double)column < right);
}

void cli_view_columns(const struct cli_view *view, size_t columns, double *heights) {
    const struct cli_result *result = view->result;
    const struct cli_axis *axis = view->axis;
    for (size_t i = 0; i < columns; i++)
        heights[i] = 0;
    double left = column_position(view, axis->edges[view->first], columns);
    for (size_t i = view->first; i < view->last; i++) {
        double right = column_position(view, axis->edges[i + 1], columns);
        if (view->height == CLI_VIEW_CUMULATIVE)
            set_sum(heights, columns, left, right, cli_result_running(result, i));
        else if (isfinite(cli_result_value(result, i)))
            add_count(heights, columns, left, right, cli_result_value(result, i));
        left = right;
    }
    for (size_t i = 0; i < columns; i++)
        heights[i] = height_of(view, heights[i], 1 / (double)columns);
}

double cli_view_highest(double highest, double open_left, double open_right) {
    const double limit = highest > 0 ? highest * CUT_OFF : INFINITY;
    if (open_left <= limit)
        highest = fmax(highest, open_left);
    return open_right <= limit ? fmax(highest, open_right) : highest;
}

int cli_view_is_whole(const struct cli_view *view, int merged) {
    return !view->result->sums && (view->height == CLI_VIEW_CUMULATIVE || (view->height == CLI_VIEW_COUNT && !merged));
}

void cli_view_ticks(const struct cli_view *view, unsigned max, unsigned flags, struct cli_ticks *ticks) {
    ticks->count = 0;
    if (!view->unbounded)
        cli_ticks_make(ticks, view->low, view->high, view->log, max, flags);
}

const char *cli_view_label(const struct cli_view *view, int merged) {
    int sums = view->result->sums != NULL;
    if (view->height == CLI_VIEW_CUMULATIVE)
        return sums ? "cumulative sum of weights" : "cumulative count";
    if (view->height == CLI_VIEW_COUNT && merged)
        return sums ? "mean sum of weights per bin" : "mean count per bin";
    if (view->height == CLI_VIEW_COUNT)
        return sums ? "sum of weights" : "count";
    if (view->relative)
        return sums ? "sum of weights over the whole axis" : "count over the whole axis";
    if (view->result->density)
        return view->log ? "density per decade" : "density";
    if (sums)
        return view->log ? "sum of weights per decade" : "sum of weights per unit width";
    return view->log ? "count per decade" : "count per unit width";
}

/* ---- bars of a picture ------------------------------------------------------------------------------------------ */

/* Pixels that a spike is wide. */
#define SPIKE 2

/* Consecutive bins that are each narrower than a pixel. */
struct group {
    const struct cli_view *view;
    double pixel; /* its width on the axis */
    size_t bins;
    double left, right, count;
};

static void add(struct cli_steps *steps, const struct cli_view *view, struct cli_step step, double count) {
    steps->merged |= !step.single;
    if (count == 0 || !isfinite(count))
        return;
    step.height = height_of(view, count, step.right - step.left);
    steps->step[steps->count++] = step;
    steps->highest = fmax(steps->highest, step.height);
    steps->lowest = fmin(steps->lowest, step.height);
}

/* Ends a group. One that wide bins, or the axis's ends, keep below a pixel becomes a spike over its neighbours. */
static void close_group(struct cli_steps *steps, struct group *group) {
    if (group->bins == 0)
        return;
    struct cli_step step = {.left = group->left, .right = group->right};
    if (step.right - step.left < group->pixel) {
        double width = SPIKE * group->pixel;
        step.spike = 1;
        step.left = fmin(fmax((step.left + step.right - width) / 2, 0), 1 - width);
        step.right = step.left + width;
    }
    add(steps, group->view, step, group->count);
    group->bins = 0;
    group->count = 0;
}

static void add_to_group(struct cli_steps *steps, struct group *group, double left, double right, double count) {
    if (group->bins++ == 0)
        group->left = left;
    group->right = right;
    group->count = group->view->height == CLI_VIEW_CUMULATIVE ? count : group->count + count;
    if (right - group->left >= group->pixel)
        close_group(steps, group);
}

int cli_steps_make(struct cli_steps *steps, const struct cli_view *view, double pixels) {
    const struct cli_result *result = view->result;
    double (*value)(const struct cli_result *, size_t) =
        view->height == CLI_VIEW_CUMULATIVE ? cli_result_running : cli_result_value;
    struct group group = {.view = view, .pixel = 1 / pixels};
    *steps = (struct cli_steps){.count = 0};
    /* At most `pixels` bins are as wide as a pixel, as many groups are, and between any two of these lies one more. */
    size_t max = 4 * (size_t)ceil(pixels) + 4;
    if (view->last - view->first < max)
        max = view->last - view->first + 1;
    steps->step = malloc(max * sizeof *steps->step);
    if (!steps->step)
        return -1;
    double left = cli_view_position(view, view->axis->edges[view->first]);
    for (size_t i = view->first; i < view->last; i++) {
        double right = cli_view_position(view, view->axis->edges[i + 1]);
        if (right - left >= group.pixel) {
            close_group(steps, &group);
            add(steps, view, (struct cli_step){.left = left, .right = right, .single = 1}, value(result, i));
        } else
            add_to_group(steps, &group, left, right, value(result, i));
        left = right;
    }
    close_group(steps, &group);
    return 0;
}
