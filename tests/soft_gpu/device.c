/* SPDX-License-Identifier: Apache-2.0 */
/* What the devices say of themselves: the settings, in Level Zero's words. */
#include "stream.h"

/* What zeDeviceGet lists: whole devices, or their tiles. */
static struct soft_device *listed[SOFT_MAX_LISTED];
static uint32_t listed_count;

static struct soft_device *new_device(uint32_t index, int32_t tile, struct soft_device *root) {
    struct soft_device *device = soft_new(SOFT_KIND_device, sizeof *device, NULL, NULL);
    if (!device)
        return NULL;
    device->index = index;
    device->tile = tile;
    device->root = root ? root : device;
    device->number = listed_count;
    return device;
}

struct soft_device *soft_device_listed(uint64_t number) {
    return number < listed_count ? listed[number] : NULL;
}

struct soft_device *soft_device_of(const struct soft_object *object) {
    switch (object->kind) {
    case SOFT_KIND_device: return ((const struct soft_device *)object)->root;
    case SOFT_KIND_list: return ((const struct soft_list *)object)->device;
    case SOFT_KIND_module: return ((const struct soft_module *)object)->device;
    case SOFT_KIND_kernel: return ((const struct soft_kernel *)object)->module->device;
    default: return NULL;
    }
}

/* Whether tiles are listed as devices, which know of no whole: not where the user asks for wholes, as Intel's driver
 * has it. */
static bool is_flat(void) {
    const char *asked = getenv("ZE_FLAT_DEVICE_HIERARCHY");
    return soft_settings.flat && soft_settings.tiles > 1 && !(asked && strcmp(asked, "COMPOSITE") == 0);
}

/* Whether the user hides this device: ZE_AFFINITY_MASK names another one. (Lists and tiles are not read.) */
static bool is_hidden(uint32_t index) {
    const char *mask = getenv("ZE_AFFINITY_MASK");
    return mask && *mask && strtoul(mask, NULL, 10) != index;
}

static bool list_whole(uint32_t index) {
    struct soft_device *device = listed[listed_count] = new_device(index, -1, NULL);
    listed_count++;
    for (uint32_t k = 0; device && soft_settings.tiles > 1 && k < soft_settings.tiles; k++) {
        device->tiles[k] = new_device(index, (int32_t)k, device);
        if (!device->tiles[k])
            return false;
    }
    return device != NULL;
}

static bool list_tiles(uint32_t index) {
    for (uint32_t k = 0; k < soft_settings.tiles; k++) {
        listed[listed_count] = new_device(index, (int32_t)k, NULL);
        if (!listed[listed_count++])
            return false;
    }
    return true;
}

bool soft_devices_create(void) {
    for (uint32_t i = 0; i < soft_settings.devices; i++)
        if (!is_hidden(i) && !(is_flat() ? list_tiles(i) : list_whole(i)))
            return false;
    return true;
}

static uint32_t tiles_of(const struct soft_device *device) {
    return device->tile < 0 ? (uint32_t)soft_settings.tiles : 1;
}

uint64_t soft_device_memory(const struct soft_device *device) {
    uint64_t tiles = tiles_of(device);
    return soft_settings.memory > UINT64_MAX / tiles ? UINT64_MAX : soft_settings.memory * tiles;
}

ze_result_t zeDeviceGet(ze_driver_handle_t hDriver, uint32_t *pCount, ze_device_handle_t *phDevices) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(driver, hDriver, driver);
    SOFT_POINTER(pCount);
    SOFT_LIST_COUNT(pCount, listed_count);
    for (uint32_t i = 0; phDevices && i < *pCount; i++)
        phDevices[i] = (ze_device_handle_t)listed[i];
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetSubDevices(ze_device_handle_t hDevice, uint32_t *pCount, ze_device_handle_t *phSubdevices) {
    SOFT_ENTER(SOFT_ALWAYS);
    SOFT_GET(device, hDevice, device);
    SOFT_POINTER(pCount);
    uint32_t have = tiles_of(device) > 1 ? tiles_of(device) : 0;
    SOFT_LIST_COUNT(pCount, have);
    for (uint32_t i = 0; phSubdevices && i < *pCount; i++)
        phSubdevices[i] = (ze_device_handle_t)device->tiles[i];
    return ZE_RESULT_SUCCESS;
}

