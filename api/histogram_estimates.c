/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates from the cells alone: quantiles and moments. Computed in long double and rounded once more when stored. */

#include "api/histogram.h"
#include "runtime/status.h"

/* Cells read at a time. */
enum { BLOCK = 1024 };

/* ---- contents of an axis's bins ---- */

struct bins {
    const double *edges; /* NULL for a growing axis: bin v holds the integer v */
    int integers;        /* each bin holds the integers in [left edge, right edge) */
    size_t count;
    long double *mass; /* mass per bin; owned */
};

/* Checks the arguments common to both calls and reads the bins of an axis; the caller frees bins->mass. */
static uh_status read_bins(const char *call, uh_histogram *histogram, size_t axis, struct bins *bins) {
    UHI_TRY(uhi_histogram_check_edges(call, histogram, axis));
    UHI_TRY(histogram->contents->fetch(call, histogram));
    bins->edges = histogram->growing ? NULL : histogram->axes[axis]->as_f64;
    bins->integers =
        histogram->axes[axis]->edges.dtype != UH_F64 && histogram->axes[axis]->edges.closed == UH_HALF_OPEN_LEFT;
    bins->count = uhi_histogram_bins(histogram, axis);
    bins->mass = calloc(bins->count + !bins->count, sizeof *bins->mass);
    if (!bins->mass)
        return uhi_fail_memory(call, "no memory for what %zu bins hold", bins->count);
    const size_t stride = uhi_histogram_stride(histogram, axis);
    for (size_t i = 0, n; i < histogram->cells && bins->count > 0; i += n) {
        double value[BLOCK];
        n = histogram->cells - i < BLOCK ? histogram->cells - i : BLOCK;
        uhi_histogram_read_values(histogram, i, n, value);
        for (size_t j = 0; j < n; j++)
            bins->mass[(i + j) / stride % bins->count] += value[j];
    }
    return UH_SUCCESS;
}

/* Finds the range of a bin's values: its edges; the finite edge if the other is infinite; NaN if both are. */
static void bin_span(const struct bins *bins, size_t bin, double *lo, double *hi) {
    *lo = bins->edges ? bins->edges[bin] : (double)bin;
    *hi = bins->edges ? bins->edges[bin + 1] - bins->integers : *lo;
    if (*lo == *hi)
        return;
    if (isinf(*lo) && isinf(*hi))
        *lo = *hi = (double)NAN;
    else if (isinf(*lo))
        *lo = *hi;
    else if (isinf(*hi))
        *hi = *lo;
}

/* ---- quantiles ---- */

/* Replaces the masses by cumulative masses. */
static uh_status cumulate(const char *call, struct bins *bins) {
    long double sum = 0, *mass = bins->mass;
    for (size_t j = 0; j < bins->count; j++) {
        if (!(mass[j] >= 0) || isinf(mass[j]))
            return uhi_fail_argument(call, NULL, "the sum of bin %zu is %g, expected a finite one, 0 or more", j,
                                     (double)mass[j]);
        mass[j] = sum += mass[j];
    }
    return UH_SUCCESS;
}

/* Finds the first bin whose cumulative mass is at least `wanted` and above 0. */
static size_t find_bin(const struct bins *up_to, long double wanted) {
    size_t first = 0, last = up_to->count - 1; /* its mass is the total */
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (up_to->mass[middle] >= wanted && up_to->mass[middle] > 0)
            last = middle;
        else
            first = middle + 1;
    }
    return first;
}

static double quantile(const struct bins *up_to, double probability) {
    const long double all = up_to->count ? up_to->mass[up_to->count - 1] : 0, wanted = probability * all;
    double lo, hi;
    if (all == 0)
        return (double)NAN;
    const size_t bin = find_bin(up_to, wanted);
    const long double before = bin > 0 ? up_to->mass[bin - 1] : 0;
    const long double part = (wanted - before) / (up_to->mass[bin] - before);
    bin_span(up_to, bin, &lo, &hi);
    return part < 1 ? (double)(lo + ((long double)hi - lo) * part) : hi;
}

uh_status uh_histogram_quantiles(uh_histogram *histogram, const double *probabilities, size_t n, double *values) {
    struct bins bins = {.mass = NULL};
    UHI_NEED(__func__, histogram, "a histogram");
    if (n > 0 && (!probabilities || !values))
        return uhi_fail_null(__func__, probabilities ? "values" : "probabilities", "an array of n numbers");
    UHI_TRY(uhi_histogram_check_one_axis(__func__, histogram));
    for (size_t i = 0; i < n; i++)
        if (!(probabilities[i] >= 0 && probabilities[i] <= 1))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, __func__, "probabilities", i, "is %g, expected 0 to 1",
                               probabilities[i]);
    uh_status status = read_bins(__func__, histogram, 0, &bins);
    if (!status)
        status = cumulate(__func__, &bins);
    /* Ordered as in memmove, so that both arrays may overlap. */
    for (size_t i = 0; i < n && !status; i++) {
        const size_t at = values > probabilities ? n - 1 - i : i;
        values[at] = quantile(&bins, probabilities[at]);
    }
    free(bins.mass);
    return status;
}

/* ---- moments ---- */

/* All mass of a bin is taken to lie in its middle. Distances are from the middle of the first non-empty bin, so that a
 * single bin has no deviation. */
static long double distance(const struct bins *bins, size_t bin, long double origin) {
    double lo, hi;
    bin_span(bins, bin, &lo, &hi);
    return ((long double)lo + hi) / 2 - origin;
}

static void find_moments(const struct bins *bins, uh_moments *moments) {
    const long double *mass = bins->mass;
    long double all = 0, first = 0, power[5] = {0};
    size_t from = 0;
    while (from < bins->count && mass[from] == 0)
        from++;
    const long double origin = from < bins->count ? distance(bins, from, 0) : 0;
    for (size_t j = from; j < bins->count; j++)
        if (mass[j] != 0) {
            all += mass[j];
            first += mass[j] * distance(bins, j, origin);
        }
    const long double mean = first / all;
    for (size_t j = from; j < bins->count; j++) {
        long double term = mass[j];
        for (int k = 1; k <= 4 && mass[j] != 0; k++)
            power[k] += term *= distance(bins, j, origin) - mean;
    }
    const long double variance = power[2] / all;
    moments->total = (double)all;
    moments->mean = (double)(origin + mean);
    moments->variance = (double)variance;
    moments->deviation = (double)sqrtl(variance);
    moments->skewness = (double)(power[3] / all / (variance * sqrtl(variance)));
    moments->kurtosis = (double)(power[4] / all / (variance * variance) - 3);
}

uh_status uh_histogram_moments(uh_histogram *histogram, size_t axis, uh_moments *moments) {
    struct bins bins = {.mass = NULL};
    UHI_NEED(__func__, histogram, "a histogram");
    UHI_NEED(__func__, moments, "where to store them");
    UHI_TRY(uhi_sized_check(__func__, "moments", moments, sizeof *moments));
    const uh_status status = read_bins(__func__, histogram, axis, &bins);
    if (!status) {
        uh_moments found = {.struct_size = sizeof found};
        find_moments(&bins, &found);
        uhi_sized_write(moments, &found);
    }
    free(bins.mass);
    return status;
}
