/* SPDX-License-Identifier: Apache-2.0 */
/** @file device.h
 * Devices and queues: SYCL 2020's model in plain C. Memory, events and kernels are in gpu.h.
 *
 * The host CPU is a device like the others and always exists, so "no GPU" is never an error. GPUs are Level Zero
 * devices; its loader is opened when the devices are listed. If it, a driver or a GPU is missing, only the host is
 * listed. NPUs, which run no kernels, are not listed and not needed: if the loader supports it (zeInitDrivers), only
 * drivers of GPUs are initialised, regardless of earlier use of NPUs by the process. "host", "cpu" and "host:0" list no
 * Level Zero devices, nor does any selector if ONEAPI_DEVICE_SELECTOR excludes all of them ("host:*", "*:cpu",
 * "!level_zero:*"): no driver is opened then. This check ignores drivers' devices of kind CPU.
 *
 * Objects are opaque. Events, histograms, counters and samplers keep their queue: it may be destroyed before them.
 *
 * Threads: any thread may use devices and memory. A queue belongs to one thread at a time, and so does every call that
 * takes it, except uh_queue_get_properties; handing it to another thread needs the caller's own
 * synchronisation. Any thread may make any other call. A process forked after the host's threads have worked continues
 * with one thread, regardless of its queues. A process forked after the devices were listed has only the host:
 * "auto" is the host, "gpu" is UH_ERROR_NOT_FOUND, and objects that the parent has made on other devices give
 * UH_ERROR_DEVICE_LOST, but can be destroyed and freed, which calls no driver.
 *
 * Environment, as at process start: UNIHIST_LOG=error|warn|info|trace logs to standard error; UNIHIST_ISA=v2|v3|v4
 * limits the host's instruction set (v3-gathers and v3-loads also select how table elements are fetched there, which is
 * otherwise measured once); OMP_NUM_THREADS sets the host queue's default thread count; ONEAPI_DEVICE_SELECTOR limits
 * which devices are listed, as in other oneAPI programs: "level_zero:gpu", "level_zero:0,1;!level_zero:0.1", "*:*". A
 * term that names a device includes its tiles, and the host is always listed. Its numbers are the driver's, as in those
 * programs: under ZE_FLAT_DEVICE_HIERARCHY=FLAT the driver lists tiles as devices, so that "level_zero:1" may be the
 * tile that is "level_zero:0.1" here; selectors of this library count cards, regardless of the hierarchy.
 * UNIHIST_CACHE=off caches no built kernels and reads no tuning; otherwise XDG_CACHE_HOME and HOME select the folder
 * (see uh_module_create). Before its first use on a device, a kernel runs once on values where compilers and devices go
 * wrong (edges and their neighbours, denormal numbers, carries): UH_ERROR_UNSUPPORTED, with the difference, if its
 * result differs from the host's; other kernels are not affected. UNIHIST_SELF_TEST=off disables these trials. They
 * take some milliseconds in addition to building, once per kernel, device, driver and compiler: the result is cached
 * with the built kernels, that of a failed kernel for a day. For an integrand source the host takes a few thousand
 * samples, and the whole device takes these and many more at once. Level Zero's loader and drivers read variables of
 * their own.
 *
 * UNIHIST_LEVEL_ZERO=off opens neither the loader nor a driver. UNIHIST_LEVEL_ZERO=try first opens them in a child
 * process, made by fork(), so that a driver that crashes, ends the process or does not answer within 20 s
 * ("try:SECONDS" sets another time) is not used: only the host is listed, and uh_device_select gives UH_ERROR_DRIVER
 * with the reason if it finds nothing else. The result is cached with the built kernels for this machine and its
 * drivers' files and environment, a failure for a day, so that later processes need no trial. The library does so only
 * on request, because fork() is not for every program (threads, MPI, SIGCHLD); the command always does, and a program
 * may set the variable before its first call. "on", or no value: they are opened directly.
 *
 * UNIHIST_WAIT_LIMIT=SECONDS: a longer wait for a Level Zero device is UH_ERROR_TIMEOUT, and the device is given up
 * (see uh_cancelled_callback). Without it waits are unlimited; UNIHIST_LOG=warn reports after 10 s, 20 s and so on that
 * there is no progress. */
