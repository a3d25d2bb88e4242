/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer against loops that are obvious, and the errors. UNIHIST_TEST_DEVICE chooses the device,
 * the host by default. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "api/counter.h"
#include "tests/fixture.h"

enum { N = 100003, GUARD = 0x5a };

static uh_queue *queue;
static int on_host;

static const uh_dtype integers[] = {UH_I8, UH_I16, UH_I32, UH_I64, UH_U8, UH_U16, UH_U32, UH_U64};
enum { INTEGERS = sizeof integers / sizeof *integers };

/* Stores a value of any integer type. */
static void put(uh_dtype dtype, void *x, size_t i, int64_t value) {
    const size_t size = uh_dtype_size(dtype);
    memcpy((char *)x + i * size, &value, size); /* little-endian */
}

/* Values below `bins`, all of them where there are enough, the largest last. */
static void *make_values(uh_dtype dtype, size_t n, uint64_t bins, uint64_t seed) {
    char *x = malloc((n ? n : 1) * uh_dtype_size(dtype));
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        put(dtype, x, i, (int64_t)(i + 1 == n ? bins - 1 : test_random_u64(&seed) % bins));
    return x;
}

static uint64_t value_at(uh_dtype dtype, const void *x, size_t i) {
    uint64_t value = 0;
    memcpy(&value, (const char *)x + i * uh_dtype_size(dtype), uh_dtype_size(dtype));
    return value;
}

static uint64_t *count_by_hand(uh_dtype dtype, const void *x, size_t n, size_t length) {
    uint64_t *counts = calloc(length ? length : 1, sizeof *counts);
    assert_non_null(counts);
    for (size_t i = 0; i < n; i++)
        counts[value_at(dtype, x, i)]++;
    return counts;
}

static uint64_t largest_of(uh_dtype dtype) {
    switch (dtype) {
    case UH_I8: return INT8_MAX;
    case UH_U8: return UINT8_MAX;
    case UH_I16: return INT16_MAX;
    case UH_U16: return UINT16_MAX;
    default: return 1 << 20;
    }
}

/* ---- counts ---- */

static void check_counts(uh_dtype dtype, const void *x, size_t n, size_t minlength, size_t expected_length) {
    uint64_t *expected = count_by_hand(dtype, x, n, expected_length), *counts = NULL;
    size_t length = 0, alone = 0;
    if (uh_bincount(queue, dtype, x, n, minlength, &counts, &length))
        fail_msg("%s", uh_last_error());
    assert_int_equal(length, expected_length);
    assert_memory_equal(counts, expected, length * sizeof *counts);
    uh_bincount_free(counts);
    assert_int_equal(uh_bincount_length(queue, dtype, x, n, minlength, &alone), UH_SUCCESS);
    assert_int_equal(alone, expected_length);
    /* The same with the length given, between guards. */
    uint64_t *room = malloc((length + 2) * sizeof *room);
    assert_non_null(room);
    memset(room, GUARD, (length + 2) * sizeof *room);
    const uint64_t guard = room[0];
    if (uh_bincount_into(queue, dtype, x, n, room + 1, length))
        fail_msg("%s", uh_last_error());
    assert_memory_equal(room + 1, expected, length * sizeof *expected);
    assert_true(room[0] == guard && room[length + 1] == guard);
    free(room);
    free(expected);
}

static void every_type_is_counted_whatever_its_number_of_bins(void **state) {
    (void)state;
    const uint64_t bins[] = {1, 2, 100, 127, 128, 256, 1000, 1024, 1025, 20000, 32768, 32769, 65536, 300000};
    for (size_t t = 0; t < INTEGERS; t++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
            if (bins[b] - 1 > largest_of(integers[t]) || (!on_host && b % 3 == 1))
                continue;
            void *x = make_values(integers[t], N, bins[b], b);
            check_counts(integers[t], x, N, 0, bins[b]);
            free(x);
        }
}

static void every_length_of_input_is_counted(void **state) {
    (void)state;
    for (size_t n = 1; n < 5000; n += n < 200 && on_host ? 1 : 997) {
        void *x = make_values(UH_I32, n, 777, n);
        check_counts(UH_I32, x, n, 0, 777);
        free(x);
    }
}

