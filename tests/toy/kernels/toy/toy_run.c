/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/toy/toy.h"

#include <string.h>

#include "kernels/common/frame.h"
#include "kernels/registry.h"

enum { VALUES_A_THREAD = 1 << 16 }; /* worth waking it: some 20 us of work */

struct looking {
    const uint32_t *x;
    size_t n;
    uint64_t *counts;
    uint64_t (*parts)[UHI_TOY_BITS]; /* on the host: each part's */
    const struct uhi_engine *engine; /* on a device */
    struct uhi_counters counters;
    uh_kernel *kernel;
};

/* ---- on the host ---- */

static void look_at_part(const void *context, size_t part, size_t parts) {
    const struct looking *looking = context;
    const size_t from = uhi_part_start(looking->n, parts, part), to = uhi_part_start(looking->n, parts, part + 1);
    memset(looking->parts[part], 0, sizeof looking->parts[part]);
    uhi_toy_host()->bits(looking->x + from, to - from, looking->parts[part]);
}

static uh_status look_on_host(struct uhi_frame *frame, void *context) {
    struct looking *looking = context;
    const size_t parts = uhi_parts_for(frame->queue, looking->n, VALUES_A_THREAD);
    looking->parts = uhi_frame_scratch(frame, parts * sizeof *looking->parts);
    if (!looking->parts)
        return UH_ERROR_OUT_OF_MEMORY;
    uhi_host_parallel(frame->queue, "toy: bits", look_at_part, looking, parts);
    for (size_t part = 0; part < parts; part++)
        for (size_t b = 0; b < UHI_TOY_BITS; b++)
            looking->counts[b] += looking->parts[part][b];
    return UH_SUCCESS;
}

/* ---- on a device ---- */

static uh_status launch(void *context, const struct uhi_piece *piece) {
    const struct looking *looking = context;
    const uint64_t n = piece->n;
    const uh_arg args[] = {uh_arg_pointer(piece->in[0]), uh_arg_value(&n, sizeof n),
                           uh_arg_pointer(looking->counters.words)};
    return uhi_engine_run_wide(looking->engine, looking->kernel, piece->n, args, 3, piece->ready[0], piece->done);
}

static uh_status look_on_device(struct uhi_frame *frame, void *context) {
    struct looking *looking = context;
    struct uhi_pieces pieces;
    const int local = frame->engine->properties.local_memory >= UHI_TOY_BITS * sizeof(uint32_t);
    looking->engine = frame->engine;
    looking->counters.max_pending = UINT32_MAX;
    uh_status status = uhi_engine_kernel(frame->engine, local ? "bits_local" : "bits_global", &looking->kernel);
    if (!status)
        status = uhi_counters_ready(&looking->counters, frame->engine, frame->call, UHI_TOY_BITS, 1);
    if (!status)
        status = uhi_pieces_open(&pieces, frame->engine, frame->call, &frame->operands, UINT32_MAX);
    if (!status)
        status = uhi_counters_add(&looking->counters, &pieces, launch, NULL, looking, looking->counts);
    if (!status)
        status = uhi_counters_read(&looking->counters, frame->engine, looking->counts);
    uhi_engine_quiesce(frame->engine);
    uhi_counters_free(&looking->counters);
    return status;
}

/* ---- the call ---- */

static const struct uhi_stage look = {"toy: bits", look_on_host, look_on_device};

uh_status uhi_toy_bits(uh_queue *queue, const char *call, const uint32_t *x, size_t n, uint64_t *counts) {
    uint64_t found[UHI_TOY_BITS] = {0};
    struct looking looking = {.x = x, .n = n, .counts = found};
    const struct uhi_values values = {(const char *)x, n, sizeof *x};
    struct uhi_frame frame;
    uhi_frame_open(&frame, queue, uhi_toy_variants());
    uh_status status = uhi_frame_begin(&frame, call, n);
    if (!status)
        status = uhi_frame_input(&frame, "x", values, sizeof *x);
    if (!status)
        status = uhi_frame_run(&frame, &look, &looking);
    if (!status)
        memcpy(counts, found, sizeof found);
    uhi_frame_close(&frame);
    return status;
}