/* Slices of 16 sub-slices, as far as the numbers divide. */
static void describe_units(ze_device_properties_t *properties) {
    uint32_t eus = (uint32_t)soft_settings.eus;
    properties->numThreadsPerEU = (uint32_t)soft_settings.threads;
    properties->physicalEUSimdWidth = soft_settings.subgroup > 1 ? (uint32_t)soft_settings.subgroup : 8;
    properties->numEUsPerSubslice = eus % soft_settings.subslice == 0 ? (uint32_t)soft_settings.subslice : eus;
    uint32_t subslices = eus / properties->numEUsPerSubslice;
    properties->numSubslicesPerSlice = subslices % 16 == 0 ? 16 : subslices;
    properties->numSlices = subslices / properties->numSubslicesPerSlice;
}

static void name_of(const struct soft_device *device, char *name, size_t size) {
    if (soft_settings.devices > 1)
        snprintf(name, size, "%.200s %u", soft_settings.name, device->index);
    else
        snprintf(name, size, "%s", soft_settings.name);
}

static uint64_t left_of(const struct soft_device *device) {
    const uint64_t have = soft_device_memory(device);
    return device->used < have ? have - device->used : 0;
}

/* What is left: of a tile no more than the whole has. */
static void describe_usable_memory(const struct soft_device *device,
                                   ze_device_usablemem_size_ext_properties_t *usable) {
    if (!usable || usable->stype != ZE_STRUCTURE_TYPE_DEVICE_USABLEMEM_SIZE_EXT_PROPERTIES)
        return;
    pthread_mutex_lock(&soft_lock);
    const uint64_t own = left_of(device), whole = left_of(device->root);
    pthread_mutex_unlock(&soft_lock);
    usable->currUsableMemSize = own < whole ? own : whole;
}

