/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures have alike: colours, sizes, texts, the labels of axes, the title and what is told below. */
#ifndef CLI_CANVAS_H
#define CLI_CANVAS_H

#include <cairo.h>

#include "api/cli/display/display.h"
#include "api/cli/display/ticks.h"

/* The size of pictures in user units. */
#define CLI_CANVAS_WIDTH 800
#define CLI_BARS_HEIGHT  500
#define CLI_HEAT_HEIGHT  600

/* The smallest part worth drawing, in user units: a pixel of the .png. */
#define CLI_CANVAS_PIXEL 0.5

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

/* Draw the whole picture on blank paper. Return 0, or -1 when memory is short; what went wrong in cairo, `canvas` says.
 */
int cli_bars_draw(cairo_t *canvas, const struct cli_result *result);
int cli_heat_draw(cairo_t *canvas, const struct cli_result *result, enum cli_heat_scale scale);

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

/* Draws a horizontal or vertical line in the middle of pixels, so that it is sharp. */
void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1);

/* Shows a text of any content from (x, y), cut to `width` with an ellipsis. */
void cli_canvas_cut_text(cairo_t *canvas, double x, double y, double width, const char *text);

/* Distances and sizes in user units. */
#define MARGIN      20.0
#define LABEL_SIZE  12.0
#define TICK_SIZE   11.5
#define TICK_LENGTH 4.0
#define GAP         6.0

/* Where labels of a horizontal axis have their baseline, below the axis. */
#define LABEL_BASELINE (TICK_LENGTH + GAP / 2 + TICK_SIZE)

/* Returns the width of the widest label. */
double cli_canvas_widest(cairo_t *canvas, const struct cli_ticks *ticks);

/* Removes labels of a horizontal axis from `begin` to `end` that would stand beyond `min` or `max`. Returns whether
 * the others stand apart. */
int cli_canvas_labels_fit(cairo_t *canvas, struct cli_ticks *ticks, double begin, double end, double min, double max);

/* Shows the labels of an axis along a line from (x0, y0) to (x1, y1), as cli_canvas_number. */
void cli_canvas_labels(cairo_t *canvas, const struct cli_ticks *ticks, double x0, double y0, double x1, double y1,
                       double anchor);

/* Shows the name of a vertical axis, upright: its baseline at x, its middle at y, cut to `room`. */
void cli_canvas_upright(cairo_t *canvas, double x, double y, double room, const char *text);

/* Shows the title, if there is one, or a line below the picture with its baseline at y, from `left` on, cut to `room`.
 */
void cli_canvas_title(cairo_t *canvas, double left, double room, const char *title);
void cli_canvas_caption(cairo_t *canvas, double left, double y, double room, const char *text);

#endif
