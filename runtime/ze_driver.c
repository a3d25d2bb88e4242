/* SPDX-License-Identifier: Apache-2.0 */
/* Level Zero's drivers: listing, reasons for missing devices, and cleanup. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device_list.h"
#include "runtime/log.h"
#include "runtime/module.h"
#include "runtime/ze.h"

/* Written once, while the list of devices is built. */
static struct uhi_ze_driver *drivers;
static char unlisted_reason[640];

const struct uhi_ze_driver *uhi_ze_drivers(void) { return drivers; }

/* Runs before the exit handlers of the loader and the drivers, which were registered when zeInit opened them. Objects
 * that the program has not destroyed may still be in use, so a context with children is not destroyed. */
static void destroy_contexts(void) {
    uhi_module_destroy_idle(NULL);
    for (struct uhi_ze_driver *driver = drivers; driver; driver = driver->next) {
        size_t children = 0;
        int unusable = 0;
        for (uint32_t i = 0; i < driver->device_count; i++) {
            children += atomic_load(&driver->devices[i]->children);
            /* Calls from later exit handlers get an error. */
            uhi_ze_lose(driver->devices[i]);
            unusable |= uhi_ze_is_given_up(driver->devices[i]);
        }
        if (children == 0 && driver->owns_context && !unusable)
            UHI_ZE_TRY(zeContextDestroy, driver->context);
        else if (children)
            uhi_log(UH_LOG_INFO, "level_zero: %zu queues, allocations and modules live at exit", children);
    }
}

/* Appends what to install to the reason. */
static void add_advice(void) {
    const size_t used = strlen(unlisted_reason);
    snprintf(
        unlisted_reason + used, sizeof unlisted_reason - used,
        "; for an Intel GPU install its driver (package libze-intel-gpu1 or intel-level-zero-gpu; in Debian 12 and "
        "Ubuntu before 24.10 intel-opencl-icd) and let this user open /dev/dri/renderD* (group render)");
}

/* Records and logs why a driver's devices are not listed. */
static void record_unlisted(uint32_t number, const char *function, ze_result_t result) {
    snprintf(unlisted_reason, sizeof unlisted_reason, "Level Zero driver %u fails: %s gave %s (0x%08x)",
             (unsigned)number, function, uhi_ze_result_name(result), (unsigned)result);
    add_advice();
    uhi_log(UH_LOG_WARN, "%s", unlisted_reason);
}

