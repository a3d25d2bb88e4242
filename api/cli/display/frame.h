/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of charts on a terminal and pictures: the grid, the axes around it with round numbers, and the text
 * below.
 *
 * Labels: on the left, the upward axis (for one axis, the bars' heights); on the right, the colours if the paper has a
 * colour bar; below, the first axis. */
#pragma once

#include "api/cli/display/display.h"

/* ---- round numbers along an axis, at distances of 1, 2 or 5 times a power of ten; on a logarithmic axis, powers of
 * ten */

/* Flags for labels, or-ed. */
enum {
    CLI_TICKS_UTF8 = 1,  /* 10⁶ rather than 1e6 */
    CLI_TICKS_COMMAS = 2 /* 12,000 rather than 12000 */
};

/* Maximum numbers of labelled ticks that may be requested, and of all ticks. */
#define CLI_TICKS_MAJOR 24
#define CLI_TICKS_ALL   320

struct cli_tick {
    double position; /* 0 to 1 along the axis */
    int major;       /* labelled; others are for a fine grid */
    double mark;     /* its position in a frame */
    double begin;    /* start of its label in the frame */
    char label[40];
};

struct cli_ticks {
    size_t count;
    struct cli_tick tick[CLI_TICKS_ALL]; /* ascending */
};

/* Fills `ticks` for an axis from `low` to `high` (logarithms to base ten if `logarithmic`), low < high, with at most
 * `max` labelled ticks (1 to CLI_TICKS_MAJOR), and at least one if they can be distinguished. */
void cli_ticks_make(struct cli_ticks *ticks, long double low, long double high, int logarithmic, unsigned max,
                    unsigned flags);

/* Returns the smallest 1, 2 or 5 times a power of ten that is at least `min` > 0. */
long double cli_ticks_step(long double min);

/* Writes `value` with the digits that distinguish it from neighbours `step` away; `largest`: largest magnitude on the
 * axis. */
void cli_ticks_label(char label[40], long double value, long double step, long double largest, unsigned flags);

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

/* Drawn part of an axis. */
struct cli_view {
    const struct cli_axis *axis;
    int log;               /* u = log10(x) */
    int equal;             /* all drawn bins have the same width in u */
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
 * Returns 0, or -1 if out of memory; call cli_grid_free in both cases. `result` is borrowed. */
int cli_grid_make(struct cli_grid *grid, const struct cli_result *result, size_t width, size_t height, int even,
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
    int below_zero;                     /* bars may extend below zero */
    unsigned max_up, max_across, flags; /* maximum numbers of labels; flags of the ticks */
    double (*measure)(void *on, const char *text);
    void *on;
};

struct cli_frame {
    struct cli_grid grid;
    struct cli_ticks up, colours, across; /* `mark` and `begin` are set for `across` */
    double left, right;                   /* the grid's sides */
    long double low, high;                /* one axis: range of the heights */
    unsigned steps;                       /* one axis: number of steps of the heights */
};

/* Lays out a borrowed result of one or two axes. Returns 0, or -1 if out of memory; the caller frees the grid in both
 * cases. */
int cli_frame_make(struct cli_frame *frame, const struct cli_result *result, enum cli_heat_scale scale,
                   const struct cli_paper *paper);

/* Writes the display name of an axis. */
void cli_frame_axis_name(char text[128], const struct cli_result *result, size_t axis, int utf8);

/* Adds the numbers of bins and points and the contents outside, and ends the lines; `grid` may be NULL. */
void cli_frame_words(struct cli_lines *lines, const struct cli_result *result, const struct cli_grid *grid, int utf8);
