/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where a device counts integers: values that are there already, where counts lie, memory that is too
 * small. UNIHIST_TEST_DEVICE is the device, "level_zero" by default; where there is none, skipped. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "api/counter.h"
#include "kernels/common/shape.h"
#include "tests/fixture.h"

enum { N = 50001, BINS = 700 };

static uh_device *device;
static uh_device_properties properties;
static uh_queue *queue, *host_queue;
static int32_t values[N];
static double weights[N], sums[BINS];
static uint64_t counts[BINS];

static void *allocate(uh_memory_kind kind, size_t bytes) {
    void *memory = NULL;
    const uh_status status = kind == UH_MEMORY_DEVICE ? uh_malloc_device(device, bytes, 0, &memory)
                             : kind == UH_MEMORY_HOST ? uh_malloc_host(device, bytes, 0, &memory)
                                                      : uh_malloc_shared(device, bytes, 0, &memory);
    if (status)
        fail_msg("%s", uh_last_error());
    return memory;
}

/* A copy of `bytes` bytes, `shift` bytes behind the start of an allocation. */
static char *put_there(uh_memory_kind kind, const void *from, size_t bytes, size_t shift) {
    char *memory = allocate(kind, bytes + shift);
    assert_int_equal(uh_memcpy(queue, memory + shift, from, bytes, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    return memory;
}

static void values_are_read_where_they_are(void **state) {
    (void)state;
    const uh_memory_kind kinds[] = {UH_MEMORY_DEVICE, UH_MEMORY_HOST, UH_MEMORY_SHARED};
    for (size_t k = 0; k < 3; k++)
        for (size_t shift = 0; shift < 6; shift += 2) { /* 2 is no place for an int32, 4 none for a vector of them */
            char *there = put_there(kinds[k], values, sizeof values, shift);
            char *w = put_there(kinds[(k + 1) % 3], weights, sizeof weights, 2 * shift);
            uint64_t *found = NULL, into[BINS];
            double *total = NULL;
            size_t length = 0;
            if (uh_bincount(queue, UH_I32, there + shift, N, 0, &found, &length))
                fail_msg("%s", uh_last_error());
            assert_int_equal(length, BINS);
            assert_memory_equal(found, counts, sizeof counts);
            assert_int_equal(uh_bincount_into(queue, UH_I32, there + shift, N, into, BINS), UH_SUCCESS);
            assert_memory_equal(into, counts, sizeof counts);
            assert_int_equal(uh_bincount_length(queue, UH_I32, there + shift, N, 0, &length), UH_SUCCESS);
            assert_int_equal(length, BINS);
            if (uh_bincount_weighted(queue, UH_I32, there + shift, N, UH_F64, w + 2 * shift, N, 0, UH_SUM_EXACT, &total,
                                     &length))
                fail_msg("%s", uh_last_error());
            assert_int_equal(length, BINS);
            assert_memory_equal(total, sums, sizeof sums);
            uh_bincount_free(found);
            uh_bincount_free(total);
            assert_int_equal(uh_free(there), UH_SUCCESS);
            assert_int_equal(uh_free(w), UH_SUCCESS);
        }
}

static void earlier_work_of_the_queue_is_waited_for(void **state) {
    (void)state;
    const int32_t seven = 7;
    char *there = put_there(UH_MEMORY_DEVICE, values, sizeof values, 0);
    uint64_t found[8];
    double low, high;
    uint64_t nan;
    assert_int_equal(uh_fill(queue, there, &seven, sizeof seven, N, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_bincount_into(queue, UH_I32, there, N, found, 8), UH_SUCCESS);
    assert_int_equal(found[7], N);
    assert_int_equal(uh_memcpy(queue, there, values, sizeof values, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_min_max(queue, UH_I32, there, N, &low, &high, &nan), UH_SUCCESS);
    assert_true(low == 0 && high == BINS - 1 && nan == 0);
    assert_int_equal(uh_free(there), UH_SUCCESS);
}

static void the_first_bad_value_in_device_memory_is_named(void **state) {
    (void)state;
    int32_t *bad = malloc(sizeof values);
    uint64_t found[BINS], *made = NULL;
    double added[BINS] = {-5};
    size_t length;
    assert_non_null(bad);
    memcpy(bad, values, sizeof values);
    bad[N / 3] = BINS;
    bad[N / 2] = -5;
    bad[N - 1] = INT32_MIN;
    char *there = put_there(UH_MEMORY_DEVICE, bad, sizeof values, 0);
    memset(found, 0x5a, sizeof found);
    test_assert_failed(uh_bincount_into(queue, UH_I32, there, N, found, BINS), UH_ERROR_INVALID_ARGUMENT,
                       "x[16667] is 700", "at most 699");
    assert_true(found[0] == 0x5a5a5a5a5a5a5a5a);
    test_assert_failed(uh_bincount(queue, UH_I32, there, N, 0, &made, &length), UH_ERROR_INVALID_ARGUMENT,
                       "x[25000] is -5", "negative");
    test_assert_failed(
        uh_bincount_weighted_into(queue, UH_I32, there, N, UH_F64, weights, N, UH_SUM_EXACT, added, BINS),
        UH_ERROR_INVALID_ARGUMENT, "x[16667] is 700");
    assert_true(added[0] == -5);
    const uint64_t far[] = {1, UINT64_MAX};
    char *too_far = put_there(UH_MEMORY_DEVICE, far, sizeof far, 0);
    test_assert_failed(uh_bincount(queue, UH_U64, too_far, 2, 0, &made, &length), UH_ERROR_OUT_OF_MEMORY,
                       "x[1] is 18446744073709551615");
    assert_int_equal(uh_free(there), UH_SUCCESS);
    assert_int_equal(uh_free(too_far), UH_SUCCESS);
    free(bad);
}

/* Extremes of every type at the start, in the middle and at the end, in device memory and on the host. */
static void smallest_and_largest_are_those_of_the_host(void **state) {
    (void)state;
    for (size_t t = 0; t < UH_DTYPE_COUNT; t++) {
        const uh_dtype dtype = (uh_dtype)t;
        const size_t size = uh_dtype_size(dtype);
        if (dtype == UH_F64)
            assert_true(size == 8); /* also where the device has no double */
        char *x = malloc(N * size);
        assert_non_null(x);
        for (uint64_t seed = 0; seed < 6; seed++) {
            uint64_t draw = seed;
            for (size_t i = 0; i < N; i++) { /* any bits: NaN, infinities and denormals too */
                const uint64_t bits = test_random_u64(&draw) << (seed % 3) * 8;
                memcpy(x + i * size, &bits, size);
            }
            const size_t n = seed == 5 ? 3 : N;
            char *there = put_there(UH_MEMORY_DEVICE, x, n * size, seed % 2 ? 1 : 0);
            double low[2], high[2];
            uint64_t nan[2];
            if (uh_min_max(queue, dtype, there + seed % 2, n, &low[0], &high[0], &nan[0]))
                fail_msg("%s", uh_last_error());
            assert_int_equal(uh_min_max(host_queue, dtype, x, n, &low[1], &high[1], &nan[1]), UH_SUCCESS);
            assert_memory_equal(&low[0], &low[1], sizeof *low);
            assert_memory_equal(&high[0], &high[1], sizeof *high);
            assert_int_equal(nan[0], nan[1]);
            assert_int_equal(uh_free(there), UH_SUCCESS);
        }
        free(x);
    }
}

static void nothing_but_nan_has_no_smallest_value(void **state) {
    (void)state;
    const float nothing[] = {NAN, -NAN, NAN}, zeros[] = {-0.0F, NAN, 0.0F};
    char *there = put_there(UH_MEMORY_DEVICE, nothing, sizeof nothing, 0);
    double low, high;
    uint64_t nan;
    assert_int_equal(uh_min_max(queue, UH_F32, there, 3, &low, &high, &nan), UH_SUCCESS);
    assert_true(isinf(low) && low > 0 && isinf(high) && high < 0 && nan == 3);
    assert_int_equal(uh_free(there), UH_SUCCESS);
    there = put_there(UH_MEMORY_DEVICE, zeros, sizeof zeros, 0);
    assert_int_equal(uh_min_max(queue, UH_F32, there, 3, &low, &high, &nan), UH_SUCCESS);
    assert_true(low == 0 && high == 0 && !signbit(low) && !signbit(high) && nan == 1);
    assert_int_equal(uh_free(there), UH_SUCCESS);
}

/* One number of bins for each tier that this device has, and the right counts. */
static void every_tier_of_memory_counts_right(void **state) {
    (void)state;
    unsigned seen = 0;
    uh_counter *counter = NULL;
    uint32_t *x = malloc(N * sizeof *x);
    assert_non_null(x);
    for (size_t bins = 1; bins <= (size_t)1 << 21; bins *= 4) {
        uint64_t seed = bins, *found = malloc(bins * sizeof *found), *expected = calloc(bins, sizeof *expected);
        assert_true(found && expected);
        for (size_t i = 0; i < N; i++) {
            x[i] = (uint32_t)(i == 9 ? bins - 1 : test_random_u64(&seed) % bins);
            expected[x[i]]++;
        }
        assert_int_equal(uh_counter_create(queue, NULL, &counter), UH_SUCCESS);
        if (uh_counter_fill(counter, UH_U32, x, N))
            fail_msg("%zu bins: %s", bins, uh_last_error());
        const struct uhi_shape shape = uhi_shape_choose(bins, 0, &properties);
        seen |= 1U << shape.tier;
        assert_int_equal(uh_counter_length(counter), bins);
        assert_int_equal(uh_counter_counts(counter, found), UH_SUCCESS);
        assert_memory_equal(found, expected, bins * sizeof *found);
        uh_counter_destroy(counter);
        free(found);
        free(expected);
    }
    free(x);
    printf("tiers seen: %s%s%s%s\n", seen & 1U << UHI_TIER_LOCAL ? "local " : "",
           seen & 1U << UHI_TIER_MIXED ? "local (one copy) " : "", seen & 1U << UHI_TIER_PRIVATE ? "private " : "",
           seen & 1U << UHI_TIER_GLOBAL ? "global" : "");
    assert_true(seen);
}

static void more_bins_than_a_device_numbers_are_refused(void **state) {
    (void)state;
    const uint64_t x[] = {(uint64_t)1 << 31};
    uint64_t *found = NULL;
    size_t length;
    if (uhi_bincount_room() <= x[0]) {
        printf("skipped: this machine's memory holds fewer bins\n");
        skip();
    }
    test_assert_failed(uh_bincount(queue, UH_U64, x, 1, 0, &found, &length), UH_ERROR_UNSUPPORTED, "2147483648",
                       "the host counts more");
}

static void prepare_values(void) {
    uint64_t seed = 4;
    for (size_t i = 0; i < N; i++) {
        values[i] = i < BINS ? (int32_t)i : (int32_t)(test_random_u64(&seed) % BINS);
        weights[i] = (double)(int64_t)(test_random_u64(&seed) % 2001) / 8 - 125; /* sums of these are exact */
        counts[values[i]]++;
        sums[values[i]] += weights[i];
    }
}

TEST_MAIN(test_bincount_device) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_where_they_are),
        cmocka_unit_test(earlier_work_of_the_queue_is_waited_for),
        cmocka_unit_test(the_first_bad_value_in_device_memory_is_named),
        cmocka_unit_test(smallest_and_largest_are_those_of_the_host),
        cmocka_unit_test(nothing_but_nan_has_no_smallest_value),
        cmocka_unit_test(every_tier_of_memory_counts_right),
        cmocka_unit_test(more_bins_than_a_device_numbers_are_refused),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    uh_device *host;
    prepare_values();
    properties.struct_size = sizeof properties;
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(device, &properties) || uh_queue_create(device, NULL, &queue) ||
        uh_device_select("host", &host) || uh_queue_create(host, NULL, &host_queue)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    return uh_queue_destroy(queue) || uh_queue_destroy(host_queue) || result ? 1 : 0;
}
