/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that tests and unihist-perf try are what their descriptions say. */
#include "tests/support.h"
#include "tests/tried_axis.h"

#define RANGE 1000.0

/* Widths are differences of edges up to RANGE, each rounded: 4 ulp of RANGE are enough for the two and the sum. */
#define ROUNDING (4 * 0x1p-43)

enum { K = 1000, N = 20000 };

static double edges[K + 1];
static float x32[N];
static double x64[N];

/* Widths are at least `low` and at most `high`, one of them more than `more`. */
static void check_edges(size_t k, double low, double high, double more) {
    double widest = 0;
    assert_true(edges[0] == 0 && edges[k] == RANGE);
    for (size_t j = 0; j < k; j++) {
        const double width = edges[j + 1] - edges[j];
        assert_true(width >= 0 && width >= low - ROUNDING && width <= high + ROUNDING);
        widest = fmax(widest, width);
    }
    assert_true(widest > more);
}

static size_t bin_of(double x) {
    size_t bin = 0;
    while (edges[bin + 1] <= x)
        bin++;
    return bin;
}

static void make(enum case_bins family, size_t k, double range, double h, uint64_t seed) {
    assert_int_equal(case_edges(family, k, range, h, seed, edges), 0);
}

UNIT_TEST(the_papers_families_have_their_widths) {
    static const struct {
        enum case_bins family;
        size_t k;
        double h, low, high, more;
    } rows[] = {
        {CASE_WORST, 100, 0.01, 0.01, RANGE - 99 * 0.01, RANGE - 1},
        {CASE_RANDOM, K, 0.1, 0.1, RANGE, 3 * RANGE / K},
        {CASE_RANDOM, K, 0.01, 0.01, RANGE, 3 * RANGE / K},
        {CASE_RANDOM, K, 0.001, 0.001, RANGE, 3 * RANGE / K},
        /* The mean variation, taken out of each width, is below h_v / 10 for a thousand of them (5 sigma). */
        {CASE_ALMOST, K, 0.1, 1 - 0.11, 1 + 0.11, 1.05},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make(rows[i].family, rows[i].k, RANGE, rows[i].h, i);
        check_edges(rows[i].k, rows[i].low, rows[i].high, rows[i].more);
        assert_true(rows[i].family != CASE_WORST || fabs(edges[99] - 0.99) < ROUNDING);
    }
    make(CASE_WORST, 1, RANGE, 5000, 1);
    assert_true(edges[1] == RANGE);
}

UNIT_TEST(decades_have_as_many_edges_at_every_scale) {
    size_t tens[6] = {0};
    make(CASE_DECADES, K, 1e30, NAN, 7);
    assert_true(edges[0] == 1 / 1e30 && edges[K] == 1e30);
    for (size_t j = 0; j < K; j++) {
        assert_true(edges[j] <= edges[j + 1]);
        tens[(size_t)((log10(edges[j]) + 30) / 10.0001)]++;
    }
    for (size_t i = 0; i < 6; i++) /* 167 expected, sigma 12 */
        assert_in_range(tens[i], 110, 225);
    assert_int_equal(case_edges(CASE_DECADES, K, 1, 1, 7, edges), -1);
}

UNIT_TEST(equal_bins_of_whole_width_have_whole_edges) {
    make(CASE_EQUAL, 256, 256, NAN, 7);
    for (size_t j = 0; j <= 256; j++)
        assert_true(edges[j] == (double)j);
    make(CASE_EQUAL, K, RANGE / 3, 0, 7);
    for (size_t j = 0; j < K; j++)
        assert_true(fabs(edges[j + 1] - edges[j] - RANGE / 3 / K) < ROUNDING);
    assert_true(edges[K] == RANGE / 3);
}

UNIT_TEST(bins_of_a_distribution_hold_equal_parts_of_it) {
    for (int i = CASE_BINS_NORMAL; i <= CASE_BINS_LOGNORMAL; i++) {
        long double from = 0, each = 0;
        double location, scale;
        make((enum case_bins)i, K, RANGE, NAN, 7);
        check_edges(K, 0, RANGE, 0);
        assert_int_equal(case_bins_parameters((enum case_bins)i, RANGE, &location, &scale), 1);
        for (size_t j = 0; j <= K; j++) {
            long double z = (edges[j] - (long double)location) / scale, to;
            if (i == CASE_BINS_LOGNORMAL)
                z = (logl(edges[j]) - (long double)location) / scale;
            to = i == CASE_BINS_EXPONENTIAL ? -expm1l(-z) : erfcl(-z * sqrtl(0.5L)) / 2;
            each = j == 1 ? to - from : each;
            assert_true(j < 2 || fabsl(to - from - each) < 1e-12L);
            from = to;
        }
        assert_true(from > 0.9999L);
    }
    assert_int_equal(case_bins_parameters(CASE_EQUAL, RANGE, edges, edges), 0);
}

