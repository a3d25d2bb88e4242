/* SPDX-License-Identifier: Apache-2.0 */
/* What is different where a device counts: points that are there already, counters of 32 bits, memory that is too
 * small, types that it does not have. UNIHIST_TEST_DEVICE is the device, "level_zero" by default; without it,
 * skipped. Results for inputs and indices in every kind of memory, at any address, are the descriptions'. */
#include "tests/dd_cases.h"
#include "tests/tested.h"

#include "api/histogram.h"

enum { N = 100000, BINS = 50, BINS_Y = 12 };

/* A histogram of counts over x, of counts over x and y, of sums over both. */
enum shape { LINE, PLANE, SUMS, SHAPES };

static float x[N];
static uint16_t y[N];
static int32_t weights[N];
static struct row { /* the same, at any address */
    uint16_t y;
    char gap, x[sizeof(float)];
} rows[N];

static uh_axis *axes[2];
static const struct cells *expected[SHAPES]; /* of one fill */

static uh_histogram *make(uh_queue *on, enum shape shape) {
    return test_histogram_over(on, axes, shape == LINE ? 1 : 2,
                               OPTIONS(.storage = shape == SUMS ? UH_STORAGE_SUM : UH_STORAGE_COUNT));
}

/* Fills n points, of which a histogram takes what it has axes and weights for. */
static uh_status fill_from(uh_histogram *histogram, const void *at_x, const void *at_y, const void *at_weights,
                           size_t n) {
    const uh_array coordinates[] = {uh_array_of(UH_F32, at_x, n), uh_array_of(UH_U16, at_y, n)};
    return uh_histogram_fill(histogram, coordinates,
                             test_properties(histogram).storage == UH_STORAGE_SUM ? ARRAY(UH_I32, at_weights, n)
                                                                                  : NULL);
}

static void fill(uh_histogram *histogram) { test_good(fill_from(histogram, x, y, weights, N)); }

static void assert_holds(uh_histogram *histogram, uint64_t fills) {
    const uh_histogram_properties p = test_properties(histogram);
    const struct cells *of_one = expected[p.naxes == 1 ? LINE : p.storage == UH_STORAGE_SUM ? SUMS : PLANE];
    dd_assert_sum(histogram, of_one, fills, of_one, 0);
}

UNIT_TEST(points_gather_over_fills_reads_and_resets) {
    void *there_x = test_to_device(tested.queue, x, sizeof x), *there_y = test_to_device(tested.queue, y, sizeof y),
         *there_w = test_to_device(tested.queue, weights, sizeof weights);
    for (int shape = 0; shape < SHAPES; shape++) {
        uh_histogram *histogram = make(tested.queue, (enum shape)shape);
        assert_holds(histogram, 0);
        fill(histogram);
        test_good(fill_from(histogram, there_x, y, weights, N));
        test_good(fill_from(histogram, x, there_y, there_w, N));
        assert_holds(histogram, 3);
        test_good(fill_from(histogram, there_x, there_y, there_w, N));
        assert_holds(histogram, 4);
        assert_holds(histogram, 4);
        test_good(fill_from(histogram, there_x, there_y, there_w, N));
        test_good(uh_histogram_reset(histogram));
        assert_holds(histogram, 0);
        test_good(fill_from(histogram, there_x, y, weights, N));
        assert_holds(histogram, 1);
        test_good(fill_from(histogram, there_x, there_y, there_w, N));
        uh_histogram_destroy(test_take(histogram)); /* with work under way */
    }
}

UNIT_TEST(every_read_sees_what_the_device_counts) {
    uh_histogram *histogram = make(tested.queue, LINE);
    uint64_t counts[BINS], sum = 0;
    double density[BINS];
    char text[1000];
    fill(histogram);
    assert_int_equal(test_total(histogram), N);
    test_good(uh_histogram_plan_text(histogram, 0, UH_F32, text, sizeof text, NULL));
    assert_non_null(strstr(text, " memory, "));
    fill(histogram);
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t j = 0; j < BINS; j++) {
        assert_int_equal(counts[j], 2 * expected[LINE]->counts[j]);
        sum += counts[j];
    }
    fill(histogram);
    test_good(uh_histogram_density(histogram, density));
    sum = sum / 2 * 3;
    for (size_t j = 0; j < BINS; j++)
        assert_true(density[j] == (double)(3 * expected[LINE]->counts[j]) / (double)sum);
}

