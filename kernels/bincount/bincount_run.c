/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bincount/bincount_run.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/bincount/tuning.h"
#include "kernels/common/shape.h"
#include "runtime/status.h"

/* On a device, bins and positions in all its tables together are 32-bit numbers. */
#define MAX_DEVICE_BINS ((uint64_t)1 << 31)

void uhi_bincount_open(struct uhi_bincount *count, uh_queue *queue, struct uhi_bincount_limit limit, uh_storage storage,
                       uh_sum sum) {
    *count = (struct uhi_bincount){.queue = queue,
                                   .limit = limit,
                                   .storage = storage,
                                   .batch = UHI_BINCOUNT_BATCH,
                                   .counters.max_pending = UINT32_MAX,
                                   .sum = sum};
    uhi_frame_open(&count->frame, queue, uhi_bincount_variants());
}

void uhi_bincount_close_one(struct uhi_bincount *count) {
    uhi_store_destroy(count->store);
    if (count->frame.engine)
        uhi_engine_quiesce(count->frame.engine);
    uhi_counters_free(&count->counters);
    uhi_frame_close(&count->frame);
    free(count->counts);
}

void uhi_bincount_clear(struct uhi_bincount *count) {
    if (count->counts)
        memset(count->counts, 0, count->length * sizeof *count->counts);
    if (count->store)
        uhi_store_clear(count->store);
    count->length = 0;
}

/* ---- on a device ---- */

struct launching {
    struct uhi_engine *engine;
    struct uhi_counters *counters;
    struct uhi_shape shape;
    uh_kernel *kernel;
    void *beyond; /* a word, set if a value had no bin */
};

static uh_status launch_count(void *context, const struct uhi_piece *piece) {
    const struct launching *launching = context;
    const struct uhi_shape *shape = &launching->shape;
    const uint64_t n = piece->n;
    const uint32_t bins = (uint32_t)launching->counters->count, tables = (uint32_t)launching->counters->tables;
    uh_arg args[8] = {uh_arg_pointer(piece->in[0]), UHI_ARG(n), uh_arg_pointer(launching->counters->words),
                      UHI_ARG(bins), uh_arg_pointer(launching->beyond)};
    size_t nargs = 5;
    if (shape->local_counts) {
        args[nargs++] = UHI_ARG(shape->spread);
        args[nargs++] = uh_arg_local(shape->local_counts);
    } else {
        args[nargs++] = UHI_ARG(tables);
        args[nargs++] = uh_arg_local(sizeof(uint32_t)); /* votes */
    }
    return uhi_engine_run(launching->engine, launching->kernel, uhi_shape_groups(shape, n), shape->group_size, args,
                          nargs, piece->ready[0], piece->done);
}

static uh_status prepare_launch(const struct uhi_bincount_call *counting, size_t bins, struct launching *launching) {
    struct uhi_engine *engine = launching->engine;
    const char *call = counting->count->frame.call;
    const uint32_t zero = 0;
    launching->shape = uhi_engine_shape(engine, UHI_TIERS_OF_VALUES, bins, 0);
    UHI_TRY(uhi_memory_room_shape(engine, bins, launching->counters->room * sizeof *launching->counters->words,
                                  &launching->shape));
    UHI_TRY(uhi_bincount_kernel(engine, launching->shape.local_counts ? "count_local" : "count_global", counting->dtype,
                                &launching->kernel));
    UHI_TRY(uhi_counters_ready(launching->counters, engine, call, bins, launching->shape.private_tables));
    UHI_TRY(uhi_engine_scratch(engine, sizeof zero, &launching->beyond));
    return uh_fill(engine->queue, launching->beyond, &zero, sizeof zero, 1, NULL);
}

/* Counts to counts[bins]; *beyond is set if a value had no bin. */
static uh_status count_bins(const struct uhi_bincount_call *counting, size_t bins, uint64_t *counts, uint32_t *beyond) {
    struct uhi_frame *frame = &counting->count->frame;
    struct launching launching = {.engine = frame->engine, .counters = &counting->count->counters};
    struct uhi_pieces pieces;
    uh_status status = prepare_launch(counting, bins, &launching);
    if (!status)
        status =
            uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, launching.counters->max_pending);
    if (!status)
        status = uhi_counters_add(launching.counters, &pieces, launch_count, NULL, &launching, counts);
    if (!status)
        status = uhi_counters_read(launching.counters, frame->engine, counts);
    if (!status)
        status = uhi_engine_fetch(frame->engine, beyond, launching.beyond, sizeof *beyond);
    if (status) {
        uhi_engine_quiesce(frame->engine);
        uhi_counters_discard(launching.counters, frame->engine);
    }
    return status;
}

void uhi_bincount_join(struct uhi_bincount *count, const uint64_t *counts, const struct uhi_store *store,
                       size_t length) {
    for (size_t v = 0; v < length; v++) {
        if (store)
            uhi_store_fold(count->store, v, store, v);
        else
            count->counts[v] += counts[v];
    }
    uhi_bincount_lengthen(count, length);
}

static uh_status add_counts(struct uhi_bincount *count, const uint64_t *counts, size_t bins) {
    while (bins > 0 && counts[bins - 1] == 0)
        bins--;
    UHI_TRY(uhi_bincount_reserve(count, count->frame.call, bins));
    uhi_bincount_join(count, counts, NULL, bins);
    return UH_SUCCESS;
}

/* In one pass if the limit is given, otherwise after a pass that finds the largest value. */
static uh_status count_on_device(struct uhi_frame *frame, void *context) {
    const struct uhi_bincount_call *counting = context;
    struct uhi_bincount *count = counting->count;
    uint64_t largest = uhi_bincount_allowed(counting->dtype, count->limit);
    uint32_t beyond = 0;
    uh_status status = UH_SUCCESS;
    if (!count->limit.given)
        status = uhi_bincount_find_largest(frame, counting->dtype, count->limit, &largest);
    if (!status && largest >= MAX_DEVICE_BINS)
        status = uhi_fail(UH_ERROR_UNSUPPORTED, frame->call, NULL,
                          "the largest value is %llu, expected at most %llu on a device; the host counts more",
                          (unsigned long long)largest, (unsigned long long)MAX_DEVICE_BINS - 1);
    if (status)
        return status;
    const size_t bins = (size_t)largest + 1;
    uint64_t *counts = calloc(bins, sizeof *counts);
    if (!counts)
        return uhi_fail_memory(frame->call, "no memory for %zu counts", bins);
    status = count_bins(counting, bins, counts, &beyond);
    if (!status)
        status = beyond ? uhi_bincount_refuse(frame, counting->dtype, count->limit) : add_counts(count, counts, bins);
    free(counts);
    return status;
}

/* ---- calls ---- */

static const struct uhi_stage count_values = {"bincount: count", uhi_bincount_on_host, count_on_device};

uh_status uhi_bincount_begin(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x) {
    const struct uhi_values values = uhi_array_values(x);
    uh_status status = uhi_frame_begin(&count->frame, call, x->count);
    return status ? status : uhi_frame_input(&count->frame, argument, values, uh_dtype_size(x->dtype));
}

uh_status uhi_bincount_count(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x) {
    struct uhi_bincount_call counting = {count, x->dtype};
    UHI_TRY(uhi_bincount_begin(count, call, argument, x));
    return uhi_frame_run(&count->frame, &count_values, &counting);
}
