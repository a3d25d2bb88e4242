/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where a device adds points to a histogram over several axes: points that are there already,
 * counters of 32 bits, types that it does not have. UNIHIST_TEST_DEVICE is the device, "level_zero" by default; where
 * there is none, skipped. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogramdd.h"
#include "tests/fixture.h"

enum { N = 150000, BINS_X = 20, BINS_Y = 30, CELLS = BINS_X * BINS_Y };

static uh_device *device;
static uh_device_properties properties;
static uh_queue *queue;
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

static uh_histogramdd *make(uh_queue *on, uh_storage storage) {
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = storage};
    uh_axis *axes[2];
    uh_histogramdd *histogram = NULL;
    assert_int_equal(uh_axis_create_equal(BINS_X, 0, BINS_X, UH_CLOSED_LEFT, &axes[0]), UH_SUCCESS);
    assert_int_equal(uh_axis_create_equal(BINS_Y, 0, BINS_Y, UH_CLOSED_LEFT, &axes[1]), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_create(on, (const uh_axis *const *)axes, 2, &options, &histogram), UH_SUCCESS);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    return histogram;
}

static uh_status fill(uh_histogramdd *histogram, const void *at_x, const void *at_y, const void *at_weights, size_t n) {
    const uh_array coordinates[2] = {uh_array_dense(UH_F32, at_x), uh_array_dense(UH_U16, at_y)};
    const uh_array values = uh_array_dense(UH_I32, at_weights);
    return uh_histogramdd_fill(histogram, coordinates, n, at_weights ? &values : NULL);
}

/* The histogram holds `times` as often what was counted by hand. */
static void assert_holds(uh_histogramdd *histogram, uint64_t times) {
    uint64_t counts[CELLS], inside, out;
    int64_t sums[CELLS];
    double beyond;
    uh_flow flow;
    if (uh_histogramdd_storage(histogram) == UH_STORAGE_COUNT) {
        assert_int_equal(uh_histogramdd_counts(histogram, counts), UH_SUCCESS);
        for (size_t i = 0; i < CELLS; i++)
            assert_int_equal(counts[i], times * expected[i]);
    } else {
        assert_int_equal(uh_histogramdd_sums_i64(histogram, sums), UH_SUCCESS);
        for (size_t i = 0; i < CELLS; i++)
            assert_true(sums[i] == (int64_t)times * expected_sum[i]);
        assert_int_equal(uh_histogramdd_outside(histogram, &beyond, NULL), UH_SUCCESS);
        assert_true(beyond == (double)((int64_t)times * expected_sum[CELLS]));
    }
    assert_int_equal(uh_histogramdd_total(histogram, &inside, &out), UH_SUCCESS);
    assert_int_equal(inside + out, times * N);
    assert_int_equal(out, times * outside);
    assert_int_equal(uh_histogramdd_flow(histogram, 0, &flow), UH_SUCCESS);
    assert_true(flow.below == times * flow_x.below && flow.above == times * flow_x.above &&
                flow.nan == times * flow_x.nan);
    assert_int_equal(uh_histogramdd_flow(histogram, 1, &flow), UH_SUCCESS);
    assert_true(flow.below == 0 && flow.above == times * flow_y.above && flow.nan == 0);
}

