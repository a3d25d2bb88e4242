/* SPDX-License-Identifier: Apache-2.0 */
/* The driver as such: its start, its report at the end of the process, contexts. */
#include "executor.h"

#include <unistd.h>

pthread_cond_t soft_changed;

static pthread_once_t started = PTHREAD_ONCE_INIT;
static bool start_failed;
static struct soft_driver *the_driver;

const struct soft_executor *soft_executor;

static bool start_executor(void) {
    const char *name = getenv("SOFT_GPU_EXECUTOR");
    soft_executor = name && strcmp(name, "cuda") == 0 ? &soft_cuda : &soft_opencl;
    if (name && soft_executor == &soft_opencl && strcmp(name, "opencl") != 0)
        return soft_refuse("SOFT_GPU_EXECUTOR is '%s', expected opencl or cuda", name);
    return soft_executor->start();
}

static void start(void) {
    soft_condition_init(&soft_changed);
    start_failed = true;
    if (!soft_settings_from_environment() || !soft_faults_from_environment())
        return;
    soft_protection_start();
    if (!start_executor())
        return;
    the_driver = soft_new(SOFT_KIND_driver, sizeof *the_driver, NULL, NULL);
    start_failed = (!the_driver || !soft_devices_create()) && !soft_refuse("out of memory");
}

/* Runs after the exit handlers of those that use the driver, as it was loaded before they called zeInit. */
__attribute__((destructor)) static void report(void) {
    static char text[4096];
    size_t live = soft_live(text, sizeof text), misuses = soft_misuse_count();
    const char *leaks = getenv("SOFT_GPU_LEAKS");
    if (live)
        fprintf(stderr, "soft_gpu: %zu handles are alive at the end of the process:\n%s", live, text);
    if (misuses)
        fprintf(stderr, "soft_gpu: misuses: %zu\n", misuses);
    if ((live || misuses) && leaks && strcmp(leaks, "fatal") == 0) {
        fflush(NULL);
        _exit(99);
    }
}

/* What the first zeInit has given: loaders give it ever after. */
static _Atomic ze_result_t first_init = ZE_RESULT_FORCE_UINT32;

