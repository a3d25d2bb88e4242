/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes: what is made of one, what they say, and what they refuse. That they count right is
 * shown by test_histogramdd_exact. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/dd_cases.h"
#include "tests/fixture.h"

enum { PART_CASES = 60, PART_POINTS = 2049 };

static uh_queue *queue;

static int setup(void **state) {
    (void)state;
    queue = test_queue(2, 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static uh_histogramdd *make(const uh_axis *const *axes, size_t naxes, uh_storage storage) {
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = storage};
    uh_histogramdd *histogram = NULL;
    if (uh_histogramdd_create(queue, axes, naxes, &options, &histogram))
        fail_msg("%s", uh_last_error());
    return histogram;
}

/* ---- parts, beside a histogram that is filled again ---- */

/* Puts point i of the case, its coordinates on the axes that are named, into a histogram. */
static void fill_point(uh_histogramdd *histogram, const struct dd_case *tried, const size_t *axes, size_t naxes,
                       size_t i) {
    uh_array coordinates[UH_MAX_AXES], values = tried->values;
    for (size_t a = 0; a < naxes; a++) {
        coordinates[a] = tried->coordinates[axes[a]];
        coordinates[a].data = (const char *)coordinates[a].data + (ptrdiff_t)i * coordinates[a].stride;
    }
    if (tried->has_values)
        values.data = (const char *)values.data + (ptrdiff_t)i * values.stride;
    assert_int_equal(uh_histogramdd_fill(histogram, coordinates, 1, tried->has_values ? &values : NULL), UH_SUCCESS);
}

static int is_inside(const struct dd_case *tried, size_t axis, size_t i) {
    const size_t slot = dd_case_slot(tried, axis, i);
    return slot >= 1 && slot < tried->oracle[axis].nedges;
}

static uh_histogramdd *make_filled(const struct dd_case *tried) {
    uh_histogramdd *histogram = make((const uh_axis *const *)tried->axes, tried->naxes, tried->storage);
    assert_int_equal(
        uh_histogramdd_fill(histogram, tried->coordinates, tried->n, tried->has_values ? &tried->values : NULL),
        UH_SUCCESS);
    return histogram;
}

/* All points stay counted, whatever is made of a histogram. */
static void assert_all_points(uh_histogramdd *histogram, size_t n) {
    uint64_t inside, outside;
    assert_int_equal(uh_histogramdd_total(histogram, &inside, &outside), UH_SUCCESS);
    assert_int_equal(inside + outside, n);
}

static void assert_same_flow(uh_histogramdd *a, size_t axis_a, uh_histogramdd *b, size_t axis_b) {
    uh_flow in_a, in_b;
    assert_int_equal(uh_histogramdd_flow(a, axis_a, &in_a), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_flow(b, axis_b, &in_b), UH_SUCCESS);
    assert_memory_equal(&in_a, &in_b, sizeof in_a);
}

/* The outsides of the refilled histogram lack the points that are outside on an axis that is gone: only cells count. */
static void assert_refilled(uh_histogramdd *part, const struct dd_case *tried, const uh_axis *const *axes,
                            const size_t *numbers, size_t naxes, int gone, size_t gone_axis, size_t gone_bin) {
    uh_histogramdd *again = make(axes, naxes, tried->storage);
    for (size_t i = 0; i < tried->n; i++) {
        int wanted = 1;
        for (size_t a = 0; a < tried->naxes; a++) {
            int kept = 0;
            for (size_t j = 0; j < naxes; j++)
                kept |= numbers[j] == a;
            wanted &= kept || is_inside(tried, a, i);
        }
        if (gone)
            wanted &= dd_case_slot(tried, gone_axis, i) == gone_bin + 1;
        if (wanted)
            fill_point(again, tried, numbers, naxes, i);
    }
    const size_t cells = uh_histogramdd_cells(part);
    assert_int_equal(cells, uh_histogramdd_cells(again));
    if (tried->storage == UH_STORAGE_SUM || tried->storage == UH_STORAGE_WEIGHTED) {
        double *here = malloc(cells * sizeof *here), *there = malloc(cells * sizeof *there);
        assert_true(here && there);
        assert_int_equal(uh_histogramdd_sums(part, here, NULL), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_sums(again, there, NULL), UH_SUCCESS);
        assert_memory_equal(here, there, cells * sizeof *here);
        free(here);
        free(there);
    } else {
        dd_assert_same_cells(part, again);
    }
    assert_int_equal(uh_histogramdd_destroy(again), UH_SUCCESS);
}

static void a_projection_is_what_the_points_inside_give(void **state) {
    (void)state;
    for (uint64_t number = 2000; number < 2000 + PART_CASES; number++) {
        struct dd_case tried;
        uh_histogramdd *part = NULL;
        const uh_axis *axes[UH_MAX_AXES];
        size_t numbers[UH_MAX_AXES], naxes = 0;
        uint64_t random = number;
        dd_case_make(number, PART_POINTS, &tried);
        for (size_t a = tried.naxes; a-- > 0;) /* some axes, backwards */
            if (test_random_u64(&random) % 2 || (a == 0 && naxes == 0)) {
                axes[naxes] = tried.axes[a];
                numbers[naxes++] = a;
            }
        uh_histogramdd *histogram = make_filled(&tried);
        assert_int_equal(uh_histogramdd_project(histogram, numbers, naxes, &part), UH_SUCCESS);
        assert_refilled(part, &tried, axes, numbers, naxes, 0, 0, 0);
        assert_all_points(part, tried.n);
        for (size_t a = 0; a < naxes; a++)
            assert_same_flow(part, a, histogram, numbers[a]);
        assert_int_equal(uh_histogramdd_destroy(part), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        dd_case_free(&tried);
    }
}

static void a_slice_is_what_the_points_of_its_bin_give(void **state) {
    (void)state;
    for (uint64_t number = 3000; number < 3000 + PART_CASES; number++) {
        struct dd_case tried;
        uh_histogramdd *part = NULL;
        const uh_axis *axes[UH_MAX_AXES];
        size_t numbers[UH_MAX_AXES], naxes = 0;
        uint64_t random = number;
        dd_case_make(number, PART_POINTS, &tried);
        const size_t axis = test_random_u64(&random) % tried.naxes;
        const size_t bin = test_random_u64(&random) % uh_axis_bins(tried.axes[axis]);
        for (size_t a = 0; a < tried.naxes; a++)
            if (a != axis) {
                axes[naxes] = tried.axes[a];
                numbers[naxes++] = a;
            }
        uh_histogramdd *histogram = make_filled(&tried);
        if (naxes == 0) {
            test_assert_failed(uh_histogramdd_slice(histogram, axis, bin, &part), UH_ERROR_INVALID_ARGUMENT, "1 axis");
            assert_null(part);
        } else {
            assert_int_equal(uh_histogramdd_slice(histogram, axis, bin, &part), UH_SUCCESS);
            assert_refilled(part, &tried, axes, numbers, naxes, 1, axis, bin);
            assert_all_points(part, tried.n);
        }
        assert_int_equal(uh_histogramdd_destroy(part), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        dd_case_free(&tried);
    }
}

/* What is cropped or joined can be filled again through its own axes, ends included: its outsides are the same, too. */
static void cropped_and_joined_bins_are_what_filling_them_gives(void **state) {
    (void)state;
    for (uint64_t number = 4000; number < 4000 + 2 * PART_CASES; number++) {
        struct dd_case tried;
        uh_histogramdd *part = NULL;
        uint64_t random = number, inside[2], outside[2];
        dd_case_make(number, PART_POINTS, &tried);
        const size_t axis = test_random_u64(&random) % tried.naxes, bins = uh_axis_bins(tried.axes[axis]);
        const size_t from = test_random_u64(&random) % bins, to = from + 1 + test_random_u64(&random) % (bins - from);
        const int joined = number % 2 == 0;
        size_t factor = 1 + test_random_u64(&random) % bins;
        while (bins % factor != 0)
            factor--;
        uh_histogramdd *histogram = make_filled(&tried);
        if (joined)
            assert_int_equal(uh_histogramdd_rebin(histogram, axis, factor, &part), UH_SUCCESS);
        else
            assert_int_equal(uh_histogramdd_crop(histogram, axis, from, to, &part), UH_SUCCESS);
        const uh_axis *axes[UH_MAX_AXES];
        for (size_t a = 0; a < tried.naxes; a++)
            axes[a] = uh_histogramdd_axis(part, a);
        assert_int_equal(uh_axis_bins(axes[axis]), joined ? bins / factor : to - from);
        uh_histogramdd *again = make(axes, tried.naxes, tried.storage);
        assert_int_equal(
            uh_histogramdd_fill(again, tried.coordinates, tried.n, tried.has_values ? &tried.values : NULL),
            UH_SUCCESS);
        dd_assert_same_cells(part, again);
        assert_all_points(part, tried.n);
        if (joined || tried.storage == UH_STORAGE_COUNT || tried.storage == UH_STORAGE_MEAN) {
            assert_int_equal(uh_histogramdd_total(part, &inside[0], &outside[0]), UH_SUCCESS);
            assert_int_equal(uh_histogramdd_total(again, &inside[1], &outside[1]), UH_SUCCESS);
            assert_int_equal(inside[0], inside[1]);
            assert_int_equal(outside[0], outside[1]);
        }
        for (size_t a = 0; a < tried.naxes; a++)
            if (joined || a != axis || tried.naxes == 1)
                if (joined || tried.storage == UH_STORAGE_COUNT || tried.storage == UH_STORAGE_MEAN || a != axis)
                    assert_same_flow(part, a, again, a);
        assert_int_equal(uh_histogramdd_merge(part, again), UH_SUCCESS); /* it is a histogram like others */
        assert_int_equal(uh_histogramdd_destroy(again), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(part), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        dd_case_free(&tried);
    }
}

static void a_box_is_the_sum_of_its_cells(void **state) {
    (void)state;
    for (uint64_t number = 5000; number < 5000 + PART_CASES; number++) {
        struct dd_case tried;
        struct dd_expected expected;
        size_t from[UH_MAX_AXES] = {0}, to[UH_MAX_AXES] = {0};
        uint64_t random = number, count = 0;
        long double sum = 0, squares = 0;
        uh_bin bin = {.struct_size = sizeof bin};
        dd_case_make(number, PART_POINTS, &tried);
        dd_expect(&tried, &expected);
        for (size_t a = 0; a < tried.naxes; a++) {
            from[a] = test_random_u64(&random) % (uh_axis_bins(tried.axes[a]) + 1);
            to[a] = from[a] + test_random_u64(&random) % (uh_axis_bins(tried.axes[a]) - from[a] + 1);
        }
        for (size_t cell = 0; cell < tried.cells; cell++) {
            int inside = 1;
            for (size_t a = tried.naxes, rest = cell; a-- > 0; rest /= uh_axis_bins(tried.axes[a])) {
                const size_t j = rest % uh_axis_bins(tried.axes[a]);
                inside &= j >= from[a] && j < to[a];
            }
            count += inside ? expected.counts[cell] : 0;
            sum += inside ? expected.sum[cell] : 0;
            squares += inside ? expected.squares[cell] : 0;
        }
        uh_histogramdd *histogram = make_filled(&tried);
        assert_int_equal(uh_histogramdd_box(histogram, from, to, &bin), UH_SUCCESS);
        switch (tried.storage) {
        case UH_STORAGE_WEIGHTED: assert_true(bin.sum_squares == (double)squares); /* fall through */
        case UH_STORAGE_SUM: assert_true(bin.sum == (double)sum && bin.count == 0); break;
        case UH_STORAGE_MEAN:
            assert_int_equal(bin.count, count);
            assert_true(count == 0 ? isnan(bin.mean) && bin.m2 == 0
                                   : fabsl(bin.mean - sum / (long double)count) <= 1e-15L * fabsl(sum));
            break;
        case UH_STORAGE_U8: assert_int_equal(bin.count, count < 255 ? count : 255); break;
        default: assert_int_equal(bin.count, count);
        }
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
}

/* ---- by hand ---- */

static const double edges_x[] = {0, 1, 3}, edges_y[] = {0, 2, 4, 8};

static uh_histogramdd *make_small(uh_storage storage) {
    uh_axis *axes[2];
    assert_int_equal(uh_axis_create_edges(UH_F64, edges_x, 3, UH_CLOSED_LEFT, &axes[0]), UH_SUCCESS);
    assert_int_equal(uh_axis_create_edges(UH_F64, edges_y, 4, UH_CLOSED_LEFT, &axes[1]), UH_SUCCESS);
    uh_histogramdd *histogram = make((const uh_axis *const *)axes, 2, storage);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]); /* the histogram keeps them */
    return histogram;
}

static const double points[][2] = {{0.5, 1}, {0.5, 3}, {2, 8}, {3, 8}, {-1, 1}, {1, 9}, {NAN, 1}, {4, NAN}, {0, 0}};
enum { POINTS = sizeof points / sizeof *points };

static void rows_of_points_are_counted_as_by_hand(void **state) {
    static const uint64_t expected[] = {2, 1, 0, 0, 0, 2};
    uint64_t counts[6], inside, outside;
    uh_flow flow;
    (void)state;
    uh_histogramdd *histogram = make_small(UH_STORAGE_COUNT);
    assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, points, POINTS, sizeof points[0], NULL), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_counts(histogram, counts), UH_SUCCESS);
    assert_memory_equal(counts, expected, sizeof counts);
    assert_int_equal(uh_histogramdd_total(histogram, &inside, &outside), UH_SUCCESS);
    assert_int_equal(inside, 5);
    assert_int_equal(outside, 4);
    assert_int_equal(uh_histogramdd_flow(histogram, 0, &flow), UH_SUCCESS);
    assert_true(flow.below == 1 && flow.above == 1 && flow.nan == 1);
    assert_int_equal(uh_histogramdd_flow(histogram, 1, &flow), UH_SUCCESS);
    assert_true(flow.below == 0 && flow.above == 1 && flow.nan == 1);
    assert_int_equal(uh_histogramdd_merge(histogram, histogram), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_counts(histogram, counts), UH_SUCCESS);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(counts[i], 2 * expected[i]);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
}

static void density_divides_by_each_width_and_the_sum(void **state) {
    static const uint64_t expected[] = {2, 1, 0, 0, 0, 2};
    double density[6];
    (void)state;
    uh_histogramdd *histogram = make_small(UH_STORAGE_COUNT);
    assert_int_equal(uh_histogramdd_density(histogram, density), UH_SUCCESS);
    assert_true(isnan(density[0]));
    assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, points, POINTS, sizeof points[0], NULL), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_density(histogram, density), UH_SUCCESS);
    for (size_t x = 0; x < 2; x++)
        for (size_t y = 0; y < 3; y++)
            assert_true(density[3 * x + y] == (double)expected[3 * x + y] / (edges_x[x + 1] - edges_x[x]) /
                                                  (edges_y[y + 1] - edges_y[y]) / 5.0);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
}

