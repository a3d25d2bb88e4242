/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a chart on a terminal and a picture have alike: the grid, the axes around it with their round numbers, and the
 * words below.
 *
 * On the left stand the labels of the axis that runs upwards (of one axis, of the bars' heights), on the right, where
 * the paper has a bar of colours, those of the colours, and below those of the first axis.
 */
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include "api/cli/display/grid.h"
#include "api/cli/display/text.h"
#include "api/cli/display/ticks.h"

/* What is drawn on: characters, or a picture in user units. */
struct cli_paper {
    double width;                       /* of the line that the labels below stand in */
    double left, right;                 /* what is kept free of the grid, besides the labels */
    double point;                       /* the width of a point of the grid */
    double gap;                         /* between two labels */
    size_t rows;                        /* points of the grid */
    int characters;                     /* labels and marks stand in whole points, and equal bins take equally many */
    int colours;                        /* there is a bar of colours */
    int below_zero;                     /* bars may hang down */
    unsigned max_up, max_across, flags; /* labels at most, and the ticks' flags */
    double (*measure)(void *on, const char *text);
    void *on;
};

struct cli_frame {
    struct cli_grid grid;
    struct cli_ticks up, colours, across; /* of those across, `mark` and `begin` are set */
    double left, right;                   /* the grid's sides */
    long double low, high;                /* of one axis: the ends of the heights */
    unsigned steps;                       /* of one axis: how many ticks divide the heights into */
};

/* Lays out a result of one or two axes, which is lent. Returns 0, or -1 when memory is short; cli_frame_free in either
 * case. */
int cli_frame_make(struct cli_frame *frame, const struct cli_result *result, enum cli_heat_scale scale,
                   const struct cli_paper *paper);

void cli_frame_free(struct cli_frame *frame);

/* Writes the name of an axis, fit to be shown. */
void cli_frame_axis_name(char text[128], const struct cli_result *result, size_t axis, int utf8);

/* Tells how many bins and points there are, and what lies outside, in the last of the lines; `grid` may be NULL. */
void cli_frame_words(struct cli_lines *lines, const struct cli_result *result, const struct cli_grid *grid, int utf8);

#endif
