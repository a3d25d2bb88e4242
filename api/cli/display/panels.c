/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of integrals: a panel of iterations, and a panel of the grid per axis; and of clusters: points in their
 * cluster's colour, or bars along one coordinate. */
#define _XOPEN_SOURCE 700 /* M_PI */
#include <math.h>
#include <stdlib.h>

#include "api/cli/display/canvas.h"
#include "api/cli/display/clusters.h"
#include "api/cli/display/frame.h"
#include "api/cli/output/atomic.h"

#define TOP 76.0 /* space above the first panel */

#define HEIGHT          220.0 /* of the panel of iterations, without labels */
#define AXIS_HEIGHT     90.0  /* of an axis's panel */
#define BETWEEN         58.0  /* space below a panel */
#define ITERATION_TICKS 8
#define RADIUS          2.5

#define MAX_TICKS 9
#define BOTTOM    52.0
#define BARS      120  /* of one coordinate */
#define DOTS      3000 /* maximum points drawn as dots; more are pixels */
#define DOT       2.3  /* radius of a dot */
#define OPAQUE    0.75
#define PALEST    0.35 /* share of the colour in a pixel of one point */
#define MARKED    50   /* centroids */
#define NUMBERED  10
#define MARK      5.5 /* radius of a numbered mark */
#define SMALL     2.5

/* Finds the range of all iterations that count; the others may be far from it. */
static void find_heights(struct cli_panel *panel, const struct cli_integral *found, size_t first) {
    panel->low = INFINITY;
    panel->high = -INFINITY;
    for (size_t i = first; i < found->integral->iterations; i++) {
        const uh_iteration *one = &found->iteration[i];
        panel->low = fmin(panel->low, one->estimate - one->deviation);
        panel->high = fmax(panel->high, one->estimate + one->deviation);
    }
    const double space = 0.08 * (panel->high - panel->low) + 1e-12 * fabs(panel->high);
    panel->low -= space > 0 ? space : 1;
    panel->high += space > 0 ? space : 1;
}

static void draw_iterations(struct cli_panel *panel, const struct cli_integral *found) {
    cairo_t *canvas = panel->canvas;
    const size_t n = found->integral->iterations;
    const uh_iteration *of = found->iteration;
    size_t first = 0;
    while (first + 1 < n && !of[first].counts)
        first++;
    panel->from = 0;
    panel->to = (double)n + 1;
    find_heights(panel, found, first);
    cli_panel_ticks(panel, ITERATION_TICKS, ITERATION_TICKS);
    cli_panel_axes(panel, 1);
    cairo_save(canvas);
    cairo_rectangle(canvas, panel->left, panel->top, panel->right - panel->left, panel->bottom - panel->top);
    cairo_clip(canvas);
    for (size_t i = first; i < n; i++)
        cairo_line_to(canvas, cli_panel_across(panel, (double)i + 1),
                      cli_panel_upwards(panel, of[i].integral + of[i].error));
    for (size_t i = n; i-- > first;)
        cairo_line_to(canvas, cli_panel_across(panel, (double)i + 1),
                      cli_panel_upwards(panel, of[i].integral - of[i].error));
    cli_canvas_colour(canvas, CLI_RGB_FILL);
    cairo_fill(canvas);
    for (size_t i = first; i < n; i++)
        cairo_line_to(canvas, cli_panel_across(panel, (double)i + 1), cli_panel_upwards(panel, of[i].integral));
    cli_canvas_colour(canvas, CLI_RGB_OUTLINE);
    cairo_stroke(canvas);
    for (size_t i = 0; i < n; i++) {
        const double x = cli_panel_across(panel, (double)i + 1);
        cli_canvas_colour(canvas, i < first ? CLI_RGB_NAN : CLI_RGB_TEXT);
        cli_canvas_line(canvas, x, cli_panel_upwards(panel, of[i].estimate - of[i].deviation), x,
                        cli_panel_upwards(panel, of[i].estimate + of[i].deviation));
        cairo_arc(canvas, x, cli_panel_upwards(panel, of[i].estimate), RADIUS, 0, 7);
        cairo_fill(canvas);
    }
    cairo_restore(canvas);
}

/* Draws the density of edges along an axis; 1 is the density of bins of equal width. */
static void draw_axis(struct cli_panel *panel, const uh_grid_properties *grid, size_t axis) {
    cairo_t *canvas = panel->canvas;
    const double *edge = grid->edges + axis * (grid->bins + 1);
    const double mean = (edge[grid->bins] - edge[0]) / (double)grid->bins;
    const int infinite = isinf(grid->lower[axis]) || isinf(grid->upper[axis]);
    char title[40];
    snprintf(title, sizeof title, infinite ? "t of x%zu" : "x%zu", axis);
    panel->name[0] = title;
    panel->name[1] = "density";
    panel->from = edge[0];
    panel->to = edge[grid->bins];
    panel->low = 0;
    panel->high = 0;
    for (size_t i = 0; i < grid->bins; i++)
        panel->high = fmax(panel->high, 1.08 * mean / (edge[i + 1] - edge[i]));
    cli_panel_ticks(panel, 4, 3);
    cli_panel_axes(panel, 1);
    cairo_move_to(canvas, panel->left, panel->bottom);
    for (size_t i = 0; i < grid->bins; i++) {
        const double y = cli_panel_upwards(panel, mean / (edge[i + 1] - edge[i]));
        cairo_line_to(canvas, cli_panel_across(panel, edge[i]), y);
        cairo_line_to(canvas, cli_panel_across(panel, edge[i + 1]), y);
    }
    cairo_line_to(canvas, panel->right, panel->bottom);
    cli_canvas_colour(canvas, CLI_RGB_FILL);
    cairo_fill(canvas);
}

