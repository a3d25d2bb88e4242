/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the Level Zero backend (backend_ze.c, ze_*.c). */
#pragma once

#include <time.h>

#include "runtime/backend.h"
#include "runtime/ze_call.h"

/* ---- devices (ze_device.c) -------------------------------------------------------------------------------------- */

/* A device's engines of one kind. */
struct uhi_ze_engine {
    uint32_t ordinal;    /* of the command queue group */
    size_t fill_pattern; /* largest fill pattern, in bytes */
};

/* A device's clock: counts `frequency` cycles per second and keeps only some of its bits. */
struct uhi_ze_clock {
    uint64_t frequency;
    uint32_t kernel_bits; /* of event times */
    uint32_t bits;        /* of zeDeviceGetGlobalTimestamps; 0: the driver does not report the time */
    uint64_t base;        /* its cycles at host monotonic time base_host */
    uint64_t base_host;
};

struct uhi_ze_driver;

/* Why a device is no longer used. Nothing of a given-up device, whose work does not end, is destroyed or freed. */
enum uhi_ze_loss { UHI_ZE_USABLE = 0, UHI_ZE_LOST = 1, UHI_ZE_TIMED_OUT = 2, UHI_ZE_CANCELLED = 3 };

/* uh_device.native. Everything except the atomics is constant once the device is listed. */
struct uhi_ze_device {
    uh_device *of; /* the listed device, also in a context of the caller's */
    const struct uhi_ze_driver *listed_by;
    ze_device_handle_t device;
    ze_context_handle_t context; /* the driver's, shared by its devices; destroyed at process exit */
    atomic_int lost;             /* an enum uhi_ze_loss */
    atomic_size_t children;      /* live queues, allocations and modules */
    atomic_size_t queues;        /* live queues */
    uint32_t max_group_count[3];
    uint32_t max_group_size[3];
    unsigned features;                   /* available to programs, of enum uhi_feature (spirv.h) */
    ze_native_kernel_uuid_t native_uuid; /* equal if native binaries are interchangeable */
    int is_npu;                          /* not listed */
    struct uhi_ze_engine engines[2];     /* indexed by uh_engine */
    struct uhi_ze_clock clock;
};

/* A driver with devices; lives until the process ends. */
struct uhi_ze_driver {
    struct uhi_ze_driver *next;
    ze_driver_handle_t handle;
    ze_context_handle_t context;
    ze_api_version_t api;
    uint32_t number;
    uint32_t version;
    int owns_context;       /* 0: it is the driver's default context */
    int has_global_offset;  /* zeKernelSetGlobalOffsetExp may be called */
    int has_bandwidth;      /* memories report their bandwidth */
    int has_usable_memory;  /* devices report their free memory */
    int has_relaxed_limits; /* the driver exceeds its allocation limit on request */
    int has_in_order_lists; /* also counter-based events, and zeCommandListHostSynchronize */
    void *driver_handle;    /* the driver's own handle, for the functions below */
    ze_result_t(ZE_APICALL *import_pointer)(void *, void *, size_t); /* NULL if it has none */
    ze_result_t(ZE_APICALL *release_pointer)(void *, void *);
    uint32_t device_count;
    struct uhi_ze_device **devices; /* including tiles, `device_count` of them */
};

/* Returns the first listed driver (ze_driver.c). */
const struct uhi_ze_driver *uhi_ze_drivers(void);

/* Returns the `native` of the listed device with a handle, NULL if none (ze_context.c). */
const struct uhi_ze_device *uhi_ze_find_listed(ze_device_handle_t handle);

/* Returns a listed device in a context of the caller's (ze_context.c), created on first use. It has its own modules and
 * memory and stays until the process ends. */
uh_status uhi_ze_device_in(const char *call, ze_context_handle_t context, const uh_device *listed, uh_device **device);

/* As find_memory of struct uhi_backend (ze_context.c). */
uh_status uhi_ze_find_memory(const uh_device *device, const void *pointer, uh_pointer_info *info);

/* Functions of struct uhi_backend (ze_driver.c). */
uh_status uhi_ze_list_devices(struct uhi_device_list *list);

/* A function of struct uhi_backend (ze_device.c). */
uh_status uhi_ze_free_memory(uh_device *device, uint64_t *bytes);

/* Fills in a device's or tile's properties from the driver; the driver's fields in its `native` are already set.
 * Returns the first failed result. */
ze_result_t uhi_ze_describe(uh_device *device);

static inline struct uhi_ze_device *uhi_ze_device(const uh_device *device) {
    return (struct uhi_ze_device *)device->native;
}

