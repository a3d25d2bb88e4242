/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of counting integers, on the driver of tests/soft_gpu: for every Level Zero call of a life of queue,
 * memory, counters, sums and extents, a life in which just that call fails. It must give the status that the code means
 * and a message that names the call, leave outputs and counters alone and leak nothing, and the next life must work. A
 * call whose failure costs nothing may go unnoticed, but then all results must be right. */
#include "tests/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

enum { BINS = 64, N = 30000, CANARY = 0x5a };

static struct soft_gpu gpu;
static uh_device *device;
static int32_t values[N];
static double weights[N], expected_sums[BINS];
static uint64_t expected[BINS];

/* Fills from each place; a fill that fails leaves the counter as it was. */
static void use_counter(uh_queue *queue, const void *const places[3], int weighted, struct outcome *outcome) {
    const uh_counter_options options = {.struct_size = sizeof options,
                                        .storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT};
    uh_counter *counter = NULL;
    size_t times = 0;
    fault_note(outcome, uh_counter_create(queue, &options, &counter));
    for (size_t i = 0; counter && i < 3; i++) {
        uh_status status = weighted ? uh_counter_fill_weighted(counter, UH_I32, places[i], N, UH_F64, weights, N)
                                    : uh_counter_fill(counter, UH_I32, places[i], N);
        fault_note(outcome, status);
        times += status == UH_SUCCESS;
        assert_int_equal(uh_counter_length(counter), times ? BINS : 0);
    }
    if (counter && times && weighted) {
        double sums[BINS];
        fault_note(outcome, uh_counter_sums(counter, sums));
        for (size_t v = 0; v < BINS; v++)
            assert_true(sums[v] == (double)times * expected_sums[v]);
    } else if (counter && times) {
        uint64_t counts[BINS];
        fault_note(outcome, uh_counter_counts(counter, counts));
        for (size_t v = 0; v < BINS; v++)
            assert_int_equal(counts[v], times * expected[v]);
    }
    fault_note(outcome, uh_counter_destroy(counter));
}

/* One-call forms; what a failing call was to write must be as it was. */
static void use_calls(uh_queue *queue, const void *there, struct outcome *outcome) {
    uint64_t counts[BINS], untouched[BINS], nan = CANARY;
    double low = CANARY, high = CANARY;
    memset(counts, CANARY, sizeof counts);
    memset(untouched, CANARY, sizeof untouched);
    uh_status status = uh_bincount_into(queue, UH_I32, there, N, counts, BINS);
    fault_note(outcome, status);
    assert_memory_equal(counts, status ? untouched : expected, sizeof counts);
    status = uh_min_max(queue, UH_I32, there, N, &low, &high, &nan);
    fault_note(outcome, status);
    assert_true(status ? low == CANARY && high == CANARY && nan == CANARY : low == 0 && high == BINS - 1 && nan == 0);
}

static struct outcome live(void) {
    struct outcome outcome = {UH_SUCCESS, ""};
    uh_queue *queue = NULL;
    void *there = NULL, *shared = NULL;
    fault_note(&outcome, uh_queue_create(device, NULL, &queue));
    if (!outcome.status)
        fault_note(&outcome, uh_malloc_device(device, sizeof values, 0, &there));
    if (!outcome.status)
        fault_note(&outcome, uh_malloc_shared(device, sizeof values, 0, &shared));
    if (!outcome.status)
        fault_note(&outcome, uh_memcpy(queue, there, values, sizeof values, NULL, 0, NULL));
    if (!outcome.status)
        fault_note(&outcome, uh_queue_wait(queue));
    if (!outcome.status) {
        memcpy(shared, values, sizeof values);
        const void *const places[] = {values, there, shared};
        use_counter(queue, places, 0, &outcome);
        use_counter(queue, places, 1, &outcome);
        use_calls(queue, there, &outcome);
    }
    for (int i = 0; queue && i < 2; i++)
        fault_note(&outcome, uh_queue_wait(queue));
    fault_note(&outcome, uh_free(there));
    fault_note(&outcome, uh_free(shared));
    fault_note(&outcome, uh_queue_destroy(queue));
    return outcome;
}

static void every_call_fails_once_and_the_next_life_works(void **state) {
    (void)state;
    const struct fault_run run = {.live = live,
                                  .most_calls = 3000,
                                  .step = getenv("UNIHIST_TEST_ALL")       ? 1
                                          : getenv("UNIHIST_INSTRUMENTED") ? 11
                                                                           : 3, /* instrumented, a life is long */
                                  .next = 7};
    fault_every_call(&run);
}

static void a_lost_device_is_told(void **state) {
    (void)state;
    uint64_t counts[BINS], *made = NULL;
    size_t length = CANARY;
    uh_queue *queue = NULL;
    counts[0] = CANARY;
    assert_int_equal(uh_queue_create(device, NULL, &queue), UH_SUCCESS);
    gpu.lose(3);
    assert_int_equal(uh_bincount_into(queue, UH_I32, values, N, counts, BINS), UH_ERROR_DEVICE_LOST);
    assert_int_equal(counts[0], CANARY);
    assert_int_equal(uh_bincount(queue, UH_I32, values, N, 0, &made, &length), UH_ERROR_DEVICE_LOST);
    assert_true(made == NULL && length == CANARY);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_bincount_faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once_and_the_next_life_works),
        cmocka_unit_test(a_lost_device_is_told),
    };
    for (size_t i = 0; i < N; i++) {
        values[i] = (int32_t)(i * UINT64_C(2654435761) % 1000003 % BINS);
        weights[i] = (double)(i % 1000) / 8 - 60; /* sums of these are exact */
        expected[values[i]]++;
        expected_sums[values[i]] += weights[i];
    }
    if (fault_find(&gpu, &device))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
