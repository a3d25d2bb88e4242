/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes and of every storage: what is made of one, and what they say. That they count right is
 * shown by test_histogramdd_exact, what they refuse by test_histogram_errors. */
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/arrays.h"
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

static uh_histogram *make(uh_axis *const *axes, size_t naxes, uh_storage storage) {
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = storage};
    uh_histogram *histogram = NULL;
    if (uh_histogram_create(queue, axes, naxes, &options, &histogram))
        fail_msg("%s", uh_last_error());
    return histogram;
}

/* ---- parts, beside a histogram that is filled again ---- */

/* Puts point i of the case, its coordinates on the axes that are named, into a histogram. */
static void fill_point(uh_histogram *histogram, const struct dd_case *tried, const size_t *axes, size_t naxes,
                       size_t i) {
    struct dd_case fewer = *tried;
    fewer.naxes = naxes;
    for (size_t a = 0; a < naxes; a++)
        fewer.coordinates[a] = tried->coordinates[axes[a]];
    dd_case_fill(histogram, &fewer, i, i + 1);
}

static int is_inside(const struct dd_case *tried, size_t axis, size_t i) {
    const size_t slot = dd_case_slot(tried, axis, i);
    return slot >= 1 && slot < tried->oracle[axis].nedges;
}

static uh_histogram *make_filled(const struct dd_case *tried) {
    uh_histogram *histogram = make(tried->axes, tried->naxes, tried->storage);
    dd_case_fill(histogram, tried, 0, tried->n);
    return histogram;
}

/* All points stay counted, whatever is made of a histogram. */
static void assert_all_points(uh_histogram *histogram, size_t n) {
    uint64_t inside, outside;
    test_good(uh_histogram_total(histogram, &inside, &outside));
    assert_int_equal(inside + outside, n);
}

static void assert_same_flow(uh_histogram *a, size_t axis_a, uh_histogram *b, size_t axis_b) {
    uh_flow in_a, in_b;
    test_good(uh_histogram_flow(a, axis_a, &in_a));
    test_good(uh_histogram_flow(b, axis_b, &in_b));
    assert_memory_equal(&in_a, &in_b, sizeof in_a);
}

/* The outsides of the refilled histogram lack the points that are outside on an axis that is gone: only cells count. */
static void assert_refilled(uh_histogram *part, const struct dd_case *tried, uh_axis *const *axes,
                            const size_t *numbers, size_t naxes, int gone, size_t gone_axis, size_t gone_bin) {
    uh_histogram *again = make(axes, naxes, tried->storage);
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
    const size_t cells = uh_histogram_cells(part);
    assert_int_equal(cells, uh_histogram_cells(again));
    if (tried->storage == UH_STORAGE_SUM || tried->storage == UH_STORAGE_WEIGHTED) {
        double *here = malloc(cells * sizeof *here), *there = malloc(cells * sizeof *there);
        assert_true(here && there);
        test_good(uh_histogram_sums(part, here, NULL));
        test_good(uh_histogram_sums(again, there, NULL));
        assert_memory_equal(here, there, cells * sizeof *here);
        free(here);
        free(there);
    } else {
        dd_assert_same_cells(part, again);
    }
    test_good(uh_histogram_destroy(again));
}

UNIT_TEST(a_projection_is_what_the_points_inside_give) {
    for (uint64_t number = 2000; number < 2000 + PART_CASES; number++) {
        struct dd_case tried;
        uh_histogram *part = NULL;
        uh_axis *axes[UH_MAX_AXES];
        size_t numbers[UH_MAX_AXES], naxes = 0;
        uint64_t random = number;
        dd_case_make(number, PART_POINTS, &tried);
        for (size_t a = tried.naxes; a-- > 0;) /* some axes, backwards */
            if (test_random_u64(&random) % 2 || (a == 0 && naxes == 0)) {
                axes[naxes] = tried.axes[a];
                numbers[naxes++] = a;
            }
        uh_histogram *histogram = make_filled(&tried);
        test_good(uh_histogram_project(histogram, numbers, naxes, &part));
        assert_refilled(part, &tried, axes, numbers, naxes, 0, 0, 0);
        assert_all_points(part, tried.n);
        for (size_t a = 0; a < naxes; a++)
            assert_same_flow(part, a, histogram, numbers[a]);
        test_good(uh_histogram_destroy(part));
        test_good(uh_histogram_destroy(histogram));
        dd_case_free(&tried);
    }
}

