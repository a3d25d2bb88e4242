/* SPDX-License-Identifier: Apache-2.0 */
/* How parts share the elements of a call (kernels/common/shares.h): parts that sleep as long as a device of some speed
 * would work, and fail when they are asked to. And how much one launch takes (kernels/common/pace.h): about 50 ms by
 * the launches before, at most a second by the model, growing step by step. */
#include <stdatomic.h>
#include <time.h>

#include "kernels/common/pace.h"
#include "kernels/common/shares.h"
#include "runtime/host.h"
#include "runtime/status.h"
#include "tests/fixture.h"

enum { MAX_PARTS = 8, N = 100000, MIN_PIECE = 50 };

static const struct uhi_backend sleepers = {.name = "sleepers"};

/* Parts, what they do, and what they have done. */
struct scene {
    struct uh_device device[MAX_PARTS];
    struct uh_queue part[MAX_PARTS], whole;
    struct uh_queue *parts[MAX_PARTS];
    double nanoseconds[MAX_PARTS]; /* an element takes a part */
    size_t fails_at[MAX_PARTS];    /* its pieces from this number on, counted from 1; 0: none fails */
    uh_status fails_with[MAX_PARTS];
    size_t pieces[MAX_PARTS], elements[MAX_PARTS];
    size_t refused, stops_at; /* element that no part takes; elements after which progress says stop: 0 for none */
    size_t reported;
    size_t meet; /* parts that wait for each other with their first pieces, so that none has done the others' work */
    atomic_size_t met;
    int has_met[MAX_PARTS];
    atomic_uchar done[N];
};

static struct scene *set(size_t parts, double nanoseconds) {
    struct scene *scene = test_memory(sizeof *scene);
    scene->refused = N;
    scene->whole.parts = scene->parts;
    scene->whole.nparts = parts;
    for (size_t i = 0; i < parts; i++) {
        scene->parts[i] = &scene->part[i];
        scene->part[i].device = &scene->device[i];
        scene->device[i].backend = &sleepers;
        snprintf(scene->device[i].properties.selector, sizeof scene->device[i].properties.selector, "sleeper:%zu", i);
        scene->nanoseconds[i] = nanoseconds;
    }
    return scene;
}

/* Part number `part` fails so, from its piece number `at` on. */
static void fail_part(struct scene *scene, size_t part, size_t at, uh_status status) {
    scene->fails_at[part] = at;
    scene->fails_with[part] = status;
}

/* A part's first piece of a call waits for those of the others, a minute at most; whether they have come. */
static int meet(struct scene *scene, size_t part) {
    const uint64_t end = uhi_host_now() + UINT64_C(60000000000);
    if (!scene->meet || scene->has_met[part])
        return 1;
    scene->has_met[part] = 1;
    atomic_fetch_add(&scene->met, 1);
    while (atomic_load(&scene->met) < scene->meet && uhi_host_now() < end)
        (void)nanosleep(&(struct timespec){0, 100000}, NULL);
    return atomic_load(&scene->met) >= scene->meet;
}

static uh_status do_piece(void *context, size_t part, size_t from, size_t n) {
    struct scene *scene = context;
    if (!meet(scene, part))
        return uhi_fail(UH_ERROR_TIMEOUT, "uh_call", NULL, "part %zu has waited for the others", part);
    const double nanoseconds = scene->nanoseconds[part] * (double)n;
    const struct timespec time = {(time_t)(nanoseconds * 1e-9), (long)nanoseconds % 1000000000};
    if (nanoseconds > 0)
        (void)nanosleep(&time, NULL);
    if (scene->fails_at[part] && ++scene->pieces[part] >= scene->fails_at[part])
        return uhi_fail(scene->fails_with[part], "uh_call", NULL, "part %zu fails", part);
    if (scene->refused >= from && scene->refused - from < n)
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, "uh_call", "x", scene->refused, "is bad");
    for (size_t i = from; i < from + n; i++)
        scene->done[i]++;
    scene->elements[part] += n;
    return UH_SUCCESS;
}

static int tell(void *context, size_t done) {
    struct scene *scene = context;
    assert_true(done > scene->reported && done < N);
    scene->reported = done;
    return scene->stops_at && done >= scene->stops_at;
}

/* Shares out n elements, with reports of progress if they are all. */
static uh_status share_some(struct scene *scene, size_t n, struct uhi_speeds *speeds) {
    struct uhi_speeds none = {{0}};
    const struct uhi_share all = {.call = "uh_call",
                                  .queue = &scene->whole,
                                  .n = n,
                                  .min_piece = MIN_PIECE,
                                  .piece = do_piece,
                                  .progress = n == N ? tell : NULL,
                                  .context = scene};
    scene->reported = 0;
    scene->met = 0;
    memset(scene->has_met, 0, sizeof scene->has_met);
    return uhi_share_out(&all, speeds ? speeds : &none);
}

static uh_status share(struct scene *scene, struct uhi_speeds *speeds) { return share_some(scene, N, speeds); }

static void assert_all_done(const struct scene *scene, unsigned times) {
    for (size_t i = 0; i < N; i++)
        assert_int_equal(scene->done[i], times);
}

