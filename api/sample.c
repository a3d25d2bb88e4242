/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers, and numpy.random.choice: argument checks; kernels/sample does the work. */
#include <unihist/sample.h>

#include <inttypes.h>
#include <stdio.h>

#include "api/histogram.h"
#include "kernels/sample/sample_run.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

void uh_sampler_destroy(uh_sampler *sampler) { uhi_sampler_free(sampler); }

/* ---- properties ---- */

uh_status uh_sampler_cumulative(const uh_sampler *sampler, uint64_t *c, size_t *used) {
    UHI_NEED(__func__, sampler, "a sampler");
    UHI_NEED(__func__, c, "where to store the probabilities");
    UHI_NEED(__func__, used, "where to store how many outcomes reach to the last one with mass");
    const struct uhi_sampler_form *form = &sampler->form;
    const struct uhi_sample_table *table = form->part[0];
    if (form->parts != 1)
        return uhi_fail(UH_ERROR_UNSUPPORTED, __func__, NULL,
                        "the sampler has no table of its outcomes' probabilities");
    for (uint32_t j = 0, rank = 0; j < table->size; j++) {
        c[j] = rank < table->items ? (uint64_t)table->top[rank] << 32 | table->low[rank] : 0;
        rank += rank < table->items && (table->map ? table->map[rank] : rank) == j;
    }
    *used = (table->map ? table->map[table->items - 1] : table->items - 1) + (size_t)1;
    return UH_SUCCESS;
}

/* Writes like snprintf. */
static int describe(const struct uhi_sampler_form *form, char *text, size_t size) {
    const struct uhi_sample_table *t = form->part[0];
    char tables[128] = "";
    size_t bytes = 0;
    if (form->uniform)
        return snprintf(text, size, "uniform integers, no table");
    for (size_t d = 0; d < form->parts; d++) {
        const struct uhi_sample_table *part = form->part[d];
        const size_t columns = part->threshold ? (size_t)3 << part->bits : 0;
        bytes += (part->cell_count + columns + (size_t)part->items * (part->map ? 3 : 2)) * sizeof(uint32_t);
    }
    if (t->method == UH_SAMPLE_UNIHIST)
        snprintf(tables, sizeof tables, "a guide of 2^%u cells, %u of them in %u parts each", (unsigned)t->bits,
                 (unsigned)t->splits, 1u << t->more);
    else if (t->method == UH_SAMPLE_ALIAS)
        snprintf(tables, sizeof tables, "2^%u columns", (unsigned)t->bits);
    else
        snprintf(tables, sizeof tables, "binary search");
    if (form->parts > 1)
        return snprintf(text, size, "%s: %zu digits; the first: %u outcomes with mass, %s; %zu bytes in all",
                        uh_enum_name(UH_ENUM_SAMPLE_METHOD, t->method), form->parts, (unsigned)t->items, tables, bytes);
    return snprintf(text, size, "%s: %u outcomes, %u with mass; %s; %zu bytes",
                    uh_enum_name(UH_ENUM_SAMPLE_METHOD, t->method), (unsigned)t->size, (unsigned)t->items, tables,
                    bytes);
}

uh_status uh_sampler_get_properties(const uh_sampler *sampler, uh_sampler_properties *properties) {
    UHI_NEED(__func__, sampler, "a sampler");
    const struct uhi_sampler_form *form = &sampler->form;
    uh_sampler_properties made = {
        .struct_size = sizeof made,
        .first = form->first,
        .last = form->last,
        .size = uhi_sampler_size(form),
        .method = form->parts ? form->part[0]->method : UH_SAMPLE_UNIHIST,
    };
    const int written = describe(form, made.plan, sizeof made.plan);
    const size_t used = written < 0 || (size_t)written > sizeof made.plan ? sizeof made.plan : (size_t)written;
    if (written < 0 || uhi_sampler_device_text(sampler, made.plan + used, sizeof made.plan - used) < 0)
        return uhi_fail(UH_ERROR_INTERNAL, __func__, NULL, "the plan could not be formatted");
    return uhi_sized_fill(__func__, properties, &made, sizeof made);
}

