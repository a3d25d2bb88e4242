/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose groups go on to further work with the same local memory: each such loop passes at least twice, which
 * the sizes of groups and of the work prove. On a rung of Oclgrind a barrier that is missing between two passes is a
 * data race; on others results alone are compared. And a kernel that comes to work only after very many points. */
#include "tests/tested.h"

#include <unihist/integrate.h>

#include "kernels/accumulate/store.h"
#include "kernels/common/engine.h"
#include "kernels/common/pace.h"
#include "kernels/histo/histo.h"
#include "kernels/integrate/integrate.h"
#include "kernels/registry.h"
#include "line.c.h"
#include "pieces.c.h"
#include "tests/meanshift_fixture.h"

/* A queue whose operations have one group of this many work-items. */
static uh_queue *queue_of_a_group(uint32_t items) {
    return test_queue_of(tested.device, QUEUE_OPTIONS(.group_size = items, .groups = 1));
}

static uh_integral integral_of(uh_queue *queue, const uh_integrand_code *code, size_t calls, double *values) {
    const uh_integrand integrand = {.struct_size = sizeof integrand, .code = code};
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .variant = UH_INTEGRATE_MCUBES,
                                          .max_calls = calls,
                                          .bins = 20,
                                          .iterations = 1,
                                          .adjusting = 1,
                                          .relative_error = 1e-12};
    uh_integral integral = {.struct_size = sizeof integral, .values = values};
    test_good(uh_integrate(queue, &integrand, &options, &integral));
    return integral;
}

/* One group takes `group` strips of samples in a pass; an iteration has more. */
static void integrate_in_passes(const uh_integrand_code *code, size_t group, size_t calls) {
    double values[2], expected[2];
    if (tested.properties.max_group_size < group)
        skip_because("the device's groups are smaller");
    uhi_pace_fix(UINT64_MAX); /* an iteration is one launch */
    const uh_integral integral = integral_of(queue_of_a_group((uint32_t)group), code, calls, values);
    uhi_pace_fix(0);
    assert_true(integral.calls > group * UHI_STRIP);
    const uh_integral truth = integral_of(test_queue(1, 0), code, calls, expected);
    assert_int_equal(integral.calls, truth.calls);
    assert_memory_equal(values, expected, code->level[0]->values * sizeof *values);
    assert_true(integral.error == truth.error);
}

UNIT_TEST(a_group_samples_further_units) { integrate_in_passes(&uh_integrand_line, UHI_INTEGRATE_GROUP(1), 4300); }

UNIT_TEST(a_group_samples_further_units_in_parts) {
    integrate_in_passes(&uh_integrand_pieces, UHI_INTEGRATE_GROUP(4), 1300);
}

/* Several tiles of points for several groups of places. */
UNIT_TEST(a_group_loads_further_tiles_for_further_places) {
    enum { GROUP = 8, POINTS = 2 * GROUP + 3 };
    const struct oracle_points points = test_groups(UH_F32, POINTS, 2, 7);
    const uh_mean_shift_options *options =
        SHIFT(.radius = 3, .kernel = UH_KERNEL_FLAT, .method = UH_MEAN_SHIFT_TILES, .iterations = 1);
    uhi_pace_fix(UINT64_MAX); /* all places and points in one launch */
    const uh_clusters_properties found = test_shift(queue_of_a_group(GROUP), &points, options);
    uhi_pace_fix(0);
    const struct oracle_points after = {UH_F32, POINTS, 2, found.shifted};
    struct judged judged = {.points = points, .options = *options};
    assert_int_equal(found.method, UH_MEAN_SHIFT_TILES);
    if (judge_step(&judged, NULL, &points, &after, POINTS))
        fail_msg("%s", judged.problem);
}

/* Counts n indices of one bin after three of its neighbour on one group. */
static void count_on_a_group(size_t n) {
    enum { WIDTH = 4, HEIGHT = 3, BIN = 4, OTHERS = 3 };
    uint32_t *indices = test_memory(n * sizeof *indices);
    uint8_t out[WIDTH * HEIGHT];
    uh_histo_report report = {.struct_size = sizeof report};
    for (size_t i = 0; i < n; i++)
        indices[i] = i < OTHERS ? BIN + 1 : BIN;
    const void *there = test_to_device(tested.queue, indices, n * sizeof *indices);
    test_good(uh_histo(tested.queue, ARRAY(UH_U32, there, n), HISTO_TABLE(WIDTH, HEIGHT), out, &report));
    assert_non_null(strstr(report.plan, "1 batch of 1 group"));
    assert_non_null(strstr(report.plan, "bins of 16 bits"));
    for (size_t b = 0; b < sizeof out; b++)
        assert_int_equal(out[b], b == BIN       ? (n - OTHERS < UHI_HISTO_FULL ? n - OTHERS : UHI_HISTO_FULL)
                                 : b == BIN + 1 ? OTHERS
                                                : 0);
}

