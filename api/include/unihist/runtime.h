/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file runtime.h
 * Devices, queues, memory and events: SYCL 2020's model in plain C. Kernels are in kernel.h.
 *
 * The host CPU is a device like the others and always exists, so "no GPU" is never an error. GPUs are devices of Level
 * Zero, whose loader is opened when the devices are listed; where it, a driver or a GPU is missing, the host is alone.
 * NPUs, which run no kernels, are not listed, and need not be: where the loader can (zeInitDrivers), drivers of GPUs
 * alone are initialised, whatever the process has done with NPUs before. "host", "cpu" and "host:0" list no devices of
 * Level Zero, nor does anything where ONEAPI_DEVICE_SELECTOR can leave none of them ("host:*", "*:cpu",
 * "!level_zero:*"): no driver is opened then. It counts a driver's devices of kind CPU for none.
 * Objects are opaque. A queue cannot be destroyed before its events, histograms, counters and samplers: that is
 * UH_ERROR_IN_USE and changes nothing.
 *
 * Threads: devices and memory are for any thread. A queue belongs to one thread at a time, and so does every call that
 * is given it, but for uh_queue_get_device and uh_queue_threads; handing it to another thread needs the caller's own
 * synchronisation. Every other call may be made by any thread. A process that is forked after the host's threads have
 * worked goes on with one thread, whatever its queues ask for. One that is forked after the devices were listed has the
 * host alone: "auto" is that, "gpu" is UH_ERROR_NOT_FOUND, and what the parent has made on other devices gives
 * UH_ERROR_DEVICE_LOST, but can be destroyed and freed, which calls no driver.
 *
 * Environment, as the process starts with it: UNIHIST_LOG=error|warn|info|trace logs to standard error;
 * UNIHIST_ISA=v2|v3|v4 limits the host's instruction set (v3-gathers and v3-loads also say how elements of tables are
 * fetched there, else that is measured once); OMP_NUM_THREADS sets the host queue's default thread count;
 * ONEAPI_DEVICE_SELECTOR limits which devices are listed, as in other oneAPI programs: "level_zero:gpu",
 * "level_zero:0,1;!level_zero:0.1", "*:*". A term that names a device means its tiles too, and the host stays whatever
 * it says. Its numbers are what they are in those programs, the driver's: under ZE_FLAT_DEVICE_HIERARCHY=FLAT it lists
 * tiles as devices, so that "level_zero:1" may be the tile that is "level_zero:0.1" here; selectors of this library
 * count cards, whatever the hierarchy. UNIHIST_CACHE=off keeps no built kernels and reads no tuning; else
 * XDG_CACHE_HOME and HOME say in which folder (see uh_module_create). Before its first use on a device, a kernel runs
 * once on values where compilers and devices go wrong (edges and their neighbours, denormal numbers, carries):
 * UH_ERROR_UNSUPPORTED, saying what differs, where it computes otherwise than the host; other kernels go on.
 * UNIHIST_SELF_TEST=off tries none. In addition to building the kernel this takes some milliseconds, once for each
 * kernel, device, driver and compiler: the answer is kept with the built kernels, that of a kernel that has failed for
 * a day. A text of an integrand has a few thousand samples taken by the host, and with many more by the whole device at
 * once. Level Zero's loader and drivers read variables of their own.
 *
 * UNIHIST_LEVEL_ZERO=off opens neither the loader nor a driver. UNIHIST_LEVEL_ZERO=try has a child process, made by
 * fork(), open them first, so that a driver that crashes, ends the process or does not answer within 20 s
 * ("try:SECONDS" says another time) is left alone: the list has the host, and uh_device_select gives UH_ERROR_DRIVER
 * with what has happened where it finds nothing else. What came of it is kept with the built kernels for this machine
 * and its drivers' files and environment, a failure for a day, so that later processes try nothing. The library does so
 * only where it is asked to, as fork() is not for every program (threads, MPI, SIGCHLD); the command always does, and a
 * program may set the variable before its first call. "on", or no value: they are opened at once.
 *
 * UNIHIST_WAIT_LIMIT=SECONDS: a wait for a device of Level Zero that takes longer is UH_ERROR_TIMEOUT, and the device
 * is given up (see uh_cancelled_callback). Without it waits take as long as the work; UNIHIST_LOG=warn tells after 10
 * s, 20 s and so on that there is no progress.
 */
#ifndef UNIHIST_RUNTIME_H
#define UNIHIST_RUNTIME_H

