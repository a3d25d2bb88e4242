/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of counting integers, on the driver of tests/soft_gpu: for every Level Zero call of a life of queue,
 * memory, counters, sums and extents, a life in which just that call fails. It must give the status that the code means
 * and a message that names the call, leave outputs and counters alone and leak nothing, and the next life must work. A
 * call whose failure costs nothing may go unnoticed, but then all results must be right. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/bincount.h>
#include <unihist/histogram.h>

#include "tests/soft_gpu/soft_gpu.h"

enum { BINS = 64, N = 30000, CANARY = 0x5a, MOST_CALLS = 3000 };

static struct soft_gpu gpu;
static uh_device *device;
static int32_t values[N];
static double weights[N], expected_sums[BINS];
static uint64_t expected[BINS];

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

/* Fills from each place; a fill that fails leaves the counter as it was. */
static void use_counter(uh_queue *queue, const void *const places[3], int weighted, struct outcome *outcome) {
    const uh_counter_options options = {.struct_size = sizeof options,
                                        .storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT};
    uh_counter *counter = NULL;
    size_t times = 0;
    note(outcome, uh_counter_create(queue, &options, &counter));
    for (size_t i = 0; counter && i < 3; i++) {
        uh_status status = weighted ? uh_counter_fill_weighted(counter, UH_I32, places[i], N, UH_F64, weights, N)
                                    : uh_counter_fill(counter, UH_I32, places[i], N);
        note(outcome, status);
        times += status == UH_SUCCESS;
        assert_int_equal(uh_counter_length(counter), times ? BINS : 0);
    }
    if (counter && times && weighted) {
        double sums[BINS];
        note(outcome, uh_counter_sums(counter, sums));
        for (size_t v = 0; v < BINS; v++)
            assert_true(sums[v] == (double)times * expected_sums[v]);
    } else if (counter && times) {
        uint64_t counts[BINS];
        note(outcome, uh_counter_counts(counter, counts));
        for (size_t v = 0; v < BINS; v++)
            assert_int_equal(counts[v], times * expected[v]);
    }
    note(outcome, uh_counter_destroy(counter));
}

/* One-call forms; what a failing call was to write must be as it was. */
static void use_calls(uh_queue *queue, const void *there, struct outcome *outcome) {
    uint64_t counts[BINS], untouched[BINS], nan = CANARY;
    double low = CANARY, high = CANARY;
    memset(counts, CANARY, sizeof counts);
    memset(untouched, CANARY, sizeof untouched);
    uh_status status = uh_bincount_into(queue, UH_I32, there, N, counts, BINS);
    note(outcome, status);
    assert_memory_equal(counts, status ? untouched : expected, sizeof counts);
    status = uh_min_max(queue, UH_I32, there, N, &low, &high, &nan);
    note(outcome, status);
    assert_true(status ? low == CANARY && high == CANARY && nan == CANARY : low == 0 && high == BINS - 1 && nan == 0);
}

static struct outcome live(void) {
    struct outcome outcome = {UH_SUCCESS, ""};
    uh_queue *queue = NULL;
    void *there = NULL, *shared = NULL;
    note(&outcome, uh_queue_create(device, NULL, &queue));
    if (!outcome.status)
        note(&outcome, uh_malloc_device(device, sizeof values, 0, &there));
    if (!outcome.status)
        note(&outcome, uh_malloc_shared(device, sizeof values, 0, &shared));
    if (!outcome.status)
        note(&outcome, uh_memcpy(queue, there, values, sizeof values, NULL, 0, NULL));
    if (!outcome.status)
        note(&outcome, uh_queue_wait(queue));
    if (!outcome.status) {
        memcpy(shared, values, sizeof values);
        const void *const places[] = {values, there, shared};
        use_counter(queue, places, 0, &outcome);
        use_counter(queue, places, 1, &outcome);
        use_calls(queue, there, &outcome);
    }
    for (int i = 0; queue && i < 2; i++)
        note(&outcome, uh_queue_wait(queue));
    note(&outcome, uh_free(there));
    note(&outcome, uh_free(shared));
    note(&outcome, uh_queue_destroy(queue));
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

static void every_call_fails_once_and_the_next_life_works(void **state) {
    (void)state;
    const size_t step = getenv("UNIHIST_INSTRUMENTED") ? 11 : 2; /* instrumented, a life takes long */
    size_t runs = 0, noticed = 0;
    struct outcome first = live(); /* what is made once a process is made now */
    if (first.status)
        fail_msg("%s", first.message);
    const size_t alive = gpu.live_handles(NULL, 0);
    assert_int_equal(live_recorded().status, UH_SUCCESS);
    const size_t calls = call_count;
    assert_in_range(calls, 50, MOST_CALLS);
    for (size_t code = 0; code < sizeof codes / sizeof *codes; code++)
        for (size_t call = 1 + code % step; call <= calls; call += step, runs++) {
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
            if (call % 7 == 0) {
                struct outcome next = live();
                if (next.status != UH_SUCCESS)
                    fail_msg("%s, and the next life fails: %s", what, next.message);
                assert_clean(alive, what);
            }
        }
    printf("fault run: %zu calls, %zu lives with a fault, %zu of them noticed\n", calls, runs, noticed);
    assert_true(noticed > runs / 2);
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

int main(void) {
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
    if (uh_device_select("level_zero", &device) || soft_gpu_find(&gpu) != 0) {
        printf("skipped: the driver of tests/soft_gpu is not in use (%s)\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
