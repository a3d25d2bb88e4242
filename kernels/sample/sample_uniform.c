/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_uniform.h"

#include <stdlib.h>

#include "kernels/random/random_run.h"
#include "runtime/status.h"

enum { PIECE = 1 << 18 /* samples that are counted at a time: in the cache between being made and being counted */ };

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

uh_status uhi_sample_uniform_count(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                                   uint64_t seed, uint64_t offset, uint64_t n, uint64_t *counts) {
    const uint64_t bound = (uint64_t)form->last - (uint64_t)form->first + 1;
    uint32_t *piece = malloc(PIECE * sizeof *piece);
    uh_status status =
        piece ? UH_SUCCESS : uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %d samples", call, (int)PIECE);
    for (uint64_t at = 0; at < n && !status; at += PIECE) {
        const size_t some = n - at < PIECE ? (size_t)(n - at) : PIECE;
        status = uhi_random_fill(queue, call, UH_PHILOX4X32_10, UHI_RANDOM_BOUNDED_32, seed, UHI_SAMPLE_STREAM_UNIFORM,
                                 offset + at, bound, 0, piece, some);
        for (size_t i = 0; i < some && !status; i++)
            counts[piece[i]]++;
    }
    free(piece);
    return status;
}
