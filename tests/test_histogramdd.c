/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of histograms, over one axis and several and of every storage, beside a histogram that is filled again.
 * That they count right is shown by test_histogramdd_exact, what they refuse by test_histogram_errors. */
#include <math.h>
#include <string.h>

#include "tests/arrays.h"
#include "tests/dd_cases.h"
#include "tests/tested.h"

enum { PART_CASES = 60, PART_POINTS = 2049 };

static uh_histogram *make(uh_axis *const *axes, size_t naxes, uh_storage storage) {
    return test_histogram_over(tested.queue, axes, naxes, OPTIONS(.storage = storage));
}

static uh_histogram *make_filled(const struct dd_case *tried) {
    uh_histogram *histogram = make(tried->axes, tried->naxes, tried->storage);
    dd_case_fill(histogram, tried, 0, tried->n);
    return histogram;
}

static size_t random_of(uint64_t *random, size_t n) {
    return (size_t)(test_random_u64(random) % n);
}

/* Some axes of a case, and a bin of another one that points must lie in. */
struct kept {
    uh_axis *axes[UH_MAX_AXES];
    size_t numbers[UH_MAX_AXES], naxes;
    int sliced;
    size_t axis, bin;
};

static void keep(struct kept *kept, const struct dd_case *tried, size_t axis) {
    kept->axes[kept->naxes] = tried->axes[axis];
    kept->numbers[kept->naxes++] = axis;
}

/* Whether point i is in a cell of what is kept: inside on the axes that are gone. */
static int is_kept(const struct kept *kept, const struct dd_case *tried, size_t i) {
    for (size_t a = 0; a < tried->naxes; a++) {
        const size_t slot = dd_case_slot(tried, a, i);
        int stays = 0;
        for (size_t j = 0; j < kept->naxes; j++)
            stays |= kept->numbers[j] == a;
        if (!stays && (slot < 1 || slot >= tried->oracle[a].nedges))
            return 0;
        if (kept->sliced && a == kept->axis && slot != kept->bin + 1)
            return 0;
    }
    return 1;
}

static void assert_same_sums(uh_histogram *a, uh_histogram *b) {
    const size_t cells = uh_histogram_cells(a);
    double *in_a = test_memory(cells * sizeof *in_a), *in_b = test_memory(cells * sizeof *in_b);
    test_good(uh_histogram_sums(a, UH_F64, in_a, NULL));
    test_good(uh_histogram_sums(b, UH_F64, in_b, NULL));
    assert_memory_equal(in_a, in_b, cells * sizeof *in_a);
}

/* The outsides of the refilled histogram lack the points that are outside on an axis that is gone: only cells count. */
static void assert_refilled(uh_histogram *part, const struct dd_case *tried, const struct kept *kept) {
    uh_histogram *again = make(kept->axes, kept->naxes, tried->storage);
    struct dd_case fewer = *tried;
    uint64_t inside, outside;
    fewer.naxes = kept->naxes;
    for (size_t a = 0; a < kept->naxes; a++)
        fewer.coordinates[a] = tried->coordinates[kept->numbers[a]];
    for (size_t i = 0; i < tried->n; i++)
        if (is_kept(kept, tried, i))
            dd_case_fill(again, &fewer, i, i + 1);
    assert_int_equal(uh_histogram_cells(part), uh_histogram_cells(again));
    if (tried->storage == UH_STORAGE_SUM || tried->storage == UH_STORAGE_WEIGHTED)
        assert_same_sums(part, again);
    else
        dd_assert_same_cells(part, again);
    test_good(uh_histogram_total(part, &inside, &outside));
    assert_int_equal(inside + outside, tried->n); /* all points stay counted */
}

UNIT_TEST(a_projection_is_what_the_points_inside_give) {
    for (uint64_t number = 2000; number < 2000 + PART_CASES; number++) {
        const struct dd_case *tried = dd_case(number, PART_POINTS);
        struct kept kept = {.naxes = 0};
        uh_histogram *part = NULL, *histogram = make_filled(tried);
        uint64_t random = number;
        for (size_t a = tried->naxes; a-- > 0;) /* some axes, backwards */
            if (random_of(&random, 2) || (a == 0 && kept.naxes == 0))
                keep(&kept, tried, a);
        test_good(uh_histogram_project(histogram, kept.numbers, kept.naxes, &part));
        test_at_end_first(part, test_end_histogram);
        assert_refilled(part, tried, &kept);
        for (size_t a = 0; a < kept.naxes; a++)
            dd_assert_same_flow(part, a, histogram, kept.numbers[a]);
        test_end_from(0);
    }
}

