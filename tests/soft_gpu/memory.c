/* SPDX-License-Identifier: Apache-2.0 */
/* Unified shared memory: every allocation lies in pages of its own, its end as close to an inaccessible page as its
 * alignment lets it, filled with garbage. Host threads cannot touch device memory where the CPU has protection keys. */
#define _GNU_SOURCE
#include "executor.h"

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/grow.h"

#define GARBAGE       0xa5
#define CANARY        0x5a
#define MAX_ALIGNMENT ((size_t)2 << 20)
#define MAX_GARBAGE   ((size_t)1 << 30)

static struct soft_memory **allocations; /* by address; these are under soft_lock */
static size_t nallocations, room;
static uint64_t last_id;
static int protection = -1;

/* Pages of freed allocations, inaccessible, the oldest first; a later allocation takes them where they fit. New pages
 * are cleared by the kernel one fault at a time, which took half of the tests' time. */
enum { KEPT_MAPPINGS = 256, KEPT_BYTES = 512 << 20 };
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept {
    void *mapping;
    size_t mapped;
} kept[KEPT_MAPPINGS];
static size_t nkept, kept_bytes;

void soft_protection_start(void) {
    if (soft_settings.protect)
        protection = pkey_alloc(0, PKEY_DISABLE_ACCESS);
}

int soft_protection_open(void) {
    const int before = protection >= 0 ? pkey_get(protection) : 0;
    if (protection >= 0)
        pkey_set(protection, 0);
    return before;
}

void soft_protection_restore(int before) {
    if (protection >= 0)
        pkey_set(protection, (unsigned)before);
}

/* The place of the first allocation that ends after `pointer`. */
static size_t place_of(const void *pointer) {
    size_t low = 0, high = nallocations;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct soft_memory *memory = allocations[middle];
        if ((uintptr_t)memory->base + memory->size <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct soft_memory *soft_memory_find(const void *pointer) {
    size_t place = place_of(pointer);
    if (place == nallocations || (uintptr_t)allocations[place]->base > (uintptr_t)pointer)
        return NULL;
    return allocations[place];
}

static bool accessible(const struct soft_memory *memory, const struct soft_device *device) {
    return memory->type == ZE_MEMORY_TYPE_HOST || !memory->device || memory->device->root == device->root;
}

ze_result_t soft_memory_check(const char *call, const void *pointer, size_t size, const struct soft_context *context,
                              const struct soft_device *device, bool host_allowed, struct soft_memory **found) {
    size_t place = place_of(pointer);
    struct soft_memory *memory = place < nallocations ? allocations[place] : NULL;
    uintptr_t address = (uintptr_t)pointer, begin = memory ? (uintptr_t)memory->base : 0;
    bool overlaps = memory && (address >= begin || size > begin - address);
    *found = overlaps ? NULL : soft_import_find(pointer, size);
    if (*found && (*found)->fails)
        return ZE_RESULT_ERROR_UNKNOWN;
    if (!overlaps)
        return *found || host_allowed
                   ? ZE_RESULT_SUCCESS
                   : soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%p is in no allocation (any more)", pointer);
    if (address < begin || size > memory->size - (address - begin))
        return soft_misuse(ZE_RESULT_ERROR_INVALID_SIZE, call, "%zu bytes at %p leave the allocation of %zu at %p",
                           size, pointer, memory->size, (void *)memory->base);
    if (memory->context != context)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%p is memory of another context", pointer);
    if (!accessible(memory, device))
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, call, "%p is memory of another device", pointer);
    *found = memory;
    return ZE_RESULT_SUCCESS;
}

static bool insert(struct soft_memory *memory) {
    if (!uhi_grow(&allocations, &room, nallocations + 1, sizeof(struct soft_memory *)))
        return false;
    size_t place = place_of(memory->base);
    memmove(allocations + place + 1, allocations + place, (nallocations - place) * sizeof(struct soft_memory *));
    allocations[place] = memory;
    nallocations++;
    return true;
}

/* Takes number i out of what is kept. */
static struct kept take(size_t i) {
    const struct kept taken = kept[i];
    memmove(kept + i, kept + i + 1, (--nkept - i) * sizeof *kept);
    kept_bytes -= taken.mapped;
    return taken;
}

static void unmap(void *mapping, size_t mapped) {
    const int hidden =
        protection >= 0 ? pkey_mprotect(mapping, mapped, PROT_NONE, 0) : mprotect(mapping, mapped, PROT_NONE);
    if (hidden || mapped > KEPT_BYTES) {
        munmap(mapping, mapped);
        return;
    }
    pthread_mutex_lock(&kept_lock);
    while (nkept == KEPT_MAPPINGS || kept_bytes + mapped > KEPT_BYTES) {
        const struct kept oldest = take(0);
        munmap(oldest.mapping, oldest.mapped);
    }
    kept[nkept++] = (struct kept){mapping, mapped};
    kept_bytes += mapped;
    pthread_mutex_unlock(&kept_lock);
}

/* Returns inaccessible pages, at least `size` bytes of them: kept ones that are not much more, or new ones. */
static struct kept map_pages(size_t size) {
    size_t best = KEPT_MAPPINGS;
    pthread_mutex_lock(&kept_lock);
    for (size_t i = 0; i < nkept; i++)
        if (kept[i].mapped >= size && kept[i].mapped / 4 <= size &&
            (best == KEPT_MAPPINGS || kept[i].mapped < kept[best].mapped))
            best = i;
    const struct kept found = best < KEPT_MAPPINGS ? take(best) : (struct kept){MAP_FAILED, size};
    pthread_mutex_unlock(&kept_lock);
    if (found.mapping != MAP_FAILED)
        return found;
    return (struct kept){mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), size};
}

