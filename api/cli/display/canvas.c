/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/display/canvas.h"

#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/output/output.h"

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

/* cairo draws letters as paths: texts of an .svg file are collected here, so that they can be found and read out. */
struct texts {
    FILE *file;
    char about[4096]; /* all but labels of ticks */
};

static const cairo_user_data_key_t key_of_texts;

static void write_escaped(FILE *file, const char *before, const char *text, const char *after) {
    fputs(before, file);
    for (; *text; text++)
        fprintf(file, strchr("&<>", *text) ? "&#%d;" : "%c", *text);
    fputs(after, file);
}

static void write_text(cairo_t *canvas, struct texts *texts, double x, double y, double anchor, const char *text) {
    double red, green, blue;
    cairo_matrix_t font, turn;
    cairo_get_font_matrix(canvas, &font);
    cairo_get_matrix(canvas, &turn);
    cairo_pattern_get_rgba(cairo_get_source(canvas), &red, &green, &blue, NULL);
    cairo_user_to_device(canvas, &x, &y);
    fprintf(texts->file,
            "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" font-weight=\"%s\" fill=\"#%02x%02x%02x\" text-anchor=\"%s\"",
            x, y, font.xx, font.xx == CLI_TITLE_SIZE ? "bold" : "normal", (unsigned)lround(255 * red),
            (unsigned)lround(255 * green), (unsigned)lround(255 * blue),
            anchor == 0  ? "start"
            : anchor < 1 ? "middle"
                         : "end");
    if (turn.yx < 0)
        fprintf(texts->file, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    write_escaped(texts->file, ">", text, "</text>\n");
    if (font.xx != CLI_TICK_SIZE && strlen(texts->about) + strlen(text) + 3 < sizeof texts->about)
        cli_append(texts->about, sizeof texts->about, "; ", "%s", text);
}

void cli_canvas_text(cairo_t *canvas, double x, double y, double anchor, double room, const char *text) {
    char clean[1024] = "", shown[1100];
    double width = NAN;
    for (size_t columns = 250; columns > 0 && !(width <= room); columns--) {
        cli_text_clean(clean, sizeof clean, text, columns, 1);
        width = cli_canvas_measure(canvas, clean);
    }
    struct texts *texts = cairo_get_user_data(canvas, &key_of_texts);
    if (!(width <= room) || !*clean)
        return;
    with_sign(shown, clean);
    if (texts) {
        write_text(canvas, texts, x, y, anchor, shown);
        return;
    }
    cairo_move_to(canvas, x - anchor * width, y);
    cairo_text_path(canvas, shown);
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

/* Lines that are one path take little space in an .svg file. */
static void add_line(cairo_t *canvas, double x0, double y0, double x1, double y1) {
    cairo_move_to(canvas, sharp(x0), sharp(y0));
    cairo_line_to(canvas, sharp(x1), sharp(y1));
}

void cli_canvas_line(cairo_t *canvas, double x0, double y0, double x1, double y1) {
    add_line(canvas, x0, y0, x1, y1);
    cairo_stroke(canvas);
}

void cli_canvas_pixels(cairo_t *canvas, double x, double y, size_t width, size_t height, uint32_t *pixels) {
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
}

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

/* Draws, and writes a .png or, with `texts`, an .svg without its texts. */
static cairo_status_t draw(FILE *file, const struct cli_drawing *drawing, struct texts *texts) {
    const double width = drawing->width, height = drawing->height;
    const int pixels = texts ? 1 : CLI_PICTURE_SCALE;
    cairo_surface_t *surface =
        texts ? cairo_svg_surface_create_for_stream(write_part, file, width, height)
              : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width * pixels, (int)height * pixels);
    if (texts)
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_t *canvas = cairo_create(surface);
    cairo_scale(canvas, pixels, pixels);
    begin(canvas);
    cairo_set_user_data(canvas, &key_of_texts, texts, NULL);
    drawing->draw(canvas, drawing->what);
    cairo_status_t status = cairo_status(canvas);
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS && !texts)
        status = cairo_surface_write_to_png_stream(surface, write_part, file);
    cairo_surface_finish(surface); /* writes buffered output */
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static cairo_status_t write_svg(FILE *file, const struct cli_drawing *drawing) {
    char *part[2] = {NULL, NULL}, title[1024];
    size_t size[2];
    FILE *shapes = cli_have(open_memstream(&part[0], &size[0]));
    struct texts texts = {.file = cli_have(open_memstream(&part[1], &size[1]))};
    cairo_status_t status = draw(shapes, drawing, &texts);
    if (fclose(shapes) | fclose(texts.file))
        status = CAIRO_STATUS_NO_MEMORY;
    if (status == CAIRO_STATUS_SUCCESS) {
        cli_text_clean(title, sizeof title, drawing->title, sizeof title, 1);
        const double width = drawing->width, height = drawing->height;
        fprintf(file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpx\" height=\"%gpx\" viewBox=\"0 0 %g %g\" "
                "role=\"img\">\n",
                width, height, width, height);
        write_escaped(file, "<title>", title, "</title>\n");
        write_escaped(file, "<desc>", texts.about, "</desc>");
        fprintf(file, "%s<g font-family=\"sans-serif\">\n%s</g>\n</svg>\n", strchr(part[0], '\n'), part[1]);
    }
    free(part[0]);
    free(part[1]);
    return status;
}

int cli_canvas_write(FILE *file, const void *what) {
    const struct cli_drawing *drawing = what;
    const int svg = cli_output_format(drawing->path, NULL, CLI_PICTURE_NAMES);
    if (svg < 0)
        return -1;
    const cairo_status_t status = svg ? write_svg(file, drawing) : draw(file, drawing, NULL);
    return status == CAIRO_STATUS_SUCCESS
               ? 0
               : cli_fail("cannot write '%s': %s", drawing->path, cairo_status_to_string(status));
}

int cli_display_check(const char *path) { return cli_output_check(path, NULL, CLI_PICTURE_NAMES); }

double cli_panel_across(const struct cli_panel *panel, double x) {
    return panel->left + (x - panel->from) / (panel->to - panel->from) * (panel->right - panel->left);
}

double cli_panel_upwards(const struct cli_panel *panel, double y) {
    return panel->bottom - (y - panel->low) / (panel->high - panel->low) * (panel->bottom - panel->top);
}

void cli_panel_ticks(struct cli_panel *panel, unsigned max_across, unsigned max_up) {
    double width = 0;
    cli_canvas_font(panel->canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
    cli_ticks_make(&panel->ticks[0], panel->from, panel->to, 0, max_across, CLI_TICKS_UTF8);
    cli_ticks_make(&panel->ticks[1], panel->low, panel->high, 0, max_up, CLI_TICKS_UTF8);
    for (size_t i = 0; i < panel->ticks[1].count; i++)
        width = fmax(width, cli_canvas_measure(panel->canvas, panel->ticks[1].tick[i].label));
    panel->left = panel->start + 1.5 * CLI_LABEL_SIZE + width + CLI_TICK + CLI_GAP;
}

static void draw_lines(const struct cli_panel *panel, double width, unsigned rgb) {
    cairo_set_line_width(panel->canvas, width);
    cli_canvas_colour(panel->canvas, rgb);
    cairo_stroke(panel->canvas);
}

static double length_of(const struct cli_tick *tick) { return CLI_TICK * (tick->major ? 1 : 0.5); }

static double height_of(const struct cli_panel *panel, const struct cli_tick *tick) {
    return panel->bottom - tick->position * (panel->bottom - panel->top);
}

static double place_of(const struct cli_panel *panel, const struct cli_tick *tick) {
    return panel->left + tick->position * (panel->right - panel->left);
}

void cli_panel_side(const struct cli_panel *panel, const struct cli_ticks *ticks, double x, int side) {
    cairo_t *canvas = panel->canvas;
    const double near = x + side * (CLI_TICK + CLI_GAP), begin = x + side * CLI_LINE;
    const struct cli_tick *tick, *end = ticks->tick + ticks->count;
    for (tick = ticks->tick; tick < end; tick++)
        add_line(canvas, begin, height_of(panel, tick), begin + side * length_of(tick), height_of(panel, tick));
    draw_lines(panel, CLI_LINE, CLI_RGB_AXIS);
    cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
    for (tick = ticks->tick; tick < end; tick++)
        cli_canvas_text(canvas, near, height_of(panel, tick) + 0.35 * CLI_TICK_SIZE, side < 0, INFINITY, tick->label);
    const double width = cli_canvas_measure(canvas, ticks->unit);
    const double right = side < 0 ? fmax(near, CLI_MARGIN + width) : fmin(near + width, CLI_PICTURE_WIDTH - CLI_GAP);
    cli_canvas_text(canvas, right, panel->top - CLI_GAP, 1, INFINITY, ticks->unit);
}

static void draw_below(const struct cli_panel *panel, const struct cli_ticks *ticks) {
    cairo_t *canvas = panel->canvas;
    const double bottom = panel->bottom + CLI_LINE, baseline = bottom + CLI_TICK + CLI_GAP / 2 + CLI_TICK_SIZE;
    const double below = baseline + 1.6 * CLI_LABEL_SIZE, room = panel->right - panel->left;
    const struct cli_tick *tick, *end = ticks->tick + ticks->count;
    for (tick = ticks->tick; tick < end; tick++)
        add_line(canvas, place_of(panel, tick), bottom, place_of(panel, tick), bottom + length_of(tick));
    draw_lines(panel, CLI_LINE, CLI_RGB_AXIS);
    cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
    for (tick = ticks->tick; tick < end; tick++) {
        const double last = CLI_PICTURE_WIDTH - CLI_GAP - cli_canvas_measure(canvas, tick->label) / 2;
        cli_canvas_text(canvas, fmin(place_of(panel, tick), last), baseline, 0.5, INFINITY, tick->label);
    }
    cli_canvas_text(canvas, panel->right, below, 1, INFINITY, ticks->unit);
    const double taken = *ticks->unit ? 2 * (cli_canvas_measure(canvas, ticks->unit) + CLI_GAP) : 0;
    cli_canvas_font(canvas, CLI_LABEL_SIZE, CLI_RGB_TEXT);
    cli_canvas_text(canvas, (panel->left + panel->right) / 2, below, 0.5, room - taken, panel->name[0]);
}

void cli_panel_frame(const struct cli_panel *panel, double left, double right) {
    cairo_rectangle(panel->canvas, left - CLI_LINE / 2, panel->top - CLI_LINE / 2, right - left + CLI_LINE,
                    panel->bottom - panel->top + CLI_LINE);
    draw_lines(panel, CLI_LINE, CLI_RGB_AXIS);
}

void cli_panel_axes(const struct cli_panel *panel, int grid) {
    const struct cli_ticks *across = &panel->ticks[0], *up = &panel->ticks[1];
    for (const struct cli_tick *tick = up->tick; tick < up->tick + up->count && grid > 0; tick++)
        if (tick->major)
            add_line(panel->canvas, panel->left, height_of(panel, tick), panel->right, height_of(panel, tick));
    for (const struct cli_tick *tick = across->tick; tick < across->tick + across->count && grid > 1; tick++)
        if (tick->major)
            add_line(panel->canvas, place_of(panel, tick), panel->top, place_of(panel, tick), panel->bottom);
    draw_lines(panel, CLI_PIXEL, CLI_RGB_GRID);
    cli_panel_side(panel, &panel->ticks[1], panel->left, -1);
    draw_below(panel, &panel->ticks[0]);
    cli_canvas_upright(panel->canvas, panel->start + 0.8 * CLI_LABEL_SIZE, panel->top, panel->bottom, panel->name[1]);
    cli_panel_frame(panel, panel->left, panel->right);
}

void cli_panel_title(const struct cli_panel *panel, const char *title, const char *text) {
    const double room = panel->right - panel->left;
    cli_canvas_font(panel->canvas, CLI_TITLE_SIZE, CLI_RGB_TEXT);
    cli_canvas_text(panel->canvas, panel->left, CLI_MARGIN + 0.8 * CLI_TITLE_SIZE, 0, room, title);
    cli_canvas_font(panel->canvas, CLI_CAPTION_SIZE, CLI_RGB_PALE_TEXT);
    cli_canvas_text(panel->canvas, panel->left, CLI_MARGIN + 2.2 * CLI_TITLE_SIZE, 0, room, text);
}
