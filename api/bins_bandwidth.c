/* SPDX-License-Identifier: Apache-2.0 */
/* The bandwidth of a Gaussian kernel. Its cost depends on the differences of all pairs of values, whose numbers are
 * counted once, over a grid; each bandwidth that is tried then costs one sum. */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { STEPS = 1 << 13, TRIED = 200 };

/* Counts pairs by their difference in steps; those of a value with itself excepted. */
static void count_pairs(const struct uhi_counted *values, double *counts, double *pairs) {
    const double lo = values->x[0], scale = (STEPS - 1) / (values->x[values->n - 1] - lo);
    for (size_t i = 0; i < values->n; i++)
        counts[(size_t)((values->x[i] - lo) * scale + 0.5)] += values->before[i + 1] - values->before[i];
    for (size_t d = 0; d < STEPS; d++) {
        double sum = 0;
        for (size_t i = d; i < STEPS; i++)
            sum += counts[i] * counts[i - d];
        pairs[d] = d ? 2 * sum : sum - uhi_counted_all(values);
    }
}

static double gauss(double x, double width) { return exp(-0.5 * (x / width) * (x / width)) / width; }

/* The cost without what is common to all widths, in units of 1 / sqrt(2 pi) and of steps: the integral of the squared
 * estimate, less twice its mean at the values when each is left out. */
static double cost_of(const double *pairs, double n, double width) {
    double sum = n * gauss(0, 1.41421356237309504880 * width);
    for (size_t d = 0; d < STEPS && (double)d < 40 * width; d++)
        sum += pairs[d] * (gauss((double)d, 1.41421356237309504880 * width) - 2 * gauss((double)d, width));
    return sum;
}

uh_status uh_bins_bandwidth(uh_bins *bins, double *bandwidth) {
    struct uhi_counted values;
    UHI_NEED(__func__, bins, "bins");
    UHI_NEED(__func__, bandwidth, "where to store it");
    UHI_TRY(uhi_bins_count(__func__, bins, &values));
    const double n = uhi_counted_all(&values), range = values.x[values.n - 1] - values.x[0];
    double *counts = calloc(STEPS, 2 * sizeof *counts), best = INFINITY, at = 0;
    const int fits = range > 0 && isfinite(range);
    if (counts && fits) {
        count_pairs(&values, counts, counts + STEPS);
        for (int i = 0; i <= TRIED; i++) { /* from one step to the range */
            const double width = pow(STEPS - 1, (double)i / TRIED), cost = cost_of(counts + STEPS, n, width);
            at = cost < best ? width : at;
            best = fmin(cost, best);
        }
        double low = at * pow(STEPS, -1.0 / TRIED), high = fmin(at * pow(STEPS, 1.0 / TRIED), STEPS - 1);
        while (high - low > 1e-9 * high) { /* golden section */
            const double a = high - 0.61803398874989484820 * (high - low), b = low + high - a;
            if (cost_of(counts + STEPS, n, a) < cost_of(counts + STEPS, n, b))
                high = b;
            else
                low = a;
        }
        *bandwidth = high * range / (STEPS - 1);
    }
    uhi_counted_free(&values);
    free(counts);
    if (!fits)
        return uhi_fail_argument(__func__, "bins", "has equal values or too different ones, expected a finite range");
    return counts ? UH_SUCCESS : uhi_fail_memory(__func__, "no memory for a grid");
}
