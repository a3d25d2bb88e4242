/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/integrate/integrate_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

enum { LINE = 64 };

/* ---- creation ---- */

static struct uhi_sides sides_of(double lower, double upper) {
    if (isinf(lower) && isinf(upper))
        return (struct uhi_sides){UHI_SIDES_NONE, 0};
    if (isinf(upper))
        return (struct uhi_sides){UHI_SIDES_ABOVE, lower};
    if (isinf(lower))
        return (struct uhi_sides){UHI_SIDES_BELOW, upper};
    return (struct uhi_sides){UHI_SIDES_FINITE, lower};
}

/* Sets the k of infinite sides: the more of them, the more of an integrand's tails lies where several coordinates are
 * large, which the product of the axes' densities reaches more rarely. */
static void heavier_tails(uh_grid *grid) {
    int infinite = 0;
    for (size_t d = 0; d < grid->dims; d++)
        infinite += grid->sides[d].kind != UHI_SIDES_FINITE;
    for (size_t d = 0; d < grid->dims; d++)
        if (grid->sides[d].kind != UHI_SIDES_FINITE)
            grid->sides[d].kind += UHI_SIDES_POWER * (infinite < 10 ? (infinite + 2) / 4 : 3);
}

static uh_status check_sides(const char *call, const char *argument, const uh_grid *grid) {
    char name[32];
    for (size_t d = 0; d < grid->dims; d++) {
        const double lower = grid->lower[d], upper = grid->upper[d];
        snprintf(name, sizeof name, "%slower", argument);
        if (!(lower < upper) || lower == HUGE_VAL || upper == -HUGE_VAL)
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, name, d, "is %g and upper[%zu] is %g, expected less",
                               lower, d, upper);
        if (grid->sides[d].kind == UHI_SIDES_FINITE && isinf(upper - lower))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, name, d,
                               "is %g and upper[%zu] is %g, whose difference overflows", lower, d, upper);
    }
    return UH_SUCCESS;
}

/* Moves edges that are not above the previous one just above it, and those beyond the end just below the next. */
static void separate(double *edges, size_t bins) {
    for (size_t j = 1; j < bins; j++)
        edges[j] = fmax(edges[j], nextafter(edges[j - 1], HUGE_VAL));
    for (size_t j = bins; j-- > 1;)
        edges[j] = fmin(edges[j], nextafter(edges[j + 1], -HUGE_VAL));
}

/* Makes equal bins, or copies the given ones. */
static uh_status make_edges(const char *call, const double *given, const uh_grid *grid, size_t d) {
    const int finite = grid->sides[d].kind == UHI_SIDES_FINITE;
    const double low = finite ? grid->lower[d] : 0, high = finite ? grid->upper[d] : 1;
    double *edges = grid->edges + d * (grid->bins + 1);
    if (given)
        memcpy(edges, given + d * (grid->bins + 1), (grid->bins + 1) * sizeof *edges);
    for (size_t j = 0; j <= grid->bins && !given; j++)
        edges[j] = j == grid->bins ? high : low + (double)j * ((high - low) / (double)grid->bins);
    if (!given)
        separate(edges, grid->bins);
    for (size_t j = 0; j <= grid->bins; j++)
        if (j == 0 ? edges[j] != low : !(edges[j] > edges[j - 1]) || (j == grid->bins && edges[j] != high))
            return given ? uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "edges", d * (grid->bins + 1) + j,
                                       "is %.17g, expected ascending numbers from %.17g to %.17g on axis %zu", edges[j],
                                       low, high, d)
                         : uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "lower", d,
                                       "is %.17g and upper[%zu] is %.17g, too close for %zu bins", low, d, high,
                                       grid->bins);
    return UH_SUCCESS;
}