static void minlength_pads_with_zeros(void **state) {
    (void)state;
    void *x = make_values(UH_U16, N, 50, 3);
    check_counts(UH_U16, x, N, 7, 50);
    check_counts(UH_U16, x, N, 50, 50);
    check_counts(UH_U16, x, N, 51, 51);
    check_counts(UH_U16, x, N, 4000, 4000);
    free(x);
}

static void no_values_give_minlength_zeros(void **state) {
    (void)state;
    check_counts(UH_I64, NULL, 0, 0, 0);
    check_counts(UH_U8, NULL, 0, 5, 5);
}

static void bytes_fill_exactly_256_bins(void **state) {
    (void)state;
    void *x = make_values(UH_U8, N, 256, 5), *few = make_values(UH_U8, N, 10, 5);
    check_counts(UH_U8, x, N, 256, 256);
    check_counts(UH_U8, few, N, 256, 256);
    free(x);
    free(few);
}

static void values_need_not_be_aligned(void **state) {
    (void)state;
    for (size_t t = 0; t < INTEGERS; t++) {
        const size_t size = uh_dtype_size(integers[t]);
        void *x = make_values(integers[t], N, 100, 7);
        char *moved = malloc(N * size + 1);
        uint64_t *expected = count_by_hand(integers[t], x, N, 100), *counts = NULL;
        size_t length = 0;
        assert_non_null(moved);
        memcpy(moved + 1, x, N * size);
        assert_int_equal(uh_bincount(queue, integers[t], moved + 1, N, 0, &counts, &length), UH_SUCCESS);
        assert_int_equal(length, 100);
        assert_memory_equal(counts, expected, length * sizeof *counts);
        uh_bincount_free(counts);
        free(expected);
        free(moved);
        free(x);
    }
}

/* Sorted, one value, two values in turn, growing so that tables grow again and again. */
static void the_order_of_values_does_not_matter(void **state) {
    (void)state;
    int32_t *x = malloc(N * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < N; i++)
        x[i] = (int32_t)(i * 1000 / N);
    check_counts(UH_I32, x, N, 0, 1000);
    for (size_t i = 0; i < N; i++)
        x[i] = 17;
    check_counts(UH_I32, x, N, 0, 18);
    for (size_t i = 0; i < N; i++)
        x[i] = i % 2 ? 3 : 999;
    check_counts(UH_I32, x, N, 0, 1000);
    for (size_t i = 0; i < N; i++)
        x[i] = (int32_t)(i / 2);
    check_counts(UH_I32, x, N, 0, (N - 1) / 2 + 1);
    for (size_t i = 0; i < N; i++)
        x[i] = i == N / 2 ? 3000000 : 5; /* too large for tables of a thread's own */
    check_counts(UH_I32, x, N, 0, 3000001);
    free(x);
}

static void threads_do_not_change_the_counts(void **state) {
    (void)state;
    uh_queue *const before = queue;
    const size_t n = 600000;
    if (!on_host)
        skip();
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        queue = test_queue(threads, 0);
        for (uint64_t bins = 10; bins < 10000000; bins *= 31) {
            void *x = make_values(UH_U32, n, bins, threads);
            check_counts(UH_U32, x, n, 0, bins);
            free(x);
        }
        assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
    }
    queue = before;
}

