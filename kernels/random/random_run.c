/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/random/random.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/frame.h"
#include "kernels/common/sequence.h"
#include "kernels/registry.h"
#include "runtime/backend.h"
#include "runtime/status.h"

enum {
    ELEMENTS_A_THREAD = 32768,  /* minimum to wake a thread: about 10 us; Sapphire Rapids, 2 virtual cores */
    MIN_SHARE = 4096,           /* minimum elements of a piece for one of several devices: not measured */
    ELEMENTS_A_LAUNCH = 1 << 28 /* more is not faster */
};

/* Returns the frame's part of the whole job. */
static struct uhi_random_job job_of(const struct uhi_frame *frame, const void *whole) {
    struct uhi_random_job job = *(const struct uhi_random_job *)whole;
    job.offset += frame->origin;
    return job;
}

static size_t row_size(const struct uhi_random_job *job) { return job->dims * uhi_random_size(job->kind); }

/* ---- on the host ---- */

struct filling {
    const struct uhi_random_host *host;
    const struct uhi_random_job *job;
    size_t n;
    char *out;
};

static void fill_part(const void *context, size_t part, size_t parts) {
    const struct filling *filling = context;
    const size_t from = uhi_part_start(filling->n, parts, part);
    filling->host->fill(filling->job, from, uhi_part_start(filling->n, parts, part + 1) - from,
                        filling->out + from * row_size(filling->job));
}

static uh_status fill_on_host(struct uhi_frame *frame, void *context) {
    const struct uhi_operand *out = &frame->operands.out;
    const struct uhi_random_job job = job_of(frame, context);
    const struct filling filling = {uhi_random_host(), &job, out->x.n, (char *)(uintptr_t)out->x.first};
    return uhi_frame_parallel(frame, "random: fill", fill_part, &filling, filling.n, ELEMENTS_A_THREAD / job.dims);
}

/* ---- on a device ---- */

struct making {
    const struct uhi_random_job *job;
    struct uhi_engine *engine;
    uh_kernel *kernel;
    void *table; /* of a sequence */
};

static uh_status find_kernel(struct uhi_engine *engine, const struct uhi_random_job *job, uh_kernel **kernel) {
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
    const char *generator = job->generator == UH_PHILOX4X32_10 ? "4x32" : "4x64";
    snprintf(name, sizeof name, "%s_%s", kinds[job->kind], job->sequence ? "sobol" : generator);
    return uhi_engine_kernel(engine, name, kernel);
}

static uint64_t block_elements(const struct uhi_random_job *job) {
    const uint64_t words = job->generator == UH_PHILOX4X32_10 ? 4 : 8; /* of 32 bits */
    return uhi_random_from_64(job->kind) ? words / 2 : words;
}

/* How many of n elements, from index `from` of the job on, are in blocks whose numbers share the high half. */
static size_t same_half(const void *context, size_t from, size_t n) {
    const struct uhi_random_job *job = ((const struct making *)context)->job;
    const uint64_t each = block_elements(job), i = job->offset + from;
    const uint64_t left = (((uint64_t)1 << 32) - (uint32_t)(i / each)) * each - i % each;
    return left < n ? (size_t)left : n;
}

/* A work-item makes one block at a time. */
static uh_status launch_random(void *context, const struct uhi_piece *piece) {
    const struct making *making = context;
    const struct uhi_random_job *job = making->job;
    const uint64_t i = job->offset + piece->from, each = block_elements(job), block = i / each;
    uint32_t lead = (uint32_t)(i % each); /* elements of the first block to skip */
    uint64_t count = piece->n;
    if (job->kind == UHI_RANDOM_U64) {
        lead *= 2;
        count *= 2;
    }
    const uh_arg args[] = {
        UHI_ARG(job->seed), UHI_ARG(job->stream),       UHI_ARG(block),      UHI_ARG(lead),
        UHI_ARG(count),     uh_arg_pointer(piece->out), UHI_ARG(job->bound), UHI_ARG(job->min_accepted),
        UHI_ARG(job->add)};
    return uhi_engine_run_wide(making->engine, making->kernel, piece->n, args,
                               job->kind >= UHI_RANDOM_BOUNDED_32 ? 9 : 6, NULL, piece->done);
}

