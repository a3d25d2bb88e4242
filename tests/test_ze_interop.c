/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses bare Level Zero together with the library: its memory in our calls, our memory and queues in its
 * calls.
 */
#include <unihist/unihist.h>
#include <unihist/ze.h>

#include "tests/arrays.h"

#define OK(call) assert_int_equal((unsigned)(call), (unsigned)ZE_RESULT_SUCCESS)

enum { COUNT = 5000, BINS = 10 };

/* What the program has of its own: the driver, the first device, a context and an immediate list. */
static struct bare {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
} bare;

static ze_command_list_handle_t make_list(ze_context_handle_t context) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_command_list_handle_t list = NULL;
    OK(zeCommandListCreateImmediate(context, bare.device, &desc, &list));
    return list;
}

static int open_bare(void **state) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t one = 1;
    OK(zeInit(0));
    OK(zeDriverGet(&one, &bare.driver));
    one = 1;
    OK(zeDeviceGet(bare.driver, &one, &bare.device));
    OK(zeContextCreate(bare.driver, &desc, &bare.context));
    bare.list = make_list(bare.context);
    return 0;
}

static int close_bare(void **state) {
    OK(zeCommandListDestroy(bare.list));
    OK(zeContextDestroy(bare.context));
    return 0;
}

static void *allocate(ze_context_handle_t context, uh_memory_kind kind, size_t size) {
    const ze_device_mem_alloc_desc_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    if (kind == UH_MEMORY_DEVICE)
        OK(zeMemAllocDevice(context, &device, size, 64, bare.device, &pointer));
    else if (kind == UH_MEMORY_HOST)
        OK(zeMemAllocHost(context, &host, size, 64, &pointer));
    else
        OK(zeMemAllocShared(context, &device, &host, size, 64, bare.device, &pointer));
    return pointer;
}

/* Copies by the program's own means, and waits. */
static void copy(ze_context_handle_t context, ze_command_list_handle_t list, void *to, const void *from, size_t size) {
    const ze_event_pool_desc_t pool_desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE, .count = 1};
    const ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .signal = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_pool_handle_t pool = NULL;
    ze_event_handle_t event = NULL;
    OK(zeEventPoolCreate(context, &pool_desc, 1, &bare.device, &pool));
    OK(zeEventCreate(pool, &event_desc, &event));
    OK(zeCommandListAppendMemoryCopy(list, to, from, size, event, 0, NULL));
    OK(zeEventHostSynchronize(event, UINT64_MAX));
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
}

static uh_ze_handles handles_of(const uh_queue *queue) {
    uh_ze_handles handles = {.struct_size = sizeof handles};
    test_good(uh_queue_ze(queue, &handles));
    return handles;
}

/* Values, and how often each bin of [0, 10) has one. */
static void make_values(float *values, uint64_t *counts) {
    memset(counts, 0, BINS * sizeof *counts);
    for (size_t i = 0; i < COUNT; i++) {
        const unsigned bin = (unsigned)(i * i + 3 * i) % BINS;
        values[i] = (float)bin + 0.25f;
        counts[bin]++;
    }
}

static void count(uh_queue *queue, const float *values, uint64_t *counts) {
    double edges[BINS + 1];
    const uh_array array = uh_array_of(UH_F32, values, COUNT);
    for (int i = 0; i <= BINS; i++)
        edges[i] = i;
    test_good(uh_histogram_of(queue, &array, BETWEEN(UH_F64, edges, BINS + 1), 1, NULL, CELLS(.counts = counts)));
}

static void assert_counts(const uint64_t *counts, const uint64_t *expected) {
    for (size_t i = 0; i < BINS && test_ze_computes(); i++)
        assert_int_equal(counts[i], expected[i]);
}

/* Whether the driver knows a pointer in a context: Intel's knows those of all contexts. */
static int is_known(ze_context_handle_t context, const void *pointer) {
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    OK(zeMemGetAllocProperties(context, pointer, &properties, NULL));
    return properties.type != ZE_MEMORY_TYPE_UNKNOWN;
}

/* A queue in a context of the program's, on `list` if that is given. */
static uh_queue *queue_from(ze_context_handle_t context, ze_command_list_handle_t list) {
    uh_queue *queue = NULL;
    test_good(uh_queue_create_from_ze(context, bare.device, list, NULL, &queue));
    return test_at_end(queue, test_end_queue);
}

