/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, indices and ranges in one call, against NumPy's answers (1.24) and the oracle. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/arrays.h"
#include "tests/oracle.h"
#include "tests/tested.h"

static void assert_counts(const uint64_t *got, const uint64_t *expected, size_t n) {
    for (size_t j = 0; j < n; j++)
        assert_int_equal(got[j], expected[j]);
}

/* ---- uh_histogram_of ---- */

UNIT_TEST(a_range_is_given_or_the_datas_own) {
    static const double x[] = {1, 2, 3, 4}, mixed[] = {-1, 0, 0.5, 1, 2, 2.5, NAN, INFINITY, -INFINITY},
                        range[] = {0, 2};
    static const int16_t y[] = {-1, 0, 0, 5, 249};
    static const float same[] = {2, 2};
    static const struct {
        uh_array x;
        const double *range;
        size_t bins;
        uint64_t counts[5];
        double edges[6];
        uh_flow flow;
    } rows[] = {
        {{UH_F64, x, 8, 4}, NULL, 3, {1, 1, 2}, {1, 2, 3, 4}, {0, 0, 0}},
        {{UH_I16, y, 2, 5}, NULL, 5, {4, 0, 0, 0, 1}, {-1, 49, 99, 149, 199, 249}, {0, 0, 0}},
        {{UH_F32, same, 4, 2}, NULL, 4, {0, 0, 2, 0}, {1.5, 1.75, 2, 2.25, 2.5}, {0, 0, 0}}, /* half a unit to both
                                                                                                sides */
        {{UH_U16, NULL, 2, 0}, NULL, 4, {0, 0, 0, 0}, {0, 0.25, 0.5, 0.75, 1}, {0, 0, 0}},
        {{UH_F64, mixed, 8, 9}, range, 2, {2, 2}, {0, 1, 2}, {2, 2, 1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t counts[5] = {9, 9, 9, 9, 9};
        double edges[6];
        uh_flow flow = {9, 9, 9};
        test_good(uh_histogram_of(tested.queue, &rows[i].x, rows[i].bins, rows[i].range, counts, edges, &flow));
        assert_counts(counts, rows[i].counts, rows[i].bins);
        for (size_t j = 0; j <= rows[i].bins; j++)
            assert_true(edges[j] == rows[i].edges[j]);
        assert_memory_equal(&flow, &rows[i].flow, sizeof flow);
        memset(counts, 9, sizeof counts);
        test_good(uh_histogram_of(tested.queue, &rows[i].x, rows[i].bins, rows[i].range, counts, NULL, NULL));
        assert_counts(counts, rows[i].counts, rows[i].bins);
    }
}

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

/* ---- uh_histogram_of_edges ---- */

UNIT_TEST(given_edges_are_numpys_bins) {
    static const int32_t edges[] = {0, 21, 25, 28, 44, 47, 57, 70};
    static const float x[] = {0, 20.999F, 21, 27.9F, 28, 43.99F, 44, 47, 57, 70, -0.001F, 70.001F, NAN};
    static const uint64_t expected[] = {2, 1, 1, 2, 1, 1, 2};
    uint64_t counts[7];
    uh_flow flow;
    test_good(uh_histogram_of_edges(tested.queue, ARRAY(UH_F32, x, 13), UH_I32, edges, 8, counts, &flow));
    assert_counts(counts, expected, 7);
    assert_true(flow.below == 1 && flow.above == 1 && flow.nan == 1);
    test_good(uh_histogram_of_edges(tested.queue, ARRAY(UH_F32, x, 13), UH_I32, edges, 8, counts, NULL));
    assert_counts(counts, expected, 7);
}

/* ---- uh_digitize ---- */

UNIT_TEST(digitize_is_numpys_on_both_sides_and_takes_one_edge_alone) {
    static const double x[] = {0, 1, 2.5, 3, NAN, -1, INFINITY}, edges[] = {1, 2, 3}, infinite[] = {INFINITY};
    static const float f[] = {0, 1, 2, NAN};
    static const uint8_t bytes[] = {0, 1, 2, 1};
    static const struct {
        uh_array x;
        const double *edges;
        size_t nedges;
        int right;
        int64_t index[7];
    } rows[] = {{{UH_F64, x, 8, 7}, edges, 3, 0, {0, 1, 2, 3, 3, 0, 3}},
                {{UH_F64, x, 8, 7}, edges, 3, -5, {0, 0, 2, 2, 3, 0, 3}},
                {{UH_F32, f, 4, 4}, edges, 1, 0, {0, 1, 1, 1}},
                {{UH_F32, f, 4, 4}, edges, 1, 1, {0, 0, 1, 1}},
                {{UH_U8, bytes, 1, 4}, edges, 1, 0, {0, 1, 1, 1}},
                {{UH_F32, f, 4, 4}, infinite, 1, 0, {0, 0, 0, 1}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t index[7];
        test_good(uh_digitize(tested.queue, &rows[i].x, UH_F64, rows[i].edges, rows[i].nedges, rows[i].right, index));
        assert_memory_equal(index, rows[i].index, rows[i].x.count * sizeof *index);
    }
    test_good(uh_digitize(tested.queue, ARRAY(UH_F32, NULL, 0), UH_F64, edges, 1, 0, NULL));
}

UNIT_TEST(digitize_agrees_with_the_oracle_for_every_pair_of_types) {
    enum { VALUES = 700, EDGES = 40 };
    for (int pair = 0; pair < UH_DTYPE_COUNT * UH_DTYPE_COUNT; pair++) {
        uh_dtype of_x = (uh_dtype)(pair / UH_DTYPE_COUNT), of_edges = (uh_dtype)(pair % UH_DTYPE_COUNT);
        size_t size = uh_dtype_size(of_x), edge_size = uh_dtype_size(of_edges);
        char x[VALUES * 8 + 1], edges[EDGES * 8 + 1];
        int64_t index[VALUES + 2];
        uint64_t seed = (uint64_t)pair;
        for (size_t j = 0; j < EDGES; j++)
            oracle_store(of_edges, (long double)j * 3 - 40.5L, edges + 1 + j * edge_size);
        for (size_t i = 0; i < VALUES; i++)
            oracle_store(of_x, floorl(160 * (long double)test_random_f64(&seed)) * 0.5L - 45, x + 1 + i * size);
        for (int right = 0; right < 2; right++) {
            struct oracle_axis oracle;
            size_t n = right ? VALUES : 30; /* more and fewer values than edges */
            assert_int_equal(
                oracle_axis_init(&oracle, of_edges, edges + 1, EDGES, right ? UH_HALF_OPEN_RIGHT : UH_HALF_OPEN_LEFT),
                0);
            index[0] = index[n + 1] = -77;
            test_good(uh_digitize(tested.queue, ARRAY(of_x, x + 1, n), of_edges, edges + 1, EDGES, right, index + 1));
            for (size_t i = 0; i < n; i++)
                assert_int_equal(index[i + 1], oracle_index(&oracle, oracle_value(of_x, x + 1 + i * size)));
            assert_true(index[0] == -77 && index[n + 1] == -77);
            oracle_axis_free(&oracle);
        }
    }
}

/* ---- strides ---- */

/* Values far apart and backwards, with others between them that must not be seen. */
UNIT_TEST(strided_arrays_give_what_dense_ones_do) {
    enum { N = 5000, APART = 3, BINS = 40 };
    static double dense[N], apart[APART * N];
    static int64_t index[2][N];
    const uh_array *x[] = {ARRAY(UH_F64, dense, N), STRIDED(UH_F64, apart + APART * (N - 1), N, -APART * 8)};
    const size_t bins = BINS;
    uint64_t counts[2][BINS], nan[2], seed = 4;
    double sums[2][BINS], edges[2][BINS + 1], min[2], max[2];
    for (size_t i = 0; i < APART * N; i++)
        apart[i] = 1e9;
    for (size_t i = 0; i < N; i++)
        apart[APART * (N - 1 - i)] = dense[i] = test_random_f64(&seed) - 0.5;
    for (size_t k = 0; k < 2; k++) {
        test_good(uh_min_max(tested.queue, x[k], &min[k], &max[k], &nan[k]));
        test_good(uh_histogram_of(tested.queue, x[k], BINS, NULL, counts[k], edges[k], NULL));
        test_good(uh_histogramdd_of(tested.queue, x[0], 1, x[k], &bins, NULL, NULL, sums[k], NULL));
        test_good(uh_digitize(tested.queue, x[k], UH_F64, edges[0], BINS + 1, 0, index[k]));
    }
    assert_true(min[0] == min[1] && max[0] == max[1] && nan[0] == nan[1] && max[1] < 1);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_memory_equal(edges[0], edges[1], sizeof edges[0]);
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    assert_memory_equal(index[0], index[1], sizeof index[0]);
}

/* ---- what is refused ---- */

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
        {{UH_F64, huge, 8, 2}, 2, backwards, "2", "1"},
        {{UH_F64, huge, 8, 2}, 2, nan_range, "hi", "nan"},
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
    test_invalid(uh_histogram_of(NULL, &x, 2, good, counts, out, &flow), "uh_histogram_of: queue is NULL");
    test_invalid(uh_histogram_of(tested.queue, &x, 2, good, NULL, out, &flow), "uh_histogram_of: counts is NULL");
    assert_true(counts[0] == 7 && counts[1] == 7 && out[0] == 7 && out[2] == 7 && flow.below == 7 && flow.nan == 7);
}

/* The second of two axes is the wrong one, unless a row says otherwise. */
UNIT_TEST(points_of_one_call_are_refused_by_name_and_nothing_is_stored) {
    static const double nan[] = {0, NAN}, infinite[] = {0, -INFINITY}, huge[] = {-DBL_MAX, DBL_MAX}, good[] = {0, 1};
    static const double fine[][2] = {{0, 1}, {0, 1}}, backwards[][2] = {{0, 1}, {2, 1}}, wide[][2] = {{0, 1}, {0, NAN}};
    static const uh_array w = {UH_I32, "abcdefgh", 4, 2}, bytes = {UH_U8, "ab", 1, 2}, no_data = {UH_I32, NULL, 4, 2},
                          three = {UH_I32, "abcdefghijkl", 4, 3};
    static const struct {
        uh_array y;
        size_t naxes, bins;
        const double (*ranges)[2];
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
    test_invalid(uh_histogramdd_of(NULL, &x, 1, NULL, &two, NULL, counts, NULL, NULL), call, "queue is NULL");
    test_invalid(uh_histogramdd_of(tested.queue, NULL, 1, NULL, &two, NULL, counts, NULL, NULL), "arrays is NULL");
    test_invalid(uh_histogramdd_of(tested.queue, &x, 1, NULL, NULL, NULL, counts, NULL, NULL), call, "bins is NULL");
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
    test_invalid(uh_binned_statistic(NULL, &x, &x, UH_STATISTIC_MEAN, 2, NULL, out, edges), call, "queue is NULL");
    test_invalid(uh_binned_statistic(queue, NULL, &x, UH_STATISTIC_MEAN, 2, NULL, out, edges), call, "x is NULL");
    test_invalid(uh_binned_statistic(queue, &x, NULL, UH_STATISTIC_MEAN, 2, NULL, out, edges), call, "values is NULL");
    test_invalid(uh_binned_statistic(queue, &x, &bytes, UH_STATISTIC_SUM, 2, NULL, out, edges),
                 "values->dtype is uint8");
    test_invalid(uh_binned_statistic(queue, &x, &one, UH_STATISTIC_STD, 2, NULL, out, edges), "values->count is 1");
    test_invalid(uh_binned_statistic(queue, &x, &x, (uh_statistic)4, 2, NULL, out, edges), call, "which is 4");
    test_invalid(uh_binned_statistic(queue, &x, &x, UH_STATISTIC_SUM, 2, NULL, NULL, edges), "statistic is NULL");
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
        test_invalid(uh_digitize(queue, &wrong[i].x, wrong[i].dtype, wrong[i].edges, wrong[i].nedges, 0, index),
                     "uh_digitize: ", wrong[i].text, wrong[i].value);
    }
    const uh_array *one = ARRAY(UH_F64, x, 1);
    test_invalid(uh_histogram_of_edges(queue, one, UH_F64, decreasing, 1, counts, &flow), "edges", "1");
    test_invalid(uh_histogram_of_edges(queue, one, UH_F64, decreasing, 2, NULL, &flow), "counts is NULL");
    test_invalid(uh_histogram_of_edges(NULL, one, UH_F64, decreasing, 2, counts, &flow), "queue is NULL");
    test_invalid(uh_digitize(queue, one, UH_F64, decreasing, 2, 0, NULL), "uh_digitize: index is NULL");
    test_invalid(uh_digitize(NULL, one, UH_F64, decreasing, 2, 0, index), "uh_digitize: queue is NULL");
    assert_true(counts[0] == 7 && counts[1] == 7 && flow.below == 7 && flow.above == 7 && flow.nan == 7);
    assert_int_equal(index[0], 7);
}

UNIT_TEST(bad_arguments_of_min_max_are_refused) {
    static const double one[] = {1};
    const uh_array *x = ARRAY(UH_F64, one, 1);
    double min = 7, max = 7;
    uint64_t nan = 7;
    test_invalid(uh_min_max(NULL, x, &min, &max, &nan), "uh_min_max: queue is NULL");
    test_invalid(uh_min_max(tested.queue, ARRAY((uh_dtype)10, one, 1), &min, &max, &nan), "dtype is 10");
    test_invalid(uh_min_max(tested.queue, ARRAY(UH_F64, NULL, 1), &min, &max, &nan), "uh_min_max: x->data is NULL");
    test_invalid(uh_min_max(tested.queue, x, NULL, &max, &nan), "uh_min_max: min is NULL");
    test_invalid(uh_min_max(tested.queue, x, &min, NULL, &nan), "uh_min_max: max is NULL");
    test_invalid(uh_min_max(tested.queue, x, &min, &max, NULL), "uh_min_max: nan is NULL");
    assert_true(min == 7 && max == 7 && nan == 7);
}

TESTED_MAIN(test_histogram_of)