static void a_counter_gathers_over_fills_of_several_types(void **state) {
    (void)state;
    uh_counter *counter = NULL;
    const uh_counter_options options = {.struct_size = sizeof options, .minlength = 3};
    uint64_t *expected = calloc(70000, sizeof *expected), *counts = calloc(70000, sizeof *counts);
    assert_true(expected && counts);
    assert_int_equal(uh_counter_create(queue, &options, &counter), UH_SUCCESS);
    assert_int_equal(uh_counter_length(counter), 3);
    size_t length = 3;
    for (size_t round = 0; round < 12; round++) {
        const uh_dtype dtype = integers[round % INTEGERS];
        const uint64_t bins = round < 4 ? 100 : dtype == UH_I8 || dtype == UH_U8 ? 90 : 2000 * round;
        const size_t n = round % 2 ? N : 500;
        void *x = make_values(dtype, n, bins, round);
        assert_int_equal(uh_counter_fill(counter, dtype, x, n), UH_SUCCESS);
        for (size_t i = 0; i < n; i++)
            expected[value_at(dtype, x, i)]++;
        length = bins > length ? bins : length;
        assert_int_equal(uh_counter_length(counter), length);
        assert_int_equal(uh_counter_counts(counter, counts), UH_SUCCESS);
        assert_memory_equal(counts, expected, length * sizeof *counts);
        free(x);
    }
    assert_int_equal(uh_counter_reset(counter), UH_SUCCESS);
    assert_int_equal(uh_counter_length(counter), 3);
    assert_int_equal(uh_counter_counts(counter, counts), UH_SUCCESS);
    assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
    assert_int_equal(uh_counter_destroy(counter), UH_SUCCESS);
    free(expected);
    free(counts);
}

/* With a limit in place of 2^31 values a thread, or 2^32 - 1 a device. */
static void counters_are_emptied_before_they_overflow(void **state) {
    (void)state;
    const size_t limits[] = {N, N / 2, N / 3, 5000};
    uint64_t *counts = calloc(1000, sizeof *counts);
    void *x = make_values(UH_U32, N, 1000, 11);
    uint64_t *expected = count_by_hand(UH_U32, x, N, 1000);
    assert_non_null(counts);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uh_counter *counter = NULL;
        assert_int_equal(uh_counter_create(queue, NULL, &counter), UH_SUCCESS);
        counter->count.batch = limits[i];
        counter->count.counters.max_pending = limits[i];
        assert_int_equal(uh_counter_fill(counter, UH_U32, x, N), UH_SUCCESS);
        assert_int_equal(uh_counter_length(counter), 1000);
        assert_int_equal(uh_counter_counts(counter, counts), UH_SUCCESS);
        assert_memory_equal(counts, expected, 1000 * sizeof *counts);
        uh_counter_destroy(counter);
    }
    free(x);
    free(expected);
    free(counts);
}

/* Pieces of other lengths on a device; the sums of small integers are exact. */
static void sums_do_not_depend_on_pieces(void **state) {
    (void)state;
    const uint64_t limits[] = {N, N / 2, N / 3, 5000};
    double sums[1000], expected[1000] = {0};
    int32_t *weights = malloc(N * sizeof *weights);
    uint16_t *x = make_values(UH_U16, N, 1000, 12);
    assert_non_null(weights);
    for (size_t i = 0; i < N; i++) {
        weights[i] = (int32_t)(i % 77) - 30;
        expected[x[i]] += weights[i];
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const uh_counter_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_SUM};
        uh_counter *counter = NULL;
        assert_int_equal(uh_counter_create(queue, &options, &counter), UH_SUCCESS);
        counter->count.counters.max_pending = limits[i];
        assert_int_equal(uh_counter_fill_weighted(counter, UH_U16, x, N, UH_I32, weights, N), UH_SUCCESS);
        assert_int_equal(uh_counter_length(counter), 1000);
        assert_int_equal(uh_counter_sums(counter, sums), UH_SUCCESS);
        assert_memory_equal(sums, expected, sizeof sums);
        uh_counter_destroy(counter);
    }
    free(x);
    free(weights);
}

/* ---- errors ---- */

/* `x` must fail with a message that has these texts, one call or several, and nothing be counted. */
static void check_refused(uh_dtype dtype, const void *x, size_t n, uh_status status, const char *text,
                          const char *text2) {
    uint64_t *counts = (uint64_t *)(uintptr_t)8;
    size_t length = 99;
    test_assert_failed(uh_bincount(queue, dtype, x, n, 0, &counts, &length), status, text, text2);
    assert_true(counts == (uint64_t *)(uintptr_t)8 && length == 99);
    test_assert_failed(uh_bincount_length(queue, dtype, x, n, 0, &length), status, text, text2);
    uh_counter *counter = NULL;
    const uint8_t one = 1;
    assert_int_equal(uh_counter_create(queue, NULL, &counter), UH_SUCCESS);
    assert_int_equal(uh_counter_fill(counter, UH_U8, &one, 1), UH_SUCCESS);
    test_assert_failed(uh_counter_fill(counter, dtype, x, n), status, text, text2);
    uint64_t two[2];
    assert_int_equal(uh_counter_length(counter), 2);
    assert_int_equal(uh_counter_counts(counter, two), UH_SUCCESS);
    assert_true(two[0] == 0 && two[1] == 1);
    uh_counter_destroy(counter);
}

