/* SPDX-License-Identifier: Apache-2.0 */
/* Combined devices of Level Zero's and the host: memory, copies, fills and events on them and each of their parts. */
#include <unihist/histogram.h>

#include "runtime/backend.h"
#include "runtime/queue.h"
#include "runtime/ze.h"
#include "tests/arrays.h"

enum { SIZE = 5000 };

/* Fills memory of a queue's device and copies it back, with an event and without; the bytes are checked. */
static void fill_and_fetch(uh_queue *queue, unsigned char value) {
    unsigned char back[SIZE] = {0};
    void *memory = test_ze_alloc(queue->device, UH_MEMORY_DEVICE, SIZE);
    uh_event *event = NULL;
    uh_event_times times;
    test_good(uh_fill(queue, memory, &value, 1, SIZE, SIGNAL(&event)));
    test_good(uh_memcpy(queue, back, memory, SIZE, AFTER(&event, 1, NULL)));
    test_good(uh_queue_wait(queue));
    if (test_ze_computes()) {
        test_good(uh_event_profile(event, &times));
        assert_true(times.submitted <= times.started && times.started <= times.ended);
    }
    uh_event_destroy(event);
    for (size_t i = 0; i < SIZE && test_ze_computes(); i++)
        assert_int_equal(back[i], value);
}

static void use_device(const char *selector) {
    uh_queue *queue = test_ze_queue(test_device(selector), 1);
    fill_and_fetch(queue, 0x5a);
    for (size_t i = 0; i < queue->nparts; i++)
        fill_and_fetch(queue->parts[i], (unsigned char)(i + 1));
    test_good(uh_queue_wait(queue));
}

UNIT_TEST(gpus_and_the_host_are_one_device_in_any_order) {
    uh_device *device = test_device("all");
    assert_ptr_equal(test_device(test_device_properties(device).selector), device);
    use_device("all");
    use_device("level_zero:0,host");
    use_device("host,level_zero:0");
    use_device("level_zero:*");
}

UNIT_TEST(tiles_work_side_by_side) {
    uh_device *device = NULL;
    if (uh_device_select("level_zero:0.1", &device) != UH_SUCCESS)
        skip_because("the device has no tiles");
    use_device("level_zero:0.0,0.1");
    test_invalid(uh_device_select("level_zero:0,0.1", &device), "names level_zero:0 and level_zero:0.1");
}

/* Two devices as one; skips without. */
static uh_device *select_two(void) {
    uh_device *device = NULL;
    if (uh_device_select("level_zero:0,1", &device) != UH_SUCCESS || device->nparts != 2)
        skip_because("there are no two devices");
    return device;
}

UNIT_TEST(a_queue_is_over_those_that_are_not_lost_and_the_next_is_the_lead) {
    const struct soft_gpu gpu = test_soft_gpu();
    uh_device *device = select_two();
    uint64_t bytes = 0;
    uh_queue_share share = {.struct_size = sizeof share};
    uh_queue *before = test_ze_queue(device, 1);
    assert_int_equal(gpu.lose_one(0, 0), 0);
    uh_queue *queue = test_ze_queue(device, 1);
    test_good(uh_queue_get_share(queue, 0, &share));
    assert_ptr_equal(share.device, device->parts[1]);
    test_invalid(uh_queue_get_share(queue, 1, &share), "part is 1, expected less than 1");
    fill_and_fetch(queue, 0x3c);
    fill_and_fetch(before, 0x3d);
    test_good(uh_device_free_memory(device, &bytes));
    test_good(uh_queue_get_share(before, 0, &share));
    assert_int_equal(share.status, UH_ERROR_DEVICE_LOST);
    assert_int_equal(gpu.lose_one(1, 0), 0);
    test_assert_failed(uh_queue_create(device, NULL, &queue), UH_ERROR_DEVICE_LOST, "uh_queue_create");
    test_assert_failed(uh_queue_create(device, NULL, &queue), UH_ERROR_DEVICE_LOST, "device level_zero:1", "is lost");
    test_assert_failed(uh_queue_wait(before), UH_ERROR_DEVICE_LOST,
                       "all devices of the queue on level_zero:0,1 are lost");
    gpu.recover();
    for (size_t i = 0; i < 2; i++)
        atomic_store(&uhi_ze_device(device->parts[i])->lost, 0);
}

UNIT_TEST(what_was_at_work_on_a_lost_lead_is_an_error_once) {
    enum { PLENTY = 1 << 20 };
    const struct soft_gpu gpu = test_soft_gpu();
    uh_device *device = select_two();
    uh_queue *queue = test_ze_queue(device, 1);
    void *memory = test_ze_alloc(device, UH_MEMORY_DEVICE, PLENTY);
    assert_int_equal(gpu.lose_one(0, 2), 0); /* with the command that the first call submits */
    test_good(uh_fill(queue, memory, "a", 1, PLENTY, NULL));
    assert_int_equal(uh_queue_wait(queue), UH_ERROR_DEVICE_LOST);
    test_good(uh_queue_wait(queue));
    fill_and_fetch(queue, 0x11);
    gpu.recover();
    atomic_store(&uhi_ze_device(device->parts[0])->lost, 0);
}

/* Elements that each of two parts has done. */
static void read_shares(const uh_queue *queue, uint64_t elements[2]) {
    uh_queue_share share = {.struct_size = sizeof share};
    for (size_t i = 0; i < 2; i++) {
        test_good(uh_queue_get_share(queue, i, &share));
        elements[i] = share.elements;
    }
}

UNIT_TEST(memory_of_one_part_is_read_by_that_part_alone) {
    enum { N = 60000, BINS = 4 };
    static float x[N];
    double range[2] = {0, BINS};
    uint64_t counts[BINS], elements[2];
    if (!test_ze_computes())
        skip_because("the device does not compute");
    uh_device *device = select_two(), *const *parts = device->parts;
    uh_queue *queue = test_queue_of(device, NULL), *second = test_queue_of(parts[1], NULL);
    float *memory = test_ze_alloc(parts[1], UH_MEMORY_DEVICE, sizeof x), *other;
    for (size_t i = 0; i < N; i++)
        x[i] = (float)(i % BINS);
    test_good(uh_memcpy(second, memory, x, sizeof x, NULL));
    test_good(uh_queue_wait(second));
    const uh_array there = uh_array_of(UH_F32, memory, N);
    test_good(uh_histogram_of(queue, &there, EQUAL(BINS, range), 1, NULL, CELLS(.counts = counts)));
    for (size_t i = 0; i < BINS; i++)
        assert_int_equal(counts[i], N / BINS);
    read_shares(queue, elements);
    assert_int_equal(elements[0], 0);
    assert_int_equal(elements[1], N);
    /* Where no part reaches all, the lead says what it does not reach. */
    other = test_ze_alloc(parts[0], UH_MEMORY_DEVICE, sizeof x);
    const uh_array both[2] = {there, uh_array_of(UH_F32, other, N)};
    uh_axis *axis = test_equal_axis(BINS, 0, BINS);
    uh_histogram *histogram = test_histogram_over(queue, (uh_axis *[]){axis, axis}, 2, NULL);
    test_invalid(uh_histogram_fill(histogram, both, NULL), "arrays[0]", "is device memory of level_zero:1");
}

TEST_ZE_MAIN(test_runtime_ze_several, NULL, NULL)
