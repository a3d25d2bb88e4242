/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where a device counts: values that are there already, counters of 32 bits, memory that is too
 * small, types that it does not have. UNIHIST_TEST_DEVICE is the device, "level_zero" by default; where
 * there is none, skipped. */
#include "tests/support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "tests/arrays.h"
#include "tests/fixture.h"
#include "tests/tested.h"

#include "api/histogram.h"

enum { N = 100000, BINS = 50 };

static float values[N];
static uint64_t expected[BINS];
static uh_flow expected_flow;

/* Equal bins of width 1 from 0 to BINS: the bin is the integer part. */
static void count_by_hand(const float *x, size_t n, uint64_t *counts, uh_flow *flow) {
    for (size_t i = 0; i < n; i++) {
        if (x[i] != x[i])
            flow->nan++;
        else if (x[i] < 0)
            flow->below++;
        else if (x[i] > BINS)
            flow->above++;
        else
            counts[x[i] == BINS ? BINS - 1 : (size_t)x[i]]++;
    }
}

static uh_axis *equal_axis(void) {
    uh_axis *axis = NULL;
    test_good(uh_axis_create_equal(BINS, 0, BINS, UH_CLOSED_LEFT, &axis));
    return axis;
}

static uh_histogram *make(uh_queue *on) {
    uh_axis *axis = equal_axis();
    uh_histogram *histogram = NULL;
    test_good(uh_histogram_create(on, &axis, 1, NULL, &histogram));
    uh_axis_destroy(axis);
    return histogram;
}

/* The histogram holds `times` as often what was counted by hand. */
static void assert_counts(uh_histogram *histogram, uint64_t times) {
    uint64_t counts[BINS];
    uh_flow flow;
    test_good(uh_histogram_counts(histogram, counts));
    test_good(uh_histogram_flow(histogram, 0, &flow));
    for (size_t j = 0; j < BINS; j++)
        assert_int_equal(counts[j], times * expected[j]);
    assert_int_equal(flow.below, times * expected_flow.below);
    assert_int_equal(flow.above, times * expected_flow.above);
    assert_int_equal(flow.nan, times * expected_flow.nan);
}

UNIT_TEST(counts_gather_over_fills_reads_and_resets) {
    uh_histogram *histogram = make(tested.queue);
    void *there = test_to_device(tested.queue, values, sizeof values);
    assert_counts(histogram, 0);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL));
    assert_counts(histogram, 2);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL));
    assert_counts(histogram, 3);
    assert_counts(histogram, 3);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL));
    test_good(uh_histogram_reset(histogram));
    assert_counts(histogram, 0);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL));
    assert_counts(histogram, 1);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL));
    test_good(uh_histogram_destroy(histogram)); /* with work under way */
    test_good(uh_free(there));
}

UNIT_TEST(every_read_sees_what_the_device_counts) {
    uh_histogram *histogram = make(tested.queue);
    uint64_t total, sums[BINS], sum = 0;
    double density[BINS];
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values, N), NULL));
    test_good(test_total(histogram, &total));
    assert_int_equal(total, N);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_cumulative(histogram, sums));
    for (size_t j = 0; j < BINS; j++)
        assert_int_equal(sums[j], sum += 2 * expected[j]);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_density(histogram, density));
    const uint64_t inside = sum / 2 * 3;
    for (size_t j = 0; j < BINS; j++)
        assert_true(density[j] == (double)(3 * expected[j]) / 1.0 / (double)inside);
    uh_histogram_destroy(histogram);
}

