/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result over one or two axes as it is drawn, whatever draws it: a grid of points (pixels, or a terminal's
 * characters), each with its value. Of one axis it has one row, and values are heights of bars; of two, values have
 * their places on a scale of colours, the first axis runs to the right and the second one upwards.
 *
 * An axis is that of u = x, or u = log10(x) on a logarithmic one, from the first to the last edge whose u is finite;
 * bins beyond are not drawn. Where all bins are at least a point wide they end between two points, and every point
 * shows one cell; where some are narrower, each point shows what cells overlap it, by exact area. Cells of equal size
 * show counts or sums; others, these divided by the cell's size (on a logarithmic axis, in decades), so that areas are
 * counts. Means stay means: those of joined cells are of all their points. Running sums are those at the end of the
 * last bin.
 */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/display/display.h"

/* Where the bins of an axis are drawn. */
struct cli_view {
    const struct cli_axis *axis;
    int log;               /* u = log10(x) */
    int equal;             /* all bins that are drawn are of the same width in u */
    int unbounded;         /* no edge is finite */
    size_t first, last;    /* bins first to last - 1 are drawn */
    long double low, high; /* the ends in u; low < high */
};

struct cli_grid {
    const struct cli_result *result;
    struct cli_view view[2]; /* the second one of one axis alone: a bin from 0 to 1 */
    size_t width, height;
    double *value;  /* width * height, the topmost row first; -INFINITY and INFINITY allowed */
    uint8_t *state; /* of each: 0 nothing there, 1 a number, 2 NaN */
    double *edge;   /* where all bins are at least a point wide, their edges along the first axis, in points */
    int logarithmic, diverging; /* the scale of colours: from `low` to `high`, or their logarithms; or around 0 */
    double low, high;           /* of one axis: the lowest and highest bar, 0 among them; of two, low < high */
    int whole;                  /* values are whole numbers */
    char label[48];             /* what the values are, such as "count" */
    double beyond;              /* what lies in bins with an infinite edge, which are not drawn; for means, points */
    int has_beyond;
};

/* Computes a grid of at most `width` by `height` points; with `even` it may be somewhat smaller, so that equal bins
 * take equally many. Returns 0, or -1 when memory is short; cli_grid_free in either case. `result` is lent. */
int cli_grid_make(struct cli_grid *grid, const struct cli_result *result, size_t width, size_t height, int even,
                  enum cli_heat_scale scale);

void cli_grid_free(struct cli_grid *grid);

/* Returns the place of a value on the scale of colours, 0 to 1. */
double cli_grid_share(const struct cli_grid *grid, double value);

/* Returns red, green and blue, eight bits each, of a share from 0 to 1: from pale yellow over green to dark blue. With
 * `diverging`, from dark blue (0) over near white (0.5) to dark brown (1). Both scales are even to the eye, and differ
 * in lightness, so that they are read in grey and by those who see fewer colours. */
unsigned cli_grid_rgb(double share, int diverging);

#endif
