/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/random/random_run.h"
#include "kernels/registry.h"
#include "kernels/sample/sample_stages.h"
#include "kernels/sample/weights.h"
#include "runtime/queue.h"
#include "runtime/sized.h"
#include "runtime/status.h"

/* ---- making one -------------------------------------------------------------------------------------------------- */

uh_status uhi_sampler_options_check(const char *call, const uh_queue *queue, const uh_sampler_options *options,
                                    uh_sampler *const *sampler, uh_sample_method *method) {
    if (!queue)
        return uhi_fail_null(call, "queue", "a queue");
    if (!sampler)
        return uhi_fail_null(call, "sampler", "where to store it");
    uh_sampler_options taken;
    uh_status status = uhi_sized_read(call, "options", options, &taken, sizeof taken, NULL);
    if (status)
        return status;
    if ((unsigned)taken.method >= UHI_SAMPLE_METHODS)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "options->method", "is %d, expected a uh_sample_method",
                        (int)taken.method);
    *method = taken.method == UH_SAMPLE_AUTO ? UH_SAMPLE_UNIHIST : taken.method;
    return UH_SUCCESS;
}

uh_status uhi_samples_check(const char *call, uint64_t n, uint64_t offset) {
    const uint64_t end = (uint64_t)1 << 63;
    if (offset > end || n > end - offset)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "offset",
                        "is %" PRIu64 " and n is %" PRIu64 ", expected their sum to be at most 2^63", offset, n);
    return UH_SUCCESS;
}

uh_status uhi_sampler_make(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                           uh_sampler **sampler) {
    uh_sampler *made = calloc(1, sizeof *made);
    if (!made) {
        for (size_t d = 0; d < form->parts; d++)
            uhi_sample_table_destroy(form->part[d]);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for a sampler");
    }
    uhi_frame_open(&made->frame, queue, uhi_sample_variants());
    uhi_queue_retain(made->frame.queue);
    made->frame.call = call;
    made->form = *form;
    made->counters.max_pending = UINT32_MAX;
    const uh_status status = uhi_frame_run(&made->frame, &uhi_sample_bring, made);
    if (status)
        uhi_sampler_free(made);
    else
        *sampler = made;
    return status;
}

uh_status uhi_sampler_of_weights(uh_queue *queue, const char *call, const uh_array *weights, uh_sample_method method,
                                 uh_sampler **sampler) {
    struct uhi_sampler_form form = {.last = (int64_t)weights->count - 1, .parts = 1};
    struct uhi_weights w;
    uh_status status = uhi_weights_open(&w, queue, call, weights);
    if (!status)
        status = uhi_sample_table_create(queue, call, &w.masses, method, &form.part[0]);
    uhi_weights_close(&w);
    return status ? status : uhi_sampler_make(queue, call, &form, sampler);
}

void uhi_sampler_free(uh_sampler *sampler) {
    if (!sampler)
        return;
    uh_queue *queue = sampler->frame.queue;
    if (sampler->frame.engine)
        uhi_engine_quiesce(sampler->frame.engine);
    uhi_sample_free_tables(sampler);
    uhi_counters_free(&sampler->counters);
    uhi_frame_close(&sampler->frame);
    for (size_t d = 0; d < sampler->form.parts; d++)
        uhi_sample_table_destroy(sampler->form.part[d]);
    uhi_queue_release(queue);
    free(sampler);
}

/* ---- samples ----------------------------------------------------------------------------------------------------- */

static enum uhi_random_kind uniform_kind(uint64_t bound, int wide) {
    if (bound == 0 || bound > (uint64_t)1 << 32)
        return UHI_RANDOM_BOUNDED_64;
    return wide ? UHI_RANDOM_BOUNDED_32_WIDE : UHI_RANDOM_BOUNDED_32;
}

uh_status uhi_sampler_draw(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, int wide, void *out,
                           size_t n) {
    const struct uhi_sampler_form *form = &sampler->form;
    const size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    struct uhi_sampling sampling = {.sampler = sampler, .seed = seed, .offset = offset, .wide = wide};
    if (n == 0)
        return UH_SUCCESS;
    if (n > SIZE_MAX / sizeof(uint64_t))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "n", "is %zu, more than memory holds", n);
    if ((uintptr_t)out % size != 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, "out", "is %p, expected a multiple of %zu", out, size);
    if (form->uniform) {
        const uint64_t bound = (uint64_t)form->last - (uint64_t)form->first + 1;
        return uhi_random_fill(sampler->frame.queue, call, UH_PHILOX4X32_10, uniform_kind(bound, wide), seed,
                               UHI_SAMPLE_STREAM_UNIFORM, offset, bound, form->first, out, n);
    }
    uh_status status = uhi_frame_begin(&sampler->frame, call, n);
    if (!status)
        status = uhi_frame_output(&sampler->frame, "out", out, size);
    return status ? status : uhi_frame_run(&sampler->frame, &uhi_sample_draw, &sampling);
}

uh_status uhi_sampler_count(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, uint64_t n,
                            uint64_t *counts, size_t length) {
    struct uhi_sampling sampling = {
        .sampler = sampler, .seed = seed, .offset = offset, .counts = counts, .length = length};
    uh_status status = uhi_check_host_memory(sampler->frame.queue, call, "counts", counts, length * sizeof *counts);
    if (status)
        return status;
    if (n == 0) {
        memset(counts, 0, length * sizeof *counts);
        return UH_SUCCESS;
    }
    status = uhi_frame_begin(&sampler->frame, call, n);
    return status ? status : uhi_frame_run(&sampler->frame, &uhi_sample_count, &sampling);
}

/* ---- in words ---------------------------------------------------------------------------------------------------- */

int uhi_sampler_device_text(const uh_sampler *sampler, char *text, size_t size) {
    const struct uhi_engine *engine = sampler->frame.engine;
    const struct uhi_sample_part *part = &sampler->part[0];
    char counts[160] = "";
    if (!engine || !part->method)
        return snprintf(text, size, "%s", "");
    if (sampler->form.parts <= 1)
        (void)uhi_sample_count_text(sampler, counts, sizeof counts);
    return snprintf(text, size, "; on %s%s%s%s", engine->properties.selector,
                    part->words == 0                      ? ""
                    : uhi_sample_fits_local(engine, part) ? ", many samples are drawn from a table in local memory"
                                                          : ", samples are drawn from a table in global memory",
                    counts[0] ? "; for counts" : "", counts[0] ? counts + 1 : "");
}
