/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a grid, and expectation values under a density. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/histogram.h"
#include "api/integrate.h"
#include "kernels/common/philox.h"
#include "kernels/integrate/integrate_run.h"
#include "runtime/status.h"

/* ---- points ---- */

/* Takes the integrand; without one `taken` is unchanged. */
static uh_status check_points(const char *call, const uh_grid *grid, const uh_points *points, const double *rows,
                              uh_integrand *taken) {
    UHI_NEED(call, grid, "a grid");
    UHI_NEED(call, points, "points");
    if (points->integrand)
        UHI_TRY(uhi_integrand_check(call, points->integrand, taken));
    if (points->integrand && taken->dims != grid->dims)
        return uhi_fail_argument(call, "grid", "has %zu axes, expected %zu, as points->integrand has", grid->dims,
                                 taken->dims);
    const size_t n = points->n, row = (grid->dims + 1 + taken->values) * sizeof *rows;
    if (n > 0 && (!rows || (uintptr_t)rows % sizeof *rows != 0))
        return uhi_fail_argument(call, "rows", "is %p, expected room for %zu rows of float64", (const void *)rows, n);
    if (n > SIZE_MAX / row || (n > 0 && points->offset > UINT64_MAX - (n - 1)))
        return uhi_fail_argument(
            call, "points->n", "is %zu and offset %" PRIu64 ", expected points before 2^64, and rows that memory holds",
            n, points->offset);
    return UH_SUCCESS;
}

uh_status uh_grid_points(uh_queue *queue, const uh_grid *grid, const uh_points *points, double *rows) {
    uh_integrand taken = {.values = 0};
    UHI_NEED(__func__, queue, "a queue");
    UHI_TRY(check_points(__func__, grid, points, rows, &taken));
    const uh_points checked = {points->integrand ? &taken : NULL, points->seed, points->offset, points->n};
    return points->n > 0 ? uhi_grid_points(queue, __func__, grid, &checked, uhi_integrand_try_points, rows)
                         : UH_SUCCESS;
}

/* The random number of a point's acceptance, in [0, 1), from the last stream of points, which 20 axes do not use. */
static double chance_of(const uh_points *points, size_t i) {
    const uhi_philox_block_32 words = uhi_philox4x32(points->seed, uhi_integrate_stream(4096) - 1, points->offset + i);
    return (double)((uint64_t)words.v[0] << 21 | words.v[1] >> 11) * 0x1p-53;
}

uh_status uh_points_unweight(const uh_grid *grid, const uh_points *points, double *rows, double *maximum,
                             size_t *accepted) {
    uh_integrand taken = {.values = 0};
    double largest = 0;
    size_t n = 0;
    UHI_TRY(check_points(__func__, grid, points, rows, &taken));
    UHI_NEED(__func__, maximum, "the largest weight, or 0");
    UHI_NEED(__func__, accepted, "where to store the number of rows");
    UHI_TRY(uhi_check_number(__func__, "maximum", *maximum, 0, DBL_MAX, "a number, 0 or more"));
    const size_t width = grid->dims + 1 + taken.values;
    const double *weights = rows + grid->dims;
    for (size_t i = 0; i < points->n; i++) {
        if (!isfinite(weights[i * width]))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "rows", i, "has weight %g, expected a finite one",
                               weights[i * width]);
        largest = fmax(largest, fabs(weights[i * width]));
    }
    *maximum = *maximum > 0 ? *maximum : largest;
    for (size_t i = 0; i < points->n; i++) {
        const double weight = weights[i * width] / *maximum;
        if (!(chance_of(points, i) < fabs(weight)))
            continue;
        memmove(rows + n * width, rows + i * width, width * sizeof *rows);
        rows[n++ * width + grid->dims] = copysign(fmax(fabs(weight), 1), weight);
    }
    *accepted = n;
    return UH_SUCCESS;
}

/* ---- ratios ---- */

uh_status uh_integral_ratios(const uh_integral *integral, size_t values, size_t by, double *ratios,
                             double *covariance) {
    double r[UH_INTEGRATE_MAX_VALUES], other[UH_INTEGRATE_MAX_VALUES]; /* results may take the arguments' places */
    UHI_NEED(__func__, integral, "an integral");
    UHI_NEED(__func__, ratios, "where to store the ratios");
    UHI_NEED(__func__, covariance, "where to store their covariance");
    UHI_TRY(uhi_sized_check(__func__, "integral", integral, sizeof *integral));
    UHI_TRY(uhi_check_between(__func__, "values", UH_NO_INDEX, values, 1, UH_INTEGRATE_MAX_VALUES));
    UHI_TRY(uhi_check_between(__func__, "by", UH_NO_INDEX, by, 0, values - 1));
    if (!integral->values || !integral->covariance)
        return uhi_fail_null(__func__, integral->values ? "integral->covariance" : "integral->values",
                             "that of uh_integrate");
    const double v = integral->values[by], *all = integral->covariance;
    if (!(fabs(v) > 0))
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "integral->values", by, "is %g, expected a divisor", v);
    memcpy(other, all + by * values, values * sizeof *other);
    for (size_t k = 0; k < values; k++) {
        r[k] = integral->values[k] / v;
        for (size_t l = 0; l <= k; l++)
            covariance[k * values + l] = covariance[l * values + k] =
                k == by || l == by
                    ? 0
                    : (all[k * values + l] - r[k] * other[l] - r[l] * other[k] + r[k] * r[l] * other[by]) / v / v;
        if (covariance[k * values + k] < 0) /* rounding */
            covariance[k * values + k] = 0;
    }
    memcpy(ratios, r, values * sizeof *r);
    return UH_SUCCESS;
}