/* ---- samples ---- */

/* Checks that samples offset to offset + n - 1 exist: their numbers must be below 2^63. */
static uh_status check_samples(const char *call, uint64_t n, uint64_t offset) {
    const uint64_t end = (uint64_t)1 << 63;
    if (offset > end || n > end - offset)
        return uhi_fail_argument(
            call, "offset", "is %" PRIu64 " and n is %" PRIu64 ", expected their sum to be at most 2^63", offset, n);
    return UH_SUCCESS;
}

uh_status uh_sampler_draw(uh_sampler *sampler, uint64_t seed, uint64_t offset, uh_dtype dtype, void *out, size_t n) {
    UHI_NEED(__func__, sampler, "a sampler");
    if (!out && n > 0)
        return uhi_fail_null(__func__, "out", "where to store the samples");
    UHI_TRY(check_samples(__func__, n, offset));
    if (dtype != UH_U32 && dtype != UH_U64 && dtype != UH_I32 && dtype != UH_I64)
        return uhi_fail_argument(__func__, "dtype", "is %s, expected uint32, uint64, int32 or int64",
                                 uh_enum_name(UH_ENUM_DTYPE, dtype) ? uh_enum_name(UH_ENUM_DTYPE, dtype) : "none");
    const struct uhi_sampler_form *form = &sampler->form;
    const int64_t min = dtype == UH_I32 ? INT32_MIN : dtype == UH_I64 ? INT64_MIN : 0;
    const int64_t max = dtype == UH_I32 ? INT32_MAX : dtype == UH_U32 ? UINT32_MAX : INT64_MAX;
    if (form->first < min || form->last > max)
        return uhi_fail_argument(__func__, "dtype", "is %s, which does not hold the outcomes %" PRId64 " to %" PRId64,
                                 uh_enum_name(UH_ENUM_DTYPE, dtype), form->first, form->last);
    return uhi_sampler_draw(sampler, __func__, seed, offset, dtype == UH_U64 || dtype == UH_I64, out, n);
}

uh_status uh_sampler_count(uh_sampler *sampler, uint64_t seed, uint64_t offset, uint64_t n, uint64_t *counts,
                           size_t length) {
    UHI_NEED(__func__, sampler, "a sampler");
    UHI_NEED(__func__, counts, "where to store them");
    const struct uhi_sampler_form *form = &sampler->form;
    const uint64_t size = uhi_sampler_size(form);
    if (size == 0 || size > UHI_SAMPLE_COUNTERS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, __func__, NULL,
                        "the sampler has outcomes %" PRId64 " to %" PRId64 ", counts are made of at most 2^31",
                        form->first, form->last);
    if (length != size)
        return uhi_fail_argument(__func__, "length", "is %zu, expected the sampler's size, %" PRIu64, length, size);
    uh_status status = check_samples(__func__, n, offset);
    return status ? status : uhi_sampler_count(sampler, __func__, seed, offset, n, counts, length);
}

/* ---- samplers for a single call ---- */

struct picking {
    const char *population;
    size_t item_size, n;
    const void *indices;
    int wide;
    char *out;
};

/* Copies items whose size is a compile-time constant. */
__attribute__((always_inline)) static inline void pick_items(const struct picking *p, size_t from, size_t to,
                                                             size_t size) {
    const uint32_t *narrow = p->indices;
    const uint64_t *indices = p->indices;
    const int wide = p->wide;
    for (size_t i = from; i < to; i++)
        memcpy(p->out + i * size, p->population + (wide ? indices[i] : narrow[i]) * size, size);
}

static void pick_part(const void *context, size_t part, size_t parts) {
    const struct picking *p = context;
    const size_t from = uhi_part_start(p->n, parts, part), to = uhi_part_start(p->n, parts, part + 1);
    switch (p->item_size) {
    case 1: pick_items(p, from, to, 1); break;
    case 4: pick_items(p, from, to, 4); break;
    case 8: pick_items(p, from, to, 8); break;
    default: pick_items(p, from, to, p->item_size); break;
    }
}

