/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of histograms over several axes, on the driver of tests/soft_gpu: for every Level Zero call that a life
 * of two of them makes, a life in which just that call fails (see test_histogram_faults.c).
 *
 * "test_histogramdd_faults N" is one life that loses the device at call N. */
#include "tests/support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogramdd.h>

#include "tests/child.h"
#include "tests/soft_gpu/soft_gpu.h"

enum { BINS = 12, CELLS = BINS * BINS, N = 70000, CANARY = 0x5a };

static struct soft_gpu gpu;
static const char *program; /* this one's path */
static uh_device *device;
static float x[N];
static uint8_t y[N];
static int32_t weights[N];
static uint64_t expected[CELLS], outside; /* of N points */
static int64_t expected_sum[CELLS];

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
    uh_queue *queue;
    uh_histogramdd *count, *sum;
    void *there, *shared;
};

static uh_status make(uh_queue *queue, uh_storage storage, uh_histogramdd **histogram) {
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = storage};
    uh_axis *axis = NULL;
    uh_status status = uh_axis_create_equal(BINS, 0, BINS, UH_CLOSED_LEFT, &axis);
    const uh_axis *const axes[] = {axis, axis};
    if (!status)
        status = uh_histogramdd_create(queue, axes, 2, &options, histogram);
    uh_axis_destroy(axis);
    return status;
}

static uh_status open_life(struct life *life) {
    uh_status status = uh_queue_create(device, NULL, &life->queue);
    if (!status)
        status = make(life->queue, UH_STORAGE_COUNT, &life->count);
    if (!status)
        status = make(life->queue, UH_STORAGE_SUM, &life->sum);
    if (!status)
        status = uh_malloc_device(device, sizeof x, 0, &life->there);
    if (!status)
        status = uh_malloc_shared(device, sizeof x, 0, &life->shared);
    if (!status)
        status = uh_memcpy(life->queue, life->there, x, sizeof x, NULL, 0, NULL);
    if (!status)
        status = uh_memcpy(life->queue, life->shared, x, sizeof x, NULL, 0, NULL);
    uh_status waited = life->queue ? uh_queue_wait(life->queue) : UH_SUCCESS;
    return status ? status : waited;
}

static uh_status fill(uh_histogramdd *histogram, const void *at_x, size_t n, int weighted) {
    const uh_array coordinates[2] = {uh_array_dense(UH_F32, at_x), uh_array_dense(UH_U8, y)};
    const uh_array values = uh_array_dense(UH_I32, weights);
    return uh_histogramdd_fill(histogram, coordinates, n, weighted ? &values : NULL);
}

/* What was to be written is untouched, or what the successful fills give. */
static uh_status read_count(struct life *life, uint64_t times) {
    uint64_t counts[CELLS], canary[CELLS], out;
    uh_flow flow;
    memset(canary, CANARY, sizeof canary);
    memcpy(counts, canary, sizeof counts);
    uh_status status = uh_histogramdd_counts(life->count, counts);
    if (status) {
        assert_memory_equal(counts, canary, sizeof counts);
        return status;
    }
    for (size_t i = 0; i < CELLS; i++)
        assert_int_equal(counts[i], times * expected[i]);
    assert_int_equal(uh_histogramdd_total(life->count, NULL, &out), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_flow(life->count, 0, &flow), UH_SUCCESS);
    assert_int_equal(out, times * outside);
    assert_int_equal(flow.above, times * outside);
    return UH_SUCCESS;
}

static uh_status read_sum(struct life *life, uint64_t times) {
    int64_t sums[CELLS], canary[CELLS];
    uint64_t out;
    memset(canary, CANARY, sizeof canary);
    memcpy(sums, canary, sizeof sums);
    uh_status status = uh_histogramdd_sums_i64(life->sum, sums);
    if (status) {
        assert_memory_equal(sums, canary, sizeof sums);
        return status;
    }
    for (size_t i = 0; i < CELLS; i++)
        assert_true(sums[i] == (int64_t)times * expected_sum[i]);
    assert_int_equal(uh_histogramdd_total(life->sum, NULL, &out), UH_SUCCESS);
    assert_int_equal(out, times * outside);
    return UH_SUCCESS;
}

/* Fills from the host in several pieces, from device and from shared memory, and reads. A fill that fails leaves the
 * histogram alone. */
static void use_histograms(struct life *life, struct outcome *outcome) {
    const void *const places[] = {x, life->there, life->shared};
    uint64_t counted = 0, summed = 0;
    for (size_t i = 0; i < 3; i++) {
        uh_status status = fill(life->count, places[i], N, 0);
        note(outcome, status);
        counted += status == UH_SUCCESS;
        status = fill(life->sum, places[i], N, 1);
        note(outcome, status);
        summed += status == UH_SUCCESS;
    }
    note(outcome, read_count(life, counted));
    note(outcome, read_sum(life, summed));
}

static void close_life(struct life *life, struct outcome *outcome) {
    for (int i = 0; i < 2 && life->queue; i++) /* where a wait failed, what it waited for may go on */
        note(outcome, uh_queue_wait(life->queue));
    note(outcome, uh_histogramdd_destroy(life->count));
    note(outcome, uh_histogramdd_destroy(life->sum));
    note(outcome, uh_free(life->there));
    note(outcome, uh_free(life->shared));
    note(outcome, uh_queue_destroy(life->queue));
}

static struct outcome live(void) {
    struct life life = {0};
    struct outcome outcome = {UH_SUCCESS, ""};
    note(&outcome, open_life(&life));
    if (outcome.status == UH_SUCCESS)
        use_histograms(&life, &outcome);
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
    const size_t step = getenv("UNIHIST_TEST_ALL") ? 1 : getenv("UNIHIST_INSTRUMENTED") ? 11 : 3;
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
    for (size_t call = 1; call <= call_count; call += getenv("UNIHIST_INSTRUMENTED") ? 29 : 23) {
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

static void prepare_points(void) {
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)(i * UINT64_C(2654435761) % (14 * 1000)) / 1000;
        y[i] = (uint8_t)(i * UINT64_C(40503) % BINS);
        weights[i] = (int32_t)(i % 2001) - 1000;
        if (x[i] > BINS) {
            outside++;
            continue;
        }
        const size_t cell = (x[i] == BINS ? BINS - 1 : (size_t)x[i]) * BINS + y[i];
        expected[cell]++;
        expected_sum[cell] += weights[i];
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(one_life_after_each_fault_works),
        cmocka_unit_test(a_lost_device_is_told_and_everything_is_freed),
    };
    prepare_points();
    if (uh_device_select("level_zero", &device) || soft_gpu_find(&gpu) != 0) {
        printf("skipped: the driver of tests/soft_gpu is not in use (%s)\n", uh_last_error());
        return 77;
    }
    program = argv[0];
    if (argc == 2)
        return live_and_lose(strtoull(argv[1], NULL, 10));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
