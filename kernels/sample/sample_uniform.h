/* SPDX-License-Identifier: Apache-2.0 */
/* Integers that are all alike, on any device: bounded random numbers of stream UHI_SAMPLE_STREAM_UNIFORM. */
#ifndef UHI_SAMPLE_UNIFORM_H
#define UHI_SAMPLE_UNIFORM_H

#include "kernels/sample/sample_run.h"

/* Stores samples offset .. offset + n - 1 as 32 bits, or 64 (`wide`). */
uh_status uhi_sample_uniform_draw(uh_queue *queue, const char *call, const struct uhi_sampler_form *form, uint64_t seed,
                                  uint64_t offset, int wide, void *out, size_t n);

/* Adds to counts[j] how many of them are first + j; at most 2^31 outcomes. */
uh_status uhi_sample_uniform_count(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                                   uint64_t seed, uint64_t offset, uint64_t n, uint64_t *counts);

#endif
