/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fixture.h"

const uh_device_properties iris_xe = {.struct_size = sizeof iris_xe,
                                      .kind = UH_DEVICE_GPU,
                                      .cores = 96,
                                      .threads = 672,
                                      .memory = UINT64_C(12) << 30,
                                      .local_memory = 65536,
                                      .max_group_size = 512,
                                      .vendor_id = 0x8086,
                                      .unified_memory = 1,
                                      .sub_group_sizes = {8, 16, 32}};

const uh_device_properties max_1550 = {.struct_size = sizeof max_1550,
                                       .kind = UH_DEVICE_GPU,
                                       .cores = 512,
                                       .threads = 4096,
                                       .memory = UINT64_C(64) << 30,
                                       .local_memory = 131072,
                                       .max_group_size = 1024,
                                       .vendor_id = 0x8086,
                                       .fp64 = 1,
                                       .sub_group_sizes = {16, 32}};

uh_device *test_device(const char *selector) {
    uh_device *device = NULL;
    test_good(uh_device_select(selector, &device));
    return device;
}

uh_device *test_host(void) { return test_device("host"); }

uh_device_properties test_device_properties(const uh_device *device) {
    uh_device_properties properties = {.struct_size = sizeof properties};
    test_good(uh_device_get_properties(device, &properties));
    return properties;
}

struct soft_gpu test_soft_gpu(void) {
    struct soft_gpu gpu;
    if (soft_gpu_find(&gpu))
        skip_because("only the soft driver has these functions");
    return gpu;
}

void test_good(uh_status status) {
    if (status)
        fail_msg("%s: %s", uh_status_name(status), uh_last_error());
}

void test_hear(uh_status status, const char *message, void *user) {
    struct test_heard *heard = user;
    heard->calls++;
    heard->status = status;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

uint64_t test_asked, test_allowed;

int test_is_cancelled(void *user) { return test_asked++ >= test_allowed; }

void test_end_queue(void *queue) {
    uh_queue_properties known = {.struct_size = sizeof known};
    test_good(uh_queue_get_properties(queue, &known));
    uh_queue_destroy(queue);
    assert_int_equal(known.users, 0);
}

static void test_end_event(void *event) { uh_event_destroy(event); }

static void test_end_kernel(void *kernel) { uh_kernel_destroy(kernel); }

static void test_end_module(void *module) { uh_module_destroy(module); }

void test_end_memory(void *memory) { test_good(uh_free(memory)); }

uh_queue *test_queue_of(uh_device *device, const uh_queue_options *options) {
    uh_queue *queue = NULL;
    test_good(uh_queue_create(device, options, &queue));
    return test_at_end_first(queue, test_end_queue);
}

uh_queue *test_queue(uint32_t threads, int profiling) {
    return test_queue_of(test_host(), QUEUE_OPTIONS(.threads = threads, .profiling = profiling ? 1 : 0));
}

uh_kernel *test_kernel(const char *name, uh_host_function function) {
    uh_kernel *kernel = NULL;
    test_good(uh_kernel_create_host(name, function, &kernel));
    return test_at_end(kernel, test_end_kernel);
}

uh_module *test_module(uh_device *device, const uh_program *program, const uh_module_options *options) {
    uh_module *module = NULL;
    test_good(uh_module_create(device, program, options, &module));
    return test_at_end(module, test_end_module);
}

uh_kernel *test_kernel_of(uh_module *module, const char *name) {
    uh_kernel *kernel = NULL;
    test_good(uh_kernel_get(module, name, &kernel));
    return kernel;
}

void test_wait_and_end(uh_event *event) {
    test_good(uh_event_wait(event, UINT64_MAX));
    uh_event_destroy(event);
}

uh_event *test_event(uh_queue *queue) {
    static char from, to;
    uh_event *event = NULL;
    test_good(uh_memcpy(queue, &to, &from, 1, SIGNAL(&event)));
    return test_at_end_first(event, test_end_event); /* its queue goes after it */
}

void test_assert_failed_with(uh_status got, uh_status status, ...) {
    if (got != status)
        fail_msg("the status is %s, expected %s; the last message is: %s", uh_status_name(got), uh_status_name(status),
                 uh_last_error());
    va_list texts;
    va_start(texts, status);
    for (const char *text; (text = va_arg(texts, const char *)) != NULL;)
        if (!strstr(uh_last_error(), text))
            fail_msg("the message is: %s; expected \"%s\" in it", uh_last_error(), text);
    va_end(texts);
}

static struct null {
    size_t round, asked;
    const char *argument;
} null;

int test_is_null(const char *argument) {
    if (null.asked++ != null.round)
        return 0;
    null.argument = argument;
    return 1;
}

int test_null_next(uh_status got, const char *call) {
    char says[160];
    assert_true(null.round < null.asked);
    snprintf(says, sizeof says, "%.*s: %s is NULL", (int)strcspn(call, "("), call, null.argument);
    test_invalid(got, says);
    null.round = (null.round + 1) % null.asked;
    null.asked = 0;
    return null.round > 0;
}

uh_device *test_ze_device(void) {
    size_t count = 0;
    if (uh_device_count(&count) != UH_SUCCESS)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        uh_device *device = NULL;
        uh_device_properties p = {.struct_size = sizeof p};
        if (uh_device_get(i, &device) == UH_SUCCESS && uh_device_get_properties(device, &p) == UH_SUCCESS &&
            strcmp(p.backend, "level_zero") == 0)
            return device;
    }
    return NULL;
}

int test_ze_computes(void) { return getenv("SetCommandStreamReceiver") == NULL; }

int test_ze_skip(void) {
    uh_device *device;
    (void)uh_device_select("level_zero", &device);
    printf("skipped: %s\n", uh_last_error());
    return 77;
}

uh_queue *test_ze_queue(uh_device *device, int profiling) {
    return test_queue_of(device, QUEUE_OPTIONS(.profiling = profiling ? 1 : 0));
}

void *test_ze_alloc(uh_device *device, uh_memory_kind kind, size_t size) {
    void *pointer = NULL;
    if (kind != UH_MEMORY_UNKNOWN)
        test_good(uh_malloc(device, kind, size, 0, &pointer));
    else
        assert_non_null(pointer = calloc(1, size ? size : 1));
    return test_at_end(pointer, kind == UH_MEMORY_UNKNOWN ? free : test_end_memory);
}
