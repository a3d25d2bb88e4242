/* SPDX-License-Identifier: Apache-2.0 */
/** @file gpu.h
 * Events, memory, modules and kernels of devices, for programs that run their own kernels in addition to the library's
 * operations: SYCL 2020's model in plain C. Level Zero's handles are in ze.h.
 *
 * A module's kernels run on the Level Zero device that it was built for, a C function runs on the host device; both use
 * the same uh_parallel_for.
 *
 * Threads: as in device.h. Modules and kernels are immutable; any thread may use them. */
#ifndef UNIHIST_GPU_H
#define UNIHIST_GPU_H

#include <unihist/device.h>

UH_BEGIN_C

/* ---- events ----------------------------------------------------------------------------------------------------- */

/** The end of one submitted piece of work. Made by a submission, destroyed by the caller; any thread may wait for it,
 * query it and destroy it. If an event that a submission waits for is of another queue and has already failed, the
 * submission fails with that status and submits nothing; one of the same queue comes before it anyway. */
typedef struct uh_event uh_event;

/** Events of a submission; NULL instead: none. Read before the submitting call returns. */
typedef struct uh_submission {
    uh_event *const *deps; /**< the work begins after these events, of any queues; the caller keeps them. NULL for 0 */
    size_t ndeps;          /**< number of them */
    uh_event **event;      /**< stores the event of this work, which the caller destroys; NULL: no event is made */
} uh_submission;

/** Times of one piece of work in nanoseconds of one clock of its device: submitted <= started <= ended. They are
 * comparable within a device. If a driver does not report the time, `submitted` equals `started`. */
typedef struct uh_event_times {
    uint64_t submitted;
    uint64_t started;
    uint64_t ended;
} uh_event_times;

/** Waits for the work to end and returns its status: UH_SUCCESS, UH_ERROR_DEVICE_LOST, UH_ERROR_DRIVER and others.
 * UH_ERROR_TIMEOUT after `nanoseconds`: 0 only asks whether it has ended, UINT64_MAX waits without limit. */
UH_API uh_status uh_event_wait(uh_event *event, uint64_t nanoseconds);

/** Waits for the work and stores its times. UH_ERROR_UNSUPPORTED if the queue was made without profiling, and errors as
 * uh_event_wait. */
UH_API uh_status uh_event_profile(uh_event *event, uh_event_times *times);

/** Destroys an event after waiting for its work. */
UH_API void uh_event_destroy(uh_event *event);

/* ---- memory (SYCL's unified shared memory) ---------------------------------------------------------------------- */

typedef enum uh_memory_kind {
    UH_MEMORY_UNKNOWN = 0, /**< plain host memory, or of a Level Zero context unknown to the library */
    UH_MEMORY_DEVICE = 1,  /**< device memory; the host must copy */
    UH_MEMORY_HOST = 2,    /**< host memory, accessible to the device */
    UH_MEMORY_SHARED = 3   /**< moves between both */
} uh_memory_kind;

/** Allocation that a pointer points into. For UH_MEMORY_UNKNOWN the other members are NULL and 0. */
typedef struct uh_pointer_info {
    uh_memory_kind kind;
    void *base;        /**< first byte of the allocation */
    size_t size;       /**< bytes of the allocation; for memory not from uh_malloc perhaps whole pages */
    uh_device *device; /**< the device it was allocated for; for host memory not from uh_malloc one of its context */
} uh_pointer_info;

/** Allocates `size` bytes of a kind of memory for a device, aligned to `alignment` (a power of two; 0 is 64). Free it
 * with uh_free. A size of 0 gives a pointer that may only be freed. UH_ERROR_INVALID_ARGUMENT for another kind or an
 * alignment that is not a power of two, UH_ERROR_OUT_OF_DEVICE_MEMORY (host: UH_ERROR_OUT_OF_MEMORY) for more than is
 * available or than max_allocation, UH_ERROR_UNSUPPORTED for an alignment above 4096 that the driver does not
 * support. */
UH_API uh_status uh_malloc(uh_device *device, uh_memory_kind kind, size_t size, size_t alignment, void **pointer);