uh_status uhi_grid_make(const char *call, const char *argument, size_t dims, size_t bins, const double *lower,
                        const double *upper, const double *edges, uh_grid **grid) {
    uh_grid *made = calloc(1, sizeof *made);
    double *memory = calloc(dims * (bins + 1), sizeof *memory);
    uh_status status = UH_SUCCESS;
    if (!made || !memory) {
        free(made);
        free(memory);
        return uhi_fail_memory(call, "no memory for a grid of %zu x %zu bins", dims, bins);
    }
    made->dims = dims;
    made->bins = bins;
    made->edges = memory;
    for (size_t d = 0; d < dims; d++) {
        made->lower[d] = lower ? lower[d] : 0;
        made->upper[d] = upper ? upper[d] : 1;
        made->sides[d] = sides_of(made->lower[d], made->upper[d]);
    }
    heavier_tails(made);
    status = check_sides(call, argument, made);
    for (size_t d = 0; d < dims && !status; d++)
        status = make_edges(call, edges, made, d);
    if (status)
        uhi_grid_free(made);
    else
        *grid = made;
    return status;
}

void *uhi_grid_allocate(size_t n, size_t size) {
    const size_t bytes = n * size;
    return n > SIZE_MAX / 2 / size ? NULL : aligned_alloc(LINE, (bytes + LINE) / LINE * LINE);
}

void uhi_grid_free(uh_grid *grid) {
    if (grid)
        free(grid->edges);
    free(grid);
}

void uhi_grid_cells(const uh_grid *grid, struct uhi_cell *cells) {
    for (size_t d = 0; d < grid->dims; d++, cells += grid->bins) {
        const double *edges = grid->edges + d * (grid->bins + 1);
        for (size_t b = 0; b < grid->bins; b++)
            cells[b] = (struct uhi_cell){edges[b], (edges[b + 1] - edges[b]) * (double)grid->bins};
    }
}

/* ---- refinement ---- */

/* Smooths contributions over three bins, damps and accumulates them: sum[b] is the total of the bins before b. Without
 * any contributions sum[bins] is 0. */
static void weigh_bins(const double *c, size_t bins, double alpha, double *sum) {
    double total = 0;
    for (size_t b = 0; b < bins; b++) {
        const size_t before = b > 0 ? b - 1 : b, after = b + 1 < bins ? b + 1 : b;
        const double n = (double)(after - before + 1);
        sum[b + 1] = (c[before] + (after > before + 1 ? c[b] : 0) + (after > before ? c[after] : 0)) / n;
        total += sum[b + 1];
    }
    sum[0] = 0;
    for (size_t b = 1; b <= bins; b++) {
        const double part = total > 0 ? sum[b] / total : 0;
        const double damped = part <= 0 ? 0 : part >= 1 ? 1 : pow((1 - part) / -log(part), alpha);
        sum[b] = sum[b - 1] + damped;
    }
}

/* Returns the end of the run of bins, starting at `from`, that all have contributions, or all have none. */
static size_t end_of_run(const double *sum, size_t bins, size_t from) {
    const int some = sum[from + 1] > sum[from];
    size_t to = from + 1;
    while (to < bins && (sum[to + 1] > sum[to]) == some)
        to++;
    return to;
}

/* Cuts bins [from, to) into n of equal weight: stores the right edge of each. */
static void cut_run(const double *edges, const double *sum, size_t from, size_t to, size_t n, double *right) {
    const double weight = sum[to] - sum[from];
    for (size_t j = 1, b = from; j < n; j++) {
        const double at = sum[from] + weight * ((double)j / (double)n);
        while (b + 1 < to && sum[b + 1] < at)
            b++;
        const double part = (at - sum[b]) / (sum[b + 1] - sum[b]);
        right[j - 1] = edges[b] + fmin(fmax(part, 0), 1) * (edges[b + 1] - edges[b]);
    }
    right[n - 1] = edges[to];
}

/* Spreads a part of the weight evenly over the axis. */
static void keep_even(const double *edges, size_t bins, double even, double *sum) {
    const double all = sum[bins], whole = edges[bins] - edges[0];
    for (size_t b = 1; b <= bins; b++)
        sum[b] = (1 - even) * (sum[b] / all) + even * ((edges[b] - edges[0]) / whole);
}

