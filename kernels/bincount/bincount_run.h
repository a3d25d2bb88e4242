/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted, or their weights added, on whatever device a queue has. */
#ifndef UHI_BINCOUNT_RUN_H
#define UHI_BINCOUNT_RUN_H

#include "kernels/accumulate/store.h"
#include "kernels/bincount/bincount_limit.h"
#include "kernels/common/frame.h"

/* Counts or sums that grow. */
struct uhi_bincount {
    struct uhi_frame frame;
    uh_queue *queue;                    /* of a combined device: its parts count, */
    struct uhi_bincount_shares *shares; /* each for itself; NULL before the first values */
    struct uhi_bincount_limit limit;
    size_t length; /* the largest value + 1 */
    /* counts */
    uint64_t *counts; /* of the values 0 to length - 1; NULL before the first */
    size_t room;
    size_t batch;                 /* values that a thread's tables may hold; fewer to test what happens then */
    struct uhi_counters counters; /* on a device; nothing is pending between two calls */
    /* sums */
    uh_sum sum;
    struct uhi_store *store; /* NULL before the first value */
};

/* Sets it up; waits for nothing and allocates nothing. The queue outlives it. */
void uhi_bincount_open(struct uhi_bincount *count, uh_queue *queue, struct uhi_bincount_limit limit, uh_sum sum);
void uhi_bincount_close(struct uhi_bincount *count);

/* Forgets all values. */
void uhi_bincount_clear(struct uhi_bincount *count);

/* Counts the values of an array, one at least, of an integer type. `call` is the public call and `argument` what it
 * names the array's data, for messages. On failure nothing is counted. */
uh_status uhi_bincount_add(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x);

/* Adds the weights of values, as many; NULL: 1 each. On failure nothing is added. */
uh_status uhi_bincount_weigh(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x,
                             const uh_array *weights);

/* Makes room for `length` counts, or sums: those that are not there yet are 0. */
uh_status uhi_bincount_reserve(struct uhi_bincount *count, const char *call, size_t length);
uh_status uhi_bincount_reserve_sums(struct uhi_bincount *count, const char *call, uint64_t cells);

/* ---- between the files of this room ---- */

/* Begins a call. */
uh_status uhi_bincount_begin(struct uhi_bincount *count, const char *call, const char *argument, const uh_array *x);

/* There are counts, or sums, of values below `length`, for which there is room. */
static inline void uhi_bincount_lengthen(struct uhi_bincount *count, size_t length) {
    count->length = length > count->length ? length : count->length;
}

/* What the calls above do on a queue of one device; on a combined device's, its lead does it. */
uh_status uhi_bincount_add_by_one(struct uhi_bincount *count, const char *call, const char *argument,
                                  const uh_array *x);
uh_status uhi_bincount_weigh_by_one(struct uhi_bincount *count, const char *call, const char *argument,
                                    const uh_array *x, const uh_array *weights);
void uhi_bincount_close_one(struct uhi_bincount *count);

/* What the bodies that count are given. */
struct uhi_bincount_call {
    struct uhi_bincount *count;
    uh_dtype dtype;
};

/* The host's body, for stages. */
uh_status uhi_bincount_on_host(struct uhi_frame *frame, void *context);

#endif