UNIT_TEST(histograms_of_two_devices_merge) {
    uh_device *host;
    uh_queue *host_queue;
    test_good(uh_device_select("host", &host));
    test_good(uh_queue_create(host, NULL, &host_queue));
    uh_histogram *here = make(host_queue), *there = make(tested.queue);
    test_good(uh_histogram_fill(here, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_fill(there, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_merge(here, there));
    assert_counts(here, 2);
    test_good(uh_histogram_fill(there, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_merge(there, here));
    assert_counts(there, 4);
    test_good(uh_histogram_fill(there, ARRAY(UH_F32, values, N), NULL));
    test_good(uh_histogram_merge(there, there));
    assert_counts(there, 10);
    uh_histogram_destroy(here);
    uh_histogram_destroy(there);
    test_good(uh_queue_destroy(host_queue));
}

/* With a limit of `most` values in place of 2^32 - 1. */
static void check_limit(uint64_t most) {
    uh_histogram *histogram = make(tested.queue);
    void *there = test_to_device(tested.queue, values, sizeof values);
    test_good(uh_histogram_prepare(histogram, (const uh_dtype[]){UH_F32}));
    histogram->line.counters.max_pending = most;
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values, N), NULL));
    assert_true(histogram->line.counters.pending <= most);
    test_good(uh_histogram_fill(histogram, STRIDED(UH_F32, (char *)there + (N - 1) * 4, N, -4), NULL));
    assert_counts(histogram, 3);
    for (size_t from = 0; from < N; from += 777) /* the counters fill up over many calls */
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values + from, N - from < 777 ? N - from : 777), NULL));
    assert_counts(histogram, 4);
    uh_histogram_destroy(histogram);
    test_good(uh_free(there));
}

UNIT_TEST(counters_are_emptied_before_they_overflow) {
    check_limit(N + N / 2);
    check_limit(N);
    check_limit(N - 1);
    check_limit(N / 7);
    check_limit(1000);
}

/* 2^32 + 12,345 times one value: a counter of 32 bits would show 12,345. */
UNIT_TEST(a_bin_holds_more_than_32_bits) {
    const size_t n = ((size_t)1 << 32) + 12345;
    const uint8_t value = 7;
    uint64_t counts[BINS];
    if (!getenv("UNIHIST_TEST_ALL")) {
        printf("skipped: 2^32 values take a while, UNIHIST_TEST_ALL is not set\n");
        skip();
    }
    uh_histogram *histogram = make(tested.queue);
    test_good(uh_histogram_fill(histogram, STRIDED(UH_U8, &value, n, 0), NULL));
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t j = 0; j < BINS; j++)
        assert_int_equal(counts[j], j == 7 ? n : 0);
    uh_histogram_destroy(histogram);
}

UNIT_TEST(input_larger_than_the_devices_memory_is_streamed) {
    const size_t n = (size_t)24 << 20;
    if (tested.properties.memory > n * sizeof(float)) {
        printf("skipped: %s has %llu bytes, more than the input\n", tested.properties.selector,
               (unsigned long long)tested.properties.memory);
        skip();
    }
    float *x = malloc(n * sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = values[i % N];
    uh_histogram *histogram = make(tested.queue);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, x, n / N * N), NULL));
    memset(x, 0xff, n * sizeof *x); /* it may be reused on return */
    assert_counts(histogram, n / N);
    uh_histogram_destroy(histogram);
    free(x);
}

UNIT_TEST(what_the_device_lacks_is_refused_by_name) {
    double x[3] = {1, 2, 3};
    int64_t whole[3] = {1, 2, 3};
    uint64_t counts[BINS];
    uh_axis *axis = equal_axis();
    const uh_method by_mesh = UH_METHOD_MESH;
    const uh_histogram_options mesh = {.struct_size = sizeof mesh, .methods = &by_mesh};
    uh_histogram *histogram = make(tested.queue), *meshed = NULL;
    test_good(uh_histogram_create(tested.queue, &axis, 1, &mesh, &meshed));
    uh_axis_destroy(axis);
    uh_status can = tested.properties.fp64 ? UH_SUCCESS : UH_ERROR_UNSUPPORTED;
    assert_int_equal(uh_histogram_fill(histogram, ARRAY(UH_F64, x, 3), NULL), can);
    if (can)
        assert_non_null(strstr(uh_last_error(), "float64"));
    assert_int_equal(uh_histogram_fill(meshed, ARRAY(UH_I64, whole, 3), NULL), can);
    if (can)
        assert_non_null(strstr(uh_last_error(), "mesh"));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_I64, whole, 3), NULL));
    test_good(uh_histogram_counts(histogram, counts));
    assert_int_equal(counts[1], can ? 1 : 2);
    uh_histogram_destroy(histogram);
    uh_histogram_destroy(meshed);
}

