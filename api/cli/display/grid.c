/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* M_PI */
#include "api/cli/display/frame.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EQUAL_WIDTH 1e-3L /* bins look equal if none deviates more from the mean width, as a fraction of it */
#define MONTHS      0.1L  /* the same for bins of time: months and years look equal */
#define SNAP        1e-6  /* a boundary this close to one between points lies on it except for rounding */
#define PALE        50.0  /* values below maximum / PALE are pale */
#define LOG_RANGE   1e-9  /* the lowest colour is at least this fraction of the highest */

/* Long double holds any difference of two float64 edges, from the widest range to subnormals. */
static long double to_axis(const struct cli_view *view, double x) {
    if (!view->log)
        return x;
    return x > 0 ? log10l(x) : -INFINITY;
}

/* Finds the first and last edges that are finite on the axis. Returns 0 if none is found. */
static int find_finite(struct cli_view *view) {
    const struct cli_axis *axis = view->axis;
    size_t first = 0, last = axis->bins;
    while (first <= last && !isfinite(to_axis(view, axis->edges[first])))
        first++;
    if (first > last)
        return 0;
    while (!isfinite(to_axis(view, axis->edges[last])))
        last--;
    view->first = first;
    view->last = last;
    view->low = to_axis(view, axis->edges[first]);
    view->high = to_axis(view, axis->edges[last]);
    return 1;
}

static int bins_are_equal(const struct cli_view *view) {
    const double *edges = view->axis->edges;
    size_t bins = view->last - view->first;
    if (bins == 0)
        return 1;
    long double mean = (view->high - view->low) / (long double)bins, left = view->low;
    for (size_t i = view->first; i < view->last; i++) {
        long double right = to_axis(view, edges[i + 1]);
        if (fabsl(right - left - mean) > (view->axis->time ? MONTHS : EQUAL_WIDTH) * mean)
            return 0;
        left = right;
    }
    return 1;
}

/* `framed`: a bin that is alone does not fill the axis. */
static void make_view(struct cli_view *view, const struct cli_axis *axis, int framed) {
    *view = (struct cli_view){.axis = axis, .log = axis->log != 0, .high = 1};
    if (view->log && !find_finite(view))
        view->log = 0;
    view->unbounded = !find_finite(view);
    view->equal = bins_are_equal(view);
    if (view->low == view->high || (framed && view->last - view->first == 1)) {
        const long double whole = view->high - view->low;
        const long double around = whole > 0 ? whole / 4 : fmaxl(0.5L, fabsl(view->low) / 1000);
        view->low -= around;
        view->high += around;
    }
}

/* One axis in grid points: drawn bin i covers position[i] to position[i + 1]. */
struct spread {
    const struct cli_view *view;
    size_t bins, points;
    int whole;        /* positions are whole numbers, each point has one bin */
    double *position; /* bins + 1 elements, followed by `factor` */
    double *factor;   /* per bin: displayed value per contents */
};

/* `unit`: displayed contribution of one value spread over the whole axis; 0: cells are shown unchanged. */
static void spread_make(struct spread *spread, const struct cli_view *view, size_t points, double unit) {
    const double *edges = view->axis->edges;
    const size_t bins = view->last - view->first;
    double *at = cli_have(malloc(2 * (bins + 1) * sizeof *at));
    *spread = (struct spread){view, bins, points, 1, at, at + bins + 1};
    for (size_t i = 0; i <= bins; i++) {
        double share = (double)((to_axis(view, edges[view->first + i]) - view->low) / (view->high - view->low));
        at[i] = (share > 0 ? fmin(share, 1) : 0) * (double)points;
        at[i] = fabs(at[i] - round(at[i])) < SNAP ? round(at[i]) : at[i];
        spread->whole = spread->whole && (i == 0 || at[i] - at[i - 1] >= 1);
    }
    for (size_t i = 0; i < bins; i++)
        spread->factor[i] = at[0] == at[bins] ? 1 / (double)bins
                            : !spread->whole  ? (double)points * (unit == 0 ? 1 / (double)bins : unit)
                            : unit == 0       ? 1
                                              : (double)points / (at[i + 1] - at[i]) * unit;
    for (size_t i = 0; i <= bins && spread->whole; i++)
        at[i] = round(at[i]);
}

