/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel at work on few points, which is what an interpreter has time for: on the rungs of Oclgrind, each of
 * which counts in another way. "test_described_kernels OPERATION" tries that one, without an argument all. With another
 * argument, of its cases those alone whose name has that text or, where it is a number, every n-th of them. Where
 * there is no device, skipped. */
#include "tests/tested.h"

#include "kernels/common/pace.h"
#include "tests/described.h"

static const char *chosen = ""; /* the second argument */

static int is_chosen(const struct tried *tried, size_t turn) {
    const size_t step = strtoul(chosen, NULL, 10);
    return tried->few && (step ? turn % step == test_turn() % step : strstr(tried->name, chosen) != NULL);
}

/* A launch takes all of a case that lies on the device, so that its loops pass as often as they can; of others a third,
 * so that pieces follow one another. It is never the clock that decides. */
static void try_case(const struct description *description, size_t number, size_t n, enum place place, size_t turn) {
    static const size_t shifts[] = {0, 1, 2, 4, 12};
    uhi_pace_fix(place == PLACE_PLAIN ? n / 3 + 1 : UINT64_MAX);
    char problem[1024];
    struct use use = {
        .device = tested.device, .queue = tested.queue, .place = place, .shift = shifts[turn % 5], .computes = 1};
    if (use_try(&use, description, number, n, number, tested.properties.fp64 != 0, problem, sizeof problem))
        fail_msg("%s", problem);
}

/* In memory of the device, at an odd address now and then; some in plain memory too. */
static void every_case_of_few_points_is_right(void **state) {
    const struct description *description = *state;
    struct tried tried;
    size_t turn = 0, tries = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++) {
        const int is_tried = is_chosen(&tried, turn);
        turn += tried.few > 0;
        if (!is_tried)
            continue;
        tries++;
        try_case(description, i, tried.few, PLACE_DEVICE, turn - 1);
        if (tried.in_faults)
            try_case(description, i, tried.few, PLACE_PLAIN, turn);
    }
    assert_true(tries > 0);
}

TEST_MAIN(test_described_kernels) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_case_of_few_points_is_right)};
    setenv("UNIHIST_TEST_DEVICE", "level_zero", 0);
    chosen = argc > 2 ? argv[2] : "";
    const int why = tested_begin();
    return why ? why : tested_end(described_run(tests, 1, described_operation(argc, argv)));
}
