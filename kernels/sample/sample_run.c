/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_run.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/engine.h"
#include "kernels/common/host_run.h"
#include "kernels/registry.h"
#include "kernels/sample/sample_count.h"
#include "kernels/sample/sample_device.h"
#include "kernels/sample/sample_uniform.h"
#include "kernels/sample/weights.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { SAMPLES_A_THREAD = 32768 };

struct uh_sampler {
    uh_queue *queue;
    struct uhi_sampler_form form;
    struct uhi_sample_device *device; /* NULL on the host, and where it is uniform and not for counting */
};

uh_status uhi_sampler_options_check(const char *call, const uh_queue *queue, const uh_sampler_options *options,
                                    uh_sampler *const *sampler, uh_sample_method *method) {
    if (!queue)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: queue is NULL, expected a queue", call);
    if (!sampler)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: sampler is NULL, expected where to store it", call);
    if (options && options->struct_size != sizeof *options)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->struct_size is %zu, expected %zu", call,
                        options->struct_size, sizeof *options);
    const uh_sample_method wanted = options ? options->method : UH_SAMPLE_AUTO;
    if ((unsigned)wanted >= UHI_SAMPLE_METHODS)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: options->method is %d, expected a uh_sample_method", call,
                        (int)wanted);
    *method = wanted == UH_SAMPLE_AUTO ? UH_SAMPLE_UNIHIST : wanted;
    return UH_SUCCESS;
}

uh_status uhi_sampler_check_host_memory(const uh_queue *queue, const char *call, const char *argument,
                                        const void *pointer) {
    uh_pointer_info info;
    const uh_status status = uh_pointer_type(pointer, &info);
    if (status || info.kind != UH_MEMORY_DEVICE || !uhi_runs_modules(queue))
        return status;
    return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: %s is in a device's memory, expected the host's", call, argument);
}

uh_status uhi_sampler_make(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                           uh_sampler **sampler) {
    uh_sampler *made = calloc(1, sizeof *made);
    uh_status status = UH_SUCCESS;
    if (!made) {
        for (size_t d = 0; d < form->parts; d++)
            uhi_sample_table_destroy(form->part[d]);
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for a sampler", call);
    }
    made->queue = queue;
    made->form = *form;
    uhi_queue_retain(queue);
    if (uhi_runs_modules(queue) && (!form->uniform || uhi_sample_uniform_counts(form)))
        status = uhi_sample_device_create(queue, call, &made->form, &made->device);
    if (status)
        uhi_sampler_free(made);
    else
        *sampler = made;
    return status;
}

uh_status uhi_sampler_of_weights(uh_queue *queue, const char *call, uh_dtype dtype, const void *weights, size_t k,
                                 uh_sample_method method, uh_sampler **sampler) {
    struct uhi_sampler_form form = {.last = (int64_t)k - 1, .parts = 1};
    struct uhi_weights w;
    uh_status status = uhi_weights_open(&w, queue, call, dtype, weights, k);
    if (!status)
        status = uhi_sample_table_create(queue, call, &w.masses, method, &form.part[0]);
    uhi_weights_close(&w);
    return status ? status : uhi_sampler_make(queue, call, &form, sampler);
}

void uhi_sampler_free(uh_sampler *sampler) {
    if (!sampler)
        return;
    uhi_sample_device_destroy(sampler->device);
    for (size_t d = 0; d < sampler->form.parts; d++)
        uhi_sample_table_destroy(sampler->form.part[d]);
    uhi_queue_release(sampler->queue);
    free(sampler);
}

const struct uhi_sampler_form *uhi_sampler_get_form(const uh_sampler *sampler) {
    return &sampler->form;
}

int uhi_sampler_device_text(const uh_sampler *sampler, char *text, size_t size) {
    if (sampler->device)
        return uhi_sample_device_text(sampler->device, text, size);
    if (size > 0)
        *text = 0;
    return 0;
}

