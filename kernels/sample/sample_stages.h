/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of samplers: bringing tables to a device, drawing and counting. */
#ifndef UHI_SAMPLE_STAGES_H
#define UHI_SAMPLE_STAGES_H

#include "kernels/sample/sample_run.h"

/* Brings the form's tables to the device; the context is the sampler. What it has brought, it frees. */
extern const struct uhi_stage uhi_sample_bring;
void uhi_sample_free_tables(uh_sampler *sampler);

/* The samples of a call, offset .. offset + frame->operands.n - 1. */
struct uhi_sampling {
    uh_sampler *sampler;
    uint64_t seed, offset;
    int wide;         /* drawing: samples are of 64 bits */
    uint64_t *counts; /* counting: `length` counts */
    size_t length;
};

/* Stores the samples, or their counts; the context is the struct uhi_sampling. */
extern const struct uhi_stage uhi_sample_draw, uhi_sample_count;

/* What the host's functions draw by. */
struct uhi_sample_look uhi_sample_look_of(const struct uhi_sampling *sampling);

/* Uniform samples, less `first`, as random numbers from number 0 on; outcomes are at most UHI_SAMPLE_COUNTERS. */
struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed);

/* How many of `n` samples from number `from` of a call on one launch makes, so that the next one begins with a block,
 * which it stores as vectors, and numbers of all blocks have one high half, so that kernels compute what depends on it
 * once. `context` is the struct uhi_sampling. */
size_t uhi_sample_launch_length(const void *context, size_t from, size_t n);

/* The parameters of one launch: samples offset .. offset + n - 1 of a seed. */
struct uhi_sample_range {
    uint64_t seed, offset;
    uint32_t n;
};

/* Appends the arguments of a table and of samples to `args`; returns how many there are. `range` and `words`, which
 * holds what is computed of it, live until the launch. */
struct uhi_sample_words {
    uint64_t stream, block;
    uint32_t phase;
};
size_t uhi_sample_args(const struct uhi_sample_part *part, const struct uhi_sample_range *range,
                       struct uhi_sample_words *words, uh_arg *args);
enum { UHI_SAMPLE_ARGS = 12 };

/* Lends the kernel `what`_METHOD_`where`, where METHOD is the part's. */
uh_status uhi_sample_kernel(struct uhi_engine *engine, const char *what, const struct uhi_sample_part *part,
                            const char *where, uh_kernel **kernel);

/* Whether a group may have the part's front in local memory to draw from it. */
int uhi_sample_fits_local(const struct uhi_engine *engine, const struct uhi_sample_part *part);

/* Draws one part of samples: stores (digit 0) or adds 32 bits each, or 64, at `out`, which the device reaches. */
uh_status uhi_sample_launch_draw(const uh_sampler *sampler, size_t digit, const struct uhi_sample_range *range,
                                 int wide, uint64_t first, void *out, uh_event **event);

/* Says where a device counts samples of one part, and by how many work-groups it counts, as snprintf does. */
int uhi_sample_count_text(const uh_sampler *sampler, char *text, size_t size);

#endif
