/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer beside their description (cases_bincount.c): values of several types in one counter, what
 * memory does not hold, sums that are no number, and wrong arguments. */
#include "tests/arrays.h"
#include "tests/tested.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "kernels/bincount/bincount_limit.h"

UNIT_TEST(a_counter_gathers_over_fills_of_several_types) {
    enum { N = 100003, LENGTH = 22000 };
    static const uh_dtype integers[] = {UH_I8, UH_I16, UH_I32, UH_I64, UH_U8, UH_U16, UH_U32, UH_U64};
    static uint64_t x[N], expected[LENGTH], counts[LENGTH];
    uh_counter *counter = NULL;
    test_good(uh_counter_create(tested.queue, NULL, &counter));
    size_t length = 0;
    memset(expected, 0, sizeof expected);
    for (uint64_t round = 0; round < 12; round++) {
        const uh_dtype dtype = integers[round % 8];
        const size_t size = uh_dtype_size(dtype), n = round % 2 ? N : 500;
        const uint64_t bins = round < 4 ? 100 : size == 1 ? 90 : 2000 * round;
        uint64_t seed = round;
        for (size_t i = 0; i < n; i++) {
            const uint64_t value = i + 1 == n ? bins - 1 : test_random_u64(&seed) % bins;
            memcpy((char *)x + i * size, &value, size); /* little-endian */
            expected[value]++;
        }
        test_good(uh_counter_fill(counter, dtype, x, n));
        length = bins > length ? bins : length;
        assert_int_equal(uh_counter_length(counter), length);
        test_good(uh_counter_counts(counter, counts));
        assert_memory_equal(counts, expected, length * sizeof *counts);
    }
    test_good(uh_counter_destroy(counter));
}

