/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows results: a flat one as bars, one over two axes as a map of colours, others in words.
 *
 * Bars stand over the true extents of their bins. Bins of equal width show counts; others, counts divided by width (on
 * a logarithmic axis, by decades), so that a bar's area is the number of values in it. Bins narrower than a pixel or a
 * column are summed over at least one. A bin with an infinite edge is a stub at the end of the axis; edges that are not
 * positive count as infinite on a logarithmic axis. What is not zero never looks empty. On a terminal, few bins of
 * equal width have a row each, with edges and exact count, and sums of weights below zero are arrowheads downwards.
 *
 * Cells of maps lie at their true extents (see heat.h for what their colours mean); where nothing is, there is paper,
 * and sums that are NaN are grey. A bar beside the map tells the colours' values, evenly or by logarithm. Bins with an
 * infinite edge are not on the map.
 *
 * Below stand n, the flow counters, and what bins with an infinite edge hold.
 */
#ifndef CLI_DISPLAY_H
#define CLI_DISPLAY_H

#include "api/cli/display/terminal.h"
#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* Which scale the colours of a map follow; AUTO is logarithmic where most of what is not empty would be of the palest.
 */
enum cli_heat_scale { CLI_HEAT_AUTO, CLI_HEAT_LINEAR, CLI_HEAT_LOG };

/* 0 and the scale of that name (auto, linear or log), or -1. */
int cli_heat_scale_from_name(const char *name, enum cli_heat_scale *scale);

/* Prints the result. Returns 0, or -1 when memory is short or the terminal takes no more. */
int cli_display_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale);

/* Returns 0 when a picture can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_display_check(const char *path, struct cli_error *error);

/* Draws a picture of a flat result, or of one over two axes: .png, of two pixels to a unit, or .svg; 800 units wide and
 * 500 or, of maps, 600 high. Returns 0, or -1 with a line in `error`; no file is left or changed then. */
int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale,
                      struct cli_error *error);

/* The kinds of cli_display_print. */
int cli_bars_print(const struct cli_terminal *terminal, const struct cli_result *result);
int cli_heat_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale);
int cli_table_print(const struct cli_terminal *terminal, const struct cli_result *result);

#endif