/* Finds the bins of a point, starting at bin `*from`; points must be passed in ascending order. Returns their number
 * and sets `*from` to the first; the others follow. */
static size_t find_parts(const struct spread *spread, size_t point, size_t *from) {
    const double *at = spread->position;
    double left = (double)point, right = left + 1;
    int last = point + 1 == spread->points;
    size_t i = *from;
    /* A bin of width 0 at a boundary belongs to the point after it. */
    while (i < spread->bins && (at[i + 1] < left || (at[i + 1] == left && at[i] < left)))
        i++;
    *from = i;
    while (i < spread->bins && (at[i] < right || (last && at[i] <= right)))
        i++;
    return i - *from;
}

static double part_factor(const struct spread *spread, size_t point, size_t bin) {
    const double *at = spread->position + bin;
    const double width = at[1] - at[0], left = (double)point;
    if (spread->whole || !(width > 0))
        return spread->factor[bin];
    const double overlap = fmin(at[1], left + 1) - fmax(at[0], left);
    return overlap > 0 ? overlap / width * spread->factor[bin] : 0;
}

static double cell_value(const struct cli_result *result, size_t cell) {
    if (result->means)
        return result->counts[cell] ? (double)result->counts[cell] * result->means[cell] : 0;
    return cli_result_value(result, cell);
}

/* Sums a grid column over the first axis, per bin of the second: the values and, for means, the points. Takes the last
 * of running sums. */
static void sum_column(const struct cli_grid *grid, const struct spread *across, size_t point, size_t from,
                       size_t parts, size_t bins, double *values, double *points) {
    const struct cli_result *result = grid->result;
    memset(values, 0, bins * sizeof *values);
    memset(points, 0, bins * sizeof *points);
    if (cli_result_is_cumulative(result) && !result->density) {
        if (parts > 0)
            values[0] = cli_result_running(result, across->view->first + from + parts - 1);
        return;
    }
    for (size_t p = from; p < from + parts; p++) {
        double factor = part_factor(across, point, p);
        size_t cell = (across->view->first + p) * grid->view[1].axis->bins + grid->view[1].first;
        for (size_t j = 0; j < bins && factor > 0; j++) {
            values[j] += factor * cell_value(result, cell + j);
            if (result->means)
                points[j] += factor * (double)result->counts[cell + j];
        }
    }
}

static void fill_column(struct cli_grid *grid, const struct spread *up, size_t point, const double *values,
                        const double *points) {
    const int means = grid->result->means != NULL;
    size_t from = 0;
    for (size_t row = 0; row < grid->height; row++) {
        size_t parts = find_parts(up, row, &from), at = (grid->height - 1 - row) * grid->width + point;
        double value = 0, weight = 0;
        for (size_t p = from; p < from + parts; p++) {
            double factor = part_factor(up, row, p);
            if (factor > 0 && values[p] != 0)
                value += factor * values[p];
            weight += factor * points[p];
        }
        if (means)
            value /= weight > 0 ? weight : 1;
        grid->value[at] = value;
        grid->state[at] = isnan(value) ? 2 : means ? weight > 0 : value != 0;
    }
}

static void fill_values(struct cli_grid *grid, const struct spread *across, const struct spread *up) {
    double *values = cli_have(malloc(2 * (up->bins + 1) * sizeof *values)), *points = values + up->bins + 1;
    size_t from = 0;
    for (size_t point = 0; point < grid->width; point++) {
        size_t parts = find_parts(across, point, &from);
        sum_column(grid, across, point, from, parts, up->bins, values, points);
        fill_column(grid, up, point, values, points);
    }
    free(values);
}