void soft_host_unmap(struct soft_memory *memory) {
    if (memory->mapping)
        unmap(memory->mapping, memory->mapped);
}

static void release(struct soft_object *object) { soft_executor->unmap((struct soft_memory *)object); }

/* All of it, or the first and the last of very much: pages that nobody writes take no memory. */
static void fill_with_garbage(char *base, size_t size) {
    const size_t end = size > MAX_GARBAGE ? MAX_GARBAGE / 2 : size;
    memset(base, GARBAGE, end);
    if (end < size)
        memset(base + size - end, GARBAGE, end);
}

bool soft_host_map(struct soft_memory *memory, size_t alignment, size_t avoided) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = memory->size;
    size_t rounded = (size + alignment - 1) & ~(alignment - 1);
    const size_t spare = (alignment > page ? alignment : 0) + (avoided ? alignment : 0);
    const struct kept pages = map_pages((spare + rounded + page - 1) / page * page + 2 * page);
    if (pages.mapping == MAP_FAILED)
        return false;
    char *mapping = pages.mapping;
    const size_t mapped = pages.mapped;
    uintptr_t end = ((uintptr_t)mapping + mapped - page) & ~(uintptr_t)(alignment - 1);
    if (avoided && (end - rounded) % avoided == 0)
        end -= alignment;
    memory->mapping = mapping;
    memory->mapped = mapped;
    memory->base = mapping + (end - rounded - (uintptr_t)mapping);
    memory->tail = rounded - size;
    char *first = mapping + (((uintptr_t)memory->base & ~(uintptr_t)(page - 1)) - (uintptr_t)mapping);
    size_t length = ((size_t)(memory->base + rounded - first) + page - 1) & ~(page - 1);
    if (mprotect(first, length, PROT_READ | PROT_WRITE) != 0)
        return false;
    if (soft_settings.garbage)
        fill_with_garbage(memory->base, size);
    memset(memory->base + size, CANARY, memory->tail);
    if (protection >= 0 && memory->type == ZE_MEMORY_TYPE_DEVICE)
        return pkey_mprotect(first, length, PROT_READ | PROT_WRITE, protection) == 0;
    return true;
}

