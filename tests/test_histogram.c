/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: counting, reading, merging, lifetimes. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

#include "tests/arrays.h"
#include "tests/fixture.h"

static uh_queue *queue;

static int make_queue(void **state) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = 2};
    uh_device *host;
    (void)state;
    return uh_device_select("host", &host) || uh_queue_create(host, &options, &queue) ? -1 : 0;
}

static int destroy_queue(void **state) {
    (void)state;
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static uh_axis *make_axis(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    uh_axis *axis = NULL;
    test_good(uh_axis_create_edges(dtype, edges, nedges, closed, &axis));
    return axis;
}

/* A histogram that alone keeps its axis. */
static uh_histogram *make(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    uh_axis *axis = make_axis(dtype, edges, nedges, closed);
    uh_histogram *histogram = NULL;
    test_good(uh_histogram_create(queue, &axis, 1, NULL, &histogram));
    test_good(uh_axis_destroy(axis));
    return histogram;
}

static void fill(uh_histogram *histogram, const double *x, size_t n) {
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, n), NULL));
}

/* The counts and the flow are these. */
static void assert_holds(uh_histogram *histogram, const uint64_t *counts, uint64_t below, uint64_t above,
                         uint64_t nan) {
    uint64_t got[64];
    uh_flow flow;
    size_t bins = uh_axis_bins(uh_histogram_axis(histogram, 0));
    assert_true(bins <= 64);
    test_good(uh_histogram_counts(histogram, got));
    test_good(uh_histogram_flow(histogram, 0, &flow));
    assert_memory_equal(got, counts, bins * sizeof *counts);
    assert_int_equal(flow.below, below);
    assert_int_equal(flow.above, above);
    assert_int_equal(flow.nan, nan);
}

/* Figure 4 of the paper, and values in and on its bins. */
static const double figure_4[] = {0, 21, 25, 28, 44, 47, 57, 70};
static const double figure_4_values[] = {0,  20,    20.999, 21, 24, 25, 26, 27.9, 28,   30,  35,
                                         40, 43.99, 44,     47, 56, 57, 70, -1,   70.5, NAN, NAN};
enum { FIGURE_4_BINS = 7, FIGURE_4_VALUES = sizeof figure_4_values / sizeof *figure_4_values };
static const uint64_t figure_4_counts[] = {3, 2, 3, 5, 1, 2, 2};

static uh_histogram *make_figure_4(void) {
    return make(UH_F64, figure_4, FIGURE_4_BINS + 1, UH_CLOSED_LEFT);
}

UNIT_TEST(the_papers_figure_4_is_counted_as_by_hand) {
    uh_histogram *histogram = make_figure_4();
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    assert_holds(histogram, figure_4_counts, 1, 1, 2);
    uh_histogram_destroy(histogram);
}

UNIT_TEST(each_rule_puts_the_edges_on_its_own_side) {
    static const double edges[] = {1, 2, 3, 4};
    static const struct {
        uh_closed closed;
        uint64_t counts[3], below, above;
    } rules[] = {{UH_CLOSED_LEFT, {1, 1, 2}, 0, 0},
                 {UH_CLOSED_RIGHT, {2, 1, 1}, 0, 0},
                 {UH_HALF_OPEN_LEFT, {1, 1, 1}, 0, 1},
                 {UH_HALF_OPEN_RIGHT, {1, 1, 1}, 1, 0}};
    for (size_t i = 0; i < 4; i++) {
        uh_histogram *histogram = make(UH_F64, edges, 4, rules[i].closed);
        fill(histogram, edges, 4);
        assert_holds(histogram, rules[i].counts, rules[i].below, rules[i].above, 0);
        uh_histogram_destroy(histogram);
    }
}

UNIT_TEST(equal_neighbours_make_an_empty_bin) {
    static const double edges[] = {0, 1, 1, 2, 2}, x[] = {0, 1, 1, 1.5, 2, 2};
    static const uint64_t left[] = {1, 0, 3, 2}, right[] = {3, 0, 3, 0};
    uh_histogram *histogram = make(UH_F64, edges, 5, UH_CLOSED_LEFT); /* the last bin, empty but for its end, takes 2 */
    fill(histogram, x, 6);
    assert_holds(histogram, left, 0, 0, 0);
    uh_histogram_destroy(histogram);
    histogram = make(UH_F64, edges, 5, UH_CLOSED_RIGHT);
    fill(histogram, x, 6);
    assert_holds(histogram, right, 0, 0, 0);
    uh_histogram_destroy(histogram);
}

UNIT_TEST(fills_of_several_types_add_up_until_reset) {
    static const float f[] = {1, 2};
    static const uint8_t u[] = {0, 60, 255};
    static const int64_t i[] = {INT64_MIN, 22};
    static const uint64_t counts[] = {3, 1, 0, 0, 0, 0, 1}, none[FIGURE_4_BINS] = {0};
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
    uh_histogram_destroy(histogram);
}