UNIT_TEST(values_at_any_address_of_the_device_are_counted) {
    char *memory = malloc(sizeof values + 64), *there;
    assert_non_null(memory);
    memset(memory, 0, sizeof values + 64);
    for (size_t offset = 0; offset < 24; offset++) {
        uint64_t counts[BINS] = {0}, got[BINS];
        uh_flow flow = {0, 0, 0};
        const size_t n = 5000 + offset;
        memcpy(memory + offset, values + offset, n * sizeof *values);
        there = test_to_device(tested.queue, memory, n * sizeof *values + offset);
        uh_histogram *histogram = make(tested.queue);
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, there + offset, n), NULL));
        test_good(uh_histogram_counts(histogram, got));
        count_by_hand(values + offset, n, counts, &flow);
        assert_memory_equal(got, counts, sizeof counts);
        assert_int_equal(uh_histogram_fill(histogram, ARRAY(UH_F32, there + offset, n + 1), NULL),
                         UH_ERROR_INVALID_ARGUMENT);
        uh_histogram_destroy(histogram);
        test_good(uh_free(there));
    }
    free(memory);
}

UNIT_TEST(memory_of_another_device_is_refused) {
    uh_device *host;
    uh_queue *host_queue;
    void *there = test_to_device(tested.queue, values, sizeof values);
    test_good(uh_device_select("host", &host));
    test_good(uh_queue_create(host, NULL, &host_queue));
    uh_histogram *histogram = make(host_queue);
    assert_int_equal(uh_histogram_fill(histogram, ARRAY(UH_F32, there, N), NULL), UH_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(uh_last_error(), tested.properties.selector));
    assert_int_equal(uh_histogram_digitize(histogram, ARRAY(UH_F32, values, 1), there), UH_ERROR_INVALID_ARGUMENT);
    double min = 0, max = 0;
    uint64_t nan = 0;
    assert_int_equal(uh_min_max(host_queue, ARRAY(UH_F32, there, N), &min, &max, &nan), UH_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(uh_last_error(), "uh_min_max: x->data is "));
    uint64_t counts[BINS];
    assert_int_equal(uh_histogram_of(host_queue, ARRAY(UH_F32, there, N), BINS, NULL, counts, NULL, NULL),
                     UH_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(uh_last_error(), "uh_histogram_of: x->data is "));
    assert_int_equal(uh_histc(host_queue, ARRAY(UH_F32, there, N), BINS, 0, 0, counts), UH_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(uh_last_error(), "uh_histc: x->data is "));
    assert_int_equal(uh_histc(host_queue, ARRAY(UH_F32, there, N), BINS, 0, 1, counts), UH_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(uh_last_error(), "uh_histc: x->data is "));
    assert_counts(histogram, 0);
    uh_histogram_destroy(histogram);
    test_good(uh_queue_destroy(host_queue));
    test_good(uh_free(there));
}

