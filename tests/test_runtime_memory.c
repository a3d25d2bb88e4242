/* SPDX-License-Identifier: Apache-2.0 */
/* What pointers point into, and what allocations, copies and fills refuse. */
#include "runtime/memory.h"
#include "tests/fake_device.h"
#include "tests/fixture.h"

static unsigned char *allocated(size_t size) {
    void *pointer = NULL;
    test_good(uh_malloc(test_host(), UH_MEMORY_SHARED, size, 0, &pointer));
    return pointer;
}

static void assert_unknown(const void *pointer) {
    uh_pointer_info info = {UH_MEMORY_HOST, &info, 5, test_host()};
    test_good(uh_pointer_type(pointer, &info));
    assert_int_equal(info.kind, UH_MEMORY_UNKNOWN);
    assert_null(info.base);
    assert_int_equal(info.size, 0);
    assert_null(info.device);
}

UNIT_TEST(pointers_into_an_allocation_are_known_and_those_around_it_are_not) {
    enum { COUNT = 50 };
    unsigned char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        blocks[i] = allocated(100 + i);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t size = 100 + i, inside[] = {0, 1, size / 2, size - 1};
        for (size_t j = 0; j < 4; j++) {
            uh_pointer_info info;
            test_good(uh_pointer_type(blocks[i] + inside[j], &info));
            assert_int_equal(info.kind, UH_MEMORY_SHARED);
            assert_ptr_equal(info.base, blocks[i]);
            assert_int_equal(info.size, size);
        }
        /* Bases are multiples of 64, sizes are not: after the end there is a gap. */
        if (size % 64)
            assert_unknown(blocks[i] + size);
    }
    /* Every second one, from the middle outwards, so that the table loses rows in no particular order. */
    for (size_t i = 0; i < COUNT; i += 2)
        test_good(uh_free(blocks[(i * 7) % COUNT]));
    for (size_t i = 0; i < COUNT; i++) {
        uh_pointer_info info;
        test_good(uh_pointer_type(blocks[i] + 50, &info));
        assert_int_equal(info.kind, i % 2 ? UH_MEMORY_SHARED : UH_MEMORY_UNKNOWN);
        if (i % 2)
            test_good(uh_free(blocks[i]));
    }
}

UNIT_TEST(memory_of_others_and_null_are_unknown) {
    int local = 0;
    void *heap = malloc(10);
    assert_unknown(&local);
    assert_unknown(heap);
    assert_unknown(state);
    assert_unknown(NULL);
    assert_unknown((const void *)UINTPTR_MAX);
    free(heap);
    test_invalid(uh_pointer_type(&local, NULL), "uh_pointer_type: info is NULL");
}

UNIT_TEST(size_0_gives_pointers_of_their_own_to_nothing_that_could_be_written) {
    unsigned char *a = allocated(0), *b = allocated(0);
    uh_queue *queue = test_queue(1, 0);
    uh_pointer_info info;
    assert_non_null(a);
    assert_ptr_not_equal(a, b);
    test_good(uh_pointer_type(a, &info));
    assert_int_equal(info.kind, UH_MEMORY_SHARED);
    assert_int_equal(info.size, 0);
    assert_ptr_equal(info.base, a);
    assert_int_equal(uh_fill(queue, a, "x", 1, 1, NULL), UH_ERROR_INVALID_ARGUMENT);
    test_good(uh_fill(queue, a, "x", 1, 0, NULL));
    test_good(uh_free(a));
    test_good(uh_free(b));
}

UNIT_TEST(wrong_arguments_of_an_allocation_are_refused_by_name) {
    static const size_t wrong[] = {3, 6, 48, 65, SIZE_MAX, (SIZE_MAX >> 1)};
    void *pointer = state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char says[96];
        snprintf(says, sizeof says, "uh_malloc: alignment is %zu, expected a power of two", wrong[i]);
        test_invalid(uh_malloc(test_host(), UH_MEMORY_SHARED, 8, wrong[i], &pointer), says);
    }
    test_null_is_refused(uh_malloc(NAMED(device, test_host()), UH_MEMORY_DEVICE, 8, 0, NAMED(pointer, &pointer)));
    test_invalid(uh_malloc(test_host(), UH_MEMORY_UNKNOWN, 8, 0, &pointer), "uh_malloc: kind is 0, expected");
    test_invalid(uh_malloc(test_host(), (uh_memory_kind)4, 8, 0, &pointer), "uh_malloc: kind is 4, expected");
    assert_ptr_equal(pointer, state);
}

UNIT_TEST(sizes_that_no_machine_has_are_out_of_memory) {
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2 + 1, SIZE_MAX / 2};
    void *pointer = state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char says[64];
        snprintf(says, sizeof says, "uh_malloc: size is %zu", sizes[i]);
        test_assert_failed(uh_malloc(test_host(), UH_MEMORY_DEVICE, sizes[i], 0, &pointer), UH_ERROR_OUT_OF_MEMORY,
                           says);
        assert_int_equal(uh_malloc(test_host(), UH_MEMORY_DEVICE, sizes[i], SIZE_MAX / 2 + 1, &pointer),
                         UH_ERROR_OUT_OF_MEMORY);
    }
    assert_ptr_equal(pointer, state);
}

UNIT_TEST(freeing_twice_or_what_is_not_the_start_of_an_allocation_is_refused) {
    unsigned char *kept = allocated(64), *pointer = allocated(100);
    void *heap = malloc(10);
    test_good(uh_free(NULL));
    test_invalid(uh_free(pointer + 16), "uh_free: pointer is ", "16 bytes into an allocation");
    test_good(uh_free(test_take(pointer)));
    test_invalid(uh_free(pointer), "expected the start of a live allocation");
    test_invalid(uh_free(heap), "expected the start of a live allocation");
    test_good(uh_free(test_take(kept)));
    test_invalid(uh_free(kept), "expected the start of a live allocation");
    free(heap);
}

