/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/plot_steps.h"

#include <math.h>
#include <stdlib.h>

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
    step.height = cli_view_value(view, count, step.right - step.left);
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
    double left = cli_view_position(view, result->edges[view->first]);
    for (size_t i = view->first; i < view->last; i++) {
        double right = cli_view_position(view, result->edges[i + 1]);
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
