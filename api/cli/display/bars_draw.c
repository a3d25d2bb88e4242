/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/canvas.h"
#include "api/cli/display/text.h"
#include "api/cli/display/view.h"

/* Distances in user units. */
#define PADDING      8.0  /* between the frame and the ends of the axis, */
#define STUB         36.0 /* or instead of it an open-ended bin */
#define HEADROOM     1.06 /* the vertical axis ends this much above the highest bar */
#define OUTLINED     5.0  /* bars at least this wide have outlines */
#define MIN_HEIGHT   0.75 /* a bar that is not empty is seen */
#define VALUE_TICKS  9
#define HEIGHT_TICKS 7

/* A picture in the making. */
struct plot {
    cairo_t *canvas;
    struct cli_view view;
    struct cli_steps steps;
    struct cli_ticks across, up;
    double left, top, right, bottom; /* the frame */
    double begin, end;               /* the ends of the axis within it */
    double highest, lowest;          /* at the frame's top and bottom */
    double open_left, open_right;    /* heights of the open-ended bins */
};

static double x_of(const struct plot *plot, double position) {
    return plot->begin + position * (plot->end - plot->begin);
}

static double y_of(const struct plot *plot, double height) {
    return plot->bottom - (height - plot->lowest) / (plot->highest - plot->lowest) * (plot->bottom - plot->top);
}

/* ---- layout ----------------------------------------------------------------------------------------------------- */

/* The only finite edge, where no bin lies between two. */
static void make_only_tick(struct plot *plot) {
    const struct cli_view *view = &plot->view;
    plot->across.count = 1;
    plot->across.tick[0] = (struct cli_tick){.major = 1};
    snprintf(plot->across.tick[0].label, sizeof plot->across.tick[0].label, "%.6g", view->axis->edges[view->first]);
}

/* Chooses as many labels for the axis of values as stand beside each other. */
static void make_value_ticks(struct plot *plot) {
    const struct cli_view *view = &plot->view;
    plot->across.count = 0;
    if (view->unbounded)
        return;
    if (view->first == view->last) {
        make_only_tick(plot);
        return;
    }
    double min = view->open_left ? plot->left + STUB / 2 : 0;
    double limit = view->open_right ? plot->right - STUB / 2 : CLI_CANVAS_WIDTH;
    unsigned max = VALUE_TICKS;
    do
        cli_ticks_make(&plot->across, view->low, view->high, view->log, max, CLI_TICKS_UTF8);
    while (!cli_canvas_labels_fit(plot->canvas, &plot->across, plot->begin, plot->end, min, limit) && --max > 0);
}

/* Chooses the vertical scale and its labels; returns the width of the widest one. */
static double make_height_ticks(struct plot *plot) {
    const struct cli_view *view = &plot->view;
    const double stub = STUB / fmax(plot->end - plot->begin, STUB);
    plot->open_left = view->open_left ? cli_view_open_value(view, view->left, stub) : 0;
    plot->open_right = view->open_right ? cli_view_open_value(view, view->right, stub) : 0;
    const double highest = cli_view_highest(plot->steps.highest, plot->open_left, plot->open_right);
    double lowest = fmin(plot->steps.lowest, fmin(plot->open_left, plot->open_right));
    plot->lowest = lowest * HEADROOM;
    plot->highest = highest > 0 ? highest * HEADROOM : lowest < 0 ? -lowest * (HEADROOM - 1) : 1;
    const int whole = cli_view_is_whole(view, plot->steps.merged);
    double max = whole && plot->highest < HEIGHT_TICKS ? floor(plot->highest) + 1 : HEIGHT_TICKS;
    cli_ticks_make(&plot->up, plot->lowest, plot->highest, 0, (unsigned)max, CLI_TICKS_UTF8 | CLI_TICKS_COMMAS);
    size_t kept = 0;
    for (size_t i = 0; i < plot->up.count; i++) {
        /* Between whole numbers of values there is nothing to read off. */
        if (!plot->up.tick[i].major && whole && plot->highest < 2 * HEIGHT_TICKS)
            continue;
        plot->up.tick[kept++] = plot->up.tick[i];
    }
    plot->up.count = kept;
    return cli_canvas_widest(plot->canvas, &plot->up);
}

static void place_axis(struct plot *plot, double left) {
    const struct cli_view *view = &plot->view;
    plot->left = left;
    plot->begin = left + (view->open_left ? STUB : PADDING);
    plot->end = plot->right - (view->open_right ? STUB : PADDING);
    /* Without any bin between finite edges the open-ended ones get all the room. */
    if (view->first == view->last) {
        plot->begin = !view->open_right ? plot->right : view->open_left ? (left + plot->right) / 2 : left;
        plot->end = plot->begin;
    }
}

