/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where a device adds points to a histogram over several axes: points that are there already,
 * counters of 32 bits, types that it does not have. UNIHIST_TEST_DEVICE is the device, "level_zero" by default; where
 * there is none, skipped. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "tests/arrays.h"
#include "tests/fixture.h"
#include "tests/tested.h"

enum { N = 150000, BINS_X = 20, BINS_Y = 30, CELLS = BINS_X * BINS_Y };

static float x[N];
static uint16_t y[N];
static int32_t weights[N];
static uint64_t expected[CELLS], outside;
static int64_t expected_sum[CELLS + 1];
static uh_flow flow_x, flow_y;

/* Equal bins of width 1: the bin is the integer part. */
static void count_by_hand(void) {
    for (size_t i = 0; i < N; i++) {
        const int in_x = x[i] >= 0 && x[i] <= BINS_X, in_y = y[i] <= BINS_Y;
        flow_x.nan += x[i] != x[i];
        flow_x.below += x[i] < 0;
        flow_x.above += x[i] > BINS_X;
        flow_y.above += !in_y;
        if (!in_x || !in_y) {
            outside++;
            expected_sum[CELLS] += weights[i];
            continue;
        }
        const size_t cell =
            (size_t)(x[i] == BINS_X ? BINS_X - 1 : (int)x[i]) * BINS_Y + (size_t)(y[i] == BINS_Y ? BINS_Y - 1 : y[i]);
        expected[cell]++;
        expected_sum[cell] += weights[i];
    }
}

static uh_histogram *make(uh_queue *on, uh_storage storage) {
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = storage};
    uh_axis *axes[2];
    uh_histogram *histogram = NULL;
    test_good(uh_axis_create_equal(BINS_X, 0, BINS_X, UH_CLOSED_LEFT, &axes[0]));
    test_good(uh_axis_create_equal(BINS_Y, 0, BINS_Y, UH_CLOSED_LEFT, &axes[1]));
    test_good(uh_histogram_create(on, axes, 2, &options, &histogram));
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    return histogram;
}

static uh_status fill(uh_histogram *histogram, const void *at_x, const void *at_y, const void *at_weights, size_t n) {
    const uh_array coordinates[2] = {uh_array_of(UH_F32, at_x, n), uh_array_of(UH_U16, at_y, n)};
    const uh_array values = uh_array_of(UH_I32, at_weights, n);
    return uh_histogram_fill(histogram, coordinates, at_weights ? &values : NULL);
}

/* The histogram holds `times` as often what was counted by hand. */
static void assert_holds(uh_histogram *histogram, uint64_t times) {
    uint64_t counts[CELLS], inside, out;
    int64_t sums[CELLS];
    double beyond;
    uh_flow flow;
    if (uh_histogram_storage(histogram) == UH_STORAGE_COUNT) {
        test_good(uh_histogram_counts(histogram, counts));
        for (size_t i = 0; i < CELLS; i++)
            assert_int_equal(counts[i], times * expected[i]);
    } else {
        test_good(uh_histogram_sums_i64(histogram, sums));
        for (size_t i = 0; i < CELLS; i++)
            assert_true(sums[i] == (int64_t)times * expected_sum[i]);
        test_good(uh_histogram_outside(histogram, &beyond, NULL));
        assert_true(beyond == (double)((int64_t)times * expected_sum[CELLS]));
    }
    test_good(uh_histogram_total(histogram, &inside, &out));
    assert_int_equal(inside + out, times * N);
    assert_int_equal(out, times * outside);
    test_good(uh_histogram_flow(histogram, 0, &flow));
    assert_true(flow.below == times * flow_x.below && flow.above == times * flow_x.above &&
                flow.nan == times * flow_x.nan);
    test_good(uh_histogram_flow(histogram, 1, &flow));
    assert_true(flow.below == 0 && flow.above == times * flow_y.above && flow.nan == 0);
}

