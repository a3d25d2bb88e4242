/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of the program, registered with a driver for a while by Intel's functions for that: the driver then knows
 * exactly these bytes, copies from them at full speed, and accepts them as kernel arguments. (Mapping them by
 * ZE_extension_external_memmap_sysmem would take whole pages, which others share.) */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fork.h"
#include "runtime/log.h"
#include "runtime/ze.h"

/* Drivers do not count imports of the same memory, so nothing is imported twice at a time. */
struct import {
    struct import *next;
    const struct uhi_ze_driver *driver;
    uintptr_t first;
    size_t size;
};
static struct import *imports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void renew_lock(void) { pthread_mutex_init(&lock, NULL); }
UHI_RENEWED_AT_FORK(renew_lock)

/* Returns whether a handle belongs to the same driver as `function`: a driver's objects begin with an address in its
 * library, as C++ objects do. */
static int is_driver_object(const void *handle, const void *function) {
    const void *first;
    Dl_info there, here;
    memcpy(&first, handle, sizeof first);
    return first && dladdr(first, &there) && dladdr(function, &here) && there.dli_fbase == here.dli_fbase;
}

/* A loader that has opened other drivers too, even ones without devices, returns handles of its own, which a driver's
 * private function would take for the driver's object. Only those are translated: some loaders change a handle that is
 * already the driver's. */
static int find_driver_handle(struct uhi_ze_driver *driver, const void *function) {
    driver->driver_handle = driver->handle;
    return is_driver_object(driver->handle, function) ||
           (uhi_ze.zelLoaderTranslateHandle &&
            UHI_ZE_TRY(zelLoaderTranslateHandle, UHI_ZEL_HANDLE_DRIVER, driver->handle, &driver->driver_handle) ==
                ZE_RESULT_SUCCESS &&
            driver->driver_handle && is_driver_object(driver->driver_handle, function));
}

void uhi_ze_find_import(struct uhi_ze_driver *driver) {
    void *import = NULL, *release = NULL;
    if (UHI_ZE_TRY(zeDriverGetExtensionFunctionAddress, driver->handle, "zexDriverImportExternalPointer", &import) !=
            ZE_RESULT_SUCCESS ||
        UHI_ZE_TRY(zeDriverGetExtensionFunctionAddress, driver->handle, "zexDriverReleaseImportedPointer", &release) !=
            ZE_RESULT_SUCCESS ||
        !import || !release || !find_driver_handle(driver, import))
        return;
    memcpy(&driver->import_pointer, &import, sizeof import);
    memcpy(&driver->release_pointer, &release, sizeof release);
}

/* Returns whether any of it is already imported. Locked. */
static int overlaps(const struct import *made) {
    const struct import *i = imports;
    while (i && (i->first - made->first >= made->size && made->first - i->first >= i->size))
        i = i->next;
    return i != NULL;
}

/* Returns whether the host may write the whole region; 1 if unknown. Drivers pin memory for writing; some accept other
 * memory, such as a file mapped read-only, and fail when it is used. */
static int is_written(uintptr_t first, size_t size) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    uintptr_t at = first;
    int is_good = 1;
    while (maps && is_good && at - first < size && getline(&line, &room, maps) > 0) { /* "FROM-TO PERMISSIONS ..." */
        char *end = NULL;
        const uintptr_t from = strtoul(line, &end, 16), to = *end == '-' ? strtoul(end + 1, &end, 16) : 0;
        if (at >= from && at < to) {
            is_good = end[0] == ' ' && end[1] != '\0' && end[2] == 'w';
            at = to;
        }
    }
    free(line);
    if (maps)
        fclose(maps);
    return is_good;
}

int uhi_ze_import(uh_device *device, const void *pointer, size_t size) {
    const struct uhi_ze_driver *driver = uhi_ze_device(device)->listed_by;
    ze_result_t result = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    struct import *made = driver->import_pointer && is_written((uintptr_t)pointer, size) ? malloc(sizeof *made) : NULL;
    if (!made)
        return 0;
    *made = (struct import){NULL, driver, (uintptr_t)pointer, size};
    pthread_mutex_lock(&lock);
    if (!overlaps(made) && !uhi_ze_is_forked()) {
        uint64_t begin = uhi_ze_begin();
        result = driver->import_pointer(driver->driver_handle, (void *)made->first, size);
        uhi_ze_end(begin, result, "zexDriverImportExternalPointer");
    }
    if (result == ZE_RESULT_SUCCESS) {
        made->next = imports;
        imports = made;
    }
    pthread_mutex_unlock(&lock);
    if (result == ZE_RESULT_SUCCESS)
        return 1;
    uhi_log(UH_LOG_INFO, "%zu bytes at %p of the host's memory are not imported: %s", size, pointer,
            uhi_ze_result_name(result));
    free(made);
    return 0;
}

void uhi_ze_release(uh_device *device, const void *pointer) {
    const struct uhi_ze_driver *driver = uhi_ze_device(device)->listed_by;
    pthread_mutex_lock(&lock);
    struct import **link = &imports;
    while ((*link)->first != (uintptr_t)pointer)
        link = &(*link)->next;
    struct import *gone = *link;
    *link = gone->next;
    uint64_t begin = uhi_ze_begin();
    if (!uhi_ze_is_forked() && !uhi_ze_is_given_up(uhi_ze_device(device)))
        uhi_ze_end(begin, driver->release_pointer(driver->driver_handle, (void *)gone->first),
                   "zexDriverReleaseImportedPointer");
    pthread_mutex_unlock(&lock);
    free(gone);
}

size_t uhi_ze_imported(const uh_device *device, const void *pointer) {
    const struct uhi_ze_driver *driver = uhi_ze_device(device)->listed_by;
    pthread_mutex_lock(&lock);
    const struct import *i = imports;
    while (i && (i->driver != driver || (uintptr_t)pointer - i->first >= i->size))
        i = i->next;
    const size_t size = i ? i->size : 0;
    pthread_mutex_unlock(&lock);
    return size;
}
