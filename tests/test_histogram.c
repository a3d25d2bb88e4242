/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: counting, reading, merging, lifetimes. */
#include <sys/wait.h>

#include <unihist/save.h>

#include "tests/tested.h"

static uh_histogram *make(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    return test_line(tested.queue, test_axis_of(dtype, edges, nedges, closed));
}

static void fill(uh_histogram *histogram, const double *x, size_t n) {
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, n), NULL));
}

/* The counts and the flow are these. */
static void assert_holds(uh_histogram *histogram, const uint64_t *counts, uint64_t below, uint64_t above,
                         uint64_t nan) {
    test_assert_counts(histogram, counts, &(uh_flow){below, above, nan});
}

/* Figure 4 of the paper, and values in and on its bins. */
static const double figure_4[] = {0, 21, 25, 28, 44, 47, 57, 70};
static const double figure_4_values[] = {0,  20,    20.999, 21, 24, 25, 26, 27.9, 28,   30,  35,
                                         40, 43.99, 44,     47, 56, 57, 70, -1,   70.5, NAN, NAN};
enum { FIGURE_4_BINS = 7, FIGURE_4_VALUES = sizeof figure_4_values / sizeof *figure_4_values };
static const uint64_t figure_4_counts[] = {3, 2, 3, 5, 1, 2, 2}, none[FIGURE_4_BINS] = {0};

static uh_histogram *make_figure_4(void) { return make(UH_F64, figure_4, FIGURE_4_BINS + 1, UH_CLOSED_LEFT); }

static uh_histogram *filled_figure_4(void) {
    uh_histogram *histogram = make_figure_4();
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    return histogram;
}

UNIT_TEST(the_papers_figure_4_is_counted_as_by_hand) {
    /* numpy.histogram(figure_4_values, figure_4, density=True)[0], NumPy 1.24 */
    static const double densities[] = {0x1.0410410410410p-7, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-5,
                                       0x1.1c71c71c71c72p-6, 0x1.2f684bda12f68p-6, 0x1.6c16c16c16c17p-7,
                                       0x1.1811811811812p-7};
    double density[FIGURE_4_BINS];
    uh_histogram *histogram = filled_figure_4();
    assert_holds(histogram, figure_4_counts, 1, 1, 2);
    assert_int_equal(test_total(histogram), FIGURE_4_VALUES);
    test_good(uh_histogram_density(histogram, density));
    assert_memory_equal(density, densities, sizeof densities);
}

UNIT_TEST(fills_of_several_types_add_up_until_reset) {
    static const float f[] = {1, 2};
    static const uint8_t u[] = {0, 60, 255};
    static const int64_t i[] = {INT64_MIN, 22};
    static const uint64_t counts[] = {3, 1, 0, 0, 0, 0, 1};
    uh_histogram *histogram = make_figure_4();
    assert_holds(histogram, none, 0, 0, 0);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, f, 2), NULL));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_U8, u, 3), NULL));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, i, 2), NULL));
    assert_holds(histogram, counts, 1, 1, 0);
    test_good(uh_histogram_reset(histogram));
    assert_holds(histogram, none, 0, 0, 0);
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    assert_holds(histogram, figure_4_counts, 1, 1, 2);
}

UNIT_TEST(no_values_need_no_pointer) {
    uh_histogram *histogram = make_figure_4();
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, NULL, 0), NULL));
    test_good(uh_histogram_fill(histogram, STRIDED(UH_I8, NULL, 0, 17), NULL));
    test_good(uh_histogram_digitize(histogram, ARRAY(UH_U64, NULL, 0), UH_I64, NULL));
    assert_holds(histogram, none, 0, 0, 0);
}

