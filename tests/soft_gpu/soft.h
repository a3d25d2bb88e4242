/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's files share: settings, handles, devices, faults. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host.h"
#include "runtime/ze_newer.h"

/* ---- settings (settings.c) ---- */

/* The numbers of SOFT_GPU: name, least, most, default. README.md says what each means. */
#define SOFT_NUMBERS(X)                                                                                                \
    X(devices, 0, 16, 1)                                                                                               \
    X(tiles, 1, 8, 1)                                                                                                  \
    X(flat, 0, 1, 0)                                                                                                   \
    X(pci, 0, 1, 1)                                                                                                    \
    X(bandwidth, 0, 10000, 100)                                                                                        \
    X(slm, 0, 1048576, 65536)                                                                                          \
    X(group, 1, 4096, 1024)                                                                                            \
    X(memory, 4096, INT64_MAX, 4294967296)                                                                             \
    X(max_alloc, 4096, INT64_MAX, 4294967296)                                                                          \
    X(align, 64, INT64_MAX, INT64_MAX)                                                                                 \
    X(fp64, 0, 1, 1)                                                                                                   \
    X(denormals, 0, 1, 1)                                                                                              \
    X(unified, 0, 1, 0)                                                                                                \
    X(eus, 1, 65536, 96)                                                                                               \
    X(threads, 1, 64, 7)                                                                                               \
    X(subslice, 1, 1024, 8)                                                                                            \
    X(subgroup, 1, 128, 1)                                                                                             \
    X(garbage, 0, 1, 1)                                                                                                \
    X(vendor, 0, 65535, 0x8086)                                                                                        \
    X(in_order, 0, 1, 1)                                                                                               \
    X(version, 1, UINT32_MAX, 1)                                                                                       \
    X(clock, 1, 100000, 1300)                                                                                          \
    X(import, 0, 2, 1)                                                                                                 \
    X(copy_engine, 0, 1, 0)                                                                                            \
    X(fill_pattern, 1, 128, 128)                                                                                       \
    X(timer, 1, 1000000, 52)                                                                                           \
    X(timer_bits, 8, 64, 36)                                                                                           \
    X(workers, 0, 1, 1)                                                                                                \
    X(seed, 0, INT64_MAX, 1)                                                                                           \
    X(flush, 0, 1, 0)                                                                                                  \
    X(unbuilt, 0, 1, 0)                                                                                                \
    X(torn, 0, INT64_MAX, 0)                                                                                           \
    X(protect, 0, 1, 1)                                                                                                \
    X(watchdog, 0, 1000000, 0)                                                                                         \
    X(npu, 0, 1, 0)                                                                                                    \
    X(hang, 0, 1, 0)

#define SOFT_MAX_SLOW 128

struct soft_settings {
#define SOFT_MEMBER(name, least, most, standard) uint64_t name;
    SOFT_NUMBERS(SOFT_MEMBER)
#undef SOFT_MEMBER
    uint64_t slow[SOFT_MAX_SLOW]; /* of tile after tile of device after device; the last is that of all further ones */
    size_t nslow;                 /* 0: no time model */
    char name[ZE_MAX_DEVICE_NAME];
    char flush_in[ZE_MAX_DEVICE_NAME]; /* a part of kernels' names; "": of none */
    char torn_in[ZE_MAX_DEVICE_NAME];  /* the same; "": of all */
};
extern struct soft_settings soft_settings;

/* Reads "key=value,key=value" into `settings`; false where something is wrong with it. */
bool soft_settings_read(struct soft_settings *settings, const char *text);
/* Reads SOFT_GPU into soft_settings; false where that is wrong. */
bool soft_settings_from_environment(void);

/* Says on stderr what is wrong with the settings or the machine; returns false. */
bool soft_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- one lock for all that changes, and waiting for changes ---- */

extern pthread_mutex_t soft_lock;
/* Signalled, with the lock held, whenever an event or a stream changes its state; CLOCK_MONOTONIC. */
extern pthread_cond_t soft_changed;

/* Nanoseconds of uhi_host_now as the device's timer counts them (all bits). */
uint64_t soft_ticks(uint64_t nanoseconds);
uint64_t soft_tick_mask(void);
/* Waits for a change until `deadline` (uhi_host_now; UINT64_MAX: no limit), lock held. False when the time is over. */
bool soft_wait(pthread_cond_t *condition, uint64_t deadline);
/* A condition that soft_wait waits for. */
void soft_condition_init(pthread_cond_t *condition);
/* Starts a thread; returns what pthread_create does. The process's signals are for its own threads, faults of kernels
 * stay with ours. */
int soft_thread_start(pthread_t *thread, void *(*function)(void *), void *argument);

/* ---- calls, faults and misuse (fault.c) ---- */

/* Every entry point begins with one of these: counts and traces the call and returns the failure injected into it.
 * SOFT_DEVICE calls fail on a lost device; SOFT_ALWAYS ones do not. */
