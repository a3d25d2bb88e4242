/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cells.h"

#include <inttypes.h>
#include <math.h>

#include "api/histogram.h"

struct cells case_cells(void *made, size_t cells, size_t naxes) {
    return (struct cells){.cells = cells,
                          .naxes = naxes,
                          .counts = case_array(made, cells + 1, sizeof(uint64_t)),
                          .sums = case_array(made, cells + 1, sizeof(long double)),
                          .squares = case_array(made, cells + 1, sizeof(long double)),
                          .flow = case_array(made, naxes, sizeof(uint64_t[3]))};
}

void cells_add(struct cells *cells, size_t cell, long double weight) {
    cells->n++;
    cells->counts[cell]++;
    cells->sums[cell] += weight;
    cells->squares[cell] += weight * weight;
}

void cells_add_point(struct cells *cells, const struct oracle_axis *const *axes, const long double *point,
                     long double weight) {
    size_t cell = 0;
    int inside = 1;
    for (size_t a = 0; a < cells->naxes; a++) {
        const size_t bins = oracle_bins(axes[a]), slot = oracle_slot(axes[a], point[a]);
        cell = cell * bins + slot - 1;
        if (slot >= 1 && slot <= bins)
            continue;
        inside = 0;
        cells->flow[a][slot == 0 ? 0 : slot - bins]++;
    }
    cells_add(cells, inside ? cell : cells->cells, weight);
}

/* What is no number counts as often as there are fills with it. */
static long double times(uint64_t n, long double x) { return n ? (long double)n * x : 0; }

static struct cells sum_of(struct use *use, const struct cells *a, uint64_t times_a, const struct cells *b,
                           uint64_t times_b) {
    struct cells sum = *a;
    sum.n = times_a * a->n + times_b * b->n;
    sum.counts = use_scratch(use, (a->cells + 1) * sizeof *sum.counts);
    sum.sums = use_scratch(use, (a->cells + 1) * sizeof *sum.sums);
    sum.squares = use_scratch(use, (a->cells + 1) * sizeof *sum.squares);
    sum.flow = use_scratch(use, a->naxes * sizeof *sum.flow);
    for (size_t c = 0; c <= a->cells; c++) {
        sum.counts[c] = times_a * a->counts[c] + times_b * b->counts[c];
        sum.sums[c] = times(times_a, a->sums[c]) + times(times_b, b->sums[c]);
        sum.squares[c] = times(times_a, a->squares[c]) + times(times_b, b->squares[c]);
    }
    for (size_t i = 0; i < 3 * a->naxes; i++)
        sum.flow[i / 3][i % 3] = times_a * a->flow[i / 3][i % 3] + times_b * b->flow[i / 3][i % 3];
    return sum;
}

static void read_counts(struct use *use, uh_histogram *histogram, const struct cells *expected, uint64_t most) {
    uint64_t *counts = use_output_plain(use, expected->cells, sizeof *counts);
    uint64_t *limited = use_scratch(use, expected->cells * sizeof *limited);
    for (size_t c = 0; c < expected->cells; c++)
        limited[c] = expected->counts[c] < most ? expected->counts[c] : most;
    (void)use_written(use, "uh_histogram_counts", uh_histogram_counts(histogram, counts), counts, limited, USE_WHOLE);
}

