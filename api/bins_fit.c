/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions fitted to values, and the test of how well values follow one. */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "kernels/plan/plan.h"
#include "runtime/status.h"

/* ---- fits ---- */

/* The mean of the values or of their logarithms, and the deviation from it. */
static void find_moments(const struct uhi_counted *values, int logs, double *mean, double *deviation) {
    long double sum = 0, squares = 0;
    const long double n = uhi_counted_all(values), origin = logs ? log(values->x[0]) : values->x[0];
    for (size_t i = 0; i < values->n; i++) {
        const long double d = (logs ? log(values->x[i]) : values->x[i]) - origin;
        const long double count = values->before[i + 1] - values->before[i];
        sum += count * d;
        squares += count * d * d;
    }
    *mean = (double)(origin + sum / n);
    *deviation = (double)sqrtl(fmaxl(squares / n - sum / n * (sum / n), 0));
}

/* The likelihood's derivative by the shape, up to a factor: it ascends. With y = log(x / largest x). */
static double by_shape(const struct uhi_counted *values, double shape, double mean, double *power_mean) {
    const double top = log(values->x[values->n - 1]);
    double powers = 0, with_logs = 0;
    for (size_t i = 0; i < values->n; i++) {
        const double y = log(values->x[i]) - top, power = (values->before[i + 1] - values->before[i]) * exp(shape * y);
        powers += power;
        with_logs += power * y;
    }
    *power_mean = powers / uhi_counted_all(values);
    return with_logs / powers - 1 / shape - (mean - top);
}

static void fit_weibull(const struct uhi_counted *values, uh_distribution *d) {
    double mean, deviation, power_mean = 1;
    find_moments(values, 1, &mean, &deviation);
    double low = 1e-3 / deviation, high = 1e3 / deviation; /* near 1.28 / deviation if the distribution is right */
    for (int i = 0; i < 200 && high > low * (1 + 1e-15); i++) {
        const double shape = sqrt(low * high);
        if (by_shape(values, shape, mean, &power_mean) < 0)
            low = shape;
        else
            high = shape;
    }
    d->scale = 1 / high;
    d->location = log(values->x[values->n - 1]) + log(power_mean) / high;
}

uh_status uh_bins_fit(uh_bins *bins, uh_distribution_kind kind, uh_distribution *distribution) {
    struct uhi_counted values;
    uh_distribution d = {.struct_size = sizeof d, .kind = kind};
    UHI_NEED(__func__, bins, "bins");
    UHI_TRY(uhi_sized_check(__func__, "distribution", distribution, sizeof d));
    const char *name = uhi_distribution_name(&d);
    if (!name || kind == UH_DISTRIBUTION_TABLE)
        return uhi_fail_argument(__func__, "kind", "is %d, expected a uh_distribution_kind other than a table",
                                 (int)kind);
    UHI_TRY(uhi_bins_count(__func__, bins, &values));
    const double first = values.x[0], last = values.x[values.n - 1];
    const int positive = kind == UH_DISTRIBUTION_LOGNORMAL || kind == UH_DISTRIBUTION_WEIBULL;
    const int known = positive ? first > 0 : kind != UH_DISTRIBUTION_EXPONENTIAL || first >= 0;
    if (known && values.n > 1) {
        if (kind == UH_DISTRIBUTION_UNIFORM) {
            d.location = first;
            d.scale = last - first;
        } else if (kind == UH_DISTRIBUTION_WEIBULL)
            fit_weibull(&values, &d);
        else
            find_moments(&values, positive, &d.location, &d.scale);
        if (kind == UH_DISTRIBUTION_EXPONENTIAL) {
            d.scale = d.location;
            d.location = 0;
        }
    }
    uhi_counted_free(&values);
    if (!known)
        return uhi_fail_argument(__func__, "bins", "has the value %g, expected values %s 0 for the kind %s", first,
                                 positive ? "above" : "from", name);
    if (!(d.scale > 0 && isfinite(d.scale) && isfinite(d.location)))
        return uhi_fail_argument(__func__, "bins", "has values from %g to %g, expected different ones", first, last);
    uhi_sized_write(distribution, &d);
    return UH_SUCCESS;
}

