/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run, on the driver of tests/soft_gpu: for every Level Zero call that a whole life of queue, memory, module,
 * kernel and histogram makes, a life in which just that call fails. It must give the status that the code means and a
 * message that names the call, leave outputs alone, leak nothing, and the next life must work. A call whose failure
 * costs nothing (a hint, a query, a destruction) may go unnoticed, but then all results must be right.
 *
 * "test_histogram_faults N" is one life that loses the device at call N. */
#include "tests/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>
#include <unihist/kernel.h>

#include "kernels/registry.h"
#include "tests/child.h"
#include "tests/soft_gpu/soft_gpu.h"

enum { BINS = 64, N = 100000, FEW = 1000, CANARY = 0x5a };

static struct soft_gpu gpu;
static const char *program; /* this one's path */
static uh_device *device;
static float values[N];
static uint64_t expected[BINS]; /* of N values */

/* What a life ended with: the first failure and its message. */
struct outcome {
    uh_status status;
    char message[512];
};

static void note(struct outcome *outcome, uh_status status) {
    if (status == UH_SUCCESS || outcome->status != UH_SUCCESS)
        return;
    outcome->status = status;
    snprintf(outcome->message, sizeof outcome->message, "%s", uh_last_error());
}

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
        status = uh_module_create_program(device, uhi_histogram_program(), NULL, &life->module);
    if (!status)
        status = uh_kernel_get(life->module, "add_slabs", &kernel);
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
        note(outcome, status);
        times += status == UH_SUCCESS;
    }
    memcpy(counts, canary, sizeof counts);
    uh_status status = uh_histogram_counts(life->histogram, counts);
    note(outcome, status);
    if (status == UH_SUCCESS)
        for (size_t j = 0; j < BINS; j++)
            assert_int_equal(counts[j], times * expected[j]);
    else
        assert_memory_equal(counts, canary, sizeof counts);
    memcpy(index, untouched, sizeof index);
    status = uh_histogram_digitize(life->histogram, UH_F32, values, FEW, 4, index);
    note(outcome, status);
    for (size_t i = 0; i < FEW && !status; i++)
        assert_int_equal(index[i], (int64_t)values[i] + 1);
    if (status != UH_SUCCESS)
        assert_memory_equal(index, untouched, sizeof index);
    return status;
}

static void close_life(struct life *life, struct outcome *outcome) {
    note(outcome, uh_event_destroy(life->event));
    /* Where a wait failed, what it waited for may go on: a second one makes sure. */
    for (int i = 0; i < 2; i++) {
        if (life->copies)
            note(outcome, uh_queue_wait(life->copies));
        if (life->queue)
            note(outcome, uh_queue_wait(life->queue));
    }
    note(outcome, uh_histogram_destroy(life->histogram));
    note(outcome, uh_module_destroy(life->module));
    note(outcome, uh_free(life->there));
    note(outcome, uh_free(life->shared));
    note(outcome, uh_queue_destroy(life->copies));
    note(outcome, uh_queue_destroy(life->queue));
}

static struct outcome live(void) {
    struct life life = {0};
    struct outcome outcome = {UH_SUCCESS, ""};
    note(&outcome, open_life(&life));
    if (outcome.status == UH_SUCCESS)
        note(&outcome, use_runtime(&life));
    if (outcome.status == UH_SUCCESS)
        use_histogram(&life, &outcome);
    close_life(&life, &outcome);
    return outcome;
}

static void assert_clean(size_t alive, const char *what) {
    char text[4096];
    size_t now = gpu.live_handles(text, sizeof text);
    if (now != alive)
        fail_msg("%s: %zu handles are alive, before it were %zu:\n%s", what, now, alive, text);
    if (gpu.misuses(text, sizeof text))
        fail_msg("%s: misuse of the driver: %s", what, text);
}

/* ---- every call fails once ---- */

enum { MOST_CALLS = 4000 };
static const char *names[MOST_CALLS];
static size_t call_count;

static void record(const char *name, uint64_t number, void *user) {
    (void)number;
    (void)user;
    if (call_count < MOST_CALLS)
        names[call_count] = name;
    call_count++;
}

static struct outcome live_recorded(void) {
    call_count = 0;
    gpu.trace(record, NULL);
    struct outcome outcome = live();
    gpu.trace(NULL, NULL);
    return outcome;
}

static const struct code {
    const char *text;
    uh_status status;
} codes[] = {
    {"0x7ffffffe", UH_ERROR_DRIVER},               /* ZE_RESULT_ERROR_UNKNOWN */
    {"0x70000002", UH_ERROR_OUT_OF_MEMORY},        /* ..._OUT_OF_HOST_MEMORY */
    {"0x70000003", UH_ERROR_OUT_OF_DEVICE_MEMORY}, /* ..._OUT_OF_DEVICE_MEMORY */
};

