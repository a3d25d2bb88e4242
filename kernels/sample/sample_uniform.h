/* SPDX-License-Identifier: Apache-2.0 */
/* Integers that are all alike, on any device: bounded random numbers of stream UHI_SAMPLE_STREAM_UNIFORM. */
#ifndef UHI_SAMPLE_UNIFORM_H
#define UHI_SAMPLE_UNIFORM_H

#include "kernels/sample/sample_run.h"

/* Stores samples offset .. offset + n - 1 as 32 bits, or 64 (`wide`). */
uh_status uhi_sample_uniform_draw(uh_queue *queue, const char *call, const struct uhi_sampler_form *form, uint64_t seed,
                                  uint64_t offset, int wide, void *out, size_t n);

/* Whether there are few enough outcomes for samples to be counted. */
int uhi_sample_uniform_counts(const struct uhi_sampler_form *form);

/* The samples, less `first`, as random numbers from number 0 on; outcomes few enough for counting. */
struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed);

#endif
