/* SPDX-License-Identifier: Apache-2.0 */
/* Single driver calls that fail, on the driver of tests/soft_gpu: outputs stay unchanged, failed work is
 * reported, and so are failures during the listing of devices. */

#include "runtime/ze.h"
#include "tests/fault_run.h"
#include "tests/fixture.h"
#include "tests/module_cache_fixture.h"

#include "module_kernels.cl.h"

enum { SIZE = 5000, ITEMS = 64 };

static struct soft_gpu gpu;
static uh_device *device;

/* Has these calls fail, NULL: none. */
static void fail_at(const char *calls) { assert_int_equal((gpu.fail)(calls), 0); }

/* What failed creations leave in their outputs: test_runtime_ze_faults, which destroys it. */
UNIT_TEST(a_failed_question_leaves_its_answer_as_it_was) {
    uh_queue *queue = test_ze_queue(device, 1);
    uh_event *event = test_event(queue);
    uh_event_times times = {7, 8, 9};
    fail_at("zeEventQueryKernelTimestamp:1=ERROR_UNKNOWN");
    assert_int_equal(uh_event_profile(event, &times), UH_ERROR_DRIVER);
    assert_true(times.submitted == 7 && times.started == 8 && times.ended == 9);
    fail_at(NULL);
}

UNIT_TEST(a_launch_that_failed_leaves_the_kernel_fit_for_the_next) {
    static const char *const faults[] = {
        "zeKernelSetGroupSize:1=ERROR_UNKNOWN", "zeKernelSetGlobalOffsetExp:1=ERROR_UNKNOWN",
        "zeKernelSetArgumentValue:2=ERROR_UNKNOWN", "zeCommandListAppendLaunchKernel:1=ERROR_UNKNOWN"};
    static const uh_nd_range before = {1, {ITEMS}, {16}, {0}}, failing = {1, {ITEMS}, {32}, {ITEMS}};
    uh_queue *queue = test_ze_queue(device, 0);
    uint32_t *out = test_ze_alloc(device, UH_MEMORY_HOST, 2 * ITEMS * sizeof *out);
    uh_event *event = (uh_event *)state;
    const uint32_t one = 1;
    const uh_arg args[] = {uh_arg_pointer(out), VALUE(one)};
    uh_kernel *kernel = test_kernel_of(test_module(device, &uh_program_module_kernels, NULL), "add");
    memset(out, 0, 2 * ITEMS * sizeof *out);
    for (size_t i = 0; i < 4; i++) {
        test_good(uh_parallel_for(queue, kernel, &before, args, 2, NULL));
        fail_at(faults[i]);
        test_assert_failed(uh_parallel_for(queue, kernel, &failing, args, 2, SIGNAL(&event)), UH_ERROR_DRIVER,
                           "uh_parallel_for: ", "ZE_RESULT_ERROR_UNKNOWN");
        fail_at(NULL);
        assert_ptr_equal(event, state);
        test_good(uh_parallel_for(queue, kernel, &failing, args, 2, NULL));
        test_good(uh_parallel_for(queue, kernel, &before, args, 2, NULL));
    }
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < 2 * ITEMS; i++)
        assert_int_equal(out[i], i < ITEMS ? 8 : 4);
}

