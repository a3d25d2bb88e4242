/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a .png or an .svg of what a function draws. */
#ifndef CLI_PLOT_SAVE_H
#define CLI_PLOT_SAVE_H

#include <cairo.h>

#include "api/cli/error.h"

/* Draws the whole picture. Returns 0, or -1 when memory is short; what went wrong in cairo, `canvas` says. */
typedef int (*cli_plot_draw_function)(cairo_t *canvas, const void *result);

/* Writes a picture of `width` by `height` user units, two pixels of the .png to a unit. Returns 0, or -1 with a line in
 * `error`; no file is left or changed then. */
int cli_plot_save(const char *path, int width, int height, cli_plot_draw_function draw, const void *result,
                  struct cli_error *error);

#endif