#ifndef UNIHIST_DEVICE_H
#define UNIHIST_DEVICE_H

#include <unihist/base.h>

UH_BEGIN_C

/* ---- devices ---------------------------------------------------------------------------------------------------- */

/** A device that runs kernels. Owned by the library, lives as long as the process, immutable: may be shared.
 *
 * A combined device consists of several (uh_device_parts); uh_device_select returns one for a list of devices. Programs
 * use it like any other. Work that is not divided is done by its lead, the first part: uh_malloc allocates there (and
 * uh_pointer_type says so), modules are built and kernels launched there, copies and fills are done there, and their
 * events are the lead's. If it is lost, the next part becomes the lead; memory, kernels and events of the previous one
 * are lost with it (UH_ERROR_DEVICE_LOST). */
typedef struct uh_device uh_device;

typedef enum uh_device_kind { UH_DEVICE_CPU = 0, UH_DEVICE_GPU = 1, UH_DEVICE_ACCELERATOR = 2 } uh_device_kind;

/** Properties of a device. Sizes are in bytes; 0, or an empty text: missing, or not reported by the system. For
 * a combined device: kind and platform are the lead's; cores, threads, sockets, numa_nodes, memory and memory_bandwidth
 * are sums over its parts; limits, caches and features of kernels are those that every part has; numbers
 * and texts on which the parts do not agree are 0 and empty, but its name contains all of theirs. */
typedef struct uh_device_properties {
    size_t struct_size;        /**< in: sizeof(uh_device_properties), so that later versions can add members */
    uh_device_kind kind;       /**< CPU, GPU or accelerator */
    char name[128];            /**< the manufacturer's name of it */
    char selector[256];        /**< the selector of exactly this device, such as "host:0" */
    char backend[32];          /**< "host" or "level_zero"; "several" for parts of both */
    char driver_version[64];   /**< the driver's version; for the host the OpenMP version */
    char isa[32];              /**< host: the x86-64 level in use, "v2", "v3" or "v4" */
    uint32_t cores;            /**< host: physical cores available to this process; GPU: compute units */
    uint32_t threads;          /**< host: hardware threads available to this process; GPU: hardware threads */
    uint32_t sockets;          /**< host: CPU packages; GPU: tiles */
    uint32_t numa_nodes;       /**< host: NUMA nodes */
    uint64_t memory;           /**< memory available to the device */
    uint64_t cache_l1d;        /**< first-level data cache of one core */
    uint64_t cache_l2;         /**< second-level cache of one core */
    uint64_t cache_l3;         /**< last-level cache, one instance; GPU: its largest cache */
    uint64_t local_memory;     /**< maximum local memory of one work-group */
    uint64_t max_group_size;   /**< maximum number of work-items in a work-group; host: SIZE_MAX, any */
    uint64_t timer_resolution; /**< minimum difference of event times in nanoseconds, at least 1 */
    uint64_t max_allocation;   /**< maximum allocation of device or shared memory: all of the memory, if the driver
                                    allows more than its own limit; host: SIZE_MAX */
    uint32_t platform;         /**< number of its driver in the backend (SYCL's platform) */
    uint32_t vendor_id;        /**< PCI vendor, 0x8086 for Intel; host: of the CPU's manufacturer */
    uint32_t device_id;        /**< PCI device, such as 0x0bd5; host: 0 */
    uint32_t clock_mhz;        /**< maximum clock of the compute units */
    uint32_t fp64;             /**< not 0: kernels may use double */
    uint32_t fp_exact;         /**< not 0: float32 (and float64) with denormals, infinities, NaN, rounding to nearest */
    uint32_t int64_atomics;    /**< not 0: kernels may use 64-bit atomics */
    uint32_t unified_memory;   /**< not 0: device and host share memory, as for integrated GPUs and the host */
    uint32_t sub_group_sizes[4]; /**< sub-group sizes available to kernels, 0 in the rest; host: 1 */
    uint8_t uuid[16];            /**< unique id of the device, the same in every program; host: 0 */
    char pci_address[16];        /**< "0000:3a:00.0", of its card; host: empty */
    uint64_t memory_bandwidth;   /**< nominal read bandwidth of its memory in bytes per second; 0: not reported by the
                                      driver */
} uh_device_properties;