static void *to_device(const void *from, size_t size) {
    void *memory = NULL;
    assert_int_equal(uh_malloc_device(device, size, 0, &memory), UH_SUCCESS);
    assert_int_equal(uh_memcpy(queue, memory, from, size, NULL, 0, NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
    return memory;
}

static void points_gather_over_fills_reads_and_resets(void **state) {
    void *there_x = to_device(x, sizeof x), *there_y = to_device(y, sizeof y),
         *there_w = to_device(weights, sizeof weights);
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        uh_histogramdd *histogram = make(queue, weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT);
        const void *here_w = weighted ? weights : NULL, *far_w = weighted ? there_w : NULL;
        assert_holds(histogram, 0);
        assert_int_equal(fill(histogram, x, y, here_w, N), UH_SUCCESS);
        assert_int_equal(fill(histogram, there_x, y, here_w, N), UH_SUCCESS);
        assert_int_equal(fill(histogram, x, there_y, far_w, N), UH_SUCCESS);
        assert_holds(histogram, 3);
        assert_int_equal(fill(histogram, there_x, there_y, far_w, N), UH_SUCCESS);
        assert_holds(histogram, 4);
        assert_holds(histogram, 4);
        assert_int_equal(fill(histogram, there_x, there_y, far_w, N), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_reset(histogram), UH_SUCCESS);
        assert_holds(histogram, 0);
        assert_int_equal(fill(histogram, there_x, y, here_w, N), UH_SUCCESS);
        assert_holds(histogram, 1);
        assert_int_equal(fill(histogram, there_x, there_y, far_w, N), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS); /* with work under way */
    }
    assert_int_equal(uh_free(there_x), UH_SUCCESS);
    assert_int_equal(uh_free(there_y), UH_SUCCESS);
    assert_int_equal(uh_free(there_w), UH_SUCCESS);
}

static void histograms_of_two_devices_merge(void **state) {
    uh_device *host;
    uh_queue *host_queue;
    (void)state;
    assert_int_equal(uh_device_select("host", &host), UH_SUCCESS);
    assert_int_equal(uh_queue_create(host, NULL, &host_queue), UH_SUCCESS);
    for (int weighted = 0; weighted < 2; weighted++) {
        const uh_storage storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
        const void *w = weighted ? weights : NULL;
        uh_histogramdd *here = make(host_queue, storage), *there = make(queue, storage), *part = NULL;
        const size_t axes[] = {1, 0};
        assert_int_equal(fill(here, x, y, w, N), UH_SUCCESS);
        assert_int_equal(fill(there, x, y, w, N), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_merge(here, there), UH_SUCCESS);
        assert_holds(here, 2);
        assert_int_equal(fill(there, x, y, w, N), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_merge(there, here), UH_SUCCESS);
        assert_holds(there, 4);
        assert_int_equal(uh_histogramdd_merge(there, there), UH_SUCCESS);
        assert_holds(there, 8);
        assert_int_equal(fill(there, x, y, w, N), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_project(there, axes, 2, &part), UH_SUCCESS); /* what is under way, too */
        uh_bin all = {.struct_size = sizeof all}, same = {.struct_size = sizeof same};
        const size_t from[2] = {0, 0}, to[2] = {BINS_X, BINS_Y}, turned[2] = {BINS_Y, BINS_X};
        assert_int_equal(uh_histogramdd_box(there, from, to, &all), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_box(part, from, turned, &same), UH_SUCCESS);
        assert_true(all.count == same.count && all.sum == same.sum);
        assert_int_equal(uh_histogramdd_destroy(part), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(here), UH_SUCCESS);
        assert_int_equal(uh_histogramdd_destroy(there), UH_SUCCESS);
    }
    assert_int_equal(uh_queue_destroy(host_queue), UH_SUCCESS);
}

/* With a limit of `max` points in place of 2^32 - 1, and small pieces. */
static void check_limit(uint64_t max, size_t piece) {
    uh_histogramdd *histogram = make(queue, UH_STORAGE_COUNT);
    const uh_dtype dtypes[] = {UH_F32, UH_U16};
    void *there = to_device(x, sizeof x);
    assert_int_equal(uh_histogramdd_prepare(histogram, dtypes), UH_SUCCESS);
    histogram->run.flows.max_pending = max;
    histogram->run.max_piece = piece;
    assert_int_equal(fill(histogram, there, y, NULL, N), UH_SUCCESS);
    assert_int_equal(fill(histogram, x, y, NULL, N), UH_SUCCESS);
    assert_true(histogram->run.flows.pending <= max);
    assert_holds(histogram, 2);
    for (size_t from = 0; from < N; from += 7777) /* the counters fill up over many calls */
        assert_int_equal(fill(histogram, x + from, y + from, NULL, N - from < 7777 ? N - from : 7777), UH_SUCCESS);
    assert_holds(histogram, 3);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
    assert_int_equal(uh_free(there), UH_SUCCESS);
}

static void counters_are_emptied_before_they_overflow(void **state) {
    (void)state;
    check_limit(UINT32_MAX, 1 << 14);
    check_limit(N + N / 2, 1 << 16);
    check_limit(N, 1 << 19);
    check_limit(N - 1, 1 << 19);
    check_limit(N / 7, 1 << 16);
    check_limit(10000, 1 << 16);
}

static void strided_points_of_the_device_are_packed(void **state) {
    struct row {
        uint16_t y;
        char gap;
        char x[4];
    } *rows = malloc(N * sizeof *rows);
    (void)state;
    assert_non_null(rows);
    for (size_t i = 0; i < N; i++) {
        rows[i].y = y[i];
        rows[i].gap = 0;
        memcpy(rows[i].x, &x[i], sizeof x[i]);
    }
    char *there = to_device(rows, N * sizeof *rows);
    uh_histogramdd *histogram = make(queue, UH_STORAGE_COUNT);
    const ptrdiff_t step = (ptrdiff_t)sizeof *rows;
    const uh_array forwards[2] = {{there + offsetof(struct row, x), step, UH_F32},
                                  {there + offsetof(struct row, y), step, UH_U16}};
    const uh_array backwards[2] = {{there + (N - 1) * sizeof *rows + offsetof(struct row, x), -step, UH_F32},
                                   {there + (N - 1) * sizeof *rows + offsetof(struct row, y), -step, UH_U16}};
    assert_int_equal(uh_histogramdd_fill(histogram, forwards, N, NULL), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_fill(histogram, backwards, N, NULL), UH_SUCCESS);
    assert_holds(histogram, 2);
    test_assert_failed(uh_histogramdd_fill(histogram, forwards, N + 1, NULL), UH_ERROR_INVALID_ARGUMENT,
                       "uh_histogramdd_fill: coordinates[0].data");
    assert_holds(histogram, 2);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
    assert_int_equal(uh_free(there), UH_SUCCESS);
    free(rows);
}

static void points_that_the_host_can_write_may_change_on_return(void **state) {
    void *memory = NULL;
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        uh_histogramdd *histogram = make(queue, UH_STORAGE_COUNT);
        assert_int_equal(kind ? uh_malloc_shared(device, sizeof x, 0, &memory)
                              : uh_malloc_host(device, sizeof x, 0, &memory),
                         UH_SUCCESS);
        memcpy(memory, x, sizeof x);
        assert_int_equal(fill(histogram, memory, y, NULL, N), UH_SUCCESS);
        memset(memory, 0, sizeof x);
        assert_holds(histogram, 1);
        assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
        assert_int_equal(uh_free(memory), UH_SUCCESS);
    }
}