ze_result_t zeDeviceGetProperties(ze_device_handle_t hDevice, ze_device_properties_t *pDeviceProperties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_POINTER(pDeviceProperties);
    ze_structure_type_t stype = pDeviceProperties->stype;
    if (stype != ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2)
        SOFT_STYPE(pDeviceProperties, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
    describe_usable_memory(device, pDeviceProperties->pNext);
    ze_device_properties_t properties = {.stype = stype, .pNext = pDeviceProperties->pNext};
    properties.type =
        soft_settings.npu && device->index + 1u == soft_settings.devices ? ZE_DEVICE_TYPE_VPU : ZE_DEVICE_TYPE_GPU;
    properties.vendorId = (uint32_t)soft_settings.vendor;
    properties.deviceId = 0x50f7;
    properties.flags = (soft_settings.unified ? (unsigned)ZE_DEVICE_PROPERTY_FLAG_INTEGRATED : 0) |
                       (device->root != device ? (unsigned)ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE : 0);
    properties.subdeviceId = device->tile >= 0 ? (uint32_t)device->tile : 0;
    properties.coreClockRate = (uint32_t)soft_settings.clock;
    properties.maxMemAllocSize = soft_settings.max_alloc;
    properties.maxHardwareContexts = 65536;
    properties.maxCommandQueuePriority = 0;
    describe_units(&properties);
    properties.numSlices *= tiles_of(device);
    /* Nanoseconds a tick at first, ticks a second from version 1.2 on. */
    properties.timerResolution = stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES
                                     ? soft_settings.timer
                                     : (1000000000u + soft_settings.timer / 2) / soft_settings.timer;
    properties.timestampValidBits = properties.kernelTimestampValidBits = (uint32_t)soft_settings.timer_bits;
    memcpy(properties.uuid.id, "soft_gpu", 8);
    properties.uuid.id[12] = (uint8_t)device->index;
    properties.uuid.id[15] = (uint8_t)(device->tile + 1);
    name_of(device, properties.name, sizeof properties.name);
    *pDeviceProperties = properties;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetComputeProperties(ze_device_handle_t hDevice, ze_device_compute_properties_t *properties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_DESCRIPTOR(properties, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
    uint32_t group = (uint32_t)soft_settings.group;
    properties->maxTotalGroupSize = properties->maxGroupSizeX = properties->maxGroupSizeY = group;
    properties->maxGroupSizeZ = group;
    properties->maxGroupCountX = properties->maxGroupCountY = properties->maxGroupCountZ = UINT32_MAX;
    properties->maxSharedLocalMemory = (uint32_t)soft_settings.slm;
    memset(properties->subGroupSizes, 0, sizeof properties->subGroupSizes);
    properties->numSubGroupSizes = 1;
    properties->subGroupSizes[0] = (uint32_t)soft_settings.subgroup;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetModuleProperties(ze_device_handle_t hDevice, ze_device_module_properties_t *properties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_DESCRIPTOR(properties, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES);
    const ze_device_fp_flags_t fp = (soft_settings.denormals ? (unsigned)ZE_DEVICE_FP_FLAG_DENORM : 0) |
                                    ZE_DEVICE_FP_FLAG_INF_NAN | ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST |
                                    ZE_DEVICE_FP_FLAG_FMA | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    properties->spirvVersionSupported = ZE_MAKE_VERSION(1, 4);
    properties->flags =
        (soft_settings.fp64 ? (unsigned)ZE_DEVICE_MODULE_FLAG_FP64 : 0) | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS;
    properties->fp16flags = 0;
    properties->fp32flags = fp;
    properties->fp64flags = soft_settings.fp64 ? fp : 0;
    properties->maxArgumentsSize = 2048;
    properties->printfBufferSize = 0;
    memset(&properties->nativeKernelSupported, 0, sizeof properties->nativeKernelSupported);
    memcpy(properties->nativeKernelSupported.id, "soft_gpu", 8);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCommandQueueGroupProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                                   ze_command_queue_group_properties_t *properties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_POINTER(pCount);
    SOFT_LIST_COUNT(pCount, (uint32_t)soft_settings.copy_engine + 1);
    for (uint32_t i = 0; properties && i < *pCount; i++) {
        SOFT_STYPE(&properties[i], ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
        properties[i].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
        if (i == 0)
            properties[i].flags |= ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE;
        properties[i].maxMemoryFillPatternSize = soft_fill_pattern(i);
        properties[i].numQueues = 1;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetMemoryProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                        ze_device_memory_properties_t *properties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_POINTER(pCount);
    SOFT_LIST_COUNT(pCount, 1);
    if (!properties)
        return ZE_RESULT_SUCCESS;
    SOFT_STYPE(properties, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES);
    properties->flags = 0;
    properties->maxClockRate = (uint32_t)soft_settings.clock;
    properties->maxBusWidth = 64;
    properties->totalSize = soft_device_memory(device);
    snprintf(properties->name, sizeof properties->name, "soft");
    ze_device_memory_ext_properties_t *more = properties->pNext;
    if (more && more->stype == ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES) {
        more->type = ZE_DEVICE_MEMORY_EXT_TYPE_HBM2;
        more->physicalSize = properties->totalSize;
        more->readBandwidth = more->writeBandwidth = (uint32_t)soft_settings.bandwidth * tiles_of(device);
        more->bandwidthUnit = ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetCacheProperties(ze_device_handle_t hDevice, uint32_t *pCount,
                                       ze_device_cache_properties_t *properties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_POINTER(pCount);
    SOFT_LIST_COUNT(pCount, 1);
    if (!properties)
        return ZE_RESULT_SUCCESS;
    SOFT_STYPE(properties, ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES);
    properties->flags = 0;
    properties->cacheSize = 2 << 20;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDevicePciGetPropertiesExt(ze_device_handle_t hDevice, ze_pci_ext_properties_t *pPciProperties) {
    SOFT_CALL(device, hDevice, device);
    SOFT_DESCRIPTOR(pPciProperties, ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES);
    if (!soft_settings.pci)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    pPciProperties->address = (ze_pci_address_ext_t){.bus = 0x3a + device->index};
    pPciProperties->maxSpeed = (ze_pci_speed_ext_t){-1, -1, -1};
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetGlobalTimestamps(ze_device_handle_t hDevice, uint64_t *hostTimestamp,
                                        uint64_t *deviceTimestamp) {
    SOFT_CALL(device, hDevice, device);
    SOFT_POINTER(hostTimestamp);
    SOFT_POINTER(deviceTimestamp);
    *hostTimestamp = uhi_host_now();
    *deviceTimestamp = soft_ticks(*hostTimestamp) & soft_tick_mask();
    return ZE_RESULT_SUCCESS;
}