static size_t columns_of(size_t dims) { return dims < 1 ? 1 : dims < 4 ? dims : dims == 4 ? 2 : dims < 10 ? 3 : 4; }

static void draw_panels(cairo_t *canvas, const void *what) {
    const struct cli_integral *found = what;
    const double right = CLI_PICTURE_WIDTH - CLI_MARGIN;
    const size_t columns = columns_of(found->axes);
    const double width = (right - CLI_MARGIN + 12) / (double)columns;
    char text[100], value[CLI_TEXT_COUNT_SIZE];
    struct cli_panel panel = {.canvas = canvas,
                              .start = CLI_MARGIN,
                              .right = right,
                              .top = TOP,
                              .bottom = TOP + HEIGHT,
                              .name = {"iteration", "integral"}};
    cli_text_number(value, found->integral->value, 9, CLI_TEXT_CONTENT);
    snprintf(text, sizeof text, "%s ± %.2g, seed %llu", value, found->integral->error,
             (unsigned long long)found->options->seed);
    draw_iterations(&panel, found);
    cli_panel_title(&panel, found->file ? found->file : found->expression, text);
    for (size_t a = 0; a < found->axes; a++) {
        const size_t row = a / columns;
        panel.start = CLI_MARGIN + (double)(a % columns) * width;
        panel.right = CLI_MARGIN + (double)(a % columns + 1) * width - 12;
        panel.top = TOP + HEIGHT + BETWEEN + (double)row * (AXIS_HEIGHT + BETWEEN);
        panel.bottom = panel.top + AXIS_HEIGHT;
        draw_axis(&panel, found->grid, a);
    }
}

int cli_display_integral(const char *path, const struct cli_integral *found) {
    const size_t columns = columns_of(found->axes), rows = (found->axes + columns - 1) / columns;
    const double height = TOP + HEIGHT + BETWEEN + (double)rows * (AXIS_HEIGHT + BETWEEN);
    const char *title = found->file ? found->file : found->expression;
    const struct cli_drawing drawing = {path, title, CLI_PICTURE_WIDTH, height, draw_panels, found};
    return cli_atomic_write(path, cli_canvas_write, &drawing);
}

static void draw_dots(const struct cli_panel *panel, const struct cli_cloud *cloud) {
    for (const struct cli_dot *dot = cloud->dot; dot < cloud->dot + cloud->drawn; dot++) {
        const unsigned rgb = cli_clusters_rgb(dot->label);
        cairo_set_source_rgba(panel->canvas, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0,
                              OPAQUE);
        cairo_arc(panel->canvas, cli_panel_across(panel, dot->at[0]), cli_panel_upwards(panel, dot->at[1]), DOT, 0,
                  2 * M_PI);
        cairo_fill(panel->canvas);
    }
}

/* Returns a cairo pixel of the colour with opacity `share`. */
static uint32_t pixel_of(unsigned rgb, double share) {
    uint32_t pixel = (uint32_t)lround(255 * share) << 24;
    for (int shift = 0; shift <= 16; shift += 8)
        pixel |= (uint32_t)lround(share * (rgb >> shift & 255)) << shift;
    return pixel;
}

/* The more points, the smaller each is; more points in one place give a stronger colour. */
static void draw_pixels(const struct cli_panel *panel, const struct cli_cloud *cloud) {
    const size_t width = (size_t)lround((panel->right - panel->left) / CLI_PIXEL);
    const size_t height = (size_t)lround((panel->bottom - panel->top) / CLI_PIXEL), n = cloud->drawn;
    const int radius = n <= 20000 ? 3 : n <= 100000 ? 2 : n <= 2000000 ? 1 : 0;
    struct cli_raster raster;
    uint32_t *pixels = cli_have(calloc(width * height, sizeof *pixels));
    cli_raster_make(&raster, cloud, width, height, radius);
    const double maximum = log1p((double)raster.fullest);
    for (size_t cell = 0; cell < width * height; cell++) {
        const double votes = (double)(raster.first[cell + 1] - raster.first[cell]);
        if (votes > 0)
            pixels[cell] =
                pixel_of(cli_clusters_rgb(raster.winner[cell]), PALEST + (1 - PALEST) * log1p(votes) / maximum);
    }
    cli_canvas_pixels(panel->canvas, panel->left, panel->top, width, height, pixels);
    cli_raster_free(&raster);
    free(pixels);
}