UNIT_TEST(a_slice_is_what_the_points_of_its_bin_give) {
    for (uint64_t number = 3000; number < 3000 + PART_CASES; number++) {
        struct dd_case tried;
        uh_histogram *part = NULL;
        uh_axis *axes[UH_MAX_AXES];
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
        uh_histogram *histogram = make_filled(&tried);
        if (naxes == 0) {
            test_invalid(uh_histogram_slice(histogram, axis, bin, &part), "1 axis");
            assert_null(part);
        } else {
            test_good(uh_histogram_slice(histogram, axis, bin, &part));
            assert_refilled(part, &tried, axes, numbers, naxes, 1, axis, bin);
            assert_all_points(part, tried.n);
        }
        test_good(uh_histogram_destroy(part));
        test_good(uh_histogram_destroy(histogram));
        dd_case_free(&tried);
    }
}

/* What is cropped or joined can be filled again through its own axes, ends included: its outsides are the same, too. */
UNIT_TEST(cropped_and_joined_bins_are_what_filling_them_gives) {
    for (uint64_t number = 4000; number < 4000 + 2 * PART_CASES; number++) {
        struct dd_case tried;
        uh_histogram *part = NULL;
        uint64_t random = number, inside[2], outside[2];
        dd_case_make(number, PART_POINTS, &tried);
        const size_t axis = test_random_u64(&random) % tried.naxes, bins = uh_axis_bins(tried.axes[axis]);
        const size_t from = test_random_u64(&random) % bins, to = from + 1 + test_random_u64(&random) % (bins - from);
        const int joined = number % 2 == 0;
        size_t factor = 1 + test_random_u64(&random) % bins;
        while (bins % factor != 0)
            factor--;
        uh_histogram *histogram = make_filled(&tried);
        if (joined)
            test_good(uh_histogram_rebin(histogram, axis, factor, &part));
        else
            test_good(uh_histogram_crop(histogram, axis, from, to, &part));
        uh_axis *axes[UH_MAX_AXES];
        for (size_t a = 0; a < tried.naxes; a++)
            axes[a] = (uh_axis *)(uintptr_t)uh_histogram_axis(part, a);
        assert_int_equal(uh_axis_bins(axes[axis]), joined ? bins / factor : to - from);
        uh_histogram *again = make(axes, tried.naxes, tried.storage);
        dd_case_fill(again, &tried, 0, tried.n);
        dd_assert_same_cells(part, again);
        assert_all_points(part, tried.n);
        if (joined || tried.storage == UH_STORAGE_COUNT || tried.storage == UH_STORAGE_MEAN) {
            test_good(uh_histogram_total(part, &inside[0], &outside[0]));
            test_good(uh_histogram_total(again, &inside[1], &outside[1]));
            assert_int_equal(inside[0], inside[1]);
            assert_int_equal(outside[0], outside[1]);
        }
        for (size_t a = 0; a < tried.naxes; a++)
            if (joined || a != axis || tried.naxes == 1)
                if (joined || tried.storage == UH_STORAGE_COUNT || tried.storage == UH_STORAGE_MEAN || a != axis)
                    assert_same_flow(part, a, again, a);
        test_good(uh_histogram_merge(part, again)); /* it is a histogram like others */
        test_good(uh_histogram_destroy(again));
        test_good(uh_histogram_destroy(part));
        test_good(uh_histogram_destroy(histogram));
        dd_case_free(&tried);
    }
}

UNIT_TEST(a_box_is_the_sum_of_its_cells) {
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
        uh_histogram *histogram = make_filled(&tried);
        test_good(uh_histogram_box(histogram, from, to, &bin));
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
        test_good(uh_histogram_destroy(histogram));
        dd_expected_free(&expected);
        dd_case_free(&tried);
    }
}

/* ---- by hand ---- */

static const double edges_x[] = {0, 1, 3}, edges_y[] = {0, 2, 4, 8};

static uh_histogram *make_small(uh_storage storage) {
    uh_axis *axes[2];
    test_good(uh_axis_create_edges(UH_F64, edges_x, 3, UH_CLOSED_LEFT, &axes[0]));
    test_good(uh_axis_create_edges(UH_F64, edges_y, 4, UH_CLOSED_LEFT, &axes[1]));
    uh_histogram *histogram = make(axes, 2, storage);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]); /* the histogram keeps them */
    return histogram;
}

static const double points[][2] = {{0.5, 1}, {0.5, 3}, {2, 8}, {3, 8}, {-1, 1}, {1, 9}, {NAN, 1}, {4, NAN}, {0, 0}};
enum { POINTS = sizeof points / sizeof *points };

