/* SPDX-License-Identifier: Apache-2.0 */
/* Interface of a backend: one table of functions. The files above it (device, queue, event, memory, launch) check every
 * argument once and never ask which device they have; a backend trusts its arguments. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include <unihist/gpu.h>

struct uhi_backend;
struct uhi_signature;

/* A row of the device list, or a combined device, made of several (device_several.c). The backend fills in native and
 * the properties except struct_size, selector and backend. */
struct uh_device {
    const struct uhi_backend *backend;
    uint32_t index;    /* number in its backend; counts cards, even if the driver lists tiles as devices */
    int32_t tile;      /* tile number, -1 for the whole device */
    uint32_t root;     /* number of the driver's device: a card, or a tile listed as a device */
    int32_t root_tile; /* tile number in root, -1 for the whole */
    uh_device_properties properties;
    /* Larger allocations need kernels built differently (uhi_kernel_wide); 0: kernels take any size. */
    uint64_t plain_allocation;
    const void *context; /* kernels and copies can use only memory of the device's own context */
    int is_foreign;      /* the caller owns the context and may have destroyed it by process exit */
    void *native;
    uh_device *const *parts; /* of a combined device, none of them combined; otherwise NULL */
    size_t nparts;
};

/* Share of a combined queue's part in the work that operations divide (kernels/common/shares.h). */
struct uhi_shared {
    uint64_t elements, pieces, failures;
    uh_status status;       /* last failure; a part with a lost device gets no more work */
    uint64_t given, waited; /* callers' submissions passed to this part as the lead: total, and waited for */
};

struct uh_queue {
    uh_device *device;
    uh_queue **parts; /* of a combined queue: one per part of the device, in order; otherwise NULL */
    size_t nparts;
    uh_queue_options options; /* queue_create stores the number of host threads; 1 on other devices */
    void *given;              /* the caller's native queue, not owned; NULL: the backend makes one */
    atomic_size_t references; /* the program's, and one per event, histogram or other user */
    int lost_reported;        /* the error callback has reported that the device is lost */
    struct uhi_shared shared;
    struct uhi_trial *trial; /* the trial this queue serves (kernels/common/trial.h); otherwise NULL */
    void *native;
};

struct uh_event {
    uh_queue *queue;
    uh_event_times times; /* for backends that know them when the submission returns */
    void *native;
};

struct uh_kernel {
    const struct uhi_backend *backend; /* backend of the devices that run it */
    uh_host_function function;         /* for kernels of the host backend */
    uh_module *module;                 /* NULL for kernels of the host backend */
    uh_kernel_properties properties;
    const struct uhi_signature *signature; /* owned by the module; NULL if unknown */
    void *native;
    char *name;
};

/* Return the lead of a combined device or queue: its first part that is not lost (backend_several.c). The lead gets all
 * work that is not divided. Other devices and queues are their own lead. */
uh_device *uhi_several_lead(const uh_device *device);
uh_queue *uhi_several_lead_queue(const uh_queue *queue);

static inline uh_device *uhi_device_lead(uh_device *device) {
    return device->nparts ? uhi_several_lead(device) : device;
}

static inline uh_queue *uhi_queue_lead(uh_queue *queue) {
    return queue->nparts ? uhi_several_lead_queue(queue) : queue;
}

/* The same for submissions. Only callers submit to a combined queue; the library submits to its parts. */
static inline uh_queue *uhi_queue_for_submission(uh_queue *queue) {
    uh_queue *lead = uhi_queue_lead(queue);
    lead->shared.given += lead != queue;
    return lead;
}

/* Returns whether a call has reported the device as lost. */
int uhi_device_is_lost(const uh_device *device);

/* uh_queue_wait for a part of a combined queue. The other parts do the divided work of a lost device, so the loss is an
 * error only once, and only if callers submitted anything to it since the last wait; otherwise it is only logged. */
uh_status uhi_several_wait(uh_queue *part);

/* Source of a module. The constants and options have been checked. */
struct uhi_module_source {
    const char *name; /* for the log */
    int is_native;    /* `code` is a binary of the device's; otherwise SPIR-V */
    const void *code;
    size_t size;
    const char *build_options; /* never NULL */
    const uh_constant *constants;
    size_t nconstants;
    const uh_native_binary *binaries; /* ahead-of-time builds of the same SPIR-V, for some targets */
    size_t nbinaries;
    int wide; /* nonzero: kernels take allocations above the device's plain_allocation */
};

struct uh_module {
    uh_device *device;
    uint64_t serial; /* unique in the process; modules are numbered from 1 in build order */
    void *native;
    char *build_log; /* compiler output, NULL if none; malloc, owned by the module */
    char **kernel_names;
    size_t kernel_count;
    struct uhi_signature *signatures; /* of the program's entry points, if it is SPIR-V */
    size_t nsignatures;
    pthread_mutex_t lock;             /* protects `kernels` */
    uh_kernel **kernels;              /* parallel to kernel_names; NULL until requested */
    struct uhi_module_source *source; /* copy, for `wide`; NULL if kernels take any allocation */
    uh_module *wide;                  /* build for large allocations; NULL until needed; `lock` protects it */
};

/* Dependencies and event of a submission (NULL if no event was requested). */
struct uhi_submission {
    uh_event *const *deps;
    size_t ndeps;
    uh_event *event;
};