static void the_first_negative_value_is_named(void **state) {
    (void)state;
    for (size_t t = 0; t < 4; t++) {
        const size_t lengths[] = {1, 100, 10000, N};
        for (size_t l = 0; l < 4; l++) {
            const size_t n = lengths[l], at = n * 2 / 3;
            char text[64];
            void *x = make_values(integers[t], n, 100, 1);
            put(integers[t], x, at, -3);
            put(integers[t], x, n - 1, n == 1 ? -3 : -77);
            snprintf(text, sizeof text, "x[%zu] is -3", at);
            check_refused(integers[t], x, n, UH_ERROR_INVALID_ARGUMENT, text, "no negative value");
            uint64_t counts[100];
            memset(counts, GUARD, sizeof counts);
            test_assert_failed(uh_bincount_into(queue, integers[t], x, n, counts, 100), UH_ERROR_INVALID_ARGUMENT, text,
                               "no negative value");
            assert_true(counts[0] == 0x5a5a5a5a5a5a5a5a && counts[99] == counts[0]);
            free(x);
        }
    }
}

static void the_smallest_value_of_each_type_is_named_right(void **state) {
    (void)state;
    const int64_t smallest[] = {INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN};
    for (size_t t = 0; t < 4; t++) {
        char text[64];
        void *x = make_values(integers[t], 10, 5, 1);
        put(integers[t], x, 4, smallest[t]);
        snprintf(text, sizeof text, "x[4] is %lld,", (long long)smallest[t]);
        check_refused(integers[t], x, 10, UH_ERROR_INVALID_ARGUMENT, text, "negative");
        free(x);
    }
}

static void the_first_value_beyond_a_given_length_is_named(void **state) {
    (void)state;
    for (size_t t = 0; t < INTEGERS; t++) {
        const size_t lengths[] = {10, 100, 10000, N};
        for (size_t l = 0; l < 4; l++) {
            const size_t n = lengths[l], at = n / 2;
            char text[64];
            void *x = make_values(integers[t], n, 50, 1);
            uint64_t counts[50];
            put(integers[t], x, at, 50);
            put(integers[t], x, at + 1, 127);
            snprintf(text, sizeof text, "x[%zu] is 50", at);
            memset(counts, GUARD, sizeof counts);
            test_assert_failed(uh_bincount_into(queue, integers[t], x, n, counts, 50), UH_ERROR_INVALID_ARGUMENT,
                               "uh_bincount_into", text, "at most 49");
            assert_true(counts[0] == 0x5a5a5a5a5a5a5a5a && counts[49] == counts[0]);
            assert_int_equal(uh_bincount_into(queue, integers[t], x, at, counts, 50), UH_SUCCESS);
            free(x);
        }
    }
}

