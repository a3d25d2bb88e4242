/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that the loader asks for. What is not implemented says UNSUPPORTED_FEATURE. The loader wants every table,
 * those of the tools and of the system management too. */
#include <string.h>

#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

static ze_result_t unsupported(void) { return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; }

/* A table is nothing but pointers to functions. All of them return ze_result_t, and what they are given is not looked
 * at. */
static ze_result_t fill(ze_api_version_t version, void *table, size_t size) {
    ze_result_t (*const function)(void) = unsupported;
    if (!table)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (ZE_MAJOR_VERSION(version) != 1)
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    for (size_t at = 0; at < size; at += sizeof function)
        memcpy((char *)table + at, &function, sizeof function);
    return ZE_RESULT_SUCCESS;
}

#define NOTHING(getter, type)                                                                                          \
    ze_result_t getter(ze_api_version_t version, type *table) { return fill(version, table, sizeof *table); }

NOTHING(zetGetDeviceProcAddrTable, zet_device_dditable_t)
NOTHING(zetGetContextProcAddrTable, zet_context_dditable_t)
NOTHING(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
NOTHING(zetGetModuleProcAddrTable, zet_module_dditable_t)
NOTHING(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
NOTHING(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
NOTHING(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
NOTHING(zetGetMetricProcAddrTable, zet_metric_dditable_t)
NOTHING(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
NOTHING(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
NOTHING(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
NOTHING(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
NOTHING(zetGetDebugProcAddrTable, zet_debug_dditable_t)
NOTHING(zesGetDriverProcAddrTable, zes_driver_dditable_t)
NOTHING(zesGetDeviceProcAddrTable, zes_device_dditable_t)
NOTHING(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
NOTHING(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
NOTHING(zesGetPowerProcAddrTable, zes_power_dditable_t)
NOTHING(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
NOTHING(zesGetEngineProcAddrTable, zes_engine_dditable_t)
NOTHING(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
NOTHING(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
NOTHING(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
NOTHING(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
NOTHING(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
NOTHING(zesGetPsuProcAddrTable, zes_psu_dditable_t)
NOTHING(zesGetFanProcAddrTable, zes_fan_dditable_t)
NOTHING(zesGetLedProcAddrTable, zes_led_dditable_t)
NOTHING(zesGetRasProcAddrTable, zes_ras_dditable_t)
NOTHING(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
NOTHING(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
NOTHING(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
NOTHING(zeGetFenceProcAddrTable, ze_fence_dditable_t)
NOTHING(zeGetImageProcAddrTable, ze_image_dditable_t)
NOTHING(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
NOTHING(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
NOTHING(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
NOTHING(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
NOTHING(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
NOTHING(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
NOTHING(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)

/* A table with its implemented functions. */
#define TABLE(getter, type, ...)                                                                                       \
    ze_result_t getter(ze_api_version_t version, type *table) {                                                        \
        ze_result_t filled = fill(version, table, sizeof *table);                                                      \
        if (!filled)                                                                                                   \
            __VA_ARGS__;                                                                                               \
        return filled;                                                                                                 \
    }
#define SET(member, function) table->member = function
#ifdef HAVE_HOST_SYNCHRONIZE
#define SET_HOST_SYNCHRONIZE SET(pfnHostSynchronize, zeCommandListHostSynchronize)
#else
#define SET_HOST_SYNCHRONIZE (void)0
#endif

TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t, SET(pfnInit, zeInit))
TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t, SET(pfnGet, zeDriverGet),
      SET(pfnGetApiVersion, zeDriverGetApiVersion), SET(pfnGetProperties, zeDriverGetProperties),
      SET(pfnGetExtensionProperties, zeDriverGetExtensionProperties),
      SET(pfnGetExtensionFunctionAddress, zeDriverGetExtensionFunctionAddress))
TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t, SET(pfnGet, zeDeviceGet),
      SET(pfnGetSubDevices, zeDeviceGetSubDevices), SET(pfnGetProperties, zeDeviceGetProperties),
      SET(pfnGetComputeProperties, zeDeviceGetComputeProperties),
      SET(pfnGetModuleProperties, zeDeviceGetModuleProperties),
      SET(pfnGetCommandQueueGroupProperties, zeDeviceGetCommandQueueGroupProperties),
      SET(pfnGetMemoryProperties, zeDeviceGetMemoryProperties), SET(pfnGetCacheProperties, zeDeviceGetCacheProperties),
      SET(pfnGetGlobalTimestamps, zeDeviceGetGlobalTimestamps),
      SET(pfnPciGetPropertiesExt, zeDevicePciGetPropertiesExt))
TABLE(zeGetContextProcAddrTable, ze_context_dditable_t, SET(pfnCreate, zeContextCreate),
      SET(pfnDestroy, zeContextDestroy))
TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t, SET(pfnCreateImmediate, zeCommandListCreateImmediate),
      SET(pfnDestroy, zeCommandListDestroy), SET(pfnAppendBarrier, zeCommandListAppendBarrier),
      SET(pfnAppendMemoryCopy, zeCommandListAppendMemoryCopy), SET(pfnAppendMemoryFill, zeCommandListAppendMemoryFill),
      SET(pfnAppendLaunchKernel, zeCommandListAppendLaunchKernel), SET_HOST_SYNCHRONIZE)
TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t, SET(pfnCreate, zeEventPoolCreate),
      SET(pfnDestroy, zeEventPoolDestroy))
TABLE(zeGetEventProcAddrTable, ze_event_dditable_t, SET(pfnCreate, zeEventCreate), SET(pfnDestroy, zeEventDestroy),
      SET(pfnHostSignal, zeEventHostSignal), SET(pfnHostSynchronize, zeEventHostSynchronize),
      SET(pfnQueryStatus, zeEventQueryStatus), SET(pfnHostReset, zeEventHostReset),
      SET(pfnQueryKernelTimestamp, zeEventQueryKernelTimestamp))
TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t, SET(pfnCreate, zeModuleCreate), SET(pfnDestroy, zeModuleDestroy),
      SET(pfnGetNativeBinary, zeModuleGetNativeBinary), SET(pfnGetKernelNames, zeModuleGetKernelNames))
TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t, SET(pfnDestroy, zeModuleBuildLogDestroy),
      SET(pfnGetString, zeModuleBuildLogGetString))
TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t, SET(pfnCreate, zeKernelCreate), SET(pfnDestroy, zeKernelDestroy),
      SET(pfnSetGroupSize, zeKernelSetGroupSize), SET(pfnSuggestGroupSize, zeKernelSuggestGroupSize),
      SET(pfnSetArgumentValue, zeKernelSetArgumentValue), SET(pfnGetProperties, zeKernelGetProperties))
TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t, SET(pfnSetGlobalOffsetExp, zeKernelSetGlobalOffsetExp))
TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t, SET(pfnAllocShared, zeMemAllocShared),
      SET(pfnAllocDevice, zeMemAllocDevice), SET(pfnAllocHost, zeMemAllocHost), SET(pfnFree, zeMemFree),
      SET(pfnGetAllocProperties, zeMemGetAllocProperties), SET(pfnGetAddressRange, zeMemGetAddressRange))
