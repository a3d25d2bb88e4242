/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/plain_meanshift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what results are compared with ---- */

static double weight_of(const struct plain_points *points, double square) {
    switch (points->kernel) {
    case UH_KERNEL_FLAT: return 1;
    case UH_KERNEL_EPANECHNIKOV: return 1 - square / (points->radius * points->radius);
    default: return exp(-square / (2 * points->sigma * points->sigma));
    }
}

#define DEFINE_SHIFT(name, type)                                                                                       \
    static void name(const struct plain_points *points, const double *at, double *to) {                                \
        const type *row = points->rows, most = (type)(points->radius * points->radius);                                \
        const size_t dims = points->dims;                                                                              \
        type from[UH_MEAN_SHIFT_MAX_DIMS];                                                                             \
        double sums[UH_MEAN_SHIFT_MAX_DIMS] = {0}, weights = 0;                                                        \
        for (size_t d = 0; d < dims; d++)                                                                              \
            from[d] = (type)at[d];                                                                                     \
        for (size_t j = 0; j < points->n; j++, row += dims) {                                                          \
            type square = 0;                                                                                           \
            for (size_t d = 0; d < dims; d++)                                                                          \
                square += (row[d] - from[d]) * (row[d] - from[d]);                                                     \
            if (!(square <= most))                                                                                     \
                continue;                                                                                              \
            const double weight = weight_of(points, (double)square);                                                   \
            weights += weight;                                                                                         \
            for (size_t d = 0; d < dims; d++)                                                                          \
                sums[d] += weight * (double)(row[d] - from[d]);                                                        \
        }                                                                                                              \
        for (size_t d = 0; d < dims; d++)                                                                              \
            to[d] = (double)(type)(weights > 0 ? (double)from[d] + sums[d] / weights : (double)from[d]);               \
    }
DEFINE_SHIFT(shift_f32, float)
DEFINE_SHIFT(shift_f64, double)

void plain_shift(const struct plain_points *points, const double *at, double *to) {
    (points->dtype == UH_F32 ? shift_f32 : shift_f64)(points, at, to);
}

static void get_row(const struct plain_points *points, size_t number, double *row) {
    for (size_t d = 0; d < points->dims; d++) {
        const size_t at = number * points->dims + d;
        row[d] =
            points->dtype == UH_F32 ? (double)((const float *)points->rows)[at] : ((const double *)points->rows)[at];
    }
}

void plain_modes(const struct plain_points *points, size_t iterations, double eps, const size_t *numbers, size_t count,
                 double *to) {
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < count; i++) {
        double before[UH_MEAN_SHIFT_MAX_DIMS], *row = to + i * points->dims, moved = eps + 1;
        get_row(points, numbers[i], row);
        for (size_t t = 0; t < iterations && moved > eps; t++) {
            memcpy(before, row, points->dims * sizeof *row);
            plain_shift(points, before, row);
            moved = 0;
            for (size_t d = 0; d < points->dims; d++)
                moved += (row[d] - before[d]) * (row[d] - before[d]);
            moved = sqrt(moved);
        }
    }
}

int plain_blurring(const struct plain_points *points, size_t iterations, const size_t *numbers, size_t count,
                   double *to) {
    const size_t size = uh_dtype_size(points->dtype), words = points->n * points->dims;
    struct plain_points now = *points;
    double *moved = malloc(words * sizeof *moved);
    unsigned char *rows = malloc(words * size);
    if (!moved || !rows) {
        free(moved);
        free(rows);
        return -1;
    }
    memcpy(rows, points->rows, words * size);
    now.rows = rows;
    for (size_t t = 0; t + 1 < iterations; t++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < points->n; i++) {
            get_row(&now, i, moved + i * points->dims);
            plain_shift(&now, moved + i * points->dims, moved + i * points->dims);
        }
        for (size_t i = 0; i < words; i++)
            if (points->dtype == UH_F32)
                ((float *)(void *)rows)[i] = (float)moved[i];
            else
                ((double *)(void *)rows)[i] = moved[i];
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++) {
        get_row(&now, numbers[i], to + i * points->dims);
        if (iterations)
            plain_shift(&now, to + i * points->dims, to + i * points->dims);
    }
    free(moved);
    free(rows);
    return 0;
}

/* ---- the paper's sequential program ---- */

static double distance(const float *p, const float *q, size_t dims) {
    double sum = 0;
    for (size_t d = 0; d < dims; d++)
        sum += (double)((p[d] - q[d]) * (p[d] - q[d]));
    return sum;
}

/* `dims` is a constant wherever this is used, as it is a parameter of the paper's template. */
static inline __attribute__((always_inline)) void iterate(const float *data, float *moved, size_t n, size_t dims,
                                                          float twice_squared, float radius_squared) {
    for (size_t p = 0; p < n; p++) {
        float position[UH_MEAN_SHIFT_MAX_DIMS] = {0}, weights = 0;
        for (size_t q = 0; q < n; q++) {
            const double square = distance(data + p * dims, data + q * dims, dims);
            if (square <= (double)radius_squared) {
                const float gaussian = (float)exp(-square / (double)twice_squared);
                for (size_t d = 0; d < dims; d++)
                    position[d] += data[q * dims + d] * gaussian;
                weights += gaussian;
            }
        }
        for (size_t d = 0; d < dims; d++)
            moved[p * dims + d] = position[d] / weights;
    }
}

void plain_sequential(float *rows, float *room, size_t n, size_t dims, size_t iterations, float bandwidth,
                      float radius_squared) {
    const float twice_squared = 2 * bandwidth * bandwidth;
    for (size_t t = 0; t < iterations; t++) {
        if (dims == 2)
            iterate(rows, room, n, 2, twice_squared, radius_squared);
        else if (dims == 3)
            iterate(rows, room, n, 3, twice_squared, radius_squared);
        else
            iterate(rows, room, n, dims, twice_squared, radius_squared);
        memcpy(rows, room, n * dims * sizeof *rows);
    }
}

size_t plain_centroids(const float *rows, size_t n, size_t dims, float distance_squared, float *centroids,
                       size_t most) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        size_t near = 0;
        while (near < count && distance(centroids + near * dims, rows + i * dims, dims) > (double)distance_squared)
            near++;
        if (near < count)
            continue;
        if (count == most)
            return most + 1;
        memcpy(centroids + count++ * dims, rows + i * dims, dims * sizeof *rows);
    }
    return count;
}
