/* SPDX-License-Identifier: Apache-2.0 */
/* Points on several axes in one launch: where a device counts them, a function of sizes and the device alone; and one
 * histogram that is filled so and axis by axis in turn, with counters that are emptied on the way. What comes of one
 * way is in the description (cases_alike.c). */
#include "tests/tested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/histogram.h"
#include "kernels/accumulate/device_tables.h"
#include "kernels/histogramdd/fused_shape.h"
#include "tests/arrays.h"
#include "tests/invented_devices.h"

/* ---- shapes ---- */

/* Work-items of a core that are resident, of those it has room for, as fused_shape.c says of Intel's devices. */
static double resident(const struct uhi_fused_shape *shape, const uh_device_properties *device) {
    const int is_xe_lp = device->max_group_size == 512;
    const size_t core = 128 << 10, items = is_xe_lp ? (size_t)112 * 16 : (size_t)64 * 32;
    const size_t bytes = shape->local_tables + shape->local_counts;
    size_t groups = items / shape->group_size;
    groups = bytes && core / bytes < groups ? core / bytes : groups;
    return (double)(groups * shape->group_size) / (double)items;
}

UNIT_TEST(tables_and_counts_are_in_local_memory_where_they_fit) {
    const uh_device_properties device = iris_xe, max = max_1550;
    struct uhi_fused_shape shape = uhi_fused_shape_choose(23 * 23, 4096, &device);
    assert_int_equal(shape.tier, UHI_FUSED_LOCAL);
    assert_int_equal(shape.spread, 3); /* (32768 - 4096) / 2116 are 13 */
    assert_int_equal(shape.local_tables, 4096);
    assert_int_equal(shape.local_counts, 8 * 23 * 23 * 4);
    assert_int_equal(shape.group_size, 512);
    /* One copy alone would leave all threads, two leave half of them. */
    shape = uhi_fused_shape_choose(70 * 70, 4096, &device);
    assert_int_equal(shape.spread, 1);
    /* 100 bins on each axis, whose tables take 33 KiB on each. */
    shape = uhi_fused_shape_choose(103 * 103, 66 << 10, &max);
    assert_int_equal(shape.tier, UHI_FUSED_LOCAL);
    assert_int_equal(shape.spread, 0);
    assert_int_equal(shape.group_size, 1024);
}

UNIT_TEST(else_tables_and_else_counts_are) {
    const uh_device_properties device = iris_xe;
    struct uhi_fused_shape shape = uhi_fused_shape_choose(103 * 103, 32 << 10, &device);
    assert_int_equal(shape.tier, UHI_FUSED_GLOBAL);
    assert_int_equal(shape.local_tables, 32 << 10);
    assert_int_equal(shape.local_counts, 0);
    assert_int_equal(shape.private_tables, 32); /* of 42 groups; 64 MiB hold 1,581 */
    shape = uhi_fused_shape_choose(103 * 103, 66 << 10, &device);
    assert_int_equal(shape.tier, UHI_FUSED_MIXED);
    assert_int_equal(shape.local_tables, 0);
    assert_int_equal(shape.local_counts, 103 * 103 * 4);
    assert_int_equal(uhi_fused_shape_choose(1003 * 1003, 66 << 10, &device).tier, UHI_FUSED_NONE);
    assert_int_equal(uhi_fused_shape_choose((uint64_t)UINT32_MAX + 1, 16, &device).tier, UHI_FUSED_NONE);
}

UNIT_TEST(a_tier_that_is_asked_for_is_given_where_it_fits) {
    const uh_device_properties device = iris_xe;
    for (int tier = UHI_FUSED_LOCAL; tier < UHI_FUSED_TIERS; tier++)
        assert_int_equal(uhi_fused_shape_of((enum uhi_fused_tier)tier, 144, 1000, &device).tier, tier);
    assert_int_equal(uhi_fused_shape_of(UHI_FUSED_NONE, 144, 1000, &device).tier, UHI_FUSED_NONE);
    assert_int_equal(uhi_fused_shape_of(UHI_FUSED_TIERS, 144, 1000, &device).tier, UHI_FUSED_NONE);
    assert_int_equal(uhi_fused_shape_of(UHI_FUSED_LOCAL, 16000, 2000, &device).tier, UHI_FUSED_NONE);
    assert_int_equal(uhi_fused_shape_of(UHI_FUSED_MIXED, 20000, 0, &device).tier, UHI_FUSED_NONE);
    assert_int_equal(uhi_fused_shape_of(UHI_FUSED_GLOBAL, 4, 65537, &device).tier, UHI_FUSED_NONE);
}

