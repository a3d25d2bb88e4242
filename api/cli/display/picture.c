/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of results. Distances and sizes are in user units. */
#include <math.h>
#include <stdlib.h>

#include "api/cli/display/canvas.h"
#include "api/cli/display/frame.h"
#include "api/cli/output/atomic.h"

#define BAR        16.0 /* width of the colour bar */
#define OUTLINED   5.0  /* bars at least this wide have outlines */
#define MIN_HEIGHT 0.75 /* makes non-empty bars visible */
#define MAX_TICKS  9

struct picture {
    struct cli_panel panel; /* heights are shares of the frame's */
    struct cli_frame frame;
    double caption; /* baseline of the next line below */
};

static double measure(void *picture, const char *text) {
    return cli_canvas_measure(((struct picture *)picture)->panel.canvas, text);
}

static void draw_caption(void *on, const char *line) {
    struct picture *picture = on;
    cli_canvas_text(picture->panel.canvas, picture->frame.left, picture->caption, 0,
                    CLI_PICTURE_WIDTH - CLI_MARGIN - picture->frame.left, line);
    picture->caption += 0.8 * CLI_MARGIN;
}

static void draw_words(struct picture *picture) {
    const struct cli_frame *frame = &picture->frame;
    const double room = CLI_PICTURE_WIDTH - CLI_MARGIN - frame->left;
    struct cli_lines lines = {
        .room = room, .measure = measure, .print = draw_caption, .on = picture, .between = "  ·  "};
    cli_panel_title(&picture->panel, frame->grid.result->title, "");
    cli_canvas_font(picture->panel.canvas, CLI_CAPTION_SIZE, CLI_RGB_PALE_TEXT);
    cli_frame_words(&lines, frame->grid.result, &frame->grid, 1);
}

/* Adds the bars of all bins at least `min` wide to the path; if some are narrower than a point, those of all points. */
static void add_bars(const struct picture *picture, double min) {
    const struct cli_frame *frame = &picture->frame;
    const struct cli_grid *grid = &frame->grid;
    const size_t bars = grid->edge ? grid->view[0].last - grid->view[0].first : grid->width;
    const long double range = frame->high - frame->low;
    const double zero = cli_panel_upwards(&picture->panel, (double)(-frame->low / range));
    for (size_t i = 0; i < bars; i++) {
        const double from = grid->edge ? grid->edge[i] : (double)i, to = grid->edge ? grid->edge[i + 1] : from + 1;
        const double value = grid->value[(size_t)from];
        if (grid->state[(size_t)from] != 1 || (to - from) * CLI_PIXEL < min)
            continue;
        double y = cli_panel_upwards(&picture->panel, fmin(fmax((double)((value - frame->low) / range), 0), 1));
        y = value < 0 ? fmax(y, zero + MIN_HEIGHT) : fmin(y, zero - MIN_HEIGHT);
        cairo_rectangle(picture->panel.canvas, frame->left + from * CLI_PIXEL, fmin(y, zero), (to - from) * CLI_PIXEL,
                        fabs(zero - y));
    }
}

static void draw_bars(struct picture *picture) {
    cairo_t *canvas = picture->panel.canvas;
    const struct cli_view *view = &picture->frame.grid.view[0];
    cli_panel_axes(&picture->panel, 2);
    /* All bars are one path, so that no seams show between them; the outlines of wide bars follow. */
    cli_canvas_colour(canvas, CLI_RGB_FILL);
    add_bars(picture, 0);
    cairo_fill(canvas);
    cli_canvas_colour(canvas, CLI_RGB_OUTLINE);
    add_bars(picture, view->last - view->first == 1 ? 0 : OUTLINED);
    cairo_set_line_width(canvas, 1.5 * CLI_PIXEL);
    cairo_stroke(canvas);
}

