/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/display/heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/text.h"

#define SNAP      1e-6 /* a boundary this near the one of two points is meant to lie on it, and misses it by rounding */
#define PALE      50.0 /* values below this part of the highest are pale */
#define LOG_RANGE 1e-9 /* the lowest colour stands for no less than this part of the highest */

/* One axis in points of the grid: bin i of those drawn takes position[i] to position[i + 1]. */
struct spread {
    const struct cli_view *view;
    size_t bins, points;
    int whole;        /* positions are whole numbers, every point belongs to one bin */
    double *position; /* bins + 1 */
    double *factor;   /* whole: of each bin, else one alone: turns what is there into what is shown */
};

static void spread_free(struct spread *spread) {
    free(spread->position);
    free(spread->factor);
}

/* `equal`: cells are shown as they are, not by their area. */
static int spread_make(struct spread *spread, const struct cli_view *view, size_t points, int equal) {
    const double *edges = view->axis->edges;
    size_t bins = view->last - view->first;
    double unit = equal ? 1 / (double)(bins > 0 ? bins : 1) : (double)(1 / (view->high - view->low));
    *spread = (struct spread){view, bins, points, 1, NULL, NULL};
    spread->position = malloc((bins + 1) * sizeof *spread->position);
    spread->factor = malloc((bins + 1) * sizeof *spread->factor);
    if (!spread->position || !spread->factor)
        return -1;
    for (size_t i = 0; i <= bins; i++) {
        double at = cli_view_position(view, edges[view->first + i]) * (double)points;
        spread->position[i] = fabs(at - round(at)) < SNAP ? round(at) : at;
        spread->whole = spread->whole && (i == 0 || spread->position[i] - spread->position[i - 1] >= 1);
    }
    spread->factor[0] = (double)points * unit;
    for (size_t i = 0; i < bins && spread->whole; i++)
        spread->factor[i] = equal ? 1 : (double)points / (spread->position[i + 1] - spread->position[i]) * unit;
    for (size_t i = 0; i <= bins && spread->whole; i++)
        spread->position[i] = round(spread->position[i]);
    return 0;
}

/* Finds the bins that a point shows, from bin `*from` on, which is moved: points are asked for in ascending order.
 * Returns how many there are; the first is `*from` and the others follow. */
static size_t find_parts(const struct spread *spread, size_t point, size_t *from) {
    const double *at = spread->position;
    double left = (double)point, right = left + 1;
    int last = point + 1 == spread->points;
    size_t i = *from;
    /* A bin without width at a boundary belongs to the point behind it. */
    while (i < spread->bins && (at[i + 1] < left || (at[i + 1] == left && at[i] < left)))
        i++;
    *from = i;
    while (i < spread->bins && (at[i] < right || (last && at[i] <= right)))
        i++;
    return i - *from;
}