#include <unihist/base.h>

UH_BEGIN_C

/* ---- devices ---------------------------------------------------------------------------------------------------- */

/**
 * A device that runs kernels. Lent by the library, lives as long as the process, immutable: share it freely.
 *
 * A combined device is one that is made of several (uh_device_parts), which uh_device_select lends for a list of them.
 * Programs use it as any other. What names no part of it is done by its lead, the first of them: uh_malloc allocates
 * there (uh_pointer_type tells so), modules are built and kernels launched there, copies and fills are made there, and
 * the events of these are the lead's. Where that is lost the next one is the lead; memory, kernels and events of the
 * one before are lost with it (UH_ERROR_DEVICE_LOST).
 */
typedef struct uh_device uh_device;

typedef enum uh_device_kind { UH_DEVICE_CPU = 0, UH_DEVICE_GPU = 1, UH_DEVICE_ACCELERATOR = 2 } uh_device_kind;

/**
 * What a device is. Sizes are in bytes; 0, or an empty text, means that the system does not tell or there is none. Of a
 * combined device: kind and platform are the lead's; cores, threads, sockets, numa_nodes, memory and memory_bandwidth
 * the sums of its parts'; limits, caches and what kernels may use are what every part has; numbers and texts on which
 * the parts do not agree are 0 and empty, but its name has all of theirs.
 */
typedef struct uh_device_properties {
    size_t struct_size;        /**< in: sizeof(uh_device_properties), so that later versions can add members */
    uh_device_kind kind;       /**< CPU, GPU or accelerator */
    char name[128];            /**< the maker's name of it */
    char selector[256];        /**< the text that selects exactly this one, such as "host:0" */
    char backend[32];          /**< "host" or "level_zero"; "several" for devices of both */
    char driver_version[64];   /**< the driver's version; for the host the OpenMP version */
    char isa[32];              /**< host: the x86-64 level in use, "v2", "v3" or "v4" */
    uint32_t cores;            /**< host: physical cores this process may use; GPU: compute units */
    uint32_t threads;          /**< host: hardware threads this process may use; GPU: hardware threads */
    uint32_t sockets;          /**< host: CPU packages; GPU: tiles */
    uint32_t numa_nodes;       /**< host: NUMA nodes */
    uint64_t memory;           /**< memory the device can use */
    uint64_t cache_l1d;        /**< first-level data cache of one core */
    uint64_t cache_l2;         /**< second-level cache of one core */
    uint64_t cache_l3;         /**< last-level cache, one instance; GPU: its largest cache */
    uint64_t local_memory;     /**< largest local memory of one work-group */
    uint64_t max_group_size;   /**< largest number of work-items in a work-group; host: SIZE_MAX, any */
    uint64_t timer_resolution; /**< nanoseconds between two different event times, at least 1 */
    uint64_t max_allocation;   /**< largest allocation of device or shared memory: all of the memory, where the driver
                                    gives more than its own limit; host: SIZE_MAX */
    uint32_t platform;         /**< number of its driver in the backend (SYCL's platform) */
    uint32_t vendor_id;        /**< PCI vendor, 0x8086 for Intel; host: of the CPU's maker */
    uint32_t device_id;        /**< PCI device, such as 0x0bd5; host: 0 */
    uint32_t clock_mhz;        /**< highest clock of the compute units */
    uint32_t fp64;             /**< not 0: kernels may use double */
    uint32_t fp_exact;         /**< not 0: float32 (and float64) with denormals, infinities, NaN, rounding to nearest */
    uint32_t int64_atomics;    /**< not 0: kernels may use 64-bit atomics */
    uint32_t unified_memory;   /**< not 0: device and host share their memory, as integrated GPUs and the host do */
    uint32_t sub_group_sizes[4]; /**< sizes of sub-groups that kernels may use, 0 in the rest; host: 1 */
    uint8_t uuid[16];            /**< the device's own number, the same in every program; host: 0 */
    char pci_address[16];        /**< "0000:3a:00.0", of its card; host: empty */
    uint64_t memory_bandwidth; /**< bytes a second that its memory is made to be read at; 0: the driver does not tell */
} uh_device_properties;

/**
 * Stores how many devices there are, at least 1: those of Level Zero, each card followed by its tiles, and last the
 * host. Where the driver lists a card's tiles as devices of their own, the card is a combined device of all of them.
 * The list is made by the first call that needs it. Drivers that fail are left out, and UNIHIST_LOG=warn says so.
 * UH_ERROR_INVALID_ARGUMENT when ONEAPI_DEVICE_SELECTOR is malformed, from every call that needs the list.
 */