/* Takes the bytes from what the device has; the host (NULL) has enough. */
static ze_result_t reserve(struct soft_device *device, size_t size) {
    if (!device)
        return ZE_RESULT_SUCCESS;
    struct soft_device *root = device->root;
    uint64_t have = soft_device_memory(device), of_root = soft_device_memory(root);
    if (device->used > have || size > have - device->used || root->used > of_root || size > of_root - root->used)
        return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
    device->used += size;
    if (root != device)
        root->used += size;
    return ZE_RESULT_SUCCESS;
}

static void give_back(struct soft_device *device, size_t size) {
    if (!device)
        return;
    device->used -= size;
    if (device->root != device)
        device->root->used -= size;
}

static ze_result_t allocate(const char *call, struct soft_context *context, struct soft_device *device,
                            ze_memory_type_t type, size_t size, size_t alignment, bool any_size, void **pptr) {
    if (size == 0 || size > INT64_MAX || (type != ZE_MEMORY_TYPE_HOST && size > soft_settings.max_alloc && !any_size))
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if ((alignment & (alignment - 1)) || alignment > MAX_ALIGNMENT)
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    struct soft_memory *memory = soft_new(SOFT_KIND_memory, sizeof *memory, &context->object, release);
    if (!memory)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    memory->context = context;
    memory->device = device;
    memory->type = type;
    memory->size = size;
    pthread_mutex_lock(&soft_lock);
    ze_result_t result = reserve(device, size);
    pthread_mutex_unlock(&soft_lock);
    if (result)
        goto out;
    const size_t held = alignment < soft_settings.align ? alignment : (size_t)soft_settings.align;
    bool mapped = soft_executor->map(memory, held ? held : 64, alignment > held ? alignment : 0);
    pthread_mutex_lock(&soft_lock);
    memory->id = ++last_id;
    if (!mapped || !insert(memory)) {
        give_back(device, size);
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_unlock(&soft_lock);
out:
    if (result)
        soft_destroy(&memory->object, call);
    else
        *pptr = memory->base;
    return result;
}

/* Whether the chain of extensions asks for sizes beyond maxMemAllocSize. */
static bool relaxed(const void *next) {
    for (const ze_base_desc_t *desc = next; desc; desc = desc->pNext)
        if (desc->stype == ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC)
            return ((const ze_relaxed_allocation_limits_exp_desc_t *)desc)->flags &
                   ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
    return false;
}

ze_result_t zeMemAllocDevice(ze_context_handle_t hContext, const ze_device_mem_alloc_desc_t *device_desc, size_t size,
                             size_t alignment, ze_device_handle_t hDevice, void **pptr) {
    SOFT_CALL(context, hContext, context);
    SOFT_GET(device, hDevice, device);
    SOFT_REACH(device);
    SOFT_POINTER(pptr);
    SOFT_DESCRIPTOR(device_desc, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
    if (device_desc->ordinal != 0)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, __func__, "memory ordinal is %u of 1",
                           device_desc->ordinal);
    return allocate(__func__, context, device, ZE_MEMORY_TYPE_DEVICE, size, alignment, relaxed(device_desc->pNext),
                    pptr);
}

ze_result_t zeMemAllocHost(ze_context_handle_t hContext, const ze_host_mem_alloc_desc_t *host_desc, size_t size,
                           size_t alignment, void **pptr) {
    SOFT_CALL(context, hContext, context);
    SOFT_POINTER(pptr);
    SOFT_DESCRIPTOR(host_desc, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
    return allocate(__func__, context, NULL, ZE_MEMORY_TYPE_HOST, size, alignment, true, pptr);
}

ze_result_t zeMemAllocShared(ze_context_handle_t hContext, const ze_device_mem_alloc_desc_t *device_desc,
                             const ze_host_mem_alloc_desc_t *host_desc, size_t size, size_t alignment,
                             ze_device_handle_t hDevice, void **pptr) {
    SOFT_CALL(context, hContext, context);
    SOFT_POINTER(device_desc);
    SOFT_POINTER(host_desc);
    SOFT_POINTER(pptr);
    SOFT_STYPE(device_desc, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC);
    SOFT_STYPE(host_desc, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
    struct soft_device *device = hDevice ? soft_get(hDevice, SOFT_KIND_device, __func__) : NULL;
    if (hDevice && !device)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (device)
        SOFT_REACH(device);
    return allocate(__func__, context, device, ZE_MEMORY_TYPE_SHARED, size, alignment, relaxed(device_desc->pNext),
                    pptr);
}

bool soft_host_overrun(const struct soft_memory *memory) {
    bool changed = false;
    const int before = soft_protection_open();
    for (size_t i = 0; i < memory->tail; i++)
        changed |= (unsigned char)memory->base[memory->size + i] != CANARY;
    soft_protection_restore(before);
    return changed;
}

ze_result_t zeMemFree(ze_context_handle_t hContext, void *ptr) {
    const ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);
    SOFT_GET(context, hContext, context);
    SOFT_POINTER(ptr);
    pthread_mutex_lock(&soft_lock);
    struct soft_memory *memory = soft_memory_find(ptr);
    bool right = memory && memory->base == ptr && memory->context == context;
    if (right) {
        size_t place = place_of(ptr);
        nallocations--;
        memmove(allocations + place, allocations + place + 1, (nallocations - place) * sizeof(struct soft_memory *));
        give_back(memory->device, memory->size);
    }
    pthread_mutex_unlock(&soft_lock);
    if (!right)
        return soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, __func__, "%p is no allocation of this context", ptr);
    if (soft_executor->overrun(memory))
        soft_misuse(ZE_RESULT_SUCCESS, __func__, "something has written past the end of the %zu bytes at %p",
                    memory->size, ptr);
    soft_destroy(&memory->object, __func__);
    return result;
}

/* ---- what a pointer points into; another context's memory is unknown here ---- */

ze_result_t zeMemGetAllocProperties(ze_context_handle_t hContext, const void *ptr,
                                    ze_memory_allocation_properties_t *pMemAllocProperties,
                                    ze_device_handle_t *phDevice) {
    SOFT_CALL(context, hContext, context);
    SOFT_POINTER(ptr);
    SOFT_DESCRIPTOR(pMemAllocProperties, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
    pthread_mutex_lock(&soft_lock);
    const struct soft_memory *memory = soft_memory_find(ptr);
    const bool known = memory && memory->context == context;
    pMemAllocProperties->type = known ? memory->type : ZE_MEMORY_TYPE_UNKNOWN;
    pMemAllocProperties->id = known ? memory->id : 0;
    pMemAllocProperties->pageSize = known ? (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (phDevice)
        *phDevice = known ? (ze_device_handle_t)memory->device : NULL;
    pthread_mutex_unlock(&soft_lock);
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemGetAddressRange(ze_context_handle_t hContext, const void *ptr, void **pBase, size_t *pSize) {
    SOFT_CALL(context, hContext, context);
    SOFT_POINTER(ptr);
    pthread_mutex_lock(&soft_lock);
    const struct soft_memory *memory = soft_memory_find(ptr);
    const bool known = memory && memory->context == context;
    if (known && pBase)
        *pBase = memory->base;
    if (known && pSize)
        *pSize = memory->size;
    pthread_mutex_unlock(&soft_lock);
    return known ? ZE_RESULT_SUCCESS
                 : soft_misuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, __func__, "%p is no allocation of this context", ptr);
}

/* ---- copies and fills by the host ---- */

ze_result_t soft_host_copy(__attribute__((unused)) struct soft_queue *queue, void *to, const void *from, size_t size) {
    memmove(to, from, size);
    return ZE_RESULT_SUCCESS;
}

/* Doubles what is there already. */
ze_result_t soft_host_fill(__attribute__((unused)) struct soft_queue *queue, void *to, size_t size, const void *pattern,
                           size_t pattern_size) {
    size_t done = size < pattern_size ? size : pattern_size;
    if (done)
        memcpy(to, pattern, done);
    while (done < size) {
        const size_t more = size - done < done ? size - done : done;
        memcpy((char *)to + done, to, more);
        done += more;
    }
    return ZE_RESULT_SUCCESS;
}
