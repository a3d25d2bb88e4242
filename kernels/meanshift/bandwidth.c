/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths by distances to neighbours: all distances of a point, and of those the k-th. */
#include <math.h>
#include <stdlib.h>

#include "kernels/common/parts.h"
#include "kernels/meanshift/meanshift_run.h"
#include "runtime/queue.h"
#include "runtime/status.h"

struct estimating {
    const struct uhi_coordinates *points;
    size_t k, samples;
    size_t from, to; /* the samples at work */
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
    const size_t n = e->points->count, to = e->from + uhi_part_start(e->to - e->from, parts, part + 1);
    double *squared = e->squared + part * n;
    for (size_t i = e->from + uhi_part_start(e->to - e->from, parts, part); i < to; i++) {
        measure(e->points, uhi_part_start(n, e->samples, i), squared); /* evenly over all */
        e->result[i] = sqrt(select_number(squared, n, e->k - 1));
    }
}

uh_status uhi_estimate_bandwidth(uh_queue *queue, const char *call, const struct uhi_coordinates *points, size_t k,
                                 size_t samples, double *bandwidth) {
    enum { EACH = 8, DISTANCES = 1 << 22 }; /* of a part from one look at the queue to the next: some 20 ms */
    const size_t parts = uhi_parts_for(queue, samples, EACH), step = (DISTANCES / points->count + 1) * parts;
    struct estimating estimating = {.points = points,
                                    .k = k,
                                    .samples = samples,
                                    .squared = malloc(parts * points->count * sizeof(double)),
                                    .result = malloc(samples * sizeof(double))};
    double sum = 0;
    uh_status status = UH_SUCCESS;
    if (!estimating.squared || !estimating.result)
        status =
            uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for the distances of %zu points", points->count);
    for (size_t i = 0; i < samples && !status; i = estimating.to) {
        estimating.from = i;
        estimating.to = samples - i < step ? samples : i + step;
        status = uhi_queue_check_cancelled(queue, call);
        if (!status)
            uhi_host_parallel(queue, "mean shift: distances", estimate_part, &estimating, parts);
    }
    for (size_t i = 0; i < samples && !status; i++)
        sum += estimating.result[i];
    if (!status)
        *bandwidth = sum / (double)samples;
    free(estimating.squared);
    free(estimating.result);
    return status;
}