UH_API uh_status uh_device_count(size_t *count);

/** Lends device number `index`, 0 <= index < uh_device_count(). UH_ERROR_INVALID_ARGUMENT beyond it. */
UH_API uh_status uh_device_get(size_t index, uh_device **device);

/**
 * Lends the device that `selector` names: "auto" (also NULL and ""; the fastest there is), "cpu" or "host", "gpu",
 * "accelerator", "level_zero", "host:0", "level_zero:0", "level_zero:0.1" (a tile), or a part of a device's name, in
 * any case of letters. Of several that match it is the one that "auto" prefers: a GPU, then the host, then anything
 * else; whole devices before tiles; more compute units times clock; the first.
 *
 * Several devices as one: "level_zero:*" (all GPUs of Level Zero that are whole), "all" (these, and the host behind
 * them), or a list, "level_zero:0,1" or "level_zero:0.0,host": terms as above with commas between them, where a number
 * alone is of the backend before it. The first is the lead (see uh_device). Where that is one device in the end, it is
 * lent itself; else a combined one, the same each time. At most 32 in all.
 *
 * UH_ERROR_NOT_FOUND where nothing matches (UH_ERROR_DRIVER where UNIHIST_LEVEL_ZERO=try has found out that a driver
 * crashes); the message, one line, says what is missing and how to install it (the
 * Level Zero loader, a driver), or that ONEAPI_DEVICE_SELECTOR hides it, and lists what there is.
 * UH_ERROR_INVALID_ARGUMENT for a list that names a device twice, or a tile beside its own card, or with nothing
 * between two commas. UH_ERROR_OUT_OF_MEMORY.
 */
UH_API uh_status uh_device_select(const char *selector, uh_device **device);

/**
 * Stores in `*count` how many devices a combined one is made of, 0 for any other, and lends the first `room` of them in
 * `parts` (may be NULL where `room` is 0). UH_ERROR_INVALID_ARGUMENT for NULL elsewhere.
 */
UH_API uh_status uh_device_parts(const uh_device *device, uh_device **parts, size_t room, size_t *count);

UH_API uh_status uh_device_get_properties(const uh_device *device, uh_device_properties *properties);

/**
 * Stores in `*bytes` how much of a device's memory nobody uses now, other programs included: it may be less in a
 * moment. 0 where the driver does not tell (Level Zero: those without ZE_extension_device_usablemem_size_properties.
 * Sysman, which older loaders start by the environment alone, is not asked);
 * of a combined device the sum over those that are not lost. UH_ERROR_INVALID_ARGUMENT for NULL, UH_ERROR_DRIVER,
 * UH_ERROR_DEVICE_LOST.
 */
UH_API uh_status uh_device_free_memory(uh_device *device, uint64_t *bytes);

/* ---- queues ----------------------------------------------------------------------------------------------------- */

/**
 * An in-order queue of work for one device. Owned by one thread at a time; different queues run at once. That of a
 * combined device has a queue for each part: uh_queue_wait waits for all of them and returns the first error, each of
 * them tells the error callback of its own, and threads are the host's, if it is one of the parts.
 *
 * On the host a submission returns when its work has ended. On other devices it returns at once, unless some hundred
 * pieces of work are on their way already or it depends on an event of another device: it waits for those. Events of
 * the same device are waited for by the device. Work that fails there is an asynchronous error: what follows it in the
 * queue fails too, until uh_queue_wait has returned it. A device that is lost fails every call that needs it with
 * UH_ERROR_DEVICE_LOST from then on; what was made for it can still be destroyed and freed. A combined device's queue
 * goes on with the parts that are not lost: of what operations divide (uh_queue_get_share) nothing is missing; other
 * work that was submitted since the last wait and went with the lead is UH_ERROR_DEVICE_LOST once, in the next call
 * that waits for it.
 */
typedef struct uh_queue uh_queue;

/**
 * Called with each asynchronous error of a queue, by the thread that calls uh_queue_wait or uh_queue_destroy, before
 * the wait returns it. Of the loss of its device it hears once.
 */
typedef void (*uh_error_callback)(uh_status status, const char *message, void *user);

