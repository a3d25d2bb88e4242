/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of every kind, copies between all kinds, and fills of all patterns; bytes are checked if the device computes.
 */
#include "tests/tested.h"

enum { KINDS = 4, GUARD = 0x3c, MIB = 1 << 20 };

static uh_queue *make_queue(uint32_t threads, uh_engine engine) {
    return test_queue_of(tested.device, QUEUE_OPTIONS(.threads = threads, .engine = engine));
}

UNIT_TEST(every_kind_is_aligned_writable_known_and_freed) {
    for (size_t alignment = 0; alignment <= 2 * MIB; alignment = alignment ? 2 * alignment : 1)
        for (int kind = UH_MEMORY_DEVICE; kind < KINDS; kind++) {
            void *pointer = NULL;
            uh_pointer_info info;
            uh_status status = uh_malloc(tested.device, (uh_memory_kind)kind, 1000, alignment, &pointer);
            if (status == UH_ERROR_UNSUPPORTED && !tested.on_host) {
                test_assert_failed(status, UH_ERROR_UNSUPPORTED, "alignment is ");
                continue;
            }
            test_good(status);
            assert_int_equal((uintptr_t)pointer % (alignment ? alignment : 64), 0);
            if (kind != UH_MEMORY_DEVICE || tested.on_host)
                for (size_t i = 0; i < 1000; i++) {
                    ((volatile unsigned char *)pointer)[i] = (unsigned char)i;
                    assert_int_equal(((volatile unsigned char *)pointer)[i], (unsigned char)i);
                }
            test_good(uh_pointer_type((char *)pointer + 999, &info));
            assert_int_equal(info.kind, kind);
            assert_ptr_equal(info.base, pointer);
            assert_int_equal(info.size, 1000);
            assert_ptr_equal(info.device, tested.device);
            test_good(uh_free(pointer));
            test_good(uh_pointer_type(pointer, &info));
            assert_int_equal(info.kind, UH_MEMORY_UNKNOWN);
        }
}

/* Copies `size` bytes from an offset of one kind to an offset of another, among guards, and looks. */
static void copy_between(uh_queue *queue, int from, int to, size_t size, size_t offset) {
    const size_t room = size + 64, looked_at = test_ze_computes() ? room : 0;
    unsigned char *source = test_ze_alloc(tested.device, (uh_memory_kind)from, room);
    unsigned char *target = test_ze_alloc(tested.device, (uh_memory_kind)to, room);
    unsigned char *data = test_ze_alloc(tested.device, UH_MEMORY_UNKNOWN, room);
    unsigned char *seen = test_ze_alloc(tested.device, UH_MEMORY_UNKNOWN, room);
    const unsigned char guard = GUARD;
    for (size_t i = 0; i < room; i++)
        data[i] = (unsigned char)(i * 131 + i / 251 + size);
    test_good(uh_memcpy(queue, source, data, room, NULL));
    test_good(uh_fill(queue, target, &guard, 1, room, NULL));
    test_good(uh_memcpy(queue, target + offset, source + offset / 2, size, NULL));
    test_good(uh_memcpy(queue, seen, target, room, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < looked_at; i++) {
        int inside = i >= offset && i < offset + size;
        unsigned char expected = inside ? data[i - offset + offset / 2] : GUARD;
        if (seen[i] != expected)
            fail_msg("byte %zu of %zu from kind %d to %d is %u, expected %u", i, size, from, to, seen[i], expected);
    }
}

UNIT_TEST(copies_between_all_kinds_are_exact) {
    static const size_t sizes[] = {0, 1, 3, 7, 64, 4097, 300001};
    for (int from = 0; from < KINDS; from++)
        for (int to = 0; to < KINDS; to++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                copy_between(tested.queue, from, to, sizes[i], i % 2 ? 13 : 32);
}

/* Around where several threads share a copy. */
UNIT_TEST(copies_that_threads_share_are_exact_at_every_misalignment) {
    enum { MAX = 33 * MIB + 12345, MARGIN = 64 };
    static const size_t sizes[] = {1000, 32 * MIB - 1, 32 * MIB, 32 * MIB + 1, MAX};
    tested_on_host_only();
    unsigned char *from = test_ze_alloc(tested.device, UH_MEMORY_UNKNOWN, MAX + 5);
    unsigned char *to = test_ze_alloc(tested.device, UH_MEMORY_SHARED, MAX + 3 * MARGIN), guards[MARGIN];
    memset(guards, GUARD, MARGIN);
    for (size_t i = 0; i < MAX + 5; i++)
        from[i] = (unsigned char)(i * 131 + i / 251);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        uh_queue *queue = make_queue(threads, UH_ENGINE_COMPUTE);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            unsigned char *start = to + MARGIN + i;
            memset(to, GUARD, sizes[i] + 3 * MARGIN);
            test_good(uh_memcpy(queue, start, from + 5, sizes[i], NULL));
            assert_memory_equal(start, from + 5, sizes[i]);
            assert_memory_equal(start - MARGIN, guards, MARGIN);
            assert_memory_equal(start + sizes[i], guards, MARGIN);
        }
    }
}

