/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler's tables on a device, and the order of launches that draws. */
#include "kernels/sample/sample_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/registry.h"
#include "kernels/sample/sample_uniform.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum {
    SAMPLES_A_LAUNCH = 1 << 28,
    SAMPLES_A_WORD = 4,       /* a group that has drawn so many for each word of a front has not loaded it in vain */
    BLOCKS_IN_A_HALF_LOG = 34 /* samples in blocks whose numbers have the same high half: 2^this */
};

/* ---- tables ---- */

/* Copies `bytes` bytes of host memory, which must stay as they are, to new memory of the device. */
static uh_status upload(struct uhi_sample_device *device, const char *call, const uint32_t *from, size_t words,
                        uint32_t **to) {
    void *memory = NULL;
    const size_t bytes = words * sizeof *from;
    uh_status status = uh_malloc_device(device->engine.device, bytes, 0, &memory);
    if (status == UH_ERROR_OUT_OF_DEVICE_MEMORY) {
        char why[256];
        snprintf(why, sizeof why, "%s", uh_last_error());
        return uhi_fail(status, "%s: a table of %zu bytes does not fit in the memory of %s (%s)", call, bytes,
                        device->engine.properties.selector, why);
    }
    if (status)
        return status;
    *to = memory;
    return uh_memcpy(device->engine.queue, memory, from, bytes, NULL, 0, NULL);
}

/* Thresholds and aliases side by side: one load each. The caller frees them. */
static uint32_t *pairs_of(const struct uhi_sample_table *table) {
    const size_t columns = (size_t)1 << table->bits;
    uint32_t *pairs = malloc(2 * columns * sizeof *pairs);
    for (size_t c = 0; pairs && c < columns; c++) {
        pairs[2 * c] = table->threshold[c];
        pairs[2 * c + 1] = table->alias[c];
    }
    return pairs;
}

static uh_status upload_alias(struct uhi_sample_device *device, const char *call, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    uint32_t *pairs = pairs_of(table);
    if (!pairs)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for %u columns", call, 1U << table->bits);
    part->method = "alias";
    part->bits = table->bits;
    part->words = 2U << table->bits;
    part->bins = table->size;
    uh_status status = upload(device, call, pairs, part->words, &part->front);
    if (!status)
        status = upload(device, call, table->rest, (size_t)1 << table->bits, &part->low);
    uh_status waited = uh_queue_wait(device->engine.queue);
    status = status ? status : waited;
    if (status) /* a copy may still be under way */
        uhi_queue_drain(device->engine.queue);
    free(pairs);
    return status;
}

static uh_status upload_ranks(struct uhi_sample_device *device, const char *call, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    const int guide = table->method == UH_SAMPLE_UNIHIST;
    part->method = guide ? "guide" : "binary";
    part->bins = table->items;
    part->outcomes = table->map;
    part->more = table->more;
    part->bits = guide ? table->bits : 0;
    while (!guide && (uint64_t)1 << part->bits < table->items)
        part->bits++; /* steps of the search */
    uh_status status = upload(device, call, table->top, table->items, &part->top);
    if (!status)
        status = upload(device, call, table->low, table->items, &part->low);
    if (!status && table->map)
        status = upload(device, call, table->map, table->items, &part->map);
    part->front = part->top;
    part->words = guide ? (uint32_t)table->cell_count : table->items;
    if (!status && guide) {
        part->front = NULL;
        status = upload(device, call, table->cells, table->cell_count, &part->front);
    }
    return status;
}

/* Uniform integers have no table. */
static void set_uniform(struct uhi_sample_device *device, const struct uhi_sampler_form *form) {
    const struct uhi_random_job job = uhi_sample_uniform_job(form, 0);
    device->parts = 1;
    device->part[0] = (struct uhi_sample_part){.method = "uniform",
                                               .stream = job.stream,
                                               .bits = (uint32_t)job.least,
                                               .items = (uint32_t)job.bound,
                                               .bins = (uint32_t)job.bound};
}

uh_status uhi_sample_device_create(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                                   struct uhi_sample_device **device) {
    struct uhi_sample_device *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, "%s: no memory for the state of a device", call);
    uh_status status = uhi_engine_open(&made->engine, call, queue, uhi_sample_variants());
    if (status) {
        free(made);
        return status;
    }
    made->sink.ring.engine = &made->engine;
    made->most = UINT32_MAX;
    made->parts = form->parts;
    made->first = (uint64_t)form->first;
    if (form->uniform)
        set_uniform(made, form);
    for (size_t d = 0; d < form->parts && !status; d++) {
        const struct uhi_sample_table *table = form->part[d];
        made->part[d].stream = UHI_SAMPLE_STREAM + 2 * d;
        made->part[d].items = table->items;
        made->part[d].shift = form->shift[d];
        status = table->method == UH_SAMPLE_ALIAS ? upload_alias(made, call, table, &made->part[d])
                                                  : upload_ranks(made, call, table, &made->part[d]);
    }
    uh_status waited = uh_queue_wait(queue);
    status = status ? status : waited;
    if (status) {
        uhi_queue_drain(queue);
        uhi_sample_device_destroy(made);
        return status;
    }
    *device = made;
    return UH_SUCCESS;
}

void uhi_sample_device_destroy(struct uhi_sample_device *device) {
    if (!device)
        return;
    uhi_sink_free(&device->sink);
    for (size_t d = 0; d < device->parts; d++) {
        struct uhi_sample_part *part = &device->part[d];
        if (part->front != part->top)
            (void)uh_free(part->front);
        (void)uh_free(part->top);
        (void)uh_free(part->low);
        (void)uh_free(part->map);
    }
    uhi_engine_close(&device->engine);
    free(device);
}

