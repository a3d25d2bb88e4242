/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram as it is drawn, whatever draws it: where its bins lie on the axis and how high they are.
 *
 * The axis is that of u = x, or u = log10(x) on a logarithmic one, from the first to the last edge whose u is finite;
 * positions on it run from 0 to 1. Bins beyond are open-ended and drawn outside of it.
 */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "api/cli/display/terminal.h"
#include "api/cli/display/ticks.h"
#include "api/cli/output/result.h"

enum cli_view_height {
    CLI_VIEW_COUNT,     /* bins of equal width: the count (or sum), of merged bins the mean */
    CLI_VIEW_DENSITY,   /* count / width in u, also divided by the sum of all counts where the result has densities */
    CLI_VIEW_CUMULATIVE /* the running sum at the right end of the bin */
};

struct cli_view {
    const struct cli_axis *axis;
    const struct cli_result *result; /* NULL in a view of the axis alone */
    enum cli_view_height height;
    int log;               /* u = log10(x) */
    int equal;             /* all bins on the axis are of the same width in u */
    int unbounded;         /* no edge is finite: positions 0 and 1 stand for -inf and inf */
    size_t first, last;    /* bins first to last - 1 lie on the axis */
    long double low, high; /* the axis in u */
    int open_left, open_right;
    double left, right; /* counts (cumulative: running sums) of the open-ended bins */
    int relative;       /* the axis is too narrow for densities: heights are counts over all of it */
    double unit;        /* what one value spread over the whole axis adds to the height */
};

/* Prepares a view of a flat result, which is lent. */
void cli_view_init(struct cli_view *view, const struct cli_result *result);

/* Prepares only what concerns an axis, which is lent. */
void cli_view_axis(struct cli_view *view, const struct cli_axis *axis);

/* Returns the position of x on the axis, 0 or 1 when it lies outside. */
double cli_view_position(const struct cli_view *view, double x);

/* Returns the height of an open-ended bin of `count` values that is drawn as wide as `width` of the axis: in a view of
 * counts, its count. */
double cli_view_open_value(const struct cli_view *view, double count, double width);

/* Stores the heights of `columns` columns that divide the axis evenly, by exact overlap with the bins. */
void cli_view_columns(const struct cli_view *view, size_t columns, double *heights);

/* Returns the highest of the bars, of which `highest` is, and of the open-ended bins, but for those that are cut off
 * because they are many times higher than all others. */
double cli_view_highest(double highest, double open_left, double open_right);

/* Returns whether heights are whole numbers. */
int cli_view_is_whole(const struct cli_view *view, int merged);

/* Makes the ticks of the axis as cli_ticks_make; none where no edge is finite. */
void cli_view_ticks(const struct cli_view *view, unsigned max, unsigned flags, struct cli_ticks *ticks);

/* Returns what the heights are, such as "count". `merged`: bins are narrower than what is drawn. The text is static. */
const char *cli_view_label(const struct cli_view *view, int merged);

/* ---- the bars of a picture: bins, or where these are narrower than a pixel, groups of bins -------------------------
 */

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

/* Prints columns over the axis of values, for bars.c. Returns 0, or -1 when memory is short. */
int cli_bars_columns(const struct cli_terminal *bars, const struct cli_view *view);

#endif
