/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, indices and ranges in one call: wide integers, and what is refused. What NumPy answers: test_numpy. */
#include "tests/tested.h"

#include <unihist/bins.h>

UNIT_TEST(the_datas_own_range_holds_integers_that_float64_rounds) {
    static const int64_t x[] = {9007199254740995, 9007199254741011, 9007199254741001}; /* the ends round inwards */
    static const uint64_t y[] = {UINT64_MAX - 3000, UINT64_MAX};
    static const int64_t same[] = {INT64_MAX, INT64_MAX};
    uint64_t counts[3];
    uh_flow flow;
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_I64, x, 3), 3, NULL, counts, NULL, &flow));
    assert_int_equal(counts[0] + counts[1] + counts[2], 3);
    assert_true(flow.below == 0 && flow.above == 0);
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_U64, y, 2), 3, NULL, counts, NULL, &flow));
    assert_int_equal(counts[0] + counts[1] + counts[2], 2);
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_I64, same, 2), 1, NULL, counts, NULL, &flow));
    assert_int_equal(counts[0], 2);
}

UNIT_TEST(ranges_and_arrays_of_one_call_are_refused_and_nothing_is_stored) {
    static const double nan[] = {0, NAN, 1, -NAN}, infinite[] = {0, 1, INFINITY}, minus[] = {-INFINITY, 1};
    static const double huge[] = {-DBL_MAX, DBL_MAX}, backwards[] = {2, 1}, nan_range[] = {0, NAN}, good[] = {0, 1};
    static const struct {
        uh_array x;
        size_t bins;
        const double *range;
        const char *text, *value;
    } wrong[] = {
        {{UH_F64, nan, 8, 4}, 2, NULL, "x has 2 NaN", ""},
        {{UH_F64, infinite, 8, 3}, 2, NULL, "x reaches from 0 to inf", ""},
        {{UH_F64, minus, 8, 2}, 2, NULL, "x reaches from -inf to 1", ""},
        {{UH_F64, huge, 8, 2}, 2, NULL, "1.79", "overflow"},
        {{UH_F64, huge, 8, 2}, 0, NULL, "bins is 0", ""},
        {{UH_F64, huge, 8, 2}, 2, backwards, "range is 2 to 1", "expected lo < hi"},
        {{UH_F64, huge, 8, 2}, 2, nan_range, "range is 0", "nan"},
        {{UH_F64, NULL, 8, 2}, 2, good, "x->data is NULL", ""},
        {{(uh_dtype)33, huge, 8, 2}, 2, good, "dtype is 33", ""},
    };
    uint64_t counts[2] = {7, 7};
    double out[3] = {7, 7, 7};
    uh_flow flow = {7, 7, 7};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_invalid(uh_histogram_of(tested.queue, &wrong[i].x, wrong[i].bins, wrong[i].range, counts, out, &flow),
                     "uh_histogram_of: ", wrong[i].text, wrong[i].value);
    const uh_array x = {UH_F64, good, 8, 2};
    test_null_is_refused(uh_histogram_of(NAMED(queue, tested.queue), &x, 2, good, NAMED(counts, counts), out, &flow));
    assert_true(counts[0] == 7 && counts[1] == 7 && out[0] == 7 && out[2] == 7 && flow.below == 7 && flow.nan == 7);
}

UNIT_TEST(values_and_ranges_that_have_no_bins_are_refused_by_names_that_there_are) {
    static const double far[] = {1e17, 1e17}, at_far[] = {1e17, 1e17}, wide[] = {-DBL_MAX, DBL_MAX};
    const uh_array x = {UH_F64, far, 8, 2}, none = {UH_F64, NULL, 8, 0};
    const double *const ranges[] = {wide};
    const size_t four = 4;
    uint64_t counts[4] = {7, 7, 7, 7};
    test_invalid(uh_histc(tested.queue, &x, 4, 0, 0, counts), "uh_histc: x reaches from 1e+17 to 1e+17, too large");
    test_invalid(uh_histc(tested.queue, &x, 4, -DBL_MAX, DBL_MAX, counts), "uh_histc: max is 1.79", "difference");
    test_invalid(uh_histogram_of(tested.queue, &x, 4, NULL, counts, NULL, NULL), "x reaches from 1e+17",
                 "give a range");
    test_invalid(uh_histogram_of(tested.queue, &x, 4, at_far, counts, NULL, NULL), "range is 1", "expected lo < hi");
    test_invalid(uh_histogramdd_of(tested.queue, &x, 1, NULL, &four, ranges, counts, NULL, NULL), "ranges[0] is -1.79");
    assert_int_equal(counts[0], 7);
    test_good(uh_histc(tested.queue, &none, 4, 1e17, 1e17, counts));
    assert_true(counts[0] == 0 && counts[3] == 0);
}