/* Every combination, also of devices that tell nothing, is one that the device can launch; on Intel's at least half of
 * a core's threads stay resident, less a part of a group. */
UNIT_TEST(every_shape_fits_its_device) {
    static const uint64_t locals[] = {0, 1, 64, 4096, 32768, 65536, 131072, UINT64_C(1) << 33};
    static const uint64_t groups[] = {0, 1, 3, 64, 512, 1024, UINT64_MAX};
    static const uint64_t tables[] = {0, 16, 5000, 40000, 65536, 131072, UINT64_C(1) << 33, UINT64_MAX};
    static const uint64_t slots[] = {16, 144, 529, 5000, 10609, 16384, 32768, 32769, 1000000, UINT32_MAX};
    for (size_t i = 0; i < (size_t)8 * 7 * 8 * 10; i++) {
        uh_device_properties device = iris_xe;
        device.local_memory = locals[i % 8];
        device.max_group_size = groups[i / 8 % 7];
        const struct uhi_fused_shape shape = uhi_fused_shape_choose(slots[i / 448 % 10], tables[i / 56 % 8], &device);
        if (shape.tier == UHI_FUSED_NONE)
            continue;
        assert_true(shape.local_tables + shape.local_counts <= device.local_memory);
        assert_true(shape.group_size >= 1 && shape.group_size <= 1024 && shape.groups >= 1);
        assert_true(device.max_group_size == 0 || shape.group_size <= device.max_group_size);
        assert_true(shape.spread <= 4);
        assert_true(shape.private_tables >= 1 && (shape.private_tables & (shape.private_tables - 1)) == 0);
        assert_true(shape.local_counts <= 131072); /* products of 16 bits */
    }
    for (size_t i = 0; i < 2 * 8 * 10; i++) {
        const uh_device_properties device = i % 2 ? max_1550 : iris_xe;
        const struct uhi_fused_shape shape = uhi_fused_shape_choose(slots[i / 16], tables[i / 2 % 8], &device);
        if (shape.tier != UHI_FUSED_NONE)
            assert_true(resident(&shape, &device) >= 0.5);
    }
}

/* ---- on a device ---- */

enum { N = 70000, BINS_X = 12, BINS_Y = 9, CELLS = BINS_X * BINS_Y };
static float x[N], y[N];
static uint16_t whole[N];
static uint64_t cells[2][CELLS], outside[2]; /* of x and y, and of x and `whole` */
static uh_flow flows[2][2];

static uint64_t *flow_of(uh_flow *flow, double value, double bins) {
    return isnan(value) ? &flow->nan : value < 0 ? &flow->below : value > bins ? &flow->above : NULL;
}

static void count_by_hand(void) {
    for (size_t i = 0; i < N; i++)
        for (size_t way = 0; way < 2; way++) {
            const double at[2] = {(double)x[i], way ? (double)whole[i] : (double)y[i]};
            uint64_t *of_x = flow_of(&flows[way][0], at[0], BINS_X), *of_y = flow_of(&flows[way][1], at[1], BINS_Y);
            if (of_x)
                ++*of_x;
            if (of_y)
                ++*of_y;
            if (of_x || of_y) {
                outside[way]++;
                continue;
            }
            const size_t bin_x = at[0] < BINS_X ? (size_t)at[0] : BINS_X - 1,
                         bin_y = at[1] < BINS_Y ? (size_t)at[1] : BINS_Y - 1;
            cells[way][bin_x * BINS_Y + bin_y]++;
        }
}

static uh_histogram *make(uh_storage storage) {
    uh_axis *const axes[] = {test_equal_axis(BINS_X, 0, BINS_X), test_equal_axis(BINS_Y, 0, BINS_Y)};
    return test_histogram_over(tested.queue, axes, 2, OPTIONS(.storage = storage));
}

static void fill(uh_histogram *histogram, int way, size_t from, size_t n) {
    const uh_array coordinates[] = {uh_array_of(UH_F32, x + from, n),
                                    way ? uh_array_of(UH_U16, whole + from, n) : uh_array_of(UH_F32, y + from, n)};
    test_good(uh_histogram_fill(histogram, coordinates, NULL));
}

