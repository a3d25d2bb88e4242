/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/loops.h"

#include <unihist/meanshift.h>

#include <string.h>

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