/* An index space with all three dimensions set (unused ones to 1, 1 and 0), checked for overflow. Local size 0: the
 * backend chooses; global size 0: nothing to run. */
struct uhi_range {
    uint32_t dims;
    size_t global[3];
    size_t local[3];
    size_t offset[3];
};

struct uhi_device_list;

/* Every function that fails has called uhi_fail. A submission (copy, fill, launch) runs after the queue's earlier work
 * and its deps; it waits itself for deps of other devices (uhi_submission_wait_others). On success it has filled in the
 * event, if any; on failure nothing was submitted and the caller discards the event. */
struct uhi_backend {
    const char *name;

    /* Adds the backend's devices to the list with uhi_device_list_add (device_list.h). Finding none is not a failure;
     * the list's `why` then says in one line what to install. */
    uh_status (*list_devices)(struct uhi_device_list *list);

    /* Returns whether the process was forked after its parent asked the backend's drivers for devices; the child cannot
     * use them. Optional: NULL if devices work in any process. */
    int (*is_forked)(void);

    /* As uh_device_free_memory. Optional: NULL if no device reports it. */
    uh_status (*free_memory)(uh_device *device, uint64_t *bytes);

    /* Looks up a pointer that uh_malloc did not return. `info` says UH_MEMORY_UNKNOWN on entry; if a driver knows the
     * memory, fills it in. Searches the context of `device` first (none for NULL or another backend's device).
     * Optional. Called after list_devices. */
    uh_status (*find_memory)(const uh_device *device, const void *pointer, uh_pointer_info *info);

    /* Fills in queue->options.threads and queue->native. */
    uh_status (*queue_create)(uh_queue *queue);
    /* Frees queue->native. The queue has been waited for. */
    void (*queue_destroy)(uh_queue *queue);
    /* Waits for all work; returns the first asynchronous error since the last wait. Optional: NULL if submissions
     * return after their work has ended. */
    uh_status (*queue_wait)(uh_queue *queue);

    /* Returns whether a call has reported the device as lost. Optional: NULL if devices cannot be lost. Thread-safe. */
    int (*is_lost)(const uh_device *device);

    /* Allocates `size` > 0 bytes, `alignment` a power of two of at least 8. `call` is for the message. */
    uh_status (*alloc)(const char *call, uh_device *device, uh_memory_kind kind, size_t size, size_t alignment,
                       void **pointer);
    uh_status (*free)(uh_device *device, void *pointer);

    /* `size` may be 0; the regions do not overlap. */
    uh_status (*copy)(uh_queue *queue, void *destination, const void *source, size_t size,
                      const struct uhi_submission *submission);
    /* `pattern_size` is 1, 2, 4, 8 or 16; count * pattern_size does not overflow and may be 0. */
    uh_status (*fill)(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                      const struct uhi_submission *submission);
    /* The same for memory unknown to the backend's driver. Optional: NULL if fill accepts it. */
    uh_status (*fill_plain)(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                            const struct uhi_submission *submission);
    uh_status (*launch)(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                        size_t nargs, const struct uhi_submission *submission);

    /* Registers plain host memory with the driver until `release`, so that copies and kernels of the device need no
     * intermediate buffer. Returns whether the driver accepts it; if not, there is another way. `imported` returns the
     * size in bytes of the registered region containing `pointer`, 0 if none. Optional, all together. */
    int (*import)(uh_device *device, const void *pointer, size_t size);
    void (*release)(uh_device *device, const void *pointer);
    size_t (*imported)(const uh_device *device, const void *pointer);

    /* ---- modules: optional, all together; NULL in a backend that runs only C functions ---- */
    /* Build option for kernels that take allocations above plain_allocation, if the backend has such devices. */
    const char *wide_option;
    /* Builds; fills in native, build_log (on UH_ERROR_BUILD the message contains its end instead), kernel_names and
     * kernel_count. `call` is for messages. */
    uh_status (*module_create)(const char *call, uh_module *module, const struct uhi_module_source *source);
    /* Frees only native. */
    void (*module_destroy)(uh_module *module);
    /* As uh_module_native. */
    uh_status (*module_native)(const uh_module *module, void *binary, size_t *size);
    /* Fills in native and the properties of a kernel whose module and name are set. */
    uh_status (*kernel_create)(const char *call, uh_kernel *kernel);
    void (*kernel_destroy)(uh_kernel *kernel);
    /* ---- events ---- */
    /* Waits at most `nanoseconds` (UINT64_MAX: forever); returns the work's status, or UH_ERROR_TIMEOUT. Optional, like
     * event_destroy: NULL if submissions return after their work has ended. */
    uh_status (*event_wait)(const char *call, uh_event *event, uint64_t nanoseconds);
    /* Frees event->native. The event has been waited for. */
    void (*event_destroy)(uh_event *event);
    /* Reads the times of completed work of a queue with profiling. */
    uh_status (*event_profile)(uh_event *event, uh_event_times *times);
};

/* The backends. The one for combined devices implements little more than queues; the rest is done on their parts. */
extern const struct uhi_backend uhi_backend_several;
extern const struct uhi_backend uhi_backend_host;
#ifdef UNIHIST_LEVEL_ZERO
extern const struct uhi_backend uhi_backend_ze;
#endif
