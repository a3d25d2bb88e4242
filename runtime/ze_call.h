/* SPDX-License-Identifier: Apache-2.0 */
/* All Level Zero calls go through here: the loader is opened at run time, each call is traced, and each failure becomes
 * a status and a message with the call, its result, the file and the line. */
#pragma once

#include "runtime/status.h"
#include "runtime/ze_newer.h"

/* The only list of the functions that the runtime calls and every loader has. */
#define UHI_ZE_FUNCTIONS(X)                                                                                            \
    X(zeInit)                                                                                                          \
    X(zeDriverGet)                                                                                                     \
    X(zeDriverGetApiVersion)                                                                                           \
    X(zeDriverGetProperties)                                                                                           \
    X(zeDriverGetExtensionProperties)                                                                                  \
    X(zeDriverGetExtensionFunctionAddress)                                                                             \
    X(zeDeviceGet)                                                                                                     \
    X(zeDeviceGetSubDevices)                                                                                           \
    X(zeDeviceGetProperties)                                                                                           \
    X(zeDeviceGetComputeProperties)                                                                                    \
    X(zeDeviceGetModuleProperties)                                                                                     \
    X(zeDeviceGetMemoryProperties)                                                                                     \
    X(zeDeviceGetCacheProperties)                                                                                      \
    X(zeDeviceGetCommandQueueGroupProperties)                                                                          \
    X(zeDeviceGetGlobalTimestamps)                                                                                     \
    X(zeDevicePciGetPropertiesExt)                                                                                     \
    X(zeContextCreate)                                                                                                 \
    X(zeContextDestroy)                                                                                                \
    X(zeCommandListCreateImmediate)                                                                                    \
    X(zeCommandListDestroy)                                                                                            \
    X(zeCommandListAppendBarrier)                                                                                      \
    X(zeCommandListAppendMemoryCopy)                                                                                   \
    X(zeCommandListAppendMemoryFill)                                                                                   \
    X(zeCommandListAppendLaunchKernel)                                                                                 \
    X(zeEventPoolCreate)                                                                                               \
    X(zeEventPoolDestroy)                                                                                              \
    X(zeEventCreate)                                                                                                   \
    X(zeEventDestroy)                                                                                                  \
    X(zeEventHostReset)                                                                                                \
    X(zeEventHostSynchronize)                                                                                          \
    X(zeEventQueryStatus)                                                                                              \
    X(zeEventQueryKernelTimestamp)                                                                                     \
    X(zeMemAllocDevice)                                                                                                \
    X(zeMemAllocHost)                                                                                                  \
    X(zeMemAllocShared)                                                                                                \
    X(zeMemGetAllocProperties)                                                                                         \
    X(zeMemGetAddressRange)                                                                                            \
    X(zeMemFree)                                                                                                       \
    X(zeModuleCreate)                                                                                                  \
    X(zeModuleDestroy)                                                                                                 \
    X(zeModuleGetNativeBinary)                                                                                         \
    X(zeModuleGetKernelNames)                                                                                          \
    X(zeModuleBuildLogGetString)                                                                                       \
    X(zeModuleBuildLogDestroy)                                                                                         \
    X(zeKernelCreate)                                                                                                  \
    X(zeKernelDestroy)                                                                                                 \
    X(zeKernelGetProperties)                                                                                           \
    X(zeKernelSetGroupSize)                                                                                            \
    X(zeKernelSuggestGroupSize)                                                                                        \
    X(zeKernelSetArgumentValue)                                                                                        \
    X(zeKernelSetGlobalOffsetExp)

/* Functions that a loader may lack, with result and parameters: headers of version 1.8 do not declare them. */
#define UHI_ZE_OPTIONAL(X)                                                                                             \
    X(zeInitDrivers, ze_result_t, (uint32_t *, ze_driver_handle_t *, struct uhi_ze_driver_types *))                    \
    X(zeDriverGetDefaultContext, ze_context_handle_t, (ze_driver_handle_t))                                            \
    X(zeCommandListHostSynchronize, ze_result_t, (ze_command_list_handle_t, uint64_t))                                 \
    X(zelLoaderTranslateHandle, ze_result_t, (int, void *, void **)) /* in ze_loader.h */

enum { UHI_ZEL_HANDLE_DRIVER = 0 };

/* Addresses in the loader, valid once uhi_ze_open() has returned "". Optional ones are NULL if missing. */
struct uhi_ze_functions {
#define UHI_ZE_OPTIONAL_MEMBER(name, result, parameters) result(ZE_APICALL *name) parameters;
    UHI_ZE_OPTIONAL(UHI_ZE_OPTIONAL_MEMBER)
#undef UHI_ZE_OPTIONAL_MEMBER
#define UHI_ZE_MEMBER(name) __typeof__(&name) name;
    UHI_ZE_FUNCTIONS(UHI_ZE_MEMBER)
#undef UHI_ZE_MEMBER
};
extern struct uhi_ze_functions uhi_ze;

/* Opens the loader and finds its functions, once. Returns "", or why it failed and what to install. */
const char *uhi_ze_open(void);

/* Returns whether the process was forked after the loader was opened. Drivers' threads do not exist then, and their
 * locks stay held, so no driver is called: each call gives ZE_RESULT_ERROR_DEVICE_LOST. */
int uhi_ze_is_forked(void);

/* Returns the name of a result, such as "ZE_RESULT_ERROR_DEVICE_LOST"; "unknown" for others. */
const char *uhi_ze_result_name(ze_result_t result);

/* Returns the status of a result. ZE_RESULT_NOT_READY is UH_ERROR_TIMEOUT. */
uh_status uhi_ze_status(ze_result_t result);

/* Returns the time in nanoseconds if calls are traced, otherwise 0. */
uint64_t uhi_ze_begin(void);

/* Traces a call that returned `result`, and returns it. */
ze_result_t uhi_ze_end(uint64_t begin, ze_result_t result, const char *function);

/* Converts a result to a status; calls uhi_fail for a failure: "CALL: FUNCTION failed with RESULT (0x...) at
 * FILE:LINE". */
uh_status uhi_ze_check(const char *call, ze_result_t result, const char *function, const char *file, int line);

/* Calls a Level Zero function, traced, and returns its ze_result_t, for callers that interpret it. */
#define UHI_ZE_TRY(function, ...)                                                                                      \
    (__extension__({                                                                                                   \
        uint64_t uhi_ze_started = uhi_ze_begin();                                                                      \
        uhi_ze_end(uhi_ze_started, uhi_ze_is_forked() ? ZE_RESULT_ERROR_DEVICE_LOST : uhi_ze.function(__VA_ARGS__),    \
                   #function);                                                                                         \
    }))

/* Calls a Level Zero function for the library's call `call` (a string) and returns its uh_status. */
#define UHI_ZE(call, function, ...)                                                                                    \
    uhi_ze_check(call, UHI_ZE_TRY(function, __VA_ARGS__), #function, UHI_ZE_FILE, __LINE__)

/* The file's base name, so that messages do not depend on where it was built. */
#define UHI_ZE_FILE (__builtin_strrchr("/" __FILE__, '/') + 1)