/* Records that the device is lost if `status` says so; returns `status`. For UHI_ZE() calls that concern a device. */
uh_status uhi_ze_note_loss(const uh_device *device, uh_status status);

/* Returns UH_ERROR_DEVICE_LOST, with a message that names the device, if it is lost, otherwise UH_SUCCESS. Checked
 * first by calls. */
uh_status uhi_ze_check_lost(const char *call, const uh_device *device);
int uhi_ze_is_lost(const uh_device *device);

/* Marks the device as lost. Returns whether it was not lost before. */
int uhi_ze_lose(struct uhi_ze_device *native);

static inline int uhi_ze_is_given_up(const struct uhi_ze_device *native) {
    return atomic_load_explicit(&native->lost, memory_order_relaxed) >= UHI_ZE_TIMED_OUT;
}

/* ---- whether Level Zero may be opened, by UNIHIST_LEVEL_ZERO and a trial in a separate process (ze_try.c) ----------
 */

/* Returns whether the loader and its drivers may be opened, by UNIHIST_LEVEL_ZERO (unihist/device.h). If not, sets the
 * list's `why`, and `is_broken` if the trial failed. A trial runs `open_drivers` for a list that is lost with its
 * process. */
int uhi_ze_may_open(struct uhi_device_list *list, uh_status (*open_drivers)(struct uhi_device_list *list));

/* Stored verdicts (ze_verdict.c). */
enum { UHI_ZE_VERDICT = 1024 };

struct uhi_ze_verdict {
    char failure[UHI_ZE_VERDICT]; /* "" if the drivers can be opened; otherwise how they failed, and which */
    char *files;                  /* files they mapped, one path per line; malloc, or NULL if none */
};

/* Finds the verdict for this environment, if its files are unchanged and a failure is at most a day old. Stores the
 * failure. Returns 0 if none is found. */
int uhi_ze_verdict_find(char failure[UHI_ZE_VERDICT]);

/* Parses the text of such a verdict at time `now`. Returns as above. */
int uhi_ze_verdict_read(const char *text, time_t now, char failure[UHI_ZE_VERDICT]);

/* Keeps a verdict, if the cache is on. */
void uhi_ze_verdict_keep(const struct uhi_ze_verdict *verdict);

/* ---- queues (ze_queue.c, and one file per order) ----------------------------------------------------------------- */

/* An event requested by a caller or used by a wait, from a pool (ze_event.c). Free again when it is unreferenced and,
 * in a chain, the command after it has ended. */
struct uhi_ze_event {
    struct uhi_ze_pool *pool;
    ze_event_handle_t handle;
    uint64_t number;    /* of the command that signals it */
    uint64_t submitted; /* device cycles, extended to 64 bits; 0 without a clock */
    atomic_uint references;
};

/* Maximum number of a queue's commands in flight. */
enum { UHI_ZE_MAX_IN_FLIGHT = 127 };

struct uhi_ze_queue;
struct uhi_ze_append;
struct uhi_ze_chain;

/* Keeps a queue's commands in order: an in-order list if the driver has them, otherwise a chain of events. */
struct uhi_ze_order {
    ze_command_queue_flags_t list_flags;
    int counts; /* its events are counters, which are never reset */

    /* Create the order's state besides the list; destroy it, complete or partial. */
    uh_status (*create)(const char *call, uh_queue *queue);
    void (*destroy)(struct uhi_ze_queue *native);

    /* Waits until one more command may be in flight. */
    uh_status (*make_room)(const char *call, uh_queue *queue);

    /* Returns the event by which the next command waits for the previous one; NULL if none is needed. */
    ze_event_handle_t (*previous)(const struct uhi_ze_queue *native);

    /* Sets what the next command signals if no event was requested. */
    uh_status (*signal)(const char *call, uh_queue *queue, struct uhi_ze_append *append);

    /* Records the command that was appended and has its number. */
    void (*note)(struct uhi_ze_queue *native, struct uhi_ze_append *append);

    /* Waits for all commands of the list (at least one), and makes their writes visible to the host. */
    uh_status (*finish)(const char *call, uh_queue *queue);

    /* Only waits until the list is idle, regardless of errors. */
    void (*drain)(uh_queue *queue);
};
extern const struct uhi_ze_order uhi_ze_chain, uhi_ze_in_order; /* ze_queue_chain.c, ze_queue_in_order.c */

/* uh_queue.native: an immediate command list. Commands are numbered from 1; `completed` is the last one seen to have
 * ended, and those before it have ended too. Only the thread that owns the queue uses members other than the
 * atomics. */
