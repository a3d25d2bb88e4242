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

/* A device's clock: counts `frequency` times a second and keeps only some of its bits. */
struct uhi_ze_clock {
    uint64_t frequency;
    uint32_t kernel_bits; /* of an event's times */
    uint32_t bits;        /* of zeDeviceGetGlobalTimestamps; 0: the driver does not tell the time */
    uint64_t base;        /* its cycles when the host's monotonic clock said base_host */
    uint64_t base_host;
};

struct uhi_ze_driver;

/* Why a device is no longer used. Of one that is given up, as its work does not end, nothing is destroyed or freed. */
enum uhi_ze_loss { UHI_ZE_THERE = 0, UHI_ZE_LOST = 1, UHI_ZE_TIMED_OUT = 2, UHI_ZE_CANCELLED = 3 };

/* uh_device.native. All but the atomics never changes once the device is listed. */
struct uhi_ze_device {
    const struct uhi_ze_driver *listed_by;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context; /* the driver's, shared by its devices; destroyed when the process exits */
    atomic_int lost;             /* an enum uhi_ze_loss */
    atomic_size_t children;      /* queues, allocations and modules that live */
    atomic_size_t queues;        /* those among them */
    uint32_t driver_version;
    uint32_t max_group_count[3];
    uint32_t max_group_size[3];
    uint32_t max_arguments_size;
    unsigned features;                   /* what programs may use, of enum uhi_feature (spirv.h) */
    ze_native_kernel_uuid_t native_uuid; /* equal where native binaries may be exchanged */
    int is_npu;                          /* not for the list */
    int has_global_offset;               /* zeKernelSetGlobalOffsetExp may be called */
    int has_bandwidth;                   /* memories tell theirs */
    int has_usable_memory;               /* the device tells what is left */
    int has_relaxed_limits;              /* the driver allocates more than its limit when it is told to */
    int has_in_order_lists;              /* and events that are counters, and zeCommandListHostSynchronize */
    struct uhi_ze_engine engines[2];     /* by uh_engine */
    struct uhi_ze_clock clock;
};

/* A driver that has devices, until the process ends. */
struct uhi_ze_driver {
    struct uhi_ze_driver *next;
    ze_driver_handle_t handle;
    ze_context_handle_t context;
    ze_api_version_t api;
    uint32_t number;
    uint32_t version;
    int owns_context; /* 0: it is the driver's default context */
    int has_global_offset;
    int has_bandwidth;
    int has_usable_memory;
    int has_relaxed_limits;
    int has_in_order_lists;
    void *own_handle; /* as the driver knows itself, for the functions that follow */
    ze_result_t(ZE_APICALL *import_pointer)(void *, void *, size_t); /* NULL where it has none */
    ze_result_t(ZE_APICALL *release_pointer)(void *, void *);
    uint32_t device_count;
    struct uhi_ze_device *devices[]; /* with their tiles, `device_count` of them */
};

/* The first of those that have been listed (ze_driver.c). */
const struct uhi_ze_driver *uhi_ze_drivers(void);

/* The `native` of the listed device of a handle, NULL for none (ze_context.c). */
const struct uhi_ze_device *uhi_ze_find_listed(ze_device_handle_t handle);

/* A listed device in a context of the caller's (ze_context.c), made at first; it stays until the process ends, with
 * modules and memory of its own. */
uh_status uhi_ze_device_in(const char *call, ze_context_handle_t context, const uh_device *listed, uh_device **device);

/* As find_memory of struct uhi_backend (ze_context.c). */
uh_status uhi_ze_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info, const void **native);

/* Rows of struct uhi_backend (ze_driver.c). */
uh_status uhi_ze_list_devices(struct uhi_device_list *list);

/* Which package of this system has Intel's driver, "package NAME"; and of one that this text of /etc/os-release
 * describes (ze_package.c). */
const char *uhi_ze_package(void);
const char *uhi_ze_package_of(const char *release);

