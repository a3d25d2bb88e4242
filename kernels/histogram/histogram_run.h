/* SPDX-License-Identifier: Apache-2.0 */
/* Counts values by a plan, or finds their indices, on the queue's device. */
#ifndef UHI_HISTOGRAM_RUN_H
#define UHI_HISTOGRAM_RUN_H

#include "kernels/common/frame.h"
#include "kernels/common/shape.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/plan.h"

/* A plan on a device. */
struct uhi_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not uploaded */
    void *image;
    struct uhi_shape shape;
};

/* State of one histogram between calls. `call` below is the public call, for messages. */
struct uhi_histogram_run {
    struct uhi_frame frame;
    struct uhi_counters counters; /* on a device, one per slot */
    struct uhi_uploaded *plans;   /* on a device, UH_DTYPE_COUNT of them; NULL before first use */
};

/* Initializes it without waiting or allocating. The queue must outlive it. */
void uhi_histogram_open(struct uhi_histogram_run *run, uh_queue *queue);
void uhi_histogram_close(struct uhi_histogram_run *run);

/* Does the one-time preparation for counting with this plan. Errors as uhi_histogram_count. */
uh_status uhi_histogram_ready(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan);

/* Adds the values, named `argument` in messages, to counts[slot] (k + 3 slots), at once or on uhi_histogram_settle. On
 * failure nothing is added: UH_ERROR_OUT_OF_MEMORY or a device error. */
uh_status uhi_histogram_count(struct uhi_histogram_run *run, const char *call, const char *argument,
                              const struct uhi_histogram_plan *plan, struct uhi_values x, uint64_t *counts);

/* Moves counts still on a device to counts[slot]. On failure both are unchanged. */
uh_status uhi_histogram_settle(struct uhi_histogram_run *run, const char *call, uint64_t *counts);

/* Discards counts still on a device, and any earlier failure. */
void uhi_histogram_forget(struct uhi_histogram_run *run);

/* Stores the values' indices as numpy.digitize numbers them: 0, 1 to k, k + 1 above and for NaN. If a device fails
 * midway, the earlier pieces of `index` remain written. */
uh_status uhi_histogram_index(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              struct uhi_values x, int64_t *index);

/* Describes where and how a device counts, like snprintf, with the full length in *length; nothing for the host. */
uh_status uhi_histogram_where(struct uhi_histogram_run *run, const char *call, const struct uhi_histogram_plan *plan,
                              char *text, size_t size, int *length);

/* ---- shared by the files of this directory ---- */

/* Context of one count. */
struct uhi_counting {
    struct uhi_histogram_run *run;
    const struct uhi_histogram_plan *plan;
    uint64_t *counts;
};

/* Host body of the counting stage: chooses where each thread counts, and adds up the counts. `context` is a struct
 * uhi_counting. */
uh_status uhi_histogram_count_on_host(struct uhi_frame *frame, void *context);

#endif
