/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/common/shares.h"
#include "kernels/random/random.h"
#include "kernels/sample/tuning.h"
#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

/* ---- tables in device memory --------------------------------------------------------------------------------------
 */

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

/* Makes and uploads a front of its own: an alias's thresholds and aliases side by side, for one load each; or a guide's
 * cells for unmasked words: from each of the first 2^bits cells, its index in the position of a word's leading bits is
 * subtracted. */
static uh_status upload_front(struct uhi_frame *frame, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    const size_t first = (size_t)1 << table->bits;
    uint32_t *words = malloc(part->words * sizeof *words);
    if (!words)
        return uhi_fail_memory(frame->call, "no memory for a table of %u words", (unsigned)part->words);
    for (size_t i = 0; i < part->words; i++)
        words[i] = table->cells ? table->cells[i] - (i < first ? (uint32_t)((uint64_t)i << (32 - table->bits)) : 0)
                                : (i % 2 ? table->alias : table->threshold)[i / 2];
    uh_status status = upload(frame, words, part->words, &part->front);
    if (!status)
        status = uh_queue_wait(frame->queue);
    if (status) /* a copy may still be under way */
        uhi_engine_quiesce(frame->engine);
    free(words);
    return status;
}

static uh_status upload_alias(struct uhi_frame *frame, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    part->method = "alias";
    part->bits = table->bits;
    part->words = 2U << table->bits;
    part->bins = table->size;
    UHI_TRY(upload_front(frame, table, part));
    return upload(frame, table->rest, (size_t)1 << table->bits, &part->low);
}

