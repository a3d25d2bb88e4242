/* SPDX-License-Identifier: Apache-2.0 */
/* Counting values by a plan, and their indices, on whatever device a queue has. */
#ifndef UHI_HISTOGRAM_RUN_H
#define UHI_HISTOGRAM_RUN_H

#include "kernels/common/frame.h"
#include "kernels/common/shape.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/plan.h"

/* A plan on a device. */
struct uhi_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not there */
    void *image;
    struct uhi_shape shape;
};

/* What one histogram keeps from one call to the next. `call` below is the public call, for messages. */
struct uhi_histogram_run {
    struct uhi_frame frame;
    struct uhi_counters counters; /* on a device, by slot */
    struct uhi_uploaded *plans;   /* on a device, UH_DTYPE_COUNT of them; NULL before the first */
};

/* Sets it up; waits for nothing and allocates nothing. The queue outlives it. */
void uhi_histogram_open(struct uhi_histogram_run *run, uh_queue *queue);
void uhi_histogram_close(struct uhi_histogram_run *run);

/* Does what counting with this plan needs to be done once. Errors as uhi_histogram_count. */
uh_status uhi_histogram_ready(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan);

/* Adds the values, which messages name `argument`, to counts[slot], k + 3 of them, at once or when uhi_histogram_settle
 * is called. On failure nothing is added: UH_ERROR_OUT_OF_MEMORY, and what a device may say. */
uh_status uhi_histogram_count(struct uhi_histogram_run *run, const char *call, const char *argument,
                              const struct uhi_histogram_plan *plan, struct uhi_values x, uint64_t *counts);

/* Brings to counts[slot] what is still on a device. On failure both are as before. */
uh_status uhi_histogram_settle(struct uhi_histogram_run *run, const char *call, uint64_t *counts);

/* Forgets what is still on a device, and any failure of the past. */
void uhi_histogram_forget(struct uhi_histogram_run *run);

/* Stores the values' indices as numpy.digitize numbers them: 0, 1 to k, k + 1 above and for NaN. A device that fails in
 * the middle leaves the earlier pieces of `index` written. */
uh_status uhi_histogram_index(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              struct uhi_values x, int64_t *index);

/* Says where and how a device counts, as snprintf does, with the whole length in *length; nothing for the host. */
uh_status uhi_histogram_where(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              char *text, size_t size, int *length);

/* ---- between the files of this room ---- */

/* One count. */
struct uhi_counting {
    struct uhi_histogram_run *run;
    const struct uhi_histogram_plan *plan;
    uint64_t *counts;
};

/* The body for the host, whose context is a struct uhi_counting: where each thread counts, and how the counts are
 * brought together. */
uh_status uhi_histogram_count_on_host(struct uhi_frame *frame, void *context);

#endif