UNIT_TEST(rows_of_points_are_counted_as_by_hand) {
    static const uint64_t expected[] = {2, 1, 0, 0, 0, 2};
    uint64_t counts[6], inside, outside;
    uh_flow flow;
    uh_histogram *histogram = make_small(UH_STORAGE_COUNT);
    test_good(test_fill_rows(histogram, UH_F64, points, POINTS, sizeof points[0], NULL));
    test_good(uh_histogram_counts(histogram, counts));
    assert_memory_equal(counts, expected, sizeof counts);
    test_good(uh_histogram_total(histogram, &inside, &outside));
    assert_int_equal(inside, 5);
    assert_int_equal(outside, 4);
    test_good(uh_histogram_flow(histogram, 0, &flow));
    assert_true(flow.below == 1 && flow.above == 1 && flow.nan == 1);
    test_good(uh_histogram_flow(histogram, 1, &flow));
    assert_true(flow.below == 0 && flow.above == 1 && flow.nan == 1);
    test_good(uh_histogram_merge(histogram, histogram));
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(counts[i], 2 * expected[i]);
    test_good(uh_histogram_destroy(histogram));
}

UNIT_TEST(density_divides_by_each_width_and_the_sum) {
    static const uint64_t expected[] = {2, 1, 0, 0, 0, 2};
    double density[6];
    uh_histogram *histogram = make_small(UH_STORAGE_COUNT);
    test_good(uh_histogram_density(histogram, density));
    assert_true(isnan(density[0]));
    test_good(test_fill_rows(histogram, UH_F64, points, POINTS, sizeof points[0], NULL));
    test_good(uh_histogram_density(histogram, density));
    for (size_t x = 0; x < 2; x++)
        for (size_t y = 0; y < 3; y++)
            assert_true(density[3 * x + y] == (double)expected[3 * x + y] / (edges_x[x + 1] - edges_x[x]) /
                                                  (edges_y[y + 1] - edges_y[y]) / 5.0);
    test_good(uh_histogram_destroy(histogram));
}

UNIT_TEST(weights_of_several_types_add_up_exactly) {
    static const double one[2] = {0.5, 1};
    double sum[6], squares[6];
    int64_t whole[6];
    const double tenth = 0.1;
    const float half = 0.5f;
    const int64_t large = (int64_t)1 << 60;
    const uh_array weights[] = {uh_array_of(UH_F64, &tenth, 1), uh_array_of(UH_F32, &half, 1),
                                uh_array_of(UH_I64, &large, 1)};
    uh_histogram *histogram = make_small(UH_STORAGE_WEIGHTED);
    for (size_t i = 0; i < 3; i++)
        test_good(test_fill_rows(histogram, UH_F64, one, 1, 16, &weights[i]));
    const int64_t back = -large;
    const uh_array negative = uh_array_of(UH_I64, &back, 1);
    test_good(test_fill_rows(histogram, UH_F64, one, 1, 16, &negative));
    test_good(uh_histogram_sums(histogram, sum, squares));
    assert_true(sum[0] == 0.1 + 0.5); /* 2^60 came and went without a trace */
    assert_true(squares[0] == 0x1p121);
    test_assert_failed(uh_histogram_sums_i64(histogram, whole), UH_ERROR_OVERFLOW, "uh_histogram_sums_i64", "0");
    test_good(uh_histogram_reset(histogram));
    test_good(test_fill_rows(histogram, UH_F64, one, 1, 16, &weights[2]));
    test_good(test_fill_rows(histogram, UH_F64, one, 1, 16, NULL)); /* weight 1 */
    test_good(uh_histogram_sums_i64(histogram, whole));
    assert_true(whole[0] == large + 1 && whole[1] == 0);
    test_good(uh_histogram_destroy(histogram));
}

UNIT_TEST(one_call_sums_weights_as_numpy_does) {
    static const double x[] = {0, 1, 2, 3, 4}, range[2] = {0, 4};
    static const int32_t weights[] = {1, -2, 3, 4, 5};
    double sums[2], edges[3];
    test_good(uh_histogram_weighted(queue, ARRAY(UH_F64, x, 5), ARRAY(UH_I32, weights, 5), 2, NULL, sums, edges));
    assert_true(sums[0] == -1 && sums[1] == 12 && edges[0] == 0 && edges[1] == 2 && edges[2] == 4);
    sums[0] = 77;
    test_good(uh_histogram_weighted(queue, ARRAY(UH_F64, x, 5), ARRAY(UH_I32, weights, 5), 2, range, sums, NULL));
    assert_true(sums[0] == -1);
    test_invalid(uh_histogram_weighted(queue, ARRAY(UH_F64, x, 5), ARRAY(UH_U8, weights, 5), 2, range, sums, NULL),
                 "uh_histogram_weighted: weights->dtype is uint8");
    test_invalid(uh_histogram_weighted(queue, ARRAY(UH_F64, x, 5), ARRAY(UH_I32, weights, 5), 0, range, sums, NULL),
                 "uh_histogram_weighted: bins is 0");
    test_invalid(uh_histogram_weighted(queue, ARRAY(UH_F64, x, 5), ARRAY(UH_I32, NULL, 5), 2, range, sums, NULL),
                 "uh_histogram_weighted: weights->data is NULL");
    assert_true(sums[0] == -1);
}