/* A row of struct uhi_backend (ze_device.c). */
uh_status uhi_ze_free_memory(uh_device *device, uint64_t *bytes);

/* Fills in what a device or a tile of it is, from the driver; what concerns the driver is set in its `native`. `api` is
 * the version of the driver's interface. Returns the first result that is a failure. */
ze_result_t uhi_ze_describe(uh_device *device, ze_api_version_t api);

/* Numbers the cards of the list's devices from number `from` on, which are one driver's, from *card on: what they list
 * as devices and are tiles of one card becomes tiles of it, side by side (ze_card.c). */
void uhi_ze_number_cards(struct uhi_device_list *list, size_t from, uint32_t *card);

static inline struct uhi_ze_device *uhi_ze_device(const uh_device *device) {
    return (struct uhi_ze_device *)device->native;
}

/* Remembers that the device is lost where `status` says so; returns `status`. For what UHI_ZE() returned of calls that
 * concern a device. */
uh_status uhi_ze_note(const uh_device *device, uh_status status);

/* UH_ERROR_DEVICE_LOST with a message naming the device where it is lost, else UH_SUCCESS: what a call checks first. */
uh_status uhi_ze_check_lost(const char *call, const uh_device *device);
int uhi_ze_is_lost(const uh_device *device);

/* Remembers that it is lost, if it was there. Returns whether that is new. */
int uhi_ze_lose(struct uhi_ze_device *native);

static inline int uhi_ze_is_given_up(const struct uhi_ze_device *native) {
    return atomic_load_explicit(&native->lost, memory_order_relaxed) >= UHI_ZE_TIMED_OUT;
}

/* ---- queues (ze_queue.c, and for each order a file) -------------------------------------------------------------- */

/* An event that a caller has asked for, or that a wait waits for: one of a pool's (ze_event.c). Free again when nobody
 * refers to it and, in a chain, the command behind it has ended. */
struct uhi_ze_event {
    struct uhi_ze_pool *pool;
    ze_event_handle_t handle;
    uint64_t number;    /* of the command that signals it */
    uint64_t submitted; /* device cycles, extended to 64 bits; 0 without a clock */
    atomic_uint references;
};

/* Commands of a queue that may be on their way at once. */
enum { UHI_ZE_MAX_IN_FLIGHT = 127 };

struct uhi_ze_queue;
struct uhi_ze_append;
struct uhi_ze_chain;

/* What keeps the commands of a queue in order: an in-order list where the driver has such, else a chain of events. */
struct uhi_ze_order {
    ze_command_queue_flags_t list_flags;
    int counts; /* its events are counters, which are never reset */

    /* Makes what the queue has beside its list, and destroys it, as far as it was made. */
    uh_status (*create)(const char *call, uh_queue *queue);
    void (*destroy)(struct uhi_ze_queue *native);

    /* Waits until one more command may be on its way. */
    uh_status (*make_room)(const char *call, uh_queue *queue);

    /* What the next command waits for to come behind the one before it; NULL for nothing. */
    ze_event_handle_t (*previous)(const struct uhi_ze_queue *native);

    /* Fills in what the next command signals where nobody has asked for an event. */
    uh_status (*signal)(const char *call, uh_queue *queue, struct uhi_ze_append *append);

    /* Takes note of the command that has been appended and has its number. */
    void (*note)(struct uhi_ze_queue *native, struct uhi_ze_append *append);

    /* Waits for all of the list's commands, of which there are some, and makes what they wrote visible to the host. */
    uh_status (*finish)(const char *call, uh_queue *queue);

    /* Only waits until the list is at rest, whatever its commands ended with. */
    void (*drain)(uh_queue *queue);
};
extern const struct uhi_ze_order uhi_ze_chain, uhi_ze_in_order; /* ze_queue_chain.c, ze_queue_in_order.c */