UNIT_TEST(a_result_larger_than_memory_is_refused_before_it_is_allocated) {
    enum { MANY = 100003 };
    static uint64_t x[MANY];
    static const struct {
        size_t n;
        uint64_t value;
        const char *text;
    } rows[] = {{10, UINT64_MAX, "x[5] is 18446744073709551615"},
                {10, (uint64_t)1 << 62, "x[5] is 4611686018427387904"},
                {MANY, UINT64_MAX, "x[50001] is 18446744073709551615"},
                {MANY, (uint64_t)1 << 62, "x[50001] is 4611686018427387904"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t *counts = NULL, one = 0;
        size_t length = 99;
        uh_counter *counter = NULL;
        x[rows[i].n / 2] = rows[i].value;
        test_assert_failed(uh_bincount(tested.queue, UH_U64, x, rows[i].n, 0, &counts, &length), UH_ERROR_OUT_OF_MEMORY,
                           rows[i].text, "memory holds");
        test_assert_failed(uh_bincount_length(tested.queue, UH_U64, x, rows[i].n, 0, &length), UH_ERROR_OUT_OF_MEMORY,
                           rows[i].text, "memory holds");
        assert_true(!counts && length == 99);
        test_good(uh_counter_create(tested.queue, NULL, &counter));
        test_good(uh_counter_fill(counter, UH_U64, x, 1));
        test_assert_failed(uh_counter_fill(counter, UH_U64, x, rows[i].n), UH_ERROR_OUT_OF_MEMORY, rows[i].text);
        assert_int_equal(uh_counter_length(counter), 1);
        test_good(uh_counter_counts(counter, &one));
        assert_int_equal(one, 1);
        test_good(uh_counter_destroy(counter));
        x[rows[i].n / 2] = 0;
    }
}

UNIT_TEST(more_bins_than_a_device_numbers_are_refused) {
    const uint64_t x[] = {(uint64_t)1 << 31};
    uint64_t *found = NULL;
    size_t length;
    tested_on_devices_only();
    if (uhi_bincount_room() <= x[0]) {
        printf("skipped: this machine's memory holds fewer bins\n");
        skip();
    }
    test_assert_failed(uh_bincount(tested.queue, UH_U64, x, 1, 0, &found, &length), UH_ERROR_UNSUPPORTED, "2147483648",
                       "the host counts more");
}

UNIT_TEST(wrong_arguments_are_named) {
    const float f = 1;
    const int32_t i = 1;
    const uint32_t u = 1;
    const struct {
        uh_counter_options options;
        uh_status status;
        const char *text;
    } refused[] = {
        {{.struct_size = 1}, UH_ERROR_INVALID_ARGUMENT, "struct_size"},
        {{.struct_size = sizeof(uh_counter_options), .storage = UH_STORAGE_MEAN},
         UH_ERROR_INVALID_ARGUMENT,
         "storage is 3"},
        {{.struct_size = sizeof(uh_counter_options), .has_max = 1, .max = UINT64_MAX},
         UH_ERROR_OUT_OF_MEMORY,
         "max is 1844674407370955"},
    };
    uh_queue *const queue = tested.queue;
    uint64_t *counts, few[4];
    double *sums, sum;
    int64_t *whole;
    size_t length;
    uh_counter *counter = NULL;
    test_invalid(uh_bincount(queue, UH_F32, &f, 1, 0, &counts, &length), "dtype is float32", "integers");
    test_invalid(uh_bincount(queue, UH_F64, NULL, 0, 0, &counts, &length), "dtype is float64");
    test_invalid(uh_bincount(queue, (uh_dtype)77, &i, 1, 0, &counts, &length), "dtype is 77");
    test_invalid(uh_bincount(NULL, UH_I32, &i, 1, 0, &counts, &length), "queue");
    test_invalid(uh_bincount(queue, UH_I32, NULL, 1, 0, &counts, &length), "x is NULL");
    test_invalid(uh_bincount(queue, UH_I32, &i, 1, 0, NULL, &length), "counts");
    test_invalid(uh_bincount(queue, UH_I32, &i, 1, 0, &counts, NULL), "length");
    test_assert_failed(uh_bincount(queue, UH_I32, &i, 1, SIZE_MAX, &counts, &length), UH_ERROR_OUT_OF_MEMORY,
                       "minlength is");
    test_good(uh_bincount_length(queue, UH_I32, NULL, 0, 5, &length));
    assert_int_equal(length, 5);
    test_invalid(uh_bincount_into(queue, UH_I32, &i, 1, few, 0), "length is 0");
    test_invalid(uh_bincount_into(queue, UH_I32, &i, 1, few, 1), "uh_bincount_into", "x[0] is 1", "at most 0");
    test_invalid(uh_bincount_weighted(queue, UH_I32, &i, 1, UH_F32, &f, 2, 0, UH_SUM_EXACT, &sums, &length),
                 "nweights is 2, expected 1");
    test_invalid(uh_bincount_weighted(queue, UH_I32, &i, 1, UH_U32, &u, 1, 0, UH_SUM_EXACT, &sums, &length),
                 "weight_dtype is uint32");
    test_invalid(uh_bincount_weighted(queue, UH_I32, &i, 1, UH_F32, NULL, 1, 0, UH_SUM_EXACT, &sums, &length),
                 "weights is NULL");
    test_invalid(uh_bincount_weighted_i64(queue, UH_I32, &i, 1, UH_F32, &f, 1, 0, &whole, &length),
                 "weight_dtype is float32", "int32 or int64");
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++)
        test_assert_failed(uh_counter_create(queue, &refused[r].options, &counter), refused[r].status, refused[r].text);
    test_good(uh_counter_create(queue, NULL, &counter));
    test_invalid(uh_counter_fill_weighted(counter, UH_I32, &i, 1, UH_F32, &f, 1), "storage is count");
    test_invalid(uh_counter_sums(counter, &sum), "storage is count");
    assert_int_equal(uh_queue_destroy(queue), UH_ERROR_IN_USE);
    test_good(uh_counter_destroy(counter));
}

/* ---- weights ---- */

UNIT_TEST(a_sum_of_integers_that_is_no_int64_is_an_error) {
    const int32_t x[] = {1, 1, 0};
    const int64_t w[] = {INT64_MAX, INT64_MAX, 5}, fits[] = {INT64_MAX, 1 - INT64_MAX, INT64_MIN};
    int64_t *sums = NULL;
    size_t length;
    test_assert_failed(uh_bincount_weighted_i64(tested.queue, UH_I32, x, 3, UH_I64, w, 3, 0, &sums, &length),
                       UH_ERROR_OVERFLOW, "uh_bincount_weighted_i64");
    test_good(uh_bincount_weighted_i64(tested.queue, UH_I32, x, 3, UH_I64, fits, 3, 0, &sums, &length));
    assert_true(length == 2 && sums[0] == INT64_MIN && sums[1] == 1);
    uh_bincount_free(sums);
}

UNIT_TEST(weights_that_are_not_finite_stay_in_their_bins) {
    const uint8_t x[] = {0, 1, 2, 3, 3, 4};
    const double w[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY, 2.5};
    double *sums = NULL;
    size_t length;
    test_good(uh_bincount_weighted(tested.queue, UH_U8, x, 6, UH_F64, w, 6, 6, UH_SUM_EXACT, &sums, &length));
    assert_int_equal(length, 6);
    assert_true(isnan(sums[0]) && isinf(sums[1]) && sums[1] > 0 && isinf(sums[2]) && sums[2] < 0 && isnan(sums[3]));
    assert_true(sums[4] == 2.5 && sums[5] == 0);
    uh_bincount_free(sums);
}

