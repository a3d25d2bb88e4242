/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/display/canvas.h"

#include <math.h>
#include <stdio.h>

#include "api/cli/display/text.h"

#define TITLE_SIZE   15.0
#define CAPTION_SIZE 11.0

unsigned cli_canvas_rgb(enum cli_colour colour) {
    static const unsigned rgb[] = {0xffffff, 0x8db4d8, 0x3b6a97, 0x4a4f55, 0x24292e, 0x626a73, 0xdde1e5, 0xf0f2f4};
    return rgb[colour];
}

void cli_canvas_colour(cairo_t *canvas, enum cli_colour colour) {
    unsigned rgb = cli_canvas_rgb(colour);
    cairo_set_source_rgb(canvas, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

void cli_canvas_begin(cairo_t *canvas) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas, options);
    cairo_font_options_destroy(options);
    cli_canvas_colour(canvas, CLI_COLOUR_PAPER);
    cairo_paint(canvas);
}

void cli_canvas_font(cairo_t *canvas, double size, int bold) {
    cairo_select_font_face(canvas, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas, size);
}

double cli_canvas_width(cairo_t *canvas, const char *text) {
    cairo_text_extents_t extents;
    cairo_text_extents(canvas, text, &extents);
    return extents.x_advance;
}

void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, const char *text) {
    cairo_move_to(canvas, x - anchor * cli_canvas_width(canvas, text), y);
    /* As shapes, not glyphs: not every reader of .svg knows the references that cairo makes of glyphs. */
    cairo_text_path(canvas, text);
    cairo_fill(canvas);
}

void cli_canvas_number(cairo_t *canvas, double x, double y, double anchor, const char *number) {
    char text[48];
    snprintf(text, sizeof text, "%s%s", *number == '-' ? "−" : "", number + (*number == '-'));
    cli_canvas_text(canvas, x, y, anchor, text);
}

static double sharp(double x) {
    return (floor(x / CLI_CANVAS_PIXEL) + 0.5) * CLI_CANVAS_PIXEL;
}

void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1) {
    cairo_move_to(canvas, sharp(x0), sharp(y0));
    cairo_line_to(canvas, sharp(x1), sharp(y1));
    cairo_stroke(canvas);
}

void cli_canvas_cut_text(cairo_t *canvas, double x, double y, double width, const char *text) {
    char clean[1024];
    for (size_t columns = 250; columns > 0; columns--) {
        cli_text_clean(clean, sizeof clean, text, columns, 1);
        if (cli_canvas_width(canvas, clean) <= width) {
            cli_canvas_text(canvas, x, y, 0, clean);
            return;
        }
    }
}

double cli_canvas_widest(cairo_t *canvas, const struct cli_ticks *ticks) {
    double width = 0;
    cli_canvas_font(canvas, TICK_SIZE, 0);
    for (size_t i = 0; i < ticks->count; i++)
        width = fmax(width, cli_canvas_width(canvas, ticks->tick[i].label));
    return width;
}

int cli_canvas_labels_fit(cairo_t *canvas, struct cli_ticks *ticks, double begin, double end, double min, double max) {
    double used = 0;
    cli_canvas_font(canvas, TICK_SIZE, 0);
    for (size_t i = 0; i < ticks->count; i++) {
        struct cli_tick *tick = &ticks->tick[i];
        double half = cli_canvas_width(canvas, tick->label) / 2, x = begin + tick->position * (end - begin);
        if (x - half < min || x + half > max)
            tick->label[0] = 0;
        if (!tick->label[0])
            continue;
        if (x - half < used)
            return 0;
        used = x + half + 2 * GAP;
    }
    return 1;
}

void cli_canvas_labels(cairo_t *canvas, const struct cli_ticks *ticks, double x0, double y0, double x1, double y1,
                       double anchor) {
    cli_canvas_colour(canvas, CLI_COLOUR_TEXT);
    cli_canvas_font(canvas, TICK_SIZE, 0);
    for (size_t i = 0; i < ticks->count; i++)
        cli_canvas_number(canvas, x0 + ticks->tick[i].position * (x1 - x0), y0 + ticks->tick[i].position * (y1 - y0),
                          anchor, ticks->tick[i].label);
}

void cli_canvas_upright(cairo_t *canvas, double x, double y, double room, const char *text) {
    cairo_save(canvas);
    cairo_translate(canvas, x, y);
    cairo_rotate(canvas, -M_PI / 2);
    double width = fmin(cli_canvas_width(canvas, text), room);
    cli_canvas_cut_text(canvas, -width / 2, 0, room, text);
    cairo_restore(canvas);
}

void cli_canvas_title(cairo_t *canvas, double left, double room, const char *title) {
    cli_canvas_colour(canvas, CLI_COLOUR_TEXT);
    cli_canvas_font(canvas, TITLE_SIZE, 1);
    cli_canvas_cut_text(canvas, left, MARGIN + 0.8 * TITLE_SIZE, room, title ? title : "");
}

void cli_canvas_caption(cairo_t *canvas, double left, double y, double room, const char *text) {
    cli_canvas_colour(canvas, CLI_COLOUR_PALE_TEXT);
    cli_canvas_font(canvas, CAPTION_SIZE, 0);
    cli_canvas_cut_text(canvas, left, y, room, text);
}
