/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a histogram over two axes as a map of colours.
 *
 * Cells lie at their true extents (see heat_grid.h for what their colours mean); where nothing is, there is paper, and
 * sums that are NaN are grey. A bar beside the map tells the colours' values, evenly or by logarithm. Bins with an
 * infinite edge are not on the map: what they hold is told under it, as are points outside and the flow counters.
 */
#ifndef CLI_HEAT_H
#define CLI_HEAT_H

#include <stdio.h>

#include "api/cli/display/heat_grid.h"
#include "api/cli/error.h"
#include "api/cli/output/result_dd.h"

/* Writes a picture: .png (1600 by 1200 pixels) or .svg (800 by 600 units). `result` has two axes, and cli_plot_check
 * takes the path. Returns 0, or -1 with a line in `error`; no file is left or changed then. */
int cli_heat_write(const char *path, const struct cli_result_dd *result, enum cli_heat_scale scale,
                   struct cli_error *error);

/* Prints the map in lines of at most `width` characters (0 is 80; 20 is the minimum). `utf8`: with block characters,
 * else ASCII. `colour`: in colours of 256, else in shades. Returns 0, or -1 when memory is short or `out` takes no
 * more. */
int cli_heat_print(FILE *out, unsigned width, int utf8, int colour, const struct cli_result_dd *result,
                   enum cli_heat_scale scale);

#endif