ze_result_t zeInit(ze_init_flags_t flags) {
    pthread_once(&started, start);
    SOFT_ENTER(SOFT_ALWAYS);
    if (start_failed)
        return ZE_RESULT_ERROR_UNINITIALIZED;
    if (flags > (ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    ze_result_t result = ZE_RESULT_FORCE_UINT32;
    const ze_result_t asked = flags == ZE_INIT_FLAG_VPU_ONLY ? ZE_RESULT_ERROR_UNINITIALIZED : ZE_RESULT_SUCCESS;
    if (atomic_compare_exchange_strong(&first_init, &result, asked))
        result = asked;
    if (result == ZE_RESULT_SUCCESS)
        atomic_store(&soft_initialized, true);
    return result;
}

/* As 1.10's loaders declare it; older headers do not. */
__attribute__((visibility("default"))) ze_result_t
soft_init_drivers(uint32_t *pCount, ze_driver_handle_t *phDrivers,
                  struct uhi_ze_driver_types *desc) __asm__("zeInitDrivers");
ze_result_t soft_init_drivers(uint32_t *pCount, ze_driver_handle_t *phDrivers, struct uhi_ze_driver_types *desc) {
    pthread_once(&started, start);
    SOFT_TRY(soft_enter("zeInitDrivers", SOFT_ALWAYS));
    if (start_failed)
        return ZE_RESULT_ERROR_UNINITIALIZED;
    SOFT_POINTER(pCount);
    if (!desc || desc->stype != UHI_ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC || !desc->flags)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "zeInitDrivers", "a wrong descriptor");
    SOFT_LIST_COUNT(pCount, (desc->flags & UHI_ZE_DRIVER_TYPE_GPU) != 0);
    if (*pCount)
        atomic_store(&soft_initialized, true);
    if (phDrivers && *pCount)
        phDrivers[0] = (ze_driver_handle_t)the_driver;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGet(uint32_t *pCount, ze_driver_handle_t *phDrivers) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_POINTER(pCount);
    SOFT_LIST_COUNT(pCount, 1);
    if (phDrivers)
        phDrivers[0] = (ze_driver_handle_t)the_driver;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetApiVersion(ze_driver_handle_t hDriver, ze_api_version_t *version) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(driver, hDriver, driver);
    SOFT_POINTER(version);
    *version = soft_settings.in_order ? (ze_api_version_t)ZE_MAKE_VERSION(1, 8) : ZE_API_VERSION_1_4;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetProperties(ze_driver_handle_t hDriver, ze_driver_properties_t *pDriverProperties) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(driver, hDriver, driver);
    SOFT_DESCRIPTOR(pDriverProperties, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES);
    memset(&pDriverProperties->uuid, 0, sizeof pDriverProperties->uuid);
    memcpy(pDriverProperties->uuid.id, "soft_gpu driver", 15);
    pDriverProperties->driverVersion = (uint32_t)soft_settings.version;
    return ZE_RESULT_SUCCESS;
}

static const ze_driver_extension_properties_t extensions[] = {
    {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_GLOBAL_OFFSET_EXP_VERSION_1_0},
    {ZE_PCI_PROPERTIES_EXT_NAME, ZE_PCI_PROPERTIES_EXT_VERSION_1_0},
    {ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME, ZE_DEVICE_MEMORY_PROPERTIES_EXT_VERSION_1_0},
    {ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
    {ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME, ZE_RELAXED_ALLOCATION_LIMITS_EXP_VERSION_1_0},
    {ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME, ZE_EVENT_POOL_COUNTER_BASED_EXP_VERSION_1_0}, /* the last: in_order */
};

ze_result_t zeDriverGetExtensionProperties(ze_driver_handle_t hDriver, uint32_t *pCount,
                                           ze_driver_extension_properties_t *properties) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(driver, hDriver, driver);
    SOFT_POINTER(pCount);
    const uint32_t have = (uint32_t)(sizeof extensions / sizeof *extensions) - !soft_settings.in_order;
    SOFT_LIST_COUNT(pCount, have);
    if (properties)
        memcpy(properties, extensions, *pCount * sizeof *extensions);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDriverGetExtensionFunctionAddress(ze_driver_handle_t hDriver, const char *name,
                                                void **ppFunctionAddress) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(driver, hDriver, driver);
    SOFT_POINTER(name);
    SOFT_POINTER(ppFunctionAddress);
    ze_result_t (*offset)(ze_kernel_handle_t, uint32_t, uint32_t, uint32_t) = zeKernelSetGlobalOffsetExp;
    ze_result_t (*import)(void *, void *, size_t) = soft_import;
    ze_result_t (*release)(void *, void *) = soft_import_release;
    if (strcmp(name, "zeKernelSetGlobalOffsetExp") == 0)
        memcpy(ppFunctionAddress, &offset, sizeof offset);
    else if (soft_settings.import && strcmp(name, "zexDriverImportExternalPointer") == 0)
        memcpy(ppFunctionAddress, &import, sizeof import);
    else if (soft_settings.import && strcmp(name, "zexDriverReleaseImportedPointer") == 0)
        memcpy(ppFunctionAddress, &release, sizeof release);
    else
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeContextCreate(ze_driver_handle_t hDriver, const ze_context_desc_t *desc, ze_context_handle_t *phContext) {
    SOFT_CALL(driver, hDriver, driver);
    SOFT_POINTER(phContext);
    SOFT_DESCRIPTOR(desc, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
    struct soft_context *context = soft_new(SOFT_KIND_context, sizeof *context, NULL, NULL);
    if (!context)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    *phContext = (ze_context_handle_t)context;
    return ZE_RESULT_SUCCESS;
}

SOFT_DESTROY(zeContextDestroy, ze_context_handle_t, context)