UNIT_TEST(a_slice_is_what_the_points_of_its_bin_give) {
    for (uint64_t number = 3000; number < 3000 + PART_CASES; number++) {
        const struct dd_case *tried = dd_case(number, PART_POINTS);
        struct kept kept = {.sliced = 1};
        uh_histogram *part = NULL, *histogram = make_filled(tried);
        uint64_t random = number;
        kept.axis = random_of(&random, tried->naxes);
        kept.bin = random_of(&random, test_axis_properties(tried->axes[kept.axis]).bins);
        for (size_t a = 0; a < tried->naxes; a++)
            if (a != kept.axis)
                keep(&kept, tried, a);
        if (kept.naxes > 0) {
            test_good(uh_histogram_slice(histogram, kept.axis, kept.bin, &part));
            test_at_end_first(part, test_end_histogram);
            assert_refilled(part, tried, &kept);
        }
        test_end_from(0);
    }
}

/* What is cropped or joined can be filled again through its own axes, ends included: its outsides are the same, too. */
static void check_cut(const struct dd_case *tried, uint64_t random, int joined) {
    uh_histogram *part = NULL, *histogram = make_filled(tried);
    uint64_t inside[2], outside[2];
    const size_t axis = random_of(&random, tried->naxes), bins = test_axis_properties(tried->axes[axis]).bins;
    const size_t from = random_of(&random, bins), to = from + 1 + random_of(&random, bins - from);
    /* The others do not know how many points lie in the bins that are cut off. */
    const int counted = joined || tried->storage == UH_STORAGE_COUNT || tried->storage == UH_STORAGE_MEAN;
    const size_t beyond = (size_t)tried->oracle[axis].below + (size_t)tried->oracle[axis].above;
    size_t factor = 1 + random_of(&random, bins - beyond);
    while ((bins - beyond) % factor != 0)
        factor--;
    test_good(joined ? uh_histogram_rebin(histogram, axis, factor, &part)
                     : uh_histogram_crop(histogram, axis, from, to, &part));
    test_at_end_first(part, test_end_histogram);
    uh_axis *axes[UH_MAX_AXES];
    for (size_t a = 0; a < tried->naxes; a++)
        axes[a] = (uh_axis *)(uintptr_t)uh_histogram_axis(part, a);
    assert_int_equal(test_axis_properties(axes[axis]).bins, joined ? (bins - beyond) / factor + beyond : to - from);
    uh_histogram *again = make(axes, tried->naxes, tried->storage);
    dd_case_fill(again, tried, 0, tried->n);
    dd_assert_same_cells(part, again);
    test_good(uh_histogram_total(part, &inside[0], &outside[0]));
    test_good(uh_histogram_total(again, &inside[1], &outside[1]));
    assert_int_equal(inside[0] + outside[0], tried->n);
    if (counted)
        assert_true(inside[0] == inside[1] && outside[0] == outside[1]);
    for (size_t a = 0; a < tried->naxes; a++)
        if (joined || a != axis || (tried->naxes == 1 && counted))
            dd_assert_same_flow(part, a, again, a);
    test_good(uh_histogram_merge(part, again)); /* it is a histogram like others */
}

UNIT_TEST(cropped_and_joined_bins_are_what_filling_them_gives) {
    for (uint64_t number = 4000; number < 4000 + 2 * PART_CASES; number++) {
        check_cut(dd_case(number, PART_POINTS), number, number % 2 == 0);
        test_end_from(0);
    }
}

UNIT_TEST(weights_of_several_types_add_up_exactly) {
    const double tenth = 0.1;
    const float half = 0.5F;
    const int64_t large = (int64_t)1 << 60, back = -large;
    const uh_array *weights[] = {ARRAY(UH_F64, &tenth, 1), ARRAY(UH_F32, &half, 1), ARRAY(UH_I64, &large, 1),
                                 ARRAY(UH_I64, &back, 1)};
    const uh_array point[] = {uh_array_of(UH_F64, &tenth, 1), uh_array_of(UH_F64, &tenth, 1)};
    uh_axis *const axes[] = {test_equal_axis(2, 0, 2), test_equal_axis(3, 0, 3)};
    uh_histogram *histogram = make(axes, 2, UH_STORAGE_WEIGHTED);
    double sum[6], squares[6];
    int64_t whole[6];
    for (size_t i = 0; i < 4; i++)
        test_good(uh_histogram_fill(histogram, point, weights[i]));
    test_good(uh_histogram_sums(histogram, UH_F64, sum, squares));
    assert_true(sum[0] == 0.1 + 0.5); /* 2^60 came and went without a trace */
    assert_true(squares[0] == 0x1p121);
    test_assert_failed(uh_histogram_sums(histogram, UH_I64, whole, NULL), UH_ERROR_OVERFLOW, "uh_histogram_sums", "0");
    test_good(uh_histogram_reset(histogram));
    test_good(uh_histogram_fill(histogram, point, weights[2]));
    test_good(uh_histogram_fill(histogram, point, NULL)); /* weight 1 */
    test_good(uh_histogram_sums(histogram, UH_I64, whole, NULL));
    assert_true(whole[0] == large + 1 && whole[1] == 0);
}

