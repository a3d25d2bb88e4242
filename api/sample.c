/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers: argument checks; kernels/sample does the work. */
#include <unihist/sample.h>

#include <inttypes.h>
#include <stdio.h>

#include "api/histogram.h"
#include "kernels/sample/sample_run.h"
#include "runtime/status.h"

void uh_sampler_destroy(uh_sampler *sampler) { uhi_sampler_free(sampler); }

/* ---- properties ---- */

/* Returns the number of outcomes; 0 stands for 2^64. */
static uint64_t size_of(const struct uhi_sampler_form *form) {
    return (uint64_t)form->last - (uint64_t)form->first + 1;
}

uh_status uh_sampler_cumulative(const uh_sampler *sampler, uint64_t *c, size_t *used) {
    UHI_NEED(__func__, sampler, "a sampler");
    UHI_NEED(__func__, c, "where to store the probabilities");
    UHI_NEED(__func__, used, "where to store how many outcomes reach to the last one with mass");
    const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
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
    const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
    uh_sampler_properties made = {
        .struct_size = sizeof made,
        .first = form->first,
        .last = form->last,
        .size = size_of(form),
        .method = form->parts ? form->part[0]->method : UH_SAMPLE_UNIHIST,
    };
    const int written = describe(form, made.plan, sizeof made.plan);
    const size_t used = written < 0 || (size_t)written > sizeof made.plan ? sizeof made.plan : (size_t)written;
    if (written < 0 || uhi_sampler_device_text(sampler, made.plan + used, sizeof made.plan - used) < 0)
        return uhi_fail(UH_ERROR_INTERNAL, __func__, NULL, "the plan could not be formatted");
    return uhi_sized_fill(__func__, properties, &made, sizeof made);
}

/* ---- samples ---- */

uh_status uh_sampler_draw(uh_sampler *sampler, uint64_t seed, uint64_t offset, uh_dtype dtype, void *out, size_t n) {
    UHI_NEED(__func__, sampler, "a sampler");
    if (!out && n > 0)
        return uhi_fail_null(__func__, "out", "where to store the samples");
    UHI_TRY(uhi_samples_check(__func__, n, offset));
    if (dtype != UH_U32 && dtype != UH_U64 && dtype != UH_I32 && dtype != UH_I64)
        return uhi_fail_argument(__func__, "dtype", "is %s, expected uint32, uint64, int32 or int64",
                                 uh_enum_name(UH_ENUM_DTYPE, dtype) ? uh_enum_name(UH_ENUM_DTYPE, dtype) : "none");
    const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
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
    const struct uhi_sampler_form *form = uhi_sampler_get_form(sampler);
    const uint64_t size = size_of(form);
    if (size == 0 || size > UHI_SAMPLE_COUNTERS)
        return uhi_fail(UH_ERROR_UNSUPPORTED, __func__, NULL,
                        "the sampler has outcomes %" PRId64 " to %" PRId64 ", counts are made of at most 2^31",
                        form->first, form->last);
    if (length != size)
        return uhi_fail_argument(__func__, "length", "is %zu, expected the sampler's size, %" PRIu64, length, size);
    uh_status status = uhi_samples_check(__func__, n, offset);
    return status ? status : uhi_sampler_count(sampler, __func__, seed, offset, n, counts, length);
}
