/* SPDX-License-Identifier: Apache-2.0 */
/* What a kind of device must be able to do: one table of functions. The files above it (device, queue, event, memory,
 * launch) check every argument once and never ask which device they have; a backend trusts what it is given. */
#ifndef UHI_BACKEND_H
#define UHI_BACKEND_H

#include <pthread.h>
#include <stdatomic.h>

#include <unihist/kernel.h>

struct uhi_backend;
struct uhi_signature;

/* A row of the device list, or a combined device: one that is made of several (device_several.h). The backend fills in
 * native and the properties but struct_size, selector and backend. */
struct uh_device {
    const struct uhi_backend *backend;
    uint32_t index;    /* the device's number in its backend; of a card, whatever its driver makes of its tiles */
    int32_t tile;      /* the tile's number in the device, -1 for the whole of it */
    uint32_t root;     /* the number of what its driver lists: of a card, or of a tile that is listed by itself */
    int32_t root_tile; /* the tile's number in that, -1 for the whole of it */
    uh_device_properties properties;
    /* Kernels that are given a larger allocation are built another way (module_wide.h); 0: they take any. */
    uint64_t plain_allocation;
    const void *context; /* kernels and copies can use memory of the device's own context alone */
    int is_foreign;      /* the context is the caller's, who may have destroyed it when the process exits */
    void *native;
    uh_device *const *parts; /* a combined device's, none of them combined; NULL else */
    size_t nparts;
};

/* What the queue of a combined device's part has done of the work that operations divide (kernels/common/shares.h). */
struct uhi_shared {
    uint64_t elements, pieces, failures;
    uh_status status;       /* of the last failure; where the device is lost the part is given nothing more */
    uint64_t given, waited; /* what callers submitted and the lead was given: how much, and how much has ended */
};

struct uh_queue {
    uh_device *device;
    uh_queue **parts; /* of a combined device's queue: one for each of its parts, in their order; NULL else */
    size_t nparts;
    uint32_t threads;   /* as asked for, 0 for the default; queue_create makes it what the queue uses */
    uint32_t profiling; /* not 0: events carry times */
    uh_engine engine;
    uh_priority priority;
    uh_error_callback error_callback;
    void *error_user;
    void *given; /* the caller's native queue, which stays his; NULL: the backend makes one */
    uh_cancelled_callback cancelled;
    void *cancelled_user;
    uint32_t group_size, groups; /* that operations are to run with; 0: not said */
    atomic_size_t children;      /* events, histograms: see runtime/queue.h */
    int told_lost;               /* the error callback has heard that the device is lost */
    struct uhi_shared shared;
    struct uhi_trial *trial; /* that the queue is for (kernels/common/trial.h); NULL else */
    void *native;
};

struct uh_event {
    uh_queue *queue;
    uh_event_times times; /* for backends that know them when the submission returns */
    void *native;
};

struct uh_kernel {
    const struct uhi_backend *backend; /* whose devices run it */
    uh_host_function function;         /* kernels of the host backend */
    uh_module *module;                 /* NULL for kernels of the host backend */
    uh_kernel_properties properties;
    const struct uhi_signature *signature; /* the module's; NULL where nobody knows */
    void *native;
    char *name;
};

/* The lead of a combined device or its queue, which is its first part that is not lost (backend_several.c): where
 * everything goes that is not divided. Others are their own. */
uh_device *uhi_several_lead(const uh_device *device);
uh_queue *uhi_several_lead_queue(const uh_queue *queue);

static inline uh_device *uhi_device_lead(uh_device *device) {
    return device->nparts ? uhi_several_lead(device) : device;
}

static inline uh_queue *uhi_queue_lead(uh_queue *queue) {
    return queue->nparts ? uhi_several_lead_queue(queue) : queue;
}

/* The same for what is submitted: to a combined device's queue callers submit alone, the library to its parts. */
static inline uh_queue *uhi_queue_give(uh_queue *queue) {
    uh_queue *lead = uhi_queue_lead(queue);
    lead->shared.given += lead != queue;
    return lead;
}

/* Whether a call has said that a device is lost. */
int uhi_device_is_lost(const uh_device *device);

/* uh_queue_wait for a part of a combined device's queue. Work that operations divide is done by the others where one is
 * lost, so that is an error once, if callers have submitted anything there since the last wait, and else none: it is
 * logged. */
uh_status uhi_several_wait(uh_queue *part);

/* What a module is built from. The constants and options are checked. */
struct uhi_module_source {
    const char *name; /* for the log */
    uh_module_format format;
    const void *code;
    size_t size;
    const char *build_options; /* never NULL */
    const uh_constant *constants;
    size_t nconstants;
    const uh_native_binary *binaries; /* UH_MODULE_SPIRV: the same program made ahead of time, for some targets */
    size_t nbinaries;
    int wide; /* not 0: its kernels take allocations above the device's plain_allocation */
};

struct uh_module {
    uh_device *device;
    uint64_t serial; /* from 1 on, in the order in which modules were built: no other one of the process has it */
    void *native;
    char *build_log; /* what the compiler said, NULL for nothing; malloc, the module's */
    char **kernel_names;
    size_t kernel_count;
    struct uhi_signature *signatures; /* of the program's entry points, where it is SPIR-V */
    size_t nsignatures;
    pthread_mutex_t lock;             /* of `kernels` */
    uh_kernel **kernels;              /* beside kernel_names; NULL where nobody has asked yet */
    struct uhi_module_source *source; /* a copy, for `wide`; NULL where kernels take any allocation */
    uh_module *wide;                  /* the same built for large allocations; NULL before it is needed; `lock` */
};

