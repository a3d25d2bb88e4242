/* SPDX-License-Identifier: Apache-2.0 */
/* Every case of every description against its oracle: any number of points, in each kind of memory and in several, at
 * odd addresses, imported by the driver or not, after work that is not done yet, with 1 to 8 threads, by turns
 * that are the same each time. "test_described_exact OPERATION" tries that one, without an argument all. With another
 * argument, a number, one case in about that number, selected by the turn and by the settings of the soft driver:
 * devices that differ in little have each its share of the cases. A coarse run tries about an eighth of them on a
 * device. UNIHIST_TEST_DEVICE is the device, the host by default.
 */
#include "tests/tested.h"

#include "kernels/common/engine.h"
#include "tests/described.h"

#define MAX_THREADS ((size_t)8)

/* Lengths around vectors of 4 to 16 elements and blocks of 2048. */
static const size_t lengths[] = {0,  1,  2,  3,  4,  5,   7,   8,   9,    13,   15,   16,   17,
                                 31, 33, 61, 67, 97, 127, 131, 255, 1023, 2039, 2048, 2053, 4097};
enum { LENGTHS = sizeof lengths / sizeof *lengths };
static const size_t shifts[] = {0, 0, 1, 2, 4, 8, 12};
enum { SHIFTS = sizeof shifts / sizeof *shifts };

static uh_queue *queues[MAX_THREADS];
static uint64_t one_in = 1; /* the second argument */

static int is_chosen(size_t number) {
    const char *settings = getenv("SOFT_GPU");
    uint64_t seed = number + (test_turn() << 32);
    for (; settings && *settings; settings++)
        seed = 31 * seed + (unsigned char)*settings;
    return test_random_u64(&seed) % one_in == 0;
}

static int try_case(struct use use, const struct description *description, size_t number, size_t n, uint64_t seed) {
    char problem[1024];
    const size_t thread = tested.on_host ? (size_t)(seed % MAX_THREADS) : 0;
    use.device = tested.device;
    use.queue = queues[thread];
    use.computes = 1;
    use.small = tested.properties.memory <= (uint64_t)64 << 20;
    if (use_try(&use, description, number, n, seed, tested.properties.fp64 != 0, problem, sizeof problem))
        fail_msg("%zu threads: %s", thread + 1, problem);
    return use.outcome.status == UH_SUCCESS;
}

/* A turn: in which memory, by how many threads, is random. */
static int take_turn(const struct description *description, size_t number, size_t n, uint64_t *seed) {
    const uint64_t random = test_random_u64(seed);
    const struct use use = {.place = (enum place)(random >> 8 & 3),
                            .step = random >> 10 & 3,
                            .shift = shifts[(random >> 16) % SHIFTS],
                            .eager = (int)(random >> 12 & 1)};
    uhi_import_min = random >> 13 & 1 ? 1 : SIZE_MAX;
    return try_case(use, description, number, n, random);
}

static void every_result_is_the_oracles(void **state) {
    const struct description *description = *state;
    /* Sanitizers see what is done with memory and by threads, for any number of points. */
    const int fully = tested.on_host && !getenv("UNIHIST_INSTRUMENTED");
    const size_t turns = fully && !test_is_coarse() ? 6 : 1;
    uint64_t seed = 1;
    struct tried tried;
    int tries = 0, worked = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++) {
        if (!tried.exact || !is_chosen(i))
            continue;
        tries += tried.fp64 && !tested.properties.fp64 ? 0 : (int)turns + 1;
        worked += take_turn(description, i, fully ? tried.exact : tried.exact / 4, &seed);
        for (size_t t = 0; t < turns; t++)
            worked += take_turn(description, i, lengths[test_random_u64(&seed) % LENGTHS], &seed);
    }
    assert_true(tries == 0 || worked > tries / 2); /* but for what the device lacks */
}

static void every_length_is_right(void **state) {
    const struct description *description = *state;
    const size_t step = tested.on_host ? 1 : 13;
    uint64_t seed = 2;
    struct tried tried;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++)
        if (tried.exact) {
            for (size_t n = 0; n < 200; n += step)
                (void)take_turn(description, i, n, &seed);
            return;
        }
}

static void more_than_all_buffers_hold_comes_in_pieces(void **state) {
    const struct description *description = *state;
    struct tried tried;
    if (tested.on_host || getenv("UNIHIST_INSTRUMENTED"))
        skip_because("the host has no buffers, and an instrumented build takes minutes");
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++)
        if (tried.pieces)
            (void)try_case((struct use){.place = PLACE_PLAIN}, description, i, tried.pieces, i);
}

static int make_queues(void) {
    for (uint32_t t = 0; t < (tested.on_host ? MAX_THREADS : 1); t++)
        if (uh_queue_create(tested.device, QUEUE_OPTIONS(.threads = t + 1), &queues[t]))
            return -1;
    return 0;
}

TEST_MAIN(test_described_exact) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_is_the_oracles),
        cmocka_unit_test(every_length_is_right),
        cmocka_unit_test(more_than_all_buffers_hold_comes_in_pieces),
    };
    const int why = tested_begin();
    if (test_is_coarse() && !tested.on_host) /* most of the time goes into compiling kernels */
        one_in = 8;
    if (argc > 2)
        one_in = strtoull(argv[2], NULL, 10);
    if (why || make_queues())
        return why ? why : 1;
    int failed = described_run(tests, sizeof tests / sizeof *tests, described_operation(argc, argv));
    for (size_t t = 0; t < MAX_THREADS; t++)
        uh_queue_destroy(queues[t]);
    return tested_end(failed);
}