/* The room for the labels depends on the heights, and these on the room that is left; twice is near enough. */
static int lay_out(struct plot *plot) {
    const char *title = plot->view.result->title;
    double left = 4 * MARGIN;
    plot->top = title && *title ? 2.4 * MARGIN : 1.2 * MARGIN;
    plot->right = CLI_CANVAS_WIDTH - 1.4 * MARGIN;
    plot->bottom = CLI_BARS_HEIGHT - 4.2 * MARGIN;
    for (int i = 0; i < 2; i++) {
        free(plot->steps.step);
        plot->steps.step = NULL;
        place_axis(plot, left);
        if (cli_steps_make(&plot->steps, &plot->view, (plot->end - plot->begin) / CLI_CANVAS_PIXEL) != 0)
            return -1;
        left = MARGIN + LABEL_SIZE + 2 * GAP + make_height_ticks(plot) + GAP + TICK_LENGTH;
    }
    make_value_ticks(plot);
    return 0;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static void draw_grid(const struct plot *plot) {
    cairo_t *canvas = plot->canvas;
    cairo_set_line_width(canvas, CLI_CANVAS_PIXEL);
    for (int major = 0; major < 2; major++) {
        cli_canvas_colour(canvas, major ? CLI_COLOUR_GRID : CLI_COLOUR_FINE_GRID);
        for (size_t i = 0; i < plot->across.count; i++)
            if (plot->across.tick[i].major == major) {
                double x = x_of(plot, plot->across.tick[i].position);
                cli_canvas_line(canvas, x, plot->top, x, plot->bottom);
            }
        for (size_t i = 0; i < plot->up.count; i++)
            if (plot->up.tick[i].major == major) {
                double y = plot->bottom - plot->up.tick[i].position * (plot->bottom - plot->top);
                cli_canvas_line(canvas, plot->left, y, plot->right, y);
            }
    }
}

static void add_bar(const struct plot *plot, const struct cli_step *step) {
    double x = x_of(plot, step->left), zero = y_of(plot, 0), y = y_of(plot, step->height);
    y = step->height < 0 ? fmax(y, zero + MIN_HEIGHT) : fmin(y, zero - MIN_HEIGHT);
    cairo_rectangle(plot->canvas, x, fmin(y, zero), x_of(plot, step->right) - x, fabs(zero - y));
}

/* All bars are one path, so that no seams show between them; then come the outlines of wide ones, and the spikes. */
static void draw_bars(const struct plot *plot) {
    cairo_t *canvas = plot->canvas;
    const struct cli_step *steps = plot->steps.step;
    double outlined = OUTLINED / fmax(plot->end - plot->begin, OUTLINED);
    for (size_t i = 0; i < plot->steps.count; i++)
        add_bar(plot, &steps[i]);
    cli_canvas_colour(canvas, CLI_COLOUR_FILL);
    cairo_fill(canvas);
    for (size_t i = 0; i < plot->steps.count; i++)
        if (steps[i].single && steps[i].right - steps[i].left >= outlined)
            add_bar(plot, &steps[i]);
    cli_canvas_colour(canvas, CLI_COLOUR_OUTLINE);
    cairo_set_line_width(canvas, 1.5 * CLI_CANVAS_PIXEL);
    cairo_stroke(canvas);
    for (size_t i = 0; i < plot->steps.count; i++)
        if (steps[i].spike)
            add_bar(plot, &steps[i]);
    cairo_fill(canvas);
}

/* An open-ended bin: full at its finite edge, fading towards infinity; with a gap near the top where it is cut off. */
static void draw_stub(const struct plot *plot, double inner, double outer, double height) {
    cairo_t *canvas = plot->canvas;
    unsigned rgb = cli_canvas_rgb(CLI_COLOUR_FILL);
    double red = (rgb >> 16 & 255) / 255.0, green = (rgb >> 8 & 255) / 255.0, blue = (rgb & 255) / 255.0;
    if (height == 0)
        return;
    cairo_pattern_t *fade = cairo_pattern_create_linear(inner, 0, outer, 0);
    cairo_pattern_add_color_stop_rgba(fade, 0, red, green, blue, 1);
    cairo_pattern_add_color_stop_rgba(fade, 1, red, green, blue, 0);
    double zero = y_of(plot, 0), y = fmax(y_of(plot, height), plot->top);
    y = height < 0 ? fmax(y, zero + MIN_HEIGHT) : fmin(y, zero - MIN_HEIGHT);
    cairo_rectangle(canvas, fmin(inner, outer), fmin(y, zero), fabs(outer - inner), fabs(zero - y));
    cairo_set_source(canvas, fade);
    cairo_fill(canvas);
    cairo_pattern_destroy(fade);
    if (height > plot->highest) {
        double middle = plot->top + 2 * GAP;
        cli_canvas_colour(canvas, CLI_COLOUR_PAPER);
        cairo_set_line_width(canvas, GAP / 2);
        cairo_move_to(canvas, fmin(inner, outer), middle + GAP / 2);
        cairo_line_to(canvas, fmax(inner, outer), middle - GAP / 2);
        cairo_stroke(canvas);
    }
}

static void draw_axes(const struct plot *plot) {
    cairo_t *canvas = plot->canvas;
    cli_canvas_colour(canvas, CLI_COLOUR_AXIS);
    cairo_set_line_width(canvas, 2 * CLI_CANVAS_PIXEL);
    cli_canvas_line(canvas, plot->left, plot->top, plot->left, plot->bottom);
    if (plot->lowest < 0)
        cli_canvas_line(canvas, plot->left, y_of(plot, 0), plot->right, y_of(plot, 0));
    cli_canvas_line(canvas, plot->view.open_left ? plot->begin : plot->left, plot->bottom,
                    plot->view.open_right ? plot->end : plot->right, plot->bottom);
    const double dashes[] = {3, 3};
    cairo_set_dash(canvas, dashes, 2, 0);
    if (plot->view.open_left)
        cli_canvas_line(canvas, plot->begin, plot->bottom, plot->left, plot->bottom);
    if (plot->view.open_right)
        cli_canvas_line(canvas, plot->end, plot->bottom, plot->right, plot->bottom);
    cairo_set_dash(canvas, NULL, 0, 0);
    for (size_t i = 0; i < plot->across.count; i++) {
        double x = x_of(plot, plot->across.tick[i].position), length = plot->across.tick[i].major ? 1 : 0.5;
        cli_canvas_line(canvas, x, plot->bottom, x, plot->bottom + length * TICK_LENGTH);
    }
    for (size_t i = 0; i < plot->up.count; i++)
        if (plot->up.tick[i].major) {
            double y = plot->bottom - plot->up.tick[i].position * (plot->bottom - plot->top);
            cli_canvas_line(canvas, plot->left - TICK_LENGTH, y, plot->left, y);
        }
}

/* Writes an edge at the outer end of the axis. */
static void write_outer(char text[40], double edge) {
    if (isinf(edge))
        snprintf(text, 40, "%s", edge < 0 ? "-∞" : "∞");
    else
        snprintf(text, 40, "%.6g", edge);
}

static void draw_labels(const struct plot *plot) {
    cairo_t *canvas = plot->canvas;
    const struct cli_axis *axis = plot->view.axis;
    double baseline = plot->bottom + LABEL_BASELINE, half = 0.35 * TICK_SIZE, x = plot->left - TICK_LENGTH - GAP;
    char text[40];
    cli_canvas_labels(canvas, &plot->across, plot->begin, baseline, plot->end, baseline, 0.5);
    if (plot->view.open_left || plot->view.unbounded) {
        write_outer(text, axis->edges[0]);
        cli_canvas_number(canvas, plot->left, baseline, 0.5, text);
    }
    if (plot->view.open_right || plot->view.unbounded) {
        write_outer(text, axis->edges[axis->bins]);
        cli_canvas_number(canvas, plot->right, baseline, 0.5, text);
    }
    cli_canvas_labels(canvas, &plot->up, x, plot->bottom + half, x, plot->top + half, 1);
    cli_canvas_font(canvas, LABEL_SIZE, 0);
    cli_canvas_text(canvas, (plot->left + plot->right) / 2, baseline + 1.8 * LABEL_SIZE, 0.5, "value");
    cli_canvas_upright(canvas, MARGIN + 0.8 * LABEL_SIZE, (plot->top + plot->bottom) / 2, CLI_BARS_HEIGHT,
                       cli_view_label(&plot->view, plot->steps.merged));
}

/* The title, and under the picture what it cannot show: how many values are where. */
static void draw_words(const struct plot *plot) {
    const struct cli_result *result = plot->view.result;
    const struct cli_axis *axis = plot->view.axis;
    const size_t first = plot->view.first, last = plot->view.last;
    double width = plot->right - plot->left;
    char text[1024], held[CLI_TEXT_COUNT_SIZE], edge[40];
    struct cli_line line = {text, sizeof text, 0};
    cli_canvas_title(plot->canvas, plot->left, width, result->title);
    cli_line_count(&line, "", axis->bins);
    cli_line_count(&line, axis->bins == 1 ? " bin  ·  n " : " bins  ·  n ", result->n);
    cli_line_count(&line, "  ·  below ", axis->flow.below);
    cli_line_count(&line, "  ·  above ", axis->flow.above);
    cli_line_count(&line, "  ·  NaN ", axis->flow.nan);
    if (plot->view.open_left) {
        write_outer(edge, axis->edges[first]);
        cli_text_bins(held, result, 0, first);
        cli_line_add(&line, "  ·  up to ", edge);
        cli_line_add(&line, ": ", held);
    }
    if (plot->view.open_right) {
        write_outer(edge, axis->edges[last]);
        cli_text_bins(held, result, last, axis->bins);
        cli_line_add(&line, "  ·  from ", edge);
        cli_line_add(&line, ": ", held);
    }
    cli_canvas_caption(plot->canvas, plot->left, CLI_BARS_HEIGHT - 0.8 * MARGIN, width, text);
}

int cli_bars_draw(cairo_t *canvas, const struct cli_result *result) {
    struct plot plot = {.canvas = canvas};
    cli_view_init(&plot.view, result);
    int status = lay_out(&plot);
    if (status == 0) {
        draw_grid(&plot);
        draw_stub(&plot, plot.begin, plot.left, plot.open_left);
        draw_stub(&plot, plot.end, plot.right, plot.open_right);
        draw_bars(&plot);
        draw_axes(&plot);
        draw_labels(&plot);
        draw_words(&plot);
    }
    free(plot.steps.step);
    return status;
}
