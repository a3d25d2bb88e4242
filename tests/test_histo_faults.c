/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of the Parboil histogram, on the driver of tests/soft_gpu: for every Level Zero call of a life of
 * queue, memory and counting, a life in which just that call fails. It must give the status that the code means and a
 * message that names the call, leave outputs alone and leak nothing, and the next life must work. A call whose failure
 * costs nothing may go unnoticed, but then all counts must be right. */
#include "tests/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histo.h>

#include "tests/cases_histo.h"

enum { WIDTH = 64, HEIGHT = 64, BINS = WIDTH * HEIGHT, N = 40000, CANARY = 0x5a };

static struct soft_gpu gpu;
static uh_device *device;
static uint32_t indices[N];
static uint8_t expected[BINS];
static uint64_t expected_beyond;

/* Counts once or more often; what a failing call was to write must be as it was. */
static void count(uh_queue *queue, const uint32_t *x, size_t iterations, struct outcome *outcome) {
    static uint8_t out[BINS], untouched[BINS];
    const uh_histo_options options = {.struct_size = sizeof options, .iterations = iterations};
    uh_histo_report report = {.struct_size = sizeof report, .beyond = CANARY};
    memset(out, CANARY, sizeof out);
    memset(untouched, CANARY, sizeof untouched);
    uh_status status = uh_histo_run(queue, x, N, WIDTH, HEIGHT, &options, out, &report);
    fault_note(outcome, status);
    assert_memory_equal(out, status ? untouched : expected, BINS);
    assert_int_equal(report.beyond, status ? CANARY : expected_beyond);
}

static struct outcome live(void) {
    struct outcome outcome = {UH_SUCCESS, ""};
    uh_queue *queue = NULL;
    void *there = NULL, *shared = NULL;
    fault_note(&outcome, uh_queue_create(device, NULL, &queue));
    if (!outcome.status)
        fault_note(&outcome, uh_malloc_device(device, sizeof indices, 0, &there));
    if (!outcome.status)
        fault_note(&outcome, uh_malloc_shared(device, sizeof indices, 0, &shared));
    if (!outcome.status)
        fault_note(&outcome, uh_memcpy(queue, there, indices, sizeof indices, NULL, 0, NULL));
    if (!outcome.status)
        fault_note(&outcome, uh_queue_wait(queue));
    if (!outcome.status) {
        memcpy(shared, indices, sizeof indices);
        count(queue, indices, 2, &outcome);
        count(queue, there, 1, &outcome);
        count(queue, shared, 1, &outcome);
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
                                  .most_calls = 2000,
                                  .step = getenv("UNIHIST_INSTRUMENTED") ? 7 : 1, /* instrumented, a life takes long */
                                  .next = 5};
    fault_every_call(&run);
}

static void a_lost_device_is_told(void **state) {
    (void)state;
    uint8_t out = CANARY;
    uh_queue *queue = NULL;
    assert_int_equal(uh_queue_create(device, NULL, &queue), UH_SUCCESS);
    gpu.lose(3);
    assert_int_equal(uh_histo_saturating_2d(queue, indices, N, 1, 1, &out, NULL), UH_ERROR_DEVICE_LOST);
    assert_int_equal(out, CANARY);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_histo_faults) {
    static uint32_t counts[BINS];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once_and_the_next_life_works),
        cmocka_unit_test(a_lost_device_is_told),
    };
    case_wafer_make(CASE_WAFER_FAR, WIDTH, HEIGHT, indices, N);
    expected_beyond = case_wafer_count(indices, N, BINS, counts, expected);
    if (fault_find(&gpu, &device))
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
