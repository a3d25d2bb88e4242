/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of samplers: uploading tables, drawing and counting. */
#ifndef UHI_SAMPLE_STAGES_H
#define UHI_SAMPLE_STAGES_H

#include "kernels/sample/sample_run.h"

/* Uploads the form's tables to the device; the context is the sampler. uhi_sample_free_tables frees them. */
extern const struct uhi_stage uhi_sample_upload;
void uhi_sample_free_tables(uh_sampler *sampler);

/* The samples of a call, offset .. offset + frame->operands.n - 1. */
struct uhi_sampling {
    uh_sampler *sampler;
    uint64_t seed, offset;
    int wide;         /* drawing: 64-bit samples */
    uint64_t *counts; /* counting: `length` counts */
    size_t length;
};

/* Store the samples or their counts; the context is the struct uhi_sampling. */
extern const struct uhi_stage uhi_sample_draw, uhi_sample_count;

/* Returns the parameters of the host functions. */
struct uhi_sample_look uhi_sample_look_of(const struct uhi_sampling *sampling);

/* Uniform samples, less `first`, as random numbers starting at number 0; outcomes are at most UHI_SAMPLE_COUNTERS. */
struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed);

/* Returns how many of `n` samples, starting at number `from` of a call, one launch makes. The next launch then begins
 * with a whole block, which is stored as vectors, and all block numbers of a launch have the same high half, so that
 * kernels compute its contribution once. `context` is the struct uhi_sampling. */
size_t uhi_sample_launch_length(const void *context, size_t from, size_t n);

/* The parameters of one launch: samples offset .. offset + n - 1 of a seed. */
struct uhi_sample_range {
    uint64_t seed, offset;
    uint32_t n;
};

/* Appends the arguments for a table and samples to `args`; returns their number. `range` and `words`, which holds
 * values computed from it, must live until the launch. */
struct uhi_sample_words {
    uint64_t stream, block;
    uint32_t phase;
};
size_t uhi_sample_args(const struct uhi_sample_part *part, const struct uhi_sample_range *range,
                       struct uhi_sample_words *words, uh_arg *args);
enum { UHI_SAMPLE_ARGS = 12 };

/* Returns the kernel `what`_METHOD_`where` for the part's METHOD; it must not be freed. */
uh_status uhi_sample_kernel(struct uhi_engine *engine, const char *what, const struct uhi_sample_part *part,
                            const char *where, uh_kernel **kernel);

/* Returns whether the part's front fits in a group's local memory for drawing. */
int uhi_sample_fits_local(const struct uhi_engine *engine, const struct uhi_sample_part *part);

/* Draws one part of samples: stores (digit 0) or adds 32 or 64 bits per sample at `out`, which the device can
 * access. */
uh_status uhi_sample_launch_draw(const uh_sampler *sampler, size_t digit, const struct uhi_sample_range *range,
                                 int wide, uint64_t first, void *out, uh_event **event);

/* Describes where and by how many work-groups a device counts samples of one part, like snprintf. */
int uhi_sample_count_text(const uh_sampler *sampler, char *text, size_t size);

#endif
