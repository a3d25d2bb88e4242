/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_run.h"

#include <stdio.h>

#include "kernels/bincount/tuning.h"
#include "kernels/common/keys.h"
#include "runtime/status.h"

static const struct uhi_extent nothing = {UINT64_MAX, 0, 0};

/* ---- on the host ---- */

struct finding {
    uh_dtype dtype;
    struct uhi_values x;
    struct uhi_extent *extent; /* result over all parts and devices */
};

/* For concurrent threads. */
static void join_extent(struct uhi_extent *to, struct uhi_extent found) {
    uhi_atomic_lower(&to->low, found.low);
    uhi_atomic_raise(&to->high, found.high);
    __atomic_fetch_add(&to->nan, found.nan, __ATOMIC_RELAXED);
}

static struct uhi_extent range_of(uh_dtype dtype, struct uhi_values x) {
    char buffer[UHI_PACKED_BYTES];
    struct uhi_extent found = nothing;
    for (size_t i = 0; i < x.n;) {
        const struct uhi_values block = uhi_values_packed(x, i, uh_dtype_size(dtype), buffer);
        join_extent(&found, uhi_bincount_host()->range[dtype](block.first, block.n));
        i += block.n;
    }
    return found;
}

static void find_in_part(const void *context, size_t part, size_t parts) {
    const struct finding *finding = context;
    join_extent(finding->extent, range_of(finding->dtype, uhi_values_of_part(finding->x, parts, part)));
}

static uh_status find_on_host(struct uhi_frame *frame, void *context) {
    struct finding finding = *(const struct finding *)context;
    finding.x = frame->operands.in[0].x;
    return uhi_frame_parallel(frame, "bincount: extent", find_in_part, &finding, finding.x.n,
                              UHI_EXTENT_VALUES_A_THREAD);
}

/* ---- on a device ---- */

uh_status uhi_bincount_kernel(struct uhi_engine *engine, const char *task, uh_dtype dtype, uh_kernel **kernel) {
    char name[32];
    snprintf(name, sizeof name, "%s_%s%zu", task, dtype == UH_F32 || dtype == UH_F64 ? "f" : "",
             8 * uh_dtype_size(dtype));
    return uhi_engine_kernel(engine, name, kernel);
}

uh_status uhi_bincount_for_each_piece(struct uhi_frame *frame,
                                      uh_status (*launch)(void *context, const struct uhi_piece *piece),
                                      void *context) {
    const struct uhi_operands x = {.n = frame->operands.n, .inputs = 1, .in = {frame->operands.in[0]}};
    struct uhi_pieces pieces;
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &x, UINT32_MAX));
    uh_status status = uhi_pieces_for_each(&pieces, launch, NULL, context);
    if (!status)
        status = uhi_ring_drain(frame->engine);
    return uhi_pieces_finish(&pieces, status);
}

/* Local memory per work-item for finding the smallest and largest value, and size of a group's result. */
enum { EXTENT_BYTES = 3 * sizeof(uint64_t) };

struct launching {
    struct uhi_engine *engine;
    uh_dtype dtype;
    uh_kernel *kernel;
    size_t group_size, groups;
    void *there;     /* the groups' results on the device */
    uint64_t *parts; /* the same on the host */
    struct uhi_extent extent;
};

/* The bits to flip so that a type's bits are unsigned integers of its width in the order of the values. */
static uint64_t flip_of(uh_dtype dtype) {
    return uhi_value_is_signed(dtype) ? (uint64_t)1 << (8 * uh_dtype_size(dtype) - 1) : 0;
}

/* A kernel's result in the form of struct uhi_extent: integers are extended to 64 bits. */
static uint64_t widened(uh_dtype dtype, uint64_t key) {
    return uhi_value_is_signed(dtype) ? key - flip_of(dtype) + UHI_TOP_64 : key;
}

