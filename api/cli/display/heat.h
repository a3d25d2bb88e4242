/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram over two axes as it is drawn, whatever draws it: a grid of points (pixels, or a terminal's characters),
 * each with its value and its place on a scale of colours.
 *
 * The first axis runs to the right, the second one upwards. Bins lie at their true extents. Where all are at least a
 * point wide they end between two points of the grid, and every point shows one cell; where some are narrower, each
 * point shows what cells overlap it, by exact area. Cells of equal size show counts or sums; others, these divided by
 * the cell's area (on a logarithmic axis, in decades). Means stay means: those of joined cells are of all their points.
 */
#ifndef CLI_HEAT_H
#define CLI_HEAT_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/display/display.h"
#include "api/cli/display/view.h"

struct cli_heat_grid {
    const struct cli_result *result;
    struct cli_view view[2];
    size_t width, height;
    double *value;              /* width * height, the topmost row first; -INFINITY and INFINITY allowed */
    uint8_t *state;             /* of each: 0 nothing there, 1 a number, 2 NaN */
    int logarithmic, diverging; /* the scale: from `low` to `high`, or their logarithms; around 0 where it diverges */
    double low, high;           /* low < high */
    int merged;                 /* some points show several cells */
    const char *label;          /* what the values are; static */
    double beyond;              /* what lies in bins with an infinite edge, which are not drawn; for means, points */
    int has_beyond;
};

/* Computes a grid of `width` by `height` points. Returns 0, or -1 when memory is short; cli_heat_grid_free in either
 * case. `result` has two axes and is lent. */
int cli_heat_grid_make(struct cli_heat_grid *grid, const struct cli_result *result, size_t width, size_t height,
                       enum cli_heat_scale scale);

void cli_heat_grid_free(struct cli_heat_grid *grid);

/* Returns the place of a value on the scale, 0 to 1. */
double cli_heat_share(const struct cli_heat_grid *grid, double value);

/* Returns red, green and blue, eight bits each, of a share from 0 to 1: from pale yellow over green to dark blue. With
 * `diverging`, from dark blue (0) over near white (0.5) to dark brown (1). Both scales are even to the eye, and differ
 * in lightness, so that they are read in grey and by those who see fewer colours. */
unsigned cli_heat_rgb(double share, int diverging);

/* Writes the axis's name, fit to be shown, or "axis 0" where it has none. */
void cli_heat_axis_name(char *text, size_t size, const struct cli_result *result, size_t axis);

/* Writes a line under the map: 0, how many bins and points there are and what lies outside; 1, the flow counters. */
void cli_heat_caption(char *text, size_t size, const struct cli_heat_grid *grid, unsigned number, int utf8);

#endif
