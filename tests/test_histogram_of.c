/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, indices and ranges in one call, against NumPy's answers (1.24) and the oracle. */
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

#include "tests/arrays.h"
#include "tests/fixture.h"
#include "tests/oracle.h"

static uh_queue *queue;

static int make_queue(void **state) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = 3};
    uh_device *host;
    (void)state;
    return uh_device_select("host", &host) || uh_queue_create(host, &options, &queue) ? -1 : 0;
}

static int destroy_queue(void **state) {
    (void)state;
    return uh_queue_destroy(queue) == UH_SUCCESS ? 0 : -1;
}

static void assert_counts(const uint64_t *got, const uint64_t *expected, size_t n) {
    for (size_t j = 0; j < n; j++)
        assert_int_equal(got[j], expected[j]);
}

static void assert_edges(const double *got, const double *expected, size_t n) {
    for (size_t j = 0; j < n; j++)
        assert_true(got[j] == expected[j]);
}

/* ---- uh_histogram_of ---- */

UNIT_TEST(the_range_is_the_datas_own) {
    static const double x[] = {1, 2, 3, 4}, edges_x[] = {1, 2, 3, 4};
    static const int16_t y[] = {-1, 0, 0, 5, 250};
    static const uint64_t counts_x[] = {1, 1, 2}, counts_y[] = {4, 0, 0, 0, 1};
    uint64_t counts[5];
    double edges[6];
    uh_flow flow;
    test_good(uh_histogram_of(queue, ARRAY(UH_F64, x, 4), 3, NULL, counts, edges, &flow));
    assert_counts(counts, counts_x, 3);
    assert_edges(edges, edges_x, 4);
    assert_true(flow.below == 0 && flow.above == 0 && flow.nan == 0);
    test_good(uh_histogram_of(queue, ARRAY(UH_I16, y, 5), 5, NULL, counts, NULL, NULL));
    assert_counts(counts, counts_y, 5);
}

UNIT_TEST(equal_values_get_half_a_unit_to_both_sides) {
    static const float x[] = {2, 2};
    static const double expected[] = {1.5, 1.75, 2, 2.25, 2.5};
    static const uint64_t expected_counts[] = {0, 0, 2, 0};
    uint64_t counts[4];
    double edges[5];
    test_good(uh_histogram_of(queue, ARRAY(UH_F32, x, 2), 4, NULL, counts, edges, NULL));
    assert_edges(edges, expected, 5);
    assert_counts(counts, expected_counts, 4);
}

UNIT_TEST(no_values_get_bins_from_0_to_1) {
    uint64_t counts[4] = {9, 9, 9, 9};
    double edges[5];
    uh_flow flow = {9, 9, 9};
    static const double expected[] = {0, 0.25, 0.5, 0.75, 1};
    static const uint64_t zero[4] = {0};
    test_good(uh_histogram_of(queue, ARRAY(UH_U16, NULL, 0), 4, NULL, counts, edges, &flow));
    assert_edges(edges, expected, 5);
    assert_counts(counts, zero, 4);
    assert_true(flow.below == 0 && flow.above == 0 && flow.nan == 0);
}

UNIT_TEST(a_given_range_counts_what_lies_outside_and_nan) {
    static const double x[] = {-1, 0, 0.5, 1, 2, 2.5, NAN, INFINITY, -INFINITY}, range[] = {0, 2};
    static const uint64_t expected[] = {2, 2};
    uint64_t counts[2];
    uh_flow flow;
    test_good(uh_histogram_of(queue, ARRAY(UH_F64, x, 9), 2, range, counts, NULL, &flow));
    assert_counts(counts, expected, 2);
    assert_true(flow.below == 2 && flow.above == 2 && flow.nan == 1);
}

