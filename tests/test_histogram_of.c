/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, indices and ranges in one call, against NumPy's answers (1.24) and the oracle. */
#include "tests/support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

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

static void assert_refused(uh_status status, const char *call, const char *argument, const char *value) {
    assert_int_equal(status, UH_ERROR_INVALID_ARGUMENT);
    if (!strstr(uh_last_error(), call) || !strstr(uh_last_error(), argument) || !strstr(uh_last_error(), value))
        fail_msg("'%s' does not name %s, %s and %s", uh_last_error(), call, argument, value);
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

static void the_range_is_the_datas_own(void **state) {
    static const double x[] = {1, 2, 3, 4}, edges_x[] = {1, 2, 3, 4};
    static const int16_t y[] = {-1, 0, 0, 5, 250};
    static const uint64_t counts_x[] = {1, 1, 2}, counts_y[] = {4, 0, 0, 0, 1};
    uint64_t counts[5];
    double edges[6];
    uh_flow flow;
    (void)state;
    assert_int_equal(uh_histogram_of(queue, UH_F64, x, 4, 3, NULL, counts, edges, &flow), UH_SUCCESS);
    assert_counts(counts, counts_x, 3);
    assert_edges(edges, edges_x, 4);
    assert_true(flow.below == 0 && flow.above == 0 && flow.nan == 0);
    assert_int_equal(uh_histogram_of(queue, UH_I16, y, 5, 5, NULL, counts, NULL, NULL), UH_SUCCESS);
    assert_counts(counts, counts_y, 5);
}

static void equal_values_get_half_a_unit_to_both_sides(void **state) {
    static const float x[] = {2, 2};
    static const double expected[] = {1.5, 1.75, 2, 2.25, 2.5};
    static const uint64_t expected_counts[] = {0, 0, 2, 0};
    uint64_t counts[4];
    double edges[5];
    (void)state;
    assert_int_equal(uh_histogram_of(queue, UH_F32, x, 2, 4, NULL, counts, edges, NULL), UH_SUCCESS);
    assert_edges(edges, expected, 5);
    assert_counts(counts, expected_counts, 4);
}

static void no_values_get_bins_from_0_to_1(void **state) {
    uint64_t counts[4] = {9, 9, 9, 9};
    double edges[5];
    uh_flow flow = {9, 9, 9};
    static const double expected[] = {0, 0.25, 0.5, 0.75, 1};
    static const uint64_t zero[4] = {0};
    (void)state;
    assert_int_equal(uh_histogram_of(queue, UH_U16, NULL, 0, 4, NULL, counts, edges, &flow), UH_SUCCESS);
    assert_edges(edges, expected, 5);
    assert_counts(counts, zero, 4);
    assert_true(flow.below == 0 && flow.above == 0 && flow.nan == 0);
}

static void a_given_range_counts_what_lies_outside_and_nan(void **state) {
    static const double x[] = {-1, 0, 0.5, 1, 2, 2.5, NAN, INFINITY, -INFINITY}, range[] = {0, 2};
    static const uint64_t expected[] = {2, 2};
    uint64_t counts[2];
    uh_flow flow;
    (void)state;
    assert_int_equal(uh_histogram_of(queue, UH_F64, x, 9, 2, range, counts, NULL, &flow), UH_SUCCESS);
    assert_counts(counts, expected, 2);
    assert_true(flow.below == 2 && flow.above == 2 && flow.nan == 1);
}

static void a_range_of_the_datas_own_needs_finite_numbers(void **state) {
    static const double nan[] = {0, NAN, 1, -NAN}, infinite[] = {0, 1, INFINITY}, minus[] = {-INFINITY, 1};
    static const double huge[] = {-DBL_MAX, DBL_MAX}, backwards[] = {2, 1}, nan_range[] = {0, NAN};
    uint64_t counts[2] = {7, 7};
    double edges[3] = {7, 7, 7};
    uh_flow flow = {7, 7, 7};
    const char *call = "uh_histogram_of:";
    (void)state;
    assert_refused(uh_histogram_of(queue, UH_F64, nan, 4, 2, NULL, counts, edges, &flow), call, "x", "2 NaN");
    assert_refused(uh_histogram_of(queue, UH_F64, infinite, 3, 2, NULL, counts, edges, &flow), call, "x", "inf");
    assert_refused(uh_histogram_of(queue, UH_F64, minus, 2, 2, NULL, counts, edges, &flow), call, "x", "-inf");
    assert_refused(uh_histogram_of(queue, UH_F64, huge, 2, 2, NULL, counts, edges, &flow), call, "1.79", "overflow");
    assert_refused(uh_histogram_of(queue, UH_F64, huge, 2, 0, NULL, counts, edges, &flow), call, "bins", "0");
    assert_refused(uh_histogram_of(queue, UH_F64, huge, 2, 2, backwards, counts, edges, &flow), call, "2", "1");
    assert_refused(uh_histogram_of(queue, UH_F64, huge, 2, 2, nan_range, counts, edges, &flow), call, "hi", "nan");
    assert_refused(uh_histogram_of(queue, UH_F64, huge, 2, 2, nan_range, NULL, edges, &flow), call, "counts", "NULL");
    assert_refused(uh_histogram_of(queue, UH_F64, NULL, 2, 2, nan_range, counts, edges, &flow), call, "x", "NULL");
    assert_refused(uh_histogram_of(NULL, UH_F64, huge, 2, 2, NULL, counts, edges, &flow), call, "queue", "NULL");
    assert_refused(uh_histogram_of(queue, (uh_dtype)33, huge, 2, 2, NULL, counts, edges, &flow), call, "dtype", "33");
    assert_true(counts[0] == 7 && counts[1] == 7 && edges[0] == 7 && edges[2] == 7 && flow.below == 7 && flow.nan == 7);
}

static void the_datas_own_range_holds_integers_that_float64_rounds(void **state) {
    static const int64_t x[] = {9007199254740995, 9007199254741011, 9007199254741001}; /* the ends round inwards */
    static const uint64_t y[] = {UINT64_MAX - 3000, UINT64_MAX};
    static const int64_t same[] = {INT64_MAX, INT64_MAX};
    uint64_t counts[3];
    uh_flow flow;
    (void)state;
    assert_int_equal(uh_histogram_of(queue, UH_I64, x, 3, 3, NULL, counts, NULL, &flow), UH_SUCCESS);
    assert_int_equal(counts[0] + counts[1] + counts[2], 3);
    assert_true(flow.below == 0 && flow.above == 0);
    assert_int_equal(uh_histogram_of(queue, UH_U64, y, 2, 3, NULL, counts, NULL, &flow), UH_SUCCESS);
    assert_int_equal(counts[0] + counts[1] + counts[2], 2);
    assert_int_equal(uh_histogram_of(queue, UH_I64, same, 2, 1, NULL, counts, NULL, &flow), UH_SUCCESS);
    assert_int_equal(counts[0], 2);
}

/* ---- uh_histogram_of_edges ---- */

static void given_edges_are_numpys_bins(void **state) {
    static const int32_t edges[] = {0, 21, 25, 28, 44, 47, 57, 70};
    static const float x[] = {0, 20.999F, 21, 27.9F, 28, 43.99F, 44, 47, 57, 70, -0.001F, 70.001F, NAN};
    static const uint64_t expected[] = {2, 1, 1, 2, 1, 1, 2};
    uint64_t counts[7];
    uh_flow flow;
    (void)state;
    assert_int_equal(uh_histogram_of_edges(queue, UH_F32, x, 13, UH_I32, edges, 8, counts, &flow), UH_SUCCESS);
    assert_counts(counts, expected, 7);
    assert_true(flow.below == 1 && flow.above == 1 && flow.nan == 1);
    assert_int_equal(uh_histogram_of_edges(queue, UH_F32, x, 13, UH_I32, edges, 8, counts, NULL), UH_SUCCESS);
    assert_counts(counts, expected, 7);
}

static void bad_edges_are_refused_and_nothing_is_stored(void **state) {
    static const double edges[] = {0, 2, 1}, x[] = {1};
    uint64_t counts[2] = {7, 7};
    uh_flow flow = {7, 7, 7};
    const char *call = "uh_histogram_of_edges";
    (void)state;
    assert_refused(uh_histogram_of_edges(queue, UH_F64, x, 1, UH_F64, edges, 3, counts, &flow), call, "edges[2]", "1");
    assert_refused(uh_histogram_of_edges(queue, UH_F64, x, 1, UH_F64, edges, 1, counts, &flow), call, "edges", "1");
    assert_refused(uh_histogram_of_edges(queue, UH_F64, x, 1, UH_F64, NULL, 2, counts, &flow), call, "edges", "NULL");
    assert_refused(uh_histogram_of_edges(queue, UH_F64, x, 1, (uh_dtype)12, edges, 2, counts, &flow), call, "dtype",
                   "12");
    assert_refused(uh_histogram_of_edges(queue, UH_F64, x, 1, UH_F64, edges, 2, NULL, &flow), call, "counts", "NULL");
    assert_refused(uh_histogram_of_edges(queue, UH_F64, NULL, 1, UH_F64, edges, 2, counts, &flow), call, "x", "NULL");
    assert_refused(uh_histogram_of_edges(NULL, UH_F64, x, 1, UH_F64, edges, 2, counts, &flow), call, "queue", "NULL");
    assert_true(counts[0] == 7 && counts[1] == 7 && flow.below == 7 && flow.above == 7 && flow.nan == 7);
}

/* ---- uh_digitize ---- */

static void digitize_is_numpys_on_both_sides(void **state) {
    static const double x[] = {0, 1, 2.5, 3, NAN, -1, INFINITY}, edges[] = {1, 2, 3};
    static const int64_t left[] = {0, 1, 2, 3, 3, 0, 3}, right[] = {0, 0, 2, 2, 3, 0, 3};
    int64_t index[7];
    (void)state;
    assert_int_equal(uh_digitize(queue, UH_F64, x, 7, UH_F64, edges, 3, 0, index), UH_SUCCESS);
    assert_memory_equal(index, left, sizeof left);
    assert_int_equal(uh_digitize(queue, UH_F64, x, 7, UH_F64, edges, 3, -5, index), UH_SUCCESS);
    assert_memory_equal(index, right, sizeof right);
}

static void digitize_takes_one_edge_alone(void **state) {
    static const float x[] = {0, 1, 2, NAN};
    static const uint8_t bytes[] = {0, 1, 2, 1};
    static const double edge[] = {1}, infinite[] = {INFINITY};
    static const int64_t left[] = {0, 1, 1, 1}, right[] = {0, 0, 1, 1}, none[] = {0, 0, 0, 1};
    static const int64_t bytes_left[] = {0, 1, 1, 1};
    int64_t index[4];
    (void)state;
    assert_int_equal(uh_digitize(queue, UH_F32, x, 4, UH_F64, edge, 1, 0, index), UH_SUCCESS);
    assert_memory_equal(index, left, sizeof left);
    assert_int_equal(uh_digitize(queue, UH_F32, x, 4, UH_F64, edge, 1, 1, index), UH_SUCCESS);
    assert_memory_equal(index, right, sizeof right);
    assert_int_equal(uh_digitize(queue, UH_U8, bytes, 4, UH_F64, edge, 1, 0, index), UH_SUCCESS);
    assert_memory_equal(index, bytes_left, sizeof bytes_left);
    assert_int_equal(uh_digitize(queue, UH_F32, x, 4, UH_F64, infinite, 1, 0, index), UH_SUCCESS);
    assert_memory_equal(index, none, sizeof none);
    assert_int_equal(uh_digitize(queue, UH_F32, NULL, 0, UH_F64, edge, 1, 0, NULL), UH_SUCCESS);
}

static void digitize_agrees_with_the_oracle_for_every_pair_of_types(void **state) {
    enum { VALUES = 700, EDGES = 40 };
    (void)state;
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
            assert_int_equal(uh_digitize(queue, of_x, x + 1, n, of_edges, edges + 1, EDGES, right, index + 1),
                             UH_SUCCESS);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(index[i + 1], oracle_index(&oracle, oracle_value(of_x, x + 1 + i * size)));
            assert_true(index[0] == -77 && index[n + 1] == -77);
            oracle_axis_free(&oracle);
        }
    }
}

