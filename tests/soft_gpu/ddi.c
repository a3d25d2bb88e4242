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

#define NOTHING(api, name, type)                                                                                       \
    ze_result_t api##Get##name##ProcAddrTable(ze_api_version_t version, api##_##type##_dditable_t *table) {            \
        return fill(version, table, sizeof *table);                                                                    \
    }
#define NOTHINGS(api, name, type, name2, type2, name3, type3)                                                          \
    NOTHING(api, name, type) NOTHING(api, name2, type2) NOTHING(api, name3, type3)

NOTHING(zet, Device, device)
NOTHINGS(zet, Context, context, CommandList, command_list, Module, module)
NOTHINGS(zet, Kernel, kernel, MetricGroup, metric_group, MetricGroupExp, metric_group_exp)
NOTHINGS(zet, Metric, metric, MetricStreamer, metric_streamer, MetricQueryPool, metric_query_pool)
NOTHINGS(zet, MetricQuery, metric_query, TracerExp, tracer_exp, Debug, debug)
NOTHING(zes, Driver, driver)
NOTHING(zes, Device, device)
NOTHINGS(zes, Scheduler, scheduler, PerformanceFactor, performance_factor, Power, power)
NOTHINGS(zes, Frequency, frequency, Engine, engine, Standby, standby)
NOTHINGS(zes, Firmware, firmware, Memory, memory, FabricPort, fabric_port)
NOTHINGS(zes, Temperature, temperature, Psu, psu, Fan, fan)
NOTHINGS(zes, Led, led, Ras, ras, Diagnostics, diagnostics)
NOTHING(ze, DeviceExp, device_exp)
NOTHING(ze, CommandQueue, command_queue)
NOTHINGS(ze, Fence, fence, Image, image, ImageExp, image_exp)
NOTHINGS(ze, EventExp, event_exp, Sampler, sampler, PhysicalMem, physical_mem)
NOTHINGS(ze, VirtualMem, virtual_mem, FabricVertexExp, fabric_vertex_exp, FabricEdgeExp, fabric_edge_exp)

/* A table with its implemented functions. */
#define TABLE(getter, type, ...)                                                                                       \
    ze_result_t getter(ze_api_version_t version, type *table) {                                                        \
        ze_result_t filled = fill(version, table, sizeof *table);                                                      \
        if (!filled)                                                                                                   \
            __VA_ARGS__;                                                                                               \
        return filled;                                                                                                 \
    }
#define SET(object, function) table->pfn##function = ze##object##function
#ifdef HAVE_HOST_SYNCHRONIZE
#define SET_HOST_SYNCHRONIZE SET(CommandList, HostSynchronize)
#else
#define SET_HOST_SYNCHRONIZE (void)0
#endif

TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t, SET(, Init))
TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t, SET(Driver, Get), SET(Driver, GetApiVersion),
      SET(Driver, GetProperties), SET(Driver, GetExtensionProperties), SET(Driver, GetExtensionFunctionAddress))
TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t, SET(Device, Get), SET(Device, GetSubDevices),
      SET(Device, GetProperties), SET(Device, GetComputeProperties), SET(Device, GetModuleProperties),
      SET(Device, GetCommandQueueGroupProperties), SET(Device, GetMemoryProperties), SET(Device, GetCacheProperties),
      SET(Device, GetGlobalTimestamps), SET(Device, PciGetPropertiesExt))
TABLE(zeGetContextProcAddrTable, ze_context_dditable_t, SET(Context, Create), SET(Context, Destroy))
TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t, SET(CommandList, CreateImmediate),
      SET(CommandList, Destroy), SET(CommandList, AppendBarrier), SET(CommandList, AppendMemoryCopy),
      SET(CommandList, AppendMemoryFill), SET(CommandList, AppendMemoryPrefetch), SET(CommandList, AppendMemAdvise),
      SET(CommandList, AppendLaunchKernel), SET_HOST_SYNCHRONIZE)
TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t, SET(EventPool, Create), SET(EventPool, Destroy))
TABLE(zeGetEventProcAddrTable, ze_event_dditable_t, SET(Event, Create), SET(Event, Destroy), SET(Event, HostSignal),
      SET(Event, HostSynchronize), SET(Event, QueryStatus), SET(Event, HostReset), SET(Event, QueryKernelTimestamp))
TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t, SET(Module, Create), SET(Module, Destroy),
      SET(Module, GetNativeBinary), SET(Module, GetKernelNames))
TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t, SET(ModuleBuildLog, Destroy),
      SET(ModuleBuildLog, GetString))
TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t, SET(Kernel, Create), SET(Kernel, Destroy),
      SET(Kernel, SetGroupSize), SET(Kernel, SuggestGroupSize), SET(Kernel, SetArgumentValue),
      SET(Kernel, GetProperties))
TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t, SET(Kernel, SetGlobalOffsetExp))
TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t, SET(Mem, AllocShared), SET(Mem, AllocDevice), SET(Mem, AllocHost),
      SET(Mem, Free), SET(Mem, GetAllocProperties), SET(Mem, GetAddressRange))