UNIT_TEST(weighted_fills_gather_and_a_refused_one_adds_nothing) {
    uh_counter *counter = NULL;
    uh_counter_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_SUM};
    for (int given = 0; given < 2; given++) {
        const int16_t x[] = {3, 0, 3}, bad[] = {2, 900, -1};
        const float w[] = {1.5F, 2, 4};
        double sums[1000] = {0};
        options.has_max = given;
        options.max = 899;
        test_good(uh_counter_create(tested.queue, &options, &counter));
        test_invalid(uh_counter_fill_weighted(counter, UH_I16, bad, 3, UH_F32, w, 3),
                     given ? "x[1] is 900" : "x[2] is -1");
        assert_int_equal(uh_counter_length(counter), 0);
        test_good(uh_counter_fill_weighted(counter, UH_I16, x, 3, UH_F32, w, 3));
        test_invalid(uh_counter_fill_weighted(counter, UH_I16, bad, 3, UH_F32, w, 3),
                     given ? "x[1] is 900" : "x[2] is -1");
        assert_int_equal(uh_counter_length(counter), 4);
        const uint32_t far[] = {given ? 899 : 999};
        test_good(uh_counter_fill(counter, UH_U32, far, 1)); /* weight 1 */
        assert_int_equal(uh_counter_length(counter), far[0] + 1);
        test_good(uh_counter_sums(counter, sums));
        assert_true(sums[0] == 2 && sums[1] == 0 && sums[2] == 0 && sums[3] == 5.5 && sums[far[0]] == 1);
        int64_t whole[1000];
        test_assert_failed(uh_counter_sums_i64(counter, whole), UH_ERROR_OVERFLOW, "uh_counter_sums_i64");
        uh_counter_destroy(counter);
    }
}

/* ---- histc ---- */

UNIT_TEST(histc_follows_torch) {
    const float x[] = {1, 2, 1};
    const float with_nan[] = {0.5F, NAN, -1, 7, 2, 2.5F};
    const int32_t whole[] = {4, 4, 4};
    uint64_t counts[4];
    /* torch.histc(torch.tensor([1., 2, 1]), bins=4, min=0, max=3): the documentation's own example */
    test_good(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 4, 0, 3, counts));
    assert_true(counts[0] == 0 && counts[1] == 2 && counts[2] == 1 && counts[3] == 0);
    test_good(uh_histc(tested.queue, ARRAY(UH_F32, with_nan, 6), 2, 0, 2, counts));
    assert_true(counts[0] == 1 && counts[1] == 1); /* 2 is max, and included */
    test_good(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 2, 0, 0, counts));
    assert_true(counts[0] == 2 && counts[1] == 1);
    test_good(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 2, 5, 5, counts)); /* the data's own range as well */
    assert_true(counts[0] == 2 && counts[1] == 1);
    test_good(uh_histc(tested.queue, ARRAY(UH_I32, whole, 3), 4, 0, 0, counts)); /* 3 to 5 */
    assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 3 && counts[3] == 0);
    test_good(uh_histc(tested.queue, ARRAY(UH_F32, NULL, 0), 2, 0, 0, counts));
    assert_true(counts[0] == 0 && counts[1] == 0);
    const uint64_t before = counts[0] = 77;
    test_invalid(uh_histc(tested.queue, ARRAY(UH_F32, with_nan, 6), 2, 0, 0, counts), "not finite");
    test_invalid(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 2, 0, (double)INFINITY, counts), "finite");
    test_invalid(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 2, 3, 1, counts), "max is 1");
    test_invalid(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 0, 0, 1, counts), "bins is 0");
    test_invalid(uh_histc(tested.queue, ARRAY(UH_F32, x, 3), 2, 0, 1, NULL), "counts");
    assert_int_equal(counts[0], before);
}

UNIT_TEST(nothing_but_nan_has_no_smallest_value) {
    const float nothing[] = {NAN, -NAN, NAN}, zeros[] = {-0.0F, NAN, 0.0F};
    double low, high;
    uint64_t nan;
    test_good(uh_min_max(tested.queue, ARRAY(UH_F32, nothing, 3), &low, &high, &nan));
    assert_true(isinf(low) && low > 0 && isinf(high) && high < 0 && nan == 3);
    test_good(uh_min_max(tested.queue, ARRAY(UH_F32, zeros, 3), &low, &high, &nan));
    assert_true(low == 0 && high == 0 && !signbit(low) && !signbit(high) && nan == 1);
}

TESTED_MAIN(test_bincount)
