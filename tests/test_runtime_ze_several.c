/* SPDX-License-Identifier: Apache-2.0 */
/* Combined devices of Level Zero's and the host: memory, copies, fills and events on them, and on each of their parts.
 */
#include "tests/support.h"

#include <string.h>

#include "runtime/backend.h"
#include "tests/fixture.h"
#include "tests/ze_fixture.h"

enum { SIZE = 5000 };

/* Fills memory of a queue's device and copies it back, with an event and without; the bytes are checked. */
static void fill_and_fetch(uh_queue *queue, unsigned char value) {
    unsigned char back[SIZE] = {0};
    void *memory = test_ze_alloc(uh_queue_get_device(queue), UH_MEMORY_DEVICE, SIZE);
    uh_event *event = NULL;
    uh_event_times times;
    test_good(uh_fill(queue, memory, &value, 1, SIZE, NULL, 0, &event));
    test_good(uh_memcpy(queue, back, memory, SIZE, &event, 1, NULL));
    test_good(uh_queue_wait(queue));
    if (test_ze_computes()) {
        test_good(uh_event_profile(event, &times));
        assert_true(times.submitted <= times.started && times.started <= times.ended);
    }
    test_good(uh_event_destroy(event));
    for (size_t i = 0; i < SIZE && test_ze_computes(); i++)
        assert_int_equal(back[i], value);
}

static void use_device(const char *selector) {
    const uh_queue_options options = {.struct_size = sizeof options, .profiling = 1};
    uh_device *device = NULL;
    test_good(uh_device_select(selector, &device));
    uh_queue *queue = test_queue_of(device, &options);
    fill_and_fetch(queue, 0x5a);
    for (size_t i = 0; i < queue->nparts; i++)
        fill_and_fetch(queue->parts[i], (unsigned char)(i + 1));
    test_good(uh_queue_wait(queue));
}

UNIT_TEST(all_of_them_and_the_host_are_one_device) {
    uh_device *device = NULL, *again = NULL;
    uh_device_properties p = {.struct_size = sizeof p};
    test_good(uh_device_select("all", &device));
    test_good(uh_device_get_properties(device, &p));
    test_good(uh_device_select(p.selector, &again));
    assert_ptr_equal(again, device);
    use_device("all");
}

UNIT_TEST(a_gpu_beside_the_host_and_all_gpus_work) {
    use_device("level_zero:0,host");
    use_device("host,level_zero:0");
    use_device("level_zero:*");
}

UNIT_TEST(tiles_work_side_by_side) {
    uh_device *device = NULL;
    if (uh_device_select("level_zero:0.1", &device) != UH_SUCCESS)
        skip();
    use_device("level_zero:0.0,0.1");
    test_invalid(uh_device_select("level_zero:0,0.1", &device), "names level_zero:0 and level_zero:0.1");
}

TEST_ZE_MAIN(test_runtime_ze_several, NULL, NULL)