/* All points, so often in the one way and in the other. */
static void assert_holds(uh_histogram *histogram, uint64_t fused, uint64_t by_cells) {
    uint64_t counts[CELLS], in, out;
    uh_flow flow;
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t c = 0; c < CELLS; c++) {
        const uint64_t all = fused * cells[0][c] + by_cells * cells[1][c];
        const uint64_t most = test_properties(histogram).storage == UH_STORAGE_U8 ? 255 : UINT64_MAX;
        assert_int_equal(counts[c], all < most ? all : most);
    }
    test_good(uh_histogram_total(histogram, &in, &out));
    assert_int_equal(in + out, (fused + by_cells) * N);
    assert_int_equal(out, fused * outside[0] + by_cells * outside[1]);
    for (size_t a = 0; a < 2; a++) {
        test_good(uh_histogram_flow(histogram, a, &flow));
        assert_int_equal(flow.below, fused * flows[0][a].below + by_cells * flows[1][a].below);
        assert_int_equal(flow.above, fused * flows[0][a].above + by_cells * flows[1][a].above);
        assert_int_equal(flow.nan, fused * flows[0][a].nan + by_cells * flows[1][a].nan);
    }
}

UNIT_TEST(one_histogram_is_filled_in_both_ways_in_turn) {
    static const uh_storage storages[] = {UH_STORAGE_COUNT, UH_STORAGE_U8};
    tested_on_devices_only();
    for (size_t s = 0; s < 2; s++) {
        uh_histogram *histogram = make(storages[s]);
        fill(histogram, 0, 0, N);
        assert_true(histogram->run.fused.kernel && histogram->run.fused.counters.pending == N);
        fill(histogram, 1, 0, N);
        assert_null(histogram->run.fused.kernel);
        assert_int_equal(histogram->run.fused.counters.pending, 0);
        fill(histogram, 0, 0, N);
        assert_int_equal(histogram->run.flows.pending, 0);
        assert_holds(histogram, 2, 1);
        fill(histogram, 1, 0, N);
        assert_holds(histogram, 2, 2);
        fill(histogram, 0, 0, N);
        test_good(uh_histogram_reset(histogram));
        assert_holds(histogram, 0, 0);
        fill(histogram, 0, 0, N);
        assert_holds(histogram, 1, 0);
        fill(histogram, 0, 0, N);
        test_good(uh_histogram_destroy(test_take(histogram))); /* with work under way */
    }
}

UNIT_TEST(counters_are_emptied_before_they_overflow) {
    static const uint64_t limits[] = {UINT32_MAX, N + N / 2, N, N - 1, N / 7, 10000};
    tested_on_devices_only();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uh_histogram *histogram = make(UH_STORAGE_COUNT);
        struct uhi_counters *counters = &histogram->run.fused.counters;
        counters->max_pending = limits[i];
        for (size_t from = 0; from < N; from += 7777)
            fill(histogram, 0, from, N - from < 7777 ? N - from : 7777);
        assert_true(counters->pending > 0 && counters->pending <= limits[i]);
        fill(histogram, 0, 0, N);
        assert_true(counters->pending > 0 && counters->pending <= limits[i]);
        assert_holds(histogram, 2, 0);
    }
}