UNIT_TEST(no_values_need_no_pointer) {
    static const uint64_t none[FIGURE_4_BINS] = {0};
    uh_histogram *histogram = make_figure_4();
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, NULL, 0), NULL));
    test_good(uh_histogram_fill(histogram, STRIDED(UH_I8, NULL, 0, 17), NULL));
    test_good(uh_histogram_digitize(histogram, ARRAY(UH_U64, NULL, 0), NULL));
    assert_holds(histogram, none, 0, 0, 0);
    uh_histogram_destroy(histogram);
}

/* ---- reading ---- */

UNIT_TEST(total_and_running_sums_follow_from_the_counts) {
    uint64_t total = 0, cumulative[FIGURE_4_BINS];
    static const uint64_t sums[] = {3, 5, 8, 13, 14, 16, 18};
    uh_histogram *histogram = make_figure_4();
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    test_good(test_total(histogram, &total));
    assert_int_equal(total, FIGURE_4_VALUES);
    test_good(uh_histogram_cumulative(histogram, cumulative));
    assert_memory_equal(cumulative, sums, sizeof sums);
    uh_histogram_destroy(histogram);
}

UNIT_TEST(density_is_numpys_to_the_bit) {
    /* numpy.histogram(figure_4_values, figure_4, density=True)[0], NumPy 1.24 */
    static const double expected[] = {0x1.0410410410410p-7, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-5,
                                      0x1.1c71c71c71c72p-6, 0x1.2f684bda12f68p-6, 0x1.6c16c16c16c17p-7,
                                      0x1.1811811811812p-7};
    double density[FIGURE_4_BINS];
    uh_histogram *histogram = make_figure_4();
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    test_good(uh_histogram_density(histogram, density));
    assert_memory_equal(density, expected, sizeof expected);
    uh_histogram_destroy(histogram);
}

UNIT_TEST(density_of_nothing_is_nan_and_of_no_width_infinite) {
    static const double edges[] = {1, 1, 2, 2, 3}, x[] = {1, 2, 5}, last[] = {1, 2, 2};
    double density[4];
    uh_histogram *histogram = make(UH_F64, edges, 5, UH_CLOSED_LEFT);
    test_good(uh_histogram_density(histogram, density));
    for (size_t j = 0; j < 4; j++)
        assert_true(isnan(density[j]));
    fill(histogram, x, 3);
    test_good(uh_histogram_density(histogram, density));
    assert_true(isnan(density[0]) && isnan(density[2]));
    assert_true(density[1] == 0.5 && density[3] == 0.5);
    uh_histogram_destroy(histogram);
    histogram = make(UH_F64, last, 3, UH_CLOSED_LEFT);
    fill(histogram, last, 3);
    test_good(uh_histogram_density(histogram, density));
    assert_true(density[0] == 1 / 3.0 && isinf(density[1]));
    uh_histogram_destroy(histogram);
}

/* ---- merging ---- */

UNIT_TEST(merged_parts_are_the_whole) {
    uint64_t whole[300], parts[300], seed = 3;
    double edges[301], x[5000];
    uh_flow a, b;
    for (size_t j = 0; j <= 300; j++)
        edges[j] = (double)(j * j);
    for (size_t i = 0; i < 5000; i++)
        x[i] = i % 100 ? 1e5 * test_random_f64(&seed) - 1e3 : NAN;
    uh_histogram *all = make(UH_F64, edges, 301, UH_CLOSED_RIGHT);
    uh_histogram *sum = make(UH_F64, edges, 301, UH_CLOSED_RIGHT);
    fill(all, x, 5000);
    for (size_t from = 0; from < 5000; from += 1250) {
        uh_histogram *part = make(UH_F64, edges, 301, UH_CLOSED_RIGHT);
        fill(part, x + from, 1250);
        test_good(uh_histogram_merge(sum, part));
        uh_histogram_destroy(part);
    }
    test_good(uh_histogram_counts(all, whole));
    test_good(uh_histogram_counts(sum, parts));
    assert_memory_equal(whole, parts, sizeof whole);
    test_good(uh_histogram_flow(all, 0, &a));
    test_good(uh_histogram_flow(sum, 0, &b));
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(a.nan, 50);
    uh_histogram_destroy(all);
    uh_histogram_destroy(sum);
}

UNIT_TEST(a_histogram_merged_with_itself_doubles) {
    static const uint64_t twice[] = {6, 4, 6, 10, 2, 4, 4};
    uh_histogram *histogram = make_figure_4();
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    test_good(uh_histogram_merge(histogram, histogram));
    assert_holds(histogram, twice, 2, 2, 4);
    uh_histogram_destroy(histogram);
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
        uh_histogram_destroy(sources[i]);
    }
    assert_holds(target, thrice, 3, 3, 6);
    uh_histogram_destroy(target);
}

