/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/display/canvas.h"

#include <cairo-svg.h>
#include <math.h>

#include "api/cli/display/frame.h"
#include "api/cli/output/output.h"

#define TICK 3.0

/* ---- lines and text ---------------------------------------------------------------------------------------------- */

void cli_canvas_colour(cairo_t *canvas, unsigned rgb) {
    cairo_set_source_rgb(canvas, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

void cli_canvas_font(cairo_t *canvas, double size, unsigned rgb) {
    cairo_select_font_face(canvas, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           size == CLI_TITLE_SIZE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(canvas, size);
    cli_canvas_colour(canvas, rgb);
}

/* Replaces a number's hyphen by the minus sign, which is as wide as a plus. */
static const char *with_sign(char shown[1100], const char *text) {
    const int negative = text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    snprintf(shown, 1100, "%s%s", negative ? "−" : "", text + negative);
    return shown;
}

double cli_canvas_measure(void *canvas, const char *text) {
    char shown[1100];
    cairo_text_extents_t extents;
    cairo_text_extents(canvas, with_sign(shown, text), &extents);
    return extents.x_advance;
}

void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, double room, const char *text) {
    char clean[1024] = "", shown[1100];
    double width = NAN;
    for (size_t columns = 250; columns > 0 && !(width <= room); columns--) {
        cli_text_clean(clean, sizeof clean, text, columns, 1);
        width = cli_canvas_measure(canvas, clean);
    }
    if (!(width <= room))
        return;
    cairo_move_to(canvas, x - anchor * width, y);
    /* Paths, not glyphs: some readers of .svg do not know cairo's glyph references. */
    cairo_text_path(canvas, with_sign(shown, clean));
    cairo_fill(canvas);
}

void cli_canvas_upright(cairo_t *canvas, double x, double top, double bottom, const char *text) {
    cairo_save(canvas);
    cairo_translate(canvas, x, (top + bottom) / 2);
    cairo_rotate(canvas, -M_PI / 2);
    cli_canvas_text(canvas, 0, 0, 0.5, bottom - top, text);
    cairo_restore(canvas);
}

static double sharp(double x) { return (floor(x / CLI_PIXEL) + 0.5) * CLI_PIXEL; }

void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1) {
    cairo_move_to(canvas, sharp(x0), sharp(y0));
    cairo_line_to(canvas, sharp(x1), sharp(y1));
    cairo_stroke(canvas);
}

int cli_canvas_pixels(cairo_t *canvas, double x, double y, size_t width, size_t height, uint32_t *pixels) {
    cairo_surface_t *image = cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_ARGB32,
                                                                 (int)width, (int)height, (int)(4 * width));
    cairo_save(canvas);
    cairo_translate(canvas, x, y);
    cairo_scale(canvas, CLI_PIXEL, CLI_PIXEL);
    cairo_set_source_surface(canvas, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(canvas), CAIRO_FILTER_NEAREST);
    cairo_paint(canvas);
    cairo_restore(canvas);
    cairo_surface_finish(image); /* the canvas keeps no reference to the pixels */
    cairo_surface_destroy(image);
    return cairo_status(canvas) == CAIRO_STATUS_SUCCESS ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Paints the paper, and sets up letters that are the same on every surface. */
static void begin(cairo_t *canvas) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas, options);
    cairo_font_options_destroy(options);
    cli_canvas_colour(canvas, CLI_RGB_PAPER);
    cairo_paint(canvas);
}

