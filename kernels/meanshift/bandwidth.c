/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths by distances to neighbours: all distances of a point, and of those the k-th. */
#include <math.h>
#include <stdlib.h>

#include "kernels/common/parts.h"
#include "kernels/meanshift/meanshift_run.h"
#include "runtime/status.h"

struct estimating {
    const struct uhi_coordinates *points;
    size_t k, samples;
    double *squared; /* of each part, as many as there are points */
    double *result;  /* of each sample */
};

static void measure(const struct uhi_coordinates *points, size_t sample, double *squared) {
    for (size_t i = 0; i < points->count; i++)
        squared[i] = 0;
    for (size_t d = 0; d < points->dims; d++) {
        const double x = uhi_coordinate(points, d, sample);
        if (points->size == sizeof(float)) {
            const float *at = (const float *)points->x + d * points->stride;
            for (size_t i = 0; i < points->count; i++)
                squared[i] += ((double)at[i] - x) * ((double)at[i] - x);
        } else {
            const double *at = (const double *)points->x + d * points->stride;
            for (size_t i = 0; i < points->count; i++)
                squared[i] += (at[i] - x) * (at[i] - x);
        }
    }
}

/* The number that would be at place k of n sorted ones: less than a pivot, alike, more (Hoare's select). */
static double select_number(double *x, size_t n, size_t k) {
    size_t from = 0, to = n;
    for (;;) {
        const double pivot = x[from + (to - from) / 2];
        size_t less = from, more = to;
        for (size_t i = from; i < more;) {
            const double here = x[i];
            if (here < pivot) {
                x[i++] = x[less];
                x[less++] = here;
            } else if (here > pivot) {
                x[i] = x[--more];
                x[more] = here;
            } else {
                i++;
            }
        }
        if (k >= less && k < more)
            return pivot;
        if (k < less)
            to = less;
        else
            from = more;
    }
}

static void estimate_part(const void *context, size_t part, size_t parts) {
    const struct estimating *e = context;
    const size_t n = e->points->count, to = uhi_part_start(e->samples, parts, part + 1);
    double *squared = e->squared + part * n;
    for (size_t i = uhi_part_start(e->samples, parts, part); i < to; i++) {
        measure(e->points, uhi_part_start(n, e->samples, i), squared); /* evenly over all */
        e->result[i] = sqrt(select_number(squared, n, e->k - 1));
    }
}

uh_status uhi_estimate_bandwidth(uh_queue *queue, const char *call, const struct uhi_coordinates *points, size_t k,
                                 size_t samples, double *bandwidth) {
    enum { EACH = 8 };
    const size_t parts = uhi_parts_for(queue, samples, EACH);
    struct estimating estimating = {points, k, samples, malloc(parts * points->count * sizeof(double)),
                                    malloc(samples * sizeof(double))};
    double sum = 0;
    const int made = estimating.squared && estimating.result;
    if (made)
        uhi_host_parallel(queue, "mean shift: distances", estimate_part, &estimating, parts);
    for (size_t i = 0; made && i < samples; i++)
        sum += estimating.result[i];
    free(estimating.squared);
    free(estimating.result);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the distances of %zu points", points->count);
    *bandwidth = sum / (double)samples;
    return UH_SUCCESS;
}