UNIT_TEST(work_that_fails_is_reported_by_the_wait_and_the_callback_once) {
    struct test_heard heard = {.calls = 0};
    unsigned char *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, SIZE), seen = 0;
    const unsigned char value = 9;
    uh_queue *queue = test_queue_of(device, QUEUE_OPTIONS(.error_callback = test_hear, .error_user = &heard));
    uh_event *events[3] = {NULL, NULL, NULL};
    fail_at("execute:2=ERROR_UNKNOWN");
    for (size_t i = 0; i < 3; i++)
        test_good(uh_fill(queue, memory, &value, 1, SIZE, SIGNAL(&events[i])));
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DRIVER, "uh_queue_wait", "ZE_RESULT_ERROR_UNKNOWN");
    assert_int_equal(heard.calls, 1);
    test_good(uh_queue_wait(queue));
    assert_int_equal(heard.calls, 1);
    /* Each event knows how its own work ended, as often as it is asked. */
    for (int round = 0; round < 2; round++) {
        test_good(uh_event_wait(events[0], UINT64_MAX));
        test_assert_failed(uh_event_wait(events[1], UINT64_MAX), UH_ERROR_DRIVER, "uh_event_wait");
        test_assert_failed(uh_event_wait(events[2], 0), UH_ERROR_DRIVER, "uh_event_wait");
    }
    test_good(uh_queue_wait(queue));
    fail_at(NULL);
    /* A dependency that failed fails the submission; the queue works on without. */
    uh_queue *host = test_queue(1, 0);
    test_assert_failed(uh_memcpy(host, &seen, &value, 1, AFTER(&events[1], 1, NULL)), UH_ERROR_DRIVER, "uh_");
    test_good(uh_fill(queue, memory, &value, 1, SIZE, NULL));
    test_good(uh_memcpy(queue, &seen, memory + 7, 1, NULL));
    test_good(uh_queue_wait(queue));
    assert_int_equal(seen, 9);
    for (size_t i = 0; i < 3; i++)
        uh_event_destroy(events[i]);
}

UNIT_TEST(an_error_that_an_event_has_reported_is_still_the_queues) {
    uh_queue *queue = test_ze_queue(device, 0);
    uh_event *event = NULL;
    unsigned char *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, SIZE);
    fail_at("execute:1=ERROR_UNKNOWN");
    test_good(uh_memcpy(queue, memory, memory + 100, 50, SIGNAL(&event)));
    test_assert_failed(uh_event_wait(event, UINT64_MAX), UH_ERROR_DRIVER, "uh_event_wait");
    fail_at(NULL);
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DRIVER, "uh_queue_wait", "failed earlier");
    test_good(uh_queue_wait(queue));
    uh_event_destroy(event);
}

UNIT_TEST(a_queue_whose_wait_fails_is_not_destroyed_before_its_work_has_ended) {
    uh_queue *queue = test_take(test_ze_queue(device, 0));
    unsigned char *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, 1 << 24);
    for (int i = 0; i < 8; i++)
        test_good(uh_fill(queue, memory, "a", 1, 1 << 24, NULL));
    /* The queue tries four times, and then once more. A list that it could not wait for is asked whether it works. */
    fail_at("zeEventHostSynchronize:1=ERROR_UNKNOWN,zeEventHostSynchronize:2=ERROR_UNKNOWN,"
            "zeEventHostSynchronize:3=ERROR_UNKNOWN,zeEventHostSynchronize:4=ERROR_UNKNOWN,"
            "zeCommandListHostSynchronize:1=ERROR_UNKNOWN,zeCommandListHostSynchronize:3=ERROR_UNKNOWN,"
            "zeCommandListHostSynchronize:5=ERROR_UNKNOWN,zeCommandListHostSynchronize:7=ERROR_UNKNOWN");
    uh_queue_destroy(queue);
    fail_at(NULL);
    assert_int_equal(gpu.misuses(NULL, 0), 0);
}