static void fill_and_look(uh_queue *queue, unsigned char *memory, size_t room, size_t offset, const void *pattern,
                          size_t pattern_size, size_t count) {
    const size_t looked_at = test_ze_computes() ? room : 0;
    const unsigned char guard = GUARD;
    unsigned char *seen = tested.on_host ? memory : malloc(room);
    assert_non_null(seen);
    test_good(uh_fill(queue, memory, &guard, 1, room, NULL));
    test_good(uh_fill(queue, memory + offset, pattern, pattern_size, count, NULL));
    if (seen != memory)
        test_good(uh_memcpy(queue, seen, memory, room, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < looked_at; i++) {
        int inside = i >= offset && i < offset + pattern_size * count;
        unsigned char expected = inside ? ((const unsigned char *)pattern)[(i - offset) & (pattern_size - 1)] : GUARD;
        if (seen[i] != expected)
            fail_msg("byte %zu is %u, expected %u: pattern of %zu bytes, %zu times at %zu", i, seen[i], expected,
                     pattern_size, count, offset);
    }
    if (seen != memory)
        free(seen);
}

static const unsigned char patterns[][16] = {
    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
    {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
};

UNIT_TEST(fills_of_every_pattern_at_every_alignment_write_just_their_bytes) {
    enum { ROOM = 8192 };
    static const size_t counts[] = {0, 1, 2, 3, 100, 257};
    unsigned char *memory = test_ze_alloc(tested.device, UH_MEMORY_DEVICE, ROOM);
    for (int engine = UH_ENGINE_COMPUTE; engine <= UH_ENGINE_COPY; engine++) {
        uh_queue *queue = make_queue(0, (uh_engine)engine);
        for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
            for (size_t size = 1; size <= 16; size *= 2)
                for (size_t offset = 0; offset <= 17; offset += offset < 4 ? 1 : 4)
                    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
                        fill_and_look(queue, memory, ROOM, offset, patterns[p], size, counts[i]);
    }
}

/* Any number of vectors and what is left of one; around where several threads share a fill. */
UNIT_TEST(fills_that_threads_share_and_odd_counts_end_where_they_should) {
    enum { LARGE = 33 * MIB + 1072 };
    tested_on_host_only();
    unsigned char *memory = test_ze_alloc(tested.device, UH_MEMORY_SHARED, LARGE + 128);
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        uh_queue *queue = make_queue(threads, UH_ENGINE_COMPUTE);
        for (size_t count = 0; count < 1026; count++)
            fill_and_look(queue, memory, 2176, 64, patterns[0], 2, count);
        for (size_t size = 1; size <= 16; size *= 2)
            fill_and_look(queue, memory, 100128, 64 + size % 7, patterns[0], size, 100000 / size);
        fill_and_look(queue, memory, LARGE + 128, 68, patterns[0], 4, LARGE / 4);
        fill_and_look(queue, memory, LARGE + 128, 65, patterns[1], 8, LARGE / 8);
    }
}

UNIT_TEST(nothing_to_do_needs_no_memory_and_still_gives_an_event) {
    uh_event *events[2] = {NULL, NULL};
    const char zero = 0;
    test_good(uh_memcpy(tested.queue, NULL, NULL, 0, SIGNAL(&events[0])));
    test_good(uh_fill(tested.queue, NULL, &zero, 1, 0, AFTER(events, 1, &events[1])));
    for (size_t i = 0; i < 2; i++)
        test_wait_and_end(events[i]);
}

TESTED_MAIN(test_runtime_moves)
