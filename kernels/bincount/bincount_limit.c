/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/bincount/tuning.h"
#include "kernels/common/keys.h"
#include "runtime/dtype.h"
#include "runtime/status.h"

/* The largest value of a type, as unsigned; larger ones are negative. */
static uint64_t largest_of(uh_dtype dtype) {
    return UINT64_MAX >> (64 - 8 * uh_dtype_size(dtype)) >> uhi_value_is_signed(dtype);
}

uint64_t uhi_bincount_allowed(uh_dtype dtype, struct uhi_bincount_limit limit) {
    const uint64_t largest = largest_of(dtype);
    return limit.given && limit.max < largest ? limit.max : largest;
}

uint64_t uhi_bincount_room(void) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const uint64_t max = (SIZE_MAX >> 1) / sizeof(uint64_t);
    if (pages <= 0 || page <= 0)
        return max;
    const uint64_t bins = (uint64_t)pages * (uint64_t)page / sizeof(uint64_t);
    return bins < max ? bins : max;
}

uh_status uhi_bincount_check_dtype(const char *call, const char *argument, uh_dtype dtype) {
    if (dtype == UH_F32 || dtype == UH_F64)
        return uhi_fail_argument(call, argument, "is %s, expected a type of integers, int8 to uint64",
                                 uhi_dtype_name(dtype));
    return UH_SUCCESS;
}

uh_status uhi_bincount_check_length(const char *call, const char *argument, size_t length) {
    const uint64_t room = uhi_bincount_room();
    if (length <= room)
        return UH_SUCCESS;
    return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, argument, "is %zu, expected at most %" PRIu64 ", which memory holds",
                    length, room);
}

/* ---- the largest value ---- */

struct looking {
    uh_dtype dtype;
    struct uhi_values x;
    uint64_t *largest;
};

static void look_at_part(const void *context, size_t part, size_t parts) {
    const struct looking *looking = context;
    const struct uhi_values x = uhi_values_of_part(looking->x, parts, part);
    const size_t size = uh_dtype_size(looking->dtype);
    char buffer[UHI_PACKED_BYTES];
    for (size_t i = 0; i < x.n;) {
        const struct uhi_values block = uhi_values_packed(x, i, size, buffer);
        uhi_atomic_raise(looking->largest, uhi_bincount_host()->width[size].largest(block.first, block.n));
        i += block.n;
    }
}

static uh_status look_on_host(struct uhi_frame *frame, void *context) {
    const struct looking *looking = context;
    uhi_host_parallel(frame->queue, "bincount: largest", look_at_part, looking,
                      uhi_parts_for(frame->queue, looking->x.n, UHI_BINCOUNT_VALUES_A_THREAD));
    return UH_SUCCESS;
}

static uh_status look_on_device(struct uhi_frame *frame, void *context) {
    const struct looking *looking = context;
    const uint64_t zero = uhi_value_is_signed(looking->dtype) ? UHI_TOP_64 : 0; /* key of 0 */
    enum uhi_location place;
    struct uhi_extent extent = {0};
    UHI_TRY(uhi_engine_locate(frame->engine, frame->call, frame->operands.in[0].argument, looking->x.first, &place));
    if (place == UHI_PLAIN_HOST)
        return look_on_host(frame, context);
    UHI_TRY(uhi_extent_on_device(frame, looking->dtype, &extent));
    *looking->largest = extent.low < zero ? UINT64_MAX : extent.high - zero;
    return UH_SUCCESS;
}

static const struct uhi_stage look = {"bincount: largest", look_on_host, look_on_device};

uh_status uhi_bincount_find_largest(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit,
                                    uint64_t *largest) {
    uint64_t found = 0;
    struct looking looking = {dtype, frame->operands.in[0].x, &found};
    UHI_TRY(uhi_frame_run(frame, &look, &looking));
    if (found > uhi_bincount_allowed(dtype, limit) || found >= uhi_bincount_room())
        UHI_TRY(uhi_bincount_refuse(frame, dtype, limit));
    *largest = found;
    return UH_SUCCESS;
}

/* ---- the first value that may not be counted ---- */