/* What a bin adds to a point. */
static double part_factor(const struct spread *spread, size_t point, size_t bin) {
    const double *at = spread->position + bin;
    double width = at[1] - at[0], left = (double)point;
    if (spread->whole)
        return spread->factor[bin];
    if (!(width > 0))
        return spread->factor[0];
    double overlap = fmin(at[1], left + 1) - fmax(at[0], left);
    return overlap > 0 ? overlap / width * spread->factor[0] : 0;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Where what is shown comes from. */
struct source {
    const struct cli_result *result;
    size_t row, first; /* bins of the second axis, and the first that is drawn */
    double scale;      /* 1, or 1 / the total */
};

static double cell_value(const struct cli_result *result, size_t cell) {
    if (result->sums)
        return result->sums[cell];
    if (result->means)
        return result->counts[cell] ? (double)result->counts[cell] * result->means[cell] : 0;
    return (double)result->counts[cell];
}

/* Two sums a bin of the second axis: of the values, and for means of the points. */
struct column {
    double *values, *points;
};

/* Sums a column of the grid over the first axis. */
static void sum_column(const struct source *source, const struct spread *across, size_t point, size_t from,
                       size_t parts, size_t bins, struct column *column) {
    const struct cli_result *result = source->result;
    memset(column->values, 0, bins * sizeof *column->values);
    memset(column->points, 0, bins * sizeof *column->points);
    for (size_t p = from; p < from + parts; p++) {
        double factor = part_factor(across, point, p);
        size_t cell = (across->view->first + p) * source->row + source->first;
        if (!(factor > 0))
            continue;
        for (size_t j = 0; j < bins; j++) {
            column->values[j] += factor * cell_value(result, cell + j);
            if (result->means)
                column->points[j] += factor * (double)result->counts[cell + j];
        }
    }
}

/* Sums the column over the second axis into the grid. */
static void fill_column(struct cli_heat_grid *grid, const struct source *source, const struct spread *up, size_t point,
                        const struct column *column) {
    size_t from = 0;
    for (size_t row = 0; row < grid->height; row++) {
        size_t parts = find_parts(up, row, &from), at = (grid->height - 1 - row) * grid->width + point;
        double value = 0, points = 0;
        for (size_t p = from; p < from + parts; p++) {
            double factor = part_factor(up, row, p);
            if (factor > 0 && column->values[p] != 0)
                value += factor * column->values[p];
            points += factor * column->points[p];
        }
        if (source->result->means)
            value /= points > 0 ? points : 1;
        grid->value[at] = value * source->scale;
        grid->state[at] = isnan(value) ? 2 : source->result->means ? points > 0 : value != 0;
    }
}

static int fill_values(struct cli_heat_grid *grid, const struct spread *across, const struct spread *up, double scale) {
    const struct source source = {grid->result, grid->result->axis[1].bins, up->view->first, scale};
    struct column column = {malloc((up->bins + 1) * sizeof(double)), malloc((up->bins + 1) * sizeof(double))};
    size_t from = 0, before = SIZE_MAX;
    int result = -1;
    if (!column.values || !column.points)
        goto out;
    for (size_t point = 0; point < grid->width; point++) {
        size_t parts = find_parts(across, point, &from);
        if (across->whole && parts > 0 && before == from) {
            for (size_t row = 0; row < grid->height; row++) {
                grid->value[row * grid->width + point] = grid->value[row * grid->width + point - 1];
                grid->state[row * grid->width + point] = grid->state[row * grid->width + point - 1];
            }
            continue;
        }
        before = from;
        sum_column(&source, across, point, from, parts, up->bins, &column);
        fill_column(grid, &source, up, point, &column);
    }
    result = 0;
out:
    free(column.values);
    free(column.points);
    return result;
}

/* Sums everything, and what bins with an infinite edge hold. */
static double sum_cells(struct cli_heat_grid *grid) {
    const struct cli_result *result = grid->result;
    const struct cli_view *x = &grid->view[0], *y = &grid->view[1];
    double total = 0;
    size_t row = result->axis[1].bins, cells = cli_result_cells(result);
    for (size_t cell = 0; cell < cells; cell++) {
        size_t i = cell / row, j = cell % row;
        double value = cell_value(result, cell);
        total += value;
        if (i < x->first || i >= x->last || j < y->first || j >= y->last)
            grid->beyond += result->means ? (double)result->counts[cell] : value;
    }
    grid->has_beyond = x->open_left || x->open_right || y->open_left || y->open_right;
    return total;
}

/* ---- the scale -------------------------------------------------------------------------------------------------- */

static void make_scale(struct cli_heat_grid *grid, enum cli_heat_scale scale) {
    double low = INFINITY, high = -INFINITY, min = INFINITY;
    size_t n = grid->width * grid->height, there = 0, pale = 0;
    for (size_t i = 0; i < n; i++) {
        double value = grid->value[i];
        if (grid->state[i] != 1 || !isfinite(value))
            continue;
        low = fmin(low, value);
        high = fmax(high, value);
        min = value > 0 ? fmin(min, value) : min;
        there++;
    }
    for (size_t i = 0; i < n; i++)
        pale += grid->state[i] == 1 && grid->value[i] < high / PALE;
    int means = grid->result->means != NULL, positive = there > 0 && low >= 0;
    grid->diverging = !means && there > 0 && low < 0;
    grid->logarithmic = scale == CLI_HEAT_LOG ? isfinite(min) != 0 && !grid->diverging
                                              : scale == CLI_HEAT_AUTO && positive && !means && 2 * pale > there;
    grid->low = grid->logarithmic ? fmax(min, high * LOG_RANGE) : means && there > 0 ? low : 0;
    grid->high = there > 0 ? high : 1;
    if (grid->diverging) {
        grid->high = fmax(fabs(low), fabs(high));
        grid->low = -grid->high;
    }
    if (!(grid->low < grid->high) && grid->logarithmic)
        grid->low = grid->high / 10;
    else if (!(grid->low < grid->high))
        grid->high = grid->low + fmax(1, fabs(grid->low) / 1000);
}

double cli_heat_share(const struct cli_heat_grid *grid, double value) {
    double share = grid->logarithmic ? log(value / grid->low) / log(grid->high / grid->low)
                                     : (value / 2 - grid->low / 2) / (grid->high / 2 - grid->low / 2);
    return share > 0 ? fmin(share, 1) : 0;
}

/* ---- together --------------------------------------------------------------------------------------------------- */

static const char *find_label(const struct cli_heat_grid *grid, int equal, int relative) {
    const struct cli_result *result = grid->result;
    int sums = result->sums != NULL, decades = grid->view[0].log || grid->view[1].log;
    if (result->means)
        return "mean";
    if (relative)
        return sums ? "sum of weights over the whole area" : "count over the whole area";
    if (result->density)
        return decades ? "density (per decade)" : "density";
    if (equal && grid->merged)
        return sums ? "mean sum of weights per cell" : "mean count per cell";
    if (equal)
        return sums ? "sum of weights" : "count";
    if (decades)
        return sums ? "sum of weights per area (in decades)" : "count per area (in decades)";
    return sums ? "sum of weights per unit area" : "count per unit area";
}

int cli_heat_grid_make(struct cli_heat_grid *grid, const struct cli_result *result, size_t width, size_t height,
                       enum cli_heat_scale scale) {
    struct spread spread[2] = {{.bins = 0}, {.bins = 0}};
    int status = -1;
    *grid = (struct cli_heat_grid){.result = result, .width = width, .height = height};
    grid->value = calloc(width * height, sizeof *grid->value);
    grid->state = calloc(width * height, 1);
    if (!grid->value || !grid->state)
        goto out;
    double area = 1;
    for (int a = 0; a < 2; a++) {
        cli_view_axis(&grid->view[a], &result->axis[a]);
        area *= (double)(grid->view[a].high - grid->view[a].low);
    }
    double total = sum_cells(grid);
    int density = result->density != NULL && total > 0;
    /* What is divided by the smallest areas would overflow; it is then shown over the whole area. */
    int relative = !isfinite(fabs(total) * 1e9 / area);
    int equal = (grid->view[0].equal && grid->view[1].equal && !density) || result->means;
    for (int a = 0; a < 2; a++)
        if (spread_make(&spread[a], &grid->view[a], a ? height : width, equal))
            goto out;
    for (int a = 0; a < 2 && relative && !equal; a++)
        for (size_t i = 0; i < spread[a].bins + 1; i++)
            spread[a].factor[i] *= (double)(grid->view[a].high - grid->view[a].low);
    grid->merged = !spread[0].whole || !spread[1].whole;
    grid->label = find_label(grid, equal, relative && !equal);
    if (fill_values(grid, &spread[0], &spread[1], density && !relative ? 1 / total : 1))
        goto out;
    make_scale(grid, scale);
    status = 0;
out:
    spread_free(&spread[0]);
    spread_free(&spread[1]);
    return status;
}

void cli_heat_grid_free(struct cli_heat_grid *grid) {
    free(grid->value);
    free(grid->state);
}

int cli_heat_scale_from_name(const char *name, enum cli_heat_scale *scale) {
    static const char *const names[] = {"auto", "linear", "log"};
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *scale = (enum cli_heat_scale)i;
            return 0;
        }
    return -1;
}