static void weights_of_several_types_add_up_exactly(void **state) {
    static const double one[2] = {0.5, 1};
    double sum[6], squares[6];
    int64_t whole[6];
    const double tenth = 0.1;
    const float half = 0.5f;
    const int64_t large = (int64_t)1 << 60;
    const uh_array weights[] = {uh_array_dense(UH_F64, &tenth), uh_array_dense(UH_F32, &half),
                                uh_array_dense(UH_I64, &large)};
    (void)state;
    uh_histogramdd *histogram = make_small(UH_STORAGE_WEIGHTED);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, one, 1, 16, &weights[i]), UH_SUCCESS);
    const int64_t back = -large;
    const uh_array negative = uh_array_dense(UH_I64, &back);
    assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, one, 1, 16, &negative), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_sums(histogram, sum, squares), UH_SUCCESS);
    assert_true(sum[0] == 0.1 + 0.5); /* 2^60 came and went without a trace */
    assert_true(squares[0] == 0x1p121);
    test_assert_failed(uh_histogramdd_sums_i64(histogram, whole), UH_ERROR_OVERFLOW, "uh_histogramdd_sums_i64", "0");
    assert_int_equal(uh_histogramdd_reset(histogram), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, one, 1, 16, &weights[2]), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, one, 1, 16, NULL), UH_SUCCESS); /* weight 1 */
    assert_int_equal(uh_histogramdd_sums_i64(histogram, whole), UH_SUCCESS);
    assert_true(whole[0] == large + 1 && whole[1] == 0);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
}