static uh_status launch_sobol(void *context, const struct uhi_piece *piece) {
    const struct making *making = context;
    const struct uhi_random_job *job = making->job;
    const uint64_t first = job->offset + piece->from, n = piece->n * job->dims;
    const uint32_t dims = (uint32_t)job->dims;
    const int32_t kind = job->sequence;
    const uh_arg args[] = {uh_arg_pointer(making->table), UHI_ARG(kind), UHI_ARG(first), UHI_ARG(n), UHI_ARG(dims),
                           uh_arg_pointer(piece->out)};
    return uhi_engine_run_wide(making->engine, making->kernel, n, args, 6, NULL, piece->done);
}

/* Sends a sequence's table, and makes the points. */
static uh_status make_points(struct making *making, struct uhi_pieces *pieces) {
    const struct uhi_random_job *job = making->job;
    const size_t bytes = job->dims * (UHI_SEQUENCE_AXIS + UHI_SEQUENCE_KEYS) * sizeof *job->table;
    pieces->worst_ns *= (double)job->dims;
    UHI_TRY(uhi_engine_scratch(making->engine, bytes, &making->table));
    UHI_TRY(uh_memcpy(making->engine->queue, making->table, job->table, bytes, NULL));
    return uhi_pieces_for_each(pieces, launch_sobol, NULL, making);
}

static uh_status fill_on_device(struct uhi_frame *frame, void *context) {
    const struct uhi_random_job job = job_of(frame, context);
    struct making making = {.job = &job, .engine = frame->engine};
    struct uhi_pieces pieces;
    UHI_TRY(find_kernel(frame->engine, making.job, &making.kernel));
    UHI_TRY(uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, ELEMENTS_A_LAUNCH / job.dims));
    const uh_status status =
        job.sequence ? make_points(&making, &pieces) : uhi_pieces_for_each(&pieces, launch_random, same_half, &making);
    return uhi_pieces_finish(&pieces, status);
}

/* ---- the call ---- */

static const struct uhi_stage fill = {"random: fill", fill_on_host, fill_on_device};

static uh_status check_elements(const char *call, const struct uhi_random_job *job, size_t n) {
    const int half = job->generator == UH_PHILOX4X32_10 && uhi_random_from_64(job->kind);
    const uint64_t last = half ? INT64_MAX : UINT64_MAX, /* last element of a stream */
        past = half ? last + 1 : last;                   /* largest `offset` without elements */
    if (n > 0 ? job->offset <= last && n - 1 <= last - job->offset : job->offset <= past)
        return UH_SUCCESS;
    return uhi_fail_argument(call, "offset", "is %llu and n is %zu, expected elements before 2^%d",
                             (unsigned long long)job->offset, n, half ? 63 : 64);
}

static uh_status check(const uh_queue *queue, const char *call, const struct uhi_random_job *job, const void *out,
                       size_t n) {
    const size_t size = uhi_random_size(job->kind);
    UHI_NEED(call, queue, "a queue");
    if ((unsigned)job->generator > UH_PHILOX4X64_10)
        return uhi_fail_argument(call, "generator", "is %d, expected one of uh_generator", (int)job->generator);
    if (!out && n > 0)
        return uhi_fail_argument(call, "out", "is NULL, expected where to store %zu elements", n);
    if ((uintptr_t)out % size != 0)
        return uhi_fail_argument(call, "out", "is %p, expected a multiple of %zu", out, size);
    return check_elements(call, job, n);
}

uh_status uhi_random_fill(uh_queue *queue, const char *call, const struct uhi_random_job *job, void *out, size_t n) {
    struct uhi_random_job whole = *job;
    const size_t dims = whole.dims = job->sequence ? job->dims : 1, size = row_size(&whole);
    const struct uhi_single single = {.call = call,
                                      .argument = "out",
                                      .variants = uhi_random_variants(),
                                      .stage = &fill,
                                      .x = {out, n, (ptrdiff_t)size},
                                      .size = size,
                                      .is_output = 1,
                                      .min_piece = MIN_SHARE};
    uint32_t *table = job->sequence ? calloc(dims * (UHI_SEQUENCE_AXIS + UHI_SEQUENCE_KEYS), sizeof *table) : NULL;
    if (job->sequence && !table)
        return uhi_fail_memory(call, "no memory for %zu dimensions", dims);
    uh_status status = check(queue, call, &whole, out, n);
    if (!status && table)
        uhi_sequence_table(job->sequence, 1, dims, job->scrambled, job->seed, job->stream, table);
    whole.table = table;
    whole.min_accepted = uhi_random_min_accepted(job->kind, job->bound);
    if (!status && n > 0)
        status = uhi_frame_run_single(queue, &single, &whole);
    free(table);
    return status;
}