static cairo_status_t write_part(void *file, const unsigned char *data, unsigned length) {
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

int cli_canvas_write(FILE *file, const void *what) {
    const struct cli_drawing *drawing = what;
    const int svg = cli_output_format(drawing->path, NULL, CLI_PICTURE_NAMES), pixels = svg ? 1 : CLI_PICTURE_SCALE;
    if (svg < 0)
        return -1;
    const double width = drawing->width, height = drawing->height;
    cairo_surface_t *surface =
        svg ? cairo_svg_surface_create_for_stream(write_part, file, width, height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width * pixels, (int)height * pixels);
    if (svg)
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_t *canvas = cairo_create(surface);
    cairo_scale(canvas, pixels, pixels);
    begin(canvas);
    cairo_status_t status = drawing->draw(canvas, drawing->what) ? CAIRO_STATUS_NO_MEMORY : cairo_status(canvas);
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS && !svg)
        status = cairo_surface_write_to_png_stream(surface, write_part, file);
    cairo_surface_finish(surface); /* writes buffered output */
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS
               ? 0
               : cli_fail("cannot write '%s': %s", drawing->path, cairo_status_to_string(status));
}

int cli_display_check(const char *path) { return cli_output_check(path, NULL, CLI_PICTURE_NAMES); }

/* ---- panels ------------------------------------------------------------------------------------------------------ */

double cli_panel_across(const struct cli_panel *panel, double x) {
    return panel->left + (x - panel->from) / (panel->to - panel->from) * (panel->right - panel->left);
}

double cli_panel_upwards(const struct cli_panel *panel, double y) {
    return panel->bottom - (y - panel->low) / (panel->high - panel->low) * (panel->bottom - panel->top);
}

void cli_panel_axes(const struct cli_panel *panel, unsigned max_across, unsigned max_up, const char *title) {
    cairo_t *canvas = panel->canvas;
    struct cli_ticks ticks;
    cairo_set_line_width(canvas, CLI_PIXEL);
    cli_ticks_make(&ticks, panel->low, panel->high, 0, max_up, CLI_TICKS_UTF8);
    for (const struct cli_tick *tick = ticks.tick; tick < ticks.tick + ticks.count; tick++) {
        const double y = panel->bottom - tick->position * (panel->bottom - panel->top);
        if (!tick->major)
            continue;
        cli_canvas_colour(canvas, CLI_RGB_GRID);
        cli_canvas_line(canvas, panel->left, y, panel->right, y);
        cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(canvas, panel->left - 2 * TICK, y + 0.35 * CLI_TICK_SIZE, 1, CLI_PANEL_LEFT, tick->label);
    }
    cli_ticks_make(&ticks, panel->from, panel->to, 0, max_across, CLI_TICKS_UTF8);
    for (const struct cli_tick *tick = ticks.tick; tick < ticks.tick + ticks.count; tick++) {
        const double x = panel->left + tick->position * (panel->right - panel->left);
        if (!tick->major)
            continue;
        cli_canvas_colour(canvas, CLI_RGB_AXIS);
        cli_canvas_line(canvas, x, panel->bottom, x, panel->bottom + TICK);
        cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(canvas, x, panel->bottom + 2 * TICK + 0.8 * CLI_TICK_SIZE, 0.5, CLI_PANEL_SIDE, tick->label);
    }
    cli_canvas_colour(canvas, CLI_RGB_AXIS);
    cairo_set_line_width(canvas, CLI_LINE);
    cairo_rectangle(canvas, panel->left, panel->top, panel->right - panel->left, panel->bottom - panel->top);
    cairo_stroke(canvas);
    cli_canvas_font(canvas, CLI_LABEL_SIZE, CLI_RGB_TEXT);
    cli_canvas_text(canvas, (panel->left + panel->right) / 2, panel->bottom + 2 * TICK + 2.2 * CLI_TICK_SIZE, 0.5,
                    panel->right - panel->left, title);
}

void cli_panel_title(const struct cli_panel *panel, const char *title, const char *text) {
    const double room = panel->right - panel->left;
    cli_canvas_font(panel->canvas, CLI_TITLE_SIZE, CLI_RGB_TEXT);
    cli_canvas_text(panel->canvas, panel->left, CLI_MARGIN + 0.8 * CLI_TITLE_SIZE, 0, room, title);
    cli_canvas_font(panel->canvas, CLI_TICK_SIZE, CLI_RGB_PALE_TEXT);
    cli_canvas_text(panel->canvas, panel->left, CLI_MARGIN + 2.2 * CLI_TITLE_SIZE, 0, room, text);
}