/**
 * Asked whether calls on a queue are to end: not 0 ends the call that asks with UH_ERROR_CANCELLED. An operation
 * (histogram, samples, integral ...) asks before it begins and, on devices that are not the host, before each of its
 * launches, which take about 50 ms where it has much to do; from the thread that calls it, and on several devices from
 * one of each. On the host, counts over one axis, indices, ranges, random numbers, samples, integrals, mean shift and
 * the iterations of uh_histo ask every some milliseconds, others before they begin: these are to be given large arrays
 * in pieces. As with any failure nothing has been counted then, and outputs are as the call says of failures. Reading
 * what has been counted before does not ask.
 *
 * Who waits for a device of Level Zero, in any call on the queue or its events, asks too, every 100 ms once the wait
 * has taken a second. Where the work has not ended 2 s after that, as of a kernel that hangs, the wait is
 * UH_ERROR_CANCELLED and the device is given up: it is lost to this process (UH_ERROR_DEVICE_LOST), and what it has of
 * memory, the program's arrays included, may be in its use until the process ends: uh_free and the like keep theirs.
 *
 * A signal handler's flag may be what it returns; it must not call the library, and may be asked until the queue is
 * destroyed.
 */
typedef int (*uh_cancelled_callback)(void *user);

/** Which of a device's engines a queue uses. */
typedef enum uh_engine {
    UH_ENGINE_COMPUTE = 0, /**< one that does everything */
    UH_ENGINE_COPY = 1     /**< one that only copies; UH_ENGINE_COMPUTE where there is none.
                                Kernels are UH_ERROR_UNSUPPORTED in such a queue, whichever it got */
} uh_engine;

/** Which of a device's queues goes first where work of several is waiting. A wish: drivers may take all for one, and
 * the host's threads have the priority of the process. Results do not depend on it. */
typedef enum uh_priority {
    UH_PRIORITY_NORMAL = 0,
    UH_PRIORITY_LOW = 1, /**< behind others, so that a screen that the GPU also draws stays quick */
    UH_PRIORITY_HIGH = 2 /**< before others; as a rule this wants rights that few users have */
} uh_priority;

/** How a queue is made. Zero everything but struct_size for the defaults. */
typedef struct uh_queue_options {
    size_t struct_size;               /**< sizeof(uh_queue_options) */
    uint32_t threads;                 /**< host: threads to use; 0 is OMP_NUM_THREADS, or one a core, and at most
                                           as many as the process may use hardware threads */
    uint32_t profiling;               /**< not 0: events carry times */
    uh_engine engine;                 /**< what the queue is for */
    uh_priority priority;             /**< of its work, among that of others */
    uh_error_callback error_callback; /**< NULL for none */
    void *error_user;                 /**< handed to the callback */
    uh_cancelled_callback cancelled;  /**< NULL: nothing ends calls early */
    void *cancelled_user;             /**< handed to it */
    uint32_t group_size;              /**< of operations on a GPU: work-items of a group, a power of two, at most 1024;
                                           0, or more than the device has: as was tuned, or by the device */
    uint32_t groups;                  /**< of operations on a GPU: groups that fill the device, at most 4096; 0: as was
                                           tuned, or by the device. Both change speed, never results; an operation that
                                           cannot run so takes the nearest that it can */
} uh_queue_options;

/**
 * Makes a queue on a device; `options` may be NULL for the defaults. UH_ERROR_INVALID_ARGUMENT (unknown engine or
 * priority, more than 4096 threads, a group_size or groups out of range), UH_ERROR_UNSUPPORTED (the host's CPU is below
 * x86-64-v2), UH_ERROR_DEVICE_LOST (of a combined device, where all parts are lost: else the queue is over the others,
 * and the log says so).
 */
UH_API uh_status uh_queue_create(uh_device *device, const uh_queue_options *options, uh_queue **queue);

/**
 * Destroys a queue. Waits for its work; an asynchronous error that nobody has waited for goes to the error callback
 * only, and the queue is destroyed. UH_ERROR_IN_USE while an event, a histogram, a counter or a sampler of it lives;
 * the queue is as before then.
 */
UH_API uh_status uh_queue_destroy(uh_queue *queue);

/**
 * Waits until everything submitted has ended; returns the first asynchronous error since the last wait, also one that
 * the wait for an event has returned before: UH_ERROR_DRIVER and others that the driver gave. UH_ERROR_DEVICE_LOST each
 * time when the device is lost, or all parts of a combined one are.
 */
UH_API uh_status uh_queue_wait(uh_queue *queue);

