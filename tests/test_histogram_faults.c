/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run, on the driver of tests/soft_gpu: for every Level Zero call that a whole life of queue, memory, module,
 * kernel and histogram makes, a life in which just that call fails. It must give the status that the code means and a
 * message that names the call, leave outputs alone, leak nothing, and the next life must work. A call whose failure
 * costs nothing (a hint, a query, a destruction) may go unnoticed, but then all results must be right.
 *
 * "test_histogram_faults N" is one life that loses the device at call N. */
#include "tests/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>
#include <unihist/kernel.h>

#include "kernels/registry.h"

enum { BINS = 64, N = 100000, FEW = 1000, CANARY = 0x5a };

static const char *program; /* this one's path */
static uh_device *device;
static float values[N];
static uint64_t expected[BINS]; /* of N values */

/* Everything that a life owns. */
struct life {
    uh_queue *queue, *copies;
    uh_module *module;
    uh_histogram *histogram;
    void *there, *shared;
    uh_event *event;
    uint8_t got[8]; /* a copy may go on where the wait for it fails */
};

static uh_status open_life(struct life *life) {
    const uh_queue_options timed = {.struct_size = sizeof timed, .profiling = 1};
    const uh_queue_options copies = {.struct_size = sizeof copies, .engine = UH_ENGINE_COPY};
    uh_axis *axis = NULL;
    uh_status status = uh_queue_create(device, &timed, &life->queue);
    if (!status)
        status = uh_queue_create(device, &copies, &life->copies);
    if (!status)
        status = uh_axis_create_equal(BINS, 0, BINS, UH_CLOSED_LEFT, &axis);
    if (!status)
        status = uh_histogram_create(life->queue, axis, NULL, &life->histogram);
    uh_axis_destroy(axis);
    if (!status)
        status = uh_malloc_device(device, sizeof values, 0, &life->there);
    if (!status)
        status = uh_malloc_shared(device, sizeof values, 0, &life->shared);
    return status;
}

/* The runtime's own calls: copies on two queues, a dependency, fill, prefetch, a module, a launch, times. */
static uh_status use_runtime(struct life *life) {
    uint8_t byte = 0;
    uh_event_times times = {0};
    uh_kernel *kernel = NULL;
    uh_event *copied = NULL;
    const uint32_t slots = 1, slabs = 1;
    uh_status status = uh_fill(life->queue, life->shared, &byte, 1, sizeof values, NULL, 0, NULL);
    if (!status)
        status = uh_queue_wait(life->queue);
    if (!status)
        status = uh_memcpy(life->copies, life->there, values, sizeof values, NULL, 0, &copied);
    if (!status)
        status = uh_memcpy(life->queue, life->shared, life->there, sizeof values, &copied, 1, NULL);
    if (!status)
        status = uh_prefetch(life->queue, life->shared, sizeof values, NULL, 0, NULL);
    if (!status)
        status = uh_queue_wait(life->queue);
    if (!status && memcmp(life->shared, values, sizeof values) != 0)
        fail_msg("a copy that was successful has other contents");
    uh_event_destroy(copied);
    if (!status)
        status = uh_module_create_program(device, uhi_find_variant(uhi_common_variants(), "add_tables")->program, NULL,
                                          &life->module);
    if (!status)
        status = uh_kernel_get(life->module, "add_tables", &kernel);
    const uh_arg args[] = {uh_arg_pointer(life->shared), uh_arg_value(&slots, sizeof slots),
                           uh_arg_value(&slabs, sizeof slabs)};
    const uh_nd_range range = {.dims = 1, .global = {16}};
    if (!status)
        status = uh_parallel_for(life->queue, kernel, &range, args, 3, NULL, 0, &life->event);
    if (!status)
        status = uh_event_profile(life->event, &times);
    if (!status) {
        assert_true(times.submitted <= times.started && times.started <= times.ended);
        status = uh_memcpy(life->queue, life->got, life->shared, sizeof life->got, NULL, 0, NULL);
    }
    uh_status waited = uh_queue_wait(life->queue);
    return status ? status : waited;
}

/* Fills from the host in one piece and in several, from device and shared memory, and reads. A call that fails leaves
 * what it was to write alone; a fill that fails leaves the histogram alone. */