UNIT_TEST(indices_are_written_wherever_the_device_reaches) {
    static int64_t index[3][N];
    void *device_index, *shared_index;
    uh_histogram *histogram = make(tested.queue);
    void *there = test_to_device(tested.queue, values, sizeof values);
    test_good(uh_malloc_device(tested.device, sizeof index[0], 0, &device_index));
    test_good(uh_malloc_shared(tested.device, sizeof index[0], 0, &shared_index));
    test_good(uh_histogram_digitize(histogram, ARRAY(UH_F32, values, N), index[0]));
    test_good(uh_histogram_digitize(histogram, ARRAY(UH_F32, there, N), device_index));
    test_good(uh_histogram_digitize(histogram, ARRAY(UH_F32, values, N), shared_index));
    test_good(uh_memcpy(tested.queue, index[1], device_index, sizeof index[1], NULL, 0, NULL));
    test_good(uh_queue_wait(tested.queue));
    memcpy(index[2], shared_index, sizeof index[2]);
    for (size_t i = 0; i < N; i++) {
        float x = values[i];
        int64_t slot = x != x || x > BINS ? BINS + 1 : x < 0 ? 0 : x == BINS ? BINS : (int64_t)x + 1;
        assert_int_equal(index[0][i], slot);
        assert_int_equal(index[1][i], slot);
        assert_int_equal(index[2][i], slot);
    }
    assert_counts(histogram, 0);
    uh_histogram_destroy(histogram);
    test_good(uh_free(device_index));
    test_good(uh_free(shared_index));
    test_good(uh_free(there));
}

UNIT_TEST(calls_that_do_all_at_once_work_there_too) {
    static const double range[2] = {0, BINS};
    static int64_t index[N];
    const float edges[3] = {0, 10, 50};
    uint64_t counts[BINS], two[2], nan;
    double min, max;
    uh_flow flow;
    void *there = test_to_device(tested.queue, values, sizeof values);
    for (size_t place = 0; place < 2; place++) {
        const void *x = place ? there : values;
        test_good(uh_histogram_of(tested.queue, ARRAY(UH_F32, x, N), BINS, range, counts, NULL, &flow));
        assert_memory_equal(counts, expected, sizeof counts);
        assert_memory_equal(&flow, &expected_flow, sizeof flow);
        test_good(uh_histogram_of_edges(tested.queue, ARRAY(UH_F32, x, N), UH_F32, edges, 3, two, NULL));
        assert_int_equal(two[0] + two[1] + flow.below + flow.above + flow.nan, N);
        test_good(uh_digitize(tested.queue, ARRAY(UH_F32, x, N), UH_F32, edges, 3, 0, index));
        for (size_t i = 0; i < N; i++)
            assert_int_equal(index[i], values[i] != values[i] || values[i] >= 50 ? 3
                                       : values[i] >= 10                         ? 2
                                       : values[i] >= 0                          ? 1
                                                                                 : 0);
        test_good(uh_min_max(tested.queue, ARRAY(UH_F32, x, N), &min, &max, &nan));
        assert_int_equal(nan, expected_flow.nan);
        assert_true(min == -10 && max == 60);
        min = max = 0;
        test_good(uh_min_max(tested.queue, STRIDED(UH_F32, (const float *)x + N - 1, N, -4), &min, &max, &nan));
        assert_true(min == -10 && max == 60 && nan == expected_flow.nan);
    }
    test_good(uh_free(there));
}

UNIT_TEST(values_that_the_host_can_write_may_change_on_return) {
    enum { MANY = 1 << 19 };
    uint64_t counts[BINS];
    for (size_t kind = 0; kind < 2; kind++) {
        for (size_t apart = 1; apart <= 2; apart++) {
            uh_histogram *histogram = make(tested.queue);
            void *memory = NULL;
            test_good(uh_histogram_prepare(histogram, (const uh_dtype[]){UH_F32}));
            test_good(kind ? uh_malloc_shared(tested.device, MANY * sizeof(float), 0, &memory)
                           : uh_malloc_host(tested.device, MANY * sizeof(float), 0, &memory));
            float *x = memory;
            const size_t n = MANY / apart;
            for (size_t i = 0; i < MANY; i++)
                x[i] = 3;
            test_good(uh_histogram_fill(histogram, STRIDED(UH_F32, x, n, (ptrdiff_t)(apart * sizeof *x)), NULL));
            for (size_t i = MANY; i-- > 0;)
                x[i] = 7;
            test_good(uh_histogram_counts(histogram, counts));
            assert_int_equal(counts[3], n);
            assert_int_equal(counts[7], 0);
            uh_histogram_destroy(histogram);
            test_good(uh_free(memory));
        }
    }
}

