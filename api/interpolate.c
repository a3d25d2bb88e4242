/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/interpolate.h>

#include <math.h>
#include <stdlib.h>

#include "runtime/status.h"

static uh_status check(const char *call, size_t n, const double *x, const double *y, size_t stride,
                       const double *slope) {
    if (!x || !y || !slope)
        return uhi_fail_null(call, !x ? "x" : !y ? "y" : "slope", "an array");
    if (n < 2)
        return uhi_fail_argument(call, "n", "is %zu, expected at least 2", n);
    if (stride < 1)
        return uhi_fail_argument(call, "stride", "is 0, expected at least 1");
    if (n > SIZE_MAX / (2 * sizeof *x) / stride)
        return uhi_fail_argument(call, "n", "is %zu and stride %zu, more than memory holds", n, stride);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || (i > 0 && !(x[i] > x[i - 1])))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "x", i, "is %.17g, expected finite numbers that ascend",
                               x[i]);
    return UH_SUCCESS;
}

/* Continuous second derivatives at inner points, and zero ones at the ends, give a tridiagonal system for the slopes,
 * solved by forward elimination and back substitution. */
uh_status uh_spline_slopes(size_t n, const double *x, const double *y, size_t stride, double *slope) {
    UHI_TRY(check(__func__, n, x, y, stride, slope));
    double *factor = malloc(2 * n * sizeof *factor);
    if (!factor)
        return uhi_fail_memory(__func__, "no memory for %zu slopes", n);
    double *made = factor + n;
    for (size_t i = 0; i < n; i++) {
        const double before = i > 0 ? 1 / (x[i] - x[i - 1]) : 0, after = i + 1 < n ? 1 / (x[i + 1] - x[i]) : 0;
        const double rise = (i > 0 ? 3 * before * before * (y[i * stride] - y[(i - 1) * stride]) : 0) +
                            (i + 1 < n ? 3 * after * after * (y[(i + 1) * stride] - y[i * stride]) : 0);
        const double pivot = 2 * (before + after) - (i > 0 ? before * factor[i - 1] : 0);
        factor[i] = after / pivot;
        made[i] = (rise - (i > 0 ? before * made[i - 1] : 0)) / pivot;
    }
    for (size_t i = n - 1; i-- > 0;)
        made[i] -= factor[i] * made[i + 1];
    for (size_t i = 0; i < n; i++) /* after reading x and y, which may alias slope */
        slope[i * stride] = made[i];
    free(factor);
    return UH_SUCCESS;
}
