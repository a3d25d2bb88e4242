/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/canvas.h"

#ifdef UNIHIST_CAIRO

#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>

#include "api/cli/output/atomic.h"
#include "api/cli/output/output.h"

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

static double sharp(double x) {
    return (floor(x / CLI_PIXEL) + 0.5) * CLI_PIXEL;
}

void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1) {
    cairo_move_to(canvas, sharp(x0), sharp(y0));
    cairo_line_to(canvas, sharp(x1), sharp(y1));
    cairo_stroke(canvas);
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

/* Arguments of write_picture. */
struct drawing {
    const char *path;
    int svg;
    double width, height;
    cli_canvas_draw *draw;
    const void *what;
};

static cairo_status_t write_part(void *file, const unsigned char *data, unsigned length) {
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int write_picture(FILE *file, const void *what, struct cli_error *error) {
    const struct drawing *drawing = what;
    const int svg = drawing->svg, pixels = svg ? 1 : CLI_PICTURE_SCALE;
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
               : cli_fail(error, "cannot write '%s': %s", drawing->path, cairo_status_to_string(status));
}

int cli_display_check(const char *path, struct cli_error *error) {
    return cli_output_check(path, CLI_PICTURE_NAMES, error);
}

int cli_canvas_write(const char *path, double width, double height, cli_canvas_draw *draw, const void *what,
                     struct cli_error *error) {
    const struct drawing drawing = {path, cli_output_format(path, CLI_PICTURE_NAMES, error), width, height, draw, what};
    return drawing.svg < 0 ? -1 : cli_atomic_write(path, write_picture, &drawing, error);
}

int cli_canvas_write_to(FILE *file, const char *path, double width, double height, cli_canvas_draw *draw,
                        const void *what, struct cli_error *error) {
    const struct drawing drawing = {path, cli_output_format(path, CLI_PICTURE_NAMES, error), width, height, draw, what};
    return drawing.svg < 0 ? -1 : write_picture(file, &drawing, error);
}

#endif
