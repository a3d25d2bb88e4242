/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a histogram with cairo, on whatever surface. */
#ifndef CLI_PLOT_DRAW_H
#define CLI_PLOT_DRAW_H

#include <cairo.h>

#include "api/cli/display/plot_canvas.h"
#include "api/cli/output/result.h"

/* The size of the picture in user units. */
#define CLI_PLOT_WIDTH  800
#define CLI_PLOT_HEIGHT 500

/* Draws the whole picture. Returns 0, or -1 when memory is short; what went wrong in cairo, `canvas` says. */
int cli_plot_draw(cairo_t *canvas, const struct cli_result *result);

#endif
