/* SPDX-License-Identifier: Apache-2.0 */
/* Adding points to a histogram over several axes, on whatever device a queue has. On the host: where each thread counts
 * and how that is brought together. On others: see histogramdd_device.h. */
#ifndef UHI_HISTOGRAMDD_RUN_H
#define UHI_HISTOGRAMDD_RUN_H

#include <unihist/histogramdd.h>

#include "kernels/accumulate/store.h"
#include "kernels/histogram/plan.h"
#include "kernels/histogramdd/histogramdd_device.h"

/* What is kept from one call to the next: the threads' own tables, or what lies on the device. Zero it at first; freed
 * by uhi_histogramdd_scratch_free. */
struct uhi_histogramdd_scratch {
    void *memory;
    size_t size;
    struct uhi_histogramdd_device *device;
};

void uhi_histogramdd_scratch_free(struct uhi_histogramdd_scratch *scratch);

/* Does what adding points with these plans needs to be done once. Errors as uhi_histogramdd_add. */
uh_status uhi_histogramdd_ready(const char *call, uh_queue *queue, const struct uhi_histogramdd_points *points,
                                struct uhi_histogramdd_sums sums, struct uhi_histogramdd_scratch *scratch);

/* Adds the points, at once or when uhi_histogramdd_settle is called. On failure nothing is added. */
uh_status uhi_histogramdd_add(const char *call, uh_queue *queue, const struct uhi_histogramdd_points *points,
                              struct uhi_histogramdd_sums sums, struct uhi_histogramdd_scratch *scratch);

/* Brings to the host what is still on the device. On failure all is as before. */
uh_status uhi_histogramdd_settle(const char *call, struct uhi_histogramdd_sums sums,
                                 struct uhi_histogramdd_scratch *scratch);

/* Forgets what is still on the device, and any failure of it. */
void uhi_histogramdd_forget(struct uhi_histogramdd_scratch *scratch);

#endif
