/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/queue.h"
#include "runtime/status.h"

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
    p->limit = (uint32_t)t->limit;
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

/* The suffix of the kernels' names for a plan. */
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

/* What follows it: the look-up. */
static const char *lookup_name(const struct uhi_histogram_plan *plan) {
    static const char *const names[] = {
        [UHI_LOOKUP_DIRECT] = "direct",       [UHI_LOOKUP_SEARCH] = "search",
        [UHI_LOOKUP_LINEAR] = "linear",       [UHI_LOOKUP_LINEAR_2] = "linear_2",
        [UHI_LOOKUP_LOGARITHM] = "logarithm", [UHI_LOOKUP_LOGARITHM_2] = "logarithm_2",
        [UHI_LOOKUP_MESH] = "mesh",
    };
    return names[uhi_histogram_lookup(&plan->tables)];
}

uh_status uhi_histogram_kernel(struct uhi_engine *engine, const struct uhi_histogram_plan *plan, const char *prefix,
                               uh_kernel **kernel) {
    char name[48];
    snprintf(name, sizeof name, "%s_%s_%s", prefix, type_name(&plan->tables), lookup_name(plan));
    return uhi_engine_kernel(engine, name, kernel);
}

uh_status uhi_histogram_upload(const char *call, const struct uhi_engine *engine, const struct uhi_histogram_plan *plan,
                               void **image) {
    const uint64_t bytes = uhi_histogram_image_bytes(plan);
    void *host = malloc(bytes), *made = NULL;
    if (!host)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, call, NULL, "no memory for tables of %llu bytes",
                        (unsigned long long)bytes);
    uhi_histogram_image_write(plan, host);
    uh_status status = uh_malloc(engine->device, UH_MEMORY_DEVICE, bytes, 0, &made);
    if (!status)
        status = uh_memcpy(engine->queue, made, host, bytes, NULL, 0, NULL);
    if (!status)
        status = uh_queue_wait(engine->queue);
    if (status) {
        uhi_queue_drain(engine->queue);
        (void)uh_free(made);
    } else {
        *image = made;
    }
    free(host);
    return status;
}