UNIT_TEST(a_range_of_the_datas_own_needs_finite_numbers) {
    static const double nan[] = {0, NAN, 1, -NAN}, infinite[] = {0, 1, INFINITY}, minus[] = {-INFINITY, 1};
    static const double huge[] = {-DBL_MAX, DBL_MAX}, backwards[] = {2, 1}, nan_range[] = {0, NAN};
    uint64_t counts[2] = {7, 7};
    double edges[3] = {7, 7, 7};
    uh_flow flow = {7, 7, 7};
    const char *call = "uh_histogram_of:";
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, nan, 4), 2, NULL, counts, edges, &flow), call, "x", "2 NaN");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, infinite, 3), 2, NULL, counts, edges, &flow), call, "x", "inf");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, minus, 2), 2, NULL, counts, edges, &flow), call, "x", "-inf");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, huge, 2), 2, NULL, counts, edges, &flow), call, "1.79",
                 "overflow");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, huge, 2), 0, NULL, counts, edges, &flow), call, "bins", "0");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, huge, 2), 2, backwards, counts, edges, &flow), call, "2", "1");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, huge, 2), 2, nan_range, counts, edges, &flow), call, "hi", "nan");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, huge, 2), 2, nan_range, NULL, edges, &flow), call, "counts",
                 "NULL");
    test_invalid(uh_histogram_of(queue, ARRAY(UH_F64, NULL, 2), 2, nan_range, counts, edges, &flow), call, "x", "NULL");
    test_invalid(uh_histogram_of(NULL, ARRAY(UH_F64, huge, 2), 2, NULL, counts, edges, &flow), call, "queue", "NULL");
    test_invalid(uh_histogram_of(queue, ARRAY((uh_dtype)33, huge, 2), 2, NULL, counts, edges, &flow), call, "dtype",
                 "33");
    assert_true(counts[0] == 7 && counts[1] == 7 && edges[0] == 7 && edges[2] == 7 && flow.below == 7 && flow.nan == 7);
}

UNIT_TEST(the_datas_own_range_holds_integers_that_float64_rounds) {
    static const int64_t x[] = {9007199254740995, 9007199254741011, 9007199254741001}; /* the ends round inwards */
    static const uint64_t y[] = {UINT64_MAX - 3000, UINT64_MAX};
    static const int64_t same[] = {INT64_MAX, INT64_MAX};
    uint64_t counts[3];
    uh_flow flow;
    test_good(uh_histogram_of(queue, ARRAY(UH_I64, x, 3), 3, NULL, counts, NULL, &flow));
    assert_int_equal(counts[0] + counts[1] + counts[2], 3);
    assert_true(flow.below == 0 && flow.above == 0);
    test_good(uh_histogram_of(queue, ARRAY(UH_U64, y, 2), 3, NULL, counts, NULL, &flow));
    assert_int_equal(counts[0] + counts[1] + counts[2], 2);
    test_good(uh_histogram_of(queue, ARRAY(UH_I64, same, 2), 1, NULL, counts, NULL, &flow));
    assert_int_equal(counts[0], 2);
}

/* ---- uh_histogram_of_edges ---- */

UNIT_TEST(given_edges_are_numpys_bins) {
    static const int32_t edges[] = {0, 21, 25, 28, 44, 47, 57, 70};
    static const float x[] = {0, 20.999F, 21, 27.9F, 28, 43.99F, 44, 47, 57, 70, -0.001F, 70.001F, NAN};
    static const uint64_t expected[] = {2, 1, 1, 2, 1, 1, 2};
    uint64_t counts[7];
    uh_flow flow;
    test_good(uh_histogram_of_edges(queue, ARRAY(UH_F32, x, 13), UH_I32, edges, 8, counts, &flow));
    assert_counts(counts, expected, 7);
    assert_true(flow.below == 1 && flow.above == 1 && flow.nan == 1);
    test_good(uh_histogram_of_edges(queue, ARRAY(UH_F32, x, 13), UH_I32, edges, 8, counts, NULL));
    assert_counts(counts, expected, 7);
}

UNIT_TEST(bad_edges_are_refused_and_nothing_is_stored) {
    static const double edges[] = {0, 2, 1}, x[] = {1};
    uint64_t counts[2] = {7, 7};
    uh_flow flow = {7, 7, 7};
    const char *call = "uh_histogram_of_edges";
    test_invalid(uh_histogram_of_edges(queue, ARRAY(UH_F64, x, 1), UH_F64, edges, 3, counts, &flow), call, "edges[2]",
                 "1");
    test_invalid(uh_histogram_of_edges(queue, ARRAY(UH_F64, x, 1), UH_F64, edges, 1, counts, &flow), call, "edges",
                 "1");
    test_invalid(uh_histogram_of_edges(queue, ARRAY(UH_F64, x, 1), UH_F64, NULL, 2, counts, &flow), call, "edges",
                 "NULL");
    test_invalid(uh_histogram_of_edges(queue, ARRAY(UH_F64, x, 1), (uh_dtype)12, edges, 2, counts, &flow), call,
                 "dtype", "12");
    test_invalid(uh_histogram_of_edges(queue, ARRAY(UH_F64, x, 1), UH_F64, edges, 2, NULL, &flow), call, "counts",
                 "NULL");
    test_invalid(uh_histogram_of_edges(queue, ARRAY(UH_F64, NULL, 1), UH_F64, edges, 2, counts, &flow), call, "x",
                 "NULL");
    test_invalid(uh_histogram_of_edges(NULL, ARRAY(UH_F64, x, 1), UH_F64, edges, 2, counts, &flow), call, "queue",
                 "NULL");
    assert_true(counts[0] == 7 && counts[1] == 7 && flow.below == 7 && flow.above == 7 && flow.nan == 7);
}

