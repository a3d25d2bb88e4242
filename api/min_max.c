/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest and largest value. */
#include <unihist/bins.h>

#include <math.h>

#include "api/histogram.h"
#include "kernels/bincount/bincount_run.h"
#include "kernels/common/keys.h"
#include "runtime/status.h"

/* Rounds a 64-bit integer to float64 towards `outwards`. */
static double rounded(uhi_int_128 value, double outwards) {
    const double d = (double)value;
    return (outwards < 0 ? (uhi_int_128)d > value : (uhi_int_128)d < value) ? nextafter(d, outwards) : d;
}

/* Converts the keys of an extent to values. */
static void read_extent(uh_dtype dtype, struct uhi_extent extent, double *min, double *max) {
    if (extent.low > extent.high) {
        *min = INFINITY;
        *max = -INFINITY;
        return;
    }
    const uhi_int_128 origin = uhi_value_is_signed(dtype) ? UHI_TOP_64 : 0;
    if (dtype == UH_F32 || dtype == UH_F64) {
        *min = dtype == UH_F32 ? (double)uhi_f32_of_key(extent.low) : uhi_f64_of_key(extent.low);
        *max = dtype == UH_F32 ? (double)uhi_f32_of_key(extent.high) : uhi_f64_of_key(extent.high);
    } else {
        *min = rounded(extent.low - origin, -INFINITY);
        *max = rounded(extent.high - origin, INFINITY);
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
    UHI_TRY(uhi_check_call(__func__, queue, x));
    if (!min || !max || !nan)
        return uhi_fail_null(__func__, !min ? "min" : !max ? "max" : "nan", "where to store it");
    return uhi_min_max(__func__, "x->data", queue, x, min, max, nan);
}