/* Whether a bare pointer of each kind is counted in place by a queue of its context. */
static void count_memory_of(ze_context_handle_t context, ze_command_list_handle_t list, uh_queue *queue) {
    float values[COUNT];
    uint64_t expected[BINS];
    make_values(values, expected);
    for (int kind = UH_MEMORY_DEVICE; kind <= UH_MEMORY_SHARED; kind++) {
        float *memory = allocate(context, (uh_memory_kind)kind, sizeof values);
        uint64_t counts[BINS] = {0};
        uh_pointer_info info;
        copy(context, list, memory, values, sizeof values);
        test_good(uh_pointer_type(memory + 7, &info));
        assert_int_equal(info.kind, kind);
        assert_ptr_equal(info.base, memory);
        assert_true(info.size >= sizeof values); /* Intel's driver tells whole pages */
        count(queue, memory, counts);
        assert_counts(counts, expected);
        OK(zeMemFree(context, memory));
    }
}

UNIT_TEST(memory_of_the_programs_context_is_counted_by_a_queue_made_in_it) {
    count_memory_of(bare.context, bare.list, queue_from(bare.context, NULL));
}

UNIT_TEST(memory_of_the_librarys_context_is_counted_by_any_queue) {
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    const uh_ze_handles handles = handles_of(queue);
    ze_command_list_handle_t list = make_list(handles.context);
    count_memory_of(handles.context, list, queue);
    OK(zeCommandListDestroy(list));
}

UNIT_TEST(a_queue_on_the_programs_list_and_the_program_take_turns) {
    uh_queue *queue = queue_from(bare.context, bare.list);
    const uh_ze_handles handles = handles_of(queue);
    assert_ptr_equal(handles.list, bare.list);
    assert_ptr_equal(handles.context, bare.context);
    count_memory_of(bare.context, bare.list, queue);
    test_good(uh_queue_wait(queue));
    count_memory_of(bare.context, bare.list, queue);
}

UNIT_TEST(fills_and_copies_reach_the_programs_memory) {
    unsigned char seen[1000] = {0};
    uh_queue *queue = queue_from(bare.context, NULL);
    unsigned char *memory = allocate(bare.context, UH_MEMORY_DEVICE, sizeof seen);
    test_good(uh_fill(queue, memory, "ab", 2, sizeof seen / 2, NULL));
    test_good(uh_memcpy(queue, seen, memory, sizeof seen, NULL));
    test_good(uh_queue_wait(queue));
    for (size_t i = 0; i < sizeof seen && test_ze_computes(); i++)
        assert_int_equal(seen[i], i % 2 ? 'b' : 'a');
    OK(zeMemFree(bare.context, memory));
}

UNIT_TEST(memory_of_uh_malloc_is_an_allocation_of_its_devices_context) {
    uh_ze_handles handles = {.struct_size = sizeof handles};
    uh_device *in_context = NULL, *devices[2] = {test_ze_device()};
    test_good(uh_device_from_ze(bare.context, bare.device, &devices[1]));
    test_good(uh_device_from_ze(bare.context, bare.device, &in_context));
    assert_ptr_equal(in_context, devices[1]);
    test_good(uh_device_from_ze(NULL, bare.device, &in_context));
    assert_ptr_equal(in_context, devices[0]);
    for (int i = 0; i < 2; i++) {
        unsigned char data[100] = "of the program", seen[100] = "";
        ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        ze_device_handle_t of = NULL;
        unsigned char *memory = test_ze_alloc(devices[i], UH_MEMORY_DEVICE, sizeof data);
        test_good(uh_device_ze(devices[i], &handles));
        assert_ptr_equal(handles.driver, bare.driver);
        assert_ptr_equal(handles.device, bare.device);
        assert_null(handles.list);
        OK(zeMemGetAllocProperties(handles.context, memory, &properties, &of));
        assert_int_equal(properties.type, ZE_MEMORY_TYPE_DEVICE);
        assert_ptr_equal(of, bare.device);
        ze_command_list_handle_t list = make_list(handles.context);
        copy(handles.context, list, memory, data, sizeof data);
        copy(handles.context, list, seen, memory, sizeof seen);
        if (test_ze_computes())
            assert_memory_equal(seen, data, sizeof data);
        OK(zeCommandListDestroy(list));
    }
}

