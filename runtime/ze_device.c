/* SPDX-License-Identifier: Apache-2.0 */
/* Properties, engines and clock of a Level Zero device, from the driver. */
#include <stdio.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/log.h"
#include "runtime/spirv.h"
#include "runtime/ze.h"

/* On a failed result the calling function returns it. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        ze_result_t tried = (call);                                                                                    \
        if (tried != ZE_RESULT_SUCCESS)                                                                                \
            return tried;                                                                                              \
    } while (0)

/* The same of a driver function. */
#define QUERY(function, ...) TRY(UHI_ZE_TRY(function, __VA_ARGS__))

/* The same for a function that lists parts of a device: sets the elements' stype and fills in as many as fit into
 * `array`; `count` becomes their number. */
#define QUERY_ALL(function, device, type, array, count)                                                                \
    do {                                                                                                               \
        memset(array, 0, sizeof array);                                                                                \
        for (size_t each = 0; each < sizeof array / sizeof *array; each++)                                             \
            (array)[each].stype = type;                                                                                \
        count = 0;                                                                                                     \
        QUERY(function, device, &count, NULL);                                                                         \
        count = count < sizeof array / sizeof *array ? count : (uint32_t)(sizeof array / sizeof *array);               \
        if (count)                                                                                                     \
            QUERY(function, device, &count, array);                                                                    \
    } while (0)

enum { MAX_GROUPS = 16, MAX_MEMORIES = 16, MAX_CACHES = 16 };

static uh_device_kind kind_of(ze_device_type_t type) {
    return type == ZE_DEVICE_TYPE_GPU   ? UH_DEVICE_GPU
           : type == ZE_DEVICE_TYPE_CPU ? UH_DEVICE_CPU
                                        : UH_DEVICE_ACCELERATOR;
}

/* Sets the clock's base from the device's own clock; `bits` becomes 0 if the driver does not report it. */
static void read_clock_base(struct uhi_ze_device *device) {
    uint64_t host = 0, cycles = 0;
    struct uhi_ze_clock *clock = &device->clock;
    if (clock->bits && UHI_ZE_TRY(zeDeviceGetGlobalTimestamps, device->device, &host, &cycles) == ZE_RESULT_SUCCESS)
        uhi_ze_clock_start(clock, uhi_host_now(), cycles);
    else
        clock->bits = 0;
}