/* uh_queue.native: an immediate command list. Commands are numbered from 1; `completed` is the last one whose end
 * someone has seen, and those before it have ended too. Everything but the atomics is of the thread that owns the
 * queue. */
struct uhi_ze_queue {
    const struct uhi_ze_order *order;
    ze_command_list_handle_t list;
    int owns_list; /* 0: it is the caller's */
    const struct uhi_ze_engine *engine;
    uint64_t submitted;
    _Atomic uint64_t completed;
    _Atomic uint64_t failed;    /* the last command that is known to have failed; some before it may have, too */
    int strays;                 /* the list holds commands without a number, of a submission that failed half-way */
    atomic_int error;           /* the first asynchronous error since the last wait, a uh_status */
    _Atomic(char *) error_text; /* the message of an asynchronous error, or NULL; malloc */
    struct uhi_ze_chain *chain; /* of the order of that name */
    struct uhi_ze_event *pace;  /* of an in-order list: the event of a command in the midst of those on their way */
    struct uhi_ze_pool *pools;  /* of events, the one with room first */
    struct uhi_ze_held *held;   /* other queues' events that commands of this one wait for */
    size_t held_count, held_room;
};

static inline struct uhi_ze_queue *uhi_ze_queue(const uh_queue *queue) {
    return (struct uhi_ze_queue *)queue->native;
}

enum { UHI_ZE_FEW_WAITS = 8 };

/* One submission: between begin and end stand the calls that append the command. They all wait for the
 * `nwaits` events at `waits`, and the last one signals `signal`, which may be NULL. */
struct uhi_ze_append {
    ze_event_handle_t signal;
    uint32_t nwaits;
    ze_event_handle_t *waits; /* NULL for none */
    struct uhi_ze_event *event;
    int is_asked_for;             /* `event` is the caller's */
    uint64_t submitted;           /* device cycles */
    ze_event_handle_t *allocated; /* `waits` where `few` is too small */
    ze_event_handle_t few[UHI_ZE_FEW_WAITS];
};

/* ---- submissions (ze_append.c) ---------------------------------------------------------------------------------- */

/* Starts a submission: fails where the device is lost, waits for deps of other devices, makes the event, and collects
 * what to wait for: the command before, and deps of other queues. On failure there is nothing to end. */
uh_status uhi_ze_append_begin(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append);

/* Ends it; `status` is what the appending call gave (a failure has called uhi_fail). On success the submission's event
 * is filled in, on failure it is given back. Returns `status`. */
uh_status uhi_ze_append_end(uh_queue *queue, const struct uhi_submission *submission, struct uhi_ze_append *append,
                            uh_status status);

/* A command that does nothing but keep the order, wait for the deps and signal the event: for empty submissions. */
uh_status uhi_ze_append_nothing(const char *call, uh_queue *queue, const struct uhi_submission *submission);

/* Releases the events of other queues for which commands up to `number` waited. */
void uhi_ze_release_held(struct uhi_ze_queue *native, uint64_t number);

/* Waits for all work, for a call. An asynchronous error stays the queue's until uh_queue_wait returns it. */
uh_status uhi_ze_queue_finish(const char *call, uh_queue *queue);

/* Rows of struct uhi_backend. */
uh_status uhi_ze_queue_create(uh_queue *queue);
void uhi_ze_queue_destroy(uh_queue *queue);
uh_status uhi_ze_queue_wait(uh_queue *queue);

/* ---- events (ze_event.c) ---------------------------------------------------------------------------------------- */

/* Gives an event of the queue's pools, with one reference, that the next command may signal; it is not timed unless the
 * queue is. */
uh_status uhi_ze_event_take(const char *call, uh_queue *queue, struct uhi_ze_event **event);

/* Gives back a reference. Any thread may call it, and the event's queue may be gone. */
void uhi_ze_event_release(struct uhi_ze_event *event);

