/* SPDX-License-Identifier: Apache-2.0 */
/* Colours and texts of the pictures. */
#ifndef CLI_PLOT_CANVAS_H
#define CLI_PLOT_CANVAS_H

#include <cairo.h>

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

void cli_canvas_colour(cairo_t *canvas, enum cli_colour colour);
void cli_canvas_font(cairo_t *canvas, double size, int bold);

/* Returns the width of a text in the font that is set. */
double cli_canvas_width(cairo_t *canvas, const char *text);

/* Shows a text of valid UTF-8 with its `anchor` (0 left end, 0.5 middle, 1 right end) and baseline at (x, y). */
void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, const char *text);

/* Shows a text of any content from (x, y), cut to `width` with an ellipsis. */
void cli_canvas_cut_text(cairo_t *canvas, double x, double y, double width, const char *text);

#endif