/** Lends the queue's device, NULL for NULL. */
UH_API uh_device *uh_queue_get_device(const uh_queue *queue);

/**
 * What one part of a combined device has done of the work that operations have divided among the parts of a queue:
 * histograms (but those of UH_SUM_FAST), counts of integers, indices, samples, random numbers, integrals and mean
 * shift. What they divide are values, samples, or interactions of mean shift.
 *
 * An array in device or shared memory is for the parts of the card that it was allocated on, the others take none of
 * that call; UH_ERROR_INVALID_ARGUMENT where arrays of one call lie on several cards.
 *
 * Pieces are as long as a part is fast. One that fails has its piece done by the others, and goes on in the next call;
 * one that is lost is given nothing more. So a call fails only where an argument is at fault or all parts fail.
 */
typedef struct uh_queue_share {
    size_t struct_size; /**< in: sizeof(uh_queue_share) */
    uh_device *device;  /**< the part */
    uint64_t elements;  /**< so many it has done, */
    uint64_t pieces;    /**< in so many pieces */
    uint64_t failures;  /**< pieces that it failed to do, and others did if they could */
    uh_status status;   /**< of the last failure, UH_ERROR_DEVICE_LOST where it is lost; UH_SUCCESS for none */
} uh_queue_share;

/**
 * Stores what part number `part` of a combined device's queue has done since the queue was made. Its parts are the
 * device's, in their order, without those that were lost when it was made. The calling thread owns the queue.
 * UH_ERROR_INVALID_ARGUMENT where there is no such part.
 */
UH_API uh_status uh_queue_get_share(const uh_queue *queue, size_t part, uh_queue_share *share);

/** Returns how many host threads the queue uses (1 where the host is neither its device nor a part), 0 for NULL. */
UH_API uint32_t uh_queue_threads(const uh_queue *queue);

/* ---- events ----------------------------------------------------------------------------------------------------- */

/**
 * The end of one submitted piece of work. Made by a submission, destroyed by the caller; any thread may wait for it,
 * ask it and destroy it. A submission may depend on events of any queues (`deps`, `ndeps` of them; `deps` may be NULL
 * for 0; they stay the caller's). Where one of another queue has failed already, the submission fails with that status
 * and submits nothing; one of the same queue comes before it anyway.
 */
typedef struct uh_event uh_event;

/**
 * Times of one piece of work in nanoseconds of one clock of its device: submitted <= started <= ended. They may be
 * compared within a device. Where a driver does not tell the time, `submitted` is `started`.
 */
typedef struct uh_event_times {
    uint64_t submitted;
    uint64_t started;
    uint64_t ended;
} uh_event_times;

/** Waits for the work to end and returns its status: UH_SUCCESS, UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER and others. */
UH_API uh_status uh_event_wait(uh_event *event);

/** As uh_event_wait, but gives up with UH_ERROR_TIMEOUT after `nanoseconds`; UINT64_MAX waits for ever. */
UH_API uh_status uh_event_wait_for(uh_event *event, uint64_t nanoseconds);

/**
 * Stores 1 in `*done` when the work has ended, else 0; does not wait. Returns the status of work that has failed, and
 * stores nothing then.
 */
UH_API uh_status uh_event_is_done(const uh_event *event, int *done);

/**
 * Waits for the work and stores its times. UH_ERROR_UNSUPPORTED when the queue was made without profiling, and as
 * uh_event_wait.
 */
UH_API uh_status uh_event_profile(uh_event *event, uh_event_times *times);

/** Destroys an event, waiting for its work first. */
UH_API uh_status uh_event_destroy(uh_event *event);

/* ---- memory (SYCL's unified shared memory) ---------------------------------------------------------------------- */

typedef enum uh_memory_kind {
    UH_MEMORY_UNKNOWN = 0, /**< plain host memory, or of a Level Zero context that the library does not know */
    UH_MEMORY_DEVICE = 1,  /**< the device's own; the host must copy */
    UH_MEMORY_HOST = 2,    /**< the host's, reachable from the device */
    UH_MEMORY_SHARED = 3   /**< moves between both */
} uh_memory_kind;

/** What a pointer points into. For UH_MEMORY_UNKNOWN the other members are NULL and 0. */
typedef struct uh_pointer_info {
    uh_memory_kind kind;
    void *base;        /**< first byte of the allocation */
    size_t size;       /**< bytes of the allocation; of others' memory perhaps whole pages */
    uh_device *device; /**< the device it was allocated for; of others' host memory one of its context */
} uh_pointer_info;