void uhi_grid_adjust(double *edges, size_t bins, const double *contributions, double alpha, double even,
                     double *memory) {
    double *sum = memory, *moved = memory + bins + 1;
    size_t empty = 0, filled = 0, made = 0;
    weigh_bins(contributions, bins, alpha, sum);
    if (!(sum[bins] > 0))
        return;
    if (even > 0)
        keep_even(edges, bins, even, sum);
    for (size_t from = 0; from < bins; from = end_of_run(sum, bins, from))
        ++*(sum[from + 1] > sum[from] ? &filled : &empty);
    const int difference = empty + filled <= bins / 2; /* otherwise all bins are one run */
    const size_t shared = difference ? bins - empty - filled : bins - 1;
    for (size_t from = 0, to; from < bins; from = to) {
        to = difference ? end_of_run(sum, bins, from) : bins;
        const int some = sum[to] > sum[from];
        const size_t before = (size_t)(sum[from] / sum[bins] * (double)shared),
                     after = (size_t)(sum[to] / sum[bins] * (double)shared), n = some ? 1 + after - before : 1;
        cut_run(edges, sum, from, to, n, moved + made);
        made += n;
    }
    memcpy(edges + 1, moved, (bins - 1) * sizeof *edges);
    separate(edges, bins);
}

/* ---- cubes ---- */

/* floor(a^(1 / n)), n > 0. */
static uint64_t root(uint64_t a, size_t n) {
    uint64_t r = (uint64_t)pow((double)a, 1.0 / (double)n) + 2, product;
    for (;; r--) {
        product = 1;
        for (size_t i = 0; i < n && product <= a; i++)
            if (__builtin_mul_overflow(product, r, &product))
                product = UINT64_MAX;
        if (product <= a)
            return r;
    }
}

/* vegas_plus leaves a fifth of the samples to distribute: with more, the smaller number of cubes costs more than
 * distribution gains. With one interval more on as many axes as samples allow, variances were the same or larger. */
void uhi_cubes_cut(struct uhi_sampling *sampling, uh_integrate_variant variant, const uint64_t *strata,
                   uint64_t calls) {
    const size_t dims = sampling->field.dims, bins = sampling->field.bins;
    const int shares = variant == UH_INTEGRATE_VEGAS_PLUS;
    const uint64_t sharing = calls * 2 / 5 < UHI_MAX_SHARING ? calls * 2 / 5 : UHI_MAX_SHARING;
    uint64_t equal = variant == UH_INTEGRATE_PLAIN ? 1 : root(shares ? sharing : calls / 2, dims);
    if (shares && equal > bins)
        equal -= equal % bins;
    sampling->cubes = 1;
    for (size_t d = 0; d < dims; d++)
        sampling->cubes *= sampling->intervals[d] = strata ? strata[d] : equal;
    sampling->each = calls / sampling->cubes;
    sampling->samples = sampling->each * sampling->cubes;
    sampling->starts = NULL;
}

void uhi_cubes_by_bin(const struct uhi_sampling *sampling, const double *variance, size_t axis, double *sum) {
    const size_t bins = sampling->field.bins;
    uint64_t run = sampling->intervals[axis] / bins; /* cubes in a row that lie in one bin */
    for (size_t d = 0; d < axis; d++)
        run *= sampling->intervals[d];
    for (size_t b = 0; b < bins; b++)
        sum[b] = 0;
    for (uint64_t c = 0, bin = 0; c < sampling->cubes; bin = bin + 1 < bins ? bin + 1 : 0)
        for (const uint64_t end = c + run; c < end; c++)
            sum[bin] += variance[c] > 0 ? variance[c] : 0;
}

/* variance^(beta / 2), by square roots for the usual beta. Rounding may have made the variance negative. */
static double damped(double variance, double beta) {
    variance = variance > 0 ? variance : 0;
    return beta == 0.5 ? sqrt(sqrt(variance)) : pow(variance, beta / 2);
}

void uhi_cubes_share(struct uhi_sampling *sampling, double *variance, uint64_t *starts, uint64_t calls, double beta,
                     double minimum) {
    const uint64_t cubes = sampling->cubes, others = calls - 2 * cubes;
    double sum = 0;
    for (uint64_t c = 0; c < cubes; c++)
        variance[c] = damped(variance[c], beta);
    for (uint64_t c = 0; c < cubes; c++)
        sum += variance[c];
    const int some = sum > minimum && isfinite(sum);
    starts[0] = 0;
    for (uint64_t c = 0; c < cubes; c++)
        starts[c + 1] = starts[c] + 2 + (some ? (uint64_t)(variance[c] * ((double)others / sum)) : others / cubes);
    sampling->starts = starts;
    sampling->samples = starts[cubes];
}