UNIT_TEST(edges_that_do_not_fit_are_refused_and_nothing_is_written) {
    memset(edges, 0x55, sizeof edges);
    double before = edges[0];
    assert_int_equal(case_edges(CASE_WORST, 101, RANGE, 10, 1, edges), -1);
    assert_int_equal(case_edges(CASE_RANDOM, 100, RANGE, 10, 1, edges), -1);
    assert_int_equal(case_edges(CASE_ALMOST, 100, RANGE, 10, 1, edges), -1);
    assert_int_equal(case_edges(CASE_RANDOM, 0, RANGE, 0.1, 1, edges), -1);
    assert_int_equal(case_edges(CASE_RANDOM, 10, RANGE, NAN, 1, edges), -1);
    assert_int_equal(case_edges(CASE_RANDOM, 10, RANGE, 0, 1, edges), -1);
    assert_int_equal(case_edges(CASE_RANDOM, 10, -1, 0.1, 1, edges), -1);
    assert_int_equal(case_edges(CASE_RANDOM, 10, INFINITY, 0.1, 1, edges), -1);
    assert_memory_equal(&before, &edges[0], sizeof before);
}

UNIT_TEST(uniform_values_fill_the_range_and_sorted_ones_ascend) {
    size_t tenths[10] = {0};
    make(CASE_ALMOST, 10, RANGE, 0.1, 1);
    assert_int_equal(case_fill(UH_F64, CASE_UNIFORM, 10, edges, 3, x64, N), 0);
    for (size_t i = 0; i < N; i++) {
        assert_true(x64[i] > 0 && x64[i] < RANGE);
        tenths[(size_t)(x64[i] / 100)]++;
    }
    for (size_t j = 0; j < 10; j++) /* 2000 expected, sigma 42 */
        assert_in_range(tenths[j], 1800, 2200);
    assert_int_equal(case_fill(UH_F32, CASE_SORTED, 10, edges, 3, x32, N), 0);
    for (size_t i = 1; i < N; i++)
        assert_true(x32[i - 1] <= x32[i]);
    assert_true(x32[0] < RANGE / N * 1.01 && x32[N - 1] > RANGE * 0.99);
}

UNIT_TEST(narrow_values_lie_in_the_narrowest_tenth_of_the_bins_only) {
    unsigned char used[K] = {0};
    size_t bins = 0, narrower = 0;
    double widest = 0;
    make(CASE_RANDOM, K, RANGE, 0.01, 5);
    assert_int_equal(case_fill(UH_F64, CASE_NARROW, K, edges, 9, x64, N), 0);
    for (size_t i = 0; i < N; i++) {
        const size_t bin = bin_of(x64[i]);
        used[bin] = 1;
        widest = fmax(widest, edges[bin + 1] - edges[bin]);
    }
    for (size_t j = 0; j < K; j++) {
        bins += used[j];
        narrower += edges[j + 1] - edges[j] <= widest;
    }
    assert_int_equal(bins, K / 10);
    assert_int_equal(narrower, K / 10);
}

UNIT_TEST(values_of_each_bin_are_as_many) {
    size_t counts[100] = {0};
    make(CASE_BINS_LOGNORMAL, 100, RANGE, 0, 5);
    edges[50] = edges[51]; /* an empty bin */
    assert_int_equal(case_fill(UH_F64, CASE_EACHBIN, 100, edges, 9, x64, N), 0);
    for (size_t i = 0; i < N; i++) {
        const size_t bin = bin_of(x64[i]);
        counts[bin]++;
    }
    for (size_t j = 0; j < 100; j++) /* six standard deviations of N / 99 */
        assert_in_range(counts[j], j == 50 ? 0 : N / 99 - 90, j == 50 ? 0 : N / 99 + 90);
    assert_int_equal(case_fill(UH_F64, CASE_EACHBIN, 1, (double[]){1, 1}, 9, x64, N), -1);
}

UNIT_TEST(values_of_one_bin_lie_in_it_though_the_middle_bin_is_empty) {
    const double with_empty[] = {0, 1, 2, 2, 7, 9};
    assert_int_equal(case_fill(UH_F32, CASE_ONEBIN, 5, with_empty, 1, x32, N), 0);
    for (size_t i = 0; i < N; i++)
        assert_true(x32[i] >= 2 && x32[i] <= 7);
    const double all_empty[] = {2, 2, 2};
    assert_int_equal(case_fill(UH_F32, CASE_ONEBIN, 2, all_empty, 1, x32, N), -1);
    assert_int_equal(case_fill(UH_F32, CASE_NARROW, 2, all_empty, 1, x32, N), -1);
}

UNIT_TEST(lognormal_values_reach_most_scales_and_none_beyond_float32) {
    static unsigned char used[K];
    double mean = 0, square = 0;
    size_t bins = 0;
    make(CASE_DECADES, K, 1e30, 0, 5);
    assert_int_equal(case_fill(UH_F64, CASE_LOGNORMAL, K, edges, 9, x64, N), 0);
    for (size_t i = 0; i < N; i++) {
        assert_true(x64[i] > 1e-36 && x64[i] < 1e36);
        mean += log10(x64[i]) / N;
        square += log10(x64[i]) * log10(x64[i]) / N;
        if (x64[i] < edges[0] || x64[i] >= edges[K])
            continue;
        const size_t bin = bin_of(x64[i]);
        bins += !used[bin];
        used[bin] = 1;
    }
    assert_true(fabs(mean) < 0.4);                            /* sigma 0.07 */
    assert_true(fabs(sqrt(square - mean * mean) - 10) < 0.3); /* 60 decades are 6 standard deviations */
    assert_in_range(bins, K * 3 / 4, K);
    const double no_positive[] = {-2, -1, 0};
    assert_int_equal(case_fill(UH_F64, CASE_LOGNORMAL, 2, no_positive, 1, x64, N), -1);
}

