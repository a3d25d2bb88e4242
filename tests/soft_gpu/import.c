/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory that the program tells the driver of, by Intel's functions: copies from it are checked to end before it
 * is released. */
#define _GNU_SOURCE /* madvise */
#include "executor.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

enum { MAX_IMPORTS = 64 };
static struct soft_memory *imports[MAX_IMPORTS]; /* under soft_lock */
static size_t nimports;

struct soft_memory *soft_import_find(const void *pointer, size_t size) {
    const uintptr_t address = (uintptr_t)pointer;
    for (size_t i = 0; i < nimports; i++) {
        const uintptr_t base = (uintptr_t)imports[i]->base;
        if (address >= base && address - base < imports[i]->size && size <= imports[i]->size - (address - base))
            return imports[i];
    }
    return NULL;
}

static bool overlaps(const char *base, size_t size) {
    for (size_t i = 0; i < nimports; i++)
        if (base < imports[i]->base + imports[i]->size && imports[i]->base < base + size)
            return true;
    return false;
}

/* Whether the host cannot write some of it. */
static bool is_read_only(const void *pointer, size_t size) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)pointer,
                    first = address / page * page;
    return madvise((char *)pointer - (address - first), address + size - first, MADV_POPULATE_WRITE) != 0 &&
           errno != EINVAL;
}

/* Takes the import of a region that begins there out of the list; NULL if missing. */
static struct soft_memory *remove_import(const void *pointer) {
    struct soft_memory *memory = NULL;
    pthread_mutex_lock(&soft_lock);
    for (size_t i = 0; i < nimports && !memory; i++)
        if (imports[i]->base == pointer) {
            memory = imports[i];
            imports[i] = imports[--nimports];
        }
    pthread_mutex_unlock(&soft_lock);
    return memory;
}

ze_result_t soft_import(void *driver, void *pointer, size_t size) {
    SOFT_TRY(soft_enter("zexDriverImportExternalPointer", SOFT_DEVICE));
    if (!soft_get(driver, SOFT_KIND_driver, __func__) || !pointer || !size)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    struct soft_memory *memory = soft_new(SOFT_KIND_memory, sizeof *memory, NULL, NULL);
    if (!memory)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memory->type = ZE_MEMORY_TYPE_HOST;
    memory->base = pointer;
    memory->size = size;
    memory->fails = soft_settings.import == 2 && is_read_only(pointer, size);
    pthread_mutex_lock(&soft_lock);
    const bool fits = nimports < MAX_IMPORTS && !overlaps(pointer, size);
    if (fits)
        imports[nimports++] = memory;
    pthread_mutex_unlock(&soft_lock);
    if (fits && (!soft_executor->import || soft_executor->import(pointer, size)))
        return ZE_RESULT_SUCCESS;
    if (fits)
        (void)remove_import(pointer);
    soft_destroy(&memory->object, __func__);
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t soft_import_release(void *driver, void *pointer) {
    const char *call = "zexDriverReleaseImportedPointer";
    const ze_result_t entered = soft_enter(call, SOFT_ALWAYS);
    if (!soft_get(driver, SOFT_KIND_driver, call))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    struct soft_memory *memory = remove_import(pointer);
    if (!memory)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%p has not been imported", pointer);
    if (soft_executor->release)
        soft_executor->release(pointer);
    soft_destroy(&memory->object, call);
    return entered;
}
