/* SPDX-License-Identifier: Apache-2.0 */
/* Points on several axes in one launch: one histogram that is filled so and axis by axis in turn, with counters that
 * are emptied on the way. What comes of one way is in the description (cases_histogram.c), where counts lie in
 * test_shape.c. */
#include "tests/dd_cases.h"
#include "tests/tested.h"

#include "api/histogram.h"
#include "kernels/accumulate/device_tables.h"

enum { N = 70000, BINS_X = 12, BINS_Y = 9 };
static float x[N], y[N];
static uint16_t whole[N];
static uh_axis *axes[2];
static const struct cells *expected[2]; /* of x and y, and of x and `whole` */

static uh_histogram *make(uh_storage storage) {
    return test_histogram_over(tested.queue, axes, 2, OPTIONS(.storage = storage));
}

static void fill(uh_histogram *histogram, int way, size_t from, size_t n) {
    const uh_array coordinates[] = {uh_array_of(UH_F32, x + from, n),
                                    way ? uh_array_of(UH_U16, whole + from, n) : uh_array_of(UH_F32, y + from, n)};
    test_good(uh_histogram_fill(histogram, coordinates, NULL));
}

/* All points, so often in the one way and in the other. */
static void assert_holds(uh_histogram *histogram, uint64_t by_launch, uint64_t by_cells) {
    dd_assert_sum(histogram, expected[0], by_launch, expected[1], by_cells);
}

UNIT_TEST(one_histogram_is_filled_in_both_ways_in_turn) {
    static const uh_storage storages[] = {UH_STORAGE_COUNT, UH_STORAGE_U8};
    for (size_t s = 0; s < 2; s++) {
        uh_histogram *histogram = make(storages[s]);
        fill(histogram, 0, 0, N);
        assert_true(histogram->run.launch.kernel && histogram->run.launch.counters.pending == N);
        fill(histogram, 1, 0, N);
        assert_null(histogram->run.launch.kernel);
        assert_int_equal(histogram->run.launch.counters.pending, 0);
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
        uh_histogram_destroy(test_take(histogram)); /* with work under way */
    }
}

static const uh_storage weighing[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};

/* Float32 coordinates and weights in one launch, others by cells; the windows are carried in between. Weights are
 * eighths; points 5 and 6 are alike, and cancel each other in sums, but hide all other squares in their bin. */
UNIT_TEST(weights_on_one_axis_are_added_in_both_ways_in_turn) {
    static double wide[N];
    static float weights[N];
    const uh_array narrow = uh_array_of(UH_F32, x, N), doubles = uh_array_of(UH_F64, wide, N),
                   values = uh_array_of(UH_F32, weights, N);
    for (size_t i = 0; i < N; i++) {
        wide[i] = (double)x[i];
        weights[i] = i == 5 ? 0x1p60F : i == 6 ? -0x1p60F : (float)((int)(i * 2654435761u % 4001) - 2000) / 8;
    }
    const struct cells *weighed = dd_expect_of(axes, 1, &narrow, &values);
    for (size_t s = 0; s < sizeof weighing / sizeof *weighing; s++) {
        uh_histogram *histogram = test_histogram_over(tested.queue, axes, 1, OPTIONS(.storage = weighing[s]));
        const uint64_t nearly = ((uint64_t)1 << UHI_HEADROOM) - N + 1;
        for (size_t times = 0; times < 2; times++) {
            test_good(uh_histogram_fill(histogram, &narrow, &values));
            assert_non_null(histogram->run.launch.kernel);
            test_good(uh_histogram_fill(histogram, &doubles, &values));
            assert_null(histogram->run.launch.kernel);
            histogram->store->device->table[UHI_VALUE_F32].pending = nearly;
            histogram->store->device->table[UHI_SQUARES + UHI_VALUE_F32].pending = nearly;
        }
        test_good(uh_histogram_fill(histogram, &narrow, &values));
        dd_assert_sum(histogram, weighed, 5, weighed, 0);
    }
}

UNIT_TEST(the_plan_says_that_axes_go_in_one_launch_and_where_counts_lie) {
    static const char *const places[] = {[UHI_TIER_LOCAL] = "; all 2 axes in one launch; tables and counts (",
                                         [UHI_TIER_TABLES] =
                                             "; all 2 axes in one launch; tables in local memory, counts (",
                                         [UHI_TIER_MIXED] = "; all 2 axes in one launch; counts ("};
    char text[1000], part[1000];
    size_t length = 0, again = 0;
    uh_axis *const lone[] = {test_equal_axis(3, 0, 3)};
    for (unsigned tier = UHI_TIER_LOCAL; tier <= UHI_TIER_MIXED; tier++) {
        uh_histogram *histogram = make(UH_STORAGE_COUNT);
        histogram->run.launch.tiers = UHI_TIER_SET(tier);
        test_good(uh_histogram_plan_text(histogram, 1, UH_F32, text, sizeof text, &length));
        assert_int_equal(length, strlen(text));
        assert_int_equal(strstr(text, places[tier]) != NULL, histogram->run.launch.kernel != NULL);
        test_good(uh_histogram_plan_text(histogram, 1, UH_F32, part, length - 3, &again));
        assert_int_equal(again, length);
        assert_memory_equal(part, text, length - 4);
        test_good(uh_histogram_plan_text(histogram, 1, UH_U16, text, sizeof text, NULL));
        assert_null(strstr(text, "in one launch"));
    }
    for (unsigned i = 0; i < 3 * (UHI_TIER_MIXED + 1); i++) {
        const uh_storage storage = weighing[i % 3];
        uh_histogram *sums = test_histogram_over(tested.queue, lone, 1, OPTIONS(.storage = storage));
        sums->run.launch.tiers = UHI_TIER_SET(i / 3);
        test_good(uh_histogram_plan_text(sums, 0, UH_F32, text, sizeof text, NULL));
        const char *said = storage == UH_STORAGE_MEAN ? "; float32 samples in the same launch; "
                                                      : "; float32 weights in the same launch; ";
        assert_int_equal(strstr(text, said) != NULL, sums->run.launch.kernel != NULL);
        assert_int_equal(sums->run.launch.kernel != NULL, i / 3 != UHI_TIER_TABLES);
    }
    test_good(uh_histogram_plan_text(test_histogram_over(tested.queue, lone, 1, OPTIONS(.storage = UH_STORAGE_U8)), 0,
                                     UH_F32, text, sizeof text, NULL));
    assert_null(strstr(text, "in one launch"));
}

TEST_MAIN(test_points_launch) {
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 1000 == 17 ? NAN : (float)(i * UINT64_C(2654435761) % 70000) / 4000 - 2;
        y[i] = i % 300 == 17 ? NAN : (float)(i * UINT64_C(40503) % 13000) / 1000 - 1;
        whole[i] = (uint16_t)(i * UINT64_C(40503) % 13);
    }
    x[6] = x[5];
    axes[0] = test_equal_axis(BINS_X, 0, BINS_X);
    axes[1] = test_equal_axis(BINS_Y, 0, BINS_Y);
    for (size_t way = 0; way < 2; way++) {
        const uh_array points[] = {uh_array_of(UH_F32, x, N),
                                   way ? uh_array_of(UH_U16, whole, N) : uh_array_of(UH_F32, y, N)};
        expected[way] = dd_expect_of(axes, 2, points, NULL);
    }
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    return tested_run();
}