/* Values that fall below, into each bin, above, and NaN, in turn. */
static void check_many(size_t many, size_t n) {
    float *values = test_memory(n * sizeof *values);
    uint64_t *wanted = test_memory((many + 3) * sizeof *wanted);
    uh_histogram *histogram = test_line(tested.queue, test_equal_axis(many, 0, (double)many));
    for (size_t i = 0; i < n; i++) {
        const size_t slot = i * 7919 % (many + 3);
        values[i] = slot < many + 2 ? (float)slot - 0.5F : NAN;
        wanted[slot]++;
    }
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, values, n), NULL));
    test_assert_counts(histogram, wanted + 1, &(uh_flow){wanted[0], wanted[many + 1], wanted[many + 2]});
}

/* More counters than local memory has room for: groups count in tables in global memory, which lie side by side. */
UNIT_TEST(many_bins_are_counted_by_all_groups_with_their_flow) { check_many(40000, 250000); }

UNIT_TEST(very_many_bins_are_counted) {
    if (tested.properties.memory < (uint64_t)1 << 30)
        skip_because("%s has too little memory for 8 million bins", tested.properties.selector);
    check_many(8000000, N); /* float32 holds the middle of each */
}

UNIT_TEST(histograms_of_two_devices_merge) {
    static const size_t swapped[] = {1, 0};
    uh_queue *host_queue = test_queue(2, 0);
    for (int shape = 0; shape < SHAPES; shape++) {
        uh_histogram *here = make(host_queue, (enum shape)shape), *there = make(tested.queue, (enum shape)shape);
        uh_histogram *part = NULL, *back = NULL;
        fill(here);
        fill(there);
        test_good(uh_histogram_merge(here, there));
        assert_holds(here, 2);
        test_good(uh_histogram_merge(here, here));
        assert_holds(here, 4);
        fill(there);
        test_good(uh_histogram_merge(there, here));
        assert_holds(there, 6);
        fill(there);
        test_good(uh_histogram_merge(there, there));
        assert_holds(there, 14);
        if (shape == LINE)
            continue;
        fill(there);
        test_good(uh_histogram_project(there, swapped, 2, &part)); /* what is under way, too */
        test_at_end_first(part, test_end_histogram);
        test_good(uh_histogram_project(part, swapped, 2, &back));
        assert_holds(test_at_end_first(back, test_end_histogram), 15);
    }
}

enum { FEW = 777, FEW_POINTS = 7777 };

/* With a limit of `most` points in place of 2^32 - 1, and small pieces. */
static void check_limit(enum shape shape, uint64_t most, size_t piece) {
    uh_histogram *histogram = make(tested.queue, shape);
    const uint64_t *pending = shape == LINE ? &histogram->run.launch.counters.pending : &histogram->run.flows.pending;
    uint64_t *limit = shape == LINE ? &histogram->run.launch.counters.max_pending : &histogram->run.flows.max_pending;
    const size_t few = shape == LINE ? FEW : FEW_POINTS;
    const struct row *there = test_to_device(tested.queue, rows, sizeof rows), *last = there + N - 1;
    const ptrdiff_t step = sizeof *rows;
    uh_array forwards[] = {{UH_F32, there->x, step, N}, {UH_U16, &there->y, step, N}};
    const uh_array backwards[] = {{UH_F32, last->x, -step, N}, {UH_U16, &last->y, -step, N}};
    test_good(uh_histogram_prepare(histogram, (const uh_dtype[]){UH_F32, UH_U16}));
    assert_int_equal(*limit, UINT32_MAX);
    *limit = most;
    histogram->run.max_piece = piece;
    test_good(fill_from(histogram, test_to_device(tested.queue, x, sizeof x), y, NULL, N));
    test_good(uh_histogram_fill(histogram, forwards, NULL));
    fill(histogram);
    assert_true(*pending <= most);
    test_good(uh_histogram_fill(histogram, backwards, NULL));
    assert_holds(histogram, 4);
    forwards[0].count = forwards[1].count = N + 1;
    test_invalid(uh_histogram_fill(histogram, forwards, NULL), "uh_histogram_fill: arrays[0].data");
    for (size_t from = 0; from < N; from += few) { /* the counters fill up over many calls */
        test_good(fill_from(histogram, x + from, y + from, NULL, N - from < few ? N - from : few));
        assert_true(*pending <= most);
    }
    assert_holds(histogram, 5);
}

