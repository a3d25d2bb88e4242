/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest and largest value. */
#include <math.h>

#include "api/histogram.h"
#include "kernels/bincount/extent.h"
#include "kernels/bincount/extent_run.h"
#include "runtime/status.h"

/* Holds every int64_t and uint64_t. */
__extension__ typedef __int128 wide;

/* The float64 nearest to a 64-bit integer that is not above it, or not below it. */
static double rounded_down(wide value) {
    double d = (double)value;
    return (wide)d > value ? nextafter(d, -INFINITY) : d;
}
static double rounded_up(wide value) {
    double d = (double)value;
    return (wide)d < value ? nextafter(d, INFINITY) : d;
}

/* What the keys of an extent stand for. */
static void read_extent(uh_dtype dtype, struct uhi_extent extent, double *min, double *max) {
    if (extent.low > extent.high) {
        *min = INFINITY;
        *max = -INFINITY;
        return;
    }
    switch (dtype) {
    case UH_F32:
        *min = (double)uhi_f32_of_key(extent.low);
        *max = (double)uhi_f32_of_key(extent.high);
        break;
    case UH_F64:
        *min = uhi_f64_of_key(extent.low);
        *max = uhi_f64_of_key(extent.high);
        break;
    case UH_U8:
    case UH_U16:
    case UH_U32:
    case UH_U64:
        *min = rounded_down(extent.low);
        *max = rounded_up(extent.high);
        break;
    default:
        *min = rounded_down((wide)extent.low - (wide)UHI_TOP_64);
        *max = rounded_up((wide)extent.high - (wide)UHI_TOP_64);
        break;
    }
}

uh_status uhi_min_max(const char *call, const char *argument, uh_queue *queue, const uh_array *x, double *min,
                      double *max, uint64_t *nan) {
    struct uhi_extent extent = {UINT64_MAX, 0, 0};
    uh_status status = UH_SUCCESS;
    if (x->count > 0)
        status = uhi_extent_find(call, argument, queue, x->dtype, uhi_array_values(x), &extent);
    if (status)
        return status;
    read_extent(x->dtype, extent, min, max);
    *nan = extent.nan;
    return UH_SUCCESS;
}

uh_status uh_min_max(uh_queue *queue, const uh_array *x, double *min, double *max, uint64_t *nan) {
    uh_status status = uhi_check_call(__func__, queue, x);
    if (status)
        return status;
    if (!min || !max || !nan)
        return uhi_fail_null(__func__, !min ? "min" : !max ? "max" : "nan", "where to store it");
    return uhi_min_max(__func__, "x->data", queue, x, min, max, nan);
}
