/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_uniform.h"

#include "kernels/random/random_run.h"

static enum uhi_random_kind kind_of(uint64_t bound, int wide) {
    if (bound == 0 || bound > (uint64_t)1 << 32)
        return UHI_RANDOM_BOUNDED_64;
    return wide ? UHI_RANDOM_BOUNDED_32_WIDE : UHI_RANDOM_BOUNDED_32;
}

uh_status uhi_sample_uniform_draw(uh_queue *queue, const char *call, const struct uhi_sampler_form *form, uint64_t seed,
                                  uint64_t offset, int wide, void *out, size_t n) {
    const uint64_t bound = (uint64_t)form->last - (uint64_t)form->first + 1;
    return uhi_random_fill(queue, call, UH_PHILOX4X32_10, kind_of(bound, wide), seed, UHI_SAMPLE_STREAM_UNIFORM, offset,
                           bound, form->first, out, n);
}

int uhi_sample_uniform_counts(const struct uhi_sampler_form *form) {
    return (uint64_t)form->last - (uint64_t)form->first < UHI_SAMPLE_COUNTERS;
}

struct uhi_random_job uhi_sample_uniform_job(const struct uhi_sampler_form *form, uint64_t seed) {
    const uint64_t bound = (uint64_t)form->last - (uint64_t)form->first + 1;
    return (struct uhi_random_job){.generator = UH_PHILOX4X32_10,
                                   .kind = UHI_RANDOM_BOUNDED_32,
                                   .seed = seed,
                                   .stream = UHI_SAMPLE_STREAM_UNIFORM,
                                   .bound = bound,
                                   .least = uhi_random_least(UHI_RANDOM_BOUNDED_32, bound)};
}
