/* SPDX-License-Identifier: Apache-2.0 */
/* Every Level Zero call goes through here: the loader opened at run time, each call traced, each failure turned into a
 * status and a message that names the call, its result, the file and the line. */
#ifndef UHI_ZE_CALL_H
#define UHI_ZE_CALL_H

#include "runtime/status.h"
#include "runtime/ze_newer.h"

/* The one list of the functions that the runtime calls and every loader has. */
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
    X(zeCommandListAppendMemoryPrefetch)                                                                               \
    X(zeCommandListAppendMemAdvise)                                                                                    \
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

/* Those that a loader may lack, with what they return and take: headers of version 1.8 do not declare them. */
#define UHI_ZE_OPTIONAL(X)                                                                                             \
    X(zeInitDrivers, ze_result_t, (uint32_t *, ze_driver_handle_t *, struct uhi_ze_driver_types *))                    \
    X(zeDriverGetDefaultContext, ze_context_handle_t, (ze_driver_handle_t))                                            \
    X(zeCommandListHostSynchronize, ze_result_t, (ze_command_list_handle_t, uint64_t))                                 \
    X(zelLoaderTranslateHandle, ze_result_t, (int, void *, void **)) /* of ze_loader.h */

enum { UHI_ZEL_HANDLE_DRIVER = 0 };

/* Their addresses in the loader, valid once uhi_ze_open() has returned "". Optional ones are NULL where it has none. */
struct uhi_ze_functions {
#define UHI_ZE_OPTIONAL_MEMBER(name, result, parameters) result(ZE_APICALL *name) parameters;
    UHI_ZE_OPTIONAL(UHI_ZE_OPTIONAL_MEMBER)
#undef UHI_ZE_OPTIONAL_MEMBER
#define UHI_ZE_MEMBER(name) __typeof__(&name) name;
    UHI_ZE_FUNCTIONS(UHI_ZE_MEMBER)
#undef UHI_ZE_MEMBER
};
extern struct uhi_ze_functions uhi_ze;

/* Opens the loader and finds its functions, once. Returns "", or why it cannot and what to install. */
const char *uhi_ze_open(void);

/* Returns whether the process was forked after the loader was opened. Drivers' threads are not here then, and what they
 * hold stays held: no call reaches them, each gives ZE_RESULT_ERROR_DEVICE_LOST. */
int uhi_ze_is_forked(void);

/* The name of a result, such as "ZE_RESULT_ERROR_DEVICE_LOST"; "unknown" for others. */
const char *uhi_ze_result_name(ze_result_t result);

/* The status that a result means. ZE_RESULT_NOT_READY is UH_ERROR_TIMEOUT. */
uh_status uhi_ze_status(ze_result_t result);

/* Nanoseconds now if calls are traced, else 0. */
uint64_t uhi_ze_begin(void);

/* Traces a call that returned `result`, and returns it. */
ze_result_t uhi_ze_end(uint64_t begin, ze_result_t result, const char *function);

/* Turns a result into a status, with uhi_fail called where it is a failure: "CALL: FUNCTION failed with RESULT
 * (0x...) at FILE:LINE". */
uh_status uhi_ze_check(const char *call, ze_result_t result, const char *function, const char *file, int line);

/* Calls a Level Zero function, traced, and gives its ze_result_t: for results that are an answer. */
#define UHI_ZE_TRY(function, ...)                                                                                      \
    (__extension__({                                                                                                   \
        uint64_t uhi_ze_begun = uhi_ze_begin();                                                                        \
        uhi_ze_end(uhi_ze_begun, uhi_ze_is_forked() ? ZE_RESULT_ERROR_DEVICE_LOST : uhi_ze.function(__VA_ARGS__),      \
                   #function);                                                                                         \
    }))

/* Calls a Level Zero function for the library's call `call` (a string) and gives its uh_status. */
#define UHI_ZE(call, function, ...)                                                                                    \
    uhi_ze_check(call, UHI_ZE_TRY(function, __VA_ARGS__), #function, UHI_ZE_FILE, __LINE__)

/* The file's path from the project's root, so that messages do not depend on where it was built. */
#define UHI_ZE_FILE (__builtin_strrchr("/" __FILE__, '/') + 1)

#endif
