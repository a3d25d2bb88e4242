/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file kernel.h
 * Modules of SPIR-V or native code, kernels from them or from C functions, and their launch over an index space.
 *
 * A module's kernels run on the Level Zero device that it was built for, a C function runs on the host device; both use
 * the same uh_parallel_for.
 *
 * Threads: modules and kernels are immutable; any thread may use them.
 */
#ifndef UNIHIST_KERNEL_H
#define UNIHIST_KERNEL_H

#include <unihist/runtime.h>

UH_BEGIN_C

/* ---- modules ---------------------------------------------------------------------------------------------------- */

/** A program built for one device, with its kernels. Immutable; may be shared. A tile is a separate device. */
typedef struct uh_module uh_module;

typedef enum uh_module_format {
    UH_MODULE_SPIRV = 0, /**< SPIR-V, built for the device when the module is made */
    UH_MODULE_NATIVE = 1 /**< a device's own binary, as returned by uh_module_native and made by Intel's ocloc */
} uh_module_format;

/** The value of a specialization constant. */
typedef struct uh_constant {
    uint32_t id;       /**< SPIR-V's SpecId */
    uint32_t size;     /**< 1, 2, 4 or 8 bytes, as the program declares it; 1 for a bool */
    const void *value; /**< read before the call returns */
} uh_constant;

/** Options of a module. Zero everything but struct_size for the defaults. */
typedef struct uh_module_options {
    size_t struct_size;           /**< sizeof(uh_module_options) */
    uh_module_format format;      /**< uh_module_create: the format of `code` */
    const char *build_options;    /**< for the device's compiler, such as "-ze-opt-level=2"; NULL for none */
    const uh_constant *constants; /**< specialization constants; others keep the program's values */
    size_t nconstants;            /**< number of them; `constants` may be NULL for 0 */
} uh_module_options;

/**
 * Builds a program of `size` bytes for a device; `options` may be NULL for the defaults. `code` needs no alignment and
 * is not used after the return.
 *
 * Binaries that a driver builds from SPIR-V are cached: by device, driver and compiler (their versions, files and
 * environment variables, such as IGC_...), program, build options and constants, in memory (at most 64 MiB) and in
 * files of $XDG_CACHE_HOME/unihist, or ~/.cache/unihist, that only this user can read or write (at most 256 MiB; the
 * least recently used is removed first). A file that is damaged, or that the driver rejects, is made again. Without a
 * writable folder only memory is used. UNIHIST_CACHE=off disables both. The library logs at level info where a module
 * came from.
 *
 * UH_ERROR_INVALID_ARGUMENT (no code, unknown format, invalid SPIR-V, constants that the program does not have or has
 * in another size, or constants for a native binary), UH_ERROR_UNSUPPORTED (the host device, which runs C functions; a
 * program that requires features that the device lacks, such as Float64, Float16, Int64Atomics or sub-groups),
 * UH_ERROR_BUILD (the message contains the end of the build log; also for a native binary that the driver rejects),
 * UH_ERROR_OUT_OF_DEVICE_MEMORY. A driver may accept a native binary of another kind of device without an error: the
 * caller must know that it is the right one.
 */
UH_API uh_status uh_module_create(uh_device *device, const void *code, size_t size, const uh_module_options *options,
                                  uh_module **module);

/** A binary made ahead of time for one kind of device, with Intel's ocloc. */
typedef struct uh_native_binary {
    const char *target; /**< ocloc's name of the target: tgllp, dg1, rkl, adl-s, adl-p, adl-n, rpl-p, dg2-g10, dg2-g11,
                             dg2-g12, pvc, mtl-u, mtl-h, arl-h, lnl-m, bmg-g21, bmg-g31, ptl-h or ptl-u; others are
                             never used */
    const void *code;
    size_t size;
} uh_native_binary;

/**
 * OpenCL C compiled to SPIR-V and embedded into a program: the CMake function unihist_add_kernels() defines
 * uh_program_NAME for NAME.cl. A call that takes one copies what it needs after the return.
 */
