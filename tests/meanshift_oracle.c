/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/meanshift_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.141592653589793238462643383279502884L

/* Half a unit in the last place of 1, and the multiples that weights and products (of the radius) are rounded to. */
static long double rounding_of(uh_dtype dtype) { return dtype == UH_F32 ? 0x1p-24L : 0x1p-53L; }

static long double unit_of(uh_dtype dtype) { return dtype == UH_F32 ? 0x1p-21L : 0x1p-40L; }

struct oracle_kernel oracle_kernel_of(uh_density_kernel kernel, double radius, double sigma, int squared) {
    struct oracle_kernel made = {.kernel = kernel, .sigma = (long double)sigma};
    const long double distance = (long double)radius;
    made.radius_squared = radius == 0 ? 9 * made.sigma * made.sigma : squared ? distance : distance * distance;
    if (sigma == 0)
        made.sigma = sqrtl(made.radius_squared) / 3;
    return made;
}

static const void *at(const struct oracle_points *points, size_t i, size_t axis) {
    return (const char *)points->rows + (i * points->dims + axis) * uh_dtype_size(points->dtype);
}

long double oracle_coordinate(const struct oracle_points *points, size_t i, size_t axis) {
    return oracle_value(points->dtype, at(points, i, axis));
}

long double oracle_squared_distance(const struct oracle_points *a, size_t i, const struct oracle_points *b, size_t j) {
    long double sum = 0;
    for (size_t axis = 0; axis < a->dims; axis++) {
        const long double difference = oracle_coordinate(a, i, axis) - oracle_coordinate(b, j, axis);
        sum += difference * difference;
    }
    return sum;
}

/* The same in the type of the points. */
static long double rounded_distance(const struct oracle_points *a, size_t i, const struct oracle_points *b, size_t j) {
    const void *x = at(a, i, 0), *y = at(b, j, 0);
    if (a->dtype == UH_F32) {
        float sum = 0;
        for (size_t axis = 0; axis < a->dims; axis++) {
            const float difference = ((const float *)y)[axis] - ((const float *)x)[axis];
            sum += difference * difference;
        }
        return (long double)sum;
    }
    double sum = 0;
    for (size_t axis = 0; axis < a->dims; axis++) {
        const double difference = ((const double *)y)[axis] - ((const double *)x)[axis];
        sum += difference * difference;
    }
    return (long double)sum;
}

/* Whether one at this squared distance is a neighbour: 0, 1, or 2 where that depends on how a radius whose square the
 * type does not hold is rounded. */
static int is_near(const struct oracle_kernel *kernel, uh_dtype dtype, long double squared) {
    const long double limit = kernel->radius_squared;
    const int exact = (dtype == UH_F32 ? (long double)(float)limit : (long double)(double)limit) == limit;
    if (!exact && fabsl(squared - limit) <= 4 * rounding_of(dtype) * limit)
        return 2;
    return squared <= limit;
}

/* K of a squared distance, and how far rounding takes it. */
static struct oracle_bounded weight_of(const struct oracle_kernel *kernel, uh_dtype dtype, long double squared) {
    const long double rounding = rounding_of(dtype), half = unit_of(dtype) / 2;
    const long double exponent = squared / (2 * kernel->sigma * kernel->sigma);
    struct oracle_bounded weight = {1, 0};
    if (kernel->kernel == UH_KERNEL_GAUSSIAN) {
        weight.value = expl(-exponent);
        weight.slack = half + weight.value * ((dtype == UH_F32 ? 0x1p-22L : 0x1p-44L) + 4 * rounding * (1 + exponent));
    } else if (kernel->kernel == UH_KERNEL_EPANECHNIKOV) {
        weight.value = fmaxl(1 - squared / kernel->radius_squared, 0);
        weight.slack = half + 4 * rounding;
    }
    return weight;
}

/* ---- sums over neighbours ---------------------------------------------------------------------------------------- */

struct sums {
    size_t neighbours;
    struct oracle_bounded weight, axis[UH_MEAN_SHIFT_MAX_DIMS];
};