UNIT_TEST(edges_of_other_types_that_are_the_same_numbers_merge) {
    static const uint8_t bytes[] = {0, 21, 25, 28, 44, 47, 57, 70};
    static const float floats[] = {-0.0F, 21, 25, 28, 44, 47, 57, 70};
    static const int64_t wide[] = {0, 21, 25, 28, 44, 47, 57, 70};
    static const uint64_t thrice[] = {9, 6, 9, 15, 3, 6, 6};
    uh_histogram *target = make(UH_U8, bytes, 8, UH_CLOSED_LEFT);
    uh_histogram *sources[] = {make_figure_4(), make(UH_F32, floats, 8, UH_CLOSED_LEFT),
                               make(UH_I64, wide, 8, UH_CLOSED_LEFT)};
    for (size_t i = 0; i < 3; i++) {
        fill(sources[i], figure_4_values, FIGURE_4_VALUES);
        test_good(uh_histogram_merge(target, sources[i]));
    }
    assert_holds(target, thrice, 3, 3, 6);
}

UNIT_TEST(merging_other_axes_fails_and_leaves_the_target_alone) {
    static const double other[] = {0, 21, 25, 28, 44, 47, 57, 70.0000000001};
    uh_histogram *target = filled_figure_4();
    uh_histogram *sources[] = {make(UH_F64, other, 8, UH_CLOSED_LEFT), make(UH_F64, figure_4, 7, UH_CLOSED_LEFT),
                               make(UH_F64, figure_4, 8, UH_CLOSED_RIGHT)};
    for (size_t i = 0; i < 3; i++) {
        fill(sources[i], figure_4_values, FIGURE_4_VALUES);
        test_assert_failed(uh_histogram_merge(target, sources[i]), UH_ERROR_INCOMPATIBLE, "uh_histogram_merge");
    }
    assert_holds(target, figure_4_counts, 1, 1, 2);
}

UNIT_TEST(points_that_would_pass_2_64_refuse_the_merge) {
    static const double edges[] = {0, 1, 2}, x[] = {0.5, 1.5, NAN};
    const uint64_t counts[] = {UINT64_C(1) << 62, UINT64_C(1) << 62};
    uh_histogram *histogram = make(UH_F64, edges, 3, UH_CLOSED_LEFT);
    fill(histogram, x, 3);
    for (int i = 0; i < 62; i++)
        test_good(uh_histogram_merge(histogram, histogram));
    assert_holds(histogram, counts, 0, 0, counts[0]);
    test_assert_failed(uh_histogram_merge(histogram, histogram), UH_ERROR_OVERFLOW,
                       "13835058055282163712"); /* 3 * 2^62 and as many */
    assert_holds(histogram, counts, 0, 0, counts[0]);
}

/* Holds 2^64 - 1 points in one bin. */
static uh_histogram *full(uh_axis *axis, uh_storage storage) {
    uh_histogram *all = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = storage));
    uh_histogram *power = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = storage));
    test_good(uh_histogram_fill(power, ARRAY(UH_I32, &(const int32_t){1}, 1), NULL));
    for (int i = 0; i < 64; i++) {
        test_good(uh_histogram_merge(all, power));
        if (i < 63)
            test_good(uh_histogram_merge(power, power));
    }
    return all;
}

UNIT_TEST(points_that_would_pass_2_64_refuse_the_fill) {
    static const uh_storage storages[] = {UH_STORAGE_COUNT, UH_STORAGE_SUM, UH_STORAGE_U8};
    const size_t axis = 0;
    uh_axis *growing = test_growing_axis();
    for (size_t s = 0; s < 5; s++) {
        const uh_storage storage = storages[s % 3];
        uh_histogram *made[3] = {full(s < 3 ? test_equal_axis(2, 0, 2) : growing, storage)};
        char bytes[8192];
        size_t length;
        test_good(uh_histogram_save_bytes(made[0], bytes, sizeof bytes, &length));
        test_good(uh_histogram_load_bytes(tested.queue, bytes, length, &made[1]));
        test_good(uh_histogram_project(made[0], &axis, 1, &made[2]));
        for (size_t i = 0; i < 3; i++) {
            uint64_t inside, outside;
            test_assert_failed(uh_histogram_fill(made[i], STRIDED(UH_I32, &(const int32_t){1}, 5, 0), NULL),
                               UH_ERROR_OVERFLOW, "18446744073709551615 points and 5 more");
            test_good(uh_histogram_total(made[i], &inside, &outside));
            assert_true(inside == UINT64_MAX && outside == 0);
            test_good(uh_histogram_reset(made[i]));
            test_good(uh_histogram_fill(made[i], ARRAY(UH_I32, &(const int32_t){1}, 1), NULL));
        }
        uh_histogram_destroy(made[1]);
        uh_histogram_destroy(made[2]);
    }
}