/* ---- on the host ---- */

static struct uhi_sample_look look_of(const uh_sampler *sampler, uint64_t seed) {
    struct uhi_sample_look look = {.parts = sampler->form.parts, .first = (uint64_t)sampler->form.first, .seed = seed};
    for (size_t d = 0; d < look.parts; d++) {
        look.part[d] = sampler->form.part[d];
        look.shift[d] = sampler->form.shift[d];
    }
    return look;
}

struct drawing {
    const struct uhi_sample_host *host;
    struct uhi_sample_look look;
    uint64_t offset;
    size_t n, slabs;
    int wide;
    char *out;
};

static void draw_slab(const uh_work_group *group, void *const *args) {
    const struct drawing *drawing = args[0];
    const size_t slab = group->group_id[0], from = uhi_slab_start(drawing->n, drawing->slabs, slab);
    drawing->host->draw(&drawing->look, drawing->offset + from,
                        uhi_slab_start(drawing->n, drawing->slabs, slab + 1) - from, drawing->wide,
                        drawing->out + from * (drawing->wide ? sizeof(uint64_t) : sizeof(uint32_t)));
}

static uh_status draw_on_host(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, int wide,
                              void *out, size_t n) {
    const struct drawing drawing = {.host = uhi_sample_host(),
                                    .look = look_of(sampler, seed),
                                    .offset = offset,
                                    .n = n,
                                    .slabs = uhi_host_slabs(sampler->queue, n, SAMPLES_A_THREAD),
                                    .wide = wide,
                                    .out = out};
    uh_status status = uhi_memory_check_copy(call, "out", uh_queue_get_device(sampler->queue), out,
                                             n * (wide ? sizeof(uint64_t) : sizeof(uint32_t)));
    return status ? status : uhi_host_run(sampler->queue, draw_slab, "sample: draw", &drawing, drawing.slabs);
}

/* ---- on any device ---- */

uh_status uhi_sampler_draw(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, int wide, void *out,
                           size_t n) {
    const size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    if (n == 0)
        return UH_SUCCESS;
    if (n > SIZE_MAX / sizeof(uint64_t))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: n is %zu, more than memory holds", call, n);
    if ((uintptr_t)out % size != 0)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, "%s: out is %p, expected a multiple of %zu", call, out, size);
    if (sampler->form.uniform)
        return uhi_sample_uniform_draw(sampler->queue, call, &sampler->form, seed, offset, wide, out, n);
    if (sampler->device)
        return uhi_sample_device_draw(sampler->device, call, seed, offset, wide, out, n);
    return draw_on_host(sampler, call, seed, offset, wide, out, n);
}

/* A device adds up what may fail between two pieces: in counts of its own. */
static uh_status count_on_device(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, uint64_t n,
                                 uint64_t *counts, size_t length) {
    uint64_t *own = calloc(length, sizeof *own);
    if (!own)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %zu counts", call, length);
    uh_status status = uhi_sample_device_count(sampler->device, call, seed, offset, n, own, length);
    if (!status)
        memcpy(counts, own, length * sizeof *own);
    free(own);
    return status;
}

uh_status uhi_sampler_count(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, uint64_t n,
                            uint64_t *counts, size_t length) {
    uh_status status =
        uhi_memory_check_copy(call, "counts", uh_queue_get_device(sampler->queue), counts, length * sizeof *counts);
    if (!status)
        status = uhi_sampler_check_host_memory(sampler->queue, call, "counts", counts);
    if (status)
        return status;
    if (sampler->device)
        return count_on_device(sampler, call, seed, offset, n, counts, length);
    struct uhi_sample_look look = look_of(sampler, seed);
    look.first = 0;
    if (sampler->form.uniform) {
        look.parts = 1;
        look.uniform = uhi_sample_uniform_job(&sampler->form, seed);
    }
    return uhi_sample_count(sampler->queue, &look, offset, n, counts, length);
}
