/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_upload.h"

#include <string.h>

enum { ALIGNMENT = 16 };

static uint64_t aligned(uint64_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t scalar_size(const struct uhi_histogram_tables *t) {
    return t->compare == UHI_COMPARE_F32 || t->compare == UHI_COMPARE_I32 ? 4 : 8;
}

/* Bytes of table number i that the kernels read: of the thresholds only the pads that they need. */
static size_t table_bytes(const struct uhi_histogram_plan *plan, size_t i) {
    const struct uhi_histogram_tables *t = &plan->tables;
    if (plan->owned[i] != t->thresholds)
        return plan->owned_bytes[i];
    size_t pads = t->map == UHI_MAP_MESH ? 0 : ((size_t)1 << t->steps) - 1;
    return ((size_t)t->ranks + pads) * scalar_size(t);
}

uint64_t uhi_histogram_table_bytes(const struct uhi_histogram_plan *plan) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->owned_count; i++)
        bytes += aligned(table_bytes(plan, i));
    return bytes;
}

uint64_t uhi_histogram_image_bytes(const struct uhi_histogram_plan *plan) {
    return aligned(sizeof(struct uhi_histogram_params)) + uhi_histogram_table_bytes(plan);
}

int uhi_histogram_needs_fp64(const struct uhi_histogram_plan *plan) {
    const struct uhi_histogram_tables *t = &plan->tables;
    return t->compare == UHI_COMPARE_F64 || (t->map == UHI_MAP_MESH && t->compare != UHI_COMPARE_F32);
}

enum uhi_lookup uhi_histogram_lookup(const struct uhi_histogram_tables *t) {
    switch (t->map) {
    case UHI_MAP_DIRECT: return UHI_LOOKUP_DIRECT;
    case UHI_MAP_SEARCH: return UHI_LOOKUP_SEARCH;
    case UHI_MAP_MESH: return UHI_LOOKUP_MESH;
    case UHI_MAP_LOGARITHM: return t->levels == 2 ? UHI_LOOKUP_LOGARITHM_2 : UHI_LOOKUP_LOGARITHM;
    default: return t->levels == 2 ? UHI_LOOKUP_LINEAR_2 : UHI_LOOKUP_LINEAR;
    }
}

static uint64_t bits_of(const struct uhi_histogram_tables *t, union uhi_scalar value) {
    uint64_t bits = 0;
    if (t->compare == UHI_COMPARE_I32)
        return (uint64_t)value.i32;
    memcpy(&bits, &value, scalar_size(t)); /* little-endian, as every x86-64 */
    return bits;
}

static void set_numbers(struct uhi_histogram_params *p, const struct uhi_histogram_tables *t) {
    p->flip = (uint64_t)t->flip;
    p->first = bits_of(t, t->first);
    p->last = bits_of(t, t->last);
    p->lo = bits_of(t, t->lo);
    p->scale = bits_of(t, t->scale);
    p->top = bits_of(t, t->top);
    p->lo_key = t->lo_key;
    p->hi_key = t->hi_key;
    p->shift = t->shift;
    if (t->shift >= 8 * scalar_size(t)) { /* one cell: OpenCL C would shift by the rest of a division */
        p->hi_key = t->lo_key;
        p->shift = 0;
    }
    p->steps = t->steps;
    p->bins = t->bins;
    p->ranks = t->ranks;
    p->below_all = t->below_all;
    p->above_none = t->above_none;
    p->leaf = t->leaf;
    p->has_slot = t->slot != NULL;
}

void uhi_histogram_image_write(const struct uhi_histogram_plan *plan, void *image) {
    const struct uhi_histogram_tables *t = &plan->tables;
    struct uhi_histogram_params params = {0}, *p = &params;
    const struct {
        const void *table;
        uint32_t *offset;
    } known[] = {
        {t->thresholds, &p->thresholds},
        {t->base, &p->base},
        {t->slot, &p->slot},
        {t->direct, &p->direct},
        {t->node_lo, &p->node_lo},
        {t->node_hi, &p->node_hi},
        {t->node_scale, &p->node_scale},
        {t->node_shift, &p->node_shift},
        {t->node_first, &p->node_first},
        {t->mesh_nodes, &p->mesh_nodes},
        {t->mesh_cells, &p->mesh_cells},
    };
    set_numbers(p, t);
    p->tables = (uint32_t)aligned(sizeof params);
    p->bytes = uhi_histogram_image_bytes(plan);
    memset(image, 0, p->bytes);
    uint32_t offset = 0;
    for (size_t i = 0; i < plan->owned_count; i++) {
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            if (known[j].table == plan->owned[i])
                *known[j].offset = offset;
        size_t bytes = table_bytes(plan, i);
        memcpy((char *)image + p->tables + offset, plan->owned[i], bytes);
        offset += (uint32_t)aligned(bytes);
    }
    memcpy(image, p, sizeof params);
}
