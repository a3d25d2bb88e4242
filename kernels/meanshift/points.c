/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/meanshift/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/frame.h"
#include "kernels/common/keys.h"
#include "kernels/common/values.h"
#include "runtime/status.h"

/* Copies the coordinates of one axis. */
static uh_status read_axis(uh_queue *queue, const char *call, const char *argument, const uh_array *array, void *to) {
    const size_t size = uh_dtype_size(array->dtype);
    struct uhi_values x = uhi_array_values(array);
    char *copy = NULL;
    const uh_status status = uhi_values_fetch(queue, call, argument, &x, size, &copy);
    if (!status)
        uhi_values_copy(to, x, size);
    free(copy);
    return status;
}

static uh_status check_span(const char *call, const char *argument, size_t size, size_t axis, struct uhi_span span) {
    const double square = (span.upper - span.lower) * (span.upper - span.lower);
    if (span.upper < span.lower || (size == sizeof(float) ? isfinite((float)square) : isfinite(square)))
        return UH_SUCCESS;
    return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, axis, "data",
                           "is from %g to %g, expected differences whose squares %s holds", span.lower, span.upper,
                           size == sizeof(float) ? "float32" : "float64");
}

/* Checks one axis: coordinates must be finite, and squared differences must fit the type. */
static uh_status check_axis(const char *call, const char *argument, const struct uhi_coordinates *points, size_t axis) {
    for (size_t i = 0; i < points->count; i++)
        if (!isfinite(uhi_coordinate(points, axis, i)))
            return uhi_fail_member(UH_ERROR_INVALID_ARGUMENT, call, argument, axis, "data",
                                   "is %g in row %zu, expected finite coordinates", uhi_coordinate(points, axis, i), i);
    return check_span(call, argument, points->size, axis, uhi_coordinates_span(points, axis));
}

uh_status uhi_points_read(uh_queue *queue, const char *call, const char *argument, const uh_array *arrays, size_t dims,
                          struct uhi_coordinates *points) {
    const size_t size = uh_dtype_size(arrays[0].dtype), n = arrays[0].count;
    if (!uhi_coordinates_make(points, size, dims, n))
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, argument, "has %zu points, for which there is no memory", n);
    for (size_t a = 0; a < dims && n > 0; a++) {
        char name[64];
        snprintf(name, sizeof name, "%s[%zu].data", argument, a);
        UHI_TRY(read_axis(queue, call, name, &arrays[a], (char *)points->x + a * points->stride * size));
        UHI_TRY(check_axis(call, argument, points, a));
    }
    return UH_SUCCESS;
}

uh_status uhi_points_span(struct uhi_collective *collective, uh_status mine, const struct uhi_coordinates *points,
                          struct uhi_span *spans) {
    uint64_t ends[1 + 2 * UHI_MEANSHIFT_MAX_DIMS];
    for (size_t a = 0; a < points->dims; a++) {
        const struct uhi_span local = uhi_coordinates_span(points, a);
        ends[1 + 2 * a] = ~uhi_key_of_f64(local.lower);
        ends[2 + 2 * a] = uhi_key_of_f64(local.upper);
    }
    uh_status status = uhi_collective_agree_maximum(collective, mine, ends, 1 + 2 * points->dims);
    for (size_t a = 0; a < points->dims && !status; a++) {
        spans[a] = (struct uhi_span){uhi_f64_of_key(~ends[1 + 2 * a]), uhi_f64_of_key(ends[2 + 2 * a])};
        status = uhi_collective_fail(collective, check_span(collective->call, "points", points->size, a, spans[a]));
    }
    return status;
}