UNIT_TEST(points_gather_over_fills_reads_and_resets) {
    void *there_x = test_to_device(tested.queue, x, sizeof x), *there_y = test_to_device(tested.queue, y, sizeof y),
         *there_w = test_to_device(tested.queue, weights, sizeof weights);
    for (int weighted = 0; weighted < 2; weighted++) {
        uh_histogram *histogram = make(tested.queue, weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT);
        const void *here_w = weighted ? weights : NULL, *far_w = weighted ? there_w : NULL;
        assert_holds(histogram, 0);
        test_good(fill(histogram, x, y, here_w, N));
        test_good(fill(histogram, there_x, y, here_w, N));
        test_good(fill(histogram, x, there_y, far_w, N));
        assert_holds(histogram, 3);
        test_good(fill(histogram, there_x, there_y, far_w, N));
        assert_holds(histogram, 4);
        assert_holds(histogram, 4);
        test_good(fill(histogram, there_x, there_y, far_w, N));
        test_good(uh_histogram_reset(histogram));
        assert_holds(histogram, 0);
        test_good(fill(histogram, there_x, y, here_w, N));
        assert_holds(histogram, 1);
        test_good(fill(histogram, there_x, there_y, far_w, N));
        test_good(uh_histogram_destroy(histogram)); /* with work under way */
    }
    test_good(uh_free(there_x));
    test_good(uh_free(there_y));
    test_good(uh_free(there_w));
}

UNIT_TEST(histograms_of_two_devices_merge) {
    uh_device *host;
    uh_queue *host_queue;
    test_good(uh_device_select("host", &host));
    test_good(uh_queue_create(host, NULL, &host_queue));
    for (int weighted = 0; weighted < 2; weighted++) {
        const uh_storage storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
        const void *w = weighted ? weights : NULL;
        uh_histogram *here = make(host_queue, storage), *there = make(tested.queue, storage), *part = NULL;
        const size_t axes[] = {1, 0};
        test_good(fill(here, x, y, w, N));
        test_good(fill(there, x, y, w, N));
        test_good(uh_histogram_merge(here, there));
        assert_holds(here, 2);
        test_good(fill(there, x, y, w, N));
        test_good(uh_histogram_merge(there, here));
        assert_holds(there, 4);
        test_good(uh_histogram_merge(there, there));
        assert_holds(there, 8);
        test_good(fill(there, x, y, w, N));
        test_good(uh_histogram_project(there, axes, 2, &part)); /* what is under way, too */
        uh_bin all = {.struct_size = sizeof all}, same = {.struct_size = sizeof same};
        const size_t from[2] = {0, 0}, to[2] = {BINS_X, BINS_Y}, turned[2] = {BINS_Y, BINS_X};
        test_good(uh_histogram_box(there, from, to, &all));
        test_good(uh_histogram_box(part, from, turned, &same));
        assert_true(all.count == same.count && all.sum == same.sum);
        test_good(uh_histogram_destroy(part));
        test_good(uh_histogram_destroy(here));
        test_good(uh_histogram_destroy(there));
    }
    test_good(uh_queue_destroy(host_queue));
}

/* With a limit of `max` points in place of 2^32 - 1, and small pieces. */
static void check_limit(uint64_t max, size_t piece) {
    uh_histogram *histogram = make(tested.queue, UH_STORAGE_COUNT);
    const uh_dtype dtypes[] = {UH_F32, UH_U16};
    void *there = test_to_device(tested.queue, x, sizeof x);
    test_good(uh_histogram_prepare(histogram, dtypes));
    histogram->run.flows.max_pending = max;
    histogram->run.max_piece = piece;
    test_good(fill(histogram, there, y, NULL, N));
    test_good(fill(histogram, x, y, NULL, N));
    assert_true(histogram->run.flows.pending <= max);
    assert_holds(histogram, 2);
    for (size_t from = 0; from < N; from += 7777) /* the counters fill up over many calls */
        test_good(fill(histogram, x + from, y + from, NULL, N - from < 7777 ? N - from : 7777));
    assert_holds(histogram, 3);
    test_good(uh_histogram_destroy(histogram));
    test_good(uh_free(there));
}

UNIT_TEST(counters_are_emptied_before_they_overflow) {
    check_limit(UINT32_MAX, 1 << 14);
    check_limit(N + N / 2, 1 << 16);
    check_limit(N, 1 << 19);
    check_limit(N - 1, 1 << 19);
    check_limit(N / 7, 1 << 16);
    check_limit(10000, 1 << 16);
}

