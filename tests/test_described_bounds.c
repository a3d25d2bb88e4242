/* SPDX-License-Identifier: Apache-2.0 */
/* Launches are cut, on a device that is about as slow as its clock tells: no operation makes one that keeps the device
 * for long, results are the oracle's, and a call that is cancelled between two launches leaves no trace.
 * "test_described_bounds OPERATION" tries that one, without an argument all. */
#include "tests/tested.h"

#include <unihist/meanshift.h>

#include "runtime/host.h"
#include "tests/described.h"

/* Nanoseconds: several times what launches should take, as the CPU that plays the device is shared, and a first launch
 * follows a model. */
#define LONGEST 300000000u

/* The number of points of the first case, with which nothing cut would keep the device for longer than that. */
static size_t points_of(const char *operation) {
    static const struct {
        const char *name;
        size_t n;
    } others[] = {{"random", 2000000}, {"histo", 2000000},    {"bincount", 2000000},
                  {"sample", 1000000}, {"integrate", 300000}, {"meanshift", 300000}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(operation, others[i].name) == 0)
            return others[i].n;
    return 1000000;
}

/* Calls on a new queue, whose first launches follow the model. Interruptions of this machine count as the device's
 * time: they lengthen one launch now and then, a missing cut lengthens it in each try. */
static void launches_are_short(const char *name, void (*call)(uh_queue *queue, const void *context),
                               const void *context) {
    enum { TRIES = 3 };
    struct soft_gpu gpu;
    uint64_t longest = UINT64_MAX;
    assert_int_equal(soft_gpu_find(&gpu), 0);
    for (int i = 0; i < TRIES && longest > LONGEST; i++) {
        uh_queue *queue = test_queue_of(tested.device, NULL);
        (void)gpu.longest();
        const uint64_t begin = uhi_host_now();
        call(queue, context);
        longest = gpu.longest();
        print_message("%s: %.0f ms, the longest launch %.0f ms\n", name, (double)(uhi_host_now() - begin) * 1e-6,
                      (double)longest * 1e-6);
        uh_queue_destroy(queue);
    }
    assert_in_range(longest, 1, LONGEST);
}

static void use_once(uh_queue *queue, const void *context) {
    const struct description *description = context;
    struct use use = {.device = tested.device, .queue = queue, .place = PLACE_DEVICE, .computes = 1};
    char problem[1024];
    if (use_try(&use, description, 0, points_of(description->name), 1, 1, problem, sizeof problem))
        fail_msg("%s", problem);
    assert_int_equal(use.outcome.status, UH_SUCCESS);
}

static void no_launch_takes_long(void **state) {
    const struct description *description = *state;
    launches_are_short(description->name, use_once, description);
}

/* The description's points are few: an oracle compares each with each. */
static void shift_means(uh_queue *queue, const void *context) {
    enum { POINTS = 2500 };
    const uh_mean_shift_options options = {.struct_size = sizeof options,
                                           .method = UH_MEAN_SHIFT_TILES,
                                           .kernel = UH_KERNEL_GAUSSIAN,
                                           .sigma = 0.1,
                                           .iterations = 1};
    static float x[2][POINTS];
    uh_clusters *clusters = NULL;
    uint64_t seed = 1;
    for (size_t i = 0; i < POINTS; i++)
        for (size_t a = 0; a < 2; a++)
            x[a][i] = (float)(test_random_u64(&seed) >> 40);
    const uh_array points[] = {{.dtype = UH_F32, .data = x[0], .stride = sizeof(float), .count = POINTS},
                               {.dtype = UH_F32, .data = x[1], .stride = sizeof(float), .count = POINTS}};
    assert_int_equal(uh_mean_shift(queue, points, 2, &options, &clusters), UH_SUCCESS);
    uh_clusters_destroy(clusters);
}

static void no_launch_of_mean_shift_takes_long(void **state) { launches_are_short("mean shift", shift_means, NULL); }

/* Few places have more neighbours than one launch takes: how many of them are within the radius is what a flat density
 * tells. In tiles a group's idle work-items count too. */
struct neighbours {
    uh_mean_shift_method method;
    size_t n;
};