static void one_call_sums_weights_as_numpy_does(void **state) {
    static const double x[] = {0, 1, 2, 3, 4}, range[2] = {0, 4};
    static const int32_t weights[] = {1, -2, 3, 4, 5};
    double sums[2], edges[3];
    (void)state;
    assert_int_equal(uh_histogram_weighted(queue, UH_F64, x, 5, 2, NULL, UH_I32, weights, sums, edges), UH_SUCCESS);
    assert_true(sums[0] == -1 && sums[1] == 12 && edges[0] == 0 && edges[1] == 2 && edges[2] == 4);
    sums[0] = 77;
    assert_int_equal(uh_histogram_weighted(queue, UH_F64, x, 5, 2, range, UH_I32, weights, sums, NULL), UH_SUCCESS);
    assert_true(sums[0] == -1);
    test_assert_failed(uh_histogram_weighted(queue, UH_F64, x, 5, 2, range, UH_U8, weights, sums, NULL),
                       UH_ERROR_INVALID_ARGUMENT, "uh_histogram_weighted: wdtype");
    test_assert_failed(uh_histogram_weighted(queue, UH_F64, x, 5, 0, range, UH_I32, weights, sums, NULL),
                       UH_ERROR_INVALID_ARGUMENT, "uh_histogram_weighted: bins is 0");
    test_assert_failed(uh_histogram_weighted(queue, UH_F64, x, 5, 2, range, UH_I32, NULL, sums, NULL),
                       UH_ERROR_INVALID_ARGUMENT, "uh_histogram_weighted: weights is NULL");
    assert_true(sums[0] == -1);
}

