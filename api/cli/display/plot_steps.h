/* SPDX-License-Identifier: Apache-2.0 */
/* The bars of a picture: bins, or where these are narrower than a pixel, groups of bins. */
#ifndef CLI_PLOT_STEPS_H
#define CLI_PLOT_STEPS_H

#include "api/cli/display/plot_view.h"

struct cli_step {
    double left, right; /* on the axis, 0 to 1 */
    double height;      /* not 0 */
    int single;         /* one bin, not a group */
    int spike;          /* a group that is narrower than it is drawn */
};

struct cli_steps {
    size_t count;
    struct cli_step *step;  /* in the order of the bins; none but spikes overlap their neighbours */
    double highest, lowest; /* 0 or more, 0 or less */
    int merged;             /* there are groups */
};

/*
 * Makes the bars of an axis of `pixels` pixels. Returns 0, or -1 when memory is short. The caller frees `steps->step`.
 */
int cli_steps_make(struct cli_steps *steps, const struct cli_view *view, double pixels);

#endif