/* Returns the sum of all finite values; adds the contents of bins with an infinite edge to `beyond`. */
static double sum_cells(struct cli_grid *grid) {
    const struct cli_result *result = grid->result;
    const struct cli_view *x = &grid->view[0], *y = &grid->view[1];
    double total = 0;
    size_t row = y->axis->bins, cells = cli_result_cells(result);
    for (size_t cell = 0; cell < cells; cell++) {
        size_t i = cell / row, j = cell % row;
        double value = cell_value(result, cell);
        total += isfinite(value) ? value : 0;
        if (i < x->first || i >= x->last || j < y->first || j >= y->last)
            grid->beyond += result->means ? (double)result->counts[cell] : value;
    }
    grid->has_beyond = x->last - x->first < x->axis->bins || y->last - y->first < y->axis->bins;
    return total;
}

static void make_scale(struct cli_grid *grid, enum cli_heat_scale scale) {
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
    if (grid->result->naxes == 1) {
        grid->low = fmin(low, 0);
        grid->high = fmax(high, 0);
        return;
    }
    for (size_t i = 0; i < n; i++)
        pale += grid->state[i] == 1 && grid->value[i] < high / PALE;
    int means = grid->result->means != NULL, positive = there > 0 && low >= 0;
    grid->diverging = there > 0 && low < 0 && (!means || high > 0);
    grid->logarithmic = scale == CLI_HEAT_LOG ? isfinite(min) != 0 && !grid->diverging
                                              : scale == CLI_HEAT_AUTO && positive && !means && 2 * pale > there;
    grid->low = grid->logarithmic ? fmax(min, high * LOG_RANGE) : means && there > 0 ? low : 0;
    grid->high = there > 0 ? high : 1;
    if (grid->diverging) {
        grid->high = fmax(fabs(low), fabs(high));
        grid->low = -grid->high;
    }
    if (!(grid->low < grid->high) && grid->logarithmic) {
        grid->low = fmax(grid->high / 10, DBL_TRUE_MIN);
        grid->high = fmax(grid->high, 10 * grid->low);
    } else if (!(grid->low < grid->high)) {
        grid->high = grid->low + fmax(1, fabs(grid->low) / 1000);
    }
}

double cli_grid_share(const struct cli_grid *grid, double value) {
    double share = grid->logarithmic ? log(value / grid->low) / log(grid->high / grid->low)
                                     : (value / 2 - grid->low / 2) / (grid->high / 2 - grid->low / 2);
    return share > 0 ? fmin(share, 1) : 0;
}

/* Encodes linear sRGB light as eight bits, IEC 61966-2-1. */
static unsigned encode(double light) {
    double value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    return (unsigned)lround(255 * fmin(fmax(value, 0), 1));
}

/* Converts Oklab lightness, chroma and hue to sRGB (B. Ottosson, "A perceptual color space for image processing",
 * 2020). Equal distances in Oklab look equal. */
static unsigned to_rgb(double lightness, double chroma, double degrees) {
    double a = chroma * cos(degrees * M_PI / 180), b = chroma * sin(degrees * M_PI / 180);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) << 16 |
           encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) << 8 |
           encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

unsigned cli_grid_rgb(double share, int diverging) {
    share = share > 0 ? fmin(share, 1) : 0;
    if (!diverging)
        return to_rgb(0.93 - 0.66 * share, 0.095, 105 + 165 * share);
    double away = fabs(2 * share - 1);
    return to_rgb(0.97 - 0.62 * away, 0.08 * away, share < 0.5 ? 255 : 60);
}

enum showing { AS_THEY_ARE, RUNNING, BY_SIZE, OVER_ALL };

