/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws a histogram as a picture: .png (1600 by 1000 pixels) or .svg (800 by 500 units), by the same code.
 *
 * Bars stand over the true extents of their bins. Bins of equal width show counts; others, counts divided by width (on
 * a logarithmic axis, by decades), so that a bar's area is the number of values in it. Bins narrower than a pixel are
 * summed over at least one. A bin with an infinite edge is a stub that fades out at the end of the axis; edges that
 * are not positive count as infinite on a logarithmic axis.
 */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* Returns 0 when a picture can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_plot_check(const char *path, struct cli_error *error);

/* Writes the picture. Returns 0, or -1 with a line in `error`; no file is left or changed then. */
int cli_plot_write(const char *path, const struct cli_result *result, struct cli_error *error);

#endif