/* ---- uh_digitize ---- */

UNIT_TEST(digitize_is_numpys_on_both_sides) {
    static const double x[] = {0, 1, 2.5, 3, NAN, -1, INFINITY}, edges[] = {1, 2, 3};
    static const int64_t left[] = {0, 1, 2, 3, 3, 0, 3}, right[] = {0, 0, 2, 2, 3, 0, 3};
    int64_t index[7];
    test_good(uh_digitize(queue, ARRAY(UH_F64, x, 7), UH_F64, edges, 3, 0, index));
    assert_memory_equal(index, left, sizeof left);
    test_good(uh_digitize(queue, ARRAY(UH_F64, x, 7), UH_F64, edges, 3, -5, index));
    assert_memory_equal(index, right, sizeof right);
}

UNIT_TEST(digitize_takes_one_edge_alone) {
    static const float x[] = {0, 1, 2, NAN};
    static const uint8_t bytes[] = {0, 1, 2, 1};
    static const double edge[] = {1}, infinite[] = {INFINITY};
    static const int64_t left[] = {0, 1, 1, 1}, right[] = {0, 0, 1, 1}, none[] = {0, 0, 0, 1};
    static const int64_t bytes_left[] = {0, 1, 1, 1};
    int64_t index[4];
    test_good(uh_digitize(queue, ARRAY(UH_F32, x, 4), UH_F64, edge, 1, 0, index));
    assert_memory_equal(index, left, sizeof left);
    test_good(uh_digitize(queue, ARRAY(UH_F32, x, 4), UH_F64, edge, 1, 1, index));
    assert_memory_equal(index, right, sizeof right);
    test_good(uh_digitize(queue, ARRAY(UH_U8, bytes, 4), UH_F64, edge, 1, 0, index));
    assert_memory_equal(index, bytes_left, sizeof bytes_left);
    test_good(uh_digitize(queue, ARRAY(UH_F32, x, 4), UH_F64, infinite, 1, 0, index));
    assert_memory_equal(index, none, sizeof none);
    test_good(uh_digitize(queue, ARRAY(UH_F32, NULL, 0), UH_F64, edge, 1, 0, NULL));
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
            test_good(uh_digitize(queue, ARRAY(of_x, x + 1, n), of_edges, edges + 1, EDGES, right, index + 1));
            for (size_t i = 0; i < n; i++)
                assert_int_equal(index[i + 1], oracle_index(&oracle, oracle_value(of_x, x + 1 + i * size)));
            assert_true(index[0] == -77 && index[n + 1] == -77);
            oracle_axis_free(&oracle);
        }
    }
}

UNIT_TEST(bad_arguments_of_digitize_are_refused_and_nothing_is_stored) {
    static const double edges[] = {0, 1}, nan[] = {0, NAN}, x[] = {1};
    int64_t index[] = {7};
    const char *call = "uh_digitize";
    test_invalid(uh_digitize(NULL, ARRAY(UH_F64, x, 1), UH_F64, edges, 2, 0, index), call, "queue", "NULL");
    test_invalid(uh_digitize(queue, ARRAY((uh_dtype)-3, x, 1), UH_F64, edges, 2, 0, index), call, "dtype", "-3");
    test_invalid(uh_digitize(queue, ARRAY(UH_F64, NULL, 1), UH_F64, edges, 2, 0, index), call, "x", "NULL");
    test_invalid(uh_digitize(queue, ARRAY(UH_F64, x, 1), (uh_dtype)10, edges, 2, 0, index), call, "dtype", "10");
    test_invalid(uh_digitize(queue, ARRAY(UH_F64, x, 1), UH_F64, NULL, 2, 0, index), call, "edges", "NULL");
    test_invalid(uh_digitize(queue, ARRAY(UH_F64, x, 1), UH_F64, edges, 0, 0, index), call, "edges", "0");
    test_invalid(uh_digitize(queue, ARRAY(UH_F64, x, 1), UH_F64, nan, 2, 0, index), call, "edges[1]", "NaN");
    test_invalid(uh_digitize(queue, ARRAY(UH_F64, x, 1), UH_F64, edges, 2, 0, NULL), call, "index", "NULL");
    assert_int_equal(index[0], 7);
}

/* ---- uh_min_max ---- */