/* ---- what is refused ---- */

static void more_cells_than_there_may_be_are_refused_by_number(void **state) {
    uh_axis *axis = NULL;
    uh_histogramdd *histogram = NULL;
    (void)state;
    assert_int_equal(uh_axis_create_equal(1 << 16, 0, 1, UH_CLOSED_LEFT, &axis), UH_SUCCESS);
    const uh_axis *axes[9] = {axis, axis, axis, axis, axis, axis, axis, axis, axis};
    test_assert_failed(uh_histogramdd_create(queue, axes, 2, NULL, &histogram), UH_ERROR_INVALID_ARGUMENT,
                       "uh_histogramdd_create", "4294967296", "2147483648");
    test_assert_failed(uh_histogramdd_create(queue, axes, 8, NULL, &histogram), UH_ERROR_INVALID_ARGUMENT,
                       "uh_histogramdd_create", "more than", "2147483648");
    test_assert_failed(uh_histogramdd_create(queue, axes, 9, NULL, &histogram), UH_ERROR_INVALID_ARGUMENT,
                       "naxes is 9, expected 1 to 8");
    test_assert_failed(uh_histogramdd_create(queue, axes, 0, NULL, &histogram), UH_ERROR_INVALID_ARGUMENT,
                       "naxes is 0, expected 1 to 8");
    axes[1] = NULL;
    test_assert_failed(uh_histogramdd_create(queue, axes, 2, NULL, &histogram), UH_ERROR_INVALID_ARGUMENT,
                       "axes[1] is NULL");
    assert_null(histogram);
    uh_axis_destroy(axis);
}