static uh_status launch_extent(void *context, const struct uhi_piece *piece) {
    struct launching *launching = context;
    const size_t groups = uhi_groups_for(launching->groups, launching->group_size, piece->n);
    const uint64_t n = piece->n, flip = flip_of(launching->dtype);
    const uh_arg args[] = {uh_arg_pointer(piece->in[0]), UHI_ARG(n), UHI_ARG(flip), uh_arg_pointer(launching->there),
                           uh_arg_local(launching->group_size * EXTENT_BYTES)};
    UHI_TRY(uhi_engine_run(launching->engine, launching->kernel, groups, launching->group_size, args, 5,
                           piece->ready[0], piece->done));
    UHI_TRY(uhi_engine_fetch(launching->engine, launching->parts, launching->there, groups * EXTENT_BYTES));
    for (size_t g = 0; g < groups; g++) {
        const uint64_t *part = launching->parts + 3 * g;
        struct uhi_extent found = nothing;
        if (part[0] <= part[1]) {
            found.low = widened(launching->dtype, part[0]);
            found.high = widened(launching->dtype, part[1]);
        }
        found.nan = part[2];
        join_extent(&launching->extent, found);
    }
    return UH_SUCCESS;
}

/* Work-items per group: a power of two that fits local memory and that the kernel can run, because smaller groups, made
 * later, would have other parts. */
static uh_status choose_group_size(struct launching *launching) {
    uh_kernel_properties properties = {.struct_size = sizeof properties};
    uh_status status = uh_kernel_get_properties(launching->kernel, &properties);
    const uint64_t fits = launching->engine->properties.local_memory / EXTENT_BYTES;
    size_t size = uhi_engine_group_size(launching->engine);
    size = size < fits ? size : uhi_power_of_two(fits);
    size = size < properties.max_group_size ? size : uhi_power_of_two(properties.max_group_size);
    launching->group_size = size;
    launching->groups = uhi_engine_groups(launching->engine, size);
    return status;
}

uh_status uhi_extent_on_device(struct uhi_frame *frame, uh_dtype dtype, struct uhi_extent *extent) {
    struct launching launching = {.engine = frame->engine, .dtype = dtype, .extent = nothing};
    UHI_TRY(uhi_bincount_kernel(frame->engine, "extent", dtype, &launching.kernel));
    UHI_TRY(choose_group_size(&launching));
    UHI_TRY(uhi_engine_scratch(frame->engine, launching.groups * EXTENT_BYTES, &launching.there));
    launching.parts = uhi_frame_scratch(frame, launching.groups * EXTENT_BYTES);
    if (!launching.parts)
        return UH_ERROR_OUT_OF_MEMORY;
    UHI_TRY(uhi_bincount_for_each_piece(frame, launch_extent, &launching));
    *extent = launching.extent;
    return UH_SUCCESS;
}

static uh_status find_on_device(struct uhi_frame *frame, void *context) {
    const struct finding *finding = context;
    const struct uhi_operand *in = &frame->operands.in[0];
    struct uhi_extent found;
    enum uhi_location place;
    UHI_TRY(uhi_engine_locate(frame->engine, frame->call, in->argument, in->x.first, &place));
    if (place == UHI_PLAIN_HOST) {
        UHI_TRY(uh_queue_wait(frame->queue));
        return find_on_host(frame, context);
    }
    UHI_TRY(uhi_extent_on_device(frame, finding->dtype, &found));
    join_extent(finding->extent, found);
    return UH_SUCCESS;
}

/* ---- the call ---- */

static const struct uhi_stage find = {"bincount: extent", find_on_host, find_on_device};

uh_status uhi_extent_find(const char *call, const char *argument, uh_queue *queue, uh_dtype dtype, struct uhi_values x,
                          struct uhi_extent *extent) {
    struct uhi_extent found = nothing;
    struct finding finding = {.dtype = dtype, .extent = &found};
    const struct uhi_single single = {.call = call,
                                      .argument = argument,
                                      .variants = uhi_bincount_variants(),
                                      .stage = &find,
                                      .x = x,
                                      .size = uh_dtype_size(dtype),
                                      .min_piece = UHI_BINCOUNT_MIN_SHARE};
    UHI_TRY(uhi_frame_run_single(queue, &single, &finding));
    *extent = found;
    return UH_SUCCESS;
}