static void bad_arguments_of_digitize_are_refused_and_nothing_is_stored(void **state) {
    static const double edges[] = {0, 1}, nan[] = {0, NAN}, x[] = {1};
    int64_t index[] = {7};
    const char *call = "uh_digitize";
    (void)state;
    assert_refused(uh_digitize(NULL, UH_F64, x, 1, UH_F64, edges, 2, 0, index), call, "queue", "NULL");
    assert_refused(uh_digitize(queue, (uh_dtype)-3, x, 1, UH_F64, edges, 2, 0, index), call, "dtype", "-3");
    assert_refused(uh_digitize(queue, UH_F64, NULL, 1, UH_F64, edges, 2, 0, index), call, "x", "NULL");
    assert_refused(uh_digitize(queue, UH_F64, x, 1, (uh_dtype)10, edges, 2, 0, index), call, "dtype", "10");
    assert_refused(uh_digitize(queue, UH_F64, x, 1, UH_F64, NULL, 2, 0, index), call, "edges", "NULL");
    assert_refused(uh_digitize(queue, UH_F64, x, 1, UH_F64, edges, 0, 0, index), call, "edges", "0");
    assert_refused(uh_digitize(queue, UH_F64, x, 1, UH_F64, nan, 2, 0, index), call, "edges[1]", "NaN");
    assert_refused(uh_digitize(queue, UH_F64, x, 1, UH_F64, edges, 2, 0, NULL), call, "index", "NULL");
    assert_int_equal(index[0], 7);
}