static uh_status use_histogram(struct life *life, struct outcome *outcome) {
    uint64_t counts[BINS], canary[BINS], times = 0;
    int64_t index[FEW], untouched[FEW];
    memset(canary, CANARY, sizeof canary);
    memset(untouched, CANARY, sizeof untouched);
    const void *const places[] = {values, life->there, life->shared, values};
    for (size_t i = 0; i < 4; i++) {
        uh_status status = uh_histogram_fill(life->histogram, UH_F32, places[i], N);
        fault_note(outcome, status);
        times += status == UH_SUCCESS;
    }
    memcpy(counts, canary, sizeof counts);
    uh_status status = uh_histogram_counts(life->histogram, counts);
    fault_note(outcome, status);
    if (status == UH_SUCCESS)
        for (size_t j = 0; j < BINS; j++)
            assert_int_equal(counts[j], times * expected[j]);
    else
        assert_memory_equal(counts, canary, sizeof counts);
    memcpy(index, untouched, sizeof index);
    status = uh_histogram_digitize(life->histogram, UH_F32, values, FEW, 4, index);
    fault_note(outcome, status);
    for (size_t i = 0; i < FEW && !status; i++)
        assert_int_equal(index[i], (int64_t)values[i] + 1);
    if (status != UH_SUCCESS)
        assert_memory_equal(index, untouched, sizeof index);
    return status;
}

static void close_life(struct life *life, struct outcome *outcome) {
    fault_note(outcome, uh_event_destroy(life->event));
    /* Where a wait failed, what it waited for may go on: a second one makes sure. */
    for (int i = 0; i < 2; i++) {
        if (life->copies)
            fault_note(outcome, uh_queue_wait(life->copies));
        if (life->queue)
            fault_note(outcome, uh_queue_wait(life->queue));
    }
    fault_note(outcome, uh_histogram_destroy(life->histogram));
    fault_note(outcome, uh_module_destroy(life->module));
    fault_note(outcome, uh_free(life->there));
    fault_note(outcome, uh_free(life->shared));
    fault_note(outcome, uh_queue_destroy(life->copies));
    fault_note(outcome, uh_queue_destroy(life->queue));
}

static struct outcome live(void) {
    struct life life = {0};
    struct outcome outcome = {UH_SUCCESS, ""};
    fault_note(&outcome, open_life(&life));
    if (outcome.status == UH_SUCCESS)
        fault_note(&outcome, use_runtime(&life));
    if (outcome.status == UH_SUCCESS)
        use_histogram(&life, &outcome);
    close_life(&life, &outcome);
    return outcome;
}

static int host_goes_on(void) {
    uh_device *host;
    uint64_t counts[BINS];
    const double range[2] = {0, BINS};
    uh_queue *queue = NULL;
    return !uh_device_select("host", &host) && !uh_queue_create(host, NULL, &queue) &&
           !uh_histogram_of(queue, UH_F32, values, N, BINS, range, counts, NULL, NULL) && !uh_queue_destroy(queue) &&
           memcmp(counts, expected, sizeof counts) == 0;
}

static struct fault_run make_run(void) {
    /* Each call fails with one of the codes; instrumented, a life takes long. */
    return (struct fault_run){.live = live,
                              .most_calls = FAULT_MOST_CALLS,
                              .step = getenv("UNIHIST_TEST_ALL")       ? 1
                                      : getenv("UNIHIST_INSTRUMENTED") ? 7
                                                                       : 3,
                              .host_goes_on = host_goes_on};
}

static void every_call_fails_once(void **state) {
    (void)state;
    const struct fault_run run = make_run();
    fault_every_call(&run);
}

static void one_life_after_each_fault_works(void **state) {
    (void)state;
    const struct fault_run run = make_run();
    fault_one_life_after_each(&run, getenv("UNIHIST_INSTRUMENTED") ? 29 : 7);
}

static void a_lost_device_is_told_and_everything_is_freed(void **state) {
    (void)state;
    fault_losses(program, getenv("UNIHIST_TEST_ALL") ? 0 : getenv("UNIHIST_INSTRUMENTED") ? 7 : 20);
}

static void prepare_values(void) {
    for (size_t i = 0; i < N; i++) {
        values[i] = (float)(i * UINT64_C(2654435761) % (BINS * 1000)) / 1000;
        expected[(size_t)values[i]]++;
    }
}

TEST_MAIN(test_histogram_faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(one_life_after_each_fault_works),
        cmocka_unit_test(a_lost_device_is_told_and_everything_is_freed),
    };
    prepare_values();
    if (fault_find(NULL, &device))
        return 77;
    program = argv[0];
    if (argc == 2) {
        const struct fault_run run = make_run();
        return fault_lose(&run, strtoull(argv[1], NULL, 10));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