/* No memory is taken for axes, of which these would need 8 * 2^30 edges. */
UNIT_TEST(cells_of_one_call_are_counted_before_there_are_axes) {
    static const double x[] = {0, 1};
    uh_array arrays[UH_MAX_AXES];
    size_t bins[UH_MAX_AXES];
    uint64_t count = 7;
    for (size_t a = 0; a < UH_MAX_AXES; a++) {
        arrays[a] = uh_array_of(UH_F64, x, 2);
        bins[a] = UH_MAX_BINS;
    }
    test_invalid(uh_histogramdd_of(tested.queue, arrays, UH_MAX_AXES, NULL, bins, NULL, &count, NULL, NULL),
                 "uh_histogramdd_of: the axes have more than", "expected at most 2147483648 (UH_MAX_CELLS)");
    assert_int_equal(count, 7);
}

/* The second of two axes is the wrong one, unless a row says otherwise. */
UNIT_TEST(points_of_one_call_are_refused_by_name_and_nothing_is_stored) {
    static const double nan[] = {0, NAN}, infinite[] = {0, -INFINITY}, huge[] = {-DBL_MAX, DBL_MAX}, good[] = {0, 1};
    static const double falls[] = {2, 1}, to_nan[] = {0, NAN};
    static const double *const fine[] = {good, good}, *const backwards[] = {good, falls},
                               *const wide[] = {NULL, to_nan};
    static const uh_array w = {UH_I32, "abcdefgh", 4, 2}, bytes = {UH_U8, "ab", 1, 2}, no_data = {UH_I32, NULL, 4, 2},
                          three = {UH_I32, "abcdefghijkl", 4, 3};
    static const struct {
        uh_array y;
        size_t naxes, bins;
        const double *const *ranges;
        const uh_array *weights;
        int counted, summed;
        const char *text;
    } wrong[] = {
        {{UH_F64, nan, 8, 2}, 2, 2, NULL, NULL, 1, 0, "arrays[1] has 1 NaN, expected none"},
        {{UH_F64, infinite, 8, 2}, 2, 2, NULL, NULL, 1, 0, "arrays[1] reaches from -inf to 0"},
        {{UH_F64, huge, 8, 2}, 2, 2, NULL, NULL, 1, 0, "overflow"},
        {{UH_F64, good, 8, 2}, 2, 0, fine, NULL, 1, 0, "bins[1] is 0"},
        {{UH_F64, good, 8, 2}, 2, 2, backwards, NULL, 1, 0, "ranges[1] is 2 to 1"},
        {{UH_F64, good, 8, 2}, 2, 2, wide, NULL, 1, 0, "ranges[1] is 0 to nan"},
        {{UH_F64, NULL, 8, 2}, 2, 2, fine, NULL, 1, 0, "arrays[1].data is NULL"},
        {{(uh_dtype)33, good, 8, 2}, 2, 2, fine, NULL, 1, 0, "arrays[1].dtype is 33"},
        {{UH_F64, good, 8, 1}, 2, 2, fine, NULL, 1, 0, "arrays[1].count is 1, expected 2"},
        {{UH_F64, good, 8, 2}, 0, 2, fine, NULL, 1, 0, "naxes is 0, expected 1 to 8"},
        {{UH_F64, good, 8, 2}, 9, 2, fine, NULL, 1, 0, "naxes is 9"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, NULL, 0, 0, "counts and sums are both NULL"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, &w, 1, 1, "counts and sums are not NULL"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, &w, 1, 0, "weights are given, expected NULL for counts"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, NULL, 0, 1, "weights is NULL"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, &bytes, 0, 1, "weights->dtype is uint8"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, &no_data, 0, 1, "weights->data is NULL"},
        {{UH_F64, good, 8, 2}, 2, 2, fine, &three, 0, 1, "weights->count is 3, expected 2"},
    };
    const char *call = "uh_histogramdd_of: ";
    uint64_t counts[4] = {7, 7, 7, 7};
    double sums[4] = {7, 7, 7, 7}, out[2][3] = {{7, 7, 7}, {7, 7, 7}};
    double *const edges[] = {out[0], out[1]};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const uh_array arrays[] = {{UH_F64, good, 8, 2}, wrong[i].y};
        const size_t bins[] = {2, wrong[i].bins};
        test_invalid(uh_histogramdd_of(tested.queue, arrays, wrong[i].naxes, wrong[i].weights, bins, wrong[i].ranges,
                                       wrong[i].counted ? counts : NULL, wrong[i].summed ? sums : NULL, edges),
                     call, wrong[i].text);
    }
    const uh_array x = {UH_F64, good, 8, 2};
    const size_t two = 2;
    test_null_is_refused(uh_histogramdd_of(NAMED(queue, tested.queue), NAMED(arrays, &x), 1, NULL, NAMED(bins, &two),
                                           NULL, counts, NULL, NULL));
    for (size_t i = 0; i < 4; i++)
        assert_true(counts[i] == 7 && sums[i] == 7 && out[i / 3][i % 3] == 7);
}

