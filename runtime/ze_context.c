/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts other than the library's: devices in contexts of the caller's, and the owner of a pointer's memory. */
#include <stdlib.h>
#include <string.h>

#include "runtime/fork.h"
#include "runtime/ze.h"

/* A device in a context of the caller's. Never removed: handles of a destroyed context may be reused. */
struct foreign {
    struct foreign *next;
    const struct uhi_ze_device *listed;
    uh_device device;
    struct uhi_ze_device native;
};

/* Entries are added at the front and do not change. */
static _Atomic(struct foreign *) foreigners;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
UHI_HELD_AT_FORK(adding, adding)

const struct uhi_ze_device *uhi_ze_find_listed(ze_device_handle_t handle) {
    for (const struct uhi_ze_driver *driver = uhi_ze_drivers(); driver; driver = driver->next)
        for (uint32_t i = 0; i < driver->device_count; i++)
            if (driver->devices[i]->device == handle)
                return driver->devices[i];
    return NULL;
}

static struct foreign *find_foreign(ze_context_handle_t context, const struct uhi_ze_device *listed) {
    struct foreign *foreign = atomic_load_explicit(&foreigners, memory_order_acquire);
    while (foreign && (foreign->native.context != context || foreign->listed != listed))
        foreign = foreign->next;
    return foreign;
}

/* Locked. */
static struct foreign *add_foreign(ze_context_handle_t context, const uh_device *listed) {
    struct foreign *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->listed = uhi_ze_device(listed);
    made->device = *listed;
    memcpy(&made->native, made->listed, sizeof made->native);
    made->native.context = context;
    atomic_init(&made->native.children, 0);
    atomic_init(&made->native.queues, 0);
    made->device.context = context;
    made->device.is_foreign = 1;
    made->device.native = &made->native;
    made->next = atomic_load_explicit(&foreigners, memory_order_relaxed);
    atomic_store_explicit(&foreigners, made, memory_order_release);
    return made;
}

uh_status uhi_ze_device_in(const char *call, ze_context_handle_t context, const uh_device *listed, uh_device **device) {
    pthread_mutex_lock(&adding);
    struct foreign *foreign = find_foreign(context, uhi_ze_device(listed));
    if (!foreign)
        foreign = add_foreign(context, listed);
    pthread_mutex_unlock(&adding);
    if (!foreign)
        return uhi_fail_memory(call, "out of memory for a device in another context");
    *device = &foreign->device;
    return UH_SUCCESS;
}

/* ---- pointers --------------------------------------------------------------------------------------------------- */

static uh_memory_kind kind_of(ze_memory_type_t type) {
    switch (type) {
    case ZE_MEMORY_TYPE_UNKNOWN: return UH_MEMORY_UNKNOWN;
    case ZE_MEMORY_TYPE_DEVICE: return UH_MEMORY_DEVICE;
    case ZE_MEMORY_TYPE_SHARED: return UH_MEMORY_SHARED;
    default: return UH_MEMORY_HOST; /* includes memory that the host has allocated and a driver has imported */
    }
}

/* Asks about a pointer in one context, for a device (NULL: none). `of`: the device it belongs to, or NULL. */
static uh_status query(const uh_device *device, ze_context_handle_t context, const void *pointer, uh_pointer_info *info,
                       ze_device_handle_t *of) {
    ze_memory_allocation_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_result_t result = UHI_ZE_TRY(zeMemGetAllocProperties, context, pointer, &properties, of);
    /* The memory of a lost device is gone; the host goes on without it. */
    if (result == ZE_RESULT_ERROR_DEVICE_LOST && !device)
        return UH_SUCCESS;
    uh_status status = uhi_ze_check("uh_pointer_type", result, "zeMemGetAllocProperties", UHI_ZE_FILE, __LINE__);
    if (status || properties.type == ZE_MEMORY_TYPE_UNKNOWN)
        return status;
    status = UHI_ZE("uh_pointer_type", zeMemGetAddressRange, context, pointer, &info->base, &info->size);
    if (!status)
        info->kind = kind_of(properties.type);
    return status;
}

/* Returns whether the driver has a device to ask: a lost device has no memory, and must not be called again. */
static int is_alive(const struct uhi_ze_driver *driver) {
    for (uint32_t i = 0; i < driver->device_count && !uhi_ze_is_forked(); i++)
        if (!atomic_load_explicit(&driver->devices[i]->lost, memory_order_relaxed))
            return 1;
    return 0;
}

static uh_status query_driver(const uh_device *device, const struct uhi_ze_driver *driver, const void *pointer,
                              uh_pointer_info *info) {
    ze_device_handle_t of = NULL;
    uh_status status = is_alive(driver) ? query(device, driver->context, pointer, info, &of) : UH_SUCCESS;
    if (info->kind != UH_MEMORY_UNKNOWN) {
        const struct uhi_ze_device *listed = uhi_ze_find_listed(of);
        info->device = (listed ? listed : driver->devices[0])->of;
    }
    return status;
}

static uh_status query_foreign(const uh_device *device, struct foreign *foreign, const void *pointer,
                               uh_pointer_info *info) {
    ze_device_handle_t of = NULL;
    uh_status status = UH_SUCCESS;
    /* Once nothing of the library is alive in it, the context may have been destroyed. */
    if (atomic_load(&foreign->native.children) && !atomic_load(&foreign->native.lost))
        status = query(device, foreign->native.context, pointer, info, &of);
    if (info->kind != UH_MEMORY_UNKNOWN) {
        struct foreign *same = find_foreign(foreign->native.context, uhi_ze_find_listed(of));
        info->device = same ? &same->device : &foreign->device;
    }
    return status;
}

uh_status uhi_ze_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info) {
    uh_status status = UH_SUCCESS;
    if (!pointer)
        return UH_SUCCESS;
    if (device && device->backend->find_memory != uhi_ze_find_memory)
        device = NULL;
    if (device)
        status = uhi_ze_check_lost("uh_pointer_type", device);
    if (!status && device && device->is_foreign) {
        const struct uhi_ze_device *inside = uhi_ze_device(device);
        status =
            query_foreign(device, find_foreign(inside->context, uhi_ze_find_listed(inside->device)), pointer, info);
    }
    for (const struct uhi_ze_driver *d = uhi_ze_drivers(); d && !status; d = d->next)
        if (info->kind == UH_MEMORY_UNKNOWN)
            status = query_driver(device, d, pointer, info);
    struct foreign *f = atomic_load_explicit(&foreigners, memory_order_acquire);
    for (; f && !status && info->kind == UH_MEMORY_UNKNOWN; f = f->next)
        status = query_foreign(device, f, pointer, info);
    return device ? uhi_ze_note_loss(device, status) : status;
}