/* Reports the error in value `at` of the frame's first input, whose bits are `value`. */
static uh_status refuse_value(const struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit,
                              uint64_t at, uint64_t value) {
    const uint64_t largest = largest_of(dtype);
    at += frame->origin;
    const char *call = frame->call, *data = frame->operands.in[0].argument;
    char array[32]; /* "x" of "x->data", "arrays[0]" of "arrays[0].data" */
    snprintf(array, sizeof array, "%.*s", (int)strcspn(data, ".-"), data);
    if (value > largest)
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, array, at, "is %" PRId64 ", expected no negative value",
                           (int64_t)(value - 2 * largest - 2));
    if (limit.given && value > limit.max)
        return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, array, at, "is %" PRIu64 ", expected at most %" PRIu64,
                           value, limit.max);
    return uhi_fail_at(UH_ERROR_OUT_OF_MEMORY, call, array, at,
                       "is %" PRIu64 ", which requires more bins than memory holds, expected at most %" PRIu64, value,
                       uhi_bincount_room() - 1);
}

/* A search for the first value above `max`; it fails if there is one. */
struct searching {
    struct uhi_frame *frame;
    uh_dtype dtype;
    struct uhi_bincount_limit limit;
    uint64_t max;
    uh_kernel *kernel; /* on a device; it lowers *first */
    void *first;
};

static uh_status search_on_host(struct uhi_frame *frame, void *context) {
    const struct searching *searching = context;
    const size_t size = uh_dtype_size(searching->dtype);
    const struct uhi_values x = frame->operands.in[0].x;
    char buffer[UHI_PACKED_BYTES];
    for (size_t i = 0; i < x.n;) {
        const struct uhi_values block = uhi_values_packed(x, i, size, buffer);
        const size_t at = uhi_bincount_host()->width[size].first_above(block.first, block.n, searching->max);
        uint64_t value = 0;
        if (at < block.n) {
            memcpy(&value, block.first + at * size, size);
            return refuse_value(frame, searching->dtype, searching->limit, i + at, value);
        }
        i += block.n;
    }
    return UH_SUCCESS;
}

static uh_status launch_search(void *context, const struct uhi_piece *piece) {
    const struct searching *searching = context;
    struct uhi_engine *engine = searching->frame->engine;
    const size_t size = uh_dtype_size(searching->dtype);
    const uint32_t none = UINT32_MAX;
    const uint64_t n = piece->n;
    uint32_t first = none;
    uint64_t value = 0;
    const uh_arg args[] = {uh_arg_pointer(piece->in[0]), UHI_ARG(n), UHI_ARG(searching->max),
                           uh_arg_pointer(searching->first)};
    UHI_TRY(uh_fill(engine->queue, searching->first, &none, sizeof none, 1, NULL));
    UHI_TRY(uhi_engine_run_wide(engine, searching->kernel, piece->n, args, 4, piece->ready[0], piece->done));
    UHI_TRY(uhi_engine_fetch(engine, &first, searching->first, sizeof first));
    if (first == none)
        return UH_SUCCESS;
    UHI_TRY(uhi_engine_fetch(engine, &value, (const char *)piece->in[0] + first * size, size));
    return refuse_value(searching->frame, searching->dtype, searching->limit, piece->from + first, value);
}

static uh_status search_on_device(struct uhi_frame *frame, void *context) {
    struct searching *searching = context;
    enum uhi_location place;
    const struct uhi_operand *in = &frame->operands.in[0];
    UHI_TRY(uhi_engine_locate(frame->engine, frame->call, in->argument, in->x.first, &place));
    if (place == UHI_PLAIN_HOST)
        return search_on_host(frame, context);
    UHI_TRY(uhi_bincount_kernel(frame->engine, "first_above", searching->dtype, &searching->kernel));
    UHI_TRY(uhi_engine_scratch(frame->engine, sizeof(uint32_t), &searching->first));
    return uhi_bincount_for_each_piece(frame, launch_search, searching);
}

static const struct uhi_stage search = {"bincount: first refused", search_on_host, search_on_device};

uh_status uhi_bincount_refuse(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit) {
    struct searching searching = {
        .frame = frame, .dtype = dtype, .limit = limit, .max = uhi_bincount_allowed(dtype, limit)};
    uh_status status = uhi_frame_run(frame, &search, &searching);
    if (!status) {
        searching.max = uhi_bincount_room() - 1;
        status = uhi_frame_run(frame, &search, &searching);
    }
    return status ? status
                  : uhi_fail_argument(frame->call, frame->operands.in[0].argument,
                                      "has changed while it was being counted");
}
