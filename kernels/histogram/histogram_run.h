/* SPDX-License-Identifier: Apache-2.0 */
/* Counting values on whatever device a queue has. On the host: how values are cut into slabs, where each thread counts,
 * and how the counts are brought together. On others: see histogram_device.h. */
#ifndef UHI_HISTOGRAM_RUN_H
#define UHI_HISTOGRAM_RUN_H

#include <unihist/kernel.h>

#include "kernels/histogram/histogram_device.h"
#include "kernels/histogram/plan.h"

/* What is kept from one call to the next: the threads' own tables, or what lies on the device. Zero it at first; freed
 * by uhi_histogram_scratch_free. */
struct uhi_histogram_scratch {
    void *memory;
    size_t size;
    struct uhi_histogram_device *device;
};

void uhi_histogram_scratch_free(struct uhi_histogram_scratch *scratch);

/* Does what counting with this plan needs to be done once. Errors as uhi_histogram_count. */
uh_status uhi_histogram_ready(uh_queue *queue, const struct uhi_histogram_plan *plan,
                              struct uhi_histogram_scratch *scratch);

/* Adds the values to counts[slot], k + 3 of them, at once or when uhi_histogram_settle is called. On failure nothing is
 * added: UH_ERROR_OUT_OF_MEMORY, and what a device may say. */
uh_status uhi_histogram_count(uh_queue *queue, const struct uhi_histogram_plan *plan, struct uhi_values x,
                              uint64_t *counts, struct uhi_histogram_scratch *scratch);

/* Brings to counts[slot] what is still on the device. */
uh_status uhi_histogram_settle(struct uhi_histogram_scratch *scratch, uint64_t *counts);

/* Forgets what is still on the device. */
void uhi_histogram_forget(struct uhi_histogram_scratch *scratch);

/* Stores the values' indices as numpy.digitize numbers them: 0, 1 to k, k + 1 above and for NaN. */
uh_status uhi_histogram_index(uh_queue *queue, const struct uhi_histogram_plan *plan, struct uhi_values x,
                              int64_t *index, struct uhi_histogram_scratch *scratch);

/* Says where and how the queue's device counts, as snprintf does, with the whole length in *length; nothing for the
 * host. */
uh_status uhi_histogram_where(uh_queue *queue, const struct uhi_histogram_plan *plan,
                              struct uhi_histogram_scratch *scratch, char *text, size_t size, int *length);

/* Whether the host's functions count for the queue. */
int uhi_histogram_on_host(const uh_queue *queue);

#endif