UNIT_TEST(a_histogram_keeps_its_axis_and_its_queue) {
    uh_queue *own = tested_queue(2);
    uh_axis *made = test_axis_of(UH_F64, figure_4, 8, UH_CLOSED_LEFT);
    uh_histogram *histogram = test_line(own, made);
    uh_axis_destroy(test_take(made));
    const uh_axis *axis = uh_histogram_axis(histogram, 0);
    assert_int_equal(test_axis_properties(axis).bins, FIGURE_4_BINS);
    assert_memory_equal(test_axis_properties(axis).edges, figure_4, sizeof figure_4);
    assert_int_equal(test_axis_properties(axis).closed, UH_CLOSED_LEFT);
    uh_queue_destroy(test_take(own));
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    assert_holds(histogram, figure_4_counts, 1, 1, 2);
    uh_histogram_destroy(NULL);
    assert_null(uh_histogram_axis(NULL, 0));
}

/* Integers of the first bin are in its middle, which is an integer and a half for two integers. */
UNIT_TEST(moments_and_quantiles_over_bins_of_integers_are_those_of_the_integers) {
    static const int8_t x[] = {-2, -1, -1, 3, 3, 3};
    static const double edges[] = {-2, -1, 0, 1, 2, 3, 4};
    uh_axis *axis = test_integer_axis(-2, 3);
    static const int64_t pairs[] = {-2, 0, 2, 4};
    static const size_t to[] = {0, 0, 1, 1, 2, 2};
    uh_histogram *histograms[] = {test_line(tested.queue, axis), make(UH_F64, edges, 7, UH_HALF_OPEN_LEFT), NULL};
    for (size_t i = 0; i < 2; i++)
        test_good(uh_histogram_fill(histograms[i], ARRAY(UH_I8, x, 6), NULL));
    histograms[2] = test_rebinned(histograms[0], 0, test_axis_of(UH_I64, pairs, 4, UH_HALF_OPEN_LEFT), to);
    static const double means[] = {5. / 6, 4. / 3, 0.5}, medians[] = {-1, 0, -1};
    for (size_t i = 0; i < 3; i++) {
        uh_moments moments = {.struct_size = sizeof moments};
        double median = 99;
        test_good(uh_histogram_moments(histograms[i], 0, &moments));
        test_good(uh_histogram_quantiles(histograms[i], &(double){0.5}, 1, &median));
        assert_true(moments.mean == means[i] && median == medians[i]);
    }
}

UNIT_TEST(counts_pass_2_32_in_one_call_and_over_many) {
    static const double edges[] = {0, 1, 2, 3};
    static const uint8_t one = 1;
    const uint64_t n = (UINT64_C(1) << 32) + 5;
    uint64_t counts[] = {0, n, 0};
    if (getenv("UNIHIST_INSTRUMENTED"))
        skip_because("2^32 values take minutes in an instrumented build");
    uh_histogram *histogram = make(UH_F64, edges, 4, UH_CLOSED_LEFT);
    test_good(uh_histogram_fill(histogram, STRIDED(UH_U8, &one, n, 0), NULL));
    assert_holds(histogram, counts, 0, 0, 0);
    test_good(uh_histogram_fill(histogram, STRIDED(UH_U8, &one, 12345, 0), NULL));
    counts[1] += 12345;
    assert_holds(histogram, counts, 0, 0, 0);
}

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
    enum { BINS = 1000, N = 2000 * BINS, THREADS = 4 };
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

TESTED_MAIN(test_histogram)
