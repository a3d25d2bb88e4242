/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of results. Distances and sizes are in user units. */
#include <math.h>
#include <stdlib.h>

#include "api/cli/display/canvas.h"
#include "api/cli/display/frame.h"
#include "api/cli/output/atomic.h"

#define CAPTION_SIZE 11.0
#define TICK_LENGTH  4.0
#define GAP          6.0
#define BAR          16.0 /* width of the colour bar */
#define OUTLINED     5.0  /* bars at least this wide have outlines */
#define MIN_HEIGHT   0.75 /* makes non-empty bars visible */
#define MAX_TICKS    9

/* State of a picture being drawn. */
struct picture {
    cairo_t *canvas;
    struct cli_frame frame;
    double top, bottom; /* of the frame; its left and right sides are the grid's */
    double caption;     /* baseline of the next line below */
};

static double measure(void *picture, const char *text) {
    return cli_canvas_measure(((struct picture *)picture)->canvas, text);
}

/* ---- common parts ------------------------------------------------------------------------------------------------ */

static double height_of(const struct picture *picture, double position) {
    return picture->bottom - position * (picture->bottom - picture->top);
}

/* Draws a frame around an area without covering it; both are aligned to pixels. */
static void draw_frame(const struct picture *picture, double left, double right) {
    cli_canvas_colour(picture->canvas, CLI_RGB_AXIS);
    cairo_set_line_width(picture->canvas, CLI_LINE);
    cairo_rectangle(picture->canvas, left - CLI_LINE / 2, picture->top - CLI_LINE / 2, right - left + CLI_LINE,
                    picture->bottom - picture->top + CLI_LINE);
    cairo_stroke(picture->canvas);
}

