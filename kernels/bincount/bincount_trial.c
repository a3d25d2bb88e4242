/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of the kernels of integer counts and of ranges: values at the limit, and at the ends of their types. */
#include <math.h>
#include <string.h>

#include "kernels/bincount/bincount_run.h"
#include "kernels/common/keys.h"
#include "kernels/common/trial.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { VALUES = 77, MAX_VALUE = 40 };

/* Numbers of a type, with room for eight bytes each. */
struct numbers {
    uh_dtype dtype;
    size_t size;
    uint64_t memory[VALUES];
};

static void put_value(struct numbers *numbers, size_t i, uint64_t value) {
    memcpy((char *)numbers->memory + i * numbers->size, &value, numbers->size); /* x86-64 is little-endian */
}

/* 0 to MAX_VALUE, the ends more often. */
static struct numbers make_small(uh_dtype dtype) {
    struct numbers numbers = {.dtype = dtype, .size = uh_dtype_size(dtype)};
    for (size_t i = 0; i < VALUES; i++)
        put_value(&numbers, i, i % 5 == 0 ? 0 : i % 7 == 0 ? MAX_VALUE : i % (MAX_VALUE + 1));
    return numbers;
}

static uh_status try_counts(uh_queue *queue, struct uhi_trial *trial, uh_dtype dtype, int weighted) {
    const struct numbers numbers = make_small(dtype);
    const uh_array x = {dtype, numbers.memory, (ptrdiff_t)numbers.size, VALUES};
    const struct uhi_bincount_limit limit = {1, MAX_VALUE};
    struct uhi_bincount count;
    trial->local_memory = uhi_trial_is(trial, "count_global") ? 0 : UINT64_MAX;
    uhi_bincount_open(&count, queue, limit, weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT, UH_SUM_EXACT);
    const uh_status status = uhi_bincount_add_by_one(&count, trial->call, "x->data", &x, NULL);
    if (!status && weighted)
        uhi_store_note(count.store, trial);
    else if (!status)
        uhi_trial_add_all(trial, "the count of", count.counts, count.length, sizeof *count.counts);
    uhi_bincount_close_one(&count);
    return status;
}

/* ---- values in the device's memory ------------------------------------------------------------------------------- */

static uh_status search_limit(uh_queue *queue, const struct uhi_trial *trial, const struct numbers *numbers,
                              uint64_t *first) {
    struct search {
        uint64_t memory[VALUES];
        uint32_t first;
    } search = {.first = UINT32_MAX};
    const uint64_t n = VALUES, max = MAX_VALUE;
    struct uhi_trial_launch launch;
    memcpy(search.memory, numbers->memory, sizeof search.memory);
    uh_status status = uhi_trial_begin(queue, trial, uhi_bincount_variants(), &search, sizeof search, &launch);
    const uh_arg args[] = {uh_arg_pointer(launch.there), UHI_ARG(n), UHI_ARG(max),
                           uh_arg_pointer(launch.there + offsetof(struct search, first))};
    status = uhi_trial_finish(&launch, status, VALUES, 0, args, 4);
    *first = search.first;
    return status;
}

static uh_status try_search(uh_queue *queue, struct uhi_trial *trial, uh_dtype dtype) {
    struct numbers numbers = make_small(dtype);
    uh_status status = UH_SUCCESS;
    uint64_t first = 0;
    put_value(&numbers, VALUES - 1, UINT64_MAX);
    put_value(&numbers, VALUES - 9, MAX_VALUE + 1);
    if (uhi_body_of(queue) == UHI_BODY_DEVICE)
        status = search_limit(queue, trial, &numbers, &first);
    else
        first = uhi_bincount_host()->width[numbers.size].first_above(numbers.memory, VALUES, MAX_VALUE);
    uhi_trial_add_one(trial, "the first value above the limit", first);
    return status;
}

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

/* Both ends of integers, or denormal numbers, zeros and NaN. */
static struct numbers make_extreme(uh_dtype dtype) {
    static const float singles[] = {0x1p-149f, -0.0f, NAN, -0x1p-149f, 0};
    static const double doubles[] = {0x1p-1074, -0.0, NAN, -0x1p-1074, 0};
    struct numbers numbers = {.dtype = dtype, .size = uh_dtype_size(dtype)};
    for (size_t i = 0; i < VALUES; i++) {
        const uint64_t top = UINT64_C(1) << (8 * numbers.size - 1);
        uint64_t bits = i % 3 == 0 ? top : i % 3 == 1 ? top - 1 : i;
        if (dtype == UH_F32)
            memcpy(&bits, &singles[i % 5], sizeof *singles);
        else if (dtype == UH_F64)
            memcpy(&bits, &doubles[i % 5], sizeof *doubles);
        put_value(&numbers, i, bits);
    }
    return numbers;
}

static uh_status try_extent(uh_queue *queue, struct uhi_trial *trial, uh_dtype dtype) {
    const struct numbers numbers = make_extreme(dtype);
    struct uhi_extent extent = {0};
    void *there = NULL;
    uh_status status = uh_malloc(queue->device, UH_MEMORY_DEVICE, sizeof numbers.memory, 0, &there);
    if (!status)
        status = uh_memcpy(queue, there, numbers.memory, sizeof numbers.memory, NULL);
    if (!status)
        status = uh_queue_wait(queue);
    const struct uhi_values x = {there, VALUES, (ptrdiff_t)numbers.size};
    if (!status)
        status = uhi_extent_find(trial->call, "x->data", queue, dtype, x, &extent);
    uhi_trial_add_one(trial, "the smallest value", extent.low);
    uhi_trial_add_one(trial, "the largest value", extent.high);
    uhi_trial_add_one(trial, "the number of NaN", extent.nan);
    uhi_free(there);
    return status;
}

uh_status uhi_bincount_trial(uh_queue *queue, struct uhi_trial *trial) {
    const uh_dtype dtype = uhi_trial_is(trial, "f32")   ? UH_F32
                           : uhi_trial_is(trial, "f64") ? UH_F64
                           : uhi_trial_is(trial, "8")   ? UH_I8
                           : uhi_trial_is(trial, "16")  ? UH_U16
                           : uhi_trial_is(trial, "32")  ? UH_I32
                                                        : UH_I64;
    return uhi_trial_is(trial, "extent")        ? try_extent(queue, trial, dtype)
           : uhi_trial_is(trial, "first_above") ? try_search(queue, trial, dtype)
                                                : try_counts(queue, trial, dtype, uhi_trial_is(trial, "cells"));
}