/* ---- colours ---------------------------------------------------------------------------------------------------- */

/* Of light in linear sRGB to eight bits, IEC 61966-2-1. */
static unsigned encode(double light) {
    double value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (unsigned)lround(255 * fmin(fmax(value, 0), 1));
}

/* Of lightness, chroma and hue in Oklab to sRGB (B. Ottosson, "A perceptual color space for image processing", 2020):
 * equal distances there look equal. */
static unsigned to_rgb(double lightness, double chroma, double degrees) {
    double a = chroma * cos(degrees * M_PI / 180), b = chroma * sin(degrees * M_PI / 180);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
           encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
           encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

unsigned cli_heat_rgb(double share, int diverging) {
    share = share > 0 ? fmin(share, 1) : 0;
    if (!diverging)
        return to_rgb(0.93 - 0.66 * share, 0.095, 105 + 165 * share);
    double away = fabs(2 * share - 1);
    return to_rgb(0.97 - 0.62 * away, 0.08 * away, share < 0.5 ? 255 : 60);
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

void cli_heat_axis_name(char *text, size_t size, const struct cli_result *result, size_t axis) {
    const char *name = result->axis[axis].name;
    if (name && *name)
        cli_text_clean(text, size, name, size - 1, 1);
    else
        snprintf(text, size, "axis %zu", axis);
}

static void write_totals(struct cli_line *line, const struct cli_heat_grid *grid, int utf8) {
    const struct cli_result *result = grid->result;
    const char *dot = utf8 ? "  ·  " : " | ";
    char number[40];
    cli_line_count(line, "", result->axis[0].bins);
    cli_line_count(line, utf8 ? " × " : " x ", result->axis[1].bins);
    cli_line_add(line, " bins", dot);
    cli_line_count(line, "n ", result->n);
    cli_line_add(line, dot, "");
    cli_line_count(line, "outside ", result->outside);
    if (result->sums) {
        snprintf(number, sizeof number, "%.6g", result->outside_sum);
        cli_line_add(line, ", of weight ", number);
    }
    if (grid->has_beyond) {
        snprintf(number, sizeof number, "%.15g", grid->beyond);
        cli_line_add(line, dot, "in bins without end ");
        cli_line_add(line, number, "");
    }
}

void cli_heat_caption(char *text, size_t size, const struct cli_heat_grid *grid, unsigned number, int utf8) {
    struct cli_line line = {text, size, 0};
    char name[256], clean[64];
    text[0] = 0;
    if (number == 0) {
        write_totals(&line, grid, utf8);
        return;
    }
    for (size_t a = 0; a < 2; a++) {
        const uh_flow *flow = &grid->result->axis[a].flow;
        cli_heat_axis_name(name, sizeof name, grid->result, a);
        cli_text_clean(clean, sizeof clean, name, 24, utf8);
        cli_line_add(&line, a ? utf8 ? "  ·  " : " | " : "", clean);
        cli_line_count(&line, ": below ", flow->below);
        cli_line_count(&line, ", above ", flow->above);
        cli_line_count(&line, ", NaN ", flow->nan);
    }
}
