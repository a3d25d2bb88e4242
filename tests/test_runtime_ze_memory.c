/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of Level Zero devices: allocations and their limits, copies between all kinds, fills of all patterns. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/runtime.h>

#include "tests/child.h"
#include "tests/fixture.h"
#include "tests/ze_fixture.h"

enum { KINDS = 4, GUARD = 0x3c };

static const char *program;

UNIT_TEST(allocations_are_aligned_and_known) {
    static const size_t alignments[] = {0, 1, 64, 4096, 65536, 2097152};
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++)
        for (int kind = UH_MEMORY_DEVICE; kind < KINDS; kind++) {
            void *pointer = NULL;
            uh_pointer_info info;
            uh_status status =
                kind == UH_MEMORY_DEVICE ? uh_malloc_device(test_ze_device(), 1000, alignments[i], &pointer)
                : kind == UH_MEMORY_HOST ? uh_malloc_host(test_ze_device(), 1000, alignments[i], &pointer)
                                         : uh_malloc_shared(test_ze_device(), 1000, alignments[i], &pointer);
            if (status == UH_ERROR_UNSUPPORTED) {
                test_assert_failed(status, UH_ERROR_UNSUPPORTED, "alignment is ");
                continue;
            }
            test_good(status);
            assert_int_equal((uintptr_t)pointer % (alignments[i] ? alignments[i] : 64), 0);
            test_good(uh_pointer_type((char *)pointer + 999, &info));
            assert_int_equal(info.kind, kind);
            assert_ptr_equal(info.base, pointer);
            assert_int_equal(info.size, 1000);
            assert_ptr_equal(info.device, test_ze_device());
            test_good(uh_free(pointer));
        }
}

UNIT_TEST(more_than_the_limit_is_refused_with_the_size_and_the_limit) {
    uh_device_properties p = {.struct_size = sizeof p};
    void *pointer = state;
    char size[32], limit[32];
    test_good(uh_device_get_properties(test_ze_device(), &p));
    snprintf(size, sizeof size, "size is %llu", (unsigned long long)p.max_allocation + 1);
    snprintf(limit, sizeof limit, "at most %llu", (unsigned long long)p.max_allocation);
    test_assert_failed(uh_malloc_device(test_ze_device(), (size_t)p.max_allocation + 1, 0, &pointer),
                       UH_ERROR_OUT_OF_DEVICE_MEMORY, "uh_malloc_device", size, limit, p.selector);
    test_assert_failed(uh_malloc_shared(test_ze_device(), (size_t)p.max_allocation + 1, 0, &pointer),
                       UH_ERROR_OUT_OF_DEVICE_MEMORY, "uh_malloc_shared", size, limit);
    assert_ptr_equal(pointer, state);
}