/* By way of float64 the first three would be ties that are none, or not be the tie that they are. */
UNIT_TEST(sums_as_float32_are_rounded_once) {
    static const struct {
        double weights[2];
        float sum;
    } rows[] = {
        {{1 + 0x1p-24, 0x1p-60}, 1 + 0x1p-23F},            /* float64: 1 + 2^-24, which goes to the even 1 */
        {{1 + 0x1p-23 + 0x1p-24, -0x1p-60}, 1 + 0x1p-23F}, /* float64: a tie that goes up to 1 + 2^-22 */
        {{0x1p-150, 0x1p-1000}, 0x1p-149F},                /* the smallest denormal; float64: a tie with 0 */
        {{1, 0x1p-24}, 1},                                 /* ties */
        {{1 + 0x1p-23, 0x1p-24}, 1 + 0x1p-22F},
        {{0x1.fffffep127, 0x1p103 - 0x1p50}, 0x1.fffffep127F},
        {{0x1.fffffep127, 0x1p103}, INFINITY}, /* as far as the next one would be */
        {{-0x1.fffffep127, -0x1p103}, -INFINITY},
        {{1e300, -1e300}, 0},
        {{1, NAN}, NAN},
        {{1, -INFINITY}, -INFINITY},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    float sum[ROWS], squares[ROWS];
    uh_axis *axis = test_equal_axis(ROWS, 0, ROWS);
    uh_histogram *histogram = make(&axis, 1, UH_STORAGE_WEIGHTED);
    for (size_t i = 0; i < ROWS; i++) {
        const double x[] = {(double)i, (double)i};
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, 2), ARRAY(UH_F64, rows[i].weights, 2)));
    }
    test_good(uh_histogram_sums(histogram, UH_F32, sum, squares));
    for (size_t i = 0; i < ROWS; i++)
        assert_true(isnan(rows[i].sum) ? isnan(sum[i]) : sum[i] == rows[i].sum);
    assert_true(squares[3] == 1 && squares[5] == INFINITY && squares[8] == INFINITY);
}

/* Crops or joins bins of axis 0, whose method is cdf, and fills what is made once more. */
UNIT_TEST(cropped_and_joined_axes_carry_their_distribution_and_go_by_it) {
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 1, 2, NULL, NULL, 0};
    static const uh_method methods[] = {UH_METHOD_CDF, UH_METHOD_AUTO};
    double x[300], y[300];
    for (size_t i = 0; i < 300; i++) {
        x[i] = (double)i * 0.04 - 5;
        y[i] = (double)(i % 5);
    }
    const uh_array coordinates[] = {uh_array_of(UH_F64, x, 300), uh_array_of(UH_F64, y, 300)};
    uh_axis *axes[] = {NULL, test_equal_axis(3, 1, 4)};
    test_good(uh_axis_create_distribution(&normal, 9, 0.01, 0.99, UH_CLOSED_RIGHT, &axes[0]));
    test_at_end(axes[0], test_end_axis);
    for (int joined = 0; joined < 2; joined++) {
        uh_histogram *histogram = test_histogram_over(tested.queue, axes, 2, OPTIONS(.methods = methods)), *part = NULL;
        char text[500];
        uint64_t before, after, outside;
        test_good(uh_histogram_fill(histogram, coordinates, NULL));
        test_good(joined ? uh_histogram_rebin(histogram, 0, 3, &part) : uh_histogram_crop(histogram, 0, 2, 8, &part));
        test_at_end_first(part, test_end_histogram);
        const uh_distribution *kept = test_axis_properties(uh_histogram_axis(part, 0)).distribution;
        assert_non_null(kept);
        assert_memory_equal(kept, &normal, sizeof normal);
        assert_null(test_axis_properties(uh_histogram_axis(part, 1)).distribution);
        test_good(uh_histogram_total(part, &before, &outside));
        assert_true(before > 0 && before < 300);
        test_good(uh_histogram_plan_text(part, 0, UH_F64, text, sizeof text, NULL));
        assert_memory_equal(text, "cdf", 3);
        test_good(uh_histogram_fill(part, coordinates, NULL));
        test_good(uh_histogram_total(part, &after, &outside));
        assert_int_equal(after, 2 * before);
    }
}

/* ---- bins beyond the others ---- */

enum { BEYOND = 9 };
static const double beyond_x[BEYOND] = {-INFINITY, 0.5, 1, 1.5, 2, 3, 4, 5, INFINITY};