UNIT_TEST(calls_on_a_lost_device_fail_at_once_and_name_it) {
    struct test_heard heard = {.calls = 0};
    const uh_queue_options *options = QUEUE_OPTIONS(.profiling = 1, .error_callback = test_hear, .error_user = &heard);
    unsigned char *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, SIZE);
    void *pointer = state;
    uh_queue *queues[2] = {test_queue_of(device, options), test_queue_of(device, options)};
    uh_queue *queue = (uh_queue *)state;
    uh_event *event = NULL;
    uh_event_times times;
    const uh_status lost = UH_ERROR_DEVICE_LOST;
    const char *name = "device level_zero:0 (Soft GPU) is lost";
    test_good(uh_fill(queues[1], memory, "a", 1, SIZE, SIGNAL(&event)));
    gpu.lose(0);
    assert_int_equal(uh_queue_wait(queues[1]), lost);
    uint64_t before = gpu.calls(NULL);
    test_assert_failed(uh_queue_wait(queues[1]), lost, "uh_queue_wait", name);
    test_assert_failed(uh_queue_wait(queues[0]), lost, "uh_queue_wait", name);
    test_assert_failed(uh_event_wait(event, UINT64_MAX), lost, "uh_event_wait", name);
    test_assert_failed(uh_event_profile(event, &times), lost, "uh_event_profile", name);
    test_assert_failed(uh_memcpy(queues[0], memory, "b", 1, NULL), lost, "uh_memcpy", name);
    test_assert_failed(uh_memcpy(queues[0], NULL, NULL, 0, NULL), lost, "uh_memcpy", name);
    test_assert_failed(uh_fill(queues[0], memory, "b", 1, 9, NULL), lost, "uh_fill", name);
    test_assert_failed(uh_malloc(device, UH_MEMORY_HOST, 9, 0, &pointer), lost, "uh_malloc", name);
    test_assert_failed(uh_queue_create(device, NULL, &queue), lost, "uh_queue_create", name);
    assert_int_equal(gpu.calls(NULL), before);
    assert_int_equal(heard.calls, 2);
    /* The host goes on. */
    char there[4] = "";
    test_good(uh_memcpy(test_queue(1, 0), there, "yes", 4, NULL));
    uh_event_destroy(event);
    for (int i = 0; i < 2; i++)
        uh_queue_destroy(test_take(queues[i]));
    assert_int_equal(heard.calls, 2);
    gpu.recover();
    atomic_store(&uhi_ze_device(device)->lost, 0);
}

/* Prints the number of devices and why there is no GPU. */
TEST_CHILD(list) {
    size_t count;
    uh_device *found;
    test_good(uh_device_count(&count));
    printf("%zu %s\n", count, uh_device_select("gpu", &found) == UH_SUCCESS ? "a GPU" : uh_last_error());
    return 0;
}

/* Has the loader look for NPUs first, as other libraries do, which finds none. */
TEST_CHILD(after_npus) {
    ze_result_t (*init)(ze_init_flags_t flags);
    ze_result_t (*init_drivers)(uint32_t * count, ze_driver_handle_t * drivers, struct uhi_ze_driver_types * types);
    void *loader = dlopen("libze_loader.so.1", RTLD_NOW), *address = loader ? dlsym(loader, "zeInit") : NULL;
    if (!address || !dlsym(loader, "zeInitDrivers"))
        return 77;
    memcpy(&init, &address, sizeof address);
    if (init(ZE_INIT_FLAG_VPU_ONLY) == ZE_RESULT_SUCCESS || init(0) == ZE_RESULT_SUCCESS)
        return 1;
    struct uhi_ze_driver_types gpus = {.stype = UHI_ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = UHI_ZE_DRIVER_TYPE_GPU};
    uint32_t count = 0;
    address = dlsym(loader, "zeInitDrivers");
    memcpy(&init_drivers, &address, sizeof address);
    if (init_drivers(&count, NULL, &gpus) != ZE_RESULT_SUCCESS || count == 0)
        return 77; /* a loader that has dropped the driver for good (seen: 1.32) */
    return child_list();
}

UNIT_TEST(a_gpu_is_found_where_the_process_has_looked_for_npus_before) {
    struct test_child child;
    test_run_child("after_npus", TEST_ENVIRONMENT("UNIHIST_LOG"), &child);
    if (child.exit_code == 77)
        skip_because("the loader has no other way, or drops drivers");
    assert_int_equal(child.exit_code, 0);
    assert_string_equal(child.out, "2 a GPU\n");
}

UNIT_TEST(an_npu_is_no_device) {
    test_expect_child("list", TEST_ENVIRONMENT("SOFT_GPU=devices=2,npu=1", "UNIHIST_LOG"), 0, "2 a GPU\n", "");
    test_expect_child(
        "list", TEST_ENVIRONMENT("SOFT_GPU=devices=1,npu=1", "UNIHIST_LOG"), 0,
        "1 uh_device_select: selector is \"gpu\", which matches no device: Level Zero's drivers have no device", "");
}

TEST_MAIN(test_runtime_ze_failures) {
    device = test_ze_device();
    if (fault_find() || soft_gpu_find(&gpu))
        return 77;
    return test_run_units(make_cache_folder, files_teardown);
}
