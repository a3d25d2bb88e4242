/* SPDX-License-Identifier: Apache-2.0 */
/* Canvas of pictures, if built with cairo. Distances and sizes are in user units. */
#pragma once

#include <cairo.h>

#include "api/cli/display/display.h"
#include "api/cli/display/ticks.h"

#define CLI_PIXEL        (1.0 / CLI_PICTURE_SCALE)
#define CLI_LINE         (2 * CLI_PIXEL)
#define CLI_MARGIN       20.0
#define CLI_TITLE_SIZE   15.0
#define CLI_LABEL_SIZE   12.0
#define CLI_TICK_SIZE    11.5 /* texts of this size are numbers */
#define CLI_CAPTION_SIZE 11.0
#define CLI_TICK         4.0 /* length of a tick */
#define CLI_GAP          6.0

void cli_canvas_colour(cairo_t *canvas, unsigned rgb);

/* Titles are bold. */
void cli_canvas_font(cairo_t *canvas, double size, unsigned rgb);
double cli_canvas_measure(void *canvas, const char *text);

/* Draws any text, shortened to `room` with an ellipsis, with its `anchor` (0 left end, 0.5 middle, 1 right end) and
 * baseline at (x, y). */
void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, double room, const char *text);

/* Draws upright text with its baseline at x, in the middle between top and bottom. */
void cli_canvas_upright(cairo_t *canvas, double x, double top, double bottom, const char *text);

/* Draws a horizontal or vertical line along pixel centres, so that it is sharp. */
void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1);

/* Paints pixels, ARGB with premultiplied alpha, row by row from (x, y). */
void cli_canvas_pixels(cairo_t *canvas, double x, double y, size_t width, size_t height, uint32_t *pixels);

/* A picture for a .png or .svg file. `draw` draws on white paper. */
struct cli_drawing {
    const char *path;  /* its ending gives the format */
    const char *title; /* of an .svg file, or NULL */
    double width, height;
    void (*draw)(cairo_t *canvas, const void *what);
    const void *what;
};

/* Writes a picture, a struct cli_drawing, for cli_atomic_write. Returns 0, or -1 with a message; a failed write may be
 * left for the stream to report. */
int cli_canvas_write(FILE *file, const void *what);

/* ---- panels: areas of a picture with axes around them ------------------------------------------------------------ */

/* Converts coordinates to positions. */
struct cli_panel {
    cairo_t *canvas;
    double start; /* left of its labels */
    double left, right, top, bottom;
    double from, to;  /* across */
    double low, high; /* upwards */
    struct cli_ticks ticks[2];
    const char *name[2]; /* of the axes across and upwards */
};

double cli_panel_across(const struct cli_panel *panel, double x);
double cli_panel_upwards(const struct cli_panel *panel, double y);

/* Makes the ticks, with at most the given numbers of labels, and leaves room for them. */
void cli_panel_ticks(struct cli_panel *panel, unsigned max_across, unsigned max_up);

/* Draws ticks of an upward axis at x, labels to the left (`side` -1) or right (1), above what these share. */
void cli_panel_side(const struct cli_panel *panel, const struct cli_ticks *ticks, double x, int side);

/* Draws a frame around left to right, without covering these. */
void cli_panel_frame(const struct cli_panel *panel, double left, double right);

/* Draws both axes with their names, the frame, and lines across (`grid` 1), or also upwards (2). */
void cli_panel_axes(const struct cli_panel *panel, int grid);
void cli_panel_title(const struct cli_panel *panel, const char *title, const char *text);
