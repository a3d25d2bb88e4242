/* SPDX-License-Identifier: Apache-2.0 */
/* The fault run of histograms over several axes, on the driver of tests/soft_gpu: for every Level Zero call that a life
 * of two of them makes, a life in which just that call fails (see test_histogram_faults.c).
 *
 * "test_histogramdd_faults N" is one life that loses the device at call N. */
#include "tests/fault_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogramdd.h>

enum { BINS = 12, CELLS = BINS * BINS, N = 70000, CANARY = 0x5a };

static const char *program; /* this one's path */
static uh_device *device;
static float x[N];
static uint8_t y[N];
static int32_t weights[N];
static uint64_t expected[CELLS], outside; /* of N points */
static int64_t expected_sum[CELLS];

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
        fault_note(outcome, status);
        counted += status == UH_SUCCESS;
        status = fill(life->sum, places[i], N, 1);
        fault_note(outcome, status);
        summed += status == UH_SUCCESS;
    }
    fault_note(outcome, read_count(life, counted));
    fault_note(outcome, read_sum(life, summed));
}

static void close_life(struct life *life, struct outcome *outcome) {
    for (int i = 0; i < 2 && life->queue; i++) /* where a wait failed, what it waited for may go on */
        fault_note(outcome, uh_queue_wait(life->queue));
    fault_note(outcome, uh_histogramdd_destroy(life->count));
    fault_note(outcome, uh_histogramdd_destroy(life->sum));
    fault_note(outcome, uh_free(life->there));
    fault_note(outcome, uh_free(life->shared));
    fault_note(outcome, uh_queue_destroy(life->queue));
}

static struct outcome live(void) {
    struct life life = {0};
    struct outcome outcome = {UH_SUCCESS, ""};
    fault_note(&outcome, open_life(&life));
    if (outcome.status == UH_SUCCESS)
        use_histograms(&life, &outcome);
    close_life(&life, &outcome);
    return outcome;
}

static struct fault_run make_run(void) {
    /* Each call fails with one of the codes; instrumented, a life takes long. */
    return (struct fault_run){.live = live,
                              .most_calls = FAULT_MOST_CALLS,
                              .step = getenv("UNIHIST_TEST_ALL")       ? 1
                                      : getenv("UNIHIST_INSTRUMENTED") ? 11
                                                                       : 3};
}

static void every_call_fails_once(void **state) {
    (void)state;
    const struct fault_run run = make_run();
    fault_every_call(&run);
}

static void one_life_after_each_fault_works(void **state) {
    (void)state;
    const struct fault_run run = make_run();
    fault_one_life_after_each(&run, getenv("UNIHIST_INSTRUMENTED") ? 29 : 23);
}

static void a_lost_device_is_told_and_everything_is_freed(void **state) {
    (void)state;
    fault_losses(program, getenv("UNIHIST_TEST_ALL") ? 0 : getenv("UNIHIST_INSTRUMENTED") ? 7 : 20);
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

TEST_MAIN(test_histogramdd_faults) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(one_life_after_each_fault_works),
        cmocka_unit_test(a_lost_device_is_told_and_everything_is_freed),
    };
    prepare_points();
    if (fault_find(NULL, &device))
        return 77;
    program = argv[0];
    if (argc == 2) {
        const struct fault_run run = make_run();
        return fault_lose(&run, strtoull(argv[1], NULL, 10));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
