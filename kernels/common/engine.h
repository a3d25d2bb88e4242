/* SPDX-License-Identifier: Apache-2.0 */
/* State of an operation on a device that runs modules: queue, kernels, group geometry, location of pointers, and
 * transfer buffers for arrays. */
#pragma once

#include "kernels/registry.h"

#include "kernels/common/geometry.h"
#include "kernels/common/pace.h"
#include "kernels/common/ring.h"

/* A kernel's argument by value; the variable must live until the launch. */
#define UHI_ARG(variable) uh_arg_value(&(variable), sizeof(variable))

struct uhi_engine {
    const char *call; /* current public call, for messages */
    uh_queue *queue;  /* computes; not owned */
    uh_queue *copy;   /* for concurrent copies; NULL until needed, or if the device reads the host's memory */
    uh_device *device;
    uh_device_properties properties;
    struct uhi_geometry geometry; /* requested geometry (geometry.h) */
    const struct uhi_variants *variants;
    struct uhi_engine_kernel *kernels; /* kernels built so far */
    size_t kernel_count;
    struct uhi_ring ring;
    struct uhi_paces paces;
    struct uhi_imported {
        const void *first; /* plain host memory imported into the driver */
        size_t bytes;
    } imports[UHI_MAX_INPUTS];
    size_t import_count;
    void *scratch; /* device memory, see uhi_engine_scratch */
    size_t scratch_bytes;
};

/* Opens an engine on the queue's device; builds nothing and does not wait. UH_ERROR_UNSUPPORTED, naming `call`, if
 * this build has no kernels for devices. The caller closes it. */
uh_status uhi_engine_open(struct uhi_engine *engine, const char *call, uh_queue *queue,
                          const struct uhi_variants *variants);

/* Waits for pending work and frees the engine's resources. A zeroed engine may be closed. */
void uhi_engine_close(struct uhi_engine *engine);

/* Stores the kernel `name` of the operation or of the shared kernels, built on first request; owned by the engine
 * and valid until it is closed. */
uh_status uhi_engine_kernel(struct uhi_engine *engine, const char *name, uh_kernel **kernel);

/* The same for a kernel of another operation. */
uh_status uhi_engine_kernel_of(struct uhi_engine *engine, const struct uhi_variants *variants, const char *name,
                               uh_kernel **kernel);

/* Runs a kernel over `groups` groups, or more and smaller ones if it needs many registers; after `dep` unless NULL. */
uh_status uhi_engine_run(const struct uhi_engine *engine, const uh_kernel *kernel, size_t groups, size_t group_size,
                         const uh_arg *args, size_t nargs, uh_event *dep, uh_event **event);

/* The same after several events, at most UHI_MAX_INPUTS; NULL events are ignored. */
uh_status uhi_engine_run_after(const struct uhi_engine *engine, const uh_kernel *kernel, size_t groups,
                               size_t group_size, const uh_arg *args, size_t nargs, uh_event *const *deps, size_t ndeps,
                               uh_event **event);

/* As uhi_engine_run, with as many groups as are worth launching for n values. */
uh_status uhi_engine_run_wide(const struct uhi_engine *engine, const uh_kernel *kernel, size_t n, const uh_arg *args,
                              size_t nargs, uh_event *dep, uh_event **event);

/* Waits until all work of the engine has ended, ignoring failures; unstored results are lost. Keeps the last
 * message, that of the failure that led here. */
void uhi_engine_quiesce(struct uhi_engine *engine);

/* Copies from or to the device after all submitted work, and waits. After return nothing uses `to` or `from`, even on
 * failure. */
uh_status uhi_engine_fetch(const struct uhi_engine *engine, void *to, const void *from, size_t bytes);

/* Stores a pointer to device memory for data that launches of one call pass to each other or to a fetch; owned by
 * the engine, kept for the next call. Growing it discards its contents and requires that no work uses it. */
uh_status uhi_engine_scratch(struct uhi_engine *engine, size_t bytes, void **memory);

/* ---- group size and number of groups ---- */

/* Returns the largest power of two not above `a`, at least 1: sharing among a power of two needs no division. */
uint64_t uhi_power_of_two(uint64_t a);

/* Returns the work-items per group by the device's properties alone: a power of two. */
size_t uhi_group_size(const uh_device_properties *device);

/* Returns the number of groups of `group_size` work-items that fill the device, by its properties alone. At least 1. */
size_t uhi_groups_to_fill(const uh_device_properties *device, size_t group_size);

/* The same by the engine's geometry, otherwise by the device. */
size_t uhi_engine_group_size(const struct uhi_engine *engine);
size_t uhi_engine_groups(const struct uhi_engine *engine, size_t group_size);

/* Limits `groups` to the number worth launching for n values: at least 1, in trials 3. */
size_t uhi_groups_for(size_t groups, size_t group_size, size_t n);

/* ---- location of pointers ---- */

enum uhi_location {
    UHI_PLAIN_HOST, /* accessible to the host only */
    UHI_REACHABLE,  /* accessible to host and device */
    UHI_DEVICE_ONLY
};

/* Determines whether kernels can access the memory at `pointer`. UH_ERROR_INVALID_ARGUMENT, naming `call` and
 * `argument`, for memory of another device. */
uh_status uhi_engine_locate(const struct uhi_engine *engine, const char *call, const char *argument,
                            const void *pointer, enum uhi_location *place);

/* ---- import of host memory by the driver ---- */

/* Smaller arrays are copied, because an import costs time per page. Bytes; tests lower it. */
extern size_t uhi_import_min;

/* Imports plain host memory, if large enough, until uhi_engine_release or the engine is closed: the device's kernels
 * and copies can then use it. Returns 1 if imported. */
int uhi_engine_import(struct uhi_engine *engine, const void *first, size_t bytes);

/* If host memory is imported, waits until it is unused and releases it. `status` is that of the work that used it;
 * returns it, or the first failure of the wait. */
uh_status uhi_engine_release(struct uhi_engine *engine, uh_status status);
