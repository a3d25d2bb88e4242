/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory.h"
#include "runtime/queue.h"
#include "runtime/status.h"

enum { ALIGNMENT = 16 };

static uint64_t aligned(uint64_t bytes) { return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

static size_t scalar_size(const struct uhi_histogram_tables *t) {
    return t->compare == UHI_COMPARE_F32 || t->compare == UHI_COMPARE_I32 ? 4 : 8;
}

static int is_packed(const struct uhi_histogram_tables *t) { return t->lookup == UHI_LOOKUP_PACKED; }

/* A table that the kernels read. */
struct table {
    const void *from;
    uint64_t bytes;
    size_t offset; /* of the parameter that holds its position */
    int near;      /* every look-up reads it first */
};
enum { TABLES = 11 };

static uint64_t owned_bytes(const struct uhi_histogram_plan *plan, const void *table) {
    size_t i = 0;
    while (i < plan->owned_count && plan->owned[i] != table)
        i++;
    return i < plan->owned_count ? plan->owned_bytes[i] : 0;
}

/* Bytes of the thresholds with only the padding that the kernels need. */
static uint64_t threshold_bytes(const struct uhi_histogram_tables *t, size_t count, uint32_t steps) {
    const size_t pads = t->lookup == UHI_LOOKUP_MESH ? 0 : ((size_t)1 << steps) - 1;
    return (count + pads) * scalar_size(t);
}

#define OFFSET(member) offsetof(struct uhi_histogram_params, member)

/* Lists the tables, near ones first. Returns their number. */
static size_t list_tables(const struct uhi_histogram_plan *plan, struct table *list) {
    const struct uhi_histogram_tables *t = &plan->tables;
    const struct table packed[] = {{t->packed.entry, owned_bytes(plan, t->packed.entry), OFFSET(entry), 1},
                                   {t->cuts, threshold_bytes(t, t->cut_count, t->packed.steps), OFFSET(thresholds), 1},
                                   {t->cut_slot, owned_bytes(plan, t->cut_slot), OFFSET(slot), 0}};
    const struct table others[] = {{t->thresholds, threshold_bytes(t, t->ranks, t->steps), OFFSET(thresholds), 1},
                                   {t->base, owned_bytes(plan, t->base), OFFSET(base), 1},
                                   {t->slot, owned_bytes(plan, t->slot), OFFSET(slot), 1},
                                   {t->direct, owned_bytes(plan, t->direct), OFFSET(direct), 1},
                                   {t->node_lo, owned_bytes(plan, t->node_lo), OFFSET(node_lo), 1},
                                   {t->node_hi, owned_bytes(plan, t->node_hi), OFFSET(node_hi), 1},
                                   {t->node_scale, owned_bytes(plan, t->node_scale), OFFSET(node_scale), 1},
                                   {t->node_shift, owned_bytes(plan, t->node_shift), OFFSET(node_shift), 1},
                                   {t->node_first, owned_bytes(plan, t->node_first), OFFSET(node_first), 1},
                                   {t->mesh_nodes, owned_bytes(plan, t->mesh_nodes), OFFSET(mesh_nodes), 1},
                                   {t->mesh_cells, owned_bytes(plan, t->mesh_cells), OFFSET(mesh_cells), 1}};
    const struct table *from = is_packed(t) ? packed : others;
    const size_t all = is_packed(t) ? sizeof packed / sizeof *packed : sizeof others / sizeof *others;
    size_t count = 0;
    for (size_t i = 0; i < all; i++)
        if (from[i].from)
            list[count++] = from[i];
    return count;
}

static uint64_t bytes_of_tables(const struct uhi_histogram_plan *plan, int near_alone) {
    struct table list[TABLES];
    const size_t count = list_tables(plan, list);
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += near_alone && !list[i].near ? 0 : aligned(list[i].bytes);
    return bytes;
}

uint64_t uhi_histogram_near_bytes(const struct uhi_histogram_plan *plan) { return bytes_of_tables(plan, 1); }

uint64_t uhi_histogram_image_bytes(const struct uhi_histogram_plan *plan) {
    return aligned(sizeof(struct uhi_histogram_params)) + bytes_of_tables(plan, 0);
}

size_t uhi_histogram_counters(const struct uhi_histogram_tables *t) {
    return is_packed(t) ? (size_t)t->cut_count + 2 : (size_t)t->bins + 3;
}

static uint64_t bits_of(const struct uhi_histogram_tables *t, union uhi_scalar value) {
    uint64_t bits = 0;
    if (t->compare == UHI_COMPARE_I32)
        return (uint64_t)value.i32;
    memcpy(&bits, &value, scalar_size(t)); /* x86-64 is little-endian */
    return bits;
}

/* OpenCL C takes shift counts modulo the type's width: if all keys are in one cell, all are clamped to one key. */
static void set_shift(struct uhi_histogram_params *p, const struct uhi_histogram_tables *t, uint32_t shift) {
    const int one_cell = shift >= 8 * scalar_size(t);
    p->hi_key = one_cell ? p->lo_key : p->hi_key;
    p->shift = one_cell ? 0 : shift;
}

static void set_packed(struct uhi_histogram_params *p, const struct uhi_histogram_tables *t) {
    const struct uhi_packed *packed = &t->packed;
    p->lo = bits_of(t, packed->lo);
    p->scale = bits_of(t, packed->scale);
    p->top = bits_of(t, packed->top);
    p->end = bits_of(t, packed->end);
    p->lo_key = packed->lo_key;
    p->end_key = packed->end_key;
    p->hi_key = packed->hi_key;
    set_shift(p, t, packed->pre);
    p->limit = (uint32_t)packed->limit;
    p->logarithm = packed->map == UHI_MAP_LOGARITHM;
    p->fraction = packed->fraction;
    p->rank_bits = packed->rank_bits;
    p->rank_mask = uhi_rank_mask(packed->rank_bits);
    p->single_mask = uhi_single_mask(packed->rank_bits);
    p->nan = packed->nan;
    p->steps = packed->steps;
    p->ranks = t->cut_count;
    p->has_slot = t->cut_slot != NULL;
}

static void set_inner(struct uhi_histogram_params *p, const struct uhi_histogram_tables *t) {
    p->first = bits_of(t, t->first);
    p->last = bits_of(t, t->last);
    p->lo = bits_of(t, t->lo);
    p->scale = bits_of(t, t->scale);
    p->top = bits_of(t, t->top);
    p->lo_key = t->lo_key;
    p->hi_key = t->hi_key;
    set_shift(p, t, t->shift);
    p->limit = (uint32_t)t->limit;
    p->logarithm = t->map == UHI_MAP_LOGARITHM;
    p->steps = t->steps;
    p->ranks = t->ranks;
    p->all_below = t->all_below;
    p->none_above = t->none_above;
    p->leaf = t->leaf;
    p->has_slot = t->slot != NULL;
}

void uhi_histogram_image_write(const struct uhi_histogram_plan *plan, void *image) {
    const struct uhi_histogram_tables *t = &plan->tables;
    struct uhi_histogram_params params = {.flip = (uint64_t)t->flip, .bins = t->bins}, *p = &params;
    struct table list[TABLES];
    const size_t count = list_tables(plan, list);
    if (is_packed(t))
        set_packed(p, t);
    else
        set_inner(p, t);
    p->counters = (uint32_t)uhi_histogram_counters(t);
    p->tables = (uint32_t)aligned(sizeof params);
    p->near = (uint32_t)uhi_histogram_near_bytes(plan);
    p->bytes = uhi_histogram_image_bytes(plan);
    memset(image, 0, p->bytes);
    uint32_t offset = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy((char *)p + list[i].offset, &offset, sizeof offset);
        memcpy((char *)image + p->tables + offset, list[i].from, list[i].bytes);
        offset += (uint32_t)aligned(list[i].bytes);
    }
    memcpy(image, p, sizeof params);
}

