/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds from bins: the centres of bins of equal width, around its multiples, that contain enough points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/meanshift/meanshift_run.h"
#include "runtime/status.h"

#define MAX_BINS 0x1p53 /* from 0: beyond, not all bin numbers are float64 */

/* A bin, given by coordinates divided by the width, rounded to integers, and its number of points. */
struct binned {
    const double *bin;
    size_t dims;
    uint64_t count;
};

static int compare(const void *a, const void *b) {
    const struct binned *x = a, *y = b;
    for (size_t d = 0; d < x->dims; d++)
        if (x->bin[d] != y->bin[d])
            return x->bin[d] < y->bin[d] ? -1 : 1;
    return 0;
}

/* Sorts bins and merges equal ones; keeps those with at least `minimum` points. Returns their number. */
static size_t keep_frequent(struct binned *binned, size_t n, size_t minimum) {
    size_t kept = 0;
    if (n > 0)
        qsort(binned, n, sizeof *binned, compare);
    for (size_t i = 0, same; i < n; i += same) {
        struct binned one = binned[i];
        for (same = 1; i + same < n && compare(&one, &binned[i + same]) == 0; same++)
            one.count += binned[i + same].count;
        if (one.count >= minimum)
            binned[kept++] = one;
    }
    return kept;
}

/* Finds the bins of points; `bin` has room for their numbers. Returns the largest magnitude of a number. */
static double find_bins(const struct uhi_coordinates *points, double width, double *bin, struct binned *binned) {
    double furthest = 0;
    for (size_t i = 0; i < points->count; i++) {
        binned[i] = (struct binned){bin + i * points->dims, points->dims, 1};
        for (size_t d = 0; d < points->dims; d++) {
            const double number = rint(uhi_coordinate(points, d, i) / width) + 0.0; /* avoids -0 */
            bin[i * points->dims + d] = number;
            furthest = fmax(furthest, fabs(number));
        }
    }
    return furthest;
}

/* Gathers the bins of all processes on all: *n of them, as numbers, which the caller frees. */
static uh_status gather(struct uhi_collective *collective, struct binned **binned, size_t *n, size_t dims,
                        double **bin) {
    const size_t width = dims + 1;
    uint64_t *words = malloc((*n + 1) * width * sizeof *words), *all = NULL;
    size_t total = 0;
    uh_status status = uhi_collective_allocated(collective, words != NULL, "bins", *n);
    for (size_t i = 0; i < *n && !status; i++) {
        memcpy(words + i * width, (*binned)[i].bin, dims * sizeof *words);
        words[i * width + dims] = (*binned)[i].count;
    }
    if (!status)
        status = uhi_collective_gather(collective, words, *n * width, &all, &total);
    free(words);
    free(*bin);
    free(*binned);
    *n = total / width;
    *bin = malloc((*n + 1) * dims * sizeof **bin);
    *binned = calloc(*n + 1, sizeof **binned);
    if (!status)
        status = uhi_collective_allocated(collective, *bin && *binned, "bins", *n);
    for (size_t i = 0; i < *n && !status; i++) {
        memcpy(*bin + i * dims, all + i * width, dims * sizeof *words);
        (*binned)[i] = (struct binned){*bin + i * dims, dims, all[i * width + dims]};
    }
    free(all);
    return status;
}

uh_status uhi_mean_shift_seeds(struct uhi_collective *collective, const struct uhi_coordinates *points, double width,
                               size_t minimum, struct uhi_coordinates *seeds) {
    const size_t dims = points->dims;
    size_t n = points->count;
    double *bin = malloc((n + 1) * dims * sizeof *bin);
    struct binned *binned = calloc(n + 1, sizeof *binned);
    *seeds = (struct uhi_coordinates){.count = 0};
    uh_status status = uhi_collective_allocated(collective, bin && binned, "bins", n);
    if (!status && !(find_bins(points, width, bin, binned) <= MAX_BINS))
        status =
            uhi_fail_argument(collective->call, "options->seed_bins",
                              "is %g, expected a width of which all coordinates are less than 2^53 multiples", width);
    status = uhi_collective_agree(collective, status);
    if (!status && collective->exchange) {
        n = keep_frequent(binned, n, 1);
        status = gather(collective, &binned, &n, dims, &bin);
    }
    if (!status) {
        n = keep_frequent(binned, n, minimum);
        status = uhi_collective_allocated(collective, n == 0 || uhi_coordinates_make(seeds, points->size, dims, n),
                                          "bins", n);
    }
    for (size_t i = 0; i < n && !status; i++)
        for (size_t d = 0; d < dims; d++)
            uhi_coordinate_set(seeds, d, i, binned[i].bin[d] * width);
    free(bin);
    free(binned);
    return status;
}

/* Densities at places. */

/* Volume of the unit ball in d dimensions. */
static double ball(size_t d) {
    const double pi = 3.14159265358979323846;
    return pow(pi, (double)d / 2) / tgamma((double)d / 2 + 1);
}

/* Fraction of a Gaussian of deviation 1 in d dimensions within a radius r: the regularized incomplete gamma function
 * P(d / 2, x) of x = r^2 / 2, by its series P(a, x) = x^a e^-x / Gamma(a + 1) (1 + x / (a + 1) + ...), DLMF 8.11.4; for
 * x > 700 all of it. */
static double gaussian_within(size_t d, double x) {
    const double a = (double)d / 2;
    double term = 1, sum = 1;
    if (x > 700)
        return 1;
    for (double n = 1; term > sum * 0x1p-60; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return fmin(exp(a * log(x) - x - lgamma(a + 1)) * sum, 1);
}

/* Integral of the kernel over all places. */
static double integral_of(const struct uhi_window *window, size_t d) {
    const double pi = 3.14159265358979323846, radius = window->radius, sigma = window->sigma;
    if (window->kernel == UH_KERNEL_FLAT)
        return ball(d) * pow(radius, (double)d);
    if (window->kernel == UH_KERNEL_EPANECHNIKOV)
        return ball(d) * pow(radius, (double)d) * 2 / ((double)d + 2);
    return pow(2 * pi, (double)d / 2) * pow(sigma, (double)d) *
           gaussian_within(d, window->radius_squared / (2 * sigma * sigma));
}

uh_status uhi_kde(uh_queue *queue, const char *call, const struct uhi_coordinates *points,
                  const struct uhi_window *window, uh_mean_shift_method method, const struct uhi_coordinates *places,
                  double *density) {
    struct uhi_neighbours neighbours = {.window = *window, .method = method};
    int stopped = 0;
    uh_status status = uhi_neighbours_make(&neighbours, queue, call, points, places->count);
    if (!status) {
        uhi_neighbours_take(&neighbours, points);
        uhi_order_all(&neighbours.order, places->count);
        status = uhi_neighbours_sum(&neighbours, places, &stopped);
    }
    const double scale =
        neighbours.summing.rule.number[UHI_RULE_SCALE] * (double)points->count * integral_of(window, points->dims);
    for (size_t i = 0; i < places->count && !status; i++)
        density[neighbours.order.id[i]] = (double)neighbours.sums[i * (points->dims + 1)] / scale;
    uhi_neighbours_close(&neighbours);
    return status;
}
