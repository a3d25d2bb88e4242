/* SPDX-License-Identifier: Apache-2.0 */
/* What charts on the terminal have alike, and the two kinds of bars, for bars.c. */
#ifndef CLI_BARS_PARTS_H
#define CLI_BARS_PARTS_H

#include <stdio.h>

#include "api/cli/display/plot_view.h"

/* Where a chart is drawn. */
struct cli_bars {
    FILE *out;
    size_t width;
    int utf8;
    int colour;
};

/* Maximum number of bins, all of equal width, that get a row each. */
#define CLI_BARS_ROWS 20

/* A row for each bin, bars from left to right. Returns 0, or -1 when memory is short. */
int cli_bars_rows(const struct cli_bars *bars, const struct cli_view *view);

/* Columns over the axis of values. Returns 0, or -1 when memory is short. */
int cli_bars_columns(const struct cli_bars *bars, const struct cli_view *view);

/* What is drawn on `out`: `width` 0 is 80, and it is kept within `min` and `max`. */
struct cli_bars cli_bars_begin(FILE *out, size_t width, size_t min, size_t max, int utf8, int colour);

/* Prints a line of a text of any content, cut to the width. */
void cli_bars_line(const struct cli_bars *bars, const char *text);

/* Prints `count` times `text`. */
void cli_bars_repeat(const struct cli_bars *bars, const char *text, size_t count);

/* Colours: for bars, for axes and labels, and back to normal. Print nothing where colour is off. */
void cli_bars_paint(const struct cli_bars *bars);
void cli_bars_dim(const struct cli_bars *bars);
void cli_bars_normal(const struct cli_bars *bars);

#endif
