/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common parts of charts on a terminal and pictures: the grid, the axes around it with round numbers, and the text
 * below.
 *
 * Labels: on the left, the upward axis (for one axis, the bars' heights); on the right, the colours if the paper has a
 * colour bar; below, the first axis.
 */
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include "api/cli/display/grid.h"
#include "api/cli/display/text.h"
#include "api/cli/display/ticks.h"

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

/* Lays out a borrowed result of one or two axes. Returns 0, or -1 if out of memory; call cli_frame_free in both
 * cases. */
int cli_frame_make(struct cli_frame *frame, const struct cli_result *result, enum cli_heat_scale scale,
                   const struct cli_paper *paper);

void cli_frame_free(struct cli_frame *frame);

/* Writes the display name of an axis. */
void cli_frame_axis_name(char text[128], const struct cli_result *result, size_t axis, int utf8);

/* Adds the numbers of bins and points and the contents outside, and ends the lines; `grid` may be NULL. */
void cli_frame_words(struct cli_lines *lines, const struct cli_result *result, const struct cli_grid *grid, int utf8);

#endif