struct uhi_ze_queue {
    const struct uhi_ze_order *order;
    ze_command_list_handle_t list;
    int owns_list; /* 0: it is the caller's */
    const struct uhi_ze_engine *engine;
    uint64_t submitted;
    _Atomic uint64_t completed;
    _Atomic uint64_t failed;    /* last command known to have failed; earlier ones may have failed too */
    atomic_int error;           /* first asynchronous error since the last wait, a uh_status */
    _Atomic(char *) error_text; /* message of an asynchronous error, or NULL; malloc */
    struct uhi_ze_chain *chain; /* only for uhi_ze_chain */
    struct uhi_ze_event *pace;  /* in-order list: event of a command in the middle of those in flight */
    struct uhi_ze_pool *pools;  /* of events; one with room is first */
    struct uhi_ze_held *held;   /* other queues' events that commands of this one wait for */
    size_t held_count, held_room;
};

static inline struct uhi_ze_queue *uhi_ze_queue(const uh_queue *queue) { return (struct uhi_ze_queue *)queue->native; }

/* Returns the last command seen to have ended. */
static inline uint64_t uhi_ze_completed(const struct uhi_ze_queue *native) {
    return atomic_load_explicit(&native->completed, memory_order_acquire);
}

enum { UHI_ZE_FEW_WAITS = 8 };

/* One submission: the calls between begin and end append the command. They all wait for the `nwaits` events at `waits`,
 * and the last one signals `signal`, which may be NULL. */
struct uhi_ze_append {
    ze_event_handle_t signal;
    uint32_t nwaits;
    ze_event_handle_t *waits; /* NULL if none */
    struct uhi_ze_event *event;
    int is_requested;             /* `event` is the caller's */
    uint64_t submitted;           /* device cycles */
    ze_event_handle_t *allocated; /* `waits` if `few` is too small */
    ze_event_handle_t few[UHI_ZE_FEW_WAITS];
};

/* ---- submissions (ze_append.c) ---------------------------------------------------------------------------------- */

/* Starts a submission: fails if the device is lost, waits for deps of other devices, makes the event, and collects the
 * events to wait for: the previous command's, and deps of other queues. On failure there is nothing to end. */
uh_status uhi_ze_append_begin(const char *call, uh_queue *queue, const struct uhi_submission *submission,
                              struct uhi_ze_append *append);

/* Ends it; `status` is the result of the appending call (a failure has called uhi_fail). Fills in the submission's
 * event on success, releases it on failure. Returns `status`. */
uh_status uhi_ze_append_end(uh_queue *queue, const struct uhi_submission *submission, struct uhi_ze_append *append,
                            uh_status status);

/* Appends a command that only keeps the order, waits for the deps and signals the event: for empty submissions. */
uh_status uhi_ze_append_nothing(const char *call, uh_queue *queue, const struct uhi_submission *submission);

/* Releases the events of other queues that commands up to `number` waited for. */
void uhi_ze_release_held(struct uhi_ze_queue *native, uint64_t number);

/* Waits for all work, for call `call`. An asynchronous error stays with the queue until uh_queue_wait returns it. */
uh_status uhi_ze_queue_finish(const char *call, uh_queue *queue);

/* Functions of struct uhi_backend. */
uh_status uhi_ze_queue_create(uh_queue *queue);
void uhi_ze_queue_destroy(uh_queue *queue);
uh_status uhi_ze_queue_wait(uh_queue *queue);

/* ---- events (ze_event.c) ---------------------------------------------------------------------------------------- */

/* Takes an event, with one reference, from the queue's pools for the next command to signal; timed if the queue is. */
uh_status uhi_ze_event_take(const char *call, uh_queue *queue, struct uhi_ze_event **event);

/* Releases a reference. Any thread may call it, and the event's queue may no longer exist. */
void uhi_ze_event_release(struct uhi_ze_event *event);

/* Detaches the pools from a queue being destroyed; pools with events held by other queues are freed later. */
void uhi_ze_event_close_pools(struct uhi_ze_queue *queue);

/* Waits at most `nanoseconds` (UINT64_MAX: forever) for an event or, if `handle` is NULL, for the list, and stores the
 * driver's result: ZE_RESULT_NOT_READY is a time-out. Fails if the device is given up: by its limit, by the queue's
 * `cancelled`, or by another thread (ze_wait.c). */
uh_status uhi_ze_wait(const char *call, uh_queue *queue, ze_event_handle_t handle, uint64_t nanoseconds,
                      ze_result_t *result);

