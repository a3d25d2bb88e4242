/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by cairo, where the build has it. Distances and sizes are in user units. */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/output/output.h"

#ifdef UNIHIST_CAIRO

#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/frame.h"
#include "api/cli/output/atomic.h"

#define PIXEL        (1.0 / CLI_PICTURE_SCALE)
#define LINE         (2 * PIXEL)
#define MARGIN       20.0
#define TITLE_SIZE   15.0
#define LABEL_SIZE   12.0
#define TICK_SIZE    11.5
#define CAPTION_SIZE 11.0
#define TICK_LENGTH  4.0
#define GAP          6.0
#define BAR          16.0 /* the colour bar's width */
#define OUTLINED     5.0  /* bars at least this wide have outlines */
#define MIN_HEIGHT   0.75 /* a bar that is not empty is seen */
#define MAX_TICKS    9

/* A picture in the making. */
struct picture {
    cairo_t *canvas;
    struct cli_frame frame;
    double top, bottom; /* of the frame; its left and right sides are the grid's */
    double caption;     /* the baseline of the next line below */
};

/* ---- lines and texts --------------------------------------------------------------------------------------------- */

static void set_colour(const struct picture *picture, unsigned rgb) {
    cairo_set_source_rgb(picture->canvas, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

static void set_font(const struct picture *picture, double size, unsigned rgb) {
    cairo_select_font_face(picture->canvas, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           size == TITLE_SIZE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(picture->canvas, size);
    set_colour(picture, rgb);
}

/* Writes a number with the sign that is as wide as a plus, not the hyphen. */
static const char *with_sign(char shown[1100], const char *text) {
    const int negative = text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    snprintf(shown, 1100, "%s%s", negative ? "−" : "", text + negative);
    return shown;
}

/* Returns the width of a text in the font that is set. */
static double measure(void *picture, const char *text) {
    char shown[1100];
    cairo_text_extents_t extents;
    cairo_text_extents(((struct picture *)picture)->canvas, with_sign(shown, text), &extents);
    return extents.x_advance;
}

/* Shows a text of any content, cut to `room` with an ellipsis, with its `anchor` (0 left end, 0.5 middle, 1 right end)
 * and baseline at (x, y). */
static void draw_text(struct picture *picture, double x, double y, double anchor, double room, const char *text) {
    char clean[1024] = "", shown[1100];
    double width = NAN;
    for (size_t columns = 250; columns > 0 && !(width <= room); columns--) {
        cli_text_clean(clean, sizeof clean, text, columns, 1);
        width = measure(picture, clean);
    }
    if (!(width <= room))
        return;
    cairo_move_to(picture->canvas, x - anchor * width, y);
    /* As shapes, not glyphs: not every reader of .svg knows the references that cairo makes of glyphs. */
    cairo_text_path(picture->canvas, with_sign(shown, clean));
    cairo_fill(picture->canvas);
}

/* In the middle of the frame's side, upright, with its baseline at x. */
static void draw_upright(struct picture *picture, double x, const char *text) {
    cairo_save(picture->canvas);
    cairo_translate(picture->canvas, x, (picture->top + picture->bottom) / 2);
    cairo_rotate(picture->canvas, -M_PI / 2);
    draw_text(picture, 0, 0, 0.5, picture->bottom - picture->top, text);
    cairo_restore(picture->canvas);
}

static double sharp(double x) {
    return (floor(x / PIXEL) + 0.5) * PIXEL;
}

/* Draws a horizontal or vertical line in the middle of pixels, so that it is sharp. */
static void draw_line(const struct picture *picture, double x0, double y0, double x1, double y1) {
    cairo_move_to(picture->canvas, sharp(x0), sharp(y0));
    cairo_line_to(picture->canvas, sharp(x1), sharp(y1));
    cairo_stroke(picture->canvas);
}

/* ---- what all pictures have -------------------------------------------------------------------------------------- */

static double height_of(const struct picture *picture, double position) {
    return picture->bottom - position * (picture->bottom - picture->top);
}

/* A frame around an area that it leaves free; both lie on pixels. */
static void draw_frame(const struct picture *picture, double left, double right) {
    set_colour(picture, CLI_RGB_AXIS);
    cairo_set_line_width(picture->canvas, LINE);
    cairo_rectangle(picture->canvas, left - LINE / 2, picture->top - LINE / 2, right - left + LINE,
                    picture->bottom - picture->top + LINE);
    cairo_stroke(picture->canvas);
}

/* The ticks and labels of an axis that runs upwards; `side` is -1 left of x, 1 right of it. */
static void draw_side(struct picture *picture, const struct cli_ticks *ticks, double x, int side) {
    for (const struct cli_tick *tick = ticks->tick; tick < ticks->tick + ticks->count; tick++) {
        const double y = height_of(picture, tick->position), length = TICK_LENGTH * (tick->major ? 1 : 0.5);
        set_colour(picture, CLI_RGB_AXIS);
        draw_line(picture, x + side * LINE, y, x + side * (LINE + length), y);
        set_font(picture, TICK_SIZE, CLI_RGB_TEXT);
        draw_text(picture, x + side * (TICK_LENGTH + GAP), y + 0.35 * TICK_SIZE, side < 0, INFINITY, tick->label);
    }
}

static void draw_axes(struct picture *picture, const char *up) {
    const struct cli_frame *frame = &picture->frame;
    const struct cli_ticks *across = &frame->across;
    const double bottom = picture->bottom + LINE, baseline = bottom + TICK_LENGTH + GAP / 2 + TICK_SIZE;
    char name[128];
    draw_side(picture, &frame->up, frame->left, -1);
    for (const struct cli_tick *tick = across->tick; tick < across->tick + across->count; tick++) {
        set_colour(picture, CLI_RGB_AXIS);
        draw_line(picture, tick->mark, bottom, tick->mark, bottom + TICK_LENGTH * (tick->major ? 1 : 0.5));
        set_font(picture, TICK_SIZE, CLI_RGB_TEXT);
        draw_text(picture, tick->begin, baseline, 0, INFINITY, tick->label);
    }
    set_font(picture, LABEL_SIZE, CLI_RGB_TEXT);
    cli_frame_axis_name(name, frame->grid.result, 0, 1);
    draw_text(picture, (frame->left + frame->right) / 2, baseline + 1.6 * LABEL_SIZE, 0.5, frame->right - frame->left,
              name);
    draw_upright(picture, MARGIN + 0.8 * LABEL_SIZE, up);
}

static void draw_caption(void *on, const char *line) {
    struct picture *picture = on;
    draw_text(picture, picture->frame.left, picture->caption, 0, CLI_PICTURE_WIDTH - MARGIN - picture->frame.left,
              line);
    picture->caption += 0.8 * MARGIN;
}

/* The title, and under the picture what it cannot show. */
static void draw_words(struct picture *picture) {
    const struct cli_frame *frame = &picture->frame;
    const double room = CLI_PICTURE_WIDTH - MARGIN - frame->left;
    struct cli_lines lines = {
        .room = room, .measure = measure, .print = draw_caption, .on = picture, .between = "  ·  "};
    set_font(picture, TITLE_SIZE, CLI_RGB_TEXT);
    draw_text(picture, frame->left, MARGIN + 0.8 * TITLE_SIZE, 0, room, frame->grid.result->title);
    set_font(picture, CAPTION_SIZE, CLI_RGB_PALE_TEXT);
    cli_frame_words(&lines, frame->grid.result, &frame->grid, 1);
}

/* ---- bars -------------------------------------------------------------------------------------------------------- */

/* Adds the bars of all bins that are at least `min` wide to the path; where some are narrower than a point, of all
 * points. */
static void add_bars(const struct picture *picture, double min) {
    const struct cli_frame *frame = &picture->frame;
    const struct cli_grid *grid = &frame->grid;
    const size_t bars = grid->edge ? grid->view[0].last - grid->view[0].first : grid->width;
    const long double range = frame->high - frame->low;
    const double zero = height_of(picture, (double)(-frame->low / range));
    for (size_t i = 0; i < bars; i++) {
        const double from = grid->edge ? grid->edge[i] : (double)i, to = grid->edge ? grid->edge[i + 1] : from + 1;
        const double value = grid->value[(size_t)from];
        if (grid->state[(size_t)from] != 1 || (to - from) * PIXEL < min)
            continue;
        double y = height_of(picture, fmin(fmax((double)((value - frame->low) / range), 0), 1));
        y = value < 0 ? fmax(y, zero + MIN_HEIGHT) : fmin(y, zero - MIN_HEIGHT);
        cairo_rectangle(picture->canvas, frame->left + from * PIXEL, fmin(y, zero), (to - from) * PIXEL,
                        fabs(zero - y));
    }
}

static void draw_bars(struct picture *picture) {
    cairo_t *canvas = picture->canvas;
    const struct cli_frame *frame = &picture->frame;
    const struct cli_ticks *across = &frame->across, *up = &frame->up;
    cairo_set_line_width(canvas, PIXEL);
    set_colour(picture, CLI_RGB_GRID);
    for (const struct cli_tick *tick = across->tick; tick < across->tick + across->count; tick++)
        if (tick->major)
            draw_line(picture, tick->mark, picture->top, tick->mark, picture->bottom);
    for (size_t i = 0; i < up->count; i++) {
        const double y = height_of(picture, up->tick[i].position);
        draw_line(picture, frame->left, y, frame->right, y);
    }
    /* All bars are one path, so that no seams show between them; then come the outlines of wide ones. */
    set_colour(picture, CLI_RGB_FILL);
    add_bars(picture, 0);
    cairo_fill(canvas);
    set_colour(picture, CLI_RGB_OUTLINE);
    add_bars(picture, OUTLINED);
    cairo_set_line_width(canvas, 1.5 * PIXEL);
    cairo_stroke(canvas);
    draw_frame(picture, frame->left, frame->right);
    draw_axes(picture, frame->grid.label);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Paints a pixel for each point of the map, or, where `bar` is its width in pixels, the bar of colours. */
static int paint_pixels(const struct picture *picture, double x, size_t bar) {
    const struct cli_grid *grid = &picture->frame.grid;
    const size_t width = bar ? bar : grid->width;
    cairo_t *canvas = picture->canvas;
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)grid->height);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(image);
        return -1;
    }
    unsigned char *data = cairo_image_surface_get_data(image);
    const size_t stride = (size_t)cairo_image_surface_get_stride(image);
    /* Neighbours mostly have one colour, and a colour takes powers and sines: the last one is kept. */
    double last = NAN;
    uint32_t rgb = 0;
    for (size_t row = 0; row < grid->height; row++)
        for (size_t column = 0; column < width; column++) {
            const size_t at = row * width + column;
            const int state = bar ? 1 : grid->state[at];
            const double share =
                bar ? 1 - ((double)row + 0.5) / (double)grid->height : cli_grid_share(grid, grid->value[at]);
            if (!(share == last))
                rgb = cli_grid_rgb(share, grid->diverging);
            last = share;
            const uint32_t pixel = state == 1 ? rgb : state ? CLI_RGB_NAN : CLI_RGB_PAPER;
            memcpy(data + row * stride + column * sizeof pixel, &pixel, sizeof pixel);
        }
    cairo_surface_mark_dirty(image);
    cairo_save(canvas);
    cairo_translate(canvas, x, picture->top);
    cairo_scale(canvas, PIXEL, PIXEL);
    cairo_set_source_surface(canvas, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(canvas), CAIRO_FILTER_NEAREST);
    cairo_paint(canvas);
    cairo_restore(canvas);
    cairo_surface_destroy(image);
    return 0;
}

static int draw_map(struct picture *picture) {
    const struct cli_frame *frame = &picture->frame;
    const double bar = frame->right + 2 * GAP;
    char name[128];
    if (paint_pixels(picture, frame->left, 0) || paint_pixels(picture, bar, (size_t)(BAR / PIXEL)))
        return -1;
    draw_frame(picture, frame->left, frame->right);
    draw_frame(picture, bar, bar + BAR);
    cli_frame_axis_name(name, frame->grid.result, 1, 1);
    draw_axes(picture, name);
    draw_side(picture, &frame->colours, bar + BAR, 1);
    set_font(picture, LABEL_SIZE, CLI_RGB_TEXT);
    draw_upright(picture, CLI_PICTURE_WIDTH - MARGIN, frame->grid.label);
    return 0;
}

/* ---- together ---------------------------------------------------------------------------------------------------- */

static int draw(cairo_t *canvas, const struct cli_result *result, enum cli_heat_scale scale) {
    struct picture picture = {.canvas = canvas,
                              .top = result->title && *result->title ? 2.4 * MARGIN : 1.2 * MARGIN,
                              .bottom = CLI_PICTURE_HEIGHT - 5 * MARGIN,
                              .caption = CLI_PICTURE_HEIGHT - 1.6 * MARGIN};
    const int map = result->naxes == 2;
    const double right = MARGIN + LABEL_SIZE + TICK_LENGTH + GAP + BAR + 2 * GAP; /* of a map */
    const struct cli_paper paper = {.width = CLI_PICTURE_WIDTH - GAP,
                                    .left = MARGIN + LABEL_SIZE + 2 * GAP + TICK_LENGTH + GAP,
                                    .right = map ? right : MARGIN,
                                    .point = PIXEL,
                                    .gap = 2 * GAP,
                                    .rows = (size_t)lround((picture.bottom - picture.top) / PIXEL),
                                    .colours = map,
                                    .below_zero = 1,
                                    .max_up = MAX_TICKS,
                                    .max_across = MAX_TICKS,
                                    .flags = CLI_TICKS_UTF8,
                                    .measure = measure,
                                    .on = &picture};
    cairo_font_options_t *options = cairo_font_options_create();
    /* The same letters on every surface. */
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(canvas, options);
    cairo_font_options_destroy(options);
    set_colour(&picture, CLI_RGB_PAPER);
    cairo_paint(canvas);
    set_font(&picture, TICK_SIZE, CLI_RGB_TEXT);
    int status = cli_frame_make(&picture.frame, result, scale, &paper);
    if (status == 0 && map)
        status = draw_map(&picture);
    else if (status == 0)
        draw_bars(&picture);
    if (status == 0)
        draw_words(&picture);
    cli_frame_free(&picture.frame);
    return status;
}

int cli_display_check(const char *path, struct cli_error *error) {
    return cli_output_check(path, CLI_PICTURE_NAMES, error);
}

/* What a file is written of. */
struct drawing {
    const char *path;
    int svg;
    const struct cli_result *result;
    enum cli_heat_scale scale;
};

static cairo_status_t write_part(void *file, const unsigned char *data, unsigned length) {
    return fwrite(data, 1, length, file) == length ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int write_picture(FILE *file, const void *what, struct cli_error *error) {
    const struct drawing *drawing = what;
    const int svg = drawing->svg;
    const int width = CLI_PICTURE_WIDTH, height = CLI_PICTURE_HEIGHT, pixels = svg ? 1 : CLI_PICTURE_SCALE;
    cairo_surface_t *surface = svg ? cairo_svg_surface_create_for_stream(write_part, file, width, height)
                                   : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width * pixels, height * pixels);
    if (svg)
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_t *canvas = cairo_create(surface);
    cairo_scale(canvas, pixels, pixels);
    cairo_status_t status =
        draw(canvas, drawing->result, drawing->scale) ? CAIRO_STATUS_NO_MEMORY : cairo_status(canvas);
    cairo_destroy(canvas);
    if (status == CAIRO_STATUS_SUCCESS && !svg)
        status = cairo_surface_write_to_png_stream(surface, write_part, file);
    cairo_surface_finish(surface); /* what is left to be written is written */
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status == CAIRO_STATUS_SUCCESS
               ? 0
               : cli_fail(error, "cannot write '%s': %s", drawing->path, cairo_status_to_string(status));
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale,
                      struct cli_error *error) {
    const struct drawing drawing = {path, cli_output_format(path, CLI_PICTURE_NAMES, error), result, scale};
    return drawing.svg < 0 ? -1 : cli_atomic_write(path, write_picture, &drawing, error);
}

#endif
