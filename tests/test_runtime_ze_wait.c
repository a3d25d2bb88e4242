/* SPDX-License-Identifier: Apache-2.0 */
/* Work that does not end, on the soft driver: who waits for it gives the device up, where that is asked
 * for, and nothing of it is destroyed. Each in a child, which ends without the driver. */
#include "tests/fixture.h"

#include "module_kernels.cl.h"

enum { VALUES = 64 };

static int asks_for_the_end(void *user) { return *(const int *)user; }

static uh_status wait_for_queue(uh_queue *queue, uh_event *event) { return uh_queue_wait(queue); }

static uh_status wait_for_event(uh_queue *queue, uh_event *event) { return uh_event_wait(event, UINT64_MAX); }

static uh_status wait_shortly(uh_queue *queue, uh_event *event) {
    const uh_status status = uh_event_wait(event, 1000000);
    return status == UH_ERROR_TIMEOUT && strstr(uh_last_error(), "1000000 nanoseconds") ? uh_queue_wait(queue) : status;
}

static const struct way {
    const char *limit; /* in the child's environment */
    uh_status (*wait)(uh_queue *queue, uh_event *event);
    int end; /* whether the program asks for it */
    uh_status expected;
    const char *says;
} ways[] = {
    {"UNIHIST_WAIT_LIMIT=1", wait_for_queue, 0, UH_ERROR_TIMEOUT, "the limit of UNIHIST_WAIT_LIMIT"},
    {"UNIHIST_WAIT_LIMIT=1", wait_for_event, 0, UH_ERROR_TIMEOUT, "the limit of UNIHIST_WAIT_LIMIT"},
    {"UNIHIST_WAIT_LIMIT=1", wait_shortly, 0, UH_ERROR_TIMEOUT, "the limit of UNIHIST_WAIT_LIMIT"},
    {"UNIHIST_WAIT_LIMIT", wait_for_queue, 1, UH_ERROR_CANCELLED, "options->cancelled has requested it"},
};

/* Launches what does not end, waits for it so, and destroys all, as a child. */
static void give_up(const struct way *way) {
    int end = way->end;
    const uint32_t one = 1;
    const struct soft_gpu gpu = test_soft_gpu();
    uh_device *device = test_ze_device();
    uh_queue *queue = test_queue_of(device, QUEUE_OPTIONS(.cancelled = asks_for_the_end, .cancelled_user = &end));
    uh_event *event = NULL;
    uh_module *module = test_module(device, &uh_program_module_kernels, NULL);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_SHARED, VALUES * sizeof one);
    void *more = NULL;
    alarm(60); /* should it wait forever */
    test_good(uh_parallel_for(queue, test_kernel_of(module, "add"), RANGE_OF(VALUES, 16),
                              ARGS(uh_arg_pointer(out), VALUE(one)), SIGNAL(&event)));
    test_assert_failed(way->wait(queue, event), way->expected, way->says, ": the device is given up");
    const uint64_t before = gpu.calls(NULL);
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DEVICE_LOST, "was given up");
    test_assert_failed(uh_malloc(device, UH_MEMORY_HOST, 8, 0, &more), UH_ERROR_DEVICE_LOST, "was given up");
    uh_event_destroy(event);
    uh_module_destroy(module);
    test_good(uh_free(out));
    uh_queue_destroy(queue);
    assert_int_equal(gpu.calls(NULL), before);
    fflush(stdout);
    _exit(0);
}

UNIT_TEST(a_wait_ends_at_its_limit_or_where_the_program_asks_for_it_and_gives_the_device_up) {
    const char *set = getenv("SOFT_GPU");
    char hangs[256], way[8];
    snprintf(hangs, sizeof hangs, "SOFT_GPU=%s%shang=1", set ? set : "", set && *set ? "," : "");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        snprintf(way, sizeof way, "%zu", i);
        test_expect_child(way, TEST_ENVIRONMENT(hangs, "SOFT_GPU_LEAKS", "UNIHIST_CACHE=off", ways[i].limit), 0, "",
                          "");
    }
}

TEST_MAIN(test_runtime_ze_wait) {
    if (argc == 2)
        give_up(&ways[strtoul(argv[1], NULL, 10)]);
    return test_ze_device() ? test_run_units(NULL, NULL) : test_ze_skip();
}