UNIT_TEST(memory_of_another_context_is_refused_by_name) {
    float seen[10];
    uh_queue *inside = queue_from(bare.context, NULL), *outside = test_ze_queue(test_ze_device(), 0);
    const uh_ze_handles handles = handles_of(outside);
    for (int kind = UH_MEMORY_DEVICE; kind <= UH_MEMORY_SHARED; kind++) {
        float *theirs = allocate(bare.context, (uh_memory_kind)kind, 100);
        float *ours = test_ze_alloc(test_ze_device(), (uh_memory_kind)kind, 100);
        test_invalid(uh_memcpy(inside, ours, seen, 40, NULL), "uh_memcpy: destination is",
                     "in another context than the queue's");
        if (is_known(handles.context, theirs)) {
            test_good(uh_memcpy(outside, seen, theirs, 40, NULL));
            test_good(uh_queue_wait(outside));
        } else {
            const uh_array array = uh_array_of(UH_F32, theirs, 10);
            const double edges[] = {0, 1};
            uint64_t one;
            test_invalid(uh_memcpy(outside, seen, theirs, 40, NULL), "uh_memcpy: source is",
                         "in another context than the queue's", "uh_queue_create_from_ze");
            test_invalid(uh_histogram_of(outside, &array, BETWEEN(UH_F64, edges, 2), 1, NULL, CELLS(.counts = &one)),
                         "uh_histogram_of", "in another context than the queue's");
        }
        OK(zeMemFree(bare.context, theirs));
    }
}

UNIT_TEST(host_queues_refuse_the_programs_device_memory_and_take_the_rest) {
    unsigned char data[64] = {1};
    uh_queue *host = test_queue(1, 0), *queue = queue_from(bare.context, NULL);
    unsigned char *device = allocate(bare.context, UH_MEMORY_DEVICE, 64);
    unsigned char *shared = allocate(bare.context, UH_MEMORY_SHARED, 64);
    assert_non_null(queue);
    test_invalid(uh_memcpy(host, device, data, 64, NULL), "uh_memcpy: destination is", "host:0 can reach");
    test_good(uh_memcpy(host, shared, data, 64, NULL));
    assert_int_equal(shared[0], 1);
    OK(zeMemFree(bare.context, device));
    OK(zeMemFree(bare.context, shared));
}

UNIT_TEST(a_region_that_leaves_the_programs_allocation_is_refused) {
    unsigned char data[64] = {0};
    uh_queue *queue = test_ze_queue(test_ze_device(), 0);
    const uh_ze_handles handles = handles_of(queue);
    uh_pointer_info info;
    unsigned char *memory = allocate(handles.context, UH_MEMORY_DEVICE, 64);
    test_good(uh_pointer_type(memory, &info));
    test_invalid(uh_memcpy(queue, memory + info.size - 32, data, 33, NULL), "uh_memcpy: destination is",
                 "which crosses the bounds of the allocation");
    OK(zeMemFree(handles.context, memory));
    test_good(uh_pointer_type(memory, &info));
    assert_int_equal(info.kind, UH_MEMORY_UNKNOWN);
}

UNIT_TEST(wrong_handles_are_named) {
    uh_ze_handles handles = {.struct_size = sizeof handles}, wrong = {.struct_size = 3};
    const uh_queue_options *copies = QUEUE_OPTIONS(.engine = UH_ENGINE_COPY),
                           *low = QUEUE_OPTIONS(.priority = UH_PRIORITY_LOW);
    uh_device *found = NULL;
    uh_queue *queue = NULL, *host = test_queue(1, 0);
    test_assert_failed(uh_device_ze(test_host(), &handles), UH_ERROR_UNSUPPORTED,
                       "uh_device_ze: host:0 has no handles");
    test_assert_failed(uh_queue_ze(host, &handles), UH_ERROR_UNSUPPORTED, "uh_queue_ze: host:0 has no handles");
    test_invalid(uh_device_ze(test_ze_device(), &wrong), "uh_device_ze: handles");
    test_invalid(uh_device_ze(NULL, &handles), "uh_device_ze: device is NULL");
    test_invalid(uh_queue_ze(NULL, &handles), "uh_queue_ze: queue is NULL");
    test_invalid(uh_device_from_ze(bare.context, NULL, &found), "uh_device_from_ze: device is NULL");
    test_invalid(uh_queue_create_from_ze(bare.context, bare.device, NULL, NULL, NULL),
                 "uh_queue_create_from_ze: queue is NULL");
    test_invalid(uh_queue_create_from_ze(bare.context, bare.device, bare.list, copies, &queue),
                 "uh_queue_create_from_ze: options->engine is 1, expected UH_ENGINE_COMPUTE");
    test_invalid(uh_queue_create_from_ze(bare.context, bare.device, bare.list, low, &queue),
                 "uh_queue_create_from_ze: options->priority is 1, expected UH_PRIORITY_NORMAL");
    test_assert_failed(uh_queue_create_from_ze(bare.context, (ze_device_handle_t)(void *)&handles, NULL, NULL, &queue),
                       UH_ERROR_NOT_FOUND, "uh_queue_create_from_ze", "expected a device that the library lists");
    assert_null(queue);
    assert_null(found);
}

TEST_MAIN(test_ze_interop) { return test_ze_device() ? test_run_units(open_bare, close_bare) : test_ze_skip(); }
