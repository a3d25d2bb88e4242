/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions given by callers, and axes that follow or carry one. */
#include <float.h>

#include "api/histogram.h"
#include "runtime/status.h"

static uh_status check_order(const char *call, const char *argument, const char *name, const double *numbers,
                             size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(numbers[i]))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, i, "is %g, expected a finite number",
                               numbers[i]);
        if (i > 0 && numbers[i] < numbers[i - 1])
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, i,
                               "is %.17g, expected at least %s[%zu] = %.17g", numbers[i], name, i - 1, numbers[i - 1]);
    }
    return UH_SUCCESS;
}

static uh_status check_table(const char *call, const uh_distribution *d) {
    if (d->location != 0 || d->scale != 0)
        return uhi_fail_argument(call, "distribution->location", "is %g and scale is %g, expected 0 for a table",
                                 d->location, d->scale);
    if (!d->x || !d->f || d->points < 2)
        return uhi_fail_argument(call, "distribution->x",
                                 "is %s, f is %s and points is %zu, expected a table of 2 or more points",
                                 d->x ? "given" : "NULL", d->f ? "given" : "NULL", d->points);
    UHI_TRY(check_order(call, "distribution->x", "x", d->x, d->points));
    UHI_TRY(check_order(call, "distribution->f", "f", d->f, d->points));
    const double first = d->f[0], last = d->f[d->points - 1];
    if (!(first >= 0) || !(last <= 1) || !(first < last))
        return uhi_fail_argument(call, "distribution->f", "runs from %.17g to %.17g, expected it to rise within 0 to 1",
                                 first, last);
    return UH_SUCCESS;
}

uh_status uhi_distribution_take(const char *call, const uh_distribution *given, uh_distribution *d) {
    UHI_TRY(uhi_sized_read(call, "distribution", given, d, sizeof *d));
    if (!given)
        return uhi_fail_null(call, "distribution", "a distribution");
    if (!uhi_distribution_name(d))
        return uhi_fail_argument(call, "distribution->kind", "is %d, expected a uh_distribution_kind, 0 to %d",
                                 (int)d->kind, UH_DISTRIBUTION_WEIBULL);
    if (d->kind == UH_DISTRIBUTION_TABLE)
        return check_table(call, d);
    UHI_TRY(uhi_check_number(call, "distribution->location", d->location, -DBL_MAX, DBL_MAX, "a finite number"));
    UHI_TRY(uhi_check_number(call, "distribution->scale", d->scale, DBL_TRUE_MIN, DBL_MAX, "a finite number above 0"));
    if (d->x || d->f || d->points)
        return uhi_fail_argument(call, "distribution", "has a table, expected none for the kind %s",
                                 uhi_distribution_name(d));
    return UH_SUCCESS;
}

uh_status uh_distribution_cdf(const uh_distribution *distribution, double x, double *v) {
    uh_distribution taken;
    UHI_TRY(uhi_distribution_take(__func__, distribution, &taken));
    UHI_TRY(uhi_check_number(__func__, "x", x, -INFINITY, INFINITY, "a number"));
    UHI_NEED(__func__, v, "where to store F(x)");
    *v = uhi_distribution_mass(&taken, -(double)INFINITY, x);
    return UH_SUCCESS;
}

uh_status uh_axis_create_distribution(const uh_distribution *distribution, size_t bins, double v_first, double v_last,
                                      uh_closed closed, uh_axis **axis) {
    uh_axis *made = NULL;
    uh_distribution taken;
    UHI_TRY(uhi_distribution_take(__func__, distribution, &taken));
    UHI_TRY(uhi_axis_check(__func__, closed, axis));
    UHI_TRY(uhi_check_between(__func__, "bins", UH_NO_INDEX, bins, 1, UH_MAX_BINS));
    if (!(v_first >= 0) || !(v_first < v_last) || !(v_last <= 1))
        return uhi_fail_argument(__func__, "v_first",
                                 "is %.17g and v_last is %.17g, expected 0 <= v_first < v_last <= 1", v_first, v_last);
    double *edges = malloc((bins + 1) * sizeof *edges);
    if (!edges)
        return uhi_fail_memory(__func__, "no memory for %zu bins", bins);
    for (size_t j = 0; j <= bins; j++) {
        double v = j == bins ? v_last : v_first + (double)j * ((v_last - v_first) / (double)bins);
        double edge = uhi_distribution_quantile(&taken, v < v_last ? v : v_last);
        edges[j] = j > 0 && !(edge > edges[j - 1]) ? edges[j - 1] : edge; /* rounding may swap two edges */
    }
    UHI_TRY(uhi_axis_of(__func__, UH_F64, edges, bins + 1, closed, &made));
    return uhi_axis_complete(__func__, made, 0, 0, &taken, axis);
}

uh_status uhi_axis_carrying(const char *call, const uh_axis *axis, const uh_distribution *distribution,
                            uh_axis **made) {
    uh_axis *sharing = NULL;
    UHI_NEED(call, axis, "an axis");
    UHI_NEED(call, made, "where to store the axis");
    if (distribution && axis->edges.order)
        return uhi_fail_argument(call, "axis", "has categories, expected bins between edges");
    UHI_TRY(uhi_axis_share(call, axis, &sharing));
    return uhi_axis_complete(call, sharing, axis->edges.below, axis->edges.above, distribution, made);
}

uh_status uh_axis_create_with_distribution(const uh_axis *axis, const uh_distribution *distribution, uh_axis **made) {
    uh_distribution taken;
    if (distribution)
        UHI_TRY(uhi_distribution_take(__func__, distribution, &taken));
    return uhi_axis_carrying(__func__, axis, distribution ? &taken : NULL, made);
}
