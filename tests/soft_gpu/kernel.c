/* SPDX-License-Identifier: Apache-2.0 */
#include "executor.h"

static void release(struct soft_object *object) {
    struct soft_kernel *kernel = (struct soft_kernel *)object;
    soft_executor->function_free(kernel->function);
    free(kernel->launch);
}

static const struct uhi_signature *find(const struct soft_module *module, const char *name) {
    for (size_t i = 0; i < module->spirv.nkernels; i++)
        if (strcmp(module->spirv.kernels[i].name, name) == 0)
            return &module->spirv.kernels[i];
    return NULL;
}

static bool prepare(struct soft_kernel *kernel) {
    const struct uhi_signature *description = kernel->description;
    struct soft_launch launch = {.description = description};
    launch.function = kernel->function = soft_executor->function_new(kernel->module->program, description->name,
                                                                     &kernel->local_size, &kernel->max_group);
    launch.uses_local = kernel->local_size != 0;
    for (size_t i = 0; i < description->count; i++) {
        const struct uhi_parameter *parameter = &description->parameters[i];
        launch.argument_offset[i] = launch.values_size;
        launch.argument_size[i] = parameter->kind == UHI_PARAMETER_POINTER ? sizeof(void *) : parameter->size;
        launch.values_size += (launch.argument_size[i] + 15) & ~(size_t)15;
        launch.uses_local |= parameter->kind == UHI_PARAMETER_LOCAL;
    }
    for (int i = 0; i < 3; i++)
        launch.local[i] = kernel->required[0] ? kernel->required[i] : 1;
    kernel->group_set = kernel->required[0] != 0;
    kernel->launch = calloc(1, sizeof launch + launch.values_size);
    if (kernel->launch)
        *kernel->launch = launch;
    return kernel->launch && kernel->function;
}