UNIT_TEST(strided_points_of_the_device_are_packed) {
    struct row {
        uint16_t y;
        char gap;
        char x[4];
    } *rows = malloc(N * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < N; i++) {
        rows[i].y = y[i];
        rows[i].gap = 0;
        memcpy(rows[i].x, &x[i], sizeof x[i]);
    }
    char *there = test_to_device(tested.queue, rows, N * sizeof *rows);
    uh_histogram *histogram = make(tested.queue, UH_STORAGE_COUNT);
    const ptrdiff_t step = (ptrdiff_t)sizeof *rows;
    const uh_array forwards[2] = {{UH_F32, there + offsetof(struct row, x), step, N},
                                  {UH_U16, there + offsetof(struct row, y), step, N}};
    const uh_array backwards[2] = {{UH_F32, there + (N - 1) * sizeof *rows + offsetof(struct row, x), -step, N},
                                   {UH_U16, there + (N - 1) * sizeof *rows + offsetof(struct row, y), -step, N}};
    test_good(uh_histogram_fill(histogram, forwards, NULL));
    test_good(uh_histogram_fill(histogram, backwards, NULL));
    assert_holds(histogram, 2);
    uh_array beyond[2] = {forwards[0], forwards[1]};
    beyond[0].count = beyond[1].count = N + 1;
    test_invalid(uh_histogram_fill(histogram, beyond, NULL), "uh_histogram_fill: arrays[0].data");
    assert_holds(histogram, 2);
    test_good(uh_histogram_destroy(histogram));
    test_good(uh_free(there));
    free(rows);
}

UNIT_TEST(points_that_the_host_can_write_may_change_on_return) {
    void *memory = NULL;
    for (int kind = 0; kind < 2; kind++) {
        uh_histogram *histogram = make(tested.queue, UH_STORAGE_COUNT);
        test_good(kind ? uh_malloc_shared(tested.device, sizeof x, 0, &memory)
                       : uh_malloc_host(tested.device, sizeof x, 0, &memory));
        memcpy(memory, x, sizeof x);
        test_good(fill(histogram, memory, y, NULL, N));
        memset(memory, 0, sizeof x);
        assert_holds(histogram, 1);
        test_good(uh_histogram_destroy(histogram));
        test_good(uh_free(memory));
    }
}

UNIT_TEST(what_the_device_lacks_is_refused_by_name) {
    const double points[3] = {1, 2, 3};
    const uh_array coordinates[2] = {uh_array_of(UH_F64, points, 3), uh_array_of(UH_F64, points, 3)};
    uint64_t inside = 7;
    uh_histogram *histogram = make(tested.queue, UH_STORAGE_COUNT);
    const uh_status can = tested.properties.fp64 ? UH_SUCCESS : UH_ERROR_UNSUPPORTED;
    assert_int_equal(uh_histogram_fill(histogram, coordinates, NULL), can);
    if (can) {
        assert_non_null(strstr(uh_last_error(), "uh_histogram_fill"));
        assert_non_null(strstr(uh_last_error(), "float64"));
    }
    test_good(uh_histogram_total(histogram, &inside, NULL));
    assert_int_equal(inside, can ? 0 : 3);
    test_good(uh_histogram_destroy(histogram));
}

UNIT_TEST(memory_of_another_device_is_refused) {
    uh_device *host;
    uh_queue *host_queue;
    void *there = test_to_device(tested.queue, x, sizeof x);
    test_good(uh_device_select("host", &host));
    test_good(uh_queue_create(host, NULL, &host_queue));
    uh_histogram *count = make(host_queue, UH_STORAGE_COUNT), *sum = make(host_queue, UH_STORAGE_SUM);
    test_invalid(fill(count, there, y, NULL, N), "arrays[0].data", tested.properties.selector);
    test_invalid(fill(sum, x, y, there, N), "weights->data", tested.properties.selector);
    assert_holds(count, 0);
    test_good(uh_histogram_destroy(count));
    test_good(uh_histogram_destroy(sum));
    test_good(uh_queue_destroy(host_queue));
    test_good(uh_free(there));
}

TEST_MAIN(test_histogramdd_device) {
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 1000 == 17 ? NAN : (float)(i * UINT64_C(2654435761) % 30000) / 1000 - 5;
        y[i] = (uint16_t)(i * UINT64_C(40503) % 33);
        weights[i] = (int32_t)(i * UINT64_C(2654435761) % 2000001) - 1000000;
    }
    x[0] = BINS_X;
    y[0] = BINS_Y;
    count_by_hand();
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    return TESTED_RUN();
}