/** Frees memory of uh_malloc; NULL is allowed. Work that uses the memory must have ended. UH_ERROR_INVALID_ARGUMENT for
 * a pointer that is not the start of a live allocation; UH_ERROR_DRIVER and others if the driver fails: even then the
 * pointer must not be used afterwards. */
UH_API uh_status uh_free(void *pointer);

/** Stores the allocation that a pointer points into, also in its middle, but not after its end. `pointer` may be
 * anything; NULL is UH_MEMORY_UNKNOWN. For memory not from uh_malloc the drivers are queried, once devices have been
 * listed: one call of zeMemGetAllocProperties per Level Zero context that the library uses (ze.h), which is also the
 * cost of a plain pointer in every call that takes one. UH_ERROR_DRIVER and others, if a driver fails. */
UH_API uh_status uh_pointer_type(const void *pointer, uh_pointer_info *info);

/** Copies `size` bytes between any two kinds of memory after the events of `submission`. The regions must not
 * overlap. The caller must not change or free source and destination until the work has ended, plain host memory too.
 * UH_ERROR_INVALID_ARGUMENT for NULL regions of size > 0, regions that overlap, one that crosses the bounds of an
 * allocation, or one in the memory of a device that the queue's device cannot access (of another driver; of the same
 * driver in another Level Zero context, see ze.h; and for the host, of any other device). */
UH_API uh_status uh_memcpy(uh_queue *queue, void *destination, const void *source, size_t size,
                           const uh_submission *submission);

/** Writes `count` consecutive copies of a pattern of `pattern_size` bytes (1, 2, 4, 8 or 16), after the events of
 * `submission`. Neither destination nor pattern need be aligned. The pattern is host memory and is read before the call
 * returns. Plain host memory is filled by the host, in a queue of any device: the call then returns when that is done.
 * UH_ERROR_INVALID_ARGUMENT also for another pattern_size, or more than SIZE_MAX bytes. Otherwise as uh_memcpy. */
UH_API uh_status uh_fill(uh_queue *queue, void *destination, const void *pattern, size_t pattern_size, size_t count,
                         const uh_submission *submission);

/* ---- modules ---------------------------------------------------------------------------------------------------- */

/** A program built for one device, with its kernels. Immutable; may be shared. A tile is a separate device. */
typedef struct uh_module uh_module;

/** The value of a specialization constant. */
typedef struct uh_constant {
    uint32_t id;       /**< SPIR-V's SpecId */
    uint32_t size;     /**< 1, 2, 4 or 8 bytes, as the program declares it; 1 for a bool */
    const void *value; /**< read before the call returns */
} uh_constant;

/** Options of a module. Zero everything but struct_size for the defaults. */
typedef struct uh_module_options {
    size_t struct_size;           /**< sizeof(uh_module_options) */
    const char *build_options;    /**< for the device's compiler, such as "-ze-opt-level=2"; NULL for none */
    const uh_constant *constants; /**< specialization constants; others keep the program's values */
    size_t nconstants;            /**< number of them; `constants` may be NULL for 0 */
} uh_module_options;

/** A device's own binary, made ahead of time with Intel's ocloc, or of uh_module_native. */
typedef struct uh_native_binary {
    const char *target; /**< ocloc's name of the target: tgllp, dg1, rkl, adl-s, adl-p, adl-n, rpl-p, dg2-g10, dg2-g11,
                             dg2-g12, pvc, mtl-u, mtl-h, arl-h, lnl-m, bmg-g21, bmg-g31, ptl-h or ptl-u; others are
                             never used. NULL, of a program without SPIR-V: for the device that it is loaded on */
    const void *code;
    size_t size;
} uh_native_binary;

/** A program: SPIR-V, and native binaries of it for some targets; or, with `spirv` NULL, one native binary. The CMake
 * function unihist_add_kernels() compiles OpenCL C, embeds it and defines uh_program_NAME for NAME.cl. A call that
 * takes one copies what it needs after the return; neither SPIR-V nor binaries need be aligned. */
typedef struct uh_program {
    const char *name;                 /**< NAME, for messages; may be NULL */
    const void *spirv;                /**< SPIR-V words */
    size_t spirv_size;                /**< in bytes */
    const uh_native_binary *binaries; /**< `nbinaries` of them */
    size_t nbinaries;
} uh_program;

