/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation that a use of an operation makes fails once: the call says so or does without, outputs stay as they
 * were, nothing leaks, and the next use works. "test_described_out_of_memory OPERATION" tries that one,
 * without an argument all. Linked with --wrap, so that the library's calls of malloc and its kin come to
 * failing_malloc.c. */
#include "tests/described.h"
#include "tests/failing_malloc.h"
#include "tests/tested.h"

/* A case, and what its uses come to. */
struct failing_case {
    const struct description *description;
    const char *name;
    void *made;
};

static uh_status use_case(void *context) {
    const struct failing_case *c = context;
    struct use use = {.device = tested.device, .queue = tested.queue, .computes = 1, .faulty = 1};
    use_run(&use, c->description, c->made);
    /* Its later calls may have other failures, which their callers expect. */
    if (use.outcome.wrong[0] || (use.outcome.status && !strstr(use.outcome.message, "memory")))
        fail_msg("%s: %s: %s: \"%s\" %s", c->description->name, c->name, use.outcome.call, use.outcome.message,
                 use.outcome.wrong);
    return use.outcome.status;
}

static void every_failed_allocation_is_an_error_or_makes_no_difference(void **state) {
    const struct description *description = *state;
    const size_t step = test_is_coarse() || getenv("UNIHIST_INSTRUMENTED") ? 7 : 1;
    struct tried tried;
    size_t cases = 0, missed = 0, turn = 0, allocations = 0;
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++) {
        if ((!tried.few || turn++ % step != test_first_of(step)) && !tried.in_faults)
            continue;
        struct failing_case c = {description, tried.name,
                                 description->make(i, tried.in_faults ? tried.in_faults : tried.few, i)};
        assert_non_null(c.made);
        missed += fail_each(&(struct failing_use){use_case, NULL, &c, "", 1});
        allocations += seen;
        description->free(c.made);
        cases++;
    }
    printf("%s: %zu cases, %zu allocations, %zu of them missed\n", description->name, cases, allocations, missed);
    assert_true(cases > 0 && (missed > 0 || allocations == 0));
}

TEST_MAIN(test_described_out_of_memory) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_failed_allocation_is_an_error_or_makes_no_difference)};
    const int why = tested_begin();
    return why ? why : tested_end(described_run(tests, 1, described_operation(argc, argv)));
}
