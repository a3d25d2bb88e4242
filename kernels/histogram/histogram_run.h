/* SPDX-License-Identifier: Apache-2.0 */
/* The host's geometry: how values are cut into slabs, where each thread counts, and how the counts are brought
 * together. */
#ifndef UHI_HISTOGRAM_RUN_H
#define UHI_HISTOGRAM_RUN_H

#include <unihist/kernel.h>

#include "kernels/histogram/histogram.h"

/* The threads' own tables, kept from one call to the next. Zero it at first; freed by uhi_histogram_scratch_free. */
struct uhi_histogram_scratch {
    void *memory;
    size_t size;
};

void uhi_histogram_scratch_free(struct uhi_histogram_scratch *scratch);

/* Adds the values to counts[slot], k + 3 of them, with the queue's threads. On failure nothing is added:
 * UH_ERROR_OUT_OF_MEMORY. */
uh_status uhi_histogram_count(uh_queue *queue, const struct uhi_histogram_tables *tables, struct uhi_values x,
                              uint64_t *counts, struct uhi_histogram_scratch *scratch);

/* Stores the values' indices as numpy.digitize numbers them: 0, 1 to k, k + 1 above and for NaN. */
uh_status uhi_histogram_index(uh_queue *queue, const struct uhi_histogram_tables *tables, struct uhi_values x,
                              int64_t *index);

#endif
