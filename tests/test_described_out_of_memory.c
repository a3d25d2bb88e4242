/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation that a use of an operation makes fails once: the call says so or does without, outputs stay as they
 * were, nothing is left behind, and the next use works. "test_described_out_of_memory OPERATION" tries that one,
 * without an argument all. Linked with --wrap, so that the library's calls of malloc and its kin come to
 * failing_malloc.c. */
#include "tests/described.h"
#include "tests/failing_malloc.h"

enum { MAX_ALLOCATIONS = 2000 };

static uh_device *device;
static uh_queue *queue;

static struct outcome use_failing(const struct description *description, const void *made, size_t at) {
    struct use use = {.device = device, .queue = queue, .computes = 1, .faulty = at != 0};
    seen = 0;
    fails_at = at;
    use_run(&use, description, made);
    fails_at = 0;
    return use.outcome;
}

/* Returns how many of a case's allocations were missed. */
static size_t fail_each(const struct description *description, const struct tried *tried, const void *made) {
    size_t missed = 0;
    for (size_t at = 1; at < MAX_ALLOCATIONS; at++) {
        const struct outcome outcome = use_failing(description, made, at);
        if (seen < at)
            return missed;
        missed += outcome.status != UH_SUCCESS;
        if (outcome.wrong[0] || (outcome.status != UH_SUCCESS &&
                                 (outcome.status != UH_ERROR_OUT_OF_MEMORY || !strstr(outcome.message, "memory"))))
            fail_msg("%s: %s: allocation %zu fails: %s gives %s, \"%s\" %s", description->name, tried->name, at,
                     outcome.call, uh_status_name(outcome.status), outcome.message, outcome.wrong);
    }
    fail_msg("%s: %s makes too many allocations", description->name, tried->name);
    return missed;
}

static void every_failed_allocation_is_an_error_or_makes_no_difference(void **state) {
    const struct description *description = *state;
    const size_t step = test_is_coarse() || getenv("UNIHIST_INSTRUMENTED") ? 7 : 1;
    struct tried tried;
    size_t cases = 0, missed = 0, turn = 0, allocations = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++) {
        if ((!tried.few || turn++ % step != test_first_of(step)) && !tried.in_faults)
            continue;
        void *made = description->make(i, tried.in_faults ? tried.in_faults : tried.few, i);
        assert_non_null(made);
        missed += fail_each(description, &tried, made);
        const struct outcome after = use_failing(description, made, SIZE_MAX);
        allocations += seen;
        if (after.status || after.wrong[0])
            fail_msg("%s: %s: afterwards %s %s", description->name, tried.name, after.message, after.wrong);
        description->free(made);
        cases++;
    }
    printf("%s: %zu cases, %zu allocations, %zu of them missed\n", description->name, cases, allocations, missed);
    assert_true(cases > 0 && (missed > 0 || allocations == 0));
}

TEST_MAIN(test_described_out_of_memory) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_an_error_or_makes_no_difference)};
    const uh_queue_options options = {.struct_size = sizeof options, .threads = 2};
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "host", &device) || uh_queue_create(device, &options, &queue)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    const int failed = described_run(tests, 1, described_operation(argc, argv));
    return uh_queue_destroy(queue) || failed;
}