enum soft_need { SOFT_DEVICE, SOFT_ALWAYS };
ze_result_t soft_enter(const char *call, enum soft_need need);
#define SOFT_ENTER(need) SOFT_TRY(soft_enter(__func__, need))

/* On a failed result the calling function returns it. */
#define SOFT_TRY(call)                                                                                                 \
    do {                                                                                                               \
        const ze_result_t soft_tried = (call);                                                                         \
        if (soft_tried)                                                                                                \
            return soft_tried;                                                                                         \
    } while (0)

/* The failure injected into a command that a device executes; the lock is held. */
struct soft_device;
ze_result_t soft_enter_command(struct soft_device *device);

/* True once the devices are lost; once that one is, or NULL, any. With the lock held: loses one, or NULL all. */
extern atomic_bool soft_lost;
bool soft_is_lost(const struct soft_device *device);
void soft_lose(struct soft_device *device);

/* Notes a call about an object: where it is of a device that is to be lost at so manieth call about it, that may be
 * now. Returns whether that device is lost. */
struct soft_object;
bool soft_reach(const struct soft_object *object);
/* (device.c) The device that a handle is of: a device, its lists, modules and kernels; NULL for others. */
struct soft_device *soft_device_of(const struct soft_object *object);

/* (pace.c) Nanoseconds of the longest launch since this was last called; 0 without a time model. */
uint64_t soft_pace_longest(void);
/* Copies that began or ended while a launch was at work, since this was last called. */
uint64_t soft_pace_overlaps(void);

/* How many lists of this priority are alive. */
size_t soft_lists(uint32_t priority);

/* Set by zeInit when it succeeds. */
extern atomic_bool soft_initialized;

/* Reads SOFT_GPU_FAIL and SOFT_GPU_LOSE; false where they are wrong. */
bool soft_faults_from_environment(void);