UNIT_TEST(counters_are_emptied_before_they_overflow) {
    static const struct {
        uint64_t most;
        size_t piece;
    } limits[] = {{UINT32_MAX, 1 << 14}, {N + N / 2, 1 << 16}, {N, 1 << 19},
                  {N - 1, 1 << 19},      {N / 7, 1 << 16},     {10000, 1 << 16}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        check_limit(LINE, limits[i].most, 0);
        check_limit(PLANE, limits[i].most, limits[i].piece);
    }
    /* The last of several calls is one point too many. */
    check_limit(LINE, 4 * FEW - 1, 0);
    check_limit(PLANE, 3 * FEW_POINTS - 1, 1 << 16);
}

UNIT_TEST(input_larger_than_the_devices_memory_is_streamed) {
    const size_t n = (size_t)24 << 20;
    if (tested.properties.memory > n * sizeof(float))
        skip_because("%s has %llu bytes, more than the input", tested.properties.selector,
                     (unsigned long long)tested.properties.memory);
    float *many = test_memory(n * sizeof *many);
    for (size_t i = 0; i < n; i++)
        many[i] = x[i % N];
    uh_histogram *histogram = make(tested.queue, LINE);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F32, many, n / N * N), NULL));
    memset(many, 0xff, n * sizeof *many); /* it may be reused on return */
    assert_holds(histogram, n / N);
}

UNIT_TEST(float64_goes_by_keys_where_there_is_no_double) {
    static const double doubles[] = {1, 2, 3};
    static const uh_array wide[] = {{UH_F64, doubles, 8, 3}, {UH_F64, doubles, 8, 3}};
    for (int shape = LINE; shape <= PLANE; shape++) {
        uh_histogram *histogram = make(tested.queue, (enum shape)shape);
        uint64_t inside = 7;
        char text[1000];
        test_good(uh_histogram_fill(histogram, wide, NULL));
        test_good(uh_histogram_total(histogram, &inside, NULL));
        assert_int_equal(inside, 3);
        test_good(uh_histogram_plan_text(histogram, 0, UH_F64, text, sizeof text, NULL));
        assert_int_equal(strstr(text, "auto: float64 by keys, map ") == text, !tested.properties.fp64);
    }
}

UNIT_TEST(memory_of_another_device_is_refused) {
    uh_queue *host_queue = test_queue(2, 0);
    void *there = test_to_device(tested.queue, x, sizeof x);
    const uh_array *far = ARRAY(UH_F32, there, N);
    const uh_array both[] = {uh_array_of(UH_U16, y, N), *far};
    const uh_axis_bins two[] = {{.count = 2}, {.count = 2}};
    const char *selector = tested.properties.selector;
    uint64_t counts[BINS], nan = 0;
    double min = 0, max = 0;
    const double range[] = {0, 1};
    for (int shape = 0; shape < SHAPES; shape++) {
        uh_histogram *histogram = make(host_queue, (enum shape)shape);
        test_invalid(fill_from(histogram, there, y, weights, N), "arrays[0].data", selector);
        if (shape == LINE)
            test_invalid(uh_histogram_digitize(histogram, ARRAY(UH_F32, x, 1), UH_I64, there), selector);
        if (shape == SUMS)
            test_invalid(fill_from(histogram, x, y, there, N), "weights->data", selector);
        assert_holds(histogram, 0);
    }
    test_invalid(uh_min_max(host_queue, far, &min, &max, &nan), "uh_min_max: x->data is ");
    test_invalid(uh_histogram_of(host_queue, far, EQUAL(BINS, NULL), 1, NULL, CELLS(.counts = counts)),
                 "uh_histogram_of: arrays[0].data is ");
    test_invalid(uh_histogram_of(host_queue, far, EQUAL(BINS, range), 1, NULL, CELLS(.counts = counts)),
                 "uh_histogram_of: arrays[0].data is ");
    test_invalid(uh_histogram_of(host_queue, both, two, 2, NULL, CELLS(.counts = counts)), "arrays[1].data is ");
    test_invalid(uh_histogram_of(host_queue, ARRAY(UH_F32, x, N), EQUAL(1, range), 1, far, CELLS(.means = &min)),
                 "uh_histogram_of: weights->data is ");
}