/* Takes the pools from a queue that is being destroyed; those that other queues still hold events of go later. */
void uhi_ze_event_close_pools(struct uhi_ze_queue *queue);

/* Waits at most `nanoseconds` (UINT64_MAX: for ever) for an event or, where `handle` is NULL, for the list, and stores
 * what the driver gave: ZE_RESULT_NOT_READY is that the time is over. Fails where it gives the device up, as its limit
 * or the queue's `cancelled` says, or as another thread has (ze_wait.c). */
uh_status uhi_ze_wait(const char *call, uh_queue *queue, ze_event_handle_t handle, uint64_t nanoseconds,
                      ze_result_t *result);

/* Waits at most `nanoseconds` for command number `number` of a queue, which signals `handle`; NULL: the last one, by
 * waiting for the list, which the queue's own thread may do alone. What goes wrong, but a time-out, becomes the queue's
 * asynchronous error, if nobody has seen the command's end before. */
uh_status uhi_ze_synchronize(const char *call, uh_queue *queue, uint64_t number, ze_event_handle_t handle,
                             uint64_t nanoseconds);

/* As uhi_ze_event_is_done, for a call. */
uh_status uhi_ze_event_query(const char *call, const uh_event *event, int *done);

/* Rows of struct uhi_backend. */
uh_status uhi_ze_event_wait(const char *call, uh_event *event, uint64_t nanoseconds);
uh_status uhi_ze_event_is_done(const uh_event *event, int *done);
void uhi_ze_event_destroy(uh_event *event);
uh_status uhi_ze_event_profile(uh_event *event, uh_event_times *times);

/* ---- clocks (ze_clock.c) ---------------------------------------------------------------------------------------- */

/* Sets the clock's base: `cycles` when the host's clock says `host`. */
void uhi_ze_clock_start(struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles);

/* The 64-bit time nearest to what the host's clock lets expect that ends in the bits that the device gave. */
uint64_t uhi_ze_clock_extend(const struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles);

/* Turns an event's times, of which the device keeps few bits, into nanoseconds, behind the 64-bit time of its
 * submission (0: unknown; it is the start then). Work that waits longer than those bits count is placed too early. */
void uhi_ze_clock_place(const struct uhi_ze_clock *clock, uint64_t submitted, uint64_t start, uint64_t end,
                        uh_event_times *times);

/* Sets the base from the device's own clock; `bits` becomes 0 where the driver does not tell it. */
void uhi_ze_clock_read_base(struct uhi_ze_device *device);

/* The device's time now, a 64-bit number of cycles; 0 where the driver does not tell it. */
uint64_t uhi_ze_now(const struct uhi_ze_device *device);

/* ---- memory (ze_memory.c): rows of struct uhi_backend ----------------------------------------------------------- */

uh_status uhi_ze_alloc(const char *call, uh_device *device, uh_memory_kind kind, size_t size, size_t alignment,
                       void **pointer);
uh_status uhi_ze_free(uh_device *device, void *pointer);
uh_status uhi_ze_copy(uh_queue *queue, void *destination, const void *source, size_t size,
                      const struct uhi_submission *submission);
uh_status uhi_ze_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                      const struct uhi_submission *submission);
uh_status uhi_ze_fill_plain(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                            const struct uhi_submission *submission);
uh_status uhi_ze_hint(const char *call, uh_queue *queue, const void *pointer, size_t size,
                      const uh_memory_advice *advice, const struct uhi_submission *submission);

/* ---- host memory of the program (ze_import.c) -------------------------------------------------------------------- */

/* Finds out what the driver has for that; its handle is set. */
void uhi_ze_find_import(struct uhi_ze_driver *driver);

/* Rows of struct uhi_backend. */
int uhi_ze_import(uh_device *device, const void *pointer, size_t size);
void uhi_ze_release(uh_device *device, const void *pointer);
size_t uhi_ze_imported(const uh_device *device, const void *pointer);

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
