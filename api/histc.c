/* SPDX-License-Identifier: Apache-2.0 */
/* torch.histc. */
#include <math.h>

#include "api/histogram.h"
#include "runtime/status.h"

/* torch.histc's range: that of the data where min is max, one unit to both sides where that is a single value. */
static uh_status choose_range(const char *call, uh_queue *queue, const uh_array *x, double *lo, double *hi) {
    uint64_t nan = 0;
    uh_status status = UH_SUCCESS;
    if (*lo == *hi && x->count > 0)
        status = uhi_min_max(call, "x->data", queue, x, lo, hi, &nan);
    if (status)
        return status;
    if (nan > 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL,
                        "the range of x is not finite, as it has %llu NaN; expected a finite one where min is max",
                        (unsigned long long)nan);
    if (*lo == *hi) {
        *lo -= 1;
        *hi += 1;
    }
    if (!isfinite(*lo) || !isfinite(*hi))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL, "the range is %g to %g, expected a finite one", *lo,
                        *hi);
    if (*lo > *hi)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "max", "is %g, expected at least min, which is %g", *hi, *lo);
    return UH_SUCCESS;
}

uh_status uh_histc(uh_queue *queue, const uh_array *x, size_t bins, double min, double max, uint64_t *counts) {
    uh_axis *axis = NULL;
    uh_status status = uhi_check_call(__func__, queue, x);
    if (status)
        return status;
    if (!counts)
        return uhi_fail_null(__func__, "counts", "where to store them");
    status = choose_range(__func__, queue, x, &min, &max);
    if (!status)
        status = uhi_axis_make_equal(__func__, bins, min, max, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = uhi_histogram_once(__func__, queue, axis, x, counts, NULL);
    uh_axis_destroy(axis);
    return status;
}