UNIT_TEST(host_and_shared_memory_can_be_used_by_the_host) {
    for (int kind = UH_MEMORY_HOST; kind < KINDS; kind++) {
        unsigned char *memory = test_ze_alloc(test_ze_device(), (uh_memory_kind)kind, 10000);
        for (size_t i = 0; i < 10000; i++)
            memory[i] = (unsigned char)i;
        for (size_t i = 0; i < 10000; i++)
            assert_int_equal(memory[i], (unsigned char)i);
    }
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

/* Copies `size` bytes from an offset of one kind to an offset of another, among guards, and looks. */
static void copy_between(uh_queue *queue, uh_memory_kind from, uh_memory_kind to, size_t size, size_t offset) {
    size_t room = size + 64;
    unsigned char *source = test_ze_alloc(test_ze_device(), from, room);
    unsigned char *target = test_ze_alloc(test_ze_device(), to, room);
    unsigned char *data = malloc(room), *seen = malloc(room);
    const unsigned char guard = GUARD;
    assert_true(data && seen);
    for (size_t i = 0; i < room; i++)
        data[i] = (unsigned char)(i * 131 + size);
    test_good(uh_memcpy(queue, source, data, room, NULL, 0, NULL));
    test_good(uh_fill(queue, target, &guard, 1, room, NULL, 0, NULL));
    test_good(uh_memcpy(queue, target + offset, source + offset / 2, size, NULL, 0, NULL));
    test_good(uh_memcpy(queue, seen, target, room, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < room && test_ze_computes(); i++) {
        int inside = i >= offset && i < offset + size;
        unsigned char expected = inside ? data[i - offset + offset / 2] : GUARD;
        if (seen[i] != expected)
            fail_msg("byte %zu of %zu from kind %d to %d is %u, expected %u", i, size, (int)from, (int)to, seen[i],
                     expected);
    }
    free(data);
    free(seen);
}

UNIT_TEST(copies_between_all_kinds_are_exact) {
    static const size_t sizes[] = {0, 1, 3, 64, 4097, 300001};
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                copy_between(queue, (uh_memory_kind)from, (uh_memory_kind)to, sizes[i], i % 2 ? 13 : 32);
}

UNIT_TEST(host_queues_copy_what_the_host_can_reach_and_refuse_device_memory) {
    uh_queue *host = test_queue(1, 0);
    unsigned char *shared = test_ze_alloc(test_ze_device(), UH_MEMORY_SHARED, 100);
    unsigned char *pinned = test_ze_alloc(test_ze_device(), UH_MEMORY_HOST, 100);
    unsigned char *device = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, 100);
    unsigned char buffer[100] = {7, 8};
    test_good(uh_memcpy(host, shared, buffer, 100, NULL, 0, NULL));
    test_good(uh_memcpy(host, pinned, shared, 100, NULL, 0, NULL));
    assert_int_equal(pinned[1], 8);
    test_invalid(uh_memcpy(host, device, buffer, 100, NULL, 0, NULL), "uh_memcpy: destination is",
                 "in the memory of level_zero:", "host:0 can reach");
    test_invalid(uh_memcpy(host, buffer, device + 1, 9, NULL, 0, NULL), "uh_memcpy: source is",
                 "in the memory of level_zero:");
    test_invalid(uh_fill(host, device, buffer, 1, 100, NULL, 0, NULL), "uh_fill: destination is");
    test_invalid(uh_prefetch(host, device, 100, NULL, 0, NULL), "uh_prefetch: pointer is");
    test_good(uh_memcpy(host, device, buffer, 0, NULL, 0, NULL));
}

UNIT_TEST(memory_of_the_host_device_is_host_memory_to_the_gpu) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    unsigned char *host = test_ze_alloc(test_host(), UH_MEMORY_DEVICE, 1000);
    unsigned char *device = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, 1000);
    for (size_t i = 0; i < 1000; i++)
        host[i] = (unsigned char)(i ^ 0x55);
    test_good(uh_memcpy(queue, device, host, 1000, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    memset(host, 0, 1000);
    test_good(uh_memcpy(queue, host, device, 1000, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < 1000 && test_ze_computes(); i++)
        assert_int_equal(host[i], (unsigned char)(i ^ 0x55));
}

/* ---- fills ------------------------------------------------------------------------------------------------------- */

static void fill_and_look(uh_queue *queue, unsigned char *memory, size_t room, size_t offset, const void *pattern,
                          size_t pattern_size, size_t count) {
    unsigned char *seen = malloc(room);
    const unsigned char guard = GUARD;
    assert_non_null(seen);
    test_good(uh_fill(queue, memory, &guard, 1, room, NULL, 0, NULL));
    test_good(uh_fill(queue, memory + offset, pattern, pattern_size, count, NULL, 0, NULL));
    test_good(uh_memcpy(queue, seen, memory, room, NULL, 0, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < room && test_ze_computes(); i++) {
        int inside = i >= offset && i < offset + pattern_size * count;
        unsigned char expected = inside ? ((const unsigned char *)pattern)[(i - offset) % pattern_size] : GUARD;
        if (seen[i] != expected)
            fail_msg("byte %zu is %u, expected %u: pattern of %zu bytes, %zu times at %zu", i, seen[i], expected,
                     pattern_size, count, offset);
    }
    free(seen);
}

static void fill_all_patterns(uh_engine engine) {
    enum { ROOM = 8192 };
    static const unsigned char patterns[][16] = {
        {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
        {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    };
    static const size_t counts[] = {0, 1, 2, 3, 100, 257};
    uh_queue_options options = {.struct_size = sizeof options, .engine = engine};
    uh_queue *queue = NULL;
    test_good(uh_queue_create(test_ze_device(), &options, &queue));
    unsigned char *memory = test_ze_alloc(test_ze_device(), UH_MEMORY_DEVICE, ROOM);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
        for (size_t size = 1; size <= 16; size *= 2)
            for (size_t offset = 0; offset <= 17; offset += offset < 4 ? 1 : 4)
                for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                    fill_and_look(queue, memory, ROOM, offset, patterns[p], size, counts[i]);
    test_good(uh_queue_destroy(queue));
}

UNIT_TEST(fills_of_every_pattern_at_every_alignment_write_just_their_bytes) {
    fill_all_patterns(UH_ENGINE_COMPUTE);
}

UNIT_TEST(fills_in_a_queue_for_copies_do_too) {
    fill_all_patterns(UH_ENGINE_COPY);
}

UNIT_TEST(host_memory_can_be_filled_by_the_device) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    static const uint32_t pattern = 0x12345678;
    for (int kind = UH_MEMORY_HOST; kind < KINDS; kind++) {
        uint32_t *memory = test_ze_alloc(test_ze_device(), (uh_memory_kind)kind, 4000);
        test_good(uh_fill(queue, memory, &pattern, 4, 1000, NULL, 0, NULL));
        test_good(uh_queue_wait(queue));
        for (size_t i = 0; i < 1000 && test_ze_computes(); i++)
            assert_int_equal(memory[i], pattern);
    }
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

UNIT_TEST(nothing_to_do_still_gives_an_event) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    uh_event *events[3] = {NULL, NULL, NULL};
    const char zero = 0;
    test_good(uh_memcpy(queue, NULL, NULL, 0, NULL, 0, &events[0]));
    test_good(uh_fill(queue, NULL, &zero, 1, 0, events, 1, &events[1]));
    test_good(uh_prefetch(queue, NULL, 0, events, 2, &events[2]));
    for (size_t i = 0; i < 3; i++) {
        test_good(uh_event_wait(events[i]));
        test_good(uh_event_destroy(events[i]));
    }
}

UNIT_TEST(prefetching_changes_nothing) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    uh_event *event = NULL;
    for (int kind = 0; kind < KINDS; kind++) {
        unsigned char *memory = test_ze_alloc(test_ze_device(), (uh_memory_kind)kind, 5000);
        if (kind != UH_MEMORY_DEVICE)
            memset(memory, 0x77, 5000);
        test_good(uh_prefetch(queue, memory, 5000, NULL, 0, &event));
        test_good(uh_event_wait(event));
        test_good(uh_event_destroy(event));
        test_good(uh_prefetch(queue, memory + 100, 1000, NULL, 0, NULL));
        test_good(uh_queue_wait(queue));
        for (size_t i = 0; i < 5000 && kind != UH_MEMORY_DEVICE; i++)
            assert_int_equal(memory[i], 0x77);
        test_invalid(uh_prefetch(queue, memory, kind ? 5001 : SIZE_MAX, NULL, 0, NULL), "uh_prefetch: pointer is");
    }
}

/* All but an allocation's size of a small device's memory: the next one fails, and after uh_free succeeds. */
static int child_small(void) {
    void *all[64] = {NULL}, *more = NULL;
    size_t count = 0;
    uh_status status = UH_SUCCESS;
    while (count < 64 && (status = uh_malloc_device(test_ze_device(), 1 << 20, 0, &all[count])) == UH_SUCCESS)
        count++;
    if (status != UH_ERROR_OUT_OF_DEVICE_MEMORY || count == 0 || all[count])
        return 1;
    printf("%zu: %s\n", count, uh_last_error());
    if (uh_free(all[--count]) != UH_SUCCESS || uh_malloc_device(test_ze_device(), 1 << 20, 0, &more) != UH_SUCCESS ||
        uh_free(more) != UH_SUCCESS)
        return 2;
    while (count)
        if (uh_free(all[--count]) != UH_SUCCESS)
            return 3;
    return 0;
}

UNIT_TEST(a_small_memory_runs_out_with_a_message_and_works_on) {
    const char *const environment[] = {"SOFT_GPU=memory=8388608,max_alloc=2097152", NULL};
    struct test_child child;
    if (!getenv("SOFT_GPU_LEAKS"))
        skip();
    test_run_child(program, "small", environment, &child);
    if (child.exit_code != 0 || strncmp(child.out, "8: ", 3) != 0 ||
        !strstr(child.out, "uh_malloc_device: size is 1048576, more than level_zero:0 (Soft GPU) gives: it has 8388608 "
                           "bytes of memory and allows at most 2097152"))
        fail_msg("exit code %d: %s%s", child.exit_code, child.out, child.err);
}

TEST_MAIN(test_runtime_ze_memory) {
    program = argv[0];
    if (!test_ze_device())
        return test_ze_skip();
    if (argc > 1)
        return child_small();
    return TEST_RUN(NULL, NULL);
}
