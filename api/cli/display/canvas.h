/* SPDX-License-Identifier: Apache-2.0 */
/* Canvas of pictures, if built with cairo. Distances and sizes are in user units. */
#ifndef CLI_CANVAS_H
#define CLI_CANVAS_H

#ifdef UNIHIST_CAIRO

#include <cairo.h>

#include "api/cli/display/display.h"
#include "api/cli/error.h"

#define CLI_PIXEL      (1.0 / CLI_PICTURE_SCALE)
#define CLI_LINE       (2 * CLI_PIXEL)
#define CLI_MARGIN     20.0
#define CLI_TITLE_SIZE 15.0
#define CLI_LABEL_SIZE 12.0
#define CLI_TICK_SIZE  11.5

void cli_canvas_colour(cairo_t *canvas, unsigned rgb);

/* Titles are bold. */
void cli_canvas_font(cairo_t *canvas, double size, unsigned rgb);

/* Returns the width of a text in the current font. */
double cli_canvas_measure(void *canvas, const char *text);

/* Draws any text, shortened to `room` with an ellipsis, with its `anchor` (0 left end, 0.5 middle, 1 right end) and
 * baseline at (x, y). */
void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, double room, const char *text);

/* Draws a horizontal or vertical line along pixel centres, so that it is sharp. */
void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1);

/* Draws on white paper. Returns 0, or -1 if out of memory. */
typedef int cli_canvas_draw(cairo_t *canvas, const void *what);

/* Writes a .png or .svg picture of this size. Returns 0, or -1 with a message; on failure no file is left or
 * changed. */
int cli_canvas_write(const char *path, double width, double height, cli_canvas_draw *draw, const void *what,
                     struct cli_error *error);

/* Writes the picture to an open file; its name gives the format. Returns 0, or -1 with a message; a failed write may be
 * left for the stream to report. */
int cli_canvas_write_to(FILE *file, const char *path, double width, double height, cli_canvas_draw *draw,
                        const void *what, struct cli_error *error);

#endif
#endif