UNIT_TEST(a_backend_that_cannot_free_tells_and_the_pointer_is_gone) {
    void *pointer = NULL;
    test_good(uh_malloc(fake_device(), UH_MEMORY_DEVICE, 10, 0, &pointer));
    fake_free_error(UH_ERROR_DRIVER);
    assert_int_equal(uh_free(pointer), UH_ERROR_DRIVER);
    fake_free_error(UH_SUCCESS);
    assert_int_equal(uh_free(pointer), UH_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fake_live_objects(), 0);
}

UNIT_TEST(regions_that_cross_the_bounds_of_an_allocation_are_refused_and_nothing_is_written) {
    uh_queue *queue = test_queue(1, 0);
    unsigned char *block = allocated(100), other[400], untouched[100];
    uh_event *event = (uh_event *)state;
    const char x = 'x';
    memset(other, 1, sizeof other);
    memset(block, 2, 100);
    memcpy(untouched, block, 100);
    const struct {
        unsigned char *start;
        size_t size;
    } wrong[] = {{block, 101},   {block + 1, 100}, {block + 99, 2}, {block + 50, SIZE_MAX / 2},
                 {block - 1, 2}, {block - 40, 400}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *says = "which crosses the bounds of the allocation of 100 bytes";
        test_invalid(uh_memcpy(queue, wrong[i].start, other, wrong[i].size, SIGNAL(&event)),
                     "uh_memcpy: destination is ", says);
        test_invalid(uh_memcpy(queue, other, wrong[i].start, wrong[i].size, SIGNAL(&event)), "uh_memcpy: source is ",
                     says);
        test_invalid(uh_fill(queue, wrong[i].start, &x, 1, wrong[i].size, SIGNAL(&event)), "uh_fill: destination is ",
                     says);
    }
    assert_memory_equal(block, untouched, 100);
    assert_ptr_equal(event, state);
    test_good(uh_memcpy(queue, block, other, 100, NULL));
    test_good(uh_memcpy(queue, block + 99, other + 200, 1, NULL));
    /* Only checked, as the bytes before it belong to nobody: a region up to its first byte is outside of it. */
    test_good(uhi_memory_check_copy("copy", "source", NULL, block - 40, 40));
    test_invalid(uhi_memory_check_copy("copy", "source", NULL, block - 40, 41), "crosses the bounds");
}

UNIT_TEST(overlapping_regions_are_refused_and_touching_ones_are_not) {
    uh_queue *queue = test_queue(1, 0);
    char bytes[64] = "abcdefghij";
    assert_int_equal(uh_memcpy(queue, bytes, bytes, 8, NULL), UH_ERROR_INVALID_ARGUMENT);
    test_invalid(uh_memcpy(queue, bytes + 7, bytes, 8, NULL), "expected a distance of 8 bytes");
    assert_int_equal(uh_memcpy(queue, bytes, bytes + 7, 8, NULL), UH_ERROR_INVALID_ARGUMENT);
    assert_string_equal(bytes, "abcdefghij");
    test_good(uh_memcpy(queue, bytes + 8, bytes, 8, NULL));
    assert_string_equal(bytes, "abcdefghabcdefgh");
    test_good(uh_memcpy(queue, bytes, bytes, 0, NULL));
}

UNIT_TEST(wrong_arguments_of_a_copy_or_fill_are_refused_by_name) {
    uh_queue *queue = test_queue(1, 0);
    uh_event *event = (uh_event *)state;
    char a[32], b[32];
    uh_event *const deps[] = {NULL};
    test_invalid(uh_memcpy(NULL, a, b, 1, SIGNAL(&event)), "uh_memcpy: queue is NULL");
    test_invalid(uh_memcpy(queue, NULL, b, 1, SIGNAL(&event)), "destination is NULL");
    test_invalid(uh_memcpy(queue, a, NULL, 9, SIGNAL(&event)), "source is NULL, expected 9 bytes");
    test_invalid(uh_memcpy(queue, a, b, 1, AFTER(deps, 1, &event)), "uh_memcpy: submission->deps[0] is NULL");
    test_invalid(uh_memcpy(queue, a, b, 1, AFTER(NULL, 1, &event)), "uh_memcpy: submission->deps is NULL");
    test_invalid(uh_memcpy(queue, a, b, SIZE_MAX, SIGNAL(&event)), "destination is ", "address space");
    test_null_is_refused(uh_fill(NAMED(queue, queue), NAMED(destination, a), NAMED(pattern, b), 1, 1, SIGNAL(&event)));
    test_invalid(uh_fill(queue, a, b, 1, 1, AFTER(deps, 1, &event)), "uh_fill: submission->deps[0] is NULL");
    static const size_t widths[] = {0, 3, 5, 6, 7, 9, 12, 15, 17, 32, SIZE_MAX};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        test_invalid(uh_fill(queue, a, b, widths[i], 1, SIGNAL(&event)), "pattern_size is ",
                     "expected 1, 2, 4, 8 or 16");
    test_invalid(uh_fill(queue, a, b, 16, SIZE_MAX / 16 + 1, SIGNAL(&event)), "count is ");
    test_invalid(uh_fill(queue, a, b, 16, SIZE_MAX / 16, SIGNAL(&event)), "address space");
    assert_ptr_equal(event, state);
}
