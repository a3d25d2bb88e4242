/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/meanshift_points.h"

#include "tests/splitmix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* What is clustered is so much narrower than the cube, or so far away from it. */
enum { NARROWER = 40, FAR_AWAY = 100 };

/* Clusters that never meet: the deviation is 1, and no coordinate is more than 3.5 of it from the centre. */
enum { SEPARATE_MAX = 16, SEPARATE_MIN_POINTS = 100, SEPARATE_DISTANCE = 20, SEPARATE_PER_LINE = 4 };

static double uniform(uint64_t seed, uint64_t number) {
    return (double)(splitmix_at(seed << 32, number) >> 11) * 0x1p-53;
}

/* The sum of four uniform numbers, scaled to the deviation 1: nearly normal, and never far away. */
static double bell(uint64_t seed, uint64_t number) {
    double sum = 0;
    for (uint64_t i = 0; i < 4; i++)
        sum += uniform(seed, 4 * number + i);
    return (sum - 2) * sqrt(3);
}

static double normal(uint64_t seed, uint64_t number) {
    return sqrt(-2 * log1p(-uniform(seed, 2 * number))) * cos(2 * PI * uniform(seed, 2 * number + 1));
}

/* The side of a cube in which n points have that many neighbours within the distance 1. */
static double side_of(size_t n, size_t dims, double neighbours) {
    const double half = (double)dims / 2;
    const double ball = pow(PI, half) / tgamma(half + 1);
    return pow((double)n * ball / neighbours, 1 / (double)dims);
}

size_t meanshift_separate(size_t n) {
    const size_t count = n / SEPARATE_MIN_POINTS;
    return count < 1 ? 1 : count > SEPARATE_MAX ? SEPARATE_MAX : count;
}

static double coordinate(enum meanshift_data data, uint64_t seed, size_t n, size_t dims, double side, size_t i,
                         size_t d) {
    static const double centres[3][3] = {{0, 0, 0}, {-10, 10, 5}, {10, 10, 5}};
    const uint64_t number = (uint64_t)i * dims + d;
    const size_t cluster = data == MEANSHIFT_SEPARATE ? i % meanshift_separate(n)
                           : data == MEANSHIFT_PAPER  ? i % 3
                                                      : i % 16;
    switch (data) {
    case MEANSHIFT_CLUSTERED:
        if (i < n / 2)
            return side * (uniform(seed + 1, cluster * dims + d) + normal(seed, number) / NARROWER);
        return side * uniform(seed, number);
    case MEANSHIFT_FAR:
        if (i < n / 8)
            return side * (FAR_AWAY + normal(seed, number) / NARROWER);
        return side * uniform(seed, number);
    case MEANSHIFT_SEPARATE:
        return bell(seed, number) + SEPARATE_DISTANCE * (double)(d == 0   ? cluster % SEPARATE_PER_LINE
                                                                 : d == 1 ? cluster / SEPARATE_PER_LINE
                                                                          : 0);
    case MEANSHIFT_PAPER: return 3 * normal(seed, number) + (d < 3 ? centres[cluster][d] : 0);
    default: return side * uniform(seed, number);
    }
}

void meanshift_points(enum meanshift_data data, uint64_t seed, size_t n, size_t dims, double neighbours, uh_dtype dtype,
                      void *rows) {
    const double side = side_of(n, dims, neighbours);
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < dims; d++) {
            const double x = coordinate(data, seed, n, dims, side, i, d);
            if (dtype == UH_F32)
                ((float *)rows)[i * dims + d] = (float)x;
            else
                ((double *)rows)[i * dims + d] = x;
        }
}

size_t meanshift_spread(size_t n, size_t some, size_t i) { return n * i / some; }

void meanshift_modes(const struct oracle_points *points, const struct oracle_kernel *kernel, size_t iterations,
                     long double eps, size_t some, void *to) {
    const size_t row = points->dims * uh_dtype_size(points->dtype);
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < some; i++) {
        const struct oracle_points place = {points->dtype, 1, points->dims,
                                            (const char *)points->rows + meanshift_spread(points->n, some, i) * row};
        oracle_iterate(UH_MEAN_SHIFT_MODES, kernel, points, &place, eps, iterations, (char *)to + i * row);
    }
}

/* An iteration is one by modes among the points as they are now; the last one is of the requested points alone. */
void meanshift_blurred(const struct oracle_points *points, const struct oracle_kernel *kernel, size_t iterations,
                       size_t some, void *to) {
    const size_t bytes = points->n * points->dims * uh_dtype_size(points->dtype);
    char *rows = oracle_memory(bytes, 1), *moved = oracle_memory(bytes, 1);
    struct oracle_points now = *points;
    for (size_t t = 1; t < iterations; t++) {
        meanshift_modes(&now, kernel, 1, 0, now.n, moved);
        memcpy(rows, moved, bytes);
        now.rows = rows;
    }
    meanshift_modes(&now, kernel, 1, 0, some, to);
    free(rows);
    free(moved);
}