typedef struct uh_program {
    const char *name;                 /**< NAME */
    const void *spirv;                /**< SPIR-V words */
    size_t spirv_size;                /**< in bytes */
    const uh_native_binary *binaries; /**< `nbinaries` of them, compiled ahead of time */
    size_t nbinaries;
} uh_program;

/**
 * As uh_module_create, from an embedded program: from a native binary if there is one for this device (by its PCI id),
 * the driver accepts it, and `options` has neither build options nor constants; otherwise from its SPIR-V.
 * `options->format` is ignored. Errors as uh_module_create.
 */
UH_API uh_status uh_module_create_program(uh_device *device, const uh_program *program,
                                          const uh_module_options *options, uh_module **module);

/** Destroys a module and its kernels. Work that uses them must have ended. */
UH_API uh_status uh_module_destroy(uh_module *module);

/**
 * Returns the compiler's output for the module, "" if none, NULL for NULL. The module owns it; the cache keeps it too.
 */
UH_API const char *uh_module_build_log(const uh_module *module);

/**
 * Copies the module's native binary. `*size` is the room in `binary` on entry and the binary's size on return; with
 * `binary` NULL only the size is stored. UH_ERROR_INVALID_ARGUMENT if there is too little room (`*size` is then the
 * size needed).
 */
UH_API uh_status uh_module_native(const uh_module *module, void *binary, size_t *size);

/** Returns the name of kernel number `index`, from 0; NULL after the last one, and for NULL. The module owns it. */
UH_API const char *uh_module_kernel_name(const uh_module *module, size_t index);

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/**
 * The index space of a launch: `dims` is 1, 2 or 3; only that many entries are read. `global` is the number of
 * work-items, `local` that of one work-group (0: the library chooses); `offset` is added to every global id. On the
 * host device `global` need not be a multiple of `local`: the last group along a dimension is then smaller. For a
 * module's kernels it must be, as in SYCL 2020; if the library chooses, it takes a divisor, so that a large prime gives
 * groups of 1. A global size of 0 is allowed: nothing runs. Neighbours in memory should lie along dimension 0.
 */
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

/**
 * Stores the group size that the library would choose where `range->local` is 0 (other entries are kept). All three
 * entries are stored, those of unused dimensions as 1. UH_ERROR_INVALID_ARGUMENT and UH_ERROR_UNSUPPORTED as
 * uh_parallel_for of such a range.
 */
UH_API uh_status uh_kernel_suggest_group_size(uh_queue *queue, const uh_kernel *kernel, const uh_nd_range *range,
                                              size_t local[3]);

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

/**
 * A kernel as a C function, called once per work-group, by several threads at once; it loops over the group's items
 * itself. `args[i]` points to a copy of the value (16-byte aligned, shared by all groups: read-only), is the pointer,
 * or is the 64-byte aligned local memory of argument i. It must return (no longjmp, no C++ exception) and must not
 * submit to the queue that runs it.
 */
typedef void (*uh_host_function)(const uh_work_group *group, void *const *args);

/**
 * Makes a kernel from a C function; it runs on the host device (SYCL's host_task, with a range). The name, any text for
 * messages, is copied.
 */
UH_API uh_status uh_kernel_create_host(const char *name, uh_host_function function, uh_kernel **kernel);

/**
 * Destroys a kernel made by uh_kernel_create_host. Work that uses it must have ended. UH_ERROR_INVALID_ARGUMENT for one
 * from uh_kernel_get.
 */
UH_API uh_status uh_kernel_destroy(uh_kernel *kernel);

/**
 * Submits a kernel over a range, after the queue's earlier work and the events in `deps`. On the host device the call
 * returns when the work has ended. `event` may be NULL; otherwise the caller destroys it. `range`, `args` and the
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
 * the driver does not support it).
 */
UH_API uh_status uh_parallel_for(uh_queue *queue, const uh_kernel *kernel, const uh_nd_range *range, const uh_arg *args,
                                 size_t nargs, uh_event *const *deps, size_t ndeps, uh_event **event);

UH_END_C

#endif