/* ---- methods and distributions ---- */

static const uh_distribution normal = {
    .struct_size = sizeof normal, .kind = UH_DISTRIBUTION_NORMAL, .location = 1, .scale = 2};

/* Crops or joins bins of axis 0, whose method is cdf, and fills what is made once more. */
static void part_goes_by_cdf(uh_histogram *histogram, int joined) {
    uh_histogram *part = NULL;
    double x[300], y[300];
    char text[500];
    uint64_t before, after, outside;
    for (size_t i = 0; i < 300; i++) {
        x[i] = (double)i * 0.04 - 5;
        y[i] = (double)(i % 5);
    }
    const uh_array coordinates[] = {uh_array_of(UH_F64, x, 300), uh_array_of(UH_F64, y, 300)};
    test_good(uh_histogram_fill(histogram, coordinates, NULL));
    test_good(joined ? uh_histogram_rebin(histogram, 0, 3, &part) : uh_histogram_crop(histogram, 0, 2, 8, &part));
    const uh_distribution *kept = uh_axis_distribution(uh_histogram_axis(part, 0));
    assert_non_null(kept);
    assert_memory_equal(kept, &normal, sizeof normal);
    assert_null(uh_axis_distribution(uh_histogram_axis(part, 1)));
    test_good(uh_histogram_total(part, &before, &outside));
    assert_true(before > 0 && before < 300);
    test_good(uh_histogram_plan_text(part, 0, UH_F64, text, sizeof text, NULL));
    assert_memory_equal(text, "cdf", 3);
    test_good(uh_histogram_fill(part, coordinates, NULL));
    test_good(uh_histogram_total(part, &after, &outside));
    assert_int_equal(after, 2 * before);
    test_good(uh_histogram_destroy(part));
    test_good(uh_histogram_reset(histogram));
}

UNIT_TEST(cropped_and_joined_axes_carry_their_distribution_and_go_by_it) {
    uh_axis *axes[2];
    uh_histogram *histogram = NULL;
    test_good(uh_axis_create_distribution(&normal, 9, 0.01, 0.99, UH_CLOSED_RIGHT, &axes[0]));
    test_good(uh_axis_create_integer(1, 3, &axes[1]));
    const uh_method methods[] = {UH_METHOD_CDF, UH_METHOD_AUTO};
    const uh_histogram_options options = {.struct_size = sizeof options, .methods = methods};
    test_good(uh_histogram_create(queue, axes, 2, &options, &histogram));
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    part_goes_by_cdf(histogram, 0);
    part_goes_by_cdf(histogram, 1);
    test_good(uh_histogram_destroy(histogram));
}

UNIT_TEST(every_method_of_every_axis_gives_the_same) {
    uint64_t first[6], counts[6];
    char text[500];
    size_t length;
    for (int method = 0; uh_method_name((uh_method)method); method++) {
        uh_axis *axes[2], *plain;
        test_good(uh_axis_create_edges(UH_F64, edges_x, 3, UH_CLOSED_LEFT, &plain));
        test_good(uh_axis_create_with_distribution(plain, &normal, &axes[0]));
        uh_axis_destroy(plain);
        test_good(uh_axis_create_edges(UH_F64, edges_y, 4, UH_CLOSED_RIGHT, &axes[1]));
        const uh_method methods[] = {(uh_method)method, UH_METHOD_BINARY};
        const uh_histogram_options options = {.struct_size = sizeof options, .methods = methods};
        uh_histogram *histogram = NULL;
        test_good(uh_histogram_create(queue, axes, 2, &options, &histogram));
        test_good(test_fill_rows(histogram, UH_F64, points, POINTS, sizeof points[0], NULL));
        test_good(uh_histogram_counts(histogram, method ? counts : first));
        if (method)
            assert_memory_equal(counts, first, sizeof counts);
        test_good(uh_histogram_plan_text(histogram, 0, UH_F64, text, sizeof text, &length));
        assert_int_equal(length, strlen(text));
        assert_memory_equal(text, uh_method_name((uh_method)method), strlen(uh_method_name((uh_method)method)));
        test_good(uh_histogram_destroy(histogram));
        uh_axis_destroy(axes[0]);
        uh_axis_destroy(axes[1]);
    }
}

TEST_MAIN(test_histogramdd) {
    return TEST_RUN(setup, teardown);
}