UNIT_TEST(merging_other_axes_fails_and_leaves_the_target_alone) {
    static const double other[] = {0, 21, 25, 28, 44, 47, 57, 70.0000000001};
    uh_histogram *target = make_figure_4();
    uh_histogram *sources[] = {make(UH_F64, other, 8, UH_CLOSED_LEFT), make(UH_F64, figure_4, 7, UH_CLOSED_LEFT),
                               make(UH_F64, figure_4, 8, UH_CLOSED_RIGHT)};
    fill(target, figure_4_values, FIGURE_4_VALUES);
    for (size_t i = 0; i < 3; i++) {
        fill(sources[i], figure_4_values, FIGURE_4_VALUES);
        assert_int_equal(uh_histogram_merge(target, sources[i]), UH_ERROR_INCOMPATIBLE);
        assert_non_null(strstr(uh_last_error(), "uh_histogram_merge"));
        uh_histogram_destroy(sources[i]);
    }
    assert_holds(target, figure_4_counts, 1, 1, 2);
    uh_histogram_destroy(target);
}

UNIT_TEST(points_that_would_pass_2_64_refuse_the_merge) {
    static const double edges[] = {0, 1, 2}, x[] = {0.5, 1.5, NAN};
    uint64_t counts[] = {1, 1};
    uint64_t nan = 1;
    uh_histogram *histogram = make(UH_F64, edges, 3, UH_CLOSED_LEFT);
    fill(histogram, x, 3);
    for (int i = 0; i < 62; i++) {
        test_good(uh_histogram_merge(histogram, histogram));
        counts[0] *= 2, counts[1] *= 2, nan *= 2;
    }
    assert_holds(histogram, counts, 0, 0, nan);
    assert_int_equal(uh_histogram_merge(histogram, histogram), UH_ERROR_OVERFLOW); /* 3 * 2^62 and as many */
    assert_non_null(strstr(uh_last_error(), "13835058055282163712"));
    assert_holds(histogram, counts, 0, 0, nan);
    uh_histogram_destroy(histogram);
}

/* ---- lifetimes ---- */

UNIT_TEST(a_histogram_keeps_its_axis) {
    uh_histogram *histogram = make_figure_4(); /* which destroys the axis */
    const uh_axis *axis = uh_histogram_axis(histogram, 0);
    assert_int_equal(uh_axis_bins(axis), FIGURE_4_BINS);
    assert_memory_equal(uh_axis_edges(axis), figure_4, sizeof figure_4);
    assert_int_equal(uh_axis_closed(axis), UH_CLOSED_LEFT);
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    assert_holds(histogram, figure_4_counts, 1, 1, 2);
    uh_histogram_destroy(histogram);
    test_good(uh_histogram_destroy(NULL));
    assert_null(uh_histogram_axis(NULL, 0));
}

UNIT_TEST(a_queue_in_use_cannot_be_destroyed) {
    uh_queue *own;
    uh_axis *axis = make_axis(UH_F64, figure_4, 8, UH_CLOSED_LEFT);
    uh_histogram *histogram;
    test_good(uh_queue_create(uh_queue_get_device(queue), NULL, &own));
    test_good(uh_histogram_create(own, &axis, 1, NULL, &histogram));
    assert_int_equal(uh_queue_destroy(own), UH_ERROR_IN_USE);
    fill(histogram, figure_4_values, FIGURE_4_VALUES);
    assert_holds(histogram, figure_4_counts, 1, 1, 2);
    uh_histogram_destroy(histogram);
    test_good(uh_queue_destroy(own));
    uh_axis_destroy(axis);
}

/* ---- many values ---- */

UNIT_TEST(counts_pass_2_32_in_one_call_and_over_many) {
    static const double edges[] = {0, 1, 2, 3};
    static const uint8_t one = 1;
    const uint64_t n = (UINT64_C(1) << 32) + 5;
    uint64_t counts[] = {0, n, 0};
    if (getenv("UNIHIST_INSTRUMENTED")) {
        print_message("skipped: 2^32 values take minutes in an instrumented build\n");
        skip();
    }
    uh_histogram *histogram = make(UH_F64, edges, 4, UH_CLOSED_LEFT);
    test_good(uh_histogram_fill(histogram, STRIDED(UH_U8, &one, n, 0), NULL));
    assert_holds(histogram, counts, 0, 0, 0);
    test_good(uh_histogram_fill(histogram, STRIDED(UH_U8, &one, 12345, 0), NULL));
    counts[1] += 12345;
    assert_holds(histogram, counts, 0, 0, 0);
    uh_histogram_destroy(histogram);
}

TEST_MAIN(test_histogram) {
    return TEST_RUN(make_queue, destroy_queue);
}
