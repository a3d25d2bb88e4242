/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of the program that a driver is told of for a while, by Intel's functions for that: it knows just these
 * bytes then, copies from them at full speed, and takes them as arguments of kernels. (Mapping them by
 * ZE_extension_external_memmap_sysmem would take whole pages, which others share.) */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/log.h"
#include "runtime/ze.h"

/* Drivers do not count how often the same memory is imported, so nothing is twice at a time. */
struct import {
    struct import *next;
    const struct uhi_ze_driver *driver;
    uintptr_t first;
    size_t size;
};
static struct import *imports;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void uhi_ze_find_import(struct uhi_ze_driver *driver) {
    void *import = NULL, *release = NULL;
    if (UHI_ZE_TRY(zeDriverGetExtensionFunctionAddress, driver->handle, "zexDriverImportExternalPointer", &import) !=
            ZE_RESULT_SUCCESS ||
        UHI_ZE_TRY(zeDriverGetExtensionFunctionAddress, driver->handle, "zexDriverReleaseImportedPointer", &release) !=
            ZE_RESULT_SUCCESS ||
        !import || !release)
        return;
    memcpy(&driver->import_pointer, &import, sizeof import);
    memcpy(&driver->release_pointer, &release, sizeof release);
}

/* Whether any of it is imported already. Locked. */
static int overlaps(const struct import *made) {
    const struct import *i = imports;
    while (i && (i->first - made->first >= made->size && made->first - i->first >= i->size))
        i = i->next;
    return i != NULL;
}

int uhi_ze_import(uh_device *device, const void *pointer, size_t size) {
    const struct uhi_ze_driver *driver = uhi_ze_device(device)->listed_by;
    ze_result_t result = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    struct import *made = driver->import_pointer ? malloc(sizeof *made) : NULL;
    if (!made)
        return 0;
    *made = (struct import){NULL, driver, (uintptr_t)pointer, size};
    pthread_mutex_lock(&lock);
    if (!overlaps(made)) {
        uint64_t begin = uhi_ze_begin();
        result = driver->import_pointer(driver->handle, (void *)made->first, size);
        uhi_ze_end(begin, result, "zexDriverImportExternalPointer");
    }
    if (result == ZE_RESULT_SUCCESS) {
        made->next = imports;
        imports = made;
    }
    pthread_mutex_unlock(&lock);
    if (result == ZE_RESULT_SUCCESS)
        return 1;
    uhi_log(UHI_LOG_INFO, "%zu bytes at %p of the host's memory are not imported: %s", size, pointer,
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
    uhi_ze_end(begin, driver->release_pointer(driver->handle, (void *)gone->first), "zexDriverReleaseImportedPointer");
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