/** Stores the number of devices, at least 1: those of Level Zero, each card followed by its tiles, and finally the
 * host. If the driver lists a card's tiles as separate devices, the card is a combined device of all of them. The list
 * is made by the first call that needs it. Drivers that fail are omitted, and UNIHIST_LOG=warn says so.
 * UH_ERROR_INVALID_ARGUMENT if ONEAPI_DEVICE_SELECTOR is malformed, from every call that needs the list. */
UH_API uh_status uh_device_count(size_t *count);

/** Returns device number `index`, owned by the library, 0 <= index < uh_device_count(). UH_ERROR_INVALID_ARGUMENT
 * beyond. */
UH_API uh_status uh_device_get(size_t index, uh_device **device);

/** Returns the device, owned by the library, that `selector` names: "auto" (also NULL and ""; the fastest available),
 * "cpu" or "host", "gpu", "accelerator", "level_zero", "host:0", "level_zero:0", "level_zero:0.1" (a tile), or a part
 * of a device's name, case-insensitive. If several match, it is the one that "auto" prefers: a GPU, then the host, then
 * anything else; whole devices before tiles; more compute units times clock; the first.
 *
 * Several devices as one: "level_zero:*" (all whole GPUs of Level Zero), "all" (these, followed by the host), or a
 * list, "level_zero:0,1" or "level_zero:0.0,host": terms as above separated by commas; a number alone is of the
 * previous term's backend. The first is the lead (see uh_device). If this gives only one device, that device is
 * returned; otherwise a combined one, the same each time. At most 32 in all.
 *
 * UH_ERROR_NOT_FOUND if nothing matches (UH_ERROR_DRIVER if UNIHIST_LEVEL_ZERO=try has found that a driver crashes);
 * the message, one line, says what is missing and how to install it (the Level Zero loader, a driver), or that
 * ONEAPI_DEVICE_SELECTOR hides it, and lists the available devices. UH_ERROR_INVALID_ARGUMENT for a list that names a
 * device twice, or a tile together with its own card, or with nothing between two commas. UH_ERROR_OUT_OF_MEMORY. */
UH_API uh_status uh_device_select(const char *selector, uh_device **device);

/** Stores in `*count` the number of parts of a combined device, 0 for any other, and the first `room` of them in
 * `parts` (may be NULL if `room` is 0). UH_ERROR_INVALID_ARGUMENT for other NULL arguments. */
UH_API uh_status uh_device_parts(const uh_device *device, uh_device **parts, size_t room, size_t *count);

UH_API uh_status uh_device_get_properties(const uh_device *device, uh_device_properties *properties);

/** Stores in `*bytes` how much of a device's memory no program uses now; it may be less a moment later. 0 if the driver
 * does not report it (Level Zero: drivers without ZE_extension_device_usablemem_size_properties. Sysman, which older
 * loaders start only by an environment variable, is not used); for a combined device the sum over the parts that are
 * not lost. UH_ERROR_INVALID_ARGUMENT for NULL, UH_ERROR_DRIVER, UH_ERROR_DEVICE_LOST. */
UH_API uh_status uh_device_free_memory(uh_device *device, uint64_t *bytes);

/* ---- queues ----------------------------------------------------------------------------------------------------- */