ze_result_t zeKernelCreate(ze_module_handle_t hModule, const ze_kernel_desc_t *desc, ze_kernel_handle_t *phKernel) {
    SOFT_CALL(module, hModule, module);
    SOFT_TRY(soft_need_built(module, __func__));
    SOFT_POINTER(desc);
    SOFT_POINTER(desc->pKernelName);
    SOFT_POINTER(phKernel);
    SOFT_STYPE(desc, ZE_STRUCTURE_TYPE_KERNEL_DESC);
    const struct uhi_signature *description = find(module, desc->pKernelName);
    if (!description)
        return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    for (size_t i = 0; i < description->count; i++)
        if (description->parameters[i].kind == UHI_PARAMETER_OTHER)
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    struct soft_kernel *kernel = soft_new(SOFT_KIND_kernel, sizeof *kernel, &module->object, release);
    if (!kernel)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    kernel->module = module;
    kernel->description = description;
    kernel->required = module->spirv.required[description - module->spirv.kernels];
    if (!prepare(kernel)) {
        soft_destroy(&kernel->object, __func__);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    *phKernel = (ze_kernel_handle_t)kernel;
    return ZE_RESULT_SUCCESS;
}

SOFT_DESTROY(zeKernelDestroy, ze_kernel_handle_t, kernel)

static uint64_t max_group_of(const struct soft_kernel *kernel) {
    return kernel->max_group < soft_settings.group ? kernel->max_group : soft_settings.group;
}

ze_result_t zeKernelSetGroupSize(ze_kernel_handle_t hKernel, uint32_t groupSizeX, uint32_t groupSizeY,
                                 uint32_t groupSizeZ) {
    SOFT_CALL(kernel, hKernel, kernel);
    const size_t sizes[3] = {groupSizeX, groupSizeY, groupSizeZ};
    const size_t *required = kernel->required;
    for (int i = 0; i < 3; i++)
        if (sizes[i] == 0 || sizes[i] > max_group_of(kernel) || (required[0] && sizes[i] != required[i]))
            return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    if (sizes[0] * sizes[1] * sizes[2] > max_group_of(kernel))
        return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    memcpy(kernel->launch->local, sizes, sizeof sizes);
    kernel->group_set = true;
    return ZE_RESULT_SUCCESS;
}

static uint32_t largest_divisor(uint32_t of, uint32_t most) {
    uint32_t divisor = of < most ? of : most;
    while (divisor > 1 && of % divisor)
        divisor--;
    return divisor ? divisor : 1;
}

ze_result_t zeKernelSuggestGroupSize(ze_kernel_handle_t hKernel, uint32_t globalSizeX, uint32_t globalSizeY,
                                     uint32_t globalSizeZ, uint32_t *groupSizeX, uint32_t *groupSizeY,
                                     uint32_t *groupSizeZ) {
    SOFT_CALL(kernel, hKernel, kernel);
    SOFT_POINTER(groupSizeX);
    SOFT_POINTER(groupSizeY);
    SOFT_POINTER(groupSizeZ);
    if (!globalSizeX || !globalSizeY || !globalSizeZ)
        return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
    const size_t *required = kernel->required;
    uint32_t most = max_group_of(kernel) < 256 ? (uint32_t)max_group_of(kernel) : 256;
    *groupSizeX = required[0] ? (uint32_t)required[0] : largest_divisor(globalSizeX, most);
    *groupSizeY = required[0] ? (uint32_t)required[1] : largest_divisor(globalSizeY, most / *groupSizeX);
    *groupSizeZ = required[0] ? (uint32_t)required[2] : largest_divisor(globalSizeZ, most / *groupSizeX / *groupSizeY);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check_pointer(const struct soft_kernel *kernel, const void *value) {
    const void *pointer = NULL;
    struct soft_memory *memory;
    if (value)
        memcpy(&pointer, value, sizeof pointer);
    if (!pointer)
        return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = soft_memory_check("zeKernelSetArgumentValue", pointer, 1, kernel->module->context,
                                           kernel->module->device, false, &memory);
    pthread_mutex_unlock(&soft_lock);
    return result;
}

ze_result_t zeKernelSetArgumentValue(ze_kernel_handle_t hKernel, uint32_t argIndex, size_t argSize,
                                     const void *pArgValue) {
    SOFT_CALL(kernel, hKernel, kernel);
    if (argIndex >= kernel->description->count)
        return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
    const enum uhi_parameter_kind kind = kernel->description->parameters[argIndex].kind;
    struct soft_launch *launch = kernel->launch;
    char *value = launch->values + launch->argument_offset[argIndex];
    if (kind == UHI_PARAMETER_LOCAL ? argSize == 0 || pArgValue : argSize != launch->argument_size[argIndex])
        return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    if (kind == UHI_PARAMETER_VALUE && !pArgValue)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (kind == UHI_PARAMETER_POINTER)
        SOFT_TRY(check_pointer(kernel, pArgValue));
    launch->argument_size[argIndex] = argSize;
    if (pArgValue)
        memcpy(value, pArgValue, argSize);
    else if (kind == UHI_PARAMETER_POINTER)
        memset(value, 0, argSize);
    kernel->argument_set[argIndex] = true;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelSetGlobalOffsetExp(ze_kernel_handle_t hKernel, uint32_t offsetX, uint32_t offsetY,
                                       uint32_t offsetZ) {
    SOFT_CALL(kernel, hKernel, kernel);
    memcpy(kernel->launch->offset, (const size_t[3]){offsetX, offsetY, offsetZ}, sizeof kernel->launch->offset);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeKernelGetProperties(ze_kernel_handle_t hKernel, ze_kernel_properties_t *pKernelProperties) {
    SOFT_CALL(kernel, hKernel, kernel);
    SOFT_DESCRIPTOR(pKernelProperties, ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES);
    ze_kernel_properties_t properties = {.stype = pKernelProperties->stype, .pNext = pKernelProperties->pNext};
    properties.numKernelArgs = (uint32_t)kernel->description->count;
    properties.requiredGroupSizeX = (uint32_t)kernel->required[0];
    properties.requiredGroupSizeY = (uint32_t)kernel->required[1];
    properties.requiredGroupSizeZ = (uint32_t)kernel->required[2];
    properties.maxSubgroupSize = (uint32_t)soft_settings.subgroup;
    properties.maxNumSubgroups = (uint32_t)(max_group_of(kernel) / soft_settings.subgroup);
    properties.localMemSize = (uint32_t)kernel->local_size;
    *pKernelProperties = properties;
    return ZE_RESULT_SUCCESS;
}