/* Waits at most `nanoseconds` for command `number` of a queue, which signals `handle`; NULL: for the last one, by
 * waiting for the list, which only the queue's own thread may do. An error except a time-out becomes the queue's
 * asynchronous error, unless the command was already known to have ended. */
uh_status uhi_ze_synchronize(const char *call, uh_queue *queue, uint64_t number, ze_event_handle_t handle,
                             uint64_t nanoseconds);

/* Functions of struct uhi_backend. */
uh_status uhi_ze_event_wait(const char *call, uh_event *event, uint64_t nanoseconds);
uh_status uhi_ze_event_is_done(const char *call, const uh_event *event, int *done);
void uhi_ze_event_destroy(uh_event *event);
uh_status uhi_ze_event_profile(uh_event *event, uh_event_times *times);

/* ---- clocks (ze_device.c) --------------------------------------------------------------------------------------- */

/* Sets the clock's base: `cycles` at host time `host`. */
void uhi_ze_clock_start(struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles);

/* Extends the device's `cycles` to the 64-bit time nearest to the one expected from the host's clock. */
uint64_t uhi_ze_clock_extend(const struct uhi_ze_clock *clock, uint64_t host, uint64_t cycles);

/* Converts an event's times, of which the device keeps few bits, to nanoseconds, placed after the 64-bit time of its
 * submission (0: unknown; the start is used). Work that waits longer than these bits can count is placed too early. */
void uhi_ze_clock_convert(const struct uhi_ze_clock *clock, uint64_t submitted, uint64_t start, uint64_t end,
                          uh_event_times *times);

/* Returns the device's current time, a 64-bit number of cycles; 0 if the driver does not report it. */
uint64_t uhi_ze_now(const struct uhi_ze_device *device);

/* ---- memory (ze_memory.c): functions of struct uhi_backend ------------------------------------------------------ */

uh_status uhi_ze_alloc(const char *call, uh_device *device, uh_memory_kind kind, size_t size, size_t alignment,
                       void **pointer);
uh_status uhi_ze_free(uh_device *device, void *pointer);
uh_status uhi_ze_copy(uh_queue *queue, void *destination, const void *source, size_t size,
                      const struct uhi_submission *submission);
uh_status uhi_ze_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                      const struct uhi_submission *submission);
uh_status uhi_ze_fill_plain(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                            const struct uhi_submission *submission);

/* ---- host memory of the program (ze_import.c) -------------------------------------------------------------------- */

/* Finds the driver's functions for this; its handle is set. */
void uhi_ze_find_import(struct uhi_ze_driver *driver);

/* Functions of struct uhi_backend. */
int uhi_ze_import(uh_device *device, const void *pointer, size_t size);
void uhi_ze_release(uh_device *device, const void *pointer);
size_t uhi_ze_imported(const uh_device *device, const void *pointer);

/* ---- modules (ze_module.c) and launches (ze_launch.c): functions of struct uhi_backend -------------------------- */

uh_status uhi_ze_module_create(const char *call, uh_module *module, const struct uhi_module_source *source);
void uhi_ze_module_destroy(uh_module *module);
uh_status uhi_ze_module_native(const uh_module *module, void *binary, size_t *size);
uh_status uhi_ze_kernel_create(const char *call, uh_kernel *kernel);
void uhi_ze_kernel_destroy(uh_kernel *kernel);
uh_status uhi_ze_launch(uh_queue *queue, const uh_kernel *kernel, const struct uhi_range *range, const uh_arg *args,
                        size_t nargs, const struct uhi_submission *submission);

/* uh_kernel.native. A driver's kernel holds its group size, offset and arguments until they are appended, so only one
 * thread at a time sets and appends. */
struct uhi_ze_kernel {
    ze_kernel_handle_t handle;
    pthread_mutex_t lock; /* protects the members below and the handle's state */
    uint32_t group[3];    /* the handle's; 0 if unknown */
    uint32_t offset[3];
    int offset_known;
    /* The last request for a group size, and the answer; requested_global[0] is 0 before the first. */
    size_t requested_global[3], requested_local[3], answer[3];
};

/* Fills in the entries of range->local that are 0; the range is not empty. The kernel is locked. */
uh_status uhi_ze_choose_group(const char *call, const uh_device *device, const uh_kernel *kernel,
                              struct uhi_range *range);

/* Returns whether a binary made by `ocloc -device TARGET` is for the device with this PCI id; 0 if unknown. */
int uhi_ze_target_is(const char *target, uint32_t device_id);
