/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation that the library itself makes for modules and launches on a Level Zero device fails once. Linked with
 * --wrap, so that its calls of malloc and its kin come here, and the driver's do not. */
#include "runtime/module.h"
#include "tests/failing_malloc.h"
#include "tests/module_cache_fixture.h"

#include "module_kernels.cl.h"

/* Makes a module with constants and one that is shared, and a kernel of each; undoes it all. A constant's new value
 * makes a module that the cache does not have. */
static uh_status make_modules(void *context) {
    static int32_t value;
    const uh_constant constant = {4, 4, &value};
    const uh_module_options *options = MODULE_OPTIONS(.constants = &constant, .nconstants = 1);
    uh_module *own = NULL, *shared = NULL;
    uh_kernel *kernel = NULL;
    value++;
    uh_status status = uh_module_create(test_ze_device(), &uh_program_module_kernels, options, &own);
    if (status == UH_SUCCESS)
        status = uhi_module_acquire(test_ze_device(), &uh_program_module_kernels, 1, &shared);
    if (status == UH_SUCCESS)
        status = uh_kernel_get(own, "add", &kernel);
    if (status == UH_SUCCESS)
        status = uh_kernel_get(shared, "take", &kernel);
    uhi_module_release(shared);
    uh_module_destroy(own);
    return status;
}

static void clear_cache(void *context) { files_clear(); }

/* A combined device, which stays once it is made, and a queue of it. */
static uh_status make_several(void *context) {
    uh_device *several = NULL;
    uh_queue *queue = NULL;
    uh_status status = uh_device_select("host,level_zero:0", &several);
    if (status == UH_SUCCESS)
        status = uh_queue_create(several, NULL, &queue);
    assert_int_equal(queue == NULL, status != UH_SUCCESS);
    uh_queue_destroy(queue);
    return status;
}

/* A module that the cache cannot have is no failure, so that not every failed allocation is one. */
UNIT_TEST(modules_and_combined_devices_are_made_whole_or_not_at_all) {
    files_clear();
    assert_in_range(fail_each(&(struct failing_use){make_modules, clear_cache, NULL, "out of memory", 1}), 20, 1999);
    /* The device, its queue, their queues in a list, two queues and more. */
    assert_in_range(fail_each(&(struct failing_use){make_several, NULL, NULL, "out of memory", 1}), 5, 1999);
}

UNIT_TEST(a_launch_without_an_event_allocates_nothing) {
    enum { TIMES = 200 };
    const uint32_t one = 1;
    const uh_nd_range ranges[] = {{1, {256}, {64}, {0}}, {1, {256}, {0}, {0}}, {1, {128}, {64}, {128}}};
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    uint32_t *out = test_ze_alloc(test_ze_device(), UH_MEMORY_HOST, 256 * sizeof *out);
    uh_kernel *kernel = test_kernel_of(test_module(test_ze_device(), &uh_program_module_kernels, NULL), "add");
    memset(out, 0, 256 * sizeof *out);
    for (int i = 0; i < 2 * TIMES; i++) {
        if (i == TIMES) {
            fails_at = SIZE_MAX;
            seen = 0;
        }
        uh_status status = uh_parallel_for(queue, kernel, &ranges[i % 3], ARGS(uh_arg_pointer(out), VALUE(one)), NULL);
        if (status != UH_SUCCESS)
            fails_at = 0;
        test_good(status);
    }
    fails_at = 0;
    assert_int_equal(seen, 0);
    test_good(uh_queue_wait(queue));
    if (test_ze_computes()) {
        assert_int_equal(out[0], 2 * TIMES - 2 * TIMES / 3);
        assert_int_equal(out[255], 2 * TIMES);
    }
}

TEST_ZE_MAIN(test_runtime_ze_out_of_memory, make_cache_folder, files_teardown)