/* Draws the ticks and labels of an upward axis; `side` is -1 left of x, 1 right of x. */
static void draw_side(struct picture *picture, const struct cli_ticks *ticks, double x, int side) {
    for (const struct cli_tick *tick = ticks->tick; tick < ticks->tick + ticks->count; tick++) {
        const double y = height_of(picture, tick->position), length = TICK_LENGTH * (tick->major ? 1 : 0.5);
        cli_canvas_colour(picture->canvas, CLI_RGB_AXIS);
        cli_canvas_line(picture->canvas, x + side * CLI_LINE, y, x + side * (CLI_LINE + length), y);
        cli_canvas_font(picture->canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(picture->canvas, x + side * (TICK_LENGTH + GAP), y + 0.35 * CLI_TICK_SIZE, side < 0, INFINITY,
                        tick->label);
    }
}

static void draw_axes(struct picture *picture, const char *up) {
    const struct cli_frame *frame = &picture->frame;
    const struct cli_ticks *across = &frame->across;
    const double bottom = picture->bottom + CLI_LINE, baseline = bottom + TICK_LENGTH + GAP / 2 + CLI_TICK_SIZE;
    char name[128];
    draw_side(picture, &frame->up, frame->left, -1);
    for (const struct cli_tick *tick = across->tick; tick < across->tick + across->count; tick++) {
        cli_canvas_colour(picture->canvas, CLI_RGB_AXIS);
        cli_canvas_line(picture->canvas, tick->mark, bottom, tick->mark,
                        bottom + TICK_LENGTH * (tick->major ? 1 : 0.5));
        cli_canvas_font(picture->canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(picture->canvas, tick->begin, baseline, 0, INFINITY, tick->label);
    }
    cli_canvas_font(picture->canvas, CLI_LABEL_SIZE, CLI_RGB_TEXT);
    cli_frame_axis_name(name, frame->grid.result, 0, 1);
    cli_canvas_text(picture->canvas, (frame->left + frame->right) / 2, baseline + 1.6 * CLI_LABEL_SIZE, 0.5,
                    frame->right - frame->left, name);
    cli_canvas_upright(picture->canvas, CLI_MARGIN + 0.8 * CLI_LABEL_SIZE, picture->top, picture->bottom, up);
}

static void draw_caption(void *on, const char *line) {
    struct picture *picture = on;
    cli_canvas_text(picture->canvas, picture->frame.left, picture->caption, 0,
                    CLI_PICTURE_WIDTH - CLI_MARGIN - picture->frame.left, line);
    picture->caption += 0.8 * CLI_MARGIN;
}

/* Draws the title, and below the picture the facts it cannot show. */
static void draw_words(struct picture *picture) {
    const struct cli_frame *frame = &picture->frame;
    const double room = CLI_PICTURE_WIDTH - CLI_MARGIN - frame->left;
    struct cli_lines lines = {
        .room = room, .measure = measure, .print = draw_caption, .on = picture, .between = "  ·  "};
    cli_canvas_font(picture->canvas, CLI_TITLE_SIZE, CLI_RGB_TEXT);
    cli_canvas_text(picture->canvas, frame->left, CLI_MARGIN + 0.8 * CLI_TITLE_SIZE, 0, room,
                    frame->grid.result->title);
    cli_canvas_font(picture->canvas, CAPTION_SIZE, CLI_RGB_PALE_TEXT);
    cli_frame_words(&lines, frame->grid.result, &frame->grid, 1);
}

/* ---- bars -------------------------------------------------------------------------------------------------------- */

/* Adds the bars of all bins at least `min` wide to the path; if some are narrower than a point, those of all points. */
static void add_bars(const struct picture *picture, double min) {
    const struct cli_frame *frame = &picture->frame;
    const struct cli_grid *grid = &frame->grid;
    const size_t bars = grid->edge ? grid->view[0].last - grid->view[0].first : grid->width;
    const long double range = frame->high - frame->low;
    const double zero = height_of(picture, (double)(-frame->low / range));
    for (size_t i = 0; i < bars; i++) {
        const double from = grid->edge ? grid->edge[i] : (double)i, to = grid->edge ? grid->edge[i + 1] : from + 1;
        const double value = grid->value[(size_t)from];
        if (grid->state[(size_t)from] != 1 || (to - from) * CLI_PIXEL < min)
            continue;
        double y = height_of(picture, fmin(fmax((double)((value - frame->low) / range), 0), 1));
        y = value < 0 ? fmax(y, zero + MIN_HEIGHT) : fmin(y, zero - MIN_HEIGHT);
        cairo_rectangle(picture->canvas, frame->left + from * CLI_PIXEL, fmin(y, zero), (to - from) * CLI_PIXEL,
                        fabs(zero - y));
    }
}

static void draw_bars(struct picture *picture) {
    cairo_t *canvas = picture->canvas;
    const struct cli_frame *frame = &picture->frame;
    const struct cli_ticks *across = &frame->across, *up = &frame->up;
    cairo_set_line_width(canvas, CLI_PIXEL);
    cli_canvas_colour(picture->canvas, CLI_RGB_GRID);
    for (const struct cli_tick *tick = across->tick; tick < across->tick + across->count; tick++)
        if (tick->major)
            cli_canvas_line(picture->canvas, tick->mark, picture->top, tick->mark, picture->bottom);
    for (size_t i = 0; i < up->count; i++) {
        const double y = height_of(picture, up->tick[i].position);
        cli_canvas_line(picture->canvas, frame->left, y, frame->right, y);
    }
    /* All bars are one path, so that no seams show between them; the outlines of wide bars follow. */
    cli_canvas_colour(picture->canvas, CLI_RGB_FILL);
    add_bars(picture, 0);
    cairo_fill(canvas);
    cli_canvas_colour(picture->canvas, CLI_RGB_OUTLINE);
    add_bars(picture, OUTLINED);
    cairo_set_line_width(canvas, 1.5 * CLI_PIXEL);
    cairo_stroke(canvas);
    draw_frame(picture, frame->left, frame->right);
    draw_axes(picture, frame->grid.label);
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

/* Paints one pixel per point of the map or, if `bar` is its width in pixels, the colour bar. */
static int paint_pixels(const struct picture *picture, double x, size_t bar) {
    const struct cli_grid *grid = &picture->frame.grid;
    const size_t width = bar ? bar : grid->width;
    uint32_t *pixels = malloc(width * grid->height * sizeof *pixels);
    /* Keeps the last colour: neighbours mostly share it, and computing it takes powers and sines. */
    double last = NAN;
    uint32_t rgb = 0;
    for (size_t at = 0; at < width * grid->height && pixels; at++) {
        const size_t row = at / width;
        const double share =
            bar ? 1 - ((double)row + 0.5) / (double)grid->height : cli_grid_share(grid, grid->value[at]);
        if (!(share == last))
            rgb = cli_grid_rgb(share, grid->diverging);
        last = share;
        pixels[at] = 0xff000000 | (bar || grid->state[at] == 1 ? rgb : grid->state[at] ? CLI_RGB_NAN : CLI_RGB_PAPER);
    }
    const int result = pixels ? cli_canvas_pixels(picture->canvas, x, picture->top, width, grid->height, pixels) : -1;
    free(pixels);
    return result;
}

static int draw_map(struct picture *picture) {
    const struct cli_frame *frame = &picture->frame;
    const double bar = frame->right + 2 * GAP;
    char name[128];
    if (paint_pixels(picture, frame->left, 0) || paint_pixels(picture, bar, (size_t)(BAR / CLI_PIXEL)))
        return -1;
    draw_frame(picture, frame->left, frame->right);
    draw_frame(picture, bar, bar + BAR);
    cli_frame_axis_name(name, frame->grid.result, 1, 1);
    draw_axes(picture, name);
    draw_side(picture, &frame->colours, bar + BAR, 1);
    cli_canvas_font(picture->canvas, CLI_LABEL_SIZE, CLI_RGB_TEXT);
    cli_canvas_upright(picture->canvas, CLI_PICTURE_WIDTH - CLI_MARGIN, picture->top, picture->bottom,
                       frame->grid.label);
    return 0;
}

/* ---- picture ----------------------------------------------------------------------------------------------------- */

/* Result to draw and its colour scale. */
struct coloured {
    const struct cli_result *result;
    enum cli_heat_scale scale;
};

static int draw_result(cairo_t *canvas, const void *what) {
    const struct coloured *coloured = what;
    const struct cli_result *result = coloured->result;
    struct picture picture = {.canvas = canvas,
                              .top = result->title && *result->title ? 2.4 * CLI_MARGIN : 1.2 * CLI_MARGIN,
                              .bottom = CLI_PICTURE_HEIGHT - 5 * CLI_MARGIN,
                              .caption = CLI_PICTURE_HEIGHT - 1.6 * CLI_MARGIN};
    const int map = result->naxes == 2;
    const double right = CLI_MARGIN + CLI_LABEL_SIZE + TICK_LENGTH + GAP + BAR + 2 * GAP; /* of a map */
    const struct cli_paper paper = {.width = CLI_PICTURE_WIDTH - GAP,
                                    .left = CLI_MARGIN + CLI_LABEL_SIZE + 2 * GAP + TICK_LENGTH + GAP,
                                    .right = map ? right : CLI_MARGIN,
                                    .point = CLI_PIXEL,
                                    .gap = 2 * GAP,
                                    .rows = (size_t)lround((picture.bottom - picture.top) / CLI_PIXEL),
                                    .colours = map,
                                    .below_zero = 1,
                                    .max_up = MAX_TICKS,
                                    .max_across = MAX_TICKS,
                                    .flags = CLI_TICKS_UTF8,
                                    .measure = measure,
                                    .on = &picture};
    cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
    int status = cli_frame_make(&picture.frame, result, coloured->scale, &paper);
    if (status == 0 && map)
        status = draw_map(&picture);
    else if (status == 0)
        draw_bars(&picture);
    if (status == 0)
        draw_words(&picture);
    cli_grid_free(&picture.frame.grid);
    return status;
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale) {
    const struct coloured coloured = {result, scale};
    const struct cli_drawing drawing = {path, CLI_PICTURE_WIDTH, CLI_PICTURE_HEIGHT, draw_result, &coloured};
    return cli_atomic_write(path, cli_canvas_write, &drawing);
}