/** An in-order queue of work for one device. Owned by one thread at a time; different queues run concurrently. That of
 * a combined device has a queue for each part: uh_queue_wait waits for all of them and returns the first error, each
 * reports its own errors to the error callback, and threads are the host's, if it is one of the parts.
 *
 * On the host a submission returns when its work has ended. On other devices it returns immediately, unless some
 * hundred submissions are pending or it depends on an event of another device: it waits for those. The device waits for
 * events of the same device. Failed work there is an asynchronous error: later work in the queue fails too, until
 * uh_queue_wait has returned it. A lost device fails every later call that needs it with UH_ERROR_DEVICE_LOST; its
 * objects can still be destroyed and freed. A combined device's queue continues with the parts that are not lost:
 * divided operations (uh_queue_get_share) lose nothing; other work that was submitted since the last wait and was lost
 * with the lead is UH_ERROR_DEVICE_LOST once, in the next call that waits for it. */
typedef struct uh_queue uh_queue;

/** Called with each asynchronous error of a queue, by the thread that calls uh_queue_wait or uh_queue_destroy, before
 * the wait returns it. The loss of the device is reported once. */
typedef void (*uh_error_callback)(uh_status status, const char *message, void *user);

/** Asked whether calls on a queue should end: not 0 ends the asking call with UH_ERROR_CANCELLED. An operation
 * (histogram, samples, integral ...) asks before it begins and, on devices other than the host, before each of its
 * launches, which take about 50 ms if there is much work; in the calling thread, and for several devices in one thread
 * per device. On the host, counts over one axis, indices, ranges, random numbers, samples, integrals, mean shift and
 * the iterations of uh_histo ask every few milliseconds, others before they begin: pass large arrays to these in
 * pieces. As with any failure nothing has been counted then, and outputs are as the call specifies for failures.
 * Reading earlier counts does not ask.
 *
 * A wait for a Level Zero device, in any call on the queue or its events, asks too, every 100 ms after the first
 * second. If the work has not ended 2 s after the request, for example because a kernel hangs, the wait is
 * UH_ERROR_CANCELLED and the device is given up: it is lost to this process (UH_ERROR_DEVICE_LOST), and it may use its
 * memory, the program's arrays included, until the process ends: uh_free and the like do not release it.
 *
 * It may return a flag that a signal handler sets; it must not call the library, and may be called until the queue is
 * destroyed. */
typedef int (*uh_cancelled_callback)(void *user);

/** Engine of a device that a queue uses. */
typedef enum uh_engine {
    UH_ENGINE_COMPUTE = 0, /**< all operations */
    UH_ENGINE_COPY = 1     /**< copies only; UH_ENGINE_COMPUTE without one. Kernels are UH_ERROR_UNSUPPORTED in
                                such a queue in either case */
} uh_engine;

/** Priority among a device's queues with pending work. A hint: drivers may treat all alike, and the host's threads have
 * the priority of the process. Results do not depend on it. */
typedef enum uh_priority {
    UH_PRIORITY_NORMAL = 0,
    UH_PRIORITY_LOW = 1, /**< after others, so that a screen that the GPU also draws stays responsive */
    UH_PRIORITY_HIGH = 2 /**< before others; usually needs privileges that few users have */
} uh_priority;

/** Options of a queue. Zero everything but struct_size for the defaults. */
typedef struct uh_queue_options {
    size_t struct_size;               /**< sizeof(uh_queue_options) */
    uint32_t threads;                 /**< host: number of threads; 0 is OMP_NUM_THREADS, or one per core, at most the
                                           number of hardware threads available to the process */
    uint32_t profiling;               /**< not 0: events record times */
    uh_engine engine;                 /**< engine of the queue */
    uh_priority priority;             /**< priority of its work */
    uh_error_callback error_callback; /**< NULL for none */
    void *error_user;                 /**< passed to the callback */
    uh_cancelled_callback cancelled;  /**< NULL: calls do not end early */
    void *cancelled_user;             /**< passed to it */
    uint32_t group_size;              /**< for operations on a GPU: work-items per group, a power of two, at most 1024;
                                           0, or more than the device supports: tuned, or according to the device */
    uint32_t groups;                  /**< for operations on a GPU: groups that fill the device, at most 4096; 0: tuned,
                                           or according to the device. Both affect speed, never results; an operation
                                           that cannot run so takes the nearest possible values */
} uh_queue_options;

