/* SPDX-License-Identifier: Apache-2.0 */
/* Counts integers, or adds their weights, on the queue's device. */
#pragma once

#include "kernels/accumulate/store.h"
#include "kernels/bincount/bincount.h"
#include "kernels/common/frame.h"

/* If given, values up to `max` are allowed; otherwise all that are not negative and fit in memory. */
struct uhi_bincount_limit {
    int given;
    uint64_t max;
};

/* Counts or sums that grow. */
struct uhi_bincount {
    struct uhi_frame frame;
    uh_queue *queue;                    /* of a combined device: its parts count separately */
    struct uhi_bincount_shares *shares; /* of the parts; NULL before the first values */
    struct uhi_bincount_limit limit;
    uh_storage storage;
    size_t length; /* the largest value + 1 */
    /* counts */
    uint64_t *counts; /* of values 0 to length - 1; NULL before the first */
    size_t room;
    size_t batch;                 /* most values in a thread's tables; fewer in tests */
    struct uhi_counters counters; /* on a device; nothing is pending between calls */
    /* sums */
    uh_sum sum;
    struct uhi_store *store; /* NULL before the first value */
};

/* Initializes it for storage COUNT or SUM without waiting or allocating. The queue must outlive it. */
void uhi_bincount_open(struct uhi_bincount *count, uh_queue *queue, struct uhi_bincount_limit limit, uh_storage storage,
                       uh_sum sum);
void uhi_bincount_close(struct uhi_bincount *count);

void uhi_bincount_clear(struct uhi_bincount *count);

/* Counts the values of an array, at least one, of an integer type, or adds one weight per value; NULL: 1 each. `call`
 * is the public call and `argument` its name of the array's data, for messages. On failure nothing is counted or added.
 */
uh_status uhi_bincount_add(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x,
                           const uh_array *weights);

/* Finds the largest value + 1 of the same, and counts nothing. */
uh_status uhi_bincount_find_length(struct uhi_bincount *count, const char *call, const char *argument,
                                   const uh_array *x, size_t *length);

/* Makes room for `length` counts or sums; new ones are 0. */
uh_status uhi_bincount_reserve(struct uhi_bincount *count, const char *call, size_t length);

/* Adds `length` counts or, if it is not NULL, those sums of a store. There is room for them, in the own store, too. */
void uhi_bincount_join(struct uhi_bincount *count, const uint64_t *counts, const struct uhi_store *store,
                       size_t length);

/* ---- shared by the files of this directory ---- */

uh_status uhi_bincount_begin(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x);

/* Extends the counts or sums to values below `length`, for which there is room. */
static inline void uhi_bincount_lengthen(struct uhi_bincount *count, size_t length) {
    count->length = length > count->length ? length : count->length;
}

/* The calls above on a queue of one device; for a combined device's queue its lead does them. */
uh_status uhi_bincount_add_by_one(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x,
                                  const uh_array *weights);
void uhi_bincount_close_one(struct uhi_bincount *count);

/* Context of the bodies that count. */
struct uhi_bincount_call {
    struct uhi_bincount *count;
    uh_dtype dtype;
};

/* uhi_bincount_add_by_one of storage COUNT. */
uh_status uhi_bincount_count(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x);

/* Host body of the counting stage. */
uh_status uhi_bincount_on_host(struct uhi_frame *frame, void *context);

/* ---- values that may be counted (bincount_limit.c) ---- */

/* The largest value of a type that may be counted, if memory holds that many bins. */
uint64_t uhi_bincount_allowed(uh_dtype dtype, struct uhi_bincount_limit limit);

/* Number of 8-byte bins that this machine's memory holds. */
uint64_t uhi_bincount_room(void);

/* UH_ERROR_INVALID_ARGUMENT if a valid dtype is not one of integers. */
uh_status uhi_bincount_check_dtype(const char *call, const char *argument, uh_dtype dtype);

/* UH_ERROR_OUT_OF_MEMORY if memory does not hold a result of this length. */
uh_status uhi_bincount_check_length(const char *call, const char *argument, size_t length);

/* Finds the largest value of the frame's first input, in any memory. If a value may not be counted, fails as
 * uhi_bincount_refuse. */
uh_status uhi_bincount_find_largest(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit,
                                    uint64_t *largest);

/* Reports the first value of the frame's first input that may not be counted: negative or above the limit
 * (UH_ERROR_INVALID_ARGUMENT), or, if none is found, one that needs more than the memory (UH_ERROR_OUT_OF_MEMORY).
 * Always fails. */
uh_status uhi_bincount_refuse(struct uhi_frame *frame, uh_dtype dtype, struct uhi_bincount_limit limit);

/* ---- the smallest and largest value, in any memory (extent_run.c) ---- */

/* Finds the range of at least one value of any type: by kernels if the queue's device can reach the values, otherwise
 * by host threads after the queue's earlier work has ended. Messages name `call` and `argument`. */
uh_status uhi_extent_find(const char *call, const char *argument, uh_queue *queue, uh_dtype dtype, struct uhi_values x,
                          struct uhi_extent *extent);

/* ---- on a device ---- */

/* Finds the range of the frame's first input, which the kernels can reach. */
uh_status uhi_extent_on_device(struct uhi_frame *frame, uh_dtype dtype, struct uhi_extent *extent);

/* Returns kernel TASK_TYPE of bincount.variants for this type of values in *kernel; do not free it. */
uh_status uhi_bincount_kernel(struct uhi_engine *engine, const char *task, uh_dtype dtype, uh_kernel **kernel);

/* Launches per piece of the frame's first input, in order, until a launch fails; waits for all. */
uh_status uhi_bincount_for_each_piece(struct uhi_frame *frame,
                                      uh_status (*launch)(void *context, const struct uhi_piece *piece), void *context);