/* Counts and reports what no correct program does; returns `result`. */
ze_result_t soft_misuse(ze_result_t result, const char *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t soft_misuse_count(void);

/* ---- handles (object.c) ---- */

#define SOFT_KINDS(X)                                                                                                  \
    X(driver)                                                                                                          \
    X(device)                                                                                                          \
    X(context)                                                                                                         \
    X(list)                                                                                                            \
    X(pool)                                                                                                            \
    X(event)                                                                                                           \
    X(module)                                                                                                          \
    X(log)                                                                                                             \
    X(kernel)                                                                                                          \
    X(memory)                                                                                                          \
    X(stream)                                                                                                          \
    X(work)

enum soft_kind {
#define SOFT_KIND(name) SOFT_KIND_##name,
    SOFT_KINDS(SOFT_KIND)
#undef SOFT_KIND
        SOFT_KIND_COUNT
};

/* The head of everything that has a handle, and of what lives as long as somebody refers to it. */
struct soft_object {
    const void *library; /* somewhere in it, as the objects of drivers in C++ begin */
    uint64_t magic;
    enum soft_kind kind;
    atomic_uint references;
    uint32_t uses;                         /* commands that are submitted and not done; under soft_lock */
    uint32_t children;                     /* handles alive below this one */
    struct soft_object *parent;            /* a reference is held */
    void (*release)(struct soft_object *); /* frees what hangs on it, not itself */
    size_t size;
    struct soft_object *previous, *next; /* of those alive */
    uint64_t number;                     /* in order of creation, for messages */
};

/* A new object of `size` bytes, zeroed, counted as alive (streams and works are not), with one reference: NULL where
 * there is no memory. */
void *soft_new(enum soft_kind kind, size_t size, struct soft_object *parent, void (*release)(struct soft_object *));
void soft_reference(struct soft_object *object);
void soft_unreference(struct soft_object *object);

/* The object of a handle; NULL, reported as misuse, for a handle that is invalid, destroyed or of another kind. */
void *soft_get(const void *handle, enum soft_kind kind, const char *call);
#define SOFT_GET(variable, handle, of)                                                                                 \
    struct soft_##of *variable = soft_get(handle, SOFT_KIND_##of, __func__);                                           \
    if (!variable)                                                                                                     \
    return (handle) ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE

/* Ends a handle: it is no longer alive, which misuse reports if commands still use it or it has children, and the
 * reference goes. */
void soft_destroy(struct soft_object *object, const char *call);

/* The text of what is alive, "" if nothing is; returns how many. */
size_t soft_live(char *text, size_t size);

/* Reports a wrong stype of a descriptor or of properties. */
#define SOFT_STYPE(pointer, value)                                                                                     \
    if ((pointer)->stype != (value))                                                                                   \
    return soft_misuse(ZE_RESULT_ERROR_INVALID_ENUMERATION, __func__, "stype is 0x%x, expected " #value,               \
                       (unsigned)(pointer)->stype)
#define SOFT_POINTER(pointer)                                                                                          \
    if (!(pointer))                                                                                                    \
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER

/* What most calls begin with: the need of a device, and the object that the call is about. */
#define SOFT_CALL(variable, handle, of)                                                                                \
    SOFT_ENTER(SOFT_DEVICE);                                                                                           \
    SOFT_GET(variable, handle, of);                                                                                    \
    SOFT_REACH(variable)
/* The same of a further object of the call. */
#define SOFT_REACH(variable)                                                                                           \
    if (soft_reach(&(variable)->object))                                                                               \
    return ZE_RESULT_ERROR_DEVICE_LOST
/* A descriptor, or properties to be filled in. */
#define SOFT_DESCRIPTOR(pointer, stype)                                                                                \
    SOFT_POINTER(pointer);                                                                                             \
    SOFT_STYPE(pointer, stype)
/* A call that does nothing but end a handle; it does so even if a failure is injected. */
#define SOFT_DESTROY(call, type, of)                                                                                   \
    ze_result_t call(type handle) {                                                                                    \
        ze_result_t result = soft_enter(__func__, SOFT_ALWAYS);                                                        \
        SOFT_GET(object, handle, of);                                                                                  \
        soft_destroy(&object->object, __func__);                                                                       \
        return result;                                                                                                 \
    }

/* ---- driver, devices, contexts ---- */

#define SOFT_MAX_TILES  8
#define SOFT_MAX_LISTED 128 /* devices */

struct soft_device {
    struct soft_object object;
    uint32_t index;
    int32_t tile;             /* -1: the whole of it */
    struct soft_device *root; /* itself if it is not a tile, or is listed as a device */
    struct soft_device *tiles[SOFT_MAX_TILES];
    uint64_t used;    /* bytes allocated here and, for roots, on tiles; under soft_lock */
    uint32_t number;  /* of a root, as it is listed */
    atomic_bool lost; /* a root */
};

struct soft_context {
    struct soft_object object;
};

struct soft_driver {
    struct soft_object object;
};

/* Makes the devices that the settings describe. */
bool soft_devices_create(void);
/* The listed device of that number, or NULL. */
struct soft_device *soft_device_listed(uint64_t number);
/* The largest pattern of a fill in a queue group. */
static inline uint64_t soft_fill_pattern(uint32_t group) { return group ? 1 : soft_settings.fill_pattern; }
/* Bytes that a device has. */
uint64_t soft_device_memory(const struct soft_device *device);

/* Limits a list that the caller gave room for: *count becomes the number of elements, or the room if less (0 queries).
 */
#define SOFT_LIST_COUNT(count, have)                                                                                   \
    do {                                                                                                               \
        if (*(count) == 0 || *(count) > (have))                                                                        \
            *(count) = (have);                                                                                         \
    } while (0)

/* ---- memory (memory.c, import.c) ---- */

struct soft_memory {
    struct soft_object object;
    struct soft_context *context;
    struct soft_device *device; /* NULL for host memory, and shared memory of no device */
    ze_memory_type_t type;
    char *base;
    size_t size;
    bool fails;  /* imported, and the host cannot write it */
    size_t tail; /* bytes after it that nobody may change */
    char *mapping;
    size_t mapped;
    uint64_t id;
    void *buffer; /* of the executor, where it needs one */
};

/* The allocation that holds `pointer`, or NULL; the lock is held. */
struct soft_memory *soft_memory_find(const void *pointer);
/* Checks [pointer, pointer + size) for use by a device in a context: inside one allocation of the same context that
 * the device may access, or an import, or (where host_allowed) in none. *found is that or NULL; the lock is held. */
ze_result_t soft_memory_check(const char *call, const void *pointer, size_t size, const struct soft_context *context,
                              const struct soft_device *device, bool host_allowed, struct soft_memory **found);
/* The import (zexDriverImportExternalPointer) that holds all of a region of host memory, or NULL; the lock is held. */
struct soft_memory *soft_import_find(const void *pointer, size_t size);
ze_result_t soft_import(void *driver, void *pointer, size_t size);
ze_result_t soft_import_release(void *driver, void *pointer);
/* Looks for a key that keeps the host out of device memory; opens it for the calling thread, and gives that thread the
 * rights back that it had. */
void soft_protection_start(void);
int soft_protection_open(void);
void soft_protection_restore(int before);

/* Memory of the host, for executors that use that (executor.h). */
struct soft_queue;
bool soft_host_map(struct soft_memory *memory, size_t alignment, size_t avoided);
void soft_host_unmap(struct soft_memory *memory);
bool soft_host_overrun(const struct soft_memory *memory);
ze_result_t soft_host_copy(struct soft_queue *queue, void *to, const void *from, size_t size);
ze_result_t soft_host_fill(struct soft_queue *queue, void *to, size_t size, const void *pattern, size_t pattern_size);