UNIT_TEST(what_a_statistic_cannot_be_of_is_refused_and_nothing_is_stored) {
    static const double good[] = {0, 1}, nan[] = {0, NAN};
    static const uh_array x = {UH_F64, good, 8, 2}, bytes = {UH_U8, "ab", 1, 2}, one = {UH_F64, good, 8, 1},
                          wrong_x = {UH_F64, nan, 8, 2};
    const char *call = "uh_binned_statistic: ";
    double out[3] = {7, 7, 7}, edges[3] = {7, 7, 7};
    uh_queue *queue = tested.queue;
    test_null_is_refused(uh_binned_statistic(NAMED(queue, queue), NAMED(x, &x), NAMED(values, &x), UH_STATISTIC_MEAN, 2,
                                             NULL, NAMED(statistic, out), edges));
    test_invalid(uh_binned_statistic(queue, &x, &bytes, UH_STATISTIC_SUM, 2, NULL, out, edges),
                 "values->dtype is uint8");
    test_invalid(uh_binned_statistic(queue, &x, &one, UH_STATISTIC_STD, 2, NULL, out, edges), "values->count is 1");
    test_invalid(uh_binned_statistic(queue, &x, &x, (uh_statistic)4, 2, NULL, out, edges), call, "which is 4");
    test_invalid(uh_binned_statistic(queue, &x, &x, UH_STATISTIC_SUM, 0, NULL, out, edges), call, "bins is 0");
    test_invalid(uh_binned_statistic(queue, &wrong_x, &x, UH_STATISTIC_SUM, 2, NULL, out, edges), call, "x has 1 NaN");
    for (size_t i = 0; i < 3; i++)
        assert_true(out[i] == 7 && edges[i] == 7);
}

UNIT_TEST(edges_of_one_call_are_refused_and_nothing_is_stored) {
    static const double decreasing[] = {0, 2, 1}, nan[] = {0, NAN}, x[] = {1};
    static const struct {
        uh_array x;
        uh_dtype dtype;
        const double *edges;
        size_t nedges;
        const char *text, *value;
    } wrong[] = {
        {{UH_F64, x, 8, 1}, UH_F64, decreasing, 3, "edges[2]", "1"},
        {{UH_F64, x, 8, 1}, UH_F64, nan, 2, "edges[1]", "NaN"},
        {{UH_F64, x, 8, 1}, UH_F64, decreasing, 0, "edges", "0"},
        {{UH_F64, x, 8, 1}, UH_F64, NULL, 2, "edges", "NULL"},
        {{UH_F64, x, 8, 1}, (uh_dtype)12, decreasing, 2, "dtype", "12"},
        {{(uh_dtype)-3, x, 8, 1}, UH_F64, decreasing, 2, "dtype", "-3"},
        {{UH_F64, NULL, 8, 1}, UH_F64, decreasing, 2, "x", "NULL"},
    };
    uh_queue *queue = tested.queue;
    uint64_t counts[2] = {7, 7};
    int64_t index[] = {7};
    uh_flow flow = {7, 7, 7};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_invalid(
            uh_histogram_of_edges(queue, &wrong[i].x, wrong[i].dtype, wrong[i].edges, wrong[i].nedges, counts, &flow),
            "uh_histogram_of_edges: ", wrong[i].text, wrong[i].value);
        test_invalid(uh_digitize(queue, &wrong[i].x, ARRAY(wrong[i].dtype, wrong[i].edges, wrong[i].nedges), 0, index),
                     "uh_digitize: ", wrong[i].text, wrong[i].value);
    }
    const uh_array *one = ARRAY(UH_F64, x, 1);
    test_invalid(uh_histogram_of_edges(queue, one, UH_F64, decreasing, 1, counts, &flow), "edges", "1");
    test_null_is_refused(
        uh_histogram_of_edges(NAMED(queue, queue), one, UH_F64, decreasing, 2, NAMED(counts, counts), &flow));
    test_null_is_refused(uh_digitize(NAMED(queue, queue), one, ARRAY(UH_F64, decreasing, 2), 0, NAMED(index, index)));
    assert_true(counts[0] == 7 && counts[1] == 7 && flow.below == 7 && flow.above == 7 && flow.nan == 7);
    assert_int_equal(index[0], 7);
}

UNIT_TEST(bad_arguments_of_min_max_are_refused) {
    static const double one[] = {1};
    const uh_array *x = ARRAY(UH_F64, one, 1);
    double min = 7, max = 7;
    uint64_t nan = 7;
    test_null_is_refused(
        uh_min_max(NAMED(queue, tested.queue), x, NAMED(min, &min), NAMED(max, &max), NAMED(nan, &nan)));
    test_invalid(uh_min_max(tested.queue, ARRAY((uh_dtype)10, one, 1), &min, &max, &nan), "dtype is 10");
    test_invalid(uh_min_max(tested.queue, ARRAY(UH_F64, NULL, 1), &min, &max, &nan), "uh_min_max: x->data is NULL");
    assert_true(min == 7 && max == 7 && nan == 7);
}

TESTED_MAIN(test_histogram_of)