/* How the work is divided follows the clock, and a thread that wakes late, as other programs run, looks like a slow
 * part: such a test is right if it is so at one of many tries. */
static void assert_once(int (*is_so)(size_t), size_t argument) {
    enum { TRIES = 40 };
    for (int i = 0; i < TRIES; i++)
        if (is_so(argument))
            return;
    fail_msg("at none of %d tries", TRIES);
}

static int are_equal_shares(size_t parts) {
    struct scene *scene = set(parts, 2000); /* 200 ms alone */
    int are = 1;
    test_good(share(scene, NULL));
    assert_all_done(scene, 1);
    for (size_t i = 0; i < parts; i++) {
        assert_int_equal(scene->part[i].shared.elements, scene->elements[i]);
        are &= scene->elements[i] > N / parts / 4 && scene->elements[i] < 3 * N / parts;
    }
    return are;
}

UNIT_TEST(two_four_and_eight_equal_parts_do_all_elements_once_in_equal_shares) {
    for (size_t parts = 2; parts <= MAX_PARTS; parts *= 2)
        assert_once(are_equal_shares, parts);
}

static int do_faster_parts_more(size_t parts) {
    struct scene *scene = set(parts, 400);
    struct uhi_speeds speeds = {{0}};
    scene->nanoseconds[0] = 3200; /* an eighth as fast */
    const uint64_t begin = uhi_host_now();
    test_good(share(scene, &speeds));
    const double seconds = (double)(uhi_host_now() - begin) * 1e-9, ideal = N / (3 / 400e-9 + 1 / 3200e-9);
    assert_all_done(scene, 1);
    assert_true(seconds > ideal); /* and not much more, where nothing else runs: see perf/figures.py runtime */
    int do_more = scene->elements[0] < N / 10;
    for (size_t i = 1; i < parts; i++)
        do_more &= scene->elements[i] > N / 5 && speeds.of[i] > 2 * speeds.of[0];
    return do_more;
}

UNIT_TEST(faster_parts_do_more_and_all_end_together) { assert_once(do_faster_parts_more, 4); }

UNIT_TEST(what_parts_that_fail_give_back_is_done_by_the_others) {
    static const uh_status codes[] = {UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER, UH_ERROR_OUT_OF_DEVICE_MEMORY,
                                      UH_ERROR_UNSUPPORTED, UH_ERROR_BUILD,  UH_ERROR_OUT_OF_MEMORY};
    for (size_t at = 1; at <= 3; at++)
        for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
            struct scene *scene = set(4, 20);
            for (size_t i = 0; i < 4; i++)
                if (i != c % 4)
                    fail_part(scene, i, at, codes[c]);
            test_good(share(scene, NULL));
            assert_all_done(scene, 1);
            for (size_t i = 0; i < 4; i++) {
                const struct uhi_shared *shared = &scene->part[i].shared;
                assert_true(shared->failures <= 1 && shared->pieces + 1 >= shared->failures);
                assert_int_equal(shared->elements, scene->elements[i]);
                assert_true(i != c % 4 || shared->failures == 0);
            }
        }
}

/* Part 2 has nothing to do until both others have failed: part 0 last, after a piece that part 1 has done. */
UNIT_TEST(a_part_waits_until_no_other_can_give_back_its_work) {
    struct scene *scene = set(3, 0);
    scene->meet = 3;
    scene->nanoseconds[0] = 4e6;
    scene->nanoseconds[1] = 1e6;
    for (size_t i = 0; i < 2; i++)
        fail_part(scene, i, 1 + i, UH_ERROR_DRIVER);
    test_good(share_some(scene, 3 * MIN_PIECE, NULL));
    assert_int_equal(scene->elements[1], MIN_PIECE);
    assert_int_equal(scene->elements[2], 2 * MIN_PIECE);
}

UNIT_TEST(an_error_that_is_not_the_parts_ends_the_call_though_others_could_do_its_work) {
    static const uh_status codes[] = {UH_ERROR_INVALID_ARGUMENT, UH_ERROR_OVERFLOW, UH_ERROR_CANCELLED};
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++) {
        struct scene *scene = set(4, 20);
        fail_part(scene, c, 1, codes[c]);
        scene->meet = 4;
        assert_int_equal(share(scene, NULL), codes[c]);
    }
}

/* Calls twice, a part failing with `status` at its first piece of the first; how many pieces the second gives it. */
static size_t pieces_after(uh_status status, size_t parts_after) {
    struct scene *scene = set(2, 20);
    fail_part(scene, 0, 1, status);
    scene->meet = 2;
    test_good(share(scene, NULL));
    assert_int_equal(scene->pieces[0], 1);
    scene->fails_at[0] = N;
    scene->meet = parts_after;
    test_good(share(scene, NULL));
    assert_all_done(scene, 2);
    return scene->pieces[0] - 1;
}

UNIT_TEST(a_lost_part_is_given_nothing_in_later_calls_and_one_that_failed_is_tried_again) {
    assert_true(pieces_after(UH_ERROR_DRIVER, 2) > 0);
    assert_int_equal(pieces_after(UH_ERROR_DEVICE_LOST, 1), 0);
}