static void a_result_larger_than_memory_is_refused_before_it_is_allocated(void **state) {
    (void)state;
    for (int few = 0; few < 2; few++) {
        const size_t n = few ? 10 : N;
        uint64_t *x = make_values(UH_U64, n, 100, 1);
        x[n / 2] = UINT64_MAX;
        check_refused(UH_U64, x, n, UH_ERROR_OUT_OF_MEMORY, "is 18446744073709551615", "memory holds");
        x[n / 2] = (uint64_t)1 << 62;
        check_refused(UH_U64, x, n, UH_ERROR_OUT_OF_MEMORY, "is 4611686018427387904", "memory holds");
        free(x);
    }
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    const float f = 1;
    const int32_t i = 1;
    const uint32_t u = 1;
    uint64_t *counts, few[4];
    double *sums;
    int64_t *whole;
    size_t length;
    uh_counter *counter = NULL;
    test_assert_failed(uh_bincount(queue, UH_F32, &f, 1, 0, &counts, &length), UH_ERROR_INVALID_ARGUMENT,
                       "dtype is float32", "integers");
    test_assert_failed(uh_bincount(queue, UH_F64, NULL, 0, 0, &counts, &length), UH_ERROR_INVALID_ARGUMENT,
                       "dtype is float64");
    test_assert_failed(uh_bincount(queue, (uh_dtype)77, &i, 1, 0, &counts, &length), UH_ERROR_INVALID_ARGUMENT,
                       "dtype is 77");
    test_assert_failed(uh_bincount(NULL, UH_I32, &i, 1, 0, &counts, &length), UH_ERROR_INVALID_ARGUMENT, "queue");
    test_assert_failed(uh_bincount(queue, UH_I32, NULL, 1, 0, &counts, &length), UH_ERROR_INVALID_ARGUMENT,
                       "x is NULL");
    test_assert_failed(uh_bincount(queue, UH_I32, &i, 1, 0, NULL, &length), UH_ERROR_INVALID_ARGUMENT, "counts");
    test_assert_failed(uh_bincount(queue, UH_I32, &i, 1, 0, &counts, NULL), UH_ERROR_INVALID_ARGUMENT, "length");
    test_assert_failed(uh_bincount(queue, UH_I32, &i, 1, SIZE_MAX, &counts, &length), UH_ERROR_OUT_OF_MEMORY,
                       "minlength is");
    test_assert_failed(uh_bincount_into(queue, UH_I32, &i, 1, few, 0), UH_ERROR_INVALID_ARGUMENT, "length is 0");
    test_assert_failed(uh_bincount_weighted(queue, UH_I32, &i, 1, UH_F32, &f, 2, 0, UH_SUM_EXACT, &sums, &length),
                       UH_ERROR_INVALID_ARGUMENT, "nweights is 2, expected 1");
    test_assert_failed(uh_bincount_weighted(queue, UH_I32, &i, 1, UH_U32, &u, 1, 0, UH_SUM_EXACT, &sums, &length),
                       UH_ERROR_INVALID_ARGUMENT, "weight_dtype is uint32");
    test_assert_failed(uh_bincount_weighted(queue, UH_I32, &i, 1, UH_F32, NULL, 1, 0, UH_SUM_EXACT, &sums, &length),
                       UH_ERROR_INVALID_ARGUMENT, "weights is NULL");
    test_assert_failed(uh_bincount_weighted_i64(queue, UH_I32, &i, 1, UH_F32, &f, 1, 0, &whole, &length),
                       UH_ERROR_INVALID_ARGUMENT, "weight_dtype is float32", "int32 or int64");
    uh_counter_options options = {.struct_size = 1};
    test_assert_failed(uh_counter_create(queue, &options, &counter), UH_ERROR_INVALID_ARGUMENT, "struct_size");
    options = (uh_counter_options){.struct_size = sizeof options, .storage = UH_STORAGE_MEAN};
    test_assert_failed(uh_counter_create(queue, &options, &counter), UH_ERROR_INVALID_ARGUMENT, "storage is 3");
    options = (uh_counter_options){.struct_size = sizeof options, .has_max = 1, .max = UINT64_MAX};
    test_assert_failed(uh_counter_create(queue, &options, &counter), UH_ERROR_OUT_OF_MEMORY, "max is 1844674407370955");
    assert_int_equal(uh_counter_create(queue, NULL, &counter), UH_SUCCESS);
    double sum;
    test_assert_failed(uh_counter_fill_weighted(counter, UH_I32, &i, 1, UH_F32, &f, 1), UH_ERROR_INVALID_ARGUMENT,
                       "storage is count");
    test_assert_failed(uh_counter_sums(counter, &sum), UH_ERROR_INVALID_ARGUMENT, "storage is count");
    assert_int_equal(uh_queue_destroy(queue), UH_ERROR_IN_USE);
    uh_counter_destroy(counter);
}

/* ---- weights ---- */

