/* SPDX-License-Identifier: Apache-2.0 */
/* Failing driver calls (fault_run.h) in whole uses of each operation that its description has for them: every use
 * makes a queue, runs a case in plain memory and the next one in another place, and destroys the queue. There are as
 * many uses as a use has calls, so it has no more than this: what fails, and something else to go on with.
 *
 * "test_described_faults OPERATION" tries that one, without an argument all. Each of three codes fails every third
 * call, in a coarse or an instrumented run every 29th; UNIHIST_TEST_LOSE=N loses the device at call N. The device is
 * $UNIHIST_TEST_DEVICE, level_zero by default; several that are one share the work, of whose many calls fewer fail, and
 * the others do what one that fails has not done: a fourth code is that one is lost. */
#include "kernels/common/engine.h"
#include "tests/described.h"
#include "tests/fault_run.h"

/* The cases of an operation that are tried, made once, and those that a use runs in plain memory. */
enum { CASES = 16, MAX_PARTS = 32 };
struct faulted {
    const struct description *description;
    size_t n, begin, end;
    void *made[CASES];
};

static uh_device *device;
static size_t parts; /* of it, 0 where it is one */

static void make_cases(const struct description *description, struct faulted *to) {
    struct tried tried;
    *to = (struct faulted){.description = description};
    for (size_t i = 0; described_case(description, i, &tried) == 0; i++)
        if (tried.in_faults) {
            assert_true(to->n < CASES);
            to->made[to->n] = description->make(i, tried.in_faults, i);
            assert_non_null(to->made[to->n++]);
        }
    assert_true(to->n > 0);
    to->end = to->n;
}

static void free_cases(struct faulted *cases) {
    for (size_t i = 0; i < cases->n; i++)
        cases->description->free(cases->made[i]);
}

/* After a failed call the use goes on with another case, so that the queue is used after failures too. */
static struct outcome use_on(uh_device *where, const struct faulted *cases) {
    struct use use = {.device = where, .computes = 1, .faulty = 1};
    if (use_call(&use, "uh_queue_create", uh_queue_create(where, NULL, &use.queue)))
        for (size_t i = cases->begin; i < cases->end; i++) {
            const size_t other = (i + 1) % cases->n;
            use.place = PLACE_PLAIN;
            use_run(&use, cases->description, cases->made[i]);
            use.place = (enum place)(1 + other % (PLACES - 1));
            use_run(&use, cases->description, cases->made[other]);
        }
    uh_queue_destroy(use.queue);
    return use.outcome;
}

static void use_device(const void *context, struct outcome *outcome) { *outcome = use_on(device, context); }

static int use_host(const void *context) {
    uh_device *host;
    if (uh_device_select("host", &host))
        return 0;
    const struct outcome outcome = use_on(host, context);
    return outcome.status == UH_SUCCESS && !outcome.wrong[0];
}

/* Whether the host is one of the devices. */
static int has_host(void) {
    uh_device *of[MAX_PARTS], *host = NULL;
    size_t count = 0;
    if (uh_device_select("host", &host) || uh_device_parts(device, of, MAX_PARTS, &count))
        return 0;
    while (count > 0 && of[count - 1] != host)
        count--;
    return count > 0;
}

static struct fault_run make_run(const struct faulted *cases) {
    const int coarse = test_is_coarse() || getenv("UNIHIST_INSTRUMENTED");
    const size_t step = parts ? (coarse ? 101 : 37) : coarse ? 29 : 3;
    return (struct fault_run){.use = use_device,
                              .host_goes_on = use_host,
                              .context = cases,
                              .several = parts > 0,
                              .lives_on = has_host(),
                              .step = step,
                              .next = 7};
}

static void every_call_fails_once_and_the_next_use_works(void **state) {
    struct faulted cases;
    struct fault_report report;
    make_cases(*state, &cases);
    for (cases.begin = 0; cases.begin < cases.n; cases.begin++) {
        cases.end = cases.begin + 1;
        uhi_import_min = cases.begin % 2 ? SIZE_MAX : 1;
        const struct fault_run run = make_run(&cases);
        if (fault_every_call(&run, &report))
            fail_msg("%s: %s", cases.description->name, report.problem);
        printf("%s: %zu calls, %zu uses with a fault, %zu of them noticed\n", cases.description->name, report.calls,
               report.uses, report.noticed);
    }
    free_cases(&cases);
}

static void a_lost_device_is_reported_and_everything_is_freed(void **state) {
    struct faulted cases;
    struct fault_report report;
    make_cases(*state, &cases);
    const struct fault_run run = make_run(&cases);
    const size_t uses = parts ? 8 : run.step > 3 ? 4 : 20;
    if (fault_losses(&run, cases.description->name, uses, &report))
        fail_msg("%s: %s", cases.description->name, report.problem);
    printf("%s: %zu uses in which the device was lost\n", cases.description->name, report.uses);
    free_cases(&cases);
}

static int lose(const struct description *description, const char *call) {
    struct faulted cases;
    make_cases(description, &cases);
    const struct fault_run run = make_run(&cases);
    const int code = fault_lose(&run, strtoull(call, NULL, 10));
    free_cases(&cases);
    return code;
}

TEST_MAIN(test_described_faults) {
    uhi_import_min = 1; /* the driver imports every array */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_once_and_the_next_use_works),
        cmocka_unit_test(a_lost_device_is_reported_and_everything_is_freed),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (fault_find() || uh_device_select(selector ? selector : "level_zero", &device) ||
        uh_device_parts(device, NULL, 0, &parts))
        return 77;
    const char *call = getenv("UNIHIST_TEST_LOSE");
    if (call)
        return lose(described_operation(argc, argv), call);
    return described_run(tests, sizeof tests / sizeof *tests, described_operation(argc, argv));
}
