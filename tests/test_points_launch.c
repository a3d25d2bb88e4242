/* SPDX-License-Identifier: Apache-2.0 */
/* Points on several axes in one launch: one histogram that is filled so and axis by axis in turn, with counters that
 * are emptied on the way. What comes of one way is in the description (cases_points.c), where counts lie in
 * test_shape.c. */
#include "tests/tested.h"

#include "api/histogram.h"
#include "kernels/accumulate/device_tables.h"

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
static void assert_holds(uh_histogram *histogram, uint64_t by_launch, uint64_t by_cells) {
    uint64_t counts[CELLS], in, out;
    uh_flow flow;
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t c = 0; c < CELLS; c++) {
        const uint64_t all = by_launch * cells[0][c] + by_cells * cells[1][c];
        const uint64_t most = test_properties(histogram).storage == UH_STORAGE_U8 ? 255 : UINT64_MAX;
        assert_int_equal(counts[c], all < most ? all : most);
    }
    test_good(uh_histogram_total(histogram, &in, &out));
    assert_int_equal(in + out, (by_launch + by_cells) * N);
    assert_int_equal(out, by_launch * outside[0] + by_cells * outside[1]);
    for (size_t a = 0; a < 2; a++) {
        test_good(uh_histogram_flow(histogram, a, &flow));
        assert_int_equal(flow.below, by_launch * flows[0][a].below + by_cells * flows[1][a].below);
        assert_int_equal(flow.above, by_launch * flows[0][a].above + by_cells * flows[1][a].above);
        assert_int_equal(flow.nan, by_launch * flows[0][a].nan + by_cells * flows[1][a].nan);
    }
}

UNIT_TEST(one_histogram_is_filled_in_both_ways_in_turn) {
    static const uh_storage storages[] = {UH_STORAGE_COUNT, UH_STORAGE_U8};
    tested_on_devices_only();
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

UNIT_TEST(counters_are_emptied_before_they_overflow) {
    static const uint64_t limits[] = {UINT32_MAX, N + N / 2, N, N - 1, N / 7, 10000};
    tested_on_devices_only();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        uh_histogram *histogram = make(UH_STORAGE_COUNT);
        struct uhi_counters *counters = &histogram->run.launch.counters;
        counters->max_pending = limits[i];
        for (size_t from = 0; from < N; from += 7777)
            fill(histogram, 0, from, N - from < 7777 ? N - from : 7777);
        assert_true(counters->pending > 0 && counters->pending <= limits[i]);
        fill(histogram, 0, 0, N);
        assert_true(counters->pending > 0 && counters->pending <= limits[i]);
        assert_holds(histogram, 2, 0);
    }
}

/* Eighths; points 5 and 6 are alike, and cancel each other in sums. */
struct weighed {
    float weight[N];
    double sum[BINS_X], squares[BINS_X], number[BINS_X], beyond;
};

static void weigh_by_hand(struct weighed *weighed) {
    for (size_t i = 0; i < N; i++) {
        const double at = (double)x[i];
        const size_t bin = at >= 0 && at < BINS_X ? (size_t)at : BINS_X - 1;
        weighed->weight[i] = i == 5 ? 0x1p60F : i == 6 ? -0x1p60F : (float)((int)(i * 2654435761u % 4001) - 2000) / 8;
        const double weight = i == 5 || i == 6 ? 0 : (double)weighed->weight[i];
        if (!(at >= 0 && at <= BINS_X)) {
            weighed->beyond += weight;
            continue;
        }
        weighed->number[bin]++;
        weighed->sum[bin] += weight;
        weighed->squares[bin] += weight * weight;
    }
}

/* Contents of cells after `fills` fills; the squares of points 5 and 6 hide all others in their cell. */
static void assert_weighed(uh_histogram *histogram, const struct weighed *weighed, uh_storage storage, double fills) {
    double sum[BINS_X] = {0}, squares[BINS_X] = {0}, mean[BINS_X] = {0}, m2[BINS_X] = {0}, out = 0;
    uint64_t number[BINS_X] = {0};
    if (storage == UH_STORAGE_MEAN)
        test_good(uh_histogram_means(histogram, number, mean, m2));
    else
        test_good(uh_histogram_sums(histogram, UH_F64, sum, storage == UH_STORAGE_WEIGHTED ? squares : NULL));
    for (size_t c = 0; c < BINS_X; c++) {
        const double n = fills * weighed->number[c], s = fills * weighed->sum[c], q = fills * weighed->squares[c];
        const int hides = c == (size_t)(double)x[5];
        if (storage == UH_STORAGE_MEAN) {
            assert_true((double)number[c] == n && mean[c] == s / n);
            assert_true(m2[c] == (hides ? 2 * fills * 0x1p120 : (n * q - s * s) / n));
            continue;
        }
        assert_true(sum[c] == s);
        assert_true(storage == UH_STORAGE_SUM || squares[c] == (hides ? 2 * fills * 0x1p120 : q));
    }
    if (storage != UH_STORAGE_MEAN) {
        test_good(uh_histogram_outside(histogram, &out, NULL));
        assert_true(out == fills * weighed->beyond);
    }
}

static const uh_storage weighing[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};

/* Float32 coordinates and weights in one launch, others by cells; the windows are carried in between. */
UNIT_TEST(weights_on_one_axis_are_added_in_both_ways_in_turn) {
    static struct weighed weighed;
    static double wide[N];
    uh_axis *const axis[] = {test_equal_axis(BINS_X, 0, BINS_X)};
    uh_flow flow;
    tested_on_devices_only();
    weigh_by_hand(&weighed);
    for (size_t i = 0; i < N; i++)
        wide[i] = (double)x[i];
    const uh_array narrow = uh_array_of(UH_F32, x, N), doubles = uh_array_of(UH_F64, wide, N),
                   values = uh_array_of(UH_F32, weighed.weight, N);
    for (size_t s = 0; s < sizeof weighing / sizeof *weighing; s++) {
        uh_histogram *histogram = test_histogram_over(tested.queue, axis, 1, OPTIONS(.storage = weighing[s]));
        const uint64_t nearly = ((uint64_t)1 << UHI_HEADROOM) - N + 1;
        for (size_t times = 0; times < 2; times++) {
            test_good(uh_histogram_fill(histogram, &narrow, &values));
            assert_non_null(histogram->run.launch.kernel);
            test_good(uh_histogram_fill(histogram, &doubles, &values));
            assert_null(histogram->run.launch.kernel);
            histogram->store->device->sums[UHI_VALUE_F32].pending = nearly;
            histogram->store->device->squares[UHI_VALUE_F32].pending = nearly;
        }
        test_good(uh_histogram_fill(histogram, &narrow, &values));
        assert_weighed(histogram, &weighed, weighing[s], 5);
        test_good(uh_histogram_flow(histogram, 0, &flow));
        assert_int_equal(flow.nan, 5 * flows[0][0].nan);
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
    tested_on_devices_only();
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
    count_by_hand();
    return tested_run();
}
