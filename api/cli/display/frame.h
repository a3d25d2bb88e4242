/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of charts on a terminal and pictures: the grid, the axes around it with round numbers, and the text
 * below. The labels on the left are those of the upward axis or the bars' heights, on the right those of colours. */
#pragma once

#include "api/cli/display/display.h"
#include "api/cli/display/ticks.h"

/* ---- grid of a result over one or two axes, as drawn by any output (grid.c) --------------------------------------
 *
 * Its points are pixels, or a terminal's characters. With one axis, it has one row and values are heights of bars; with
 * two, values are positions on a colour scale, the first axis runs to the right and the second upwards.
 *
 * An axis shows u = x, or u = log10(x) if logarithmic, from the first to the last edge with finite u; bins beyond are
 * not drawn. If all bins are at least one point wide, they end between two points, and each point shows one cell; if
 * some are narrower, each point shows the overlapping cells by exact area. Cells of equal size show counts or sums;
 * others show these divided by the cell's size (in decades on a logarithmic axis), so that areas are counts. Joined
 * cells show the mean of all their points. Running sums are those at the end of the last bin. */

struct cli_view {
    const struct cli_axis *axis;
    int log;               /* u = log10(x) */
    int equal;             /* all drawn bins have the same width in u, maybe 0 */
    int unbounded;         /* no edge is finite */
    size_t first, last;    /* bins first to last - 1 are drawn */
    long double low, high; /* the ends in u; low < high */
};

struct cli_grid {
    const struct cli_result *result;
    struct cli_view view[2]; /* for one axis, the second is a bin from 0 to 1 */
    size_t width, height;
    double *value;  /* width * height from the topmost row; may be -INFINITY or INFINITY */
    uint8_t *state; /* of each: 0 empty, 1 a number, 2 NaN */
    double *edge;   /* if all bins are at least one point wide, their edges along the first axis, in points */
    int logarithmic, diverging; /* colour scale: from `low` to `high`, or their logarithms; or around 0 */
    double low, high;           /* one axis: lowest and highest bar, including 0; two: low < high */
    int whole;                  /* values are whole numbers */
    char label[48];             /* name of the values, such as "count" */
    double beyond;              /* contents of bins with an infinite edge, which are not drawn; for means, points */
    int has_beyond;
};

/* Computes a grid of at most `width` by `height` points; `even` may make it smaller to give equal bins equally many.
 * Free it with cli_grid_free. `result` is borrowed. */
void cli_grid_make(struct cli_grid *grid, const struct cli_result *result, size_t width, size_t height, int even,
                   enum cli_heat_scale scale);
void cli_grid_free(struct cli_grid *grid);

/* Returns the position of a value on the colour scale, 0 to 1. */
double cli_grid_share(const struct cli_grid *grid, double value);

/* Returns the colour of a share from 0 to 1 as red, green and blue, eight bits each: pale yellow, green, dark blue or,
 * with `diverging`, dark blue (0), near white (0.5), dark brown (1). Both scales are even to the eye and differ in
 * lightness, so that they are readable in grey and by colour-blind users. */
unsigned cli_grid_rgb(double share, int diverging);

/* ---- axes around it, and the text below -------------------------------------------------------------------------- */

/* Drawing area: characters, or a picture in user units. */
struct cli_paper {
    double width;                       /* of the line with the labels below */
    double left, right;                 /* kept free next to the grid, without the labels */
    double point;                       /* width of a grid point */
    double gap;                         /* between two labels */
    size_t rows;                        /* grid points */
    int characters;                     /* labels and marks are at whole points; equal bins have equally many points */
    int colours;                        /* there is a colour bar */
    unsigned max_up, max_across, flags; /* maximum numbers of labels; flags of the ticks */
    double (*measure)(void *on, const char *text);
    void *on;
};

struct cli_frame {
    struct cli_grid grid;
    struct cli_ticks up, colours, across; /* `mark` and `begin` are set for `across` */
    double left, right;                   /* the grid's sides */
    long double low, high;                /* one axis: range of the heights */
    unsigned steps;                       /* one axis of characters: number of steps of the heights */
};

/* Lays out a borrowed result of one or two axes. The caller frees the grid. */
void cli_frame_make(struct cli_frame *frame, const struct cli_result *result, enum cli_heat_scale scale,
                    const struct cli_paper *paper);
void cli_frame_axes(struct cli_frame *frame, const double low[2], const double high[2], const struct cli_paper *paper);

/* Writes the display name of an axis, cut to `columns`: CLI_NAME within a text. */
#define CLI_NAME 24
void cli_frame_axis_name(char text[512], const struct cli_result *result, size_t axis, size_t columns, int utf8);

/* Adds the numbers of bins and points and the contents outside, and ends the lines; `grid` may be NULL. */
void cli_frame_words(struct cli_lines *lines, const struct cli_result *result, const struct cli_grid *grid, int utf8);
