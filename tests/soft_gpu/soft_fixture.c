/* SPDX-License-Identifier: Apache-2.0 */
#include "soft_fixture.h"

struct soft_fixture soft;

static void end_list(void *list) { OK(zeCommandListDestroy(list)); }

static void end_module(void *module) { OK(zeModuleDestroy(module)); }

static void end_kernel(void *kernel) { OK(zeKernelDestroy(kernel)); }

int soft_setup(void **state) {
    uint32_t one = 1;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_event_pool_desc_t of_pool = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                          .flags =
                                              ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                                          .count = 8};
    assert_int_equal(soft_gpu_find(&soft.gpu), 0);
    OK(zeInit(0));
    OK(zeDriverGet(&one, &soft.driver));
    one = 1;
    OK(zeDeviceGet(soft.driver, &one, &soft.device));
    OK(zeContextCreate(soft.driver, &desc, &soft.context));
    soft.list = test_take(soft_list(0, 0));
    OK(zeEventPoolCreate(soft.context, &of_pool, 1, &soft.device, &soft.pool));
    for (uint32_t i = 0; i < 8; i++) {
        const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        OK(zeEventCreate(soft.pool, &event, &soft.events[i]));
    }
    return 0;
}

int soft_teardown(void **state) {
    char text[2048] = "";
    for (int i = 0; i < 8; i++)
        OK(zeEventDestroy(soft.events[i]));
    OK(zeEventPoolDestroy(soft.pool));
    OK(zeCommandListDestroy(soft.list));
    OK(zeContextDestroy(soft.context));
    const size_t live = soft.gpu.live_handles(text, sizeof text);
    if (live)
        print_error("alive:\n%s", text);
    const size_t misuses = soft.gpu.misuses(text, sizeof text);
    if (misuses)
        print_error("misused: %s\n", text);
    return live || misuses ? -1 : 0;
}

void soft_reset_events(void) {
    for (int i = 0; i < 8; i++)
        OK(zeEventHostReset(soft.events[i]));
}

ze_result_t soft_create_list(uint32_t ordinal, ze_command_queue_flags_t flags, ze_command_list_handle_t *list) {
    const ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                          .ordinal = ordinal,
                                          .flags = flags,
                                          .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    return zeCommandListCreateImmediate(soft.context, soft.device, &desc, list);
}

ze_command_list_handle_t soft_list(uint32_t ordinal, ze_command_queue_flags_t flags) {
    ze_command_list_handle_t list = NULL;
    OK(soft_create_list(ordinal, flags, &list));
    return test_at_end(list, end_list);
}

void *soft_memory(ze_memory_type_t type, size_t size) {
    const ze_device_mem_alloc_desc_t in_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t in_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *pointer = NULL;
    if (type == ZE_MEMORY_TYPE_DEVICE)
        OK(zeMemAllocDevice(soft.context, &in_device, size, 0, soft.device, &pointer));
    else if (type == ZE_MEMORY_TYPE_HOST)
        OK(zeMemAllocHost(soft.context, &in_host, size, 0, &pointer));
    else
        OK(zeMemAllocShared(soft.context, &in_device, &in_host, size, 0, soft.device, &pointer));
    return test_at_end(pointer, soft_free);
}

void soft_free(void *pointer) { OK(zeMemFree(soft.context, pointer)); }

ze_result_t soft_build(ze_module_format_t format, const void *code, size_t size, ze_module_handle_t *module,
                       char **log) {
    const ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = format, .inputSize = size, .pInputModule = code};
    ze_module_build_log_handle_t handle = NULL;
    *module = NULL;
    const ze_result_t result = zeModuleCreate(soft.context, soft.device, &desc, module, log ? &handle : NULL);
    if (log) {
        OK(zeModuleBuildLogGetString(handle, &size, NULL));
        assert_non_null(*log = malloc(size));
        OK(zeModuleBuildLogGetString(handle, &size, *log));
        OK(zeModuleBuildLogDestroy(handle));
    }
    return result;
}

ze_module_handle_t soft_module(const uh_program *program) {
    ze_module_handle_t module;
    OK(soft_build(ZE_MODULE_FORMAT_IL_SPIRV, program->spirv, program->spirv_size, &module, NULL));
    return test_at_end(module, end_module);
}

ze_kernel_handle_t soft_kernel(ze_module_handle_t module, const char *name) {
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    OK(zeKernelCreate(module, &desc, &kernel));
    return test_at_end(kernel, end_kernel);
}

ze_result_t soft_fill(ze_command_list_handle_t list, uint32_t *word, ze_event_handle_t signal, ze_event_handle_t wait) {
    const uint32_t one = 1;
    return zeCommandListAppendMemoryFill(list, word, &one, sizeof one, sizeof one, signal, wait != NULL, &wait);
}

ze_result_t soft_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel, uint32_t groups,
                        ze_event_handle_t signal) {
    return zeCommandListAppendLaunchKernel(list, kernel, &(ze_group_count_t){groups, 1, 1}, signal, 0, NULL);
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
        fail_msg("'%s' does not contain '%s'", text, part);
}
