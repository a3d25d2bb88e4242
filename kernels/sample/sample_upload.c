/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler's tables in device memory. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/sample/sample_run.h"
#include "runtime/memory.h"
#include "runtime/status.h"

/* Copies host memory, which must not change until the engine's work has ended, to new device memory. */
static uh_status upload(struct uhi_frame *frame, const uint32_t *from, size_t words, uint32_t **to) {
    struct uhi_engine *engine = frame->engine;
    void *memory = NULL;
    const size_t bytes = words * sizeof *from;
    uh_status status = uh_malloc(engine->device, UH_MEMORY_DEVICE, bytes, 0, &memory);
    if (status == UH_ERROR_OUT_OF_DEVICE_MEMORY) {
        char why[256];
        snprintf(why, sizeof why, "%s", uh_last_error());
        return uhi_fail(status, frame->call, NULL, "a table of %zu bytes does not fit in the memory of %s (%s)", bytes,
                        engine->properties.selector, why);
    }
    if (status)
        return status;
    *to = memory;
    return uh_memcpy(engine->queue, memory, from, bytes, NULL);
}

/* Thresholds and aliases side by side, for one load each. The caller frees them. */
static uint32_t *pairs_of(const struct uhi_sample_table *table) {
    const size_t columns = (size_t)1 << table->bits;
    uint32_t *pairs = malloc(2 * columns * sizeof *pairs);
    for (size_t c = 0; pairs && c < columns; c++) {
        pairs[2 * c] = table->threshold[c];
        pairs[2 * c + 1] = table->alias[c];
    }
    return pairs;
}

/* A guide's cells for unmasked words: from each of the first 2^bits cells, its index in the position of a word's
 * leading bits is subtracted. The caller frees them. */
static uint32_t *unmasked_cells_of(const struct uhi_sample_table *table) {
    const size_t first = (size_t)1 << table->bits;
    uint32_t *cells = malloc(table->cell_count * sizeof *cells);
    for (size_t c = 0; cells && c < table->cell_count; c++)
        cells[c] = table->cells[c] - (c < first ? (uint32_t)((uint64_t)c << (32 - table->bits)) : 0);
    return cells;
}

static uh_status upload_guide(struct uhi_frame *frame, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    uint32_t *cells = unmasked_cells_of(table);
    if (!cells)
        return uhi_fail_memory(frame->call, "no memory for %zu cells", (size_t)table->cell_count);
    part->front = NULL;
    uh_status status = upload(frame, cells, table->cell_count, &part->front);
    if (!status)
        status = uh_queue_wait(frame->queue);
    if (status) /* a copy may still be under way */
        uhi_engine_quiesce(frame->engine);
    free(cells);
    return status;
}

static uh_status upload_alias(struct uhi_frame *frame, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    uint32_t *pairs = pairs_of(table);
    if (!pairs)
        return uhi_fail_memory(frame->call, "no memory for %u columns", 1U << table->bits);
    part->method = "alias";
    part->bits = table->bits;
    part->words = 2U << table->bits;
    part->bins = table->size;
    uh_status status = upload(frame, pairs, part->words, &part->front);
    if (!status)
        status = upload(frame, table->rest, (size_t)1 << table->bits, &part->low);
    if (!status)
        status = uh_queue_wait(frame->queue);
    if (status) /* a copy may still be under way */
        uhi_engine_quiesce(frame->engine);
    free(pairs);
    return status;
}

static uh_status upload_ranks(struct uhi_frame *frame, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    const int guide = table->method == UH_SAMPLE_UNIHIST;
    part->method = guide ? "guide" : "binary";
    part->bins = table->items;
    part->outcomes = table->map;
    part->more = table->more;
    part->bits = guide ? table->bits : 0;
    while (!guide && (uint64_t)1 << part->bits < table->items)
        part->bits++; /* steps of the search */
    uh_status status = upload(frame, table->top, table->items, &part->top);
    if (!status)
        status = upload(frame, table->low, table->items, &part->low);
    if (!status && table->map)
        status = upload(frame, table->map, table->items, &part->map);
    part->front = part->top;
    part->words = guide ? (uint32_t)table->cell_count : table->items;
    return !status && guide ? upload_guide(frame, table, part) : status;
}

/* Uniform integers have no table. */
static struct uhi_sample_part uniform_part(const struct uhi_sampler_form *form) {
    const struct uhi_random_job job = uhi_sample_uniform_job(form, 0);
    return (struct uhi_sample_part){.method = "uniform",
                                    .stream = job.stream,
                                    .bits = (uint32_t)job.min_accepted,
                                    .items = (uint32_t)job.bound,
                                    .bins = (uint32_t)job.bound};
}

static uh_status upload_tables(struct uhi_frame *frame, void *context) {
    uh_sampler *sampler = context;
    const struct uhi_sampler_form *form = &sampler->form;
    uh_status status = UH_SUCCESS;
    if (form->uniform && (uint64_t)form->last - (uint64_t)form->first < UHI_SAMPLE_COUNTERS)
        sampler->part[0] = uniform_part(form);
    for (size_t d = 0; d < form->parts && !status; d++) {
        const struct uhi_sample_table *table = form->part[d];
        struct uhi_sample_part *part = &sampler->part[d];
        part->stream = UHI_SAMPLE_STREAM + 2 * d;
        part->items = table->items;
        part->shift = form->shift[d];
        status = table->method == UH_SAMPLE_ALIAS ? upload_alias(frame, table, part) : upload_ranks(frame, table, part);
    }
    if (!status)
        status = uh_queue_wait(frame->queue);
    if (status) /* the tables will be freed */
        uhi_engine_quiesce(frame->engine);
    return status;
}

const struct uhi_stage uhi_sample_upload = {"sample: upload", NULL, upload_tables};

void uhi_sample_free_tables(uh_sampler *sampler) {
    for (size_t d = 0; d < UHI_SAMPLE_PARTS; d++) {
        struct uhi_sample_part *part = &sampler->part[d];
        if (part->front != part->top)
            uhi_free(part->front);
        uhi_free(part->top);
        uhi_free(part->low);
        uhi_free(part->map);
    }
}
