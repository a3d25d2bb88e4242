/* SPDX-License-Identifier: Apache-2.0 */
/* The list of devices, built once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/backend.h"
#include "runtime/device_list.h"
#include "runtime/log.h"
#include "runtime/selector.h"
#include "runtime/status.h"

/* In listing order; the host is last. */
static const struct uhi_backend *const backends[] = {
#ifdef UNIHIST_LEVEL_ZERO
    &uhi_backend_ze,
#endif
    &uhi_backend_host,
};

static pthread_once_t host_once = PTHREAD_ONCE_INIT, list_once = PTHREAD_ONCE_INIT;
static struct uhi_device_list host; /* the one device found without asking drivers */
static struct uhi_device_list all;  /* includes `host` */
/* Set when the list is complete, for threads that did not build it. */
static atomic_int is_listed;
/* Why the list could not be built; every call that needs it fails with this. */
static uh_status list_status;
static char list_message[512];

static const char *selector_variable(void) {
    const char *text = getenv("ONEAPI_DEVICE_SELECTOR");
    return text && *text ? text : NULL;
}

/* Returns whether ONEAPI_DEVICE_SELECTOR (well formed) accepts a device. It numbers devices as SYCL's runtimes do, by
 * driver devices, not cards. */
static int is_accepted(const char *text, const uh_device *device) {
    struct uhi_selector_device requested = {device->backend->name, device->properties.kind, device->root,
                                            device->root_tile};
    struct uhi_selector_error error;
    int accepted = 1;
    if (device->backend != &uhi_backend_host)
        uhi_selector_accepts(text, &requested, &accepted, &error);
    return accepted;
}

static void check_selector(void) {
    const char *text = selector_variable();
    int accepted = 0;
    struct uhi_selector_error error = {0, NULL};
    if (!text || uhi_selector_accepts(text, NULL, &accepted, &error) == 0)
        return;
    list_status = UH_ERROR_INVALID_ARGUMENT;
    snprintf(list_message, sizeof list_message, "ONEAPI_DEVICE_SELECTOR is \"%.200s\"; expected %s at character %zu",
             text, error.expected, error.position + 1);
}

/* Moves devices not accepted by ONEAPI_DEVICE_SELECTOR, except the host, to the end of the list. */
static void apply_selector(struct uhi_device_list *list) {
    const char *text = selector_variable();
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uh_device *moved = list->devices[i];
        if (text && !is_accepted(text, moved))
            continue;
        memmove(&list->devices[kept + 1], &list->devices[kept], (i - kept) * sizeof(uh_device *));
        list->devices[kept++] = moved;
    }
    list->hidden = list->count - kept;
    list->count = kept;
}

/* Records the last failure as the reason why there is no list. */
static void store_failure(uh_status status) {
    list_status = status;
    snprintf(list_message, sizeof list_message, "%.500s", uh_last_error_info()->text);
}

/* The call that builds the list. */
static _Thread_local const char *listing_call;

static void list_host(void) {
    check_selector();
    host.count = 0; /* a thread lost in a fork may have started the list */
    host.call = listing_call;
    host.backend = &uhi_backend_host;
    if (list_status != UH_SUCCESS)
        return;
    uh_status status = uhi_backend_host.list_devices(&host);
    if (status)
        store_failure(status);
}

/* Opens only drivers that ONEAPI_DEVICE_SELECTOR may accept: opening one takes time and may crash. */
static void list_backend(const struct uhi_backend *backend) {
    static char hidden[320];
    const char *text = selector_variable();
    all.backend = backend;
    if (text && !uhi_selector_may_accept(text, backend->name)) {
        snprintf(hidden, sizeof hidden, "ONEAPI_DEVICE_SELECTOR=\"%.200s\" hides all devices of %s", text,
                 backend->name);
        all.why = hidden;
        return;
    }
    if (backend->list_devices(&all) != UH_SUCCESS)
        uhi_log(UH_LOG_WARN, "no devices of %s: %s", backend->name, uh_last_error_info()->text);
}

static void make_list(void) {
    all.call = listing_call;
    all.why = "this library was built without Level Zero (with UNIHIST_LEVEL_ZERO=OFF, or where clang, llvm-spirv, "
              "spirv-val or libze-dev was missing)";
    for (size_t i = 0; i < sizeof backends / sizeof backends[0] && list_status == UH_SUCCESS; i++)
        if (backends[i] != &uhi_backend_host)
            list_backend(backends[i]);
    if (list_status == UH_SUCCESS && (uhi_device_list_put(&all, all.count, host.devices[0]) != UH_SUCCESS))
        store_failure(UH_ERROR_OUT_OF_MEMORY);
    if (list_status == UH_SUCCESS)
        apply_selector(&all);
    if (list_status == UH_SUCCESS && uhi_cards_add(&all) != UH_SUCCESS)
        store_failure(UH_ERROR_OUT_OF_MEMORY);
    for (size_t i = 0; i < all.count; i++) {
        const uh_device_properties *p = &all.devices[i]->properties;
        uhi_log(UH_LOG_INFO, "device %s: %s, %u cores, %u threads%s%s", p->selector, p->name, (unsigned)p->cores,
                (unsigned)p->threads, p->isa[0] ? ", x86-64-" : "", p->isa);
    }
    atomic_store_explicit(&is_listed, 1, memory_order_release);
}