/* Weights with few bits, so that plain float64 sums are exact. */
static void sums_of_weights_are_exact(void **state) {
    (void)state;
    static const uh_dtype types[] = {UH_F32, UH_F64, UH_I32, UH_I64};
    for (size_t t = 0; t < 4; t++) {
        void *x = make_values(UH_I32, N, 300, t);
        char *w = malloc(N * uh_dtype_size(types[t]));
        double expected[310] = {0}, *sums = NULL, into[300], fast[300];
        size_t length;
        uint64_t seed = t;
        assert_non_null(w);
        for (size_t i = 0; i < N; i++) {
            const int32_t value = (int32_t)(test_random_u64(&seed) % 4001) - 2000;
            const float f = (float)value / 16;
            const double d = (double)value / 16;
            if (types[t] == UH_F32)
                memcpy(w + 4 * i, &f, 4);
            else if (types[t] == UH_F64)
                memcpy(w + 8 * i, &d, 8);
            else
                put(types[t], w, i, value);
            expected[value_at(UH_I32, x, i)] += t < 2 ? d : value;
        }
        if (uh_bincount_weighted(queue, UH_I32, x, N, types[t], w, N, 310, UH_SUM_EXACT, &sums, &length))
            fail_msg("%s", uh_last_error());
        assert_int_equal(length, 310);
        assert_memory_equal(sums, expected, sizeof expected);
        uh_bincount_free(sums);
        assert_int_equal(uh_bincount_weighted_into(queue, UH_I32, x, N, types[t], w, N, UH_SUM_EXACT, into, 300),
                         UH_SUCCESS);
        assert_memory_equal(into, expected, sizeof into);
        assert_int_equal(uh_bincount_weighted_into(queue, UH_I32, x, N, types[t], w, N, UH_SUM_FAST, fast, 300),
                         UH_SUCCESS);
        assert_memory_equal(fast, expected, sizeof fast);
        if (t >= 2) {
            int64_t *whole = NULL, given[300];
            assert_int_equal(uh_bincount_weighted_i64(queue, UH_I32, x, N, types[t], w, N, 0, &whole, &length),
                             UH_SUCCESS);
            assert_int_equal(length, 300);
            assert_int_equal(uh_bincount_weighted_i64_into(queue, UH_I32, x, N, types[t], w, N, given, 300),
                             UH_SUCCESS);
            for (size_t v = 0; v < 300; v++)
                assert_true(whole[v] == (int64_t)expected[v] && given[v] == whole[v]);
            uh_bincount_free(whole);
        }
        free(w);
        free(x);
    }
}

static void a_sum_of_integers_that_is_no_int64_is_an_error(void **state) {
    (void)state;
    const int32_t x[] = {1, 1, 0};
    const int64_t w[] = {INT64_MAX, INT64_MAX, 5}, fits[] = {INT64_MAX, 1 - INT64_MAX, INT64_MIN};
    int64_t *sums = NULL;
    size_t length;
    test_assert_failed(uh_bincount_weighted_i64(queue, UH_I32, x, 3, UH_I64, w, 3, 0, &sums, &length),
                       UH_ERROR_OVERFLOW, "uh_bincount_weighted_i64");
    assert_int_equal(uh_bincount_weighted_i64(queue, UH_I32, x, 3, UH_I64, fits, 3, 0, &sums, &length), UH_SUCCESS);
    assert_true(length == 2 && sums[0] == INT64_MIN && sums[1] == 1);
    uh_bincount_free(sums);
}

static void weights_that_are_not_finite_stay_in_their_bins(void **state) {
    (void)state;
    const uint8_t x[] = {0, 1, 2, 3, 3, 4};
    const double w[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, (double)INFINITY, -(double)INFINITY, 2.5};
    double *sums = NULL;
    size_t length;
    assert_int_equal(uh_bincount_weighted(queue, UH_U8, x, 6, UH_F64, w, 6, 6, UH_SUM_EXACT, &sums, &length),
                     UH_SUCCESS);
    assert_int_equal(length, 6);
    assert_true(isnan(sums[0]) && isinf(sums[1]) && sums[1] > 0 && isinf(sums[2]) && sums[2] < 0 && isnan(sums[3]));
    assert_true(sums[4] == 2.5 && sums[5] == 0);
    uh_bincount_free(sums);
}

