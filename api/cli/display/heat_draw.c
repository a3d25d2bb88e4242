/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/canvas.h"
#include "api/cli/display/heat.h"

#define WIDTH     CLI_CANVAS_WIDTH
#define HEIGHT    CLI_HEAT_HEIGHT
#define BAR       16.0 /* the colour bar's width */
#define MAX_TICKS 9
#define NAN_RGB   0x9aa0a6u

/* A picture in the making. */
struct map {
    cairo_t *canvas;
    struct cli_heat_grid grid;
    struct cli_ticks across, up, colours;
    double left, top, right, bottom; /* the frame, on pixels */
    double bar;                      /* the colour bar's left side */
};

/* ---- layout ----------------------------------------------------------------------------------------------------- */

static double on_pixel(double x) {
    return round(x / CLI_CANVAS_PIXEL) * CLI_CANVAS_PIXEL;
}

/* The labels' widths depend on the values, and these on the room that is left; the grid is made twice for that. */
static int lay_out(struct map *map, const struct cli_result *result, enum cli_heat_scale scale) {
    const char *title = result->title;
    double left = 4 * MARGIN, right = WIDTH - 6 * MARGIN;
    map->top = on_pixel(title && *title ? 2.4 * MARGIN : 1.2 * MARGIN);
    map->bottom = on_pixel(HEIGHT - 5 * MARGIN);
    for (int i = 0; i < 2; i++) {
        map->left = on_pixel(left);
        map->right = on_pixel(right);
        cli_heat_grid_free(&map->grid);
        if (cli_heat_grid_make(&map->grid, result, (size_t)lround((map->right - map->left) / CLI_CANVAS_PIXEL),
                               (size_t)lround((map->bottom - map->top) / CLI_CANVAS_PIXEL), scale))
            return -1;
        const struct cli_heat_grid *grid = &map->grid;
        cli_view_ticks(&grid->view[1], MAX_TICKS, CLI_TICKS_UTF8, &map->up);
        cli_ticks_make(&map->colours, grid->logarithmic ? log10l(grid->low) : grid->low,
                       grid->logarithmic ? log10l(grid->high) : grid->high, grid->logarithmic, MAX_TICKS,
                       CLI_TICKS_UTF8 | CLI_TICKS_COMMAS);
        left = MARGIN + LABEL_SIZE + 2 * GAP + cli_canvas_widest(map->canvas, &map->up) + TICK_LENGTH;
        right = WIDTH - MARGIN - LABEL_SIZE - 2 * GAP - cli_canvas_widest(map->canvas, &map->colours) - TICK_LENGTH -
                GAP - BAR - 2 * GAP;
    }
    map->bar = map->right + 2 * GAP;
    unsigned max = MAX_TICKS;
    do
        cli_view_ticks(&map->grid.view[0], max, CLI_TICKS_UTF8, &map->across);
    while (!cli_canvas_labels_fit(map->canvas, &map->across, map->left, map->right, 0, WIDTH) && --max > 0);
    return 0;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

/* Neighbouring points mostly have one colour, and a colour takes powers and sines: the last one is kept. */
struct paint {
    const struct cli_heat_grid *grid;
    double share; /* that `rgb` is the colour of; NAN: none */
    unsigned rgb;
};

static unsigned share_rgb(struct paint *paint, double share) {
    if (!(share == paint->share)) {
        paint->share = share;
        paint->rgb = cli_heat_rgb(share, paint->grid->diverging);
    }
    return paint->rgb;
}

/* Paints pixels, one a point of the grid, at (x, y); `rgb` of each point, row by row from the top. */
static int paint_pixels(cairo_t *canvas, double x, double y, size_t width, size_t height,
                        unsigned (*rgb)(struct paint *paint, size_t column, size_t row),
                        const struct cli_heat_grid *grid) {
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    int status = cairo_surface_status(image) == CAIRO_STATUS_SUCCESS ? 0 : -1;
    if (status == 0) {
        struct paint paint = {.grid = grid, .share = NAN};
        unsigned char *data = cairo_image_surface_get_data(image);
        size_t stride = (size_t)cairo_image_surface_get_stride(image);
        for (size_t row = 0; row < height; row++)
            for (size_t column = 0; column < width; column++) {
                uint32_t pixel = rgb(&paint, column, row);
                memcpy(data + row * stride + column * sizeof pixel, &pixel, sizeof pixel);
            }
        cairo_surface_mark_dirty(image);
        cairo_save(canvas);
        cairo_translate(canvas, x, y);
        cairo_scale(canvas, CLI_CANVAS_PIXEL, CLI_CANVAS_PIXEL);
        cairo_set_source_surface(canvas, image, 0, 0);
        cairo_pattern_set_filter(cairo_get_source(canvas), CAIRO_FILTER_NEAREST);
        cairo_paint(canvas);
        cairo_restore(canvas);
    }
    cairo_surface_destroy(image);
    return status;
}

static unsigned cell_rgb(struct paint *paint, size_t column, size_t row) {
    const struct cli_heat_grid *grid = paint->grid;
    size_t at = row * grid->width + column;
    if (grid->state[at] != 1)
        return grid->state[at] ? NAN_RGB : cli_canvas_rgb(CLI_COLOUR_PAPER);
    return share_rgb(paint, cli_heat_share(grid, grid->value[at]));
}

static unsigned bar_rgb(struct paint *paint, size_t column, size_t row) {
    (void)column;
    return share_rgb(paint, 1 - ((double)row + 0.5) / (double)paint->grid->height);
}

/* A frame around an area that it leaves free; both lie on pixels. */
static void draw_frame(cairo_t *canvas, double left, double top, double right, double bottom) {
    const double line = 2 * CLI_CANVAS_PIXEL;
    cli_canvas_colour(canvas, CLI_COLOUR_AXIS);
    cairo_rectangle(canvas, left - line, top - line, right - left + 2 * line, line);
    cairo_rectangle(canvas, left - line, bottom, right - left + 2 * line, line);
    cairo_rectangle(canvas, left - line, top, line, bottom - top);
    cairo_rectangle(canvas, right, top, line, bottom - top);
    cairo_fill(canvas);
}

static void draw_ticks(const struct map *map) {
    cairo_t *canvas = map->canvas;
    double line = 2 * CLI_CANVAS_PIXEL, end = map->bar + BAR + line, height = map->bottom - map->top;
    cairo_set_line_width(canvas, line);
    for (size_t i = 0; i < map->across.count; i++) {
        const struct cli_tick *tick = &map->across.tick[i];
        double x = map->left + tick->position * (map->right - map->left), length = tick->major ? 1 : 0.5;
        cli_canvas_line(canvas, x, map->bottom + line, x, map->bottom + line + length * TICK_LENGTH);
    }
    for (size_t i = 0; i < map->up.count; i++) {
        double y = map->bottom - map->up.tick[i].position * height, length = map->up.tick[i].major ? 1 : 0.5;
        cli_canvas_line(canvas, map->left - line - length * TICK_LENGTH, y, map->left - 2 * line, y);
    }
    for (size_t i = 0; i < map->colours.count; i++) {
        double y = map->bottom - map->colours.tick[i].position * height, length = map->colours.tick[i].major ? 1 : 0.5;
        cli_canvas_line(canvas, end, y, end + length * TICK_LENGTH, y);
    }
}

static void draw_labels(const struct map *map) {
    cairo_t *canvas = map->canvas;
    const struct cli_result *result = map->grid.result;
    double baseline = map->bottom + LABEL_BASELINE, half = 0.35 * TICK_SIZE, middle = (map->top + map->bottom) / 2;
    double height = map->bottom - map->top, low = map->bottom + half, high = map->top + half;
    double x = map->left - TICK_LENGTH - GAP, end = map->bar + BAR + TICK_LENGTH + GAP / 2;
    char name[256];
    cli_canvas_labels(canvas, &map->across, map->left, baseline, map->right, baseline, 0.5);
    cli_canvas_labels(canvas, &map->up, x, low, x, high, 1);
    cli_canvas_labels(canvas, &map->colours, end, low, end, high, 0);
    cli_canvas_font(canvas, LABEL_SIZE, 0);
    cli_heat_axis_name(name, sizeof name, result, 0);
    double width = fmin(cli_canvas_width(canvas, name), map->right - map->left);
    cli_canvas_cut_text(canvas, (map->left + map->right - width) / 2, baseline + 1.6 * LABEL_SIZE,
                        map->right - map->left, name);
    cli_heat_axis_name(name, sizeof name, result, 1);
    cli_canvas_upright(canvas, MARGIN + 0.8 * LABEL_SIZE, middle, height, name);
    cli_canvas_upright(canvas, WIDTH - MARGIN, middle, height, map->grid.label);
}

/* The title, and under the picture what it cannot show. */
static void draw_words(const struct map *map) {
    double room = WIDTH - MARGIN - map->left;
    char text[1024];
    cli_canvas_title(map->canvas, map->left, room, map->grid.result->title);
    for (unsigned line = 0; line < 2; line++) {
        cli_heat_caption(text, sizeof text, &map->grid, line, 1);
        cli_canvas_caption(map->canvas, map->left, HEIGHT - (1.6 - line) * MARGIN, room, text);
    }
}

int cli_heat_draw(cairo_t *canvas, const struct cli_result *result, enum cli_heat_scale scale) {
    struct map map = {.canvas = canvas};
    int status = -1;
    if (lay_out(&map, result, scale))
        goto out;
    if (paint_pixels(canvas, map.left, map.top, map.grid.width, map.grid.height, cell_rgb, &map.grid) ||
        paint_pixels(canvas, map.bar, map.top, (size_t)(BAR / CLI_CANVAS_PIXEL), map.grid.height, bar_rgb, &map.grid))
        goto out;
    draw_frame(canvas, map.left, map.top, map.right, map.bottom);
    draw_frame(canvas, map.bar, map.top, map.bar + BAR, map.bottom);
    draw_ticks(&map);
    draw_labels(&map);
    draw_words(&map);
    status = 0;
out:
    cli_heat_grid_free(&map.grid);
    return status;
}