/**
 * Allocates `size` bytes of a kind of memory for a device, aligned to `alignment` (a power of two; 0 is 64).
 * Freed with uh_free. A size of 0 gives a pointer that may only be freed. UH_ERROR_INVALID_ARGUMENT for another kind
 * or an alignment that is no power of two, UH_ERROR_OUT_OF_DEVICE_MEMORY (host: UH_ERROR_OUT_OF_MEMORY) for more than
 * there is or max_allocation, UH_ERROR_UNSUPPORTED for an alignment above 4096 that the driver does not give.
 */
UH_API uh_status uh_malloc(uh_device *device, uh_memory_kind kind, size_t size, size_t alignment, void **pointer);

/**
 * Frees what uh_malloc gave; NULL is allowed. Work that uses the memory must have ended. UH_ERROR_INVALID_ARGUMENT for
 * a pointer that is not the start of a live allocation; UH_ERROR_DRIVER and others where the driver fails: the pointer
 * must not be used afterwards all the same.
 */
UH_API uh_status uh_free(void *pointer);

/**
 * Stores what a pointer points into: also one into the middle, but not one behind the end. `pointer` may be anything;
 * NULL is UH_MEMORY_UNKNOWN. Memory that uh_malloc has not given is asked for of the drivers, once devices have been
 * listed: a call of zeMemGetAllocProperties for each Level Zero context that the library uses (ze.h), and what a plain
 * pointer costs in every call that takes one. UH_ERROR_DRIVER and others, where a driver fails.
 */
UH_API uh_status uh_pointer_type(const void *pointer, uh_pointer_info *info);

/**
 * Copies `size` bytes between any two kinds of memory after the events in `deps` have ended. The regions must not
 * overlap. `event` may be NULL (the queue's order and uh_queue_wait still hold); otherwise the caller destroys it.
 * Source and destination must stay as they are until the work has ended, plain host memory too.
 * UH_ERROR_INVALID_ARGUMENT for NULL regions of size > 0, regions that overlap, one that crosses the bounds of an
 * allocation, or one in the memory of a device that the queue's device cannot reach (of another driver; of the same
 * driver in another Level Zero context, see ze.h; and for the host, of any other device).
 */
UH_API uh_status uh_memcpy(uh_queue *queue, void *destination, const void *source, size_t size, uh_event *const *deps,
                           size_t ndeps, uh_event **event);

/**
 * Writes `count` copies of a pattern of `pattern_size` bytes (1, 2, 4, 8 or 16) one behind the other, after `deps`.
 * Neither destination nor pattern need be aligned. The pattern is host memory and is read before the call returns.
 * Plain host memory is filled by the host, in a queue of any device: the call then returns when that is done.
 * UH_ERROR_INVALID_ARGUMENT also for another pattern_size, or more than SIZE_MAX bytes. Else as uh_memcpy.
 */
UH_API uh_status uh_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                         uh_event *const *deps, size_t ndeps, uh_event **event);

/**
 * Tells the driver that the queue's device will soon use `size` bytes of shared memory, which may move there, after the
 * events in `deps`. A hint: contents never change, and memory that does not move is left alone.
 * Errors as uh_memcpy's.
 */
UH_API uh_status uh_prefetch(uh_queue *queue, const void *pointer, size_t size, uh_event *const *deps, size_t ndeps,
                             uh_event **event);

/** What a driver may be told about memory; each holds until its opposite is told. */
typedef enum uh_memory_advice {
    UH_ADVICE_READ_MOSTLY = 0,     /**< it is read often and written rarely: copies of it may be kept */
    UH_ADVICE_NOT_READ_MOSTLY = 1, /**< the opposite */
    UH_ADVICE_PREFER_DEVICE = 2,   /**< it had best stay in the memory of the queue's device */
    UH_ADVICE_PREFER_NONE = 3      /**< the opposite */
} uh_memory_advice;

/**
 * Tells the driver how `size` bytes of shared memory will be used by the queue's device, after the events in `deps`
 * (SYCL's mem_advise). A hint: contents never change, and memory that does not move is left alone, as on the host.
 * UH_ERROR_INVALID_ARGUMENT also for another advice. Else as uh_memcpy.
 */
UH_API uh_status uh_mem_advise(uh_queue *queue, const void *pointer, size_t size, uh_memory_advice advice,
                               uh_event *const *deps, size_t ndeps, uh_event **event);

UH_END_C

#endif