/* Draws indices block by block and copies the items at them. */
static uh_status pick(uh_queue *queue, const char *call, uh_sampler *sampler, struct picking p, size_t n, uint64_t seed,
                      uint64_t offset) {
    const int wide = (uint64_t)sampler->form.last > UINT32_MAX;
    const size_t max = n < UHI_CHOICE_PIECE ? n : UHI_CHOICE_PIECE;
    void *indices = malloc(max * (wide ? sizeof(uint64_t) : sizeof(uint32_t)) + 1);
    uh_status status = UH_SUCCESS;
    if (!indices)
        return uhi_fail_memory(call, "no memory for %zu indices", max);
    p.indices = indices;
    p.wide = wide;
    for (size_t at = 0; at < n && !status; at += p.n, p.out += p.n * p.item_size) {
        p.n = n - at < max ? n - at : max;
        status = uhi_sampler_draw(sampler, call, seed, offset + at, wide, indices, p.n);
        if (!status)
            uhi_host_parallel(queue, "choice: pick", pick_part, &p, uhi_parts_for(queue, p.n, UHI_CHOICE_A_THREAD));
    }
    free(indices);
    return status;
}

static uh_status check_weights(const char *call, const uh_population *from) {
    uh_status status = uhi_check_array(call, "from->weights", UH_NO_INDEX, from->weights);
    if (status || from->weights->count == from->count)
        return status;
    return uhi_fail_argument(call, "from->weights->count", "is %zu and count is %zu, expected as many",
                             from->weights->count, from->count);
}

static uh_status check_memory(const char *call, const uh_queue *queue, const uh_population *from, const void *out,
                              size_t n) {
    const size_t k = from->count, size = from->item_size;
    if (!out && n > 0)
        return uhi_fail_argument(call, "out", "is NULL, expected room for %zu elements", n);
    if (!from->items && size != 4 && size != 8)
        return uhi_fail_argument(call, "from->item_size", "is %zu, expected 4 or 8 where items is NULL", size);
    if (!from->items && size == 4 && k - 1 > UINT32_MAX)
        return uhi_fail_argument(call, "from->item_size", "is 4, which does not hold indices to %zu", k - 1);
    if (size == 0 || n > SIZE_MAX / size || (from->items && k > SIZE_MAX / size))
        return uhi_fail_argument(call, "from->item_size",
                                 "is %zu, expected 1 or more, and arrays of it that memory can hold", size);
    if (!from->items)
        return UH_SUCCESS;
    const uh_array items = uh_array_of(UH_U8, from->items, k * size);
    UHI_TRY(uhi_check_host_memory(queue, call, "from->items", from->items, k * size));
    UHI_TRY(uhi_check_host_memory(queue, call, "out", out, n * size));
    return uhi_check_disjoint(call, "out", out, n, size, "from->items", &items);
}

uh_status uh_choice(uh_queue *queue, const uh_population *from, uint64_t seed, uint64_t offset, void *out, size_t n) {
    uh_sampler *sampler = NULL;
    UHI_NEED(__func__, from, "a population");
    UHI_NEED(__func__, queue, "a queue");
    if (from->count == 0 || from->count > (size_t)INT64_MAX)
        return uhi_fail_argument(__func__, "from->count", "is %zu, expected 1 to 2^63 - 1", from->count);
    UHI_TRY(check_samples(__func__, n, offset));
    UHI_TRY(check_memory(__func__, queue, from, out, n));
    if (from->weights)
        UHI_TRY(check_weights(__func__, from));
    const struct uhi_sampler_form uniform = {.last = (int64_t)(from->count - 1), .uniform = 1};
    UHI_TRY(from->weights ? uhi_sampler_of_weights(queue, __func__, from->weights, UH_SAMPLE_UNIHIST, &sampler)
                          : uhi_sampler_make(queue, __func__, &uniform, &sampler));
    const struct picking picking = {.population = from->items, .item_size = from->item_size, .out = out};
    const uh_status status = from->items
                                 ? pick(queue, __func__, sampler, picking, n, seed, offset)
                                 : uhi_sampler_draw(sampler, __func__, seed, offset, from->item_size == 8, out, n);
    uhi_sampler_free(sampler);
    return status;
}
