/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of bincount at work on few values, see test_kernels_histogram.c. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "tests/fixture.h"

enum { MOST_BINS = 100, MOST_VALUES = 3 * 16 * 64 + 7 };

static uh_device *device;
static uh_queue *queue;
static const uh_dtype integers[] = {UH_I8, UH_U8, UH_I16, UH_U16, UH_I32, UH_U32, UH_I64, UH_U64};
enum { INTEGERS = sizeof integers / sizeof *integers };

/* Numbers 0 to bins - 1, the largest of them among them, in memory of the device `shift` bytes behind a vector's place;
 * the caller frees it. */
static char *make_values(uh_dtype dtype, size_t n, size_t bins, size_t shift, uint64_t *expected) {
    static char x[MOST_VALUES * 8 + 64];
    const size_t size = uh_dtype_size(dtype);
    uint64_t seed = n;
    void *there = NULL;
    memset(expected, 0, bins * sizeof *expected);
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = i == n / 2 ? bins - 1 : test_random_u64(&seed) % bins;
        memcpy(x + shift + i * size, &value, size); /* little-endian */
        expected[value]++;
    }
    memset(x, 0, shift);
    assert_int_equal(uh_malloc_device(device, shift + n * size, 0, &there), UH_SUCCESS);
    assert_int_equal(uh_memcpy(queue, there, x, shift + n * size, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    return there;
}

/* The values lie `shift` bytes behind a vector's place. */
static void check_counts(uh_dtype dtype, size_t n, size_t bins, size_t shift) {
    uint64_t expected[MOST_BINS], into[MOST_BINS], *found = NULL;
    size_t length = 0;
    char *there = make_values(dtype, n, bins, shift, expected), *x = there + shift;
    assert_int_equal(uh_bincount(queue, dtype, x, n, 0, &found, &length), UH_SUCCESS);
    assert_int_equal(length, bins);
    assert_memory_equal(found, expected, bins * sizeof *expected);
    uh_bincount_free(found);
    assert_int_equal(uh_bincount_into(queue, dtype, x, n, into, bins), UH_SUCCESS);
    assert_memory_equal(into, expected, bins * sizeof *expected);
    test_assert_failed(uh_bincount_into(queue, dtype, x, n, into, bins - 1), UH_ERROR_INVALID_ARGUMENT, "x[");
    assert_int_equal(uh_free(there), UH_SUCCESS);
}

static void integers_of_every_type_are_counted(void **state) {
    (void)state;
    for (size_t i = 0; i < INTEGERS; i++) {
        check_counts(integers[i], 150, 5, 3 * uh_dtype_size(integers[i]));
        check_counts(integers[i], 150, MOST_BINS, 0);
    }
}

static void several_groups_count_together(void **state) {
    (void)state;
    check_counts(UH_U8, MOST_VALUES, 30, 0);
    check_counts(UH_I32, MOST_VALUES, 30, 0);
}

static void values_at_odd_addresses_are_packed_on_the_device(void **state) {
    (void)state;
    check_counts(UH_I32, 100, 9, 2);
    check_counts(UH_U64, 100, 9, 1);
}

/* Sums of eighths are exact. */
static void weights_of_integers_of_every_type_are_added(void **state) {
    (void)state;
    enum { FEW = 90 };
    for (size_t i = 0; i < INTEGERS; i++) {
        uint64_t unused[MOST_BINS];
        double weights[FEW], sums[MOST_BINS], expected[MOST_BINS] = {0};
        char *there = make_values(integers[i], FEW, 20, 0, unused), x[FEW * 8];
        const size_t size = uh_dtype_size(integers[i]);
        assert_int_equal(uh_memcpy(queue, x, there, FEW * size, NULL, 0, NULL), UH_SUCCESS);
        assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
        for (size_t k = 0; k < FEW; k++) {
            uint64_t value = 0;
            memcpy(&value, x + k * size, size);
            weights[k] = (double)k / 8 - 3;
            expected[value] += weights[k];
        }
        assert_int_equal(
            uh_bincount_weighted_into(queue, integers[i], there, FEW, UH_F64, weights, FEW, UH_SUM_EXACT, sums, 20),
            UH_SUCCESS);
        assert_memory_equal(sums, expected, 20 * sizeof *sums);
        test_assert_failed(
            uh_bincount_weighted_into(queue, integers[i], there, FEW, UH_F64, weights, FEW, UH_SUM_EXACT, sums, 19),
            UH_ERROR_INVALID_ARGUMENT, "x[");
        assert_int_equal(uh_free(there), UH_SUCCESS);
    }
}

/* -n/2 to n/2 - 1 in some order, or 0 to n - 1 where there is no sign; of floats one is no number. */
static void smallest_and_largest_of_every_type_are_found(void **state) {
    (void)state;
    enum { FEW = 120 };
    for (int t = 0; t < UH_DTYPE_COUNT; t++) {
        const uh_dtype dtype = (uh_dtype)t;
        const size_t size = uh_dtype_size(dtype);
        const int is_float = dtype == UH_F32 || dtype == UH_F64;
        const int is_signed = dtype == UH_I8 || dtype == UH_I16 || dtype == UH_I32 || dtype == UH_I64;
        char x[FEW * 8];
        void *there = NULL;
        double low, high;
        uint64_t nan;
        for (size_t i = 0; i < FEW; i++) {
            const int64_t number = (int64_t)(i * 7 % FEW) - (is_signed || is_float ? FEW / 2 : 0);
            const double d = i == 5 ? (double)NAN : (double)number;
            const float f = (float)d;
            memcpy(x + i * size, dtype == UH_F32 ? (const void *)&f : is_float ? (const void *)&d : &number, size);
        }
        assert_int_equal(uh_malloc_device(device, sizeof x, 0, &there), UH_SUCCESS);
        assert_int_equal(uh_memcpy(queue, there, x, sizeof x, NULL, 0, NULL), UH_SUCCESS);
        assert_int_equal(uh_min_max(queue, dtype, there, FEW, &low, &high, &nan), UH_SUCCESS);
        assert_true(low == (is_signed || is_float ? -FEW / 2 : 0));
        assert_true(high == (is_signed || is_float ? FEW / 2 - 1 : FEW - 1));
        assert_int_equal(nan, is_float);
        assert_int_equal(uh_free(there), UH_SUCCESS);
    }
}

static int setup(void **state) {
    (void)state;
    return uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_kernels_bincount) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_every_type_are_counted),
        cmocka_unit_test(several_groups_count_together),
        cmocka_unit_test(values_at_odd_addresses_are_packed_on_the_device),
        cmocka_unit_test(weights_of_integers_of_every_type_are_added),
        cmocka_unit_test(smallest_and_largest_of_every_type_are_found),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
