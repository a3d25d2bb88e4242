/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's own driver without hardware takes copies, fills and events between all kinds of memory, and computes nothing.
 * tests/tests.cmake sets the environment that makes it do so. */
#include "tests/support.h"

#include <unihist/unihist.h>

#include "tests/intel_null.h"

enum { BYTES = 100000 };

static void copies_fills_and_prefetches_between_all_kinds_are_taken(void **state) {
    (void)state;
    static unsigned char plain[BYTES] = {0}, other[BYTES] = {0};
    static const unsigned char pattern[] = "0123456789abcdef";
    void *there[5] = {plain, NULL, NULL, NULL, NULL};
    uh_pointer_info info;
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_DEVICE, BYTES, 0, &there[1]), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_HOST, BYTES, 4096, &there[2]), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_SHARED, BYTES, 256, &there[3]), UH_SUCCESS);
    there[4] = other;
    for (int kind = 1; kind < 4; kind++) {
        assert_int_equal(uh_pointer_type(there[kind], &info), UH_SUCCESS);
        assert_int_equal(info.kind, kind);
    }
    for (int to = 0; to < 5; to++) {
        for (int from = 0; from < 5; from++)
            if (to != from && uh_memcpy(null_queue, there[to], there[from], BYTES, NULL) != UH_SUCCESS)
                fail_msg("from %d to %d: %s", from, to, uh_last_error());
        for (size_t size = 1; size <= 16 && to > 0 && to < 4; size *= 2)
            if (uh_fill(null_queue, (char *)there[to] + 3, pattern, size, 100, NULL) != UH_SUCCESS)
                fail_msg("memory %d, patterns of %zu bytes: %s", to, size, uh_last_error());
    }
    assert_int_equal(uh_mem_advise(null_queue, there[3], BYTES, UH_ADVICE_PREFETCH, NULL), UH_SUCCESS);
    for (int advice = UH_ADVICE_READ_MOSTLY; advice <= UH_ADVICE_PREFER_NONE; advice++)
        assert_int_equal(uh_mem_advise(null_queue, there[3], BYTES, (uh_memory_advice)advice, NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
    for (int kind = 1; kind < 4; kind++)
        assert_int_equal(uh_free(there[kind]), UH_SUCCESS);
}

static void a_fill_of_plain_host_memory_is_taken(void **state) {
    (void)state;
    static unsigned char plain[1000] = {0};
    if (uh_fill(null_queue, plain + 1, "abcd", 4, 200, NULL) != UH_SUCCESS)
        fail_msg("%s", uh_last_error());
    assert_int_equal(uh_queue_wait(null_queue), UH_SUCCESS);
}

/* Waits return at once: the driver takes everything for done that it was given. */
static void events_order_queues_and_waits_return(void **state) {
    (void)state;
    const uh_queue_options copies = {.struct_size = sizeof copies, .engine = UH_ENGINE_COPY};
    const uh_queue_options timed = {.struct_size = sizeof timed, .profiling = 1};
    uh_queue *other = NULL, *profiled = NULL;
    uh_event *events[3] = {NULL, NULL, NULL};
    void *memory = NULL;
    const uint32_t pattern = 1;
    assert_int_equal(uh_queue_create(null_device, &copies, &other), UH_SUCCESS);
    assert_int_equal(uh_queue_create(null_device, &timed, &profiled), UH_SUCCESS);
    assert_int_equal(uh_malloc(null_device, UH_MEMORY_DEVICE, 8192, 0, &memory), UH_SUCCESS);
    assert_int_equal(uh_fill(null_queue, memory, &pattern, 4, 1024, &(uh_submission){.event = &events[0]}), UH_SUCCESS);
    assert_int_equal(uh_memcpy(other, (char *)memory + 4096, memory, 4096,
                               &(uh_submission){.deps = events, .ndeps = 1, .event = &events[1]}),
                     UH_SUCCESS);
    assert_int_equal(
        uh_fill(profiled, memory, &pattern, 4, 1024, &(uh_submission){.deps = events, .ndeps = 2, .event = &events[2]}),
        UH_SUCCESS);
    for (int i = 2; i >= 0; i--) {
        assert_int_equal(uh_event_wait(events[i], 1000000), UH_SUCCESS);
        assert_int_equal(uh_event_wait(events[i], UINT64_MAX), UH_SUCCESS);
    }
    for (int i = 0; i < 3; i++)
        uh_event_destroy(events[i]);
    uh_queue_destroy(profiled);
    uh_queue_destroy(other);
    assert_int_equal(uh_free(memory), UH_SUCCESS);
}

TEST_MAIN(test_intel_null_memory) {
    static size_t least_calls = 50;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_fills_and_prefetches_between_all_kinds_are_taken),
        cmocka_unit_test(a_fill_of_plain_host_memory_is_taken),
        cmocka_unit_test(events_order_queues_and_waits_return),
        {"no_call_of_level_zero_has_failed", no_call_of_level_zero_has_failed, NULL, NULL, &least_calls},
    };
    return intel_null_run("intel_null_memory", tests, sizeof tests / sizeof *tests, argc, argv);
}