static void write_label(struct cli_grid *grid, enum showing showing, int merged) {
    static const char *const parts[][2] = {{"", ""},
                                           {" per bin", " per cell"},
                                           {" over the whole axis", " over the whole area"},
                                           {" per unit width", " per unit area"},
                                           {" per decade", " per area (in decades)"}};
    const struct cli_result *result = grid->result;
    const int decades = grid->view[0].log || grid->view[1].log, density = result->density && showing == BY_SIZE;
    const int part = showing == AS_THEY_ARE ? merged : showing == OVER_ALL ? 2 : showing == BY_SIZE ? 3 + decades : 0;
    if (result->means || density)
        snprintf(grid->label, sizeof grid->label, "%s%s", result->means ? "mean" : "density",
                 density && decades ? parts[4][0] : "");
    else
        snprintf(grid->label, sizeof grid->label, "%s%s%s",
                 showing == RUNNING ? "cumulative "
                 : part == 1        ? "mean "
                                    : "",
                 result->sums ? "sum of weights" : "count", parts[part][result->naxes == 2]);
}

/* Returns the points that fit or, if few remain unused, a multiple of the number of equal bins. */
static size_t even_points(const struct cli_view *view, size_t room) {
    const size_t bins = view->last - view->first;
    return view->equal && bins > 0 && bins <= room && room % bins <= room / 4 ? room - room % bins : room;
}

void cli_grid_make(struct cli_grid *grid, const struct cli_result *result, size_t width, size_t height, int even,
                   enum cli_heat_scale scale) {
    static const double ends[] = {0, 1};
    static const struct cli_axis one = {.bins = 1, .edges = ends};
    struct spread spread[2];
    *grid = (struct cli_grid){.result = result};
    make_view(&grid->view[0], &result->axis[0], result->naxes == 1 && !even);
    make_view(&grid->view[1], result->naxes == 1 ? &one : &result->axis[1], 0);
    grid->width = even ? even_points(&grid->view[0], width) : width;
    grid->height = result->naxes == 1 ? 1 : even ? even_points(&grid->view[1], height) : height;
    const size_t points = grid->width * grid->height;
    grid->value = cli_have(calloc(points + 1, sizeof *grid->value));
    grid->state = cli_have(calloc(points + 1, 1));
    const double total = sum_cells(grid);
    enum showing showing = BY_SIZE;
    double unit[2], range[2];
    for (int a = 0; a < 2; a++)
        range[a] = (double)(grid->view[a].high - grid->view[a].low);
    if (cli_result_is_cumulative(result) && !result->density)
        showing = RUNNING;
    else if ((grid->view[0].equal && grid->view[1].equal && !result->density) || result->means)
        showing = AS_THEY_ARE;
    else if (!isfinite((fabs(total) + 1) * 1e9 / (range[0] * range[1])))
        showing = OVER_ALL; /* division by the smallest areas would overflow */
    for (int a = 0; a < 2; a++)
        unit[a] = showing == BY_SIZE ? 1 / range[a] : showing == OVER_ALL ? 1 : 0;
    if (showing == BY_SIZE && result->density && total != 0)
        unit[0] /= total;
    spread_make(&spread[0], &grid->view[0], grid->width, unit[0]);
    spread_make(&spread[1], &grid->view[1], grid->height, unit[1]);
    const int merged = (!spread[0].whole && spread[0].bins > 1) || (!spread[1].whole && spread[1].bins > 1);
    grid->whole = result->counts && !result->means && (showing == RUNNING || (showing == AS_THEY_ARE && !merged));
    write_label(grid, showing, merged);
    fill_values(grid, &spread[0], &spread[1]);
    make_scale(grid, scale);
    grid->edge = spread[0].whole ? spread[0].position : NULL;
    if (!grid->edge)
        free(spread[0].position);
    free(spread[1].position);
}

void cli_grid_free(struct cli_grid *grid) {
    free(grid->value);
    free(grid->state);
    free(grid->edge);
}