static void weighted_fills_gather_and_a_refused_one_adds_nothing(void **state) {
    (void)state;
    uh_counter *counter = NULL;
    uh_counter_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_SUM};
    for (int given = 0; given < 2; given++) {
        const int16_t x[] = {3, 0, 3}, bad[] = {2, 900, -1};
        const float w[] = {1.5F, 2, 4};
        double sums[1000] = {0};
        options.has_max = given;
        options.max = 899;
        assert_int_equal(uh_counter_create(queue, &options, &counter), UH_SUCCESS);
        test_assert_failed(uh_counter_fill_weighted(counter, UH_I16, bad, 3, UH_F32, w, 3), UH_ERROR_INVALID_ARGUMENT,
                           given ? "x[1] is 900" : "x[2] is -1");
        assert_int_equal(uh_counter_length(counter), 0);
        assert_int_equal(uh_counter_fill_weighted(counter, UH_I16, x, 3, UH_F32, w, 3), UH_SUCCESS);
        test_assert_failed(uh_counter_fill_weighted(counter, UH_I16, bad, 3, UH_F32, w, 3), UH_ERROR_INVALID_ARGUMENT,
                           given ? "x[1] is 900" : "x[2] is -1");
        assert_int_equal(uh_counter_length(counter), 4);
        const uint32_t far[] = {given ? 899 : 999};
        assert_int_equal(uh_counter_fill(counter, UH_U32, far, 1), UH_SUCCESS); /* weight 1 */
        assert_int_equal(uh_counter_length(counter), far[0] + 1);
        assert_int_equal(uh_counter_sums(counter, sums), UH_SUCCESS);
        assert_true(sums[0] == 2 && sums[1] == 0 && sums[2] == 0 && sums[3] == 5.5 && sums[far[0]] == 1);
        int64_t whole[1000];
        test_assert_failed(uh_counter_sums_i64(counter, whole), UH_ERROR_OVERFLOW, "uh_counter_sums_i64");
        uh_counter_destroy(counter);
    }
}

/* ---- histc ---- */

static void histc_follows_torch(void **state) {
    (void)state;
    const float x[] = {1, 2, 1};
    const float with_nan[] = {0.5F, NAN, -1, 7, 2, 2.5F};
    const int32_t whole[] = {4, 4, 4};
    uint64_t counts[4];
    /* torch.histc(torch.tensor([1., 2, 1]), bins=4, min=0, max=3): the documentation's own example */
    assert_int_equal(uh_histc(queue, UH_F32, x, 3, 4, 0, 3, counts), UH_SUCCESS);
    assert_true(counts[0] == 0 && counts[1] == 2 && counts[2] == 1 && counts[3] == 0);
    assert_int_equal(uh_histc(queue, UH_F32, with_nan, 6, 2, 0, 2, counts), UH_SUCCESS);
    assert_true(counts[0] == 1 && counts[1] == 1); /* 2 is max, and included */
    assert_int_equal(uh_histc(queue, UH_F32, x, 3, 2, 0, 0, counts), UH_SUCCESS);
    assert_true(counts[0] == 2 && counts[1] == 1);
    assert_int_equal(uh_histc(queue, UH_F32, x, 3, 2, 5, 5, counts), UH_SUCCESS); /* the data's own range as well */
    assert_true(counts[0] == 2 && counts[1] == 1);
    assert_int_equal(uh_histc(queue, UH_I32, whole, 3, 4, 0, 0, counts), UH_SUCCESS); /* 3 to 5 */
    assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 3 && counts[3] == 0);
    assert_int_equal(uh_histc(queue, UH_F32, NULL, 0, 2, 0, 0, counts), UH_SUCCESS);
    assert_true(counts[0] == 0 && counts[1] == 0);
    const uint64_t before = counts[0] = 77;
    test_assert_failed(uh_histc(queue, UH_F32, with_nan, 6, 2, 0, 0, counts), UH_ERROR_INVALID_ARGUMENT, "not finite");
    test_assert_failed(uh_histc(queue, UH_F32, x, 3, 2, 0, (double)INFINITY, counts), UH_ERROR_INVALID_ARGUMENT,
                       "finite");
    test_assert_failed(uh_histc(queue, UH_F32, x, 3, 2, 3, 1, counts), UH_ERROR_INVALID_ARGUMENT, "max is 1");
    test_assert_failed(uh_histc(queue, UH_F32, x, 3, 0, 0, 1, counts), UH_ERROR_INVALID_ARGUMENT, "bins is 0");
    test_assert_failed(uh_histc(queue, UH_F32, x, 3, 2, 0, 1, NULL), UH_ERROR_INVALID_ARGUMENT, "counts");
    assert_int_equal(counts[0], before);
}