static void add_neighbour(const struct oracle_kernel *kernel, const struct oracle_points *points, size_t j,
                          const struct oracle_points *places, size_t i, struct sums *sums) {
    const long double radius = sqrtl(kernel->radius_squared), rounding = rounding_of(points->dtype);
    const long double squared = rounded_distance(places, i, points, j);
    const int near = is_near(kernel, points->dtype, squared);
    if (!near)
        return;
    struct oracle_bounded weight = weight_of(kernel, points->dtype, squared);
    if (near == 2)
        weight.slack += weight.value;
    sums->neighbours++;
    sums->weight.value += weight.value;
    sums->weight.slack += weight.slack;
    for (size_t axis = 0; axis < points->dims; axis++) {
        const long double difference = oracle_coordinate(points, j, axis) - oracle_coordinate(places, i, axis);
        sums->axis[axis].value += weight.value * difference;
        sums->axis[axis].slack +=
            unit_of(points->dtype) * radius + fabsl(difference) * (weight.slack + 4 * rounding * weight.value);
    }
}

static struct sums sum_neighbours(const struct oracle_kernel *kernel, const struct oracle_points *points,
                                  const struct oracle_points *places, size_t i) {
    struct sums sums = {.neighbours = 0};
    for (size_t j = 0; j < points->n; j++)
        add_neighbour(kernel, points, j, places, i, &sums);
    return sums;
}

size_t oracle_move(const struct oracle_kernel *kernel, const struct oracle_points *points,
                   const struct oracle_points *places, size_t i, struct oracle_bounded *to) {
    const long double rounding = rounding_of(points->dtype);
    const struct sums sums = sum_neighbours(kernel, points, places, i);
    for (size_t axis = 0; axis < points->dims; axis++) {
        const long double x = oracle_coordinate(places, i, axis), least = sums.weight.value - sums.weight.slack;
        const long double moves = sums.weight.value > 0 ? sums.axis[axis].value / sums.weight.value : 0;
        to[axis] = (struct oracle_bounded){x + moves, 0};
        if (sums.neighbours == 0)
            continue;
        to[axis].slack = least > 0 ? (sums.axis[axis].slack + fabsl(moves) * sums.weight.slack) / least
                                   : sqrtl(kernel->radius_squared);
        to[axis].slack += 4 * rounding * (fabsl(moves) + fabsl(x + moves));
    }
    return sums.neighbours;
}