static double *rounded(struct use *use, const long double *exact, size_t n) {
    double *numbers = use_scratch(use, n * sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = (double)exact[i];
    return numbers;
}

static void read_sums(struct use *use, uh_histogram *histogram, const struct cells *expected) {
    const int squares = histogram->storage == UH_STORAGE_WEIGHTED;
    double *read[] = {use_output_plain(use, expected->cells, sizeof **read),
                      squares ? use_output_plain(use, expected->cells, sizeof **read) : NULL};
    double outside[2] = {0, 0};
    const int worked = use_call(use, "uh_histogram_outside",
                                uh_histogram_outside(histogram, &outside[0], squares ? &outside[1] : NULL));
    const uh_status status = uh_histogram_sums(histogram, UH_F64, read[0], read[1]);
    for (int k = 0; k <= squares; k++) {
        const double *of = rounded(use, k ? expected->squares : expected->sums, expected->cells + 1),
                     out = of[expected->cells];
        (void)use_written_f64(use, "uh_histogram_sums", status, read[k], of);
        use_expect(use, !worked || outside[k] == out || (isnan(outside[k]) && isnan(out)),
                   "%s of %g outside, expected %g", k ? "squares" : "a sum", outside[k], out);
    }
}

static void read_whole_sums(struct use *use, uh_histogram *histogram, const struct cells *expected) {
    int64_t *read = use_output_plain(use, expected->cells, sizeof *read);
    int64_t *sums = use_scratch(use, expected->cells * sizeof *sums);
    for (size_t c = 0; c < expected->cells; c++)
        sums[c] = (int64_t)expected->sums[c];
    (void)use_written(use, "uh_histogram_sums", uh_histogram_sums(histogram, UH_I64, read, NULL), read, sums,
                      USE_WHOLE);
}

/* What x / n is: rounded once, or where x is no double, `got` if that is a neighbour, as this rounds twice. */
static double quotient(long double x, uint64_t n, double got) {
    const double near = (double)(x / (long double)n);
    if ((long double)(double)x == x)
        return (double)x / (double)n;
    return got >= nextafter(near, -(double)INFINITY) && got <= nextafter(near, (double)INFINITY) ? got : near;
}

static void read_means(struct use *use, uh_histogram *histogram, const struct cells *expected) {
    const size_t bytes = expected->cells * sizeof(double);
    uint64_t *counts = use_output_plain(use, expected->cells, sizeof *counts);
    double *mean = use_output_plain(use, expected->cells, sizeof *mean), *means = use_scratch(use, bytes);
    double *m2 = use_output_plain(use, expected->cells, sizeof *m2), *deviations = use_scratch(use, bytes);
    const uh_status status = uh_histogram_means(histogram, counts, mean, m2);
    for (size_t c = 0; c < expected->cells; c++) {
        const uint64_t n = expected->counts[c];
        const long double sum = expected->sums[c], squares = expected->squares[c];
        means[c] = n > 0 ? quotient(sum, n, mean[c]) : (double)NAN;
        deviations[c] = n > 0 ? quotient((long double)n * squares - sum * sum, n, m2[c]) : 0;
    }
    (void)use_written(use, "uh_histogram_means", status, counts, expected->counts, USE_WHOLE);
    (void)use_written_f64(use, "uh_histogram_means", status, mean, means);
    (void)use_written_f64(use, "uh_histogram_means", status, m2, deviations);
}

void use_cells(struct use *use, uh_histogram *histogram, const struct cells *a, uint64_t times_a, const struct cells *b,
               uint64_t times_b) {
    const struct cells expected = sum_of(use, a, times_a, b, times_b);
    const uint64_t beyond = expected.counts[expected.cells];
    uint64_t inside = 0, outside = 0;
    if (use_call(use, "uh_histogram_total", uh_histogram_total(histogram, &inside, &outside)))
        use_expect(use, outside == beyond && inside + outside == expected.n,
                   "%" PRIu64 " inside and %" PRIu64 " outside", inside, outside);
    for (size_t axis = 0; axis < expected.naxes; axis++) {
        const uint64_t *of = expected.flow[axis];
        uh_flow flow = {0, 0, 0};
        if (use_call(use, "uh_histogram_flow", uh_histogram_flow(histogram, axis, &flow)))
            use_expect(use, flow.below == of[0] && flow.above == of[1] && flow.nan == of[2],
                       "axis %zu: flow %" PRIu64 " %" PRIu64 " %" PRIu64, axis, flow.below, flow.above, flow.nan);
    }
    switch (histogram->storage) {
    case UH_STORAGE_SUM:
    case UH_STORAGE_WEIGHTED: read_sums(use, histogram, &expected); break;
    case UH_STORAGE_MEAN:
        read_counts(use, histogram, &expected, UINT64_MAX);
        read_means(use, histogram, &expected);
        break;
    case UH_STORAGE_U8: read_counts(use, histogram, &expected, UINT8_MAX); break;
    case UH_STORAGE_U16: read_counts(use, histogram, &expected, UINT16_MAX); break;
    default: read_counts(use, histogram, &expected, UINT64_MAX);
    }
    if (expected.whole && histogram->storage == UH_STORAGE_SUM)
        read_whole_sums(use, histogram, &expected);
}
