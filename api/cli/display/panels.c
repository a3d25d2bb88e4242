/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of integrals: a panel of iterations, and a panel of the grid per axis. */
#include <math.h>
#include <stdio.h>

#include "api/cli/display/canvas.h"
#include "api/cli/output/atomic.h"

#define TOP       64.0  /* space above the iterations */
#define HEIGHT    220.0 /* of their panel, without labels */
#define SMALL     90.0  /* height of an axis's panel */
#define BETWEEN   44.0  /* space below a panel */
#define MAX_TICKS 8
#define RADIUS    2.5

/* ---- iterations -------------------------------------------------------------------------------------------------- */

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
    cli_panel_axes(panel, MAX_TICKS, MAX_TICKS, "iteration");
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
    panel->from = edge[0];
    panel->to = edge[grid->bins];
    panel->low = 0;
    panel->high = 0;
    for (size_t i = 0; i < grid->bins; i++)
        panel->high = fmax(panel->high, 1.08 * mean / (edge[i + 1] - edge[i]));
    cairo_move_to(canvas, panel->left, panel->bottom);
    for (size_t i = 0; i < grid->bins; i++) {
        const double y = cli_panel_upwards(panel, mean / (edge[i + 1] - edge[i]));
        cairo_line_to(canvas, cli_panel_across(panel, edge[i]), y);
        cairo_line_to(canvas, cli_panel_across(panel, edge[i + 1]), y);
    }
    cairo_line_to(canvas, panel->right, panel->bottom);
    cli_canvas_colour(canvas, CLI_RGB_FILL);
    cairo_fill(canvas);
    cli_panel_axes(panel, 4, 3, title);
}

/* ---- picture ----------------------------------------------------------------------------------------------------- */

static size_t columns_of(size_t dims) { return dims < 4 ? dims : dims == 4 ? 2 : dims < 10 ? 3 : 4; }

static int draw_panels(cairo_t *canvas, const void *what) {
    const struct cli_integral *found = what;
    const double right = CLI_PICTURE_WIDTH - CLI_MARGIN;
    const size_t columns = columns_of(found->grid->dims);
    const double width = (right - CLI_MARGIN + 12) / (double)columns;
    char text[100];
    struct cli_panel panel = {
        .canvas = canvas, .left = CLI_PANEL_LEFT, .right = right, .top = TOP, .bottom = TOP + HEIGHT};
    snprintf(text, sizeof text, "%.9g ± %.2g, seed %llu", found->integral->value, found->integral->error,
             (unsigned long long)found->options->seed);
    cli_panel_title(&panel, found->file ? found->file : found->expression, text);
    draw_iterations(&panel, found);
    for (size_t a = 0; a < found->grid->dims; a++) {
        const size_t row = a / columns;
        panel.left = CLI_PANEL_SIDE + (double)(a % columns) * width;
        panel.right = CLI_MARGIN + (double)(a % columns + 1) * width - 12;
        panel.top = TOP + HEIGHT + BETWEEN + (double)row * (SMALL + BETWEEN);
        panel.bottom = panel.top + SMALL;
        draw_axis(&panel, found->grid, a);
    }
    return 0;
}

int cli_display_integral(const char *path, const struct cli_integral *found) {
    const size_t columns = columns_of(found->grid->dims), rows = (found->grid->dims + columns - 1) / columns;
    const double height = TOP + HEIGHT + BETWEEN + (double)rows * (SMALL + BETWEEN);
    const struct cli_drawing drawing = {path, CLI_PICTURE_WIDTH, height, draw_panels, found};
    return cli_atomic_write(path, cli_canvas_write, &drawing);
}