static void find_neighbours(uh_queue *queue, const void *context) {
    const size_t n = ((const struct neighbours *)context)->n;
    enum { FEW = 3, RADIUS = 40 };
    static const double place[FEW] = {0, 25, 100};
    double *x = malloc(n * sizeof *x), density[FEW];
    uint64_t seed = 1;
    size_t near[FEW] = {0};
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(test_random_u64(&seed) >> 11) * 0x1p-53 * 100;
        for (size_t p = 0; p < FEW; p++)
            near[p] += fabs(x[i] - place[p]) <= RADIUS;
    }
    const uh_array points = {.dtype = UH_F64, .data = x, .stride = sizeof *x, .count = n},
                   at = {.dtype = UH_F64, .data = place, .stride = sizeof *place, .count = FEW};
    const uh_kde_options options = {.struct_size = sizeof options,
                                    .method = ((const struct neighbours *)context)->method,
                                    .kernel = UH_KERNEL_FLAT,
                                    .radius = RADIUS};
    assert_int_equal(uh_kde(queue, &points, 1, &at, &options, density), UH_SUCCESS);
    for (size_t p = 0; p < FEW; p++) {
        const double found = density[p] * (double)n * 2 * RADIUS, expected = (double)near[p];
        assert_true(fabs(found - expected) < 1e-6 * expected);
    }
    free(x);
}

static void no_launch_over_many_neighbours_takes_long(void **state) {
    static const struct neighbours cases[] = {
        {UH_MEAN_SHIFT_CELLS, 1500000}, {UH_MEAN_SHIFT_NAIVE, 1500000}, {UH_MEAN_SHIFT_TILES, 120000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        launches_are_short(uh_enum_name(UH_ENUM_MEAN_SHIFT_METHOD, cases[i].method), find_neighbours, &cases[i]);
}

/* A use that is cancelled when it asks for the next time after `after`, and one that is not, on the same queue. Returns
 * how often that one asked. */
static uint64_t try_cancelled(const struct description *description, const void *made, uint64_t after) {
    struct use use = {.device = tested.device, .place = PLACE_DEVICE, .computes = 1, .faulty = after != UINT64_MAX};
    use.queue = test_queue_of(tested.device, QUEUE_OPTIONS(.cancelled = test_is_cancelled));
    test_asked = 0;
    test_allowed = after;
    use_run(&use, description, made);
    /* It may ask less often than the one before, as lengths go by the time that others took. */
    const uh_status expected = test_asked > after ? UH_ERROR_CANCELLED : UH_SUCCESS;
    if (use.outcome.status != expected || use.outcome.wrong[0])
        fail_msg("%s gives %s: %s%s", use.outcome.call, uh_status_name(use.outcome.status), use.outcome.message,
                 use.outcome.wrong);
    assert_true(!expected || strstr(use.outcome.message, "cancelled"));
    test_allowed = UINT64_MAX;
    test_asked = 0;
    use.faulty = 0;
    use.outcome = (struct outcome){.status = UH_SUCCESS};
    use_run(&use, description, made);
    if (use.outcome.status || use.outcome.wrong[0])
        fail_msg("the next use fails: %s%s", use.outcome.message, use.outcome.wrong);
    uh_queue_destroy(use.queue);
    return test_asked;
}

/* What the clock tells decides where a call is cut first; the launches need not last. */
static void a_cancelled_call_leaves_no_trace(void **state) {
    enum { TIMES = 4 };
    const struct description *description = *state;
    struct soft_gpu gpu;
    assert_int_equal(soft_gpu_find(&gpu), 0);
    assert_int_equal(gpu.set("slow=0"), 0);
    void *made = description->make(0, points_of(description->name) / 2, 1);
    assert_non_null(made);
    const uint64_t all = try_cancelled(description, made, UINT64_MAX);
    assert_true(all > 0);
    for (uint64_t i = 0; i < TIMES; i++)
        if (i == 0 || all * i / TIMES > all * (i - 1) / TIMES)
            (void)try_cancelled(description, made, all * i / TIMES);
    description->free(made);
    assert_int_equal(gpu.set("slow=100"), 0);
}

TEST_MAIN(test_described_bounds) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_launch_takes_long),
                                       cmocka_unit_test(a_cancelled_call_leaves_no_trace)};
    const struct CMUnitTest others[] = {cmocka_unit_test(no_launch_of_mean_shift_takes_long),
                                        cmocka_unit_test(no_launch_over_many_neighbours_takes_long)};
    const int why = tested_begin();
    if (why)
        return why;
    int failed = described_run(tests, sizeof tests / sizeof *tests, described_operation(argc, argv));
    if (argc < 2)
        failed |= cmocka_run_group_tests(others, NULL, NULL);
    return tested_end(failed);
}
