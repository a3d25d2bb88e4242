/* SPDX-License-Identifier: Apache-2.0 */
/* The launches that make random numbers on a device. */
#include "kernels/random/random_device.h"

#include <stdio.h>

#include "kernels/common/sink.h"
#include "kernels/registry.h"

/* Elements of one launch: some hundredths of a second. */
enum { MOST_ELEMENTS = 1 << 28 };

struct filling {
    const struct uhi_random_job *job;
    struct uhi_engine engine;
    struct uhi_sink sink;
    uh_kernel *kernel;
};

static uh_status find_kernel(struct filling *filling) {
    static const char *const kinds[] = {
        [UHI_RANDOM_U32] = "words",
        [UHI_RANDOM_U64] = "words",
        [UHI_RANDOM_F32] = "f32",
        [UHI_RANDOM_F64] = "f64",
        [UHI_RANDOM_BOUNDED_32] = "bounded_32",
        [UHI_RANDOM_BOUNDED_32_WIDE] = "bounded_32_wide",
        [UHI_RANDOM_BOUNDED_64] = "bounded_64",
    };
    char name[32];
    snprintf(name, sizeof name, "%s_%s", kinds[filling->job->kind],
             filling->job->generator == UH_PHILOX4X32_10 ? "4x32" : "4x64");
    return uhi_engine_kernel(&filling->engine, 0, name, &filling->kernel);
}

/* Elements of a block. */
static uint64_t each_block(const struct uhi_random_job *job) {
    const uint64_t words = job->generator == UH_PHILOX4X32_10 ? 4 : 8; /* of 32 bits */
    return uhi_random_from_64(job->kind) ? words / 2 : words;
}

/* How many of n elements from number `from` of the job on are in blocks whose numbers have the same high half. */
static size_t same_half(const struct uhi_random_job *job, size_t from, size_t n) {
    const uint64_t each = each_block(job), i = job->offset + from;
    const uint64_t left = (((uint64_t)1 << 32) - (uint32_t)(i / each)) * each - i % each;
    return left < n ? (size_t)left : n;
}

/* Makes n elements from number `from` of the job on. A work-item makes a block at a time. */
static uh_status launch(const struct filling *filling, size_t from, size_t n, void *to, struct uhi_stream_slot *slot) {
    const struct uhi_random_job *job = filling->job;
    const uh_device_properties *device = &filling->engine.properties;
    const uint64_t i = job->offset + from, each = each_block(job), block = i / each;
    uint32_t lead = (uint32_t)(i % each); /* elements of it that are not asked for */
    uint64_t count = n;
    if (job->kind == UHI_RANDOM_U64) {
        lead *= 2;
        count *= 2;
    }
    const uh_arg args[] = {uh_arg_value(&job->seed, sizeof job->seed),   uh_arg_value(&job->stream, sizeof job->stream),
                           uh_arg_value(&block, sizeof block),           uh_arg_value(&lead, sizeof lead),
                           uh_arg_value(&count, sizeof count),           uh_arg_pointer(to),
                           uh_arg_value(&job->bound, sizeof job->bound), uh_arg_value(&job->least, sizeof job->least),
                           uh_arg_value(&job->add, sizeof job->add)};
    const size_t nargs = job->kind >= UHI_RANDOM_BOUNDED_32 ? 9 : 6, size = uhi_group_size(device);
    const size_t groups = uhi_groups_for(uhi_groups_to_fill(device, size), size, n);
    return uhi_engine_run(&filling->engine, filling->kernel, groups, size, args, nargs, NULL, &slot->used);
}

uh_status uhi_random_device_fill(uh_queue *queue, const char *call, const struct uhi_random_job *job, void *out,
                                 size_t n) {
    struct filling filling = {.job = job};
    struct uhi_sink *sink = &filling.sink;
    uh_status status = uhi_engine_open(&filling.engine, call, queue, uhi_random_program(), NULL);
    if (status)
        return status;
    sink->ring.engine = &filling.engine;
    status = find_kernel(&filling);
    if (!status)
        status = uhi_sink_open(sink, call, "out", out, n, uhi_random_size(job->kind), MOST_ELEMENTS);
    if (status)
        goto out;
    for (size_t from = 0, here; from < n && !status; from += here) {
        struct uhi_stream_slot *slot;
        void *to;
        here = same_half(job, from, n - from < sink->most ? n - from : sink->most);
        status = uhi_sink_take(sink, from, here, &slot, &to);
        if (!status)
            status = launch(&filling, from, here, to, slot);
        if (!status)
            status = uhi_sink_send(sink, slot);
    }
    status = uhi_sink_finish(sink, status);
out:
    uhi_sink_free(sink);
    uhi_engine_close(&filling.engine);
    return status;
}