/* ---- Pearson's test ---- */

/* Returns the regularised incomplete gamma function Q(a, x): by its series, or by its continued fraction (Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 6.5.29 and 6.5.31). */
static double upper_gamma(double a, double x) {
    const double factor = exp(a * log(x) - x - uhi_log_gamma(a));
    double term = 1 / a, sum = term, b = x + 1 - a, c = 1e300, d = 1 / b, fraction = d;
    if (!(x > 0))
        return 1;
    if (x < a + 1) {
        for (int i = 1; term > 1e-17 * sum; i++)
            sum += term *= x / (a + i);
        return fmax(1 - factor * sum, 0);
    }
    for (int i = 1; i < 1000000; i++) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        fraction *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return fmin(factor * fraction, 1);
}

/* Cells that are pooled until they have the least expected count. */
struct pooled {
    double count, expected, statistic, last_count, last_expected;
    size_t cells;
};

/* Adds a bin; the rest of the last call joins the last cell. */
static void pool(struct pooled *p, double count, double expected, double least, int last) {
    p->count += count;
    p->expected += expected;
    if (p->expected < least && !(last && p->cells > 0))
        return;
    if (last && p->expected < least) { /* it replaces the last cell */
        const double over = p->last_count - p->last_expected;
        p->statistic -= over * over / p->last_expected;
        p->count += p->last_count;
        p->expected += p->last_expected;
        p->cells--;
    }
    const double over = p->count - p->expected;
    p->statistic += over * over / p->expected;
    p->last_count = p->count;
    p->last_expected = p->expected;
    p->cells++;
    p->count = p->expected = 0;
}

uh_status uh_chi_square(const uh_axis *axis, const uint64_t *counts, const uh_distribution *distribution, size_t fitted,
                        double min_expected, uh_chi_square_result *result) {
    uh_distribution d;
    uh_axis_properties known = {.struct_size = sizeof known};
    struct pooled p = {.cells = 0};
    double all = 0;
    UHI_NEED(__func__, axis, "an axis");
    UHI_NEED(__func__, counts, "counts");
    UHI_TRY(uhi_distribution_take(__func__, distribution, &d));
    UHI_TRY(uhi_check_number(__func__, "min_expected", min_expected, 0, 1e300, "a number above 0"));
    UHI_TRY(uhi_sized_check(__func__, "result", result, sizeof *result));
    UHI_TRY(uh_axis_get_properties(axis, &known));
    if (!known.edges || known.flow_bins != UH_FLOW_BINS_NONE || known.bins == 0)
        return uhi_fail_argument(__func__, "axis", "has categories, flow bins or no bins, expected bins between edges");
    for (size_t j = 0; j < known.bins; j++)
        all += (double)counts[j];
    if (!(all > 0))
        return uhi_fail_argument(__func__, "counts", "has the sum 0, expected some values");
    const double least = min_expected > 0 ? min_expected : 5;
    pool(&p, 0, all * uhi_distribution_mass(&d, -(double)INFINITY, known.edges[0]), least, 0);
    for (size_t j = 0; j < known.bins; j++)
        pool(&p, (double)counts[j], all * uhi_distribution_mass(&d, known.edges[j], known.edges[j + 1]), least, 0);
    pool(&p, 0, all * uhi_distribution_mass(&d, known.edges[known.bins], (double)INFINITY), least, 1);
    if (p.cells < fitted + 2)
        return uhi_fail_argument(__func__, "counts",
                                 "gives %zu cells with an expected count of %g, expected at least %zu", p.cells, least,
                                 fitted + 2);
    const size_t freedom = p.cells - 1 - fitted;
    const uh_chi_square_result made = {.struct_size = sizeof made,
                                       .statistic = p.statistic,
                                       .cells = p.cells,
                                       .freedom = freedom,
                                       .p = upper_gamma(0.5 * (double)freedom, 0.5 * p.statistic)};
    uhi_sized_write(result, &made);
    return UH_SUCCESS;
}
