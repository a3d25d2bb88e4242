/* SPDX-License-Identifier: Apache-2.0 */
/* An operation at work on a device that runs modules: its queue, its kernels, how wide it runs, where
 * pointers lie, and the buffers through which arrays go. */
#ifndef UHI_ENGINE_H
#define UHI_ENGINE_H

#include "kernels/registry.h"

#include "kernels/common/geometry.h"
#include "kernels/common/pace.h"
#include "kernels/common/ring.h"

struct uhi_engine {
    const char *call; /* the public call at work, as messages name it */
    uh_queue *queue;  /* that computes; not the engine's */
    uh_queue *copy;   /* that copies beside it; NULL before it is needed, or where the device reads the host's memory */
    uh_device *device;
    uh_device_properties properties;
    struct uhi_geometry geometry; /* how wide the operation is to run (geometry.h) */
    const struct uhi_variants *variants;
    struct uhi_engine_kernel *kernels; /* those that have been needed */
    size_t kernel_count;
    struct uhi_ring ring;
    struct uhi_paces paces;
    struct uhi_imported {
        const void *first; /* plain host memory that the driver has been told of */
        size_t bytes;
    } imports[UHI_MAX_INPUTS];
    size_t import_count;
    void *scratch; /* on the device: see uhi_engine_scratch */
    size_t scratch_bytes;
};

/* Begins on the queue's device; builds nothing and waits for nothing. UH_ERROR_UNSUPPORTED, naming `call`, where this
 * build has no kernels for devices. The caller closes it. */
uh_status uhi_engine_open(struct uhi_engine *engine, const char *call, uh_queue *queue,
                          const struct uhi_variants *variants);

/* Waits for what is under way and frees what the engine owns. A zeroed engine may be closed. */
void uhi_engine_close(struct uhi_engine *engine);

/* Lends the kernel of this name, of the operation's or of those that all share, until the engine is closed. It is built
 * when it is first asked for. */
uh_status uhi_engine_kernel(struct uhi_engine *engine, const char *name, uh_kernel **kernel);

/* The same of another operation's kernels, which this one uses. */
uh_status uhi_engine_kernel_of(struct uhi_engine *engine, const struct uhi_variants *variants, const char *name,
                               uh_kernel **kernel);

/* Runs a kernel over `groups` groups, or more of fewer items where it needs many registers; after `dep` unless that is
 * NULL. */
uh_status uhi_engine_run(const struct uhi_engine *engine, const uh_kernel *kernel, size_t groups, size_t group_size,
                         const uh_arg *args, size_t nargs, uh_event *dep, uh_event **event);

/* The same after several, of which those that are NULL are nothing; at most UHI_MAX_INPUTS. */
uh_status uhi_engine_run_after(const struct uhi_engine *engine, const uh_kernel *kernel, size_t groups,
                               size_t group_size, const uh_arg *args, size_t nargs, uh_event *const *deps, size_t ndeps,
                               uh_event **event);

/* As uhi_engine_run, over as many groups as are worth launching for n values. */
uh_status uhi_engine_run_wide(const struct uhi_engine *engine, const uh_kernel *kernel, size_t n, const uh_arg *args,
                              size_t nargs, uh_event *dep, uh_event **event);

/* Whether the queue was made with profiling: events carry times. */
int uhi_engine_is_timed(const struct uhi_engine *engine);

/* Waits until nothing of the engine's runs any more, whatever it ended with; results that have not been stored are
 * lost. The last message stays: it is that of the failure that led here. */
void uhi_engine_quiesce(struct uhi_engine *engine);

/* Copies from the device, after all that was submitted, and waits; also where it fails nothing writes to `to` then. */
uh_status uhi_engine_fetch(struct uhi_engine *engine, void *to, const void *from, size_t bytes);

/* Lends device memory for what launches of one call leave for each other or for a fetch; kept for the next call. Where
 * more is asked for than before, what was there is lost, and no work may be using it. */
uh_status uhi_engine_scratch(struct uhi_engine *engine, size_t bytes, void **memory);

/* ---- how wide ---- */

/* The largest power of two that is at most `a`, at least 1: kernels that share among a power of two do not divide. */
uint64_t uhi_power_of_two(uint64_t a);

/* Work-items of a group by the device's properties alone: a power of two. */
size_t uhi_group_size(const uh_device_properties *device);

/* Groups of `group_size` work-items that fill the device, by its properties alone. At least 1. */
size_t uhi_groups_to_fill(const uh_device_properties *device, size_t group_size);

/* The same as the engine's geometry says, and else by the device. */
size_t uhi_engine_group_size(const struct uhi_engine *engine);
size_t uhi_engine_groups(const struct uhi_engine *engine, size_t group_size);

/* No more groups than are worth launching for n values. At least 1, and in trials 3, for however few values. */
size_t uhi_groups_for(size_t groups, size_t group_size, size_t n);

/* ---- where pointers lie ---- */

enum uhi_place {
    UHI_PLAIN_HOST, /* only the host can use it */
    UHI_REACHABLE,  /* host and device can */
    UHI_DEVICE_ONLY
};

/* Finds out whether kernels can use what `pointer` points to. UH_ERROR_INVALID_ARGUMENT, naming `call` and `argument`,
 * for the memory of another device. */
uh_status uhi_engine_place(const struct uhi_engine *engine, const char *call, const char *argument, const void *pointer,
                           enum uhi_place *place);

/* ---- the host's memory, as the device's driver knows it ---- */

/* Smaller arrays are copied as they are: telling the driver of memory costs time for each page. Tests lower it. */
extern size_t uhi_import_min;

/* Tells the driver of plain host memory, where it is worth that, until uhi_engine_release or the engine is closed: the
 * device's kernels and copies can use it then. Returns whether it is so. */
int uhi_engine_import(struct uhi_engine *engine, const void *first, size_t bytes);

/* Where the driver knows host memory, waits until nothing uses it, and has it forgotten. `status` is that of what used
 * it; returns it, or the first failure of the wait. */
uh_status uhi_engine_release(struct uhi_engine *engine, uh_status status);

#endif