UNIT_TEST(integers_are_the_values_rounded_down_within_their_type) {
    static int32_t x4[N];
    static uint8_t x1[N];
    static const double beyond[] = {-2.5, 0.25, 3e9};
    for (int shape = 0; shape < CASE_DATA_COUNT + 2; shape++) {
        const int all = shape < CASE_DATA_COUNT;
        const enum case_data data = all ? (enum case_data)shape : shape == CASE_DATA_COUNT ? CASE_NARROW : CASE_ONEBIN;
        const size_t k = all ? 100 : 2;
        make(CASE_EQUAL, 100, 256, 0, 5);
        const double *of = all ? edges : beyond;
        assert_int_equal(case_fill(UH_F64, data, k, of, 9, x64, N), 0);
        assert_int_equal(case_fill(UH_I32, data, k, of, 9, x4, N), 0);
        assert_int_equal(case_fill(UH_U8, data, k, of, 9, x1, N), 0);
        for (size_t i = 0; i < N; i++) {
            assert_true(x4[i] == fmin(floor(x64[i]), INT32_MAX));
            assert_true(x1[i] == fmax(fmin(floor(x64[i]), UINT8_MAX), 0));
        }
    }
}

UNIT_TEST(the_same_seed_gives_the_same_and_another_seed_another) {
    static float again[N];
    static double other[K + 1];
    for (int shape = 0; shape < CASE_DATA_COUNT; shape++) {
        make(CASE_RANDOM, K, RANGE, 0.01, 5);
        assert_int_equal(case_fill(UH_F32, (enum case_data)shape, K, edges, 9, x32, N), 0);
        assert_int_equal(case_fill(UH_F32, (enum case_data)shape, K, edges, 9, again, N), 0);
        assert_memory_equal(x32, again, sizeof x32);
        assert_int_equal(case_fill(UH_F32, (enum case_data)shape, K, edges, 10, again, N), 0);
        assert_memory_not_equal(x32, again, sizeof x32);
    }
    assert_int_equal(case_edges(CASE_RANDOM, K, RANGE, 0.01, 6, other), 0);
    assert_memory_not_equal(edges, other, sizeof edges);
}

enum { FEW_EDGES = 130, VALUES = 600 };

/* Checks each axis of few edges with some values; returns how many there were that the check took. */
static size_t check_axes(int (*check)(struct oracle_axis *axis, const double *x)) {
    size_t taken = 0;
    for (size_t number = 0; number < case_axis_count(); number++) {
        struct oracle_axis axis = case_axis(number)->oracle;
        double x[VALUES];
        if (axis.nedges > FEW_EDGES)
            continue;
        case_values_fill(&axis, UH_F64, number, (char *)x, VALUES);
        taken += (size_t)check(&axis, x);
    }
    return taken;
}

static int check_bisection(struct oracle_axis *axis, const double *x) {
    for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT; closed++) {
        axis->closed = (uh_closed)closed;
        for (size_t i = 0; i < VALUES; i++)
            assert_int_equal(oracle_slot(axis, (long double)x[i]), oracle_slot_scan(axis, (long double)x[i]));
    }
    return 1;
}

UNIT_TEST(the_oracles_bisection_is_the_definition) { assert_true(check_axes(check_bisection) > 10); }

/* Of edges that float64 holds; by two threads. */
static int check_many_values(struct oracle_axis *axis, const double *x) {
    const size_t k = axis->nedges - 1;
    uint64_t expected[FEW_EDGES + 2] = {0}, bins[FEW_EDGES];
    struct oracle_counts found = {.bins = bins};
    for (size_t i = 0; i <= k; i++) {
        edges[i] = (double)axis->edges[i];
        if ((long double)edges[i] < axis->edges[i] || (long double)edges[i] > axis->edges[i])
            return 0;
    }
    for (size_t i = 0; i < VALUES; i++) {
        const size_t slot = oracle_slot_scan(axis, (long double)x[i]);
        assert_int_equal(oracle_slot_f64(edges, k, x[i]), slot);
        expected[slot]++;
    }
    assert_int_equal(oracle_count(x, UH_F64, VALUES, edges, k, 2, &found), 0);
    assert_memory_equal(found.bins, expected + 1, k * sizeof *bins);
    assert_int_equal(found.below, expected[0]);
    assert_int_equal(found.above, expected[k + 1]);
    assert_int_equal(found.nan, expected[k + 2]);
    return 1;
}

UNIT_TEST(the_oracle_of_many_values_counts_by_the_definition) { assert_true(check_axes(check_many_values) > 10); }