UNIT_TEST(smallest_and_largest_are_found_in_every_type_by_many_threads) {
    enum { VALUES = 300007 };
    char *x = malloc(VALUES * 8 + 1);
    assert_non_null(x);
    for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++) {
        size_t size = uh_dtype_size((uh_dtype)dtype);
        for (size_t n = 1; n <= VALUES; n = n < 300 ? n * 3 : n * 1000 + 7) {
            uint64_t seed = n, nans = 0, nan;
            long double least = INFINITY, most = -INFINITY;
            double min, max;
            for (size_t i = 0; i < n; i++) {
                uint64_t bits = test_random_u64(&seed);
                memcpy(x + 1 + i * size, &bits, size);
                long double value = oracle_value((uh_dtype)dtype, x + 1 + i * size);
                nans += isnan(value) != 0;
                least = value < least ? value : least;
                most = value > most ? value : most;
            }
            test_good(uh_min_max(queue, ARRAY((uh_dtype)dtype, x + 1, n), &min, &max, &nan));
            /* The next float64 inwards would leave out a value. */
            assert_true(min <= least && (min == least || nextafter(min, INFINITY) > least));
            assert_true(max >= most && (max == most || nextafter(max, -INFINITY) < most));
            assert_int_equal(nan, nans);
        }
    }
    free(x);
}

UNIT_TEST(the_range_of_nothing_is_upside_down) {
    static const double nan[] = {NAN, -NAN, NAN};
    static const uint64_t large[] = {UINT64_MAX, UINT64_MAX - 1};
    double min = 0, max = 0;
    uint64_t count = 7;
    test_good(uh_min_max(queue, ARRAY(UH_I32, NULL, 0), &min, &max, &count));
    assert_true(min > max && count == 0);
    test_good(uh_min_max(queue, ARRAY(UH_F64, nan, 3), &min, &max, &count));
    assert_true(min > max && count == 3);
    test_good(uh_min_max(queue, ARRAY(UH_U64, large, 2), &min, &max, &count));
    assert_true(min == 0x1p64 - 2048 && max == 0x1p64 && count == 0);
}

UNIT_TEST(bad_arguments_of_min_max_are_refused) {
    static const double x[] = {1};
    double min = 7, max = 7;
    uint64_t nan = 7;
    const char *call = "uh_min_max";
    test_invalid(uh_min_max(NULL, ARRAY(UH_F64, x, 1), &min, &max, &nan), call, "queue", "NULL");
    test_invalid(uh_min_max(queue, ARRAY((uh_dtype)10, x, 1), &min, &max, &nan), call, "dtype", "10");
    test_invalid(uh_min_max(queue, ARRAY(UH_F64, NULL, 1), &min, &max, &nan), call, "x", "NULL");
    test_invalid(uh_min_max(queue, ARRAY(UH_F64, x, 1), NULL, &max, &nan), call, "min", "NULL");
    test_invalid(uh_min_max(queue, ARRAY(UH_F64, x, 1), &min, NULL, &nan), call, "max", "NULL");
    test_invalid(uh_min_max(queue, ARRAY(UH_F64, x, 1), &min, &max, NULL), call, "nan", "NULL");
    assert_true(min == 7 && max == 7 && nan == 7);
}

/* ---- strides ---- */

/* Values far apart and backwards, with others between them that must not be seen. */
UNIT_TEST(strided_arrays_give_what_dense_ones_do) {
    enum { N = 5000, APART = 3, BINS = 40 };
    static double dense[N], apart[APART * N];
    static int64_t index[2][N];
    const uh_array *x[] = {ARRAY(UH_F64, dense, N), STRIDED(UH_F64, apart + APART * (N - 1), N, -APART * 8)};
    uint64_t counts[2][BINS], nan[2], seed = 4;
    double sums[2][BINS], edges[2][BINS + 1], min[2], max[2];
    for (size_t i = 0; i < APART * N; i++)
        apart[i] = 1e9;
    for (size_t i = 0; i < N; i++)
        apart[APART * (N - 1 - i)] = dense[i] = test_random_f64(&seed) - 0.5;
    for (size_t k = 0; k < 2; k++) {
        test_good(uh_min_max(queue, x[k], &min[k], &max[k], &nan[k]));
        test_good(uh_histogram_of(queue, x[k], BINS, NULL, counts[k], edges[k], NULL));
        test_good(uh_histogram_weighted(queue, x[0], x[k], BINS, NULL, sums[k], NULL));
        test_good(uh_digitize(queue, x[k], UH_F64, edges[0], BINS + 1, 0, index[k]));
    }
    assert_true(min[0] == min[1] && max[0] == max[1] && nan[0] == nan[1] && max[1] < 1);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_memory_equal(edges[0], edges[1], sizeof edges[0]);
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    assert_memory_equal(index[0], index[1], sizeof index[0]);
}

TEST_MAIN(test_histogram_of) {
    return TEST_RUN(make_queue, destroy_queue);
}