UNIT_TEST(the_call_fails_where_all_parts_have_failed) {
    struct scene *scene = set(3, 20);
    for (size_t i = 0; i < 3; i++)
        fail_part(scene, i, 1 + i / 2, UH_ERROR_DRIVER);
    test_assert_failed(share(scene, NULL), UH_ERROR_DRIVER, "uh_call: part ");
    for (size_t i = 0; i < N; i++)
        assert_true(scene->done[i] <= 1);
}

UNIT_TEST(a_bad_argument_fails_the_call_whoever_finds_it) {
    struct scene *scene = set(4, 20);
    scene->refused = N - 1;
    assert_int_equal(share(scene, NULL), UH_ERROR_INVALID_ARGUMENT);
    assert_string_equal(uh_last_error(), "uh_call: x[99999] is bad");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(scene->part[i].shared.failures, 0);
}

static int does_progress_end_it(size_t at) {
    struct scene *scene = set(2, 1000);
    scene->stops_at = at;
    test_good(share(scene, NULL));
    return scene->reported >= at && scene->elements[0] + scene->elements[1] < N;
}

UNIT_TEST(progress_ends_the_work) { assert_once(does_progress_end_it, N / 4); }

UNIT_TEST(few_elements_are_for_one_part_and_the_next_where_it_fails) {
    struct scene *scene = set(3, 0);
    const size_t few = 3 * MIN_PIECE / 2;
    test_good(share_some(scene, few, NULL));
    assert_int_equal(scene->elements[0], few);
    for (size_t i = 0; i < 2; i++)
        fail_part(scene, i, 1, UH_ERROR_DRIVER);
    test_good(share_some(scene, few, NULL));
    assert_int_equal(scene->elements[2], few);
    fail_part(scene, 2, 1, UH_ERROR_OUT_OF_MEMORY);
    assert_int_equal(share_some(scene, few, NULL), UH_ERROR_DRIVER); /* the first failure */
    assert_string_equal(uh_last_error(), "uh_call: part 0 fails");
}

static const double worst = 10; /* nanoseconds of an element by the model */

UNIT_TEST(a_launch_of_work_that_is_not_known_goes_by_the_model) {
    struct uhi_paces paces = {.count = 0};
    assert_int_equal(uhi_pace_max(uhi_pace_of(&paces, NULL), worst), 5000000);
    assert_int_equal(uhi_pace_max(uhi_pace_of(&paces, NULL), 1e12), 1);
}

UNIT_TEST(a_launch_takes_50_ms_by_what_was_measured_and_a_second_by_the_model) {
    struct uhi_paces paces = {.count = 0};
    struct uhi_pace *pace = uhi_pace_of(&paces, NULL);
    uhi_pace_note(pace, 1000000, 2000000);
    assert_int_equal(uhi_pace_max(pace, worst), 25000000);
    uhi_pace_note(pace, 1000000, 50000000);
    assert_int_equal(uhi_pace_max(pace, worst), 1000000);
    for (int i = 0; i < 20; i++)
        uhi_pace_note(pace, 1 << 30, 1000000);
    assert_int_equal(uhi_pace_max(pace, worst), 100000000);
}

UNIT_TEST(a_launch_that_was_fast_once_lets_the_next_grow_four_times_alone) {
    struct uhi_paces paces = {.count = 0};
    struct uhi_pace *pace = uhi_pace_of(&paces, NULL);
    uhi_pace_note(pace, 1000000, 50000000);
    uhi_pace_note(pace, 1000000, 200000);
    assert_int_equal(uhi_pace_max(pace, worst), 4000000);
}

UNIT_TEST(few_elements_in_a_short_time_tell_nothing) {
    struct uhi_paces paces = {.count = 0};
    struct uhi_pace *pace = uhi_pace_of(&paces, NULL);
    uhi_pace_note(pace, 1000000, 50000000);
    uhi_pace_note(pace, 0, 1000000000);
    uhi_pace_note(pace, 65535, 99999);
    assert_int_equal(uhi_pace_max(pace, worst), 1000000);
    uhi_pace_note(pace, 65535, 655350000);
    assert_int_equal(uhi_pace_max(pace, worst), 5000);
}

UNIT_TEST(each_work_has_its_own_pace_and_one_too_many_begins_anew) {
    struct uhi_paces paces = {.count = 0};
    static char works[UHI_PACES + 1];
    for (size_t w = 0; w < UHI_PACES; w++)
        uhi_pace_note(uhi_pace_of(&paces, &works[w]), 1000000, 1000000 * (w + 1));
    for (size_t w = 0; w < UHI_PACES; w++)
        assert_int_equal(uhi_pace_max(uhi_pace_of(&paces, &works[w]), worst), 50000000 / (w + 1));
    assert_int_equal(uhi_pace_max(uhi_pace_of(&paces, &works[UHI_PACES]), worst), 5000000);
    assert_int_equal(uhi_pace_max(uhi_pace_of(&paces, &works[0]), worst), 50000000);
}
