/* SPDX-License-Identifier: Apache-2.0 */
#include "soft_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct soft_fixture soft;

static void create_events(void) {
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 8};
    desc.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
    OK(zeEventPoolCreate(soft.context, &desc, 1, &soft.device, &soft.pool));
    for (uint32_t i = 0; i < 8; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        OK(zeEventCreate(soft.pool, &event, &soft.events[i]));
    }
}

static void end_list(void *list) {
    OK(zeCommandListDestroy(list));
}

static void end_module(void *module) {
    OK(zeModuleDestroy(module));
}

static void end_kernel(void *kernel) {
    OK(zeKernelDestroy(kernel));
}

int soft_setup(void **state) {
    (void)state;
    uint32_t one = 1;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    assert_int_equal(soft_gpu_find(&soft.gpu), 0);
    OK(zeInit(0));
    OK(zeDriverGet(&one, &soft.driver));
    one = 1;
    OK(zeDeviceGet(soft.driver, &one, &soft.device));
    OK(zeContextCreate(soft.driver, &desc, &soft.context));
    soft.list = soft_immediate(0);
    create_events();
    return 0;
}

int soft_teardown(void **state) {
    (void)state;
    char text[2048] = "";
    for (int i = 0; i < 8; i++)
        OK(zeEventDestroy(soft.events[i]));
    OK(zeEventPoolDestroy(soft.pool));
    OK(zeCommandListDestroy(soft.list));
    OK(zeContextDestroy(soft.context));
    size_t live = soft.gpu.live_handles(text, sizeof text);
    if (live)
        print_error("alive:\n%s", text);
    size_t misuses = soft.gpu.misuses(text, sizeof text);
    if (misuses)
        print_error("misused: %s\n", text);
    return live || misuses ? -1 : 0;
}

ze_command_list_handle_t soft_immediate(uint32_t ordinal) {
    ze_command_list_handle_t list = NULL;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal};
    desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    OK(zeCommandListCreateImmediate(soft.context, soft.device, &desc, &list));
    return test_at_end(list, end_list);
}

static const ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

void *soft_device_memory(size_t size) {
    void *pointer = NULL;
    OK(zeMemAllocDevice(soft.context, &device_desc, size, 0, soft.device, &pointer));
    return test_at_end(pointer, soft_free);
}

void *soft_host_memory(size_t size) {
    void *pointer = NULL;
    OK(zeMemAllocHost(soft.context, &host_desc, size, 0, &pointer));
    return test_at_end(pointer, soft_free);
}

void *soft_shared_memory(size_t size) {
    void *pointer = NULL;
    OK(zeMemAllocShared(soft.context, &device_desc, &host_desc, size, 0, soft.device, &pointer));
    return test_at_end(pointer, soft_free);
}

void soft_free(void *pointer) {
    OK(zeMemFree(soft.context, pointer));
}

unsigned char *soft_read(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return test_at_end(bytes, free);
}

ze_result_t soft_build(ze_module_format_t format, const void *code, size_t size, const char *flags,
                       const ze_module_constants_t *constants, ze_module_handle_t *module, char **log) {
    ze_module_build_log_handle_t handle = NULL;
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = format,
                             .inputSize = size,
                             .pInputModule = code,
                             .pBuildFlags = flags,
                             .pConstants = constants};
    *module = NULL;
    ze_result_t result = zeModuleCreate(soft.context, soft.device, &desc, module, log ? &handle : NULL);
    if (log) {
        OK(zeModuleBuildLogGetString(handle, &size, NULL));
        *log = malloc(size);
        assert_non_null(*log);
        OK(zeModuleBuildLogGetString(handle, &size, *log));
        assert_int_equal((*log)[size - 1], '\0');
        OK(zeModuleBuildLogDestroy(handle));
    }
    return result;
}

ze_module_handle_t soft_module(void) {
    size_t size;
    ze_module_handle_t module;
    unsigned char *code = soft_read(SOFT_KERNELS "/kernels.spv", &size);
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, code, size, NULL, NULL, &module, NULL));
    free(test_take(code));
    return test_at_end(module, end_module);
}

ze_kernel_handle_t soft_kernel(ze_module_handle_t module, const char *name) {
    ze_kernel_handle_t kernel = NULL;
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    OK(zeKernelCreate(module, &desc, &kernel));
    return test_at_end(kernel, end_kernel);
}

void soft_argument(ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value) {
    OK(zeKernelSetArgumentValue(kernel, index, size, value));
}

void soft_arguments(ze_kernel_handle_t kernel, const struct soft_value *values, size_t n) {
    for (uint32_t i = 0; i < n; i++)
        soft_argument(kernel, i, values[i].size, values[i].value);
}

bool soft_protection_keys(void) {
    char line[8192];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, " ospke") != NULL;
    if (file)
        fclose(file);
    return found;
}

void soft_finish(void) {
    OK(zeEventHostReset(soft.events[7]));
    OK(zeCommandListAppendBarrier(soft.list, soft.events[7], 0, NULL));
    OK(zeEventHostSynchronize(soft.events[7], FOREVER));
}

void soft_expect_misuse(const char *part) {
    char text[512];
    assert_int_equal(soft.gpu.misuses(text, sizeof text), 1);
    if (!strstr(text, part))
        fail_msg("'%s' does not say '%s'", text, part);
}