static ze_result_t describe_device(struct uhi_ze_device *native, uh_device_properties *p) {
    /* Since 1.2 the timer's frequency, before that its period in whole nanoseconds. */
    int has_frequency = native->listed_by->api >= ZE_API_VERSION_1_2;
    ze_device_properties_t d = {.stype = has_frequency ? ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
                                                       : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    QUERY(zeDeviceGetProperties, native->device, &d);
    p->kind = kind_of(d.type);
    native->is_npu = d.type == ZE_DEVICE_TYPE_VPU;
    snprintf(p->name, sizeof p->name, "%.127s", d.name);
    p->vendor_id = d.vendorId;
    p->device_id = d.deviceId;
    p->cores = d.numSlices * d.numSubslicesPerSlice * d.numEUsPerSubslice;
    p->threads = p->cores * d.numThreadsPerEU;
    p->clock_mhz = d.coreClockRate;
    p->max_allocation = d.maxMemAllocSize;
    p->unified_memory = (d.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED) != 0;
    memcpy(p->uuid, d.uuid.id, sizeof p->uuid);
    struct uhi_ze_clock *clock = &native->clock;
    uint64_t resolution = d.timerResolution ? d.timerResolution : 1;
    clock->frequency = has_frequency ? resolution : UINT64_C(1000000000) / resolution;
    if (clock->frequency == 0)
        clock->frequency = 1;
    p->timer_resolution = (UINT64_C(999999999) + clock->frequency) / clock->frequency;
    clock->bits = d.timestampValidBits ? d.timestampValidBits : 64;
    clock->kernel_bits = d.kernelTimestampValidBits ? d.kernelTimestampValidBits : 64;
    read_clock_base(native);
    return ZE_RESULT_SUCCESS;
}

/* Leaves the address empty if the driver does not report it. */
static void describe_address(const struct uhi_ze_device *native, uh_device_properties *p) {
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    if (UHI_ZE_TRY(zeDevicePciGetPropertiesExt, native->device, &pci) == ZE_RESULT_SUCCESS)
        snprintf(p->pci_address, sizeof p->pci_address, "%04x:%02x:%02x.%x", (unsigned)(pci.address.domain & 0xffffff),
                 (unsigned)(pci.address.bus & 0xff), (unsigned)(pci.address.device & 0xff),
                 (unsigned)(pci.address.function & 0xf));
}

static ze_result_t describe_compute(struct uhi_ze_device *native, uh_device_properties *p) {
    ze_device_compute_properties_t c = {.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES};
    QUERY(zeDeviceGetComputeProperties, native->device, &c);
    p->local_memory = c.maxSharedLocalMemory;
    p->max_group_size = c.maxTotalGroupSize;
    const size_t room = sizeof p->sub_group_sizes / sizeof p->sub_group_sizes[0];
    for (size_t i = 0; i < c.numSubGroupSizes && i < room; i++)
        p->sub_group_sizes[i] = c.subGroupSizes[i];
    native->max_group_size[0] = c.maxGroupSizeX;
    native->max_group_size[1] = c.maxGroupSizeY;
    native->max_group_size[2] = c.maxGroupSizeZ;
    native->max_group_count[0] = c.maxGroupCountX;
    native->max_group_count[1] = c.maxGroupCountY;
    native->max_group_count[2] = c.maxGroupCountZ;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t describe_module(struct uhi_ze_device *native, uh_device_properties *p) {
    const ze_device_fp_flags_t exact =
        ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST;
    ze_device_module_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    QUERY(zeDeviceGetModuleProperties, native->device, &m);
    p->fp64 = (m.flags & ZE_DEVICE_MODULE_FLAG_FP64) != 0;
    p->int64_atomics = (m.flags & ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS) != 0;
    p->fp_exact = (m.fp32flags & exact) == exact && (!p->fp64 || (m.fp64flags & exact) == exact);
    /* For a double that the compiler emulates, a driver may report only fp64flags. */
    native->features = (m.flags & ZE_DEVICE_MODULE_FLAG_FP64 || m.fp64flags ? UHI_FEATURE_FLOAT64 : 0u) |
                       (m.flags & ZE_DEVICE_MODULE_FLAG_FP16 || m.fp16flags ? UHI_FEATURE_FLOAT16 : 0u) |
                       (p->int64_atomics ? UHI_FEATURE_INT64_ATOMICS : 0u);
    for (size_t i = 0; i < sizeof p->sub_group_sizes / sizeof *p->sub_group_sizes; i++)
        native->features |= p->sub_group_sizes[i] > 1 ? UHI_FEATURE_SUB_GROUPS : 0u;
    native->native_uuid = m.nativeKernelSupported;
    return ZE_RESULT_SUCCESS;
}

/* Returns a memory's read bandwidth in bytes per second, 0 if the driver does not report it. The bus width does not
 * help: Intel's driver reports the width of addresses there. */
static uint64_t bandwidth_of(const ze_device_memory_properties_t *memory,
                             const ze_device_memory_ext_properties_t *more) {
    if (more->bandwidthUnit == ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC)
        return more->readBandwidth * UINT64_C(1000000000);
    if (more->bandwidthUnit == ZE_BANDWIDTH_UNIT_BYTES_PER_CLOCK)
        return more->readBandwidth * UINT64_C(1000000) * memory->maxClockRate;
    return 0;
}

static ze_result_t describe_memory(struct uhi_ze_device *native, uh_device_properties *p) {
    ze_device_memory_properties_t memories[MAX_MEMORIES];
    ze_device_memory_ext_properties_t more[MAX_MEMORIES];
    ze_device_cache_properties_t caches[MAX_CACHES];
    uint32_t count = MAX_MEMORIES;
    memset(memories, 0, sizeof memories);
    memset(more, 0, sizeof more);
    for (size_t i = 0; i < MAX_MEMORIES; i++) {
        more[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES;
        more[i].bandwidthUnit = ZE_BANDWIDTH_UNIT_UNKNOWN;
        memories[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
        memories[i].pNext = native->listed_by->has_bandwidth ? &more[i] : NULL;
    }
    QUERY(zeDeviceGetMemoryProperties, native->device, &count, memories);
    for (size_t i = 0; i < count && i < MAX_MEMORIES; i++) {
        p->memory += memories[i].totalSize;
        p->memory_bandwidth += bandwidth_of(&memories[i], &more[i]);
    }
    QUERY_ALL(zeDeviceGetCacheProperties, native->device, ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES, caches, count);
    /* The driver does not report a cache's level; the largest is taken for the last. */
    for (size_t i = 0; i < count; i++)
        if (caches[i].cacheSize > p->cache_l3)
            p->cache_l3 = caches[i].cacheSize;
    return ZE_RESULT_SUCCESS;
}

/* Computing uses the first group that can compute, copying the first that can only copy. */
static ze_result_t describe_engines(struct uhi_ze_device *native) {
    ze_command_queue_group_properties_t groups[MAX_GROUPS];
    struct uhi_ze_engine *compute = &native->engines[UH_ENGINE_COMPUTE], *copy = &native->engines[UH_ENGINE_COPY];
    int has_compute = 0, has_copy = 0;
    uint32_t count;
    QUERY_ALL(zeDeviceGetCommandQueueGroupProperties, native->device, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES,
              groups, count);
    for (uint32_t i = 0; i < count; i++) {
        int computes = (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0;
        int copies = (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) != 0;
        struct uhi_ze_engine engine = {i, groups[i].maxMemoryFillPatternSize};
        if (computes && !has_compute) {
            *compute = engine;
            has_compute = 1;
        } else if (copies && !computes && !has_copy) {
            *copy = engine;
            has_copy = 1;
        }
    }
    if (!has_copy)
        *copy = *compute;
    return has_compute ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* If the driver exceeds its limit on request, one allocation may take all of the memory. */
static void relax_limits(uh_device *device) {
    uh_device_properties *p = &device->properties;
    if (!uhi_ze_device(device)->listed_by->has_relaxed_limits || p->memory <= p->max_allocation)
        return;
    device->plain_allocation = p->max_allocation;
    p->max_allocation = p->memory;
}

ze_result_t uhi_ze_describe(uh_device *device) {
    struct uhi_ze_device *native = uhi_ze_device(device);
    uh_device_properties *properties = &device->properties;
    TRY(describe_device(native, properties));
    if (native->is_npu) /* it cannot answer most of what follows */
        return ZE_RESULT_SUCCESS;
    describe_address(native, properties);
    TRY(describe_compute(native, properties));
    TRY(describe_module(native, properties));
    TRY(describe_memory(native, properties));
    TRY(describe_engines(native));
    relax_limits(device);
    return ZE_RESULT_SUCCESS;
}

uh_status uhi_ze_free_memory(uh_device *device, uint64_t *bytes) {
    const struct uhi_ze_device *native = uhi_ze_device(device);
    ze_device_usablemem_size_ext_properties_t usable = {.stype =
                                                            ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES};
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, .pNext = &usable};
    uh_status status = UH_SUCCESS;
    if (native->listed_by->has_usable_memory)
        status = uhi_ze_note_loss(device,
                                  UHI_ZE("uh_device_free_memory", zeDeviceGetProperties, native->device, &properties));
    if (!status)
        *bytes = usable.currUsableMemSize;
    return status;
}

int uhi_ze_lose(struct uhi_ze_device *native) {
    int there = UHI_ZE_USABLE;
    return atomic_compare_exchange_strong(&native->lost, &there, UHI_ZE_LOST);
}

uh_status uhi_ze_note_loss(const uh_device *device, uh_status status) {
    if (status == UH_ERROR_DEVICE_LOST && uhi_ze_lose(uhi_ze_device(device)))
        uhi_log(UH_LOG_WARN, "device %s (%s) is lost", device->properties.selector, device->properties.name);
    return status;
}

int uhi_ze_is_lost(const uh_device *device) {
    return uhi_ze_is_forked() || atomic_load_explicit(&uhi_ze_device(device)->lost, memory_order_relaxed) != 0;
}

uh_status uhi_ze_check_lost(const char *call, const uh_device *device) {
    if (!uhi_ze_is_lost(device))
        return UH_SUCCESS;
    if (uhi_ze_is_forked())
        return uhi_fail(UH_ERROR_DEVICE_LOST, call, NULL,
                        "this process was forked after its parent had opened the driver of %s (%s): its objects "
                        "belong to the parent",
                        device->properties.selector, device->properties.name);
    if (uhi_ze_is_given_up(uhi_ze_device(device)))
        return uhi_fail(UH_ERROR_DEVICE_LOST, call, NULL,
                        "device %s (%s) was given up, as its work did not end %s; start the program again",
                        device->properties.selector, device->properties.name,
                        atomic_load(&uhi_ze_device(device)->lost) == UHI_ZE_TIMED_OUT
                            ? "within UNIHIST_WAIT_LIMIT"
                            : "when options->cancelled requested it");
    return uhi_fail(UH_ERROR_DEVICE_LOST, call, NULL, "device %s (%s) is lost; start the program again",
                    device->properties.selector, device->properties.name);
}

/* ---- the clock: of what a device counts it keeps some bits, which are extended to 64 ---- */

enum { NANOSECONDS = 1000000000 };

/* Returns a * b / c; c * b and the result must be below 2^64, as they are for clocks. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c) { return a / c * b + a % c * b / c; }

static uint64_t mask_of(uint32_t bits) { return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX; }

void uhi_ze_clock_start(struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles) {
    /* The bits above those that the device keeps start at 1, so no time is below 0. */
    clock->base = (cycles & mask_of(clock->bits)) + (clock->bits < 63 ? UINT64_C(1) << clock->bits : 0);
    clock->base_host = host;
}

uint64_t uhi_ze_clock_extend(const struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles) {
    uint64_t mask = mask_of(clock->bits);
    uint64_t expected = clock->base + scale(host - clock->base_host, clock->frequency, NANOSECONDS);
    uint64_t ahead = (cycles - expected) & mask;
    return ahead > mask / 2 ? expected - ((expected - cycles) & mask) : expected + ahead;
}

void uhi_ze_clock_convert(const struct uhi_ze_clock *clock, uint64_t submitted, uint64_t start, uint64_t end,
                          uh_event_times *times) {
    uint64_t mask = mask_of(clock->kernel_bits);
    uint64_t waited = submitted ? (start - submitted) & mask : 0;
    /* Both come from one clock, but may be read at places that differ by a few ticks. */
    if (waited > mask - mask / 16)
        waited = 0;
    if (!submitted)
        submitted = start & mask;
    uint64_t started = submitted + waited;
    times->submitted = scale(submitted, NANOSECONDS, clock->frequency);
    times->started = scale(started, NANOSECONDS, clock->frequency);
    times->ended = scale(started + ((end - start) & mask), NANOSECONDS, clock->frequency);
}

uint64_t uhi_ze_now(const struct uhi_ze_device *device) {
    uint64_t host = 0, cycles = 0;
    if (!device->clock.bits ||
        UHI_ZE_TRY(zeDeviceGetGlobalTimestamps, device->device, &host, &cycles) != ZE_RESULT_SUCCESS)
        return 0;
    return uhi_ze_clock_extend(&device->clock, uhi_host_now(), cycles);
}