/* Vectors of four indices are counted in turns, after each of which the counters of 16 bits are limited: a turn has
 * fewer indices than one could count. */
UNIT_TEST(a_group_counts_more_than_counters_of_16_bits_hold) { count_on_a_group(0xffff + 1000); }

UNIT_TEST(a_group_counts_what_makes_no_vector) { count_on_a_group(3); }

/* Work-items whose values meet in one counter: none of their increments is lost. */
UNIT_TEST(items_of_a_group_count_in_one_bin) {
    enum { BINS = 4, GROUP = 64 /* more than copies of a counter */, N = 8 * GROUP + 1 };
    static const double edges[BINS + 1] = {0, 1, 4, 5, 100};
    double x[N];
    uint8_t whole[N];
    uh_queue *queue = queue_of_a_group(GROUP);
    for (size_t i = 0; i < N; i++)
        x[i] = whole[i] = (uint8_t)(i % 3 + 1); /* all but in one bin, and no runs */
    uh_axis *axis = test_axis_of(UH_F64, edges, BINS + 1, UH_CLOSED_LEFT);
    for (uh_method method = UH_METHOD_AUTO; method <= UH_METHOD_BINARY; method++) {
        uint64_t counts[BINS];
        uh_histogram *histogram = test_histogram_over(queue, &axis, 1, OPTIONS(.methods = &method));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, test_to_device(queue, x, sizeof x), N), NULL));
        test_good(uh_histogram_counts(histogram, counts));
        assert_true(counts[0] == 0 && counts[1] == N && counts[2] == 0 && counts[3] == 0);
    }
    uint64_t counts[4];
    test_good(uh_bincount(queue, ARRAY(UH_U8, test_to_device(queue, whole, sizeof whole), N), counts, 4, NULL));
    assert_true(counts[1] == N / 3 && counts[2] == N / 3 && counts[3] == N / 3);
}

/* Windows of 16 bits that hold more, which comes only after very many points. */
UNIT_TEST(what_windows_hold_too_much_is_carried) {
    enum { SLOTS = 40, WINDOWS = 3 };
    int64_t window[WINDOWS][SLOTS], after[WINDOWS][SLOTS];
    uint32_t words[2 * SLOTS * WINDOWS + WINDOWS] = {0}, used[WINDOWS];
    uint64_t seed = 1;
    for (size_t w = 0; w < WINDOWS; w++)
        for (size_t s = 0; s < SLOTS; s++) {
            window[w][s] = s % 4 == 3 ? 0 : (int64_t)(test_random_u64(&seed) >> 36) - (1 << 27);
            memcpy(words + 2 * (w * SLOTS + s), &window[w][s], 8);
        }
    const uint32_t slots = SLOTS, windows = WINDOWS;
    struct uhi_engine engine;
    uh_kernel *kernel;
    test_good(uhi_engine_open(&engine, "test", tested.queue, uhi_accumulate_variants()));
    test_good(uhi_engine_kernel(&engine, "carry", &kernel));
    uint32_t *there = test_to_device(tested.queue, words, sizeof words),
             *there_used = there + (size_t)2 * SLOTS * WINDOWS;
    test_good(uhi_engine_run(&engine, kernel, 2, uhi_group_size(&engine.properties),
                             ARGS(uh_arg_pointer(there), VALUE(slots), VALUE(windows), uh_arg_pointer(there_used)),
                             NULL, NULL));
    test_good(uh_memcpy(tested.queue, after, there, sizeof after, NULL));
    test_good(uh_memcpy(tested.queue, used, there_used, sizeof used, NULL));
    test_good(uh_queue_wait(tested.queue));
    for (size_t s = 0; s < SLOTS; s++) {
        int64_t before = 0, now = 0;
        for (size_t w = WINDOWS; w-- > 0;) {
            before = before * 65536 + window[w][s];
            now = now * 65536 + after[w][s];
            assert_true(w == WINDOWS - 1 || (after[w][s] >= -32768 && after[w][s] < 32768));
            assert_true(after[w][s] == 0 || used[w]);
        }
        assert_true(before == now);
    }
    uhi_engine_close(&engine);
}

TEST_MAIN(test_kernels_passes) {
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    return tested_run();
}