static void options_that_make_no_sense_are_refused(void **state) {
    uh_axis *axis = NULL;
    uh_histogramdd *histogram = NULL;
    const uh_method method = (uh_method)99;
    (void)state;
    assert_int_equal(uh_axis_create_equal(4, 0, 1, UH_CLOSED_LEFT, &axis), UH_SUCCESS);
    const uh_axis *const axes[] = {axis};
    const uh_histogramdd_options wrong[] = {
        {.struct_size = 1},
        {.struct_size = sizeof *wrong, .storage = (uh_storage)6},
        {.struct_size = sizeof *wrong, .storage = UH_STORAGE_SUM, .sum = (uh_sum)2},
        {.struct_size = sizeof *wrong, .sum = UH_SUM_FAST},
        {.struct_size = sizeof *wrong, .storage = UH_STORAGE_U16, .sum = UH_SUM_FAST},
        {.struct_size = sizeof *wrong, .methods = &method},
    };
    static const char *const says[] = {
        "options->struct_size is 1", "options->storage is 6", "options->sum is 2",
        "storage is count",          "storage is u16",        "options->methods[0] is 99"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_assert_failed(uh_histogramdd_create(queue, axes, 1, &wrong[i], &histogram), UH_ERROR_INVALID_ARGUMENT,
                           "uh_histogramdd_create: ", says[i]);
    assert_null(histogram);
    uh_axis_destroy(axis);
}

static void values_that_a_storage_does_not_take_are_refused(void **state) {
    double x = 0.5, out[6];
    uint64_t counts[6];
    uint8_t bytes[12];
    (void)state;
    const uh_array value = uh_array_dense(UH_F64, &x), byte = uh_array_dense(UH_U8, &x),
                   none = uh_array_dense(UH_F64, NULL);
    uh_histogramdd *count = make_small(UH_STORAGE_COUNT), *sum = make_small(UH_STORAGE_SUM),
                   *mean = make_small(UH_STORAGE_MEAN);
    test_assert_failed(uh_histogramdd_fill_rows(count, UH_F64, points, 1, 16, &value), UH_ERROR_INVALID_ARGUMENT,
                       "uh_histogramdd_fill_rows: values are given, expected NULL: storage is count");
    test_assert_failed(uh_histogramdd_fill_rows(sum, UH_F64, points, 1, 16, &byte), UH_ERROR_INVALID_ARGUMENT,
                       "values->dtype is 6, uint8, expected float32");
    test_assert_failed(uh_histogramdd_fill_rows(sum, UH_F64, points, 1, 16, &none), UH_ERROR_INVALID_ARGUMENT,
                       "values->data is NULL, expected 1 values");
    test_assert_failed(uh_histogramdd_fill_rows(mean, UH_F64, points, 1, 16, NULL), UH_ERROR_INVALID_ARGUMENT,
                       "values is NULL, expected the sampled values");
    test_assert_failed(uh_histogramdd_sums(count, out, NULL), UH_ERROR_INVALID_ARGUMENT, "storage is count",
                       "sum, weighted");
    test_assert_failed(uh_histogramdd_sums(sum, out, out), UH_ERROR_INVALID_ARGUMENT, "storage is sum", "weighted");
    test_assert_failed(uh_histogramdd_counts(sum, counts), UH_ERROR_INVALID_ARGUMENT, "storage is sum");
    test_assert_failed(uh_histogramdd_means(sum, NULL, NULL, NULL), UH_ERROR_INVALID_ARGUMENT, "storage is sum");
    test_assert_failed(uh_histogramdd_saturated(sum, bytes), UH_ERROR_INVALID_ARGUMENT, "expected one of u8, u16");
    assert_int_equal(uh_histogramdd_destroy(count), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_destroy(sum), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_destroy(mean), UH_SUCCESS);
}

static void null_and_numbers_that_are_none_are_refused_by_name(void **state) {
    uh_histogramdd *h = make_small(UH_STORAGE_COUNT), *part = NULL;
    const size_t twice[] = {1, 1}, far[] = {2}, from[] = {1, 2}, to[] = {1, 4};
    uh_flow flow;
    uh_bin bin = {.struct_size = sizeof bin};
    const uh_array wrong[] = {uh_array_dense((uh_dtype)33, points), uh_array_dense(UH_F64, points)},
                   missing[] = {uh_array_dense(UH_F64, points), uh_array_dense(UH_F64, NULL)};
    (void)state;
    const uh_status no = UH_ERROR_INVALID_ARGUMENT;
    test_assert_failed(uh_histogramdd_fill(NULL, wrong, 1, NULL), no, "uh_histogramdd_fill: histogram is NULL");
    test_assert_failed(uh_histogramdd_fill(h, NULL, 1, NULL), no, "coordinates is NULL");
    test_assert_failed(uh_histogramdd_fill(h, wrong, 1, NULL), no, "the dtype of coordinates[0] is 33");
    test_assert_failed(uh_histogramdd_fill(h, missing, 7, NULL), no, "coordinates[1].data is NULL, expected 7 values");
    assert_int_equal(uh_histogramdd_fill(h, missing, 0, NULL), UH_SUCCESS);
    test_assert_failed(uh_histogramdd_fill_rows(h, UH_F64, NULL, 2, 16, NULL), no, "rows is NULL, expected 2 points");
    test_assert_failed(uh_histogramdd_flow(h, 2, &flow), no, "axis is 2, expected 0 to 1");
    test_assert_failed(uh_histogramdd_counts(h, NULL), no, "counts is NULL");
    test_assert_failed(uh_histogramdd_project(h, twice, 2, &part), no, "axes[0] and axes[1] are both 1");
    test_assert_failed(uh_histogramdd_project(h, far, 1, &part), no, "axes[0] is 2, expected 0 to 1");
    test_assert_failed(uh_histogramdd_project(h, twice, 3, &part), no, "naxes is 3, expected 1 to 2");
    test_assert_failed(uh_histogramdd_slice(h, 1, 3, &part), no, "bin is 3, expected 0 to 2");
    test_assert_failed(uh_histogramdd_crop(h, 1, 2, 2, &part), no, "from is 2 and to is 2", "<= 3");
    test_assert_failed(uh_histogramdd_rebin(h, 1, 2, &part), no, "factor is 2, expected a divisor of the 3 bins");
    test_assert_failed(uh_histogramdd_rebin(h, 1, 0, &part), no, "factor is 0");
    test_assert_failed(uh_histogramdd_box(h, from, to, &bin), no, "on axis 1 from is 2 and to is 4");
    bin.struct_size = 3;
    test_assert_failed(uh_histogramdd_box(h, from, to, &bin), no, "bin->struct_size is 3");
    test_assert_failed(uh_histogramdd_slice(h, 1, 0, NULL), no, "NULL");
    assert_null(part);
    assert_int_equal(uh_histogramdd_naxes(NULL), 0);
    assert_int_equal(uh_histogramdd_cells(NULL), 0);
    assert_null(uh_histogramdd_axis(h, 2));
    assert_int_equal(uh_histogramdd_destroy(NULL), UH_SUCCESS);
    test_assert_failed(uh_queue_destroy(queue), UH_ERROR_IN_USE, "uh_queue_destroy");
    assert_int_equal(uh_histogramdd_destroy(h), UH_SUCCESS);
}

static void histograms_that_differ_do_not_merge(void **state) {
    uh_axis *axis = NULL;
    (void)state;
    assert_int_equal(uh_axis_create_equal(2, 0, 1, UH_CLOSED_LEFT, &axis), UH_SUCCESS);
    const uh_axis *const axes[] = {axis, axis};
    uh_histogramdd *count = make_small(UH_STORAGE_COUNT), *sum = make_small(UH_STORAGE_SUM),
                   *other = make(axes, 2, UH_STORAGE_COUNT), *single = make(axes, 1, UH_STORAGE_COUNT);
    test_assert_failed(uh_histogramdd_merge(count, sum), UH_ERROR_INCOMPATIBLE, "storage is count, source's sum");
    test_assert_failed(uh_histogramdd_merge(count, other), UH_ERROR_INCOMPATIBLE, "axis 0 differs");
    test_assert_failed(uh_histogramdd_merge(count, single), UH_ERROR_INCOMPATIBLE, "target has 2 axes, source 1");
    uh_axis_destroy(axis);
    assert_int_equal(uh_histogramdd_destroy(count), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_destroy(sum), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_destroy(other), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_destroy(single), UH_SUCCESS);
}

static const uh_distribution normal = {
    .struct_size = sizeof normal, .kind = UH_DISTRIBUTION_NORMAL, .location = 1, .scale = 2};

static void method_cdf_is_refused_for_an_axis_that_carries_no_distribution(void **state) {
    uh_axis *plain, *with;
    uh_histogramdd *histogram = NULL;
    (void)state;
    assert_int_equal(uh_axis_create_equal(4, 0, 1, UH_CLOSED_LEFT, &plain), UH_SUCCESS);
    assert_int_equal(uh_axis_create_with_distribution(plain, &normal, &with), UH_SUCCESS);
    const uh_axis *axes[] = {with, plain};
    const uh_method methods[] = {UH_METHOD_CDF, UH_METHOD_CDF};
    const uh_histogramdd_options options = {.struct_size = sizeof options, .methods = methods};
    test_assert_failed(uh_histogramdd_create(queue, axes, 2, &options, &histogram), UH_ERROR_INVALID_ARGUMENT,
                       "uh_histogramdd_create: axes[1]: method cdf goes by the distribution", "carries none");
    assert_null(histogram);
    uh_axis_destroy(with);
    uh_axis_destroy(plain);
}

/* Crops or joins bins of axis 0, whose method is cdf, and fills what is made once more. */
static void part_goes_by_cdf(uh_histogramdd *histogram, int joined) {
    uh_histogramdd *part = NULL;
    double x[300], y[300];
    char text[500];
    uint64_t before, after, outside;
    for (size_t i = 0; i < 300; i++) {
        x[i] = (double)i * 0.04 - 5;
        y[i] = (double)(i % 5);
    }
    const uh_array coordinates[] = {uh_array_dense(UH_F64, x), uh_array_dense(UH_F64, y)};
    assert_int_equal(uh_histogramdd_fill(histogram, coordinates, 300, NULL), UH_SUCCESS);
    assert_int_equal(joined ? uh_histogramdd_rebin(histogram, 0, 3, &part)
                            : uh_histogramdd_crop(histogram, 0, 2, 8, &part),
                     UH_SUCCESS);
    const uh_distribution *kept = uh_axis_distribution(uh_histogramdd_axis(part, 0));
    assert_non_null(kept);
    assert_memory_equal(kept, &normal, sizeof normal);
    assert_null(uh_axis_distribution(uh_histogramdd_axis(part, 1)));
    assert_int_equal(uh_histogramdd_total(part, &before, &outside), UH_SUCCESS);
    assert_true(before > 0 && before < 300);
    assert_int_equal(uh_histogramdd_plan_text(part, 0, UH_F64, text, sizeof text, NULL), UH_SUCCESS);
    assert_memory_equal(text, "cdf", 3);
    assert_int_equal(uh_histogramdd_fill(part, coordinates, 300, NULL), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_total(part, &after, &outside), UH_SUCCESS);
    assert_int_equal(after, 2 * before);
    assert_int_equal(uh_histogramdd_destroy(part), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_reset(histogram), UH_SUCCESS);
}

static void cropped_and_joined_axes_carry_their_distribution_and_go_by_it(void **state) {
    uh_axis *axes[2];
    uh_histogramdd *histogram = NULL;
    (void)state;
    assert_int_equal(uh_axis_create_distribution(&normal, 9, 0.01, 0.99, UH_CLOSED_RIGHT, &axes[0]), UH_SUCCESS);
    assert_int_equal(uh_axis_create_integer(1, 3, &axes[1]), UH_SUCCESS);
    const uh_method methods[] = {UH_METHOD_CDF, UH_METHOD_AUTO};
    const uh_histogramdd_options options = {.struct_size = sizeof options, .methods = methods};
    assert_int_equal(uh_histogramdd_create(queue, (const uh_axis *const *)axes, 2, &options, &histogram), UH_SUCCESS);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    part_goes_by_cdf(histogram, 0);
    part_goes_by_cdf(histogram, 1);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
}

static void every_method_of_every_axis_gives_the_same(void **state) {
    uint64_t first[6], counts[6];
    char text[500];
    size_t length;
    (void)state;
    for (int method = 0; uh_method_name((uh_method)method); method++) {
        uh_axis *axes[2], *plain;
        assert_int_equal(uh_axis_create_edges(UH_F64, edges_x, 3, UH_CLOSED_LEFT, &plain), UH_SUCCESS);
        assert_int_equal(uh_axis_create_with_distribution(plain, &normal, &axes[0]), UH_SUCCESS);
        uh_axis_destroy(plain);
        assert_int_equal(uh_axis_create_edges(UH_F64, edges_y, 4, UH_CLOSED_RIGHT, &axes[1]), UH_SUCCESS);
        const uh_method methods[] = {(uh_method)method, UH_METHOD_BINARY};
        const uh_histogramdd_options options = {.struct_size = sizeof options, .methods = methods};
        uh_histogramdd *histogram = NULL;
        assert_int_equal(uh_histogramdd_create(queue, (const uh_axis *const *)axes, 2, &options, &histogram),
                         UH_SUCCESS);
        assert_int_equal(uh_histogramdd_fill_rows(histogram, UH_F64, points, POINTS, sizeof points[0], NULL),
                         UH_SUCCESS);
        assert_int_equal(uh_histogramdd_counts(histogram, method ? counts : first), UH_SUCCESS);
        if (method)
            assert_memory_equal(counts, first, sizeof counts);
        assert_int_equal(uh_histogramdd_plan_text(histogram, 0, UH_F64, text, sizeof text, &length), UH_SUCCESS);
        assert_int_equal(length, strlen(text));
        assert_memory_equal(text, uh_method_name((uh_method)method), strlen(uh_method_name((uh_method)method)));
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        uh_axis_destroy(axes[0]);
        uh_axis_destroy(axes[1]);
    }
}

static void storages_have_names(void **state) {
    uh_storage storage = UH_STORAGE_COUNT;
    (void)state;
    for (int i = 0; i <= UH_STORAGE_U16; i++) {
        assert_int_equal(uh_storage_from_name(uh_storage_name((uh_storage)i), &storage), UH_SUCCESS);
        assert_int_equal(storage, i);
    }
    assert_null(uh_storage_name((uh_storage)6));
    test_assert_failed(uh_storage_from_name("u32", &storage), UH_ERROR_NOT_FOUND, "'u32'", "count, sum, weighted");
    assert_int_equal(storage, UH_STORAGE_U16);
}

TEST_MAIN(test_histogramdd) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_projection_is_what_the_points_inside_give),
        cmocka_unit_test(a_slice_is_what_the_points_of_its_bin_give),
        cmocka_unit_test(cropped_and_joined_bins_are_what_filling_them_gives),
        cmocka_unit_test(a_box_is_the_sum_of_its_cells),
        cmocka_unit_test(rows_of_points_are_counted_as_by_hand),
        cmocka_unit_test(density_divides_by_each_width_and_the_sum),
        cmocka_unit_test(weights_of_several_types_add_up_exactly),
        cmocka_unit_test(one_call_sums_weights_as_numpy_does),
        cmocka_unit_test(more_cells_than_there_may_be_are_refused_by_number),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(values_that_a_storage_does_not_take_are_refused),
        cmocka_unit_test(null_and_numbers_that_are_none_are_refused_by_name),
        cmocka_unit_test(histograms_that_differ_do_not_merge),
        cmocka_unit_test(method_cdf_is_refused_for_an_axis_that_carries_no_distribution),
        cmocka_unit_test(cropped_and_joined_axes_carry_their_distribution_and_go_by_it),
        cmocka_unit_test(every_method_of_every_axis_gives_the_same),
        cmocka_unit_test(storages_have_names),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
