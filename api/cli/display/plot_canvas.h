/* SPDX-License-Identifier: Apache-2.0 */
/* Colours and texts of the pictures. */
#ifndef CLI_PLOT_CANVAS_H
#define CLI_PLOT_CANVAS_H

#include <cairo.h>

/* The smallest part worth drawing, in user units: a pixel of the .png. */
#define CLI_PLOT_PIXEL 0.5

enum cli_colour {
    CLI_COLOUR_PAPER,
    CLI_COLOUR_FILL,
    CLI_COLOUR_OUTLINE,
    CLI_COLOUR_AXIS,
    CLI_COLOUR_TEXT,
    CLI_COLOUR_PALE_TEXT,
    CLI_COLOUR_GRID,
    CLI_COLOUR_FINE_GRID
};

/* Returns red, green and blue, eight bits each. */
unsigned cli_canvas_rgb(enum cli_colour colour);

/* Prepares a canvas: the same letters on every surface, and blank paper. */
void cli_canvas_begin(cairo_t *canvas);

void cli_canvas_colour(cairo_t *canvas, enum cli_colour colour);
void cli_canvas_font(cairo_t *canvas, double size, int bold);

/* Returns the width of a text in the font that is set. */
double cli_canvas_width(cairo_t *canvas, const char *text);

/* Shows a text of valid UTF-8 with its `anchor` (0 left end, 0.5 middle, 1 right end) and baseline at (x, y). */
void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, const char *text);

/* The same for a number, with the sign that is as wide as a plus, not the hyphen. */
void cli_canvas_number(cairo_t *canvas, double x, double y, double anchor, const char *number);

/* Draws a horizontal or vertical line in the middle of pixels, lest it blur. */
void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1);

/* Shows a text of any content from (x, y), cut to `width` with an ellipsis. */
void cli_canvas_cut_text(cairo_t *canvas, double x, double y, double width, const char *text);

#endif
