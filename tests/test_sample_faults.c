/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of sampling, on the driver of tests/soft_gpu: for every Level Zero call of a life of queue, memory,
 * samplers, draws and counts, a life in which just that call fails. It must give the status that the code means and a
 * message that names the call, leave counts alone and leak nothing, and the next life must work. A call whose failure
 * costs nothing may go unnoticed, but then all samples must be right. */
#include "tests/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

enum { K = 64, N = 20001, SEED = 11, OFFSET = 3, CANARY = 0x5a };

static struct soft_gpu gpu;
static uh_device *device;
static double weights[K];
static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};
static uint64_t expected[3][N], expected_counts[3][K]; /* of each method, by the host */
static uint32_t expected_32[3][N];
static int64_t expected_others[2][N];
static uint64_t expected_even[K];
#define DIGITS_P 1e-4

/* By the second method the weights come from USM, of which a copy is made. */
static void use_sampler(uh_queue *queue, size_t m, uint64_t *there, struct outcome *outcome) {
    static uint64_t drawn[N];
    static uint32_t narrow[N];
    const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[m]};
    uint64_t counts[K], untouched[K];
    uh_sampler *sampler = NULL;
    memset(counts, CANARY, sizeof counts);
    memset(untouched, CANARY, sizeof untouched);
    if (m == 1)
        memcpy(there, weights, sizeof weights);
    uh_status status = uh_sampler_create(queue, UH_F64, m == 1 ? (void *)there : weights, K, &options, &sampler);
    fault_note(outcome, status);
    assert_true((status == UH_SUCCESS) == (sampler != NULL));
    if (!sampler)
        return;
    status = uh_sampler_draw(sampler, N, SEED, OFFSET, UH_U64, drawn);
    fault_note(outcome, status);
    if (!status)
        assert_memory_equal(drawn, expected[m], sizeof drawn);
    status = uh_sampler_draw(sampler, N, SEED, OFFSET, UH_U64, there);
    fault_note(outcome, status);
    if (!status)
        assert_memory_equal(there, expected[m], sizeof drawn);
    status = uh_sampler_count(sampler, N, SEED, OFFSET, counts, K);
    fault_note(outcome, status);
    assert_memory_equal(counts, status ? untouched : expected_counts[m], sizeof counts);
    status = uh_sampler_draw(sampler, N, SEED, OFFSET, UH_I32, narrow); /* after a failure the sampler still works */
    fault_note(outcome, status);
    if (!status)
        assert_memory_equal(narrow, expected_32[m], sizeof narrow);
    fault_note(outcome, uh_sampler_destroy(sampler));
}

/* A geometric sampler of digits, whose samples are put together on the device, and integers that are all alike. */
static void use_others(uh_queue *queue, struct outcome *outcome) {
    uh_sampler *sampler[2] = {NULL, NULL};
    uint64_t counts[K], untouched[K];
    static int64_t drawn[N];
    memset(untouched, CANARY, sizeof untouched);
    memset(counts, CANARY, sizeof counts);
    fault_note(outcome, uh_sampler_create_geometric(queue, DIGITS_P, NULL, &sampler[0]));
    fault_note(outcome, uh_sampler_create_uniform(queue, 1 - K, 0, NULL, &sampler[1]));
    for (size_t s = 0; s < 2; s++) {
        const uh_status status =
            sampler[s] ? uh_sampler_draw(sampler[s], N, SEED, OFFSET, UH_I64, drawn) : UH_ERROR_UNSUPPORTED;
        if (sampler[s])
            fault_note(outcome, status);
        if (!status)
            assert_memory_equal(drawn, expected_others[s], sizeof drawn);
    }
    if (sampler[1]) {
        const uh_status status = uh_sampler_count(sampler[1], N, SEED, OFFSET, counts, K);
        fault_note(outcome, status);
        assert_memory_equal(counts, status ? untouched : expected_even, sizeof counts);
    }
    for (size_t s = 0; s < 2; s++)
        fault_note(outcome, uh_sampler_destroy(sampler[s]));
}

static struct outcome live(void) {
    struct outcome outcome = {UH_SUCCESS, ""};
    uh_queue *queue = NULL;
    void *there = NULL;
    fault_note(&outcome, uh_queue_create(device, NULL, &queue));
    if (!outcome.status)
        fault_note(&outcome, uh_malloc_shared(device, sizeof expected[0], 0, &there));
    for (size_t m = 0; m < 3 && there; m++)
        use_sampler(queue, m, there, &outcome);
    if (there)
        use_others(queue, &outcome);
    for (int i = 0; queue && i < 2; i++)
        fault_note(&outcome, uh_queue_wait(queue));
    fault_note(&outcome, uh_free(there));
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
    uint64_t counts[K];
    uint32_t drawn[K];
    uh_queue *queue = NULL;
    uh_sampler *sampler = NULL, *other = NULL;
    counts[0] = CANARY;
    assert_int_equal(uh_queue_create(device, NULL, &queue), UH_SUCCESS);
    assert_int_equal(uh_sampler_create(queue, UH_F64, weights, K, NULL, &sampler), UH_SUCCESS);
    gpu.lose(3);
    assert_int_equal(uh_sampler_count(sampler, N, SEED, OFFSET, counts, K), UH_ERROR_DEVICE_LOST);
    assert_int_equal(counts[0], CANARY);
    assert_int_equal(uh_sampler_draw(sampler, K, SEED, OFFSET, UH_U32, drawn), UH_ERROR_DEVICE_LOST);
    assert_int_equal(uh_sampler_create(queue, UH_F64, weights, K, NULL, &other), UH_ERROR_DEVICE_LOST);
    assert_null(other);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static int expect(void) {
    uh_device *host;
    uh_queue *queue = NULL;
    for (size_t i = 0; i < K; i++)
        weights[i] = i % 5 == 4 ? 0 : (double)(i % 7 + 1);
    if (uh_device_select("host", &host) || uh_queue_create(host, NULL, &queue))
        return 1;
    for (size_t m = 0; m < 3; m++) {
        const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[m]};
        uh_sampler *sampler = NULL;
        if (uh_sampler_create(queue, UH_F64, weights, K, &options, &sampler) ||
            uh_sampler_draw(sampler, N, SEED, OFFSET, UH_U64, expected[m]) || uh_sampler_destroy(sampler))
            return 1;
        for (size_t i = 0; i < N; i++) {
            expected_32[m][i] = (uint32_t)expected[m][i];
            expected_counts[m][expected[m][i]]++;
        }
    }
    uh_sampler *digits = NULL, *even = NULL;
    if (uh_sampler_create_geometric(queue, DIGITS_P, NULL, &digits) ||
        uh_sampler_create_uniform(queue, 1 - K, 0, NULL, &even) ||
        uh_sampler_draw(digits, N, SEED, OFFSET, UH_I64, expected_others[0]) ||
        uh_sampler_draw(even, N, SEED, OFFSET, UH_I64, expected_others[1]) || uh_sampler_destroy(digits) ||
        uh_sampler_destroy(even))
        return 1;
    for (size_t i = 0; i < N; i++)
        expected_even[expected_others[1][i] + K - 1]++;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_sample_faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once_and_the_next_life_works),
        cmocka_unit_test(a_lost_device_is_told),
    };
    if (fault_find(&gpu, &device))
        return 77;
    if (expect()) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
