/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/sample_run.h"

#include <inttypes.h>
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

/* The same for memory that is freed as soon as it is copied. */
static uh_status upload_and_free(struct uhi_frame *frame, uint32_t *from, size_t words, uint32_t **to) {
    uh_status status = upload(frame, from, words, to);
    if (!status)
        status = uh_queue_wait(frame->queue);
    if (status) /* a copy may still be under way */
        uhi_engine_quiesce(frame->engine);
    free(from);
    return status;
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
    return upload_and_free(frame, cells, table->cell_count, &part->front);
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
    UHI_TRY(upload_and_free(frame, pairs, part->words, &part->front));
    return upload(frame, table->rest, (size_t)1 << table->bits, &part->low);
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

uh_status uhi_sampler_options_check(const char *call, const uh_queue *queue, const uh_sampler_options *options,
                                    uh_sampler *const *sampler, uh_sample_method *method) {
    UHI_NEED(call, queue, "a queue");
    UHI_NEED(call, sampler, "where to store it");
    uh_sampler_options taken;
    UHI_TRY(uhi_sized_read(call, "options", options, &taken, sizeof taken));
    if ((unsigned)taken.method >= UHI_SAMPLE_METHODS)
        return uhi_fail_argument(call, "options->method", "is %d, expected a uh_sample_method", (int)taken.method);
    *method = taken.method == UH_SAMPLE_AUTO ? UH_SAMPLE_UNIHIST : taken.method;
    return UH_SUCCESS;
}

uh_status uhi_samples_check(const char *call, uint64_t n, uint64_t offset) {
    const uint64_t end = (uint64_t)1 << 63;
    if (offset > end || n > end - offset)
        return uhi_fail_argument(
            call, "offset", "is %" PRIu64 " and n is %" PRIu64 ", expected their sum to be at most 2^63", offset, n);
    return UH_SUCCESS;
}

struct uhi_sampler_shares {
    struct uhi_speeds drawing, counting;
    uh_sampler *of[UHI_MAX_SHARES];
};

/* `borrows`: the form's tables belong to another sampler. */
static uh_status make_sampler(uh_queue *queue, const char *call, const struct uhi_sampler_form *form, int borrows,
                              uh_sampler **sampler) {
    uh_sampler *made = calloc(1, sizeof *made);
    uh_status status = UH_SUCCESS;
    if (!made) {
        for (size_t d = 0; d < form->parts && !borrows; d++)
            uhi_sample_table_destroy(form->part[d]);
        return uhi_fail_memory(call, "no memory for a sampler");
    }
    uhi_queue_retain(queue);
    uhi_frame_open(&made->frame, queue, uhi_sample_variants());
    made->queue = queue;
    made->frame.call = call;
    made->form = *form;
    made->borrows = borrows;
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

uh_status uhi_sampler_make(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                           uh_sampler **sampler) {
    return make_sampler(queue, call, form, 0, sampler);
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
    for (size_t d = 0; d < sampler->form.parts && !sampler->borrows; d++)
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
    if (!*kept)
        UHI_TRY(make_sampler(sharing->sampler->queue->parts[part], sharing->call, &sharing->sampler->form, 1, kept));
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
        const uint64_t bound = (uint64_t)form->last - (uint64_t)form->first + 1;
        return uhi_random_fill(sampler->queue, call, UH_PHILOX4X32_10, uniform_kind(bound, wide), seed,
                               UHI_SAMPLE_STREAM_UNIFORM, offset, bound, form->first, out, n);
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