UNIT_TEST(the_range_is_of_what_the_queue_has_written) {
    enum { MANY = 1 << 20 };
    void *x;
    test_good(uh_malloc_shared(tested.device, MANY * sizeof(float), 0, &x));
    for (int round = 1; round <= 3; round++) {
        const float value = (float)round;
        double min, max;
        uint64_t nan;
        test_good(uh_fill(tested.queue, x, &value, sizeof value, MANY, NULL, 0, NULL));
        test_good(uh_min_max(tested.queue, ARRAY(UH_F32, x, MANY), &min, &max, &nan));
        assert_true(min == value && max == value);
        assert_int_equal(nan, 0);
    }
    test_good(uh_free(x));
}

UNIT_TEST(very_many_bins_are_counted) {
    enum { MANY = 10000000 };
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    if (tested.properties.memory < (uint64_t)1 << 30) {
        printf("skipped: %s has too little memory for 10^7 bins\n", tested.properties.selector);
        skip();
    }
    uint32_t *x = malloc(N * sizeof *x);
    uint64_t *counts = malloc(MANY * sizeof *counts);
    assert_true(x && counts);
    for (size_t i = 0; i < N; i++)
        x[i] = (uint32_t)(i * UINT64_C(2654435761) % (MANY + 1000));
    test_good(uh_axis_create_equal(MANY, 0, MANY, UH_CLOSED_LEFT, &axis));
    test_good(uh_histogram_create(tested.queue, &axis, 1, NULL, &histogram));
    uh_axis_destroy(axis);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_U32, x, N), NULL));
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t i = 0; i < N; i++)
        if (x[i] <= MANY)
            counts[x[i] == MANY ? MANY - 1 : x[i]]--;
    for (size_t j = 0; j < MANY; j++)
        assert_int_equal(counts[j], 0);
    uh_histogram_destroy(histogram);
    free(x);
    free(counts);
}

static void *count_in_a_thread(void *user) {
    uh_queue *own = NULL;
    (void)user;
    if (uh_queue_create(tested.device, NULL, &own))
        return "no queue";
    uh_histogram *histogram = make(own);
    for (size_t i = 0; i < 5; i++) {
        if (uh_histogram_fill(histogram, ARRAY(UH_F32, values, N), NULL))
            return "no fill";
        if (i % 2)
            assert_counts(histogram, i + 1);
    }
    assert_counts(histogram, 5);
    uh_histogram_destroy(histogram);
    return uh_queue_destroy(own) ? "queue in use" : NULL;
}

UNIT_TEST(threads_with_queues_of_their_own_count_at_once) {
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_in_a_thread, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
}

UNIT_TEST(the_plan_says_where_it_counts) {
    char text[1000];
    size_t length, again;
    uh_histogram *histogram = make(tested.queue);
    test_good(uh_histogram_plan_text(histogram, 0, UH_F32, NULL, 0, &length));
    test_good(uh_histogram_plan_text(histogram, 0, UH_F32, text, sizeof text, &again));
    assert_int_equal(length, strlen(text));
    assert_int_equal(length, again);
    assert_non_null(strstr(text, " memory, "));
    test_good(uh_histogram_plan_text(histogram, 0, UH_F32, text, 10, &again));
    assert_int_equal(strlen(text), 9);
    uh_histogram_destroy(histogram);
}

TEST_MAIN(test_histogram_device) {
    for (size_t i = 0; i < N; i++) {
        values[i] = (float)(i * UINT64_C(2654435761) % 70000) / 1000 - 10;
        if (i % 1000 == 17)
            values[i] = NAN;
    }
    values[0] = -10;
    values[1] = 60;
    values[2] = BINS;
    values[3] = -0.0f;
    count_by_hand(values, N, expected, &expected_flow);
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    return TESTED_RUN();
}