/* Bars of the numbers of points, with the clusters of a bar stacked. */
static void draw_bars(struct cli_panel *panel, const struct cli_cloud *cloud) {
    struct cli_raster raster;
    cli_raster_make(&raster, cloud, BARS, 1, 0);
    panel->low = 0;
    panel->high = 1.15 * (double)raster.fullest;
    panel->name[1] = "points";
    cli_panel_ticks(panel, MAX_TICKS, MAX_TICKS);
    const double width = (panel->right - panel->left) / BARS;
    cli_panel_axes(panel, 1);
    for (size_t bar = 0; bar < BARS; bar++)
        for (size_t i = raster.first[bar], next; i < raster.first[bar + 1]; i = next) {
            for (next = i + 1; next < raster.first[bar + 1] && raster.vote[next] == raster.vote[i]; next++) {
            }
            const double bottom = cli_panel_upwards(panel, (double)(i - raster.first[bar]));
            const double top = cli_panel_upwards(panel, (double)(next - raster.first[bar]));
            cli_canvas_colour(panel->canvas, cli_clusters_rgb(raster.vote[i]));
            cairo_rectangle(panel->canvas, panel->left + (double)bar * width, top, width - CLI_PIXEL, bottom - top);
            cairo_fill(panel->canvas);
        }
    cli_raster_free(&raster);
}

/* The NUMBERED largest clusters have numbers, further ones small marks. */
static void draw_centroids(const struct cli_panel *panel, const struct cli_cloud *cloud) {
    const size_t clusters = cloud->clusters->found->clusters, marked = clusters < MARKED ? clusters : MARKED;
    cairo_t *canvas = panel->canvas;
    for (size_t i = marked; i-- > 0;) {
        const double x = cli_panel_across(panel, cli_cloud_centroid(cloud, i, 0));
        const double y = cloud->clusters->nshown > 1 ? cli_panel_upwards(panel, cli_cloud_centroid(cloud, i, 1))
                                                     : panel->top + 2 * MARK;
        const double radius = i < NUMBERED ? MARK : SMALL;
        char number[24];
        cairo_set_line_width(canvas, CLI_LINE);
        cli_canvas_colour(canvas, CLI_RGB_TEXT);
        if (cloud->clusters->nshown == 1)
            cli_canvas_line(canvas, x, y, x, panel->bottom);
        cairo_arc(canvas, x, y, radius + (i < NUMBERED ? 2 : 0), 0, 2 * M_PI);
        cli_canvas_colour(canvas, CLI_RGB_PAPER);
        cairo_fill_preserve(canvas);
        cli_canvas_colour(canvas, CLI_RGB_TEXT);
        cairo_stroke(canvas);
        if (i >= NUMBERED)
            continue;
        snprintf(number, sizeof number, "%zu", i);
        cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(canvas, x, y + 0.36 * CLI_TICK_SIZE, 0.5, INFINITY, number);
    }
}

static void draw_words(const struct cli_panel *panel, const struct cli_cloud *cloud) {
    char text[400];
    cli_clusters_words(text, sizeof text, cloud->clusters, "  ·  ");
    const size_t each = (size_t)cloud->clusters->points->all / cloud->drawn;
    char number[CLI_TEXT_COUNT_SIZE];
    cli_text_count(number, each);
    if (each > 1)
        cli_append(text, sizeof text, "  ·  ", "one point of %s is drawn", number);
    cli_panel_title(panel, cloud->clusters->title, text);
}

static void draw_scatter(cairo_t *canvas, const void *what) {
    const struct cli_cloud *cloud = what;
    const struct cli_clusters *clusters = cloud->clusters;
    struct cli_panel panel = {.canvas = canvas,
                              .start = CLI_MARGIN,
                              .right = CLI_PICTURE_WIDTH - CLI_MARGIN,
                              .top = TOP,
                              .bottom = CLI_PICTURE_HEIGHT - BOTTOM,
                              .from = cloud->low[0],
                              .to = cloud->high[0],
                              .low = cloud->low[1],
                              .high = cloud->high[1]};
    for (size_t i = 0; i < clusters->nshown; i++)
        panel.name[i] = clusters->points->names[clusters->shown[i]];
    if (clusters->nshown == 1)
        draw_bars(&panel, cloud);
    else {
        cli_panel_ticks(&panel, MAX_TICKS, MAX_TICKS);
        cli_panel_axes(&panel, 1);
        (cloud->drawn <= DOTS ? draw_dots : draw_pixels)(&panel, cloud);
    }
    draw_words(&panel, cloud);
    draw_centroids(&panel, cloud);
}

int cli_display_clusters(FILE *file, const char *path, const struct cli_cloud *cloud) {
    const struct cli_drawing drawing = {
        path, cloud->clusters->title, CLI_PICTURE_WIDTH, CLI_PICTURE_HEIGHT, draw_scatter, cloud};
    return cli_canvas_write(file, &drawing);
}