/* ---- smallest and largest ---- */

static void min_max_finds_both_of_every_type(void **state) {
    (void)state;
    for (size_t t = 0; t < UH_DTYPE_COUNT; t++) {
        const uh_dtype dtype = (uh_dtype)t;
        const size_t size = uh_dtype_size(dtype);
        char *x = malloc(N * size + 1);
        assert_non_null(x);
        for (size_t shift = 0; shift < 2; shift++) {
            uint64_t seed = t, nan = 0, found_nan;
            double low = (double)INFINITY, high = -(double)INFINITY, min, max;
            for (size_t i = 0; i < N; i++) {
                const int64_t draw = (int64_t)(test_random_u64(&seed) % 100) + (dtype >= UH_U8 ? 3 : -50);
                double value = (double)draw;
                if (dtype == UH_F32 || dtype == UH_F64) {
                    value = i % 97 == 5 ? (double)NAN : i == 100 ? -0.0 : value / 4;
                    const float f = (float)value;
                    memcpy(x + shift + i * size, size == 4 ? (const void *)&f : (const void *)&value, size);
                } else {
                    put(dtype, x + shift, i, draw);
                }
                nan += value != value;
                low = value < low ? value : low;
                high = value > high ? value : high;
            }
            if (uh_min_max(queue, dtype, x + shift, N, &min, &max, &found_nan))
                fail_msg("%s", uh_last_error());
            assert_true(min == low && max == high);
            assert_int_equal(found_nan, nan);
        }
        free(x);
    }
}

TEST_MAIN(test_bincount) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_counted_whatever_its_number_of_bins),
        cmocka_unit_test(every_length_of_input_is_counted),
        cmocka_unit_test(minlength_pads_with_zeros),
        cmocka_unit_test(no_values_give_minlength_zeros),
        cmocka_unit_test(bytes_fill_exactly_256_bins),
        cmocka_unit_test(values_need_not_be_aligned),
        cmocka_unit_test(the_order_of_values_does_not_matter),
        cmocka_unit_test(threads_do_not_change_the_counts),
        cmocka_unit_test(a_counter_gathers_over_fills_of_several_types),
        cmocka_unit_test(counters_are_emptied_before_they_overflow),
        cmocka_unit_test(sums_do_not_depend_on_pieces),
        cmocka_unit_test(the_first_negative_value_is_named),
        cmocka_unit_test(the_smallest_value_of_each_type_is_named_right),
        cmocka_unit_test(the_first_value_beyond_a_given_length_is_named),
        cmocka_unit_test(a_result_larger_than_memory_is_refused_before_it_is_allocated),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(sums_of_weights_are_exact),
        cmocka_unit_test(a_sum_of_integers_that_is_no_int64_is_an_error),
        cmocka_unit_test(weights_that_are_not_finite_stay_in_their_bins),
        cmocka_unit_test(weighted_fills_gather_and_a_refused_one_adds_nothing),
        cmocka_unit_test(histc_follows_torch),
        cmocka_unit_test(min_max_finds_both_of_every_type),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    uh_device *device;
    uh_device_properties properties = {.struct_size = sizeof properties};
    if (uh_device_select(selector ? selector : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(device, &properties) || uh_queue_create(device, NULL, &queue)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    on_host = strcmp(properties.backend, "host") == 0;
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    return uh_queue_destroy(queue) || result ? 1 : 0;
}