/* ---- uh_min_max ---- */

static void smallest_and_largest_are_found_in_every_type_by_many_threads(void **state) {
    enum { VALUES = 300007 };
    char *x = malloc(VALUES * 8 + 1);
    (void)state;
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
            assert_int_equal(uh_min_max(queue, (uh_dtype)dtype, x + 1, n, &min, &max, &nan), UH_SUCCESS);
            /* The next float64 inwards would leave out a value. */
            assert_true(min <= least && (min == least || nextafter(min, INFINITY) > least));
            assert_true(max >= most && (max == most || nextafter(max, -INFINITY) < most));
            assert_int_equal(nan, nans);
        }
    }
    free(x);
}

static void the_range_of_nothing_is_upside_down(void **state) {
    static const double nan[] = {NAN, -NAN, NAN};
    static const uint64_t large[] = {UINT64_MAX, UINT64_MAX - 1};
    double min = 0, max = 0;
    uint64_t count = 7;
    (void)state;
    assert_int_equal(uh_min_max(queue, UH_I32, NULL, 0, &min, &max, &count), UH_SUCCESS);
    assert_true(min > max && count == 0);
    assert_int_equal(uh_min_max(queue, UH_F64, nan, 3, &min, &max, &count), UH_SUCCESS);
    assert_true(min > max && count == 3);
    assert_int_equal(uh_min_max(queue, UH_U64, large, 2, &min, &max, &count), UH_SUCCESS);
    assert_true(min == 0x1p64 - 2048 && max == 0x1p64 && count == 0);
}

