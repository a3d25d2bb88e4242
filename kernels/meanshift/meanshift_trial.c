/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of the mean shift kernels: points that coincide, or lie at the radius, within it or beyond by one unit in the
 * last place, or so close that squares are denormal. */
#include <math.h>
#include <stdlib.h>

#include "kernels/common/trial.h"
#include "kernels/meanshift/neighbours.h"
#include "runtime/status.h"

enum { POINTS = 40 };

static void place(struct uhi_coordinates *points, double radius) {
    const int single = points->size == sizeof(float);
    const double minimum = single ? 0x1p-70 : 0x1p-530;
    for (size_t i = 0; i < points->count; i++)
        for (size_t axis = 0; axis < points->dims; axis++) {
            const double beyond = single ? (double)nextafterf((float)radius, INFINITY) : nextafter(radius, INFINITY),
                         within = single ? (double)nextafterf((float)radius, 0) : nextafter(radius, 0);
            const double special[] = {0, radius, beyond, within, minimum, -radius, 3 * minimum, 0.1};
            const double spread = (double)(i * (axis + 3) % 17) / 13;
            uhi_coordinate_set(points, axis, i,
                               i < 16 ? (i % points->dims == axis ? special[i / 2] : 0) : spread * radius);
        }
}

static uh_status sum_points(uh_queue *queue, struct uhi_trial *trial, const struct uhi_coordinates *points) {
    const int gaussian = uhi_trial_is(trial, "gaussian");
    struct uhi_neighbours neighbours = {
        .window = {gaussian ? UH_KERNEL_GAUSSIAN : UH_KERNEL_EPANECHNIKOV, 0.375, gaussian ? 0.125 : 0, 0.140625},
        .method = uhi_trial_is(trial, "tiled") ? UH_MEAN_SHIFT_TILES : UH_MEAN_SHIFT_CELLS};
    int stopped = 0;
    uh_status status = uhi_neighbours_make(&neighbours, queue, trial->call, points, points->count);
    if (!status) {
        uhi_neighbours_take(&neighbours, points);
        uhi_order_all(&neighbours.order, points->count);
        status = uhi_neighbours_sum(&neighbours, points, &stopped);
    }
    if (!status)
        uhi_trial_add_all(trial, "the sum of number", neighbours.sums, points->count * (points->dims + 1),
                          sizeof *neighbours.sums);
    uhi_neighbours_close(&neighbours);
    return status;
}

uh_status uhi_meanshift_trial(uh_queue *queue, struct uhi_trial *trial) {
    const size_t size = uhi_trial_is(trial, "f32") ? sizeof(float) : sizeof(double), dims = uhi_trial_is(trial, "2") ? 2
                                                                                            : uhi_trial_is(trial, "4")
                                                                                                ? 3
                                                                                                : 6;
    struct uhi_coordinates points = {.size = size};
    uh_status status = UH_SUCCESS;
    if (uhi_coordinates_make(&points, size, dims, POINTS)) {
        place(&points, 0.375);
        status = sum_points(queue, trial, &points);
    } else {
        status = uhi_fail_memory(trial->call, "no memory for %d points", POINTS);
    }
    free(points.x);
    return status;
}