/* Paints one pixel per point of the map or, if `bar` is its width in pixels, the colour bar. */
static void paint_pixels(const struct picture *picture, double x, size_t bar) {
    const struct cli_grid *grid = &picture->frame.grid;
    const size_t width = bar ? bar : grid->width;
    uint32_t *pixels = cli_have(malloc(width * grid->height * sizeof *pixels));
    /* Keeps the last colour: neighbours mostly share it, and computing it takes powers and sines. */
    double last = NAN;
    uint32_t rgb = 0;
    for (size_t at = 0; at < width * grid->height; at++) {
        const size_t row = at / width;
        const double share =
            bar ? 1 - ((double)row + 0.5) / (double)grid->height : cli_grid_share(grid, grid->value[at]);
        if (!(share == last))
            rgb = cli_grid_rgb(share, grid->diverging);
        last = share;
        pixels[at] = 0xff000000 | (bar || grid->state[at] == 1 ? rgb : grid->state[at] ? CLI_RGB_NAN : CLI_RGB_PAPER);
    }
    cli_canvas_pixels(picture->panel.canvas, x, picture->panel.top, width, grid->height, pixels);
    free(pixels);
}

static void draw_map(struct picture *picture) {
    const struct cli_frame *frame = &picture->frame;
    const struct cli_panel *panel = &picture->panel;
    const double bar = frame->right + 2 * CLI_GAP;
    paint_pixels(picture, frame->left, 0);
    paint_pixels(picture, bar, (size_t)(BAR / CLI_PIXEL));
    cli_panel_axes(panel, 0);
    cli_panel_frame(panel, bar, bar + BAR);
    cli_panel_side(panel, &frame->colours, bar + BAR, 1);
    cli_canvas_font(panel->canvas, CLI_LABEL_SIZE, CLI_RGB_TEXT);
    cli_canvas_upright(panel->canvas, CLI_PICTURE_WIDTH - CLI_MARGIN, panel->top, panel->bottom, frame->grid.label);
}

struct coloured {
    const struct cli_result *result;
    enum cli_heat_scale scale;
};

static void draw_result(cairo_t *canvas, const void *what) {
    const struct coloured *coloured = what;
    const struct cli_result *result = coloured->result;
    struct picture picture = {.panel = {.canvas = canvas, .start = CLI_MARGIN, .high = 1},
                              .caption = CLI_PICTURE_HEIGHT - 1.6 * CLI_MARGIN};
    struct cli_panel *panel = &picture.panel;
    char name[2][512];
    panel->top = result->title && *result->title ? 2.8 * CLI_MARGIN : 1.2 * CLI_MARGIN;
    panel->bottom = CLI_PICTURE_HEIGHT - 5 * CLI_MARGIN;
    const int map = result->naxes == 2;
    const double right = CLI_MARGIN + CLI_LABEL_SIZE + CLI_TICK + CLI_GAP + BAR + 2 * CLI_GAP; /* of a map */
    const struct cli_paper paper = {.width = CLI_PICTURE_WIDTH - CLI_GAP,
                                    .left = CLI_MARGIN + CLI_LABEL_SIZE + 2 * CLI_GAP + CLI_TICK + CLI_GAP,
                                    .right = map ? right : CLI_MARGIN,
                                    .point = CLI_PIXEL,
                                    .gap = 2 * CLI_GAP,
                                    .rows = (size_t)lround((panel->bottom - panel->top) / CLI_PIXEL),
                                    .colours = map,
                                    .max_up = MAX_TICKS,
                                    .max_across = MAX_TICKS,
                                    .flags = CLI_TICKS_UTF8,
                                    .measure = measure,
                                    .on = &picture};
    cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
    cli_frame_make(&picture.frame, result, coloured->scale, &paper);
    panel->left = picture.frame.left;
    panel->right = picture.frame.right;
    panel->ticks[0] = picture.frame.across;
    panel->ticks[1] = picture.frame.up;
    for (size_t a = 0; a < result->naxes; a++)
        cli_frame_axis_name(name[a], result, a, sizeof name[a], 1);
    panel->name[0] = name[0];
    panel->name[1] = map ? name[1] : picture.frame.grid.label;
    (map ? draw_map : draw_bars)(&picture);
    draw_words(&picture);
    cli_grid_free(&picture.frame.grid);
}

int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale) {
    const struct coloured coloured = {result, scale};
    const struct cli_drawing drawing = {path,        result->title, CLI_PICTURE_WIDTH, CLI_PICTURE_HEIGHT,
                                        draw_result, &coloured};
    return cli_atomic_write(path, cli_canvas_write, &drawing);
}