static uh_status upload_ranks(struct uhi_frame *frame, const struct uhi_sample_table *table,
                              struct uhi_sample_part *part) {
    const int guide = table->method == UH_SAMPLE_UNIHIST;
    part->method = guide ? "guide" : "binary";
    part->words = guide ? (uint32_t)table->cell_count : table->items;
    part->bins = table->items;
    part->outcomes = table->map;
    part->more = table->more;
    part->bits = guide ? table->bits : 0;
    while (!guide && (uint64_t)1 << part->bits < table->items)
        part->bits++; /* steps of the search */
    UHI_TRY(upload(frame, table->top, table->items, &part->top));
    UHI_TRY(upload(frame, table->low, table->items, &part->low));
    if (table->map)
        UHI_TRY(upload(frame, table->map, table->items, &part->map));
    if (guide)
        return upload_front(frame, table, part);
    part->front = part->top;
    return UH_SUCCESS;
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

static const struct uhi_stage upload_stage = {"sample: upload", NULL, upload_tables};

static void free_tables(const uh_sampler *sampler) {
    for (size_t d = 0; d < UHI_SAMPLE_PARTS; d++) {
        const struct uhi_sample_part *part = &sampler->part[d];
        if (part->front != part->top)
            uhi_free(part->front);
        uhi_free(part->top);
        uhi_free(part->low);
        uhi_free(part->map);
    }
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

struct uhi_sampler_shares {
    struct uhi_speeds drawing, counting;
    uh_sampler *of[UHI_MAX_SHARES];
};

uh_status uhi_sampler_make(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                           uh_sampler **sampler) {
    uh_sampler *made = calloc(1, sizeof *made);
    uh_status status = UH_SUCCESS;
    if (!made) {
        for (size_t d = 0; d < form->parts && !form->borrows; d++)
            uhi_sample_table_destroy(form->part[d]);
        return uhi_fail_memory(call, "no memory for a sampler");
    }
    uhi_queue_retain(queue);
    uhi_frame_open(&made->frame, queue, uhi_sample_variants());
    made->queue = queue;
    made->frame.call = call;
    made->form = *form;
    made->counters.max_pending = UINT32_MAX;
    if (!uhi_is_shared(queue))
        status = uhi_frame_run(&made->frame, &upload_stage, made);
    else if (!(made->shares = calloc(1, sizeof *made->shares)))
        status = uhi_fail_memory(call, "no memory for a sampler");
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
    uh_queue *queue = sampler->queue;
    for (size_t i = 0; sampler->shares && i < UHI_MAX_SHARES; i++)
        uhi_sampler_free(sampler->shares->of[i]);
    free(sampler->shares);
    if (sampler->frame.engine)
        uhi_engine_quiesce(sampler->frame.engine);
    free_tables(sampler);
    uhi_counters_free(&sampler->counters);
    uhi_frame_close(&sampler->frame);
    for (size_t d = 0; d < sampler->form.parts && !sampler->form.borrows; d++)
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

/* State shared by the parts of a combined device's queue. */
struct sharing {
    uh_sampler *sampler;
    const char *call;
    struct uhi_sampling sampling; /* of the whole call */
    char *out;
    uint64_t *counts[UHI_MAX_SHARES]; /* of a piece, per part */
    pthread_mutex_t lock;             /* protects sampling.counts */
};

/* Creates a part's sampler if missing, and describes its work in *sampling. */
static uh_status begin_piece(const struct sharing *sharing, size_t part, size_t from, struct uhi_sampling *sampling) {
    uh_sampler **kept = &sharing->sampler->shares->of[part];
    struct uhi_sampler_form form = sharing->sampler->form;
    form.borrows = 1;
    if (!*kept)
        UHI_TRY(uhi_sampler_make(sharing->sampler->queue->parts[part], sharing->call, &form, kept));
    *sampling = sharing->sampling;
    sampling->sampler = *kept;
    sampling->offset += from;
    return UH_SUCCESS;
}

static uh_status draw_by_one(uh_sampler *sampler, const char *call, struct uhi_sampling *sampling, void *out,
                             size_t n) {
    UHI_TRY(uhi_frame_begin(&sampler->frame, call, n));
    UHI_TRY(uhi_frame_output(&sampler->frame, "out", out, sampling->wide ? sizeof(uint64_t) : sizeof(uint32_t)));
    return uhi_frame_run(&sampler->frame, &uhi_sample_draw, sampling);
}

static uh_status draw_piece(void *context, size_t part, size_t from, size_t n) {
    const struct sharing *sharing = context;
    const size_t size = sharing->sampling.wide ? sizeof(uint64_t) : sizeof(uint32_t);
    struct uhi_sampling sampling;
    UHI_TRY(begin_piece(sharing, part, from, &sampling));
    return draw_by_one(sampling.sampler, sharing->call, &sampling, sharing->out + from * size, n);
}

uh_status uhi_sampler_draw(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, int wide, void *out,
                           size_t n) {
    const struct uhi_sampler_form *form = &sampler->form;
    const size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    struct uhi_sampling sampling = {.sampler = sampler, .seed = seed, .offset = offset, .wide = wide};
    struct sharing sharing = {.sampler = sampler, .call = call, .sampling = sampling, .out = out};
    const struct uhi_share share = {.call = call,
                                    .queue = sampler->queue,
                                    .n = n,
                                    .min_piece = UHI_SAMPLES_MIN_SHARE,
                                    .array = {out},
                                    .narrays = 1,
                                    .piece = draw_piece,
                                    .context = &sharing};
    if (n == 0)
        return UH_SUCCESS;
    if (n > SIZE_MAX / sizeof(uint64_t))
        return uhi_fail_argument(call, "n", "is %zu, more than memory holds", n);
    if ((uintptr_t)out % size != 0)
        return uhi_fail_argument(call, "out", "is %p, expected a multiple of %zu", out, size);
    if (form->uniform) {
        struct uhi_random_job job = uhi_sample_uniform_job(form, seed);
        job.kind = uniform_kind(job.bound, wide);
        job.offset = offset;
        job.add = (uint64_t)form->first;
        return uhi_random_fill(sampler->queue, call, &job, out, n);
    }
    return sampler->shares ? uhi_share_out(&share, &sampler->shares->drawing)
                           : draw_by_one(sampler, call, &sampling, out, n);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static uh_status count_by_one(uh_sampler *sampler, const char *call, struct uhi_sampling *sampling, uint64_t n) {
    UHI_TRY(uhi_frame_begin(&sampler->frame, call, n));
    return uhi_frame_run(&sampler->frame, &uhi_sample_count, sampling);
}

static uh_status count_piece(void *context, size_t part, size_t from, size_t n) {
    struct sharing *sharing = context;
    struct uhi_sampling sampling;
    UHI_TRY(begin_piece(sharing, part, from, &sampling));
    const size_t length = sampling.length;
    uint64_t *counts = sharing->counts[part] ? sharing->counts[part] : malloc(length * sizeof *counts);
    if (!counts)
        return uhi_fail_memory(sharing->call, "no memory for %zu counts", length);
    sharing->counts[part] = sampling.counts = counts;
    UHI_TRY(count_by_one(sampling.sampler, sharing->call, &sampling, n));
    pthread_mutex_lock(&sharing->lock);
    for (size_t j = 0; j < length; j++)
        sharing->sampling.counts[j] += counts[j];
    pthread_mutex_unlock(&sharing->lock);
    return UH_SUCCESS;
}

static uh_status share_counts(uh_sampler *sampler, const char *call, const struct uhi_sampling *sampling, uint64_t n) {
    struct sharing sharing = {
        .sampler = sampler, .call = call, .sampling = *sampling, .lock = PTHREAD_MUTEX_INITIALIZER};
    const struct uhi_share share = {.call = call,
                                    .queue = sampler->queue,
                                    .n = n,
                                    .min_piece = UHI_SAMPLES_MIN_SHARE > sampling->length ? UHI_SAMPLES_MIN_SHARE
                                                                                          : sampling->length,
                                    .piece = count_piece,
                                    .context = &sharing};
    sharing.sampling.counts = calloc(sampling->length, sizeof *sampling->counts);
    if (!sharing.sampling.counts)
        return uhi_fail_memory(call, "no memory for %zu counts", sampling->length);
    const uh_status status = uhi_share_out(&share, &sampler->shares->counting);
    if (!status)
        memcpy(sampling->counts, sharing.sampling.counts, sampling->length * sizeof *sampling->counts);
    for (size_t i = 0; i < UHI_MAX_SHARES; i++)
        free(sharing.counts[i]);
    free(sharing.sampling.counts);
    pthread_mutex_destroy(&sharing.lock);
    return status;
}

uh_status uhi_sampler_count(uh_sampler *sampler, const char *call, uint64_t seed, uint64_t offset, uint64_t n,
                            uint64_t *counts, size_t length) {
    struct uhi_sampling sampling = {
        .sampler = sampler, .seed = seed, .offset = offset, .counts = counts, .length = length};
    UHI_TRY(uhi_check_host_memory(sampler->queue, call, "counts", counts, length * sizeof *counts));
    if (n == 0) {
        memset(counts, 0, length * sizeof *counts);
        return UH_SUCCESS;
    }
    return sampler->shares ? share_counts(sampler, call, &sampling, n) : count_by_one(sampler, call, &sampling, n);
}

/* ---- description ------------------------------------------------------------------------------------------------- */

int uhi_sampler_device_text(const uh_sampler *sampler, char *text, size_t size) {
    if (sampler->shares && sampler->shares->of[0]) /* all parts work alike */
        sampler = sampler->shares->of[0];
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
