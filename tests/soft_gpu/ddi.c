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

/* A table with its implemented functions; and one that has none. */
#define TABLE(api, name, type, ...)                                                                                    \
    ze_result_t api##Get##name##ProcAddrTable(ze_api_version_t version, api##_##type##_dditable_t *table) {            \
        ze_result_t filled = fill(version, table, sizeof *table);                                                      \
        if (!filled)                                                                                                   \
            __VA_ARGS__;                                                                                               \
        return filled;                                                                                                 \
    }
#define NOTHING(api, name, type) TABLE(api, name, type, (void)0)

NOTHING(zet, Device, device)
NOTHING(zet, Context, context)
NOTHING(zet, CommandList, command_list)
NOTHING(zet, Module, module)
NOTHING(zet, Kernel, kernel)
NOTHING(zet, MetricGroup, metric_group)
NOTHING(zet, MetricGroupExp, metric_group_exp)
NOTHING(zet, Metric, metric)
NOTHING(zet, MetricStreamer, metric_streamer)
NOTHING(zet, MetricQueryPool, metric_query_pool)
NOTHING(zet, MetricQuery, metric_query)
NOTHING(zet, TracerExp, tracer_exp)
NOTHING(zet, Debug, debug)
NOTHING(zes, Driver, driver)
NOTHING(zes, Device, device)
NOTHING(zes, Scheduler, scheduler)
NOTHING(zes, PerformanceFactor, performance_factor)
NOTHING(zes, Power, power)
NOTHING(zes, Frequency, frequency)
NOTHING(zes, Engine, engine)
NOTHING(zes, Standby, standby)
NOTHING(zes, Firmware, firmware)
NOTHING(zes, Memory, memory)
NOTHING(zes, FabricPort, fabric_port)
NOTHING(zes, Temperature, temperature)
NOTHING(zes, Psu, psu)
NOTHING(zes, Fan, fan)
NOTHING(zes, Led, led)
NOTHING(zes, Ras, ras)
NOTHING(zes, Diagnostics, diagnostics)
NOTHING(ze, DeviceExp, device_exp)
NOTHING(ze, CommandQueue, command_queue)
NOTHING(ze, Fence, fence)
NOTHING(ze, Image, image)
NOTHING(ze, ImageExp, image_exp)
NOTHING(ze, EventExp, event_exp)
NOTHING(ze, Sampler, sampler)
NOTHING(ze, PhysicalMem, physical_mem)
NOTHING(ze, VirtualMem, virtual_mem)
NOTHING(ze, FabricVertexExp, fabric_vertex_exp)
NOTHING(ze, FabricEdgeExp, fabric_edge_exp)

#define SET(object, function) table->pfn##function = ze##object##function
#ifdef HAVE_HOST_SYNCHRONIZE
#define SET_HOST_SYNCHRONIZE SET(CommandList, HostSynchronize)
#else
#define SET_HOST_SYNCHRONIZE (void)0
#endif

TABLE(ze, Global, global, SET(, Init))
TABLE(ze, Driver, driver, SET(Driver, Get), SET(Driver, GetApiVersion), SET(Driver, GetProperties),
      SET(Driver, GetExtensionProperties), SET(Driver, GetExtensionFunctionAddress))
TABLE(ze, Device, device, SET(Device, Get), SET(Device, GetSubDevices), SET(Device, GetProperties),
      SET(Device, GetComputeProperties), SET(Device, GetModuleProperties), SET(Device, GetCommandQueueGroupProperties),
      SET(Device, GetMemoryProperties), SET(Device, GetCacheProperties), SET(Device, GetGlobalTimestamps),
      SET(Device, PciGetPropertiesExt))
TABLE(ze, Context, context, SET(Context, Create), SET(Context, Destroy))
TABLE(ze, CommandList, command_list, SET(CommandList, CreateImmediate), SET(CommandList, Destroy),
      SET(CommandList, AppendBarrier), SET(CommandList, AppendMemoryCopy), SET(CommandList, AppendMemoryFill),
      SET(CommandList, AppendLaunchKernel), SET_HOST_SYNCHRONIZE)
TABLE(ze, EventPool, event_pool, SET(EventPool, Create), SET(EventPool, Destroy))
TABLE(ze, Event, event, SET(Event, Create), SET(Event, Destroy), SET(Event, HostSignal), SET(Event, HostSynchronize),
      SET(Event, QueryStatus), SET(Event, HostReset), SET(Event, QueryKernelTimestamp))
TABLE(ze, Module, module, SET(Module, Create), SET(Module, Destroy), SET(Module, GetNativeBinary),
      SET(Module, GetKernelNames))
TABLE(ze, ModuleBuildLog, module_build_log, SET(ModuleBuildLog, Destroy), SET(ModuleBuildLog, GetString))
TABLE(ze, Kernel, kernel, SET(Kernel, Create), SET(Kernel, Destroy), SET(Kernel, SetGroupSize),
      SET(Kernel, SuggestGroupSize), SET(Kernel, SetArgumentValue), SET(Kernel, GetProperties))
TABLE(ze, KernelExp, kernel_exp, SET(Kernel, SetGlobalOffsetExp))
TABLE(ze, Mem, mem, SET(Mem, AllocShared), SET(Mem, AllocDevice), SET(Mem, AllocHost), SET(Mem, Free),
      SET(Mem, GetAllocProperties), SET(Mem, GetAddressRange))
