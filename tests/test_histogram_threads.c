/* SPDX-License-Identifier: Apache-2.0 */
/* What several threads do differently: parts, private tables, one table for all, the search for the range. Bins
 * are [j, j + 1), so that the bin of a value is its whole part and no other oracle is needed. */
#include <sys/wait.h>

#include <unihist/bins.h>

#include "tests/tested.h"

enum { THREADS = 4 };

/* Counts n random values, some of them below, above or NaN, over `bins` bins, twice, and compares. */
static void check_counts(size_t bins, size_t n) {
    uh_histogram *histogram = test_line(tested_queue(THREADS), test_equal_axis(bins, 0, (double)bins));
    double *x = test_memory(n * sizeof *x);
    uint64_t *expected = test_memory(bins * sizeof *expected), *counts = test_memory(bins * sizeof *counts), seed = n;
    uh_flow right = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        x[i] = (test_random_f64(&seed) * 1.02 - 0.01) * (double)bins;
        if (i % 1001 == 0)
            x[i] = NAN;
        if (isnan(x[i]))
            right.nan += 2;
        else if (x[i] < 0)
            right.below += 2;
        else if (x[i] > (double)bins)
            right.above += 2;
        else
            expected[x[i] == (double)bins ? bins - 1 : (size_t)x[i]] += 2;
    }
    for (int twice = 0; twice < 2; twice++)
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, n), NULL));
    test_good(uh_histogram_counts(histogram, counts));
    const uh_flow flow = test_flow(histogram, 0);
    assert_memory_equal(counts, expected, bins * sizeof *counts);
    assert_memory_equal(&flow, &right, sizeof flow);
}

UNIT_TEST(few_bins_are_counted_in_small_tables_of_each_thread) {
    check_counts(1000, 300007);
    check_counts(32000, 300007);
}

UNIT_TEST(many_bins_are_counted_in_a_table_of_each_thread) {
    check_counts(40000, 300007);
}

UNIT_TEST(more_bins_than_values_are_counted_in_one_table_by_all) {
    check_counts(200000, 300007);
    check_counts(1000000, 150001);
}

/* Whether min, max and nan of n values are found, the extremes lying at `low` and `high`, with 1 and several threads.
 */
static void check_range(uh_dtype dtype, const void *x, size_t n, double min, double max, uint64_t nan) {
    for (uint32_t threads = 1; threads <= THREADS; threads += THREADS - 1) {
        double found_min = 0, found_max = 0;
        uint64_t found_nan = 99;
        test_good(uh_min_max(tested_queue(threads), ARRAY(dtype, x, n), &found_min, &found_max, &found_nan));
        assert_true(found_min == min && found_max == max);
        assert_int_equal(found_nan, nan);
    }
}

UNIT_TEST(the_range_is_found_wherever_the_extremes_lie) {
    enum { N = 300007 };
    static const size_t places[] = {0, 1, N / 4, N / 2, 3 * (N / 4) + 1, N - 2, N - 1};
    float *f = test_memory(N * sizeof *f);
    int64_t *l = test_memory(N * sizeof *l);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        size_t low = places[p], high = places[sizeof places / sizeof *places - 1 - p];
        high = high == low ? 2 : high;
        uint64_t nan = 0;
        for (size_t i = 0; i < N; i++) {
            f[i] = i % 977 == 5 ? NAN : (float)(i % 1000);
            l[i] = (int64_t)(i % 1000);
        }
        f[low] = -7.5F;
        f[high] = INFINITY;
        l[low] = INT64_MIN + 1; /* float64 holds neither: rounded outwards */
        l[high] = INT64_MAX;
        for (size_t i = 0; i < N; i++)
            nan += isnan(f[i]) != 0;
        check_range(UH_F32, f, N, -7.5, INFINITY, nan);
        check_range(UH_I64, l, N, -0x1p63, 0x1p63, 0);
    }
    for (size_t i = 0; i < N; i++)
        f[i] = NAN;
    check_range(UH_F32, f, N, INFINITY, -INFINITY, N);
}

TESTED_MAIN(test_histogram_threads)

/* In a child process: counts n values i % bins in a histogram of the parent's queue; copies them in that queue, too. */
static void count_in_child(uh_queue *queue, uh_histogram *histogram, const double *x, size_t n, size_t bins) {
    uint64_t *counts = test_memory(bins * sizeof *counts);
    double *copy = test_memory(n * sizeof *copy);
    alarm(60); /* rather than to hang */
    int wrong = uh_histogram_reset(histogram) || uh_histogram_fill(histogram, ARRAY(UH_F64, x, n), NULL) ||
                uh_histogram_counts(histogram, counts) || uh_memcpy(queue, copy, x, n * sizeof *copy, NULL) ||
                memcmp(copy, x, n * sizeof *copy) != 0;
    for (size_t j = 0; j < bins; j++)
        wrong |= counts[j] != n / bins;
    _exit(wrong);
}

UNIT_TEST(a_process_that_is_forked_after_threads_have_worked_counts_with_one) {
    enum { BINS = 1000, N = 2000 * BINS };
    uh_queue *queue = tested_queue(THREADS);
    uh_histogram *histogram = test_line(queue, test_equal_axis(BINS, 0, BINS));
    double *x = test_memory(N * sizeof *x);
    for (size_t i = 0; i < N; i++)
        x[i] = (double)(i % BINS);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, N), NULL));
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        count_in_child(queue, histogram, x, N, BINS);
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
}