/* ---- on a device ---- */

uh_status uhi_histogram_check_device(const char *call, const struct uhi_engine *engine,
                                     const struct uhi_histogram_plan *plan) {
    const uh_device_properties *p = &engine->properties;
    const struct uhi_histogram_tables *t = &plan->tables;
    if (t->compare == UHI_COMPARE_F32 && !p->fp_exact)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL,
                        "%s (%s) computes without denormals or with another rounding than IEEE 754's, which would "
                        "misplace float32 values; expected float64 or integers, or another device, such as the host",
                        p->selector, p->name);
    if (uhi_histogram_image_bytes(plan) > UINT32_MAX)
        return uhi_fail(UH_ERROR_UNSUPPORTED, call, NULL,
                        "the tables take %llu bytes, expected at most %llu on a device; set table_bytes lower",
                        (unsigned long long)uhi_histogram_image_bytes(plan), (unsigned long long)UINT32_MAX);
    return UH_SUCCESS;
}

/* The type in the names of a plan's kernels. */
static const char *type_name(const struct uhi_histogram_tables *t) {
    switch (t->compare) {
    case UHI_COMPARE_F32: return "f32";
    case UHI_COMPARE_F64: return "f64";
    case UHI_COMPARE_I32: return "i32";
    case UHI_COMPARE_I64: return "i64";
    case UHI_COMPARE_K64: return "k64";
    default: return t->value_bytes == 1 ? "d8" : "d16";
    }
}

const char *uhi_histogram_lookup_name(const struct uhi_histogram_tables *t) {
    switch (t->lookup) {
    case UHI_LOOKUP_SEARCH: return "search";
    case UHI_LOOKUP_PACKED:
        if (t->compare == UHI_COMPARE_I64)
            return "packed";
        return t->packed.map == UHI_MAP_LOGARITHM ? "packed_logarithm" : "packed_linear";
    default: return uhi_lookup_name(t->lookup);
    }
}

int uhi_histogram_kernel_name(const struct uhi_histogram_plan *plan, const char *task, enum uhi_tier tier, char *name,
                              size_t size) {
    const int has_tier = tier != UHI_TIERS;
    return snprintf(name, size, "%s%s%s_%s_%s", task, has_tier ? "_" : "", has_tier ? uhi_shape_tier_name(tier) : "",
                    type_name(&plan->tables), uhi_histogram_lookup_name(&plan->tables));
}

uh_status uhi_histogram_kernel(struct uhi_engine *engine, const struct uhi_histogram_plan *plan, const char *task,
                               uh_kernel **kernel) {
    char name[64];
    uhi_histogram_kernel_name(plan, task, UHI_TIERS, name, sizeof name);
    return uhi_engine_kernel(engine, name, kernel);
}

uh_status uhi_histogram_upload(const char *call, const struct uhi_engine *engine, const struct uhi_histogram_plan *plan,
                               void **image) {
    const uint64_t bytes = uhi_histogram_image_bytes(plan);
    void *host = malloc(bytes), *made = NULL;
    if (!host)
        return uhi_fail_memory(call, "no memory for tables of %llu bytes", (unsigned long long)bytes);
    uhi_histogram_image_write(plan, host);
    uh_status status = uh_malloc(engine->device, UH_MEMORY_DEVICE, bytes, 0, &made);
    if (!status)
        status = uhi_engine_fetch(engine, made, host, bytes);
    if (status)
        uhi_free(made);
    else
        *image = made;
    free(host);
    return status;
}