static void bad_arguments_of_min_max_are_refused(void **state) {
    static const double x[] = {1};
    double min = 7, max = 7;
    uint64_t nan = 7;
    const char *call = "uh_min_max";
    (void)state;
    assert_refused(uh_min_max(NULL, UH_F64, x, 1, &min, &max, &nan), call, "queue", "NULL");
    assert_refused(uh_min_max(queue, (uh_dtype)10, x, 1, &min, &max, &nan), call, "dtype", "10");
    assert_refused(uh_min_max(queue, UH_F64, NULL, 1, &min, &max, &nan), call, "x", "NULL");
    assert_refused(uh_min_max(queue, UH_F64, x, 1, NULL, &max, &nan), call, "min", "NULL");
    assert_refused(uh_min_max(queue, UH_F64, x, 1, &min, NULL, &nan), call, "max", "NULL");
    assert_refused(uh_min_max(queue, UH_F64, x, 1, &min, &max, NULL), call, "nan", "NULL");
    assert_true(min == 7 && max == 7 && nan == 7);
}

TEST_MAIN(test_histogram_of) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_range_is_the_datas_own),
        cmocka_unit_test(equal_values_get_half_a_unit_to_both_sides),
        cmocka_unit_test(no_values_get_bins_from_0_to_1),
        cmocka_unit_test(a_given_range_counts_what_lies_outside_and_nan),
        cmocka_unit_test(a_range_of_the_datas_own_needs_finite_numbers),
        cmocka_unit_test(the_datas_own_range_holds_integers_that_float64_rounds),
        cmocka_unit_test(given_edges_are_numpys_bins),
        cmocka_unit_test(bad_edges_are_refused_and_nothing_is_stored),
        cmocka_unit_test(digitize_is_numpys_on_both_sides),
        cmocka_unit_test(digitize_takes_one_edge_alone),
        cmocka_unit_test(digitize_agrees_with_the_oracle_for_every_pair_of_types),
        cmocka_unit_test(bad_arguments_of_digitize_are_refused_and_nothing_is_stored),
        cmocka_unit_test(smallest_and_largest_are_found_in_every_type_by_many_threads),
        cmocka_unit_test(the_range_of_nothing_is_upside_down),
        cmocka_unit_test(bad_arguments_of_min_max_are_refused),
    };
    return cmocka_run_group_tests(tests, make_queue, destroy_queue);
}