/** Builds a program for a device; `options` may be NULL for the defaults: from a native binary if there is one for this
 * device (by its PCI id), the driver accepts it, and `options` has neither build options nor constants; otherwise from
 * its SPIR-V.
 *
 * Binaries that a driver builds from SPIR-V are cached: by device, driver and compiler (their versions, files and
 * environment variables, such as IGC_...), program, build options and constants, in files of $XDG_CACHE_HOME/unihist,
 * or ~/.cache/unihist, that only this user can read or write (at most 256 MiB; the least recently used is removed
 * first). A file that is damaged, or that the driver rejects, is made again. UNIHIST_CACHE=off disables this. The
 * library logs at level info where a module came from.
 *
 * UH_ERROR_INVALID_ARGUMENT (neither SPIR-V nor one native binary without a target, invalid SPIR-V, constants that the
 * program does not have or has in another size, or constants for a native binary), UH_ERROR_UNSUPPORTED (the host
 * device, which runs C functions; a program that requires features that the device lacks, such as Float64, Float16,
 * Int64Atomics or sub-groups), UH_ERROR_BUILD (the message contains the end of the build log; also for a native binary
 * that the driver rejects), UH_ERROR_OUT_OF_DEVICE_MEMORY. A driver may accept a native binary of another kind of
 * device without an error: the caller must know that it is the right one. */
UH_API uh_status uh_module_create(uh_device *device, const uh_program *program, const uh_module_options *options,
                                  uh_module **module);

/** Destroys a module and its kernels. Work that uses them must have ended. */
UH_API void uh_module_destroy(uh_module *module);

/** Properties of a module. The module owns the texts. */
typedef struct uh_module_properties {
    size_t struct_size;              /**< in: sizeof(uh_module_properties) */
    size_t kernels;                  /**< number of kernels */
    const char *const *kernel_names; /**< their names */
    const char *build_log;           /**< the compiler's output, "" if none; the cache keeps it too */
} uh_module_properties;

UH_API uh_status uh_module_get_properties(const uh_module *module, uh_module_properties *properties);

/** Copies the module's native binary. `*size` is the room in `binary` on entry and the binary's size on return; with
 * `binary` NULL only the size is stored. UH_ERROR_INVALID_ARGUMENT if there is too little room (`*size` is then the
 * size needed). */
UH_API uh_status uh_module_native(const uh_module *module, void *binary, size_t *size);

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/** The index space of a launch: `dims` is 1, 2 or 3; only that many entries are read. `global` is the number of
 * work-items, `local` that of one work-group (0: the library chooses); `offset` is added to every global id. On the
 * host device `global` need not be a multiple of `local`: the last group along a dimension is then smaller. For a
 * module's kernels it must be, as in SYCL 2020; if the library chooses, it takes a divisor, so that a large prime gives
 * groups of 1. A global size of 0 is allowed: nothing runs. Neighbours in memory should lie along dimension 0. */
typedef struct uh_nd_range {
    uint32_t dims;
    size_t global[3];
    size_t local[3];
    size_t offset[3];
} uh_nd_range;

/** A kernel that uh_parallel_for can run. Immutable; may be shared. */
typedef struct uh_kernel uh_kernel;

/** Finds a kernel by name; the module owns it. UH_ERROR_NOT_FOUND (the message lists the module's kernels). */
UH_API uh_status uh_kernel_get(uh_module *module, const char *name, uh_kernel **kernel);

/** Properties of a kernel. Sizes are in bytes; for a kernel made from a C function only struct_size is not 0. */
typedef struct uh_kernel_properties {
    size_t struct_size;              /**< in: sizeof(uh_kernel_properties) */
    uint32_t arguments;              /**< number of arguments */
    uint32_t sub_group_size;         /**< work-items in a sub-group */
    uint32_t spill_memory;           /**< spilled registers per hardware thread; 0 is best */
    uint32_t private_memory;         /**< private arrays per hardware thread */
    uint64_t local_memory;           /**< local memory per work-group that the kernel itself declares */
    uint64_t max_group_size;         /**< largest number of work-items in a work-group of this kernel */
    uint32_t required_group_size[3]; /**< reqd_work_group_size, 0 if the kernel requires none */
} uh_kernel_properties;

UH_API uh_status uh_kernel_get_properties(const uh_kernel *kernel, uh_kernel_properties *properties);