/* Float32 coordinates and weights in one launch, others by cells; the windows are carried in between. */
UNIT_TEST(weights_on_one_axis_are_added_in_both_ways_in_turn) {
    static float weights[N];
    static double wide[N];
    double expected[BINS_X] = {0}, beyond = 0, sum[BINS_X], out;
    uh_axis *const axis[] = {test_equal_axis(BINS_X, 0, BINS_X)};
    uh_flow flow;
    tested_on_devices_only();
    for (size_t i = 0; i < N; i++) { /* eighths; points 5 and 6 are alike, and cancel each other */
        weights[i] = i == 5 ? 0x1p60F : i == 6 ? -0x1p60F : (float)((int)(i * 2654435761u % 4001) - 2000) / 8;
        wide[i] = (double)x[i];
        const int inside = wide[i] >= 0 && wide[i] <= BINS_X && i != 5 && i != 6;
        *(inside ? &expected[wide[i] < BINS_X ? (size_t)wide[i] : BINS_X - 1] : &beyond) +=
            i == 5 || i == 6 ? 0 : (double)weights[i];
    }
    uh_histogram *histogram = test_histogram_over(tested.queue, axis, 1, OPTIONS(.storage = UH_STORAGE_SUM));
    const uh_array narrow = uh_array_of(UH_F32, x, N), doubles = uh_array_of(UH_F64, wide, N),
                   values = uh_array_of(UH_F32, weights, N);
    for (size_t times = 0; times < 2; times++) {
        test_good(uh_histogram_fill(histogram, &narrow, &values));
        assert_non_null(histogram->run.fused.kernel);
        test_good(uh_histogram_fill(histogram, &doubles, &values));
        assert_null(histogram->run.fused.kernel);
        histogram->store->device->sums[UHI_VALUE_F32].pending = ((uint64_t)1 << UHI_HEADROOM) - N + 1;
    }
    test_good(uh_histogram_fill(histogram, &narrow, &values));
    test_good(uh_histogram_sums(histogram, UH_F64, sum, NULL));
    for (size_t c = 0; c < BINS_X; c++)
        assert_true(sum[c] == 5 * expected[c]);
    test_good(uh_histogram_outside(histogram, &out, NULL));
    assert_true(out == 5 * beyond);
    test_good(uh_histogram_flow(histogram, 0, &flow));
    assert_int_equal(flow.nan, 5 * flows[0][0].nan);
}

UNIT_TEST(the_plan_says_that_axes_are_fused_and_where_counts_lie) {
    static const char *const places[] = {[UHI_FUSED_LOCAL] = "; all 2 axes in one launch, tables and counts (",
                                         [UHI_FUSED_MIXED] = "; all 2 axes in one launch, counts (",
                                         [UHI_FUSED_GLOBAL] =
                                             "; all 2 axes in one launch, tables in local memory, counts ("};
    char text[1000], part[1000];
    size_t length = 0, again = 0;
    uh_axis *const lone[] = {test_equal_axis(3, 0, 3)};
    tested_on_devices_only();
    for (int tier = UHI_FUSED_LOCAL; tier < UHI_FUSED_TIERS; tier++) {
        uh_histogram *histogram = make(UH_STORAGE_COUNT);
        histogram->run.fused.only = (enum uhi_fused_tier)tier;
        test_good(uh_histogram_plan_text(histogram, 1, UH_F32, text, sizeof text, &length));
        assert_int_equal(length, strlen(text));
        assert_int_equal(strstr(text, places[tier]) != NULL, histogram->run.fused.kernel != NULL);
        test_good(uh_histogram_plan_text(histogram, 1, UH_F32, part, length - 3, &again));
        assert_int_equal(again, length);
        assert_memory_equal(part, text, length - 4);
        test_good(uh_histogram_plan_text(histogram, 1, UH_U16, text, sizeof text, NULL));
        assert_null(strstr(text, "in one launch"));
    }
    for (int tier = UHI_FUSED_LOCAL; tier <= UHI_FUSED_MIXED; tier++) {
        uh_histogram *sums = test_histogram_over(tested.queue, lone, 1, OPTIONS(.storage = UH_STORAGE_SUM));
        sums->run.fused.only = (enum uhi_fused_tier)tier;
        test_good(uh_histogram_plan_text(sums, 0, UH_F32, text, sizeof text, NULL));
        assert_int_equal(strstr(text, "; float32 weights in the same launch, ") != NULL,
                         sums->run.fused.kernel != NULL);
    }
    test_good(uh_histogram_plan_text(test_histogram_over(tested.queue, lone, 1, OPTIONS(.storage = UH_STORAGE_U8)), 0,
                                     UH_F32, text, sizeof text, NULL));
    assert_null(strstr(text, "in one launch"));
}

TEST_MAIN(test_histogramdd_fused) {
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 1000 == 17 ? NAN : (float)(i * UINT64_C(2654435761) % 70000) / 4000 - 2;
        y[i] = i % 300 == 17 ? NAN : (float)(i * UINT64_C(40503) % 13000) / 1000 - 1;
        whole[i] = (uint16_t)(i * UINT64_C(40503) % 13);
    }
    x[6] = x[5];
    count_by_hand();
    return tested_run();
}