/* ---- launches ---- */

uint32_t uhi_sample_piece_length(uint64_t offset, uint64_t n, uint64_t most) {
    const uint64_t half = (uint64_t)1 << BLOCKS_IN_A_HALF_LOG, left = half - (offset & (half - 1));
    uint64_t length = (most < SAMPLES_A_LAUNCH ? most : SAMPLES_A_LAUNCH) & ~(uint64_t)3;
    length -= offset & 3;
    length = length < left ? length : left;
    return (uint32_t)(length < n ? length : n);
}

size_t uhi_sample_args(const struct uhi_sample_part *part, const struct uhi_sample_piece *piece,
                       struct uhi_sample_words *words, uh_arg *args) {
    size_t count = 0;
    words->stream = part->stream;
    words->block = piece->offset >> 2;
    words->phase = (uint32_t)piece->offset & 3;
    args[count++] = uh_arg_pointer(part->front);
    args[count++] = uh_arg_value(&part->words, sizeof part->words);
    args[count++] = uh_arg_value(&part->bits, sizeof part->bits);
    args[count++] = uh_arg_value(&part->more, sizeof part->more);
    args[count++] = uh_arg_value(&part->items, sizeof part->items);
    args[count++] = uh_arg_pointer(part->top);
    args[count++] = uh_arg_pointer(part->low);
    args[count++] = uh_arg_value(&piece->seed, sizeof piece->seed); /* little-endian: low and high half */
    args[count++] = uh_arg_value(&words->stream, sizeof words->stream);
    args[count++] = uh_arg_value(&words->block, sizeof words->block);
    args[count++] = uh_arg_value(&words->phase, sizeof words->phase);
    args[count++] = uh_arg_value(&piece->n, sizeof piece->n);
    return count;
}

uh_status uhi_sample_kernel(struct uhi_sample_device *device, const char *what, const struct uhi_sample_part *part,
                            const char *where, uh_kernel **kernel) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s_%s", what, part->method, where);
    return uhi_engine_kernel(&device->engine, name, kernel);
}

int uhi_sample_fits_local(const struct uhi_sample_device *device, const struct uhi_sample_part *part) {
    return (uint64_t)part->words * sizeof *part->front <= device->engine.properties.local_memory / 2;
}

uh_status uhi_sample_launch_draw(struct uhi_sample_device *device, size_t digit, const struct uhi_sample_piece *piece,
                                 int wide, uint64_t first, void *out, uh_event **event) {
    const struct uhi_sample_part *part = &device->part[digit];
    const uint64_t bytes = (uint64_t)part->words * sizeof *part->front, pays = (uint64_t)part->words * SAMPLES_A_WORD;
    const int local = uhi_sample_fits_local(device, part) && piece->n >= pays;
    const size_t group_size = uhi_group_size(&device->engine.properties), size = wide ? sizeof first : 4;
    size_t groups = uhi_groups_for(uhi_groups_to_fill(&device->engine.properties, group_size), group_size, piece->n);
    const uint32_t add = digit > 0, further = add || part->shift || first || part->map, first_32 = (uint32_t)first;
    struct uhi_sample_words words;
    uh_arg args[UHI_SAMPLE_ARGS + 8];
    uh_kernel *kernel = NULL;
    uh_status status = uhi_sample_kernel(
        device, "draw", part, local ? (wide ? "local_64" : "local_32") : (wide ? "global_64" : "global_32"), &kernel);
    if (status)
        return status;
    size_t count = uhi_sample_args(part, piece, &words, args);
    /* Vectors are stored where they are aligned and all of their samples are wanted. */
    const int aligned = ((uintptr_t)out - words.phase * size) % (4 * size) == 0;
    const uint32_t vectors = aligned && piece->n > 3 ? piece->n - 3 : 0;
    args[count++] = uh_arg_pointer(part->map);
    args[count++] = uh_arg_value(&further, sizeof further);
    args[count++] = uh_arg_value(&part->shift, sizeof part->shift);
    args[count++] = uh_arg_value(&add, sizeof add);
    args[count++] = wide ? uh_arg_value(&first, sizeof first) : uh_arg_value(&first_32, sizeof first_32);
    args[count++] = uh_arg_value(&vectors, sizeof vectors);
    args[count++] = uh_arg_pointer(out);
    if (local) {
        args[count++] = uh_arg_local(bytes);
        groups = groups < piece->n / pays ? groups : piece->n / pays;
    }
    return uhi_engine_run(&device->engine, kernel, groups, group_size, args, count, NULL, event);
}

uh_status uhi_sample_device_draw(struct uhi_sample_device *device, const char *call, uint64_t seed, uint64_t offset,
                                 int wide, void *out, size_t n) {
    struct uhi_sink *sink = &device->sink;
    const size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    uh_status status = n ? uhi_sink_open(sink, call, "out", out, n, size, SAMPLES_A_LAUNCH) : UH_SUCCESS;
    if (status || n == 0)
        return status;
    for (size_t from = 0, m; from < n && !status; from += m) {
        struct uhi_stream_slot *slot;
        void *to = NULL;
        m = uhi_sample_piece_length(offset + from, n - from, sink->most);
        const struct uhi_sample_piece piece = {.seed = seed, .offset = offset + from, .n = (uint32_t)m};
        status = uhi_sink_take(sink, from, m, &slot, &to);
        for (size_t d = 0; d < device->parts && !status; d++)
            status = uhi_sample_launch_draw(device, d, &piece, wide, d == 0 ? device->first : 0, to,
                                            d + 1 == device->parts ? &slot->used : NULL);
        if (!status)
            status = uhi_sink_send(sink, slot);
    }
    return uhi_sink_finish(sink, status);
}
