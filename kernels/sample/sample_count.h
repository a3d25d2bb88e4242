/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that are counted as they are drawn, by the host's threads. */
#ifndef UHI_SAMPLE_COUNT_H
#define UHI_SAMPLE_COUNT_H

#include <unihist/runtime.h>

#include "kernels/sample/sample.h"

/* Stores how many of samples offset .. offset + n - 1, less `first`, are j in counts[j], j < length. */
uh_status uhi_sample_count(uh_queue *queue, const struct uhi_sample_look *look, uint64_t offset, uint64_t n,
                           uint64_t *counts, size_t length);

#endif