static int has_extension(ze_driver_handle_t handle, const char *name) {
    uint32_t count = 0;
    int found = 0;
    if (UHI_ZE_TRY(zeDriverGetExtensionProperties, handle, &count, NULL) != ZE_RESULT_SUCCESS || count == 0)
        return 0;
    ze_driver_extension_properties_t *all = calloc(count, sizeof *all);
    if (all && UHI_ZE_TRY(zeDriverGetExtensionProperties, handle, &count, all) == ZE_RESULT_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found |= strcmp(all[i].name, name) == 0;
    free(all);
    return found;
}

/* Adds a device (tile -1) or one of its tiles. Returns the first failed result; `status`: failures of the list. */
static ze_result_t add_device(struct uhi_device_list *list, struct uhi_ze_driver *driver, ze_device_handle_t handle,
                              uint32_t root, int32_t tile, uint32_t tiles, uh_status *status) {
    struct uhi_ze_device **more = realloc(driver->devices, (driver->device_count + 1) * sizeof(struct uhi_ze_device *));
    if (!more)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    driver->devices = more;
    struct uhi_ze_device *native = calloc(1, sizeof *native);
    if (!native)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    uh_device device = {
        .index = root, .root = root, .tile = tile, .root_tile = tile, .native = native, .context = driver->context};
    native->listed_by = driver;
    native->device = handle;
    native->context = driver->context;
    uh_device_properties *p = &device.properties;
    p->platform = driver->number;
    p->sockets = tiles ? tiles : 1;
    /* Intel's drivers encode major.minor.build this way. */
    snprintf(p->driver_version, sizeof p->driver_version, "%u.%u.%u", (unsigned)(driver->version >> 24),
             (unsigned)(driver->version >> 16 & 0xff), (unsigned)(driver->version & 0xffff));
    ze_result_t result = uhi_ze_describe(&device);
    if (result == ZE_RESULT_SUCCESS && native->is_npu) {
        uhi_log(UH_LOG_INFO, "level_zero: %s is skipped: no kernels run on NPUs", p->name);
        free(native);
        return result;
    }
    if (result == ZE_RESULT_SUCCESS)
        *status = uhi_device_list_add(list, &device);
    if (result != ZE_RESULT_SUCCESS || *status) {
        free(native);
        return result;
    }
    native->of = list->devices[list->count - 1];
    driver->devices[driver->device_count++] = native;
    return result;
}

/* Returns the devices of a driver, or the tiles of a device (malloc, the caller frees); NULL if none or on failure. */
static ze_device_handle_t *get_handles(ze_driver_handle_t driver, ze_device_handle_t device, uint32_t *count,
                                       ze_result_t *result) {
    ze_device_handle_t *handles = NULL;
    *count = 0;
    *result =
        device ? UHI_ZE_TRY(zeDeviceGetSubDevices, device, count, NULL) : UHI_ZE_TRY(zeDeviceGet, driver, count, NULL);
    if (*result != ZE_RESULT_SUCCESS || *count == 0)
        return NULL;
    handles = calloc(*count, sizeof(ze_device_handle_t));
    *result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (handles)
        *result = device ? UHI_ZE_TRY(zeDeviceGetSubDevices, device, count, handles)
                         : UHI_ZE_TRY(zeDeviceGet, driver, count, handles);
    if (*result == ZE_RESULT_SUCCESS)
        return handles;
    free(handles);
    return NULL;
}

/* Uses the driver's default context if it has one, which shares memory with other libraries that use it, such as SYCL's
 * runtimes; otherwise creates our own. */
static ze_result_t open_context(struct uhi_ze_driver *driver) {
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    if (uhi_ze.zeDriverGetDefaultContext) {
        uint64_t begin = uhi_ze_begin();
        driver->context = uhi_ze.zeDriverGetDefaultContext(driver->handle);
        /* Loader 1.32 returns ZE_RESULT_ERROR_UNSUPPORTED_FEATURE as a handle if the driver has none. */
        if ((uintptr_t)driver->context >> 28 == 7)
            driver->context = NULL;
        uhi_ze_end(begin, driver->context ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_NOT_AVAILABLE,
                   "zeDriverGetDefaultContext");
    }
    if (driver->context)
        return ZE_RESULT_SUCCESS;
    driver->owns_context = 1;
    return UHI_ZE_TRY(zeContextCreate, driver->handle, &desc, &driver->context);
}

/* Reads a driver's properties and opens its context. Logs a failure and returns NULL. */
static struct uhi_ze_driver *open_driver(ze_driver_handle_t handle, uint32_t number) {
    ze_driver_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES};
    const char *function = "zeDriverGetProperties";
    struct uhi_ze_driver *driver = calloc(1, sizeof *driver);
    if (!driver) {
        record_unlisted(number, "calloc", ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    driver->handle = handle;
    driver->number = number;
    ze_result_t result = UHI_ZE_TRY(zeDriverGetProperties, handle, &properties);
    if (result == ZE_RESULT_SUCCESS) {
        function = "zeDriverGetApiVersion";
        result = UHI_ZE_TRY(zeDriverGetApiVersion, handle, &driver->api);
    }
    if (result == ZE_RESULT_SUCCESS) {
        function = "zeContextCreate";
        result = open_context(driver);
    }
    if (result != ZE_RESULT_SUCCESS) {
        record_unlisted(number, function, result);
        free(driver);
        return NULL;
    }
    driver->version = properties.driverVersion;
    driver->has_global_offset = has_extension(handle, ZE_GLOBAL_OFFSET_EXP_NAME);
    driver->has_bandwidth = has_extension(handle, ZE_DEVICE_MEMORY_PROPERTIES_EXT_NAME);
    driver->has_usable_memory = has_extension(handle, ZE_DEVICE_USABLEMEM_SIZE_PROPERTIES_EXT_NAME);
    driver->has_relaxed_limits = has_extension(handle, ZE_RELAXED_ALLOCATION_LIMITS_EXP_NAME);
    /* Intel's drivers had in-order lists earlier, and reported older interface versions for longer. */
    driver->has_in_order_lists =
        uhi_ze.zeCommandListHostSynchronize && has_extension(handle, ZE_EVENT_POOL_COUNTER_BASED_EXP_NAME);
    uhi_ze_find_import(driver);
    return driver;
}

/* Adds device number `root` with its tiles; none if these cannot be listed. Leaves out what cannot be described. */
static uh_status add_with_tiles(struct uhi_device_list *list, struct uhi_ze_driver *driver, ze_device_handle_t handle,
                                uint32_t root) {
    uint32_t count;
    uh_status status = UH_SUCCESS;
    ze_result_t result;
    ze_device_handle_t *tiles = get_handles(driver->handle, handle, &count, &result);
    count = tiles ? count : 0;
    result = add_device(list, driver, handle, root, -1, count, &status);
    for (uint32_t t = 0; t < count && result == ZE_RESULT_SUCCESS && !status; t++)
        result = add_device(list, driver, tiles[t], root, (int32_t)t, 1, &status);
    if (result != ZE_RESULT_SUCCESS)
        record_unlisted(driver->number, "the description of a device", result);
    free(tiles);
    return status;
}

/* ---- cards: with ZE_FLAT_DEVICE_HIERARCHY=FLAT (drivers' default since 2024) or COMBINED, a driver lists the tiles of
 * a card as devices; their addresses and ids show which belong to one card ---- */

/* Returns whether a listed device may be a tile: a GPU that has no tiles of its own. */
static int may_be_tile(const uh_device *device) {
    return device->properties.kind == UH_DEVICE_GPU && device->root_tile < 0 && device->properties.sockets == 1;
}

/* Intel's UUIDs of a card's tiles differ only in the last byte, which counts them from 1; the card's own ends in 0. */
static int are_tiles_by_uuid(const uh_device_properties *a, const uh_device_properties *b) {
    enum { INTEL = 0x8086, LAST = sizeof a->uuid - 1 };
    return a->vendor_id == INTEL && memcmp(a->uuid, b->uuid, LAST) == 0 && a->uuid[LAST] && b->uuid[LAST] &&
           a->uuid[LAST] != b->uuid[LAST];
}

static int is_same_card(const uh_device *a, const uh_device *b) {
    const uh_device_properties *p = &a->properties, *q = &b->properties;
    if (!may_be_tile(a) || !may_be_tile(b) || p->vendor_id != q->vendor_id || p->device_id != q->device_id)
        return 0;
    if (p->pci_address[0] && q->pci_address[0])
        return strcmp(p->pci_address, q->pci_address) == 0;
    return are_tiles_by_uuid(p, q);
}

/* Moves device `from` of the list forward to position `to`. */
static void move_forward(uh_device **devices, size_t from, size_t to) {
    uh_device *const moved = devices[from];
    memmove(&devices[to + 1], &devices[to], (from - to) * sizeof(uh_device *));
    devices[to] = moved;
}

/* Moves the other tiles of device `first`'s card after it, and numbers them. Returns the index of the next card. */
static size_t gather_tiles(struct uhi_device_list *list, size_t first) {
    uh_device **devices = list->devices;
    size_t next = first + 1;
    for (size_t i = next; i < list->count; i++)
        if (is_same_card(devices[first], devices[i])) {
            move_forward(devices, i, next);
            devices[next]->tile = (int32_t)(next - first);
            next++;
        }
    if (next > first + 1)
        devices[first]->tile = 0;
    return next;
}

/* Numbers the cards of the list's devices from index `from` on, all of one driver, starting with *card. Listed devices
 * that are tiles of one card become its tiles and are moved together. */
static void number_cards(struct uhi_device_list *list, size_t from, uint32_t *card) {
    for (size_t first = from, next; first < list->count; first = next) {
        const uint32_t root = list->devices[first]->root;
        for (next = first + 1; next < list->count && list->devices[next]->root == root;)
            next++; /* tiles that the driver lists as such */
        if (next == first + 1)
            next = gather_tiles(list, first);
        for (size_t i = first; i < next; i++) {
            list->devices[i]->index = *card;
            uhi_device_list_name(list->devices[i], list->backend->name);
        }
        ++*card;
    }
}

/* ---- listing ---- */

/* Lists a driver's devices, numbered from *root, and numbers their cards from *card. Fails only if there is no memory
 * for the list. */
static uh_status list_driver(struct uhi_device_list *list, ze_driver_handle_t handle, uint32_t number, uint32_t *root,
                             uint32_t *card) {
    const size_t from = list->count;
    uint32_t count;
    uh_status status = UH_SUCCESS;
    ze_result_t result;
    ze_device_handle_t *devices = get_handles(handle, NULL, &count, &result);
    if (result != ZE_RESULT_SUCCESS)
        record_unlisted(number, "zeDeviceGet", result);
    struct uhi_ze_driver *driver = devices ? open_driver(handle, number) : NULL;
    if (driver) {
        /* Also if every device fails: its context is destroyed at exit. */
        driver->next = drivers;
        drivers = driver;
        for (uint32_t i = 0; i < count && !status; i++)
            status = add_with_tiles(list, driver, devices[i], (*root)++);
        number_cards(list, from, card);
    }
    free(devices);
    return status;
}

/* ZE_RESULT_SUCCESS: Level Zero works, but has no device. */
static void fail_init(const char *function, ze_result_t result) {
    if (result == ZE_RESULT_SUCCESS)
        snprintf(unlisted_reason, sizeof unlisted_reason, "Level Zero's drivers have no device");
    else if (result == ZE_RESULT_ERROR_UNINITIALIZED)
        snprintf(unlisted_reason, sizeof unlisted_reason,
                 "the Level Zero loader finds no driver with a device (%s gave %s)", function,
                 uhi_ze_result_name(result));
    else
        snprintf(unlisted_reason, sizeof unlisted_reason, "Level Zero fails to initialise (%s gave %s, 0x%08x)",
                 function, uhi_ze_result_name(result), (unsigned)result);
    add_advice();
    uhi_log(UH_LOG_INFO, "%s", unlisted_reason);
}

/* Counts or lists GPU drivers, regardless of earlier initializations in this process, or all drivers: zeInit repeats an
 * earlier result, which has no GPU if it was for an NPU. */
static ze_result_t get_drivers(int only_gpus, uint32_t *count, ze_driver_handle_t *handles, const char **function) {
    struct uhi_ze_driver_types gpus = {.stype = UHI_ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = UHI_ZE_DRIVER_TYPE_GPU};
    *function = "zeInitDrivers";
    if (only_gpus)
        return UHI_ZE_TRY(zeInitDrivers, count, handles, &gpus);
    *function = "zeInit";
    const ze_result_t result = UHI_ZE_TRY(zeInit, 0);
    if (result != ZE_RESULT_SUCCESS)
        return result;
    *function = "zeDriverGet";
    return UHI_ZE_TRY(zeDriverGet, count, handles);
}

/* Stores the drivers in `*handles` (malloc, the caller frees; NULL if none); on failure records the reason. */
static uh_status find_drivers(const char *call, int only_gpus, uint32_t *count, ze_driver_handle_t **handles) {
    const char *function = NULL;
    *count = 0;
    *handles = NULL;
    ze_result_t result = get_drivers(only_gpus, count, NULL, &function);
    if (result == ZE_RESULT_SUCCESS && *count > 0 && !(*handles = calloc(*count, sizeof(ze_driver_handle_t))))
        return uhi_fail_memory(call, "out of memory for the list of drivers");
    if (*handles)
        result = get_drivers(only_gpus, count, *handles, &function);
    if (result != ZE_RESULT_SUCCESS) {
        fail_init(function, result);
        *count = 0;
    }
    return UH_SUCCESS;
}

static uh_status list_drivers(struct uhi_device_list *list) {
    ze_driver_handle_t *handles = NULL;
    uint32_t count = 0, root = 0, card = 0;
    uh_status status = UH_SUCCESS;
    list->why = unlisted_reason;
    snprintf(unlisted_reason, sizeof unlisted_reason, "%s", uhi_ze_open());
    if (unlisted_reason[0]) {
        uhi_log(UH_LOG_INFO, "%s", unlisted_reason);
        return UH_SUCCESS;
    }
    if (uhi_ze.zeInitDrivers)
        status = find_drivers(list->call, 1, &count, &handles);
    /* A driver may be older than its loader. */
    if (!status && count == 0) {
        free(handles);
        unlisted_reason[0] = '\0';
        status = find_drivers(list->call, 0, &count, &handles);
    }
    for (uint32_t i = 0; i < count && !status; i++)
        status = list_driver(list, handles[i], i, &root, &card);
    free(handles);
    if (drivers && atexit(destroy_contexts) != 0)
        uhi_log(UH_LOG_WARN, "level_zero: no room for an exit handler; contexts are not destroyed");
    int listed = 0;
    for (struct uhi_ze_driver *driver = drivers; driver; driver = driver->next)
        listed |= driver->device_count > 0;
    if (listed)
        unlisted_reason[0] = '\0';
    else if (!status && !unlisted_reason[0])
        fail_init("", ZE_RESULT_SUCCESS);
    return status;
}

uh_status uhi_ze_list_devices(struct uhi_device_list *list) {
    return uhi_ze_may_open(list, list_drivers) ? list_drivers(list) : UH_SUCCESS;
}
