/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws a histogram on a terminal, as text.
 *
 * Few bins of equal width: a row for each, with its edges and its exact count. Otherwise columns over the axis of
 * values, each bin over its true extent: bins narrower than a column are summed by exact overlap, so that a column's
 * area is the number of values in it. Bins of equal width show counts; others, counts divided by width (on a
 * logarithmic axis, by decades). A bin with an infinite edge is a stub at the end of the axis. What is not zero never
 * looks empty: it is at least one eighth of a character high. Sums of weights below zero are arrowheads downwards.
 *
 * Under the chart: n, the flow counters, and the counts of bins with an infinite edge.
 */
#ifndef CLI_BARS_H
#define CLI_BARS_H

#include <stdio.h>

#include "api/cli/output/result.h"

/*
 * Prints the chart in lines of at most `width` characters (0 is 80; 20 is the minimum). `utf8`: block characters, else
 * ASCII. `colour`: with ANSI colours. Returns 0, or -1 when memory is short or `out` takes no more.
 */
int cli_bars_print(FILE *out, unsigned width, int utf8, int colour, const struct cli_result *result);

#endif
