/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of Level Zero devices: its limits, and which other device reaches it. */
#include "tests/fixture.h"

#include "module_kernels.cl.h"

UNIT_TEST(more_than_the_limit_is_refused_with_the_size_and_the_limit) {
    void *pointer = state;
    char size[32], limit[32];
    const uh_device_properties p = test_device_properties(test_ze_device());
    snprintf(size, sizeof size, "size is %llu", (unsigned long long)p.max_allocation + 1);
    snprintf(limit, sizeof limit, "at most %llu", (unsigned long long)p.max_allocation);
    test_assert_failed(uh_malloc(test_ze_device(), UH_MEMORY_DEVICE, (size_t)p.max_allocation + 1, 0, &pointer),
                       UH_ERROR_OUT_OF_DEVICE_MEMORY, "uh_malloc", size, limit, p.selector);
    test_assert_failed(uh_malloc(test_ze_device(), UH_MEMORY_SHARED, (size_t)p.max_allocation + 1, 0, &pointer),
                       UH_ERROR_OUT_OF_DEVICE_MEMORY, "uh_malloc", size, limit);
    assert_ptr_equal(pointer, state);
}

UNIT_TEST(host_queues_copy_what_the_host_can_reach_and_refuse_device_memory) {
    uh_queue *host = test_queue(1, 0);
    unsigned char *shared = test_ze_alloc(test_ze_device(), UH_MEMORY_SHARED, 100);
    unsigned char *pinned = test_ze_alloc(test_ze_device(), UH_MEMORY_HOST, 100);
    unsigned char *device = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, 100);
    unsigned char buffer[100] = {7, 8};
    test_good(uh_memcpy(host, shared, buffer, 100, NULL));
    test_good(uh_memcpy(host, pinned, shared, 100, NULL));
    assert_int_equal(pinned[1], 8);
    test_invalid(uh_memcpy(host, device, buffer, 100, NULL), "uh_memcpy: destination is",
                 "in the memory of level_zero:", "host:0 can reach");
    test_invalid(uh_memcpy(host, buffer, device + 1, 9, NULL), "uh_memcpy: source is", "in the memory of level_zero:");
    test_invalid(uh_fill(host, device, buffer, 1, 100, NULL), "uh_fill: destination is");
    test_good(uh_memcpy(host, device, buffer, 0, NULL));
}

UNIT_TEST(memory_of_the_host_device_is_host_memory_to_the_gpu) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    unsigned char *host = test_ze_alloc(test_host(), UH_MEMORY_DEVICE, 1000);
    unsigned char *device = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, 1000);
    for (size_t i = 0; i < 1000; i++)
        host[i] = (unsigned char)(i ^ 0x55);
    test_good(uh_memcpy(queue, device, host, 1000, NULL));
    test_good(uh_queue_wait(queue));
    memset(host, 0, 1000);
    test_good(uh_memcpy(queue, host, device, 1000, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < 1000 && test_ze_computes(); i++)
        assert_int_equal(host[i], (unsigned char)(i ^ 0x55));
}

/* All but an allocation's size of a small device's memory: the next one fails, and after uh_free succeeds. */
TEST_CHILD(small) {
    void *more = NULL, *last = NULL;
    size_t count = 0;
    uh_status status;
    while ((status = uh_malloc(test_ze_device(), UH_MEMORY_DEVICE, 1 << 20, 0, &more)) == UH_SUCCESS && count++ < 64) {
        last = test_at_end(more, test_end_memory);
        more = NULL;
    }
    assert_true(status == UH_ERROR_OUT_OF_DEVICE_MEMORY && count > 0 && !more);
    printf("%zu: %s\n", count, uh_last_error());
    test_good(uh_free(test_take(last)));
    (void)test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, 1 << 20);
    return 0;
}

UNIT_TEST(a_small_memory_runs_out_with_a_message_and_works_on) {
    (void)test_soft_gpu();
    test_expect_child("small", TEST_ENVIRONMENT("SOFT_GPU=memory=8388608,max_alloc=2097152"), 0,
                      "8: uh_malloc: size is 1048576, more than level_zero:0 (Soft GPU) allocates: it has 8388608 "
                      "bytes of memory and allows at most 8388608",
                      "");
}

/* A driver that takes any alignment, and keeps those of pages alone. */
TEST_CHILD(unaligned) {
    void *pointer = NULL;
    const uh_status status = uh_malloc(test_ze_device(), UH_MEMORY_DEVICE, 100, (size_t)1 << 21, &pointer);
    printf("%s\n", uh_last_error());
    return status != UH_ERROR_UNSUPPORTED || pointer ||
           uh_malloc(test_ze_device(), UH_MEMORY_DEVICE, 100, 4096, &pointer) || (uintptr_t)pointer % 4096 ||
           uh_free(pointer);
}

UNIT_TEST(an_alignment_that_the_driver_does_not_keep_is_refused_and_leaves_nothing) {
    (void)test_soft_gpu();
    test_expect_child("unaligned", TEST_ENVIRONMENT("SOFT_GPU=align=4096"), 0,
                      "uh_malloc: alignment is 2097152, more than the driver of", "");
}

/* An allocation above the driver's limit, every element of which a kernel changes twice. */
TEST_CHILD(wide) {
    enum { ITEMS = 1 << 20, SIZE = ITEMS * sizeof(uint32_t) };
    uh_device *device = test_ze_device();
    uh_queue *queue = test_ze_queue(device, 0);
    uh_kernel *add = test_kernel_of(test_module(device, &uh_program_module_kernels, NULL), "add");
    void *memory = test_ze_alloc(device, UH_MEMORY_SHARED, SIZE), *plain = test_ze_alloc(device, UH_MEMORY_DEVICE, 64);
    uint32_t *seen = test_memory(SIZE);
    test_good(uh_fill(queue, memory, "", 1, SIZE, NULL));
    for (uint32_t value = 2; value < 6; value++) {
        const int whole = value == 3 || value == 4;
        test_good(uh_parallel_for(queue, add, RANGE_OF(whole ? ITEMS : 16, 0),
                                  ARGS(uh_arg_pointer(whole ? memory : plain), VALUE(value)), NULL));
    }
    test_good(uh_memcpy(queue, seen, memory, SIZE, NULL));
    test_good(uh_queue_wait(queue));
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(seen[i], 7);
    printf("%llu right\n", (unsigned long long)test_device_properties(device).max_allocation);
    return 0;
}

UNIT_TEST(an_allocation_above_the_drivers_limit_is_one_of_all_the_memory_and_kernels_take_it) {
    (void)test_soft_gpu();
    test_expect_child("wide", TEST_ENVIRONMENT("SOFT_GPU=memory=8388608,max_alloc=1048576", "UNIHIST_LOG=info"), 0,
                      "8388608 right\n", "built once more for allocations above 1048576 bytes");
}

TEST_ZE_MAIN(test_runtime_ze_memory, NULL, NULL)