static void every_call_fails_once(void **state) {
    (void)state;
    /* Each call fails with one of the codes; instrumented, a life takes long. */
    const size_t step = getenv("UNIHIST_TEST_ALL") ? 1 : getenv("UNIHIST_INSTRUMENTED") ? 7 : 3;
    size_t runs = 0, noticed = 0;
    assert_int_equal(live().status, UH_SUCCESS); /* what is made once a process is made now */
    const size_t alive = gpu.live_handles(NULL, 0);
    assert_int_equal(live_recorded().status, UH_SUCCESS);
    const size_t calls = call_count;
    assert_in_range(calls, 50, MOST_CALLS);
    for (size_t code = 0; code < sizeof codes / sizeof *codes; code++) {
        for (size_t call = 1 + code % step; call <= calls; call += step) {
            char fault[64], what[200];
            snprintf(fault, sizeof fault, "*:%zu=%s", call, codes[code].text);
            assert_int_equal((gpu.fail)(fault), 0);
            struct outcome outcome = live_recorded();
            assert_int_equal((gpu.fail)(NULL), 0);
            /* A life may make other calls than the one before: it queries what has ended. */
            const char *name = call <= call_count ? names[call - 1] : "none";
            snprintf(what, sizeof what, "call %zu (%s) fails with %s", call, name, codes[code].text);
            if (outcome.status != UH_SUCCESS) {
                noticed++;
                if (outcome.status != codes[code].status || !strstr(outcome.message, name))
                    fail_msg("%s: status %s, message \"%s\"", what, uh_status_name(outcome.status), outcome.message);
            }
            assert_clean(alive, what);
            runs++;
        }
        struct outcome next = live();
        if (next.status != UH_SUCCESS)
            fail_msg("after the faults a life fails: %s", next.message);
        assert_clean(alive, "a life after the faults");
    }
    printf("fault run: %zu calls, %zu lives with a fault, %zu of them noticed\n", calls, runs, noticed);
    assert_true(noticed > runs / 2);
}

static void one_life_after_each_fault_works(void **state) {
    (void)state;
    const size_t alive = gpu.live_handles(NULL, 0);
    assert_int_equal(live_recorded().status, UH_SUCCESS);
    for (size_t call = 1; call <= call_count; call += getenv("UNIHIST_INSTRUMENTED") ? 29 : 7) {
        char fault[64];
        snprintf(fault, sizeof fault, "*:%zu=%s", call, codes[0].text);
        assert_int_equal((gpu.fail)(fault), 0);
        live();
        assert_int_equal((gpu.fail)(NULL), 0);
        struct outcome next = live();
        if (next.status != UH_SUCCESS)
            fail_msg("after call %zu (%s) failed, the next life fails: %s", call, names[call - 1], next.message);
        assert_clean(alive, "the life after a fault");
    }
}

/* ---- the device is lost: for the rest of the process, so each life is one of its own ---- */

static int live_and_lose(uint64_t call) {
    char text[4096];
    if (live().status != UH_SUCCESS)
        return 2;
    size_t alive = gpu.live_handles(NULL, 0);
    gpu.lose(call);
    struct outcome outcome = live();
    /* Lost while everything is destroyed, nobody has to notice. */
    if (outcome.status != UH_ERROR_DEVICE_LOST && outcome.status != UH_SUCCESS) {
        printf("call %" PRIu64 ": status %s, message \"%s\"\n", call, uh_status_name(outcome.status), outcome.message);
        return 3;
    }
    struct outcome next = live();
    if (next.status != UH_ERROR_DEVICE_LOST) {
        printf("call %" PRIu64 ": afterwards status %s, message \"%s\"\n", call, uh_status_name(next.status),
               next.message);
        return 4;
    }
    /* The host goes on. */
    uh_device *host;
    uint64_t counts[BINS];
    const double range[2] = {0, BINS};
    uh_queue *queue = NULL;
    if (uh_device_select("host", &host) || uh_queue_create(host, NULL, &queue) ||
        uh_histogram_of(queue, UH_F32, values, N, BINS, range, counts, NULL, NULL) || uh_queue_destroy(queue) ||
        memcmp(counts, expected, sizeof counts) != 0)
        return 5;
    if (gpu.live_handles(text, sizeof text) != alive || gpu.misuses(NULL, 0)) {
        printf("call %" PRIu64 ": alive are\n%s", call, text);
        return 6;
    }
    return 0;
}

static void a_lost_device_is_told_and_everything_is_freed(void **state) {
    (void)state;
    size_t lives = 0, step = getenv("UNIHIST_TEST_ALL") ? 1 : call_count / (getenv("UNIHIST_INSTRUMENTED") ? 7 : 20);
    for (size_t call = 1; call <= call_count; call += step ? step : 1, lives++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", call);
        const char *const environment[] = {NULL};
        struct test_child child;
        test_run_child(program, number, environment, &child);
        if (child.exit_code != 0)
            fail_msg("the device lost at call %zu (%s): exit code %d\n%s%s", call, names[call - 1], child.exit_code,
                     child.out, child.err);
    }
    printf("fault run: %zu lives with a lost device\n", lives);
}

static void prepare_values(void) {
    for (size_t i = 0; i < N; i++) {
        values[i] = (float)(i * UINT64_C(2654435761) % (BINS * 1000)) / 1000;
        expected[(size_t)values[i]]++;
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(one_life_after_each_fault_works),
        cmocka_unit_test(a_lost_device_is_told_and_everything_is_freed),
    };
    prepare_values();
    if (uh_device_select("level_zero", &device) || soft_gpu_find(&gpu) != 0) {
        printf("skipped: the driver of tests/soft_gpu is not in use (%s)\n", uh_last_error());
        return 77;
    }
    program = argv[0];
    if (argc == 2)
        return live_and_lose(strtoull(argv[1], NULL, 10));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