static uh_status check_list(const char *call) {
    return list_status == UH_SUCCESS ? UH_SUCCESS : uhi_fail(list_status, call, NULL, "%s", list_message);
}

static uh_status need_host(const char *call) {
    listing_call = call;
    pthread_once(&host_once, list_host);
    return check_list(call);
}

/* Returns whether the process was forked after drivers were opened; it can then use only the host. */
static int is_forked(void) {
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (backends[i]->is_forked && backends[i]->is_forked())
            return 1;
    return 0;
}

/* Returns the completed list as this process may use it. */
static const struct uhi_device_list *usable(void) {
    if (!is_forked())
        return &all;
    host.why = "this process was forked after its parent had opened the drivers, whose devices are the parent's alone";
    return &host;
}

uh_status uhi_device_need_list(const char *call) {
    uh_status status = need_host(call);
    if (status || is_forked())
        return status;
    pthread_once(&list_once, make_list);
    return check_list(call);
}

/* The same for a call that stores a result at `to`. */
static uh_status need_list(const char *call, const void *to, const char *argument, const char *expected) {
    return to ? uhi_device_need_list(call) : uhi_fail_null(call, argument, expected);
}

uh_status uhi_device_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info) {
    uh_status status = UH_SUCCESS;
    if (!atomic_load_explicit(&is_listed, memory_order_acquire))
        return UH_SUCCESS;
    for (size_t i = 0; i < sizeof backends / sizeof backends[0] && !status; i++)
        if (backends[i]->find_memory && info->kind == UH_MEMORY_UNKNOWN)
            status = backends[i]->find_memory(device, pointer, info);
    return status;
}

uh_status uh_device_count(size_t *count) {
    UHI_TRY(need_list(__func__, count, "count", "where to store the number"));
    *count = usable()->count;
    return UH_SUCCESS;
}

uh_status uh_device_get(size_t index, uh_device **device) {
    UHI_TRY(need_list(__func__, device, "device", "where to store the device"));
    const struct uhi_device_list *list = usable();
    if (index >= list->count)
        return uhi_fail_argument(__func__, "index", "is %zu, expected 0 to %zu", index, list->count - 1);
    *device = list->devices[index];
    return UH_SUCCESS;
}

/* Returns whether a selector means the host regardless of other devices. */
static int names_host(const char *selector) {
    static const char *const names[] = {"host", "cpu", "host:0"};
    for (size_t i = 0; selector && i < sizeof names / sizeof *names; i++)
        if (strcasecmp(selector, names[i]) == 0)
            return 1;
    return 0;
}

static uh_status select_listed(const char *call, const char *selector, uh_device **device) {
    const struct uhi_device_list *list = usable();
    /* "all" must not match part of a name. */
    int all_requested = selector && strcasecmp(selector, "all") == 0;
    uh_device *best = all_requested ? NULL : uhi_device_choose(list->devices, list->count, selector);
    if (!best && uhi_several_matches(selector))
        return uhi_several_select(call, list, selector, device);
    if (!best)
        return uhi_device_fail_unmatched(call, list, selector);
    *device = best;
    return UH_SUCCESS;
}

uh_status uh_device_select(const char *selector, uh_device **device) {
    UHI_NEED(__func__, device, "where to store the device");
    UHI_TRY(names_host(selector) ? need_host(__func__) : uhi_device_need_list(__func__));
    if (!names_host(selector))
        return select_listed(__func__, selector, device);
    *device = host.devices[0];
    return UH_SUCCESS;
}

uh_status uh_device_get_properties(const uh_device *device, uh_device_properties *properties) {
    UHI_NEED(__func__, device, "a device");
    return uhi_sized_fill(__func__, properties, &device->properties, sizeof *properties);
}

uh_status uh_device_free_memory(uh_device *device, uint64_t *bytes) {
    uint64_t reported = 0;
    UHI_NEED(__func__, device, "a device");
    UHI_NEED(__func__, bytes, "where to store the number");
    uh_status status = device->backend->free_memory ? device->backend->free_memory(device, &reported) : UH_SUCCESS;
    if (!status)
        *bytes = reported;
    return status;
}

uh_status uh_device_parts(const uh_device *device, uh_device **parts, size_t room, size_t *count) {
    UHI_NEED(__func__, device, "a device");
    if (room && !parts)
        return uhi_fail_null(__func__, "parts", "where to store the devices");
    UHI_NEED(__func__, count, "where to store the number");
    for (size_t i = 0; i < room && i < device->nparts; i++)
        parts[i] = device->parts[i];
    *count = device->nparts;
    return UH_SUCCESS;
}