UNIT_TEST(calls_that_do_all_at_once_work_there_too) {
    static const double range[2] = {0, BINS};
    static int64_t index[N];
    const float edges[3] = {0, 10, 50};
    uint64_t counts[BINS], two[2], nan;
    double min, max;
    uh_flow flow;
    void *there = test_to_device(tested.queue, x, sizeof x);
    for (size_t place = 0; place < 2; place++) {
        const uh_array *array = ARRAY(UH_F32, place ? there : x, N);
        test_good(
            uh_histogram_of(tested.queue, array, EQUAL(BINS, range), 1, NULL, CELLS(.counts = counts, .flows = &flow)));
        assert_memory_equal(counts, expected[LINE]->counts, sizeof counts);
        assert_memory_equal(&flow, expected[LINE]->flow[0], sizeof flow);
        test_good(uh_histogram_of(tested.queue, array, BETWEEN(UH_F32, edges, 3), 1, NULL, CELLS(.counts = two)));
        assert_int_equal(two[0] + two[1] + flow.below + flow.above + flow.nan, N);
        test_good(uh_digitize(tested.queue, array, ARRAY(UH_F32, edges, 3), 0, UH_I64, index));
        for (size_t i = 0; i < N; i++)
            assert_int_equal(index[i], x[i] != x[i] || x[i] >= 50 ? 3 : x[i] >= 10 ? 2 : x[i] >= 0 ? 1 : 0);
        min = max = 0;
        test_good(
            uh_min_max(tested.queue, STRIDED(UH_F32, (const float *)array->data + N - 1, N, -4), &min, &max, &nan));
        assert_true(min == -10 && max == 60 && nan == flow.nan);
    }
}

UNIT_TEST(points_that_the_host_can_write_may_change_on_return) {
    enum { TIMES = 5 };
    for (int shape = LINE; shape <= PLANE; shape++)
        for (size_t kind = 0; kind < 2; kind++)
            for (size_t step = 1; step <= 2; step++) {
                uh_histogram *histogram = make(tested.queue, (enum shape)shape);
                void *memory = NULL;
                uint16_t *all_y = test_memory(TIMES * sizeof y);
                const size_t size = TIMES * sizeof x * step;
                test_good(uh_histogram_prepare(histogram, (const uh_dtype[]){UH_F32, UH_U16}));
                test_good(uh_malloc(tested.device, kind ? UH_MEMORY_SHARED : UH_MEMORY_HOST, size, 0, &memory));
                float *at = test_at_end(memory, test_end_memory);
                for (size_t i = 0; i < TIMES * N; i++) {
                    at[step * i] = x[i % N];
                    all_y[i] = y[i % N];
                }
                const uh_array coordinates[] = {{UH_F32, at, 4 * (ptrdiff_t)step, TIMES * N},
                                                {UH_U16, all_y, 2, TIMES * N}};
                test_good(uh_histogram_fill(histogram, coordinates, NULL));
                for (size_t i = size / sizeof x[0]; i-- > 0;)
                    at[i] = 7;
                assert_holds(histogram, TIMES);
            }
}

static void *count_in_a_thread(void *user) {
    uh_histogram *histogram = make(tested_queue(2), LINE);
    for (size_t i = 0; i < 5; i++) {
        if (fill_from(histogram, x, NULL, NULL, N))
            return "no fill";
        if (i % 2)
            assert_holds(histogram, i + 1);
    }
    assert_holds(histogram, 5);
    return NULL;
}

UNIT_TEST(threads_with_queues_of_their_own_count_at_once) { test_at_once(4, count_in_a_thread, axes, 0); }

TEST_MAIN(test_histogram_device) {
    for (size_t i = 0; i < N; i++) {
        x[i] = i % 1000 == 17 ? NAN : (float)(i * UINT64_C(2654435761) % 70000) / 1000 - 10;
        y[i] = (uint16_t)(i * UINT64_C(40503) % 15);
        weights[i] = (int32_t)(i * UINT64_C(2654435761) % 2000001) - 1000000;
    }
    x[0] = -10;
    x[1] = 60;
    x[2] = BINS;
    x[3] = -0.0f;
    y[2] = BINS_Y;
    for (size_t i = 0; i < N; i++) {
        rows[i].y = y[i];
        memcpy(rows[i].x, &x[i], sizeof x[i]);
    }
    const uh_array points[] = {uh_array_of(UH_F32, x, N), uh_array_of(UH_U16, y, N)};
    axes[0] = test_equal_axis(BINS, 0, BINS);
    axes[1] = test_equal_axis(BINS_Y, 0, BINS_Y);
    for (int shape = 0; shape < SHAPES; shape++)
        expected[shape] =
            dd_expect_of(axes, shape == LINE ? 1 : 2, points, shape == SUMS ? ARRAY(UH_I32, weights, N) : NULL);
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    return tested_run();
}