/** Makes a queue on a device; `options` may be NULL for the defaults. UH_ERROR_INVALID_ARGUMENT (invalid engine or
 * priority, more than 4096 threads, a group_size or groups out of range), UH_ERROR_UNSUPPORTED (the host's CPU is below
 * x86-64-v2, or below the one level that the library was built for), UH_ERROR_DEVICE_LOST (of a combined device only if
 * all parts are lost: otherwise the queue is over the others, and the log says so). */
UH_API uh_status uh_queue_create(uh_device *device, const uh_queue_options *options, uh_queue **queue);

/** Destroys a queue after waiting for its work; an asynchronous error that has not been waited for goes to the error
 * callback only. No other thread may be in a call on the queue, or wait for one of its events, at that time. Events,
 * histograms, counters and samplers of it can still be used afterwards, by one thread at a time, without its callbacks;
 * what the queue holds is freed with the last of them (uh_queue_properties.users). */
UH_API void uh_queue_destroy(uh_queue *queue);

/** Waits until all submitted work has ended; returns the first asynchronous error since the last wait, even one that
 * the wait for an event has returned before: UH_ERROR_DRIVER and others from the driver. UH_ERROR_DEVICE_LOST on each
 * call if the device is lost, or all parts of a combined one are. */
UH_API uh_status uh_queue_wait(uh_queue *queue);

/** Properties of a queue. */
typedef struct uh_queue_properties {
    size_t struct_size; /**< in: sizeof(uh_queue_properties) */
    uh_device *device;  /**< its device, owned by the library */
    uint32_t threads;   /**< host threads; 1 if the host is neither its device nor a part */
    uint32_t parts;     /**< of a combined device, parts that were not lost when it was made; otherwise 0 */
    uint64_t users;     /**< live events, histograms, counters and samplers of it */
} uh_queue_properties;

/** Any thread may call it. UH_ERROR_INVALID_ARGUMENT for NULL. */
UH_API uh_status uh_queue_get_properties(const uh_queue *queue, uh_queue_properties *properties);

/** Work done by one part of a combined device, among operations that divide their work among the parts of a queue:
 * histograms (except those of UH_SUM_FAST), counts of integers, indices, samples, random numbers, integrals and mean
 * shift. They divide values, samples, or interactions of mean shift.
 *
 * An array in device or shared memory is for the parts of the card that it was allocated on; the others take no part in
 * that call. UH_ERROR_INVALID_ARGUMENT if arrays of one call are on several cards.
 *
 * The length of pieces follows a part's speed. The piece of a part that fails is done by the others, and that part
 * continues in the next call; a lost part receives no more work. So a call fails only if an argument is at fault or all
 * parts fail. */
typedef struct uh_queue_share {
    size_t struct_size; /**< in: sizeof(uh_queue_share) */
    uh_device *device;  /**< the part */
    uint64_t elements;  /**< number of elements done */
    uint64_t pieces;    /**< number of pieces done */
    uint64_t failures;  /**< pieces that it failed to do; others did them if they could */
    uh_status status;   /**< of the last failure, UH_ERROR_DEVICE_LOST if it is lost; UH_SUCCESS for none */
} uh_queue_share;

/** Stores the work of part number `part` of a combined device's queue since the queue was made. Its parts are the
 * device's, in their order, without those that were lost when it was made. The calling thread owns the queue.
 * UH_ERROR_INVALID_ARGUMENT if there is no such part. */
UH_API uh_status uh_queue_get_share(const uh_queue *queue, size_t part, uh_queue_share *share);

UH_END_C

#endif