/* What a submission waits for, and the event that it gives (NULL where nobody asked for one). */
struct uhi_submission {
    uh_event *const *deps;
    size_t ndeps;
    uh_event *event;
};

/* An index space with all three dimensions filled in (1, 1 and 0 in the unused ones), free of overflow. A local size of
 * 0 is the backend's to choose; a global size of 0 means that there is nothing to run. */
struct uhi_range {
    uint32_t dims;
    size_t global[3];
    size_t local[3];
    size_t offset[3];
};

struct uhi_device_list;

/* Every function that fails has called uhi_fail. A submission (copy, fill, launch) runs after the queue's earlier work
 * and after its deps; it waits itself for those of other devices (uhi_submission_wait_others). On success it has filled
 * in the event, if there is one; on failure nothing was submitted and the event is the caller's to discard. */
struct uhi_backend {
    const char *name;

    /* Adds the backend's devices to the list with uhi_device_list_add (device_list.h). None is not a failure: then the
     * list's `why` says in one line what to install. */
    uh_status (*list_devices)(struct uhi_device_list *list);

    /* Whether the process was forked by one that had asked the backend's drivers for devices, which are not for this
     * one. Optional: NULL where devices are for any process. */
    int (*is_forked)(void);

    /* As uh_device_free_memory. Optional: NULL where no device of it tells. */
    uh_status (*free_memory)(uh_device *device, uint64_t *bytes);

    /* What a pointer points into that uh_malloc has not given, if a driver knows: fills in `info`, which says
     * UH_MEMORY_UNKNOWN, but for the device where that is a listed one: `*native` is that one's. The context of
     * `device` comes first (NULL, or another backend's: none). Optional. Called after list_devices. */
    uh_status (*find_memory)(const uh_device *device, const void *pointer, uh_pointer_info *info, const void **native);

    /* Fills in queue->threads and queue->native. */
    uh_status (*queue_create)(uh_queue *queue);
    /* Frees queue->native. The queue has been waited for. */
    void (*queue_destroy)(uh_queue *queue);
    /* Waits for all work; returns the first asynchronous error since the last wait. Optional: NULL where submissions
     * return when their work has ended. */
    uh_status (*queue_wait)(uh_queue *queue);

    /* Whether a call has said that a device is lost. Optional: NULL where none can be. Any thread calls it. */
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
    /* The same of memory that the backend's driver knows nothing of. Optional: NULL where fill takes it. */
    uh_status (*fill_plain)(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                            const struct uhi_submission *submission);
    uh_status (*launch)(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                        size_t nargs, const struct uhi_submission *submission);
    /* Fills in those entries of range->local that are 0; the range is not empty. */
    uh_status (*suggest_group_size)(const char *call, uh_queue *queue, const uh_kernel *kernel,
                                    struct uhi_range *range);

    /* A prefetch (advice NULL) or an advice for the call `call`. Optional: NULL where nothing moves; the caller then
     * submits a copy of 0 bytes. */
    uh_status (*hint)(const char *call, uh_queue *queue, const void *pointer, size_t size,
                      const uh_memory_advice *advice, const struct uhi_submission *submission);

    /* Tells the driver of plain host memory until `release`, so that copies of the device from it, or its kernels, need
     * none of ours between. Returns whether it takes it: else there is another way. `imported` is how many bytes are
     * that hold `pointer`, 0 for none. Optional together. */
    int (*import)(uh_device *device, const void *pointer, size_t size);
    void (*release)(uh_device *device, const void *pointer);
    size_t (*imported)(const uh_device *device, const void *pointer);

    /* ---- modules: optional together, NULL in a backend that runs C functions only ---- */
    /* The build option for kernels that take allocations above plain_allocation, for a backend that has such devices.
     */
    const char *wide_option;
    /* Builds; fills in native, build_log (on UH_ERROR_BUILD the end of it is in the message instead), kernel_names and
     * kernel_count. `call` is for messages. */
    uh_status (*module_create)(const char *call, uh_module *module, const struct uhi_module_source *source);
    /* Frees native alone. */
    void (*module_destroy)(uh_module *module);
    /* As uh_module_native. */
    uh_status (*module_native)(const uh_module *module, void *binary, size_t *size);
    /* Fills in native and the properties of a kernel whose module and name are set. */
    uh_status (*kernel_create)(const char *call, uh_kernel *kernel);
    void (*kernel_destroy)(uh_kernel *kernel);
    /* ---- events ---- */
    /* Waits at most `nanoseconds` (UINT64_MAX: for ever); returns the work's status, or UH_ERROR_TIMEOUT. Optional,
     * like event_is_done and event_destroy: NULL where submissions return when their work has ended. */
    uh_status (*event_wait)(const char *call, uh_event *event, uint64_t nanoseconds);
    uh_status (*event_is_done)(const uh_event *event, int *done);
    /* Frees event->native. The event has been waited for. */
    void (*event_destroy)(uh_event *event);
    /* Reads the times of work that has ended, in a queue with profiling. */
    uh_status (*event_profile)(uh_event *event, uh_event_times *times);
};

/* The backends. That of combined devices has little more than queues: what is left is done on their parts. */
extern const struct uhi_backend uhi_backend_several;
extern const struct uhi_backend uhi_backend_host;
#ifdef UNIHIST_LEVEL_ZERO
extern const struct uhi_backend uhi_backend_ze;
#endif

#endif
