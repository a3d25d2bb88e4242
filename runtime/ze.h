/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the Level Zero backend (backend_ze.c, ze_*.c) share. */
#ifndef UHI_ZE_H
#define UHI_ZE_H

#include "runtime/backend.h"
#include "runtime/ze_call.h"

/* ---- devices (ze_device.c) -------------------------------------------------------------------------------------- */

/* The engines of one kind that a device has. */
struct uhi_ze_engine {
    uint32_t ordinal;    /* of the command queue group */
    size_t fill_pattern; /* largest pattern that a fill takes, in bytes */
    int copy_only;       /* its group runs no kernels */
};

/* A clock that counts in `frequency` Hz and keeps `valid_bits` bits. */
struct uhi_ze_clock {
    uint64_t frequency;
    uint32_t valid_bits;        /* of zeDeviceGetGlobalTimestamps */
    uint32_t kernel_valid_bits; /* of kernel timestamps */
    uint64_t base;              /* device cycles when the host's monotonic clock said base_host */
    uint64_t base_host;
};

/* uh_device.native. All but `lost` and `queues` never changes once the device is listed. */
struct uhi_ze_device {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context; /* the driver's, shared by its devices; destroyed when the process exits */
    atomic_int lost;             /* not 0: a call said so; set by uhi_ze_note */
    atomic_size_t queues;        /* that live */
    uint32_t driver_version;
    uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE];
    uint32_t max_group_count[3];
    uint32_t max_group_size[3];
    uint32_t max_arguments_size;
    uint32_t spirv_version;              /* ZE_MAKE_VERSION; 0: no SPIR-V */
    ze_native_kernel_uuid_t native_uuid; /* equal where native binaries may be exchanged */
    int has_global_offset;               /* zeKernelSetGlobalOffsetExp may be called */
    struct uhi_ze_engine engines[2];     /* by uh_engine */
    struct uhi_ze_clock clock;
};

/* Adds Level Zero's devices and tiles: struct uhi_backend's list_devices. */
uh_status uhi_ze_list_devices(struct uhi_device_list *list);

/* One line that says why there is no Level Zero device and what to install, "" where there is one. */
const char *uhi_ze_why_none(void);

static inline struct uhi_ze_device *uhi_ze_device(const uh_device *device) {
    return (struct uhi_ze_device *)device->native;
}

/* Remembers that the device is lost where `status` says so; returns `status`. For what UHI_ZE() returned of calls that
 * concern a device. */
uh_status uhi_ze_note(const uh_device *device, uh_status status);

/* UH_ERROR_DEVICE_LOST with a message naming the device where it is lost, else UH_SUCCESS: what a call checks first. */
uh_status uhi_ze_check_lost(const char *call, const uh_device *device);

/* ---- queues (ze_queue.c) ---------------------------------------------------------------------------------------- */

struct uhi_ze_event;
struct uhi_ze_pool;

/* uh_queue.native: an immediate command list. Its commands may overlap, so a barrier stands before each but the first
 * after a wait. Everything but the atomics is of the thread that owns the queue. */
struct uhi_ze_queue {
    ze_command_list_handle_t list;
    const struct uhi_ze_engine *engine;
    uint64_t submitted;          /* number of the last command */
    _Atomic uint64_t completed;  /* number of the last command that someone has seen the end of */
    uint64_t ordered;            /* the last command was a barrier if it has this number */
    atomic_int error;            /* the first asynchronous error since the last wait, a uh_status */
    struct uhi_ze_pool *pools;   /* of events, those with room first */
    struct uhi_ze_event *marker; /* what queue_wait waits for; NULL before the first wait */
    struct uhi_ze_event **held;  /* other queues' events that commands of this one wait for */
    uint64_t *held_by;           /* and the numbers of those commands */
    size_t held_count, held_room;
};

static inline struct uhi_ze_queue *uhi_ze_queue(const uh_queue *queue) {
    return (struct uhi_ze_queue *)queue->native;
}

enum { UHI_ZE_FEW_WAITS = 8 };

/* One submission: between begin and end stand the calls that append the command. They signal `signal` (NULL: nothing)
 * and wait for `nwaits` events at `waits`. */
struct uhi_ze_append {
    ze_event_handle_t signal;
    uint32_t nwaits;
    ze_event_handle_t *waits; /* NULL for none */
    struct uhi_ze_event *event;
    ze_event_handle_t few[UHI_ZE_FEW_WAITS];
};

/* Starts a submission: fails where the device is lost, waits for deps of other devices, keeps the queue's order with a
 * barrier where one is needed, makes the event. On failure there is nothing to end. */
uh_status uhi_ze_append_begin(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append);

/* Ends it; `status` is what the appending call gave (a failure has called uhi_fail). On success the submission's event
 * is filled in, on failure it is given back. Returns `status`. */
uh_status uhi_ze_append_end(uh_queue *queue, const struct uhi_submission *submission, struct uhi_ze_append *append,
                            uh_status status);

/* A command that does nothing but keep the order, wait for the deps and signal the event: for empty submissions. */
uh_status uhi_ze_append_nothing(const char *call, uh_queue *queue, const struct uhi_submission *submission);

/* Rows of struct uhi_backend. */
uh_status uhi_ze_queue_create(uh_queue *queue);
void uhi_ze_queue_destroy(uh_queue *queue);
uh_status uhi_ze_queue_wait(uh_queue *queue);

/* ---- events (ze_event.c): rows of struct uhi_backend ------------------------------------------------------------ */

uh_status uhi_ze_event_wait(const char *call, uh_event *event, uint64_t nanoseconds);
uh_status uhi_ze_event_is_done(const uh_event *event, int *done);
void uhi_ze_event_destroy(uh_event *event);
uh_status uhi_ze_event_profile(uh_event *event, uh_event_times *times);

/* ---- memory (ze_memory.c): rows of struct uhi_backend ----------------------------------------------------------- */

uh_status uhi_ze_alloc(const char *call, uh_device *device, uh_memory_kind kind, size_t size, size_t alignment,
                       void **pointer);
uh_status uhi_ze_free(uh_device *device, void *pointer);
uh_status uhi_ze_copy(uh_queue *queue, void *destination, const void *source, size_t size,
                      const struct uhi_submission *submission);
uh_status uhi_ze_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                      const struct uhi_submission *submission);
uh_status uhi_ze_prefetch(uh_queue *queue, const void *pointer, size_t size, const struct uhi_submission *submission);

/* ---- modules (ze_module.c) and launches (ze_launch.c): rows of struct uhi_backend ------------------------------- */

uh_status uhi_ze_module_create(const char *call, uh_module *module, const struct uhi_module_source *source);
void uhi_ze_module_destroy(uh_module *module);
uh_status uhi_ze_module_native(const uh_module *module, void *binary, size_t *size);
uh_status uhi_ze_kernel_create(const char *call, uh_kernel *kernel);
void uhi_ze_kernel_destroy(uh_kernel *kernel);
uh_status uhi_ze_suggest_group_size(const char *call, uh_queue *queue, const uh_kernel *kernel,
                                    struct uhi_range *range);
uh_status uhi_ze_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                        size_t nargs, const struct uhi_submission *submission);

#endif