long double oracle_kernel_integral(const struct oracle_kernel *kernel, size_t dims) {
    enum { STEPS = 6000 };
    const long double radius = sqrtl(kernel->radius_squared), step = radius / STEPS;
    long double sphere = dims % 2 ? 2 : 2 * PI, sum = 0; /* of radius 1: its surface */
    for (size_t d = dims % 2 ? 1 : 2; d < dims; d += 2)
        sphere *= 2 * PI / (long double)d;
    for (int i = 0; i <= STEPS; i++) {
        const long double r = i * step, k = weight_of(kernel, UH_F64, r * r).value;
        sum += k * powl(r, (long double)(dims - 1)) * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return sphere * sum * step / 3;
}

struct oracle_bounded oracle_density(const struct oracle_kernel *kernel, long double integral,
                                     const struct oracle_points *points, const struct oracle_points *places, size_t i) {
    const struct sums sums = sum_neighbours(kernel, points, places, i);
    const long double all = (long double)points->n * integral, density = sums.weight.value / all;
    return (struct oracle_bounded){density, sums.weight.slack / all + 1e-11L * density};
}

/* ---- iterations -------------------------------------------------------------------------------------------------- */

/* Moves those that have not ended, from `now` to `next`; returns how many go on. */
static size_t move_all(uh_mean_shift_algorithm algorithm, const struct oracle_kernel *kernel,
                       const struct oracle_points *points, const struct oracle_points *now, long double eps,
                       char *ended, char *next) {
    const size_t size = uh_dtype_size(now->dtype), row = now->dims * size;
    const int blurs = algorithm == UH_MEAN_SHIFT_BLURRING;
    size_t going = 0;
    for (size_t i = 0; i < now->n; i++) {
        struct oracle_bounded to[UH_MEAN_SHIFT_MAX_DIMS];
        long double squared = 0;
        memcpy(next + i * row, at(now, i, 0), row);
        if (ended[i])
            continue;
        (void)oracle_move(kernel, blurs ? now : points, now, i, to);
        for (size_t axis = 0; axis < now->dims; axis++) {
            const long double difference = oracle_store(now->dtype, to[axis].value, next + i * row + axis * size) -
                                           oracle_coordinate(now, i, axis);
            squared += difference * difference;
        }
        const int goes = sqrtl(squared) > fmaxl(eps, 0);
        ended[i] = !goes && !blurs;
        going += goes != 0;
    }
    return going;
}

size_t oracle_iterate(uh_mean_shift_algorithm algorithm, const struct oracle_kernel *kernel,
                      const struct oracle_points *points, const struct oracle_points *places, long double eps,
                      size_t iterations, void *moved) {
    const size_t bytes = places->n * places->dims * uh_dtype_size(places->dtype);
    char *ended = oracle_memory(places->n, 1), *now = oracle_memory(bytes, 1);
    struct oracle_points from = *places;
    size_t done = 0, going = 1;
    memcpy(moved, places->rows, bytes);
    from.rows = now;
    for (; done < iterations && going; done++) {
        memcpy(now, moved, bytes);
        going = move_all(algorithm, kernel, points, &from, eps, ended, moved);
    }
    free(ended);
    free(now);
    return done;
}

/* ---- bandwidth --------------------------------------------------------------------------------------------------- */

long double oracle_bandwidth(const struct oracle_points *points, double quantile, size_t each) {
    long double *squared = oracle_memory(points->n, sizeof *squared), sum = 0;
    const size_t floored = (size_t)((double)points->n * quantile), k = floored ? floored : 1;
    size_t samples = 0;
    for (size_t i = 0; i < points->n; i += each, samples++) {
        for (size_t j = 0; j < points->n; j++)
            squared[j] = oracle_squared_distance(points, i, points, j);
        qsort(squared, points->n, sizeof *squared, oracle_ascending);
        sum += sqrtl(squared[k - 1]);
    }
    free(squared);
    return sum / (long double)samples;
}

/* ---- reductions -------------------------------------------------------------------------------------------------- */

/* Whether two moved points are within delta. Exactly at it they are; so nearly that they were rounded there, or away,
 * is another matter. */
static int is_within(const struct oracle_points *moved, size_t i, size_t j, long double delta_squared, int *unsure) {
    const long double squared = oracle_squared_distance(moved, i, moved, j),
                      difference = fabsl(squared - delta_squared);
    if (difference > 0 && difference <= 16 * rounding_of(moved->dtype) * delta_squared)
        *unsure = 1;
    return squared <= delta_squared;
}

void oracle_components(const struct oracle_points *moved, long double delta_squared, size_t *labels, int *unsure) {
    for (size_t i = 0; i < moved->n; i++)
        labels[i] = i;
    for (size_t i = 0; i < moved->n; i++)
        for (size_t j = 0; j < i; j++) {
            if (!is_within(moved, i, j, delta_squared, unsure) || labels[i] == labels[j])
                continue;
            const size_t keeps = labels[i] < labels[j] ? labels[i] : labels[j], goes = labels[i] + labels[j] - keeps;
            for (size_t k = 0; k < moved->n; k++)
                if (labels[k] == goes)
                    labels[k] = keeps;
        }
}

size_t oracle_greedy(const struct oracle_points *moved, const size_t *order, long double delta_squared,
                     size_t *centroids, int *unsure) {
    size_t found = 0;
    for (size_t k = 0; k < moved->n; k++) {
        const size_t i = order ? order[k] : k;
        size_t c = 0;
        while (c < found && !is_within(moved, i, centroids[c], delta_squared, unsure))
            c++;
        if (c == found)
            centroids[found++] = i;
    }
    return found;
}

/* Whether moved point i comes before j. */
static int comes_before(const struct oracle_points *moved, const size_t *neighbours, size_t i, size_t j) {
    if (neighbours[i] != neighbours[j])
        return neighbours[i] > neighbours[j];
    for (size_t axis = 0; axis < moved->dims; axis++) {
        const long double x = oracle_coordinate(moved, i, axis), y = oracle_coordinate(moved, j, axis);
        if (x < y || x > y)
            return x > y;
    }
    return 0;
}

void oracle_densest_order(const struct oracle_kernel *kernel, const struct oracle_points *points,
                          const struct oracle_points *moved, size_t *order, int *unsure) {
    size_t *neighbours = oracle_memory(moved->n, sizeof *neighbours);
    for (size_t i = 0; i < moved->n; i++) {
        for (size_t j = 0; j < points->n; j++) {
            const int near = is_near(kernel, points->dtype, rounded_distance(points, i, points, j));
            neighbours[i] += near == 1;
            *unsure |= near == 2;
        }
        size_t k = i;
        for (; k > 0 && comes_before(moved, neighbours, i, order[k - 1]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    free(neighbours);
}