typedef enum uh_arg_kind {
    UH_ARG_VALUE = 0,   /**< a plain value, copied when submitted */
    UH_ARG_POINTER = 1, /**< NULL, or a pointer to memory that the device can access */
    UH_ARG_LOCAL = 2    /**< `size` bytes of local memory per work-group, initially undefined */
} uh_arg_kind;

/** One argument of a launch. */
typedef struct uh_arg {
    uh_arg_kind kind;
    size_t size;       /**< VALUE: bytes of the value; LOCAL: bytes of local memory; POINTER: ignored */
    const void *value; /**< VALUE: address of the value; POINTER: the pointer itself; LOCAL: ignored */
} uh_arg;

/** Makes a value argument of `size` bytes at `value`, which must stay valid until uh_parallel_for returns. */
static inline uh_arg uh_arg_value(const void *value, size_t size) {
    const uh_arg arg = {UH_ARG_VALUE, size, value};
    return arg;
}

/** Makes a pointer argument, to memory that must stay valid until the work has ended. */
static inline uh_arg uh_arg_pointer(const void *pointer) {
    const uh_arg arg = {UH_ARG_POINTER, sizeof(void *), pointer};
    return arg;
}

/** Makes an argument of `size` bytes of local memory. */
static inline uh_arg uh_arg_local(size_t size) {
    const uh_arg arg = {UH_ARG_LOCAL, size, NULL};
    return arg;
}

/** The work-group that a C function kernel is called for. Unused dimensions have sizes of 1 and ids of 0. */
typedef struct uh_work_group {
    uint32_t dims;
    size_t group_id[3];
    size_t group_count[3];
    size_t first[3]; /**< global id of the group's first work-item, offset included */
    size_t size[3];  /**< work-items of this group; the last one along a dimension may have fewer */
    size_t global[3];
    size_t offset[3];
} uh_work_group;

/** A kernel as a C function, called once per work-group, by several threads at once; it loops over the group's items
 * itself. `args[i]` points to a copy of the value (16-byte aligned, shared by all groups: read-only), is the pointer,
 * or is the 64-byte aligned local memory of argument i. It must return (no longjmp, no C++ exception) and must not
 * submit to the queue that runs it. */
typedef void (*uh_host_function)(const uh_work_group *group, void *const *args);

/** Makes a kernel from a C function; it runs on the host device (SYCL's host_task, with a range). The name, any text
 * for messages, is copied. */
UH_API uh_status uh_kernel_create_host(const char *name, uh_host_function function, uh_kernel **kernel);

/** Destroys a kernel made by uh_kernel_create_host. Work that uses it must have ended. Does nothing for one from
 * uh_kernel_get, which its module owns. */
UH_API void uh_kernel_destroy(uh_kernel *kernel);

/** Submits a kernel over a range, after the queue's earlier work and the events of `submission`. On the host device the
 * call returns when the work has ended. `range`, `args` and the
 * values they point to are read before the call returns; `args` may be NULL for nargs 0.
 *
 * A module's kernel accesses memory through its pointer arguments: pointers inside values and inside memory are not
 * examined, and the device may be unable to access memory that only they point to. Pointer arguments must point into
 * memory of uh_malloc: device or shared memory of this device, or of the whole or a tile of the same one; or host
 * memory of a device of the same driver.
 *
 * UH_ERROR_INVALID_ARGUMENT (dims not 1 to 3, a range whose product or last id overflows size_t, local sizes or local
 * memory above the device's, NULL values, values or local memory of 0 bytes; for a module's kernel also a wrong number
 * of arguments, an argument of another kind or size than SPIR-V declares (for native binaries, than the driver
 * detects), a pointer to memory that the device cannot access, a global size that is not a multiple of the local one or
 * makes more than 2^32 - 1 groups along a dimension, other local sizes than the kernel requires), UH_ERROR_UNSUPPORTED
 * (a kernel of another device, a queue for copies; for a module's kernel an offset of 2^32 or more, or any offset if
 * the driver does not support it). */
UH_API uh_status uh_parallel_for(uh_queue *queue, const uh_kernel *kernel, const uh_nd_range *range, const uh_arg *args,
                                 size_t nargs, const uh_submission *submission);

UH_END_C

#endif