static void what_the_device_lacks_is_refused_by_name(void **state) {
    const double points[3] = {1, 2, 3};
    const uh_array coordinates[2] = {uh_array_dense(UH_F64, points), uh_array_dense(UH_F64, points)};
    uint64_t inside = 7;
    (void)state;
    uh_histogramdd *histogram = make(queue, UH_STORAGE_COUNT);
    const uh_status can = properties.fp64 ? UH_SUCCESS : UH_ERROR_UNSUPPORTED;
    assert_int_equal(uh_histogramdd_fill(histogram, coordinates, 3, NULL), can);
    if (can) {
        assert_non_null(strstr(uh_last_error(), "uh_histogramdd_fill"));
        assert_non_null(strstr(uh_last_error(), "float64"));
    }
    assert_int_equal(uh_histogramdd_total(histogram, &inside, NULL), UH_SUCCESS);
    assert_int_equal(inside, can ? 0 : 3);
    assert_int_equal(uh_histogramdd_destroy(histogram), UH_SUCCESS);
}

static void memory_of_another_device_is_refused(void **state) {
    uh_device *host;
    uh_queue *host_queue;
    void *there = to_device(x, sizeof x);
    (void)state;
    assert_int_equal(uh_device_select("host", &host), UH_SUCCESS);
    assert_int_equal(uh_queue_create(host, NULL, &host_queue), UH_SUCCESS);
    uh_histogramdd *count = make(host_queue, UH_STORAGE_COUNT), *sum = make(host_queue, UH_STORAGE_SUM);
    test_assert_failed(fill(count, there, y, NULL, N), UH_ERROR_INVALID_ARGUMENT, "coordinates[0].data",
                       properties.selector);
    test_assert_failed(fill(sum, x, y, there, N), UH_ERROR_INVALID_ARGUMENT, "values->data", properties.selector);
    assert_holds(count, 0);
    assert_int_equal(uh_histogramdd_destroy(count), UH_SUCCESS);
    assert_int_equal(uh_histogramdd_destroy(sum), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(host_queue), UH_SUCCESS);
    assert_int_equal(uh_free(there), UH_SUCCESS);
}

static int setup(void **state) {
    (void)state;
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 1000 == 17 ? NAN : (float)(i * UINT64_C(2654435761) % 30000) / 1000 - 5;
        y[i] = (uint16_t)(i * UINT64_C(40503) % 33);
        weights[i] = (int32_t)(i * UINT64_C(2654435761) % 2000001) - 1000000;
    }
    x[0] = BINS_X;
    y[0] = BINS_Y;
    count_by_hand();
    return uh_queue_create(device, NULL, &queue) != UH_SUCCESS;
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_histogramdd_device) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_gather_over_fills_reads_and_resets),
        cmocka_unit_test(histograms_of_two_devices_merge),
        cmocka_unit_test(counters_are_emptied_before_they_overflow),
        cmocka_unit_test(strided_points_of_the_device_are_packed),
        cmocka_unit_test(points_that_the_host_can_write_may_change_on_return),
        cmocka_unit_test(what_the_device_lacks_is_refused_by_name),
        cmocka_unit_test(memory_of_another_device_is_refused),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    properties.struct_size = sizeof properties;
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(device, &properties))
        return 1;
    return cmocka_run_group_tests(tests, setup, teardown);
}
