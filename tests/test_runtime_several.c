/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of combined devices: a queue for each part, whose errors are all heard, and the lead, which does the rest. */
#include "runtime/backend.h"
#include "runtime/device_list.h"
#include "runtime/queue.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"

/* Two devices that fail on request, and the host. */
static uh_device *devices[3];

static uh_device *select_several(const char *selector) {
    const struct uhi_device_list list = {.devices = devices, .count = 3};
    uh_device *device = NULL;
    devices[0] = fake_device();
    devices[1] = fake_other_device();
    devices[2] = test_host();
    test_good(uhi_several_select("uh_call", &list, selector, &device));
    return device;
}

static uh_queue *queue_on(uh_device *device, struct test_heard *heard) {
    return test_queue_of(device,
                         QUEUE_OPTIONS(.threads = 3, .error_callback = heard ? test_hear : NULL, .error_user = heard));
}

UNIT_TEST(a_queue_has_one_for_each_part_and_the_threads_of_the_host) {
    uh_device *device = select_several("fake:0,fake:1,host:0");
    uh_queue *queue = queue_on(device, NULL);
    assert_ptr_equal(queue->device, device);
    assert_int_equal(queue->options.threads, 3);
    assert_int_equal(queue->nparts, 3);
    for (size_t i = 0; i < 3; i++)
        assert_ptr_equal(queue->parts[i]->device, devices[i]);
    assert_int_equal(queue_on(select_several("fake:0,fake:1"), NULL)->options.threads, 1);
}

UNIT_TEST(a_wait_waits_for_all_parts_and_returns_the_first_error_and_each_is_heard) {
    struct test_heard heard = {.calls = 0};
    uh_queue *queue = queue_on(select_several("fake:0,host:0,fake:1"), &heard);
    test_good(uh_queue_wait(queue));
    fake_queue_error(queue->parts[2], UH_ERROR_DRIVER);
    test_assert_failed(uh_queue_wait(queue), UH_ERROR_DRIVER, "uh_queue_wait: fake: the work failed");
    assert_int_equal(heard.calls, 1);
    fake_queue_error(queue->parts[0], UH_ERROR_OUT_OF_DEVICE_MEMORY);
    fake_queue_error(queue->parts[2], UH_ERROR_DRIVER);
    assert_int_equal(uh_queue_wait(queue), UH_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(uh_last_error_info()->status, UH_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(heard.calls, 3);
    assert_int_equal(heard.status, UH_ERROR_DRIVER);
    test_good(uh_queue_wait(queue));
    assert_int_equal(heard.calls, 3);
}

UNIT_TEST(errors_that_nobody_has_waited_for_are_heard_of_all_parts_when_the_queue_goes) {
    struct test_heard heard = {.calls = 0};
    uh_queue *queue = queue_on(select_several("fake:0,fake:1"), &heard);
    for (size_t i = 0; i < 2; i++)
        fake_queue_error(queue->parts[i], UH_ERROR_DRIVER);
    uh_queue_destroy(test_take(queue));
    assert_int_equal(heard.calls, 2);
    assert_int_equal(fake_live_objects(), 0);
}

UNIT_TEST(the_lead_does_what_is_not_divided) {
    uh_device *device = select_several("fake:1,host:0,fake:0");
    uh_queue *queue = queue_on(device, NULL);
    void *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, 16);
    uh_pointer_info info;
    uh_event *event = NULL;
    unsigned char byte = 7;
    test_good(uh_pointer_type(memory, &info));
    assert_ptr_equal(info.device, devices[1]);
    test_good(uh_fill(queue, memory, &byte, 1, 16, SIGNAL(&event)));
    uh_queue_properties known = {.struct_size = sizeof known};
    test_good(uh_queue_get_properties(queue, &known));
    assert_true(known.users == 1 && known.parts == 3); /* the event, which is the lead's */
    fake_finish(event, UH_SUCCESS);
    test_wait_and_end(event);
    fake_submission_error(UH_ERROR_DRIVER);
    assert_int_equal(uh_memcpy(queue, memory, &byte, 1, NULL), UH_ERROR_DRIVER);
}

UNIT_TEST(modules_are_the_leads_and_its_kernels_run_in_the_queue) {
    uh_device *device = select_several("fake:0,host:0");
    uh_queue *queue = queue_on(device, NULL);
    uh_module *module = test_module(device, NATIVE("code", 4), NULL);
    uh_kernel *kernel = test_kernel_of(module, "first");
    test_good(uh_parallel_for(queue, kernel, RANGE_OF(8, 0), NULL, 0, NULL));
    test_assert_failed(uh_module_create(select_several("host:0,fake:0"), NATIVE("code", 4), NULL, &module),
                       UH_ERROR_UNSUPPORTED, "device is host:0");
}

UNIT_TEST(host_kernels_run_where_the_host_leads) {
    uh_queue *queue = queue_on(select_several("host:0,fake:1"), NULL);
    unsigned char from[4] = {1, 2, 3, 4}, to[4] = {0};
    test_good(uh_memcpy(queue, to, from, 4, NULL));
    assert_memory_equal(to, from, 4);
}

UNIT_TEST(free_memory_is_known_if_it_is_known_of_all_parts) {
    uint64_t bytes = 9;
    test_good(uh_device_free_memory(select_several("host:0,fake:1"), &bytes));
    assert_int_equal(bytes, 0);
}

UNIT_TEST(parts_are_stored_as_far_as_there_is_room) {
    uh_device *device = select_several("fake:1,host:0,fake:0"), *parts[4] = {NULL};
    size_t count = 9;
    test_good(uh_device_parts(device, NULL, 0, &count));
    assert_int_equal(count, 3);
    test_good(uh_device_parts(device, parts, 2, &count));
    assert_int_equal(count, 3);
    assert_ptr_equal(parts[0], devices[1]);
    assert_ptr_equal(parts[1], devices[2]);
    assert_null(parts[2]);
    test_good(uh_device_parts(test_host(), parts, 4, &count));
    assert_int_equal(count, 0);
    test_null_is_refused(uh_device_parts(NAMED(device, device), NAMED(parts, parts), 4, NAMED(count, &count)));
}