/* Of the edges 1, 2 and 4 with both such bins: the bin of each of these, by each rule. */
static const int beyond_bin[][BEYOND] = {[UH_CLOSED_LEFT] = {0, 0, 1, 1, 2, 2, 2, 3, 3},
                                         [UH_CLOSED_RIGHT] = {0, 0, 1, 1, 1, 2, 2, 3, 3},
                                         [UH_HALF_OPEN_LEFT] = {0, 0, 1, 1, 2, 2, 3, 3, 3},
                                         [UH_HALF_OPEN_RIGHT] = {0, 0, 0, 1, 1, 2, 2, 3, 3}};

static void check_beyond(uh_closed closed, uh_flow_bins which, uh_dtype edge_dtype) {
    const double f64[] = {1, 2, 4}, nan = (double)NAN;
    const int32_t i32[] = {1, 2, 4};
    const int first = (which & UH_FLOW_BINS_BELOW) ? 0 : 1, last = (which & UH_FLOW_BINS_ABOVE) ? 3 : 2;
    uh_axis *plain = test_axis_of(edge_dtype, edge_dtype == UH_I32 ? (const void *)i32 : f64, 3, closed);
    uh_axis *axis = NULL;
    uint64_t counts[4], expected[4] = {0}, expected_flow[2] = {0};
    uh_flow flow;
    test_good(uh_axis_create_with_flow_bins(plain, which, &axis));
    test_at_end_first(axis, test_end_axis);
    assert_true(test_axis_properties(axis).flow_bins == which && test_axis_properties(axis).closed == closed);
    assert_int_equal(uh_axis_equal(axis, plain), which == UH_FLOW_BINS_NONE);
    uh_histogram *histogram = test_line(tested.queue, axis);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, beyond_x, BEYOND), NULL));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, &nan, 1), NULL));
    for (size_t i = 0; i < BEYOND; i++) {
        const int bin = beyond_bin[closed][i];
        if (bin >= first && bin <= last)
            expected[bin - first]++;
        else
            expected_flow[bin > last]++;
    }
    assert_int_equal(uh_histogram_cells(histogram), last - first + 1);
    test_good(uh_histogram_counts(histogram, counts));
    assert_memory_equal(counts, expected, uh_histogram_cells(histogram) * sizeof *counts);
    test_good(uh_histogram_flow(histogram, 0, &flow));
    assert_true(flow.below == expected_flow[0] && flow.above == expected_flow[1] && flow.nan == 1);
}

UNIT_TEST(bins_beyond_the_others_take_what_lies_there) {
    for (int closed = UH_CLOSED_LEFT; closed <= UH_HALF_OPEN_RIGHT; closed++)
        for (int which = UH_FLOW_BINS_NONE; which <= UH_FLOW_BINS_BOTH; which++) {
            check_beyond((uh_closed)closed, (uh_flow_bins)which, UH_F64);
            check_beyond((uh_closed)closed, (uh_flow_bins)which, UH_I32);
        }
}

UNIT_TEST(axes_that_can_have_no_bins_beyond_the_others_are_refused) {
    const int64_t wide[] = {0, (INT64_C(1) << 53) + 1};
    uh_axis *grows = NULL, *both = NULL, *made = NULL;
    uh_axis *equal = test_equal_axis(3, 0, 1);
    test_good(uh_axis_create_growing(&grows));
    test_at_end_first(grows, test_end_axis);
    test_good(uh_axis_create_with_flow_bins(equal, UH_FLOW_BINS_BOTH, &both));
    test_at_end_first(both, test_end_axis);
    test_invalid(uh_axis_create_with_flow_bins(grows, UH_FLOW_BINS_BOTH, &made), "axis grows");
    test_invalid(uh_axis_create_with_flow_bins(both, UH_FLOW_BINS_BELOW, &made), "has flow bins");
    test_invalid(uh_axis_create_with_flow_bins(equal, (uh_flow_bins)4, &made), "which is 4");
    test_invalid(uh_axis_create_with_flow_bins(NULL, UH_FLOW_BINS_BOTH, &made), "axis is NULL");
    test_invalid(uh_axis_create_with_flow_bins(equal, UH_FLOW_BINS_BOTH, NULL), "made is NULL");
    test_assert_failed(
        uh_axis_create_with_flow_bins(test_axis_of(UH_I64, wide, 2, UH_CLOSED_LEFT), UH_FLOW_BINS_BOTH, &made),
        UH_ERROR_UNSUPPORTED, "edge 1 at", "within 2^53");
    test_assert_failed(
        uh_histogram_merge(test_line(tested.queue, both),
                           test_line(tested.queue, test_axis_of(UH_F64, test_axis_properties(both).edges, 6, 0))),
        UH_ERROR_INCOMPATIBLE, "flow bins both, and none");
}

TESTED_MAIN(test_histogramdd)
