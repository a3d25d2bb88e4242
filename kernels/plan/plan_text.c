/* SPDX-License-Identifier: Apache-2.0 */
/* One-line description of a plan, for people. */
#include <inttypes.h>
#include <stdio.h>

#include "kernels/plan/plan.h"

const char *uhi_lookup_name(enum uhi_lookup lookup) {
    static const char *const names[] = {
        [UHI_LOOKUP_AUTO] = "auto",     [UHI_LOOKUP_SEARCH] = "binary", [UHI_LOOKUP_MESH] = "mesh",
        [UHI_LOOKUP_CDF] = "cdf",       [UHI_LOOKUP_PACKED] = "packed", [UHI_LOOKUP_COMPARE] = "compare",
        [UHI_LOOKUP_DIRECT] = "direct",
    };
    return names[lookup];
}

static const char *map_text(enum uhi_map map) {
    return map == UHI_MAP_LOGARITHM ? "logarithmic" : "uniform";
}

static int packed_text(const struct uhi_histogram_plan *plan, const char *name, enum uhi_body body, char *text,
                       size_t size) {
    const struct uhi_packed *p = &plan->tables.packed;
    return snprintf(text, size,
                    "%s map packed %s, cells %" PRIu32 ", levels 1, bytes %zu, look-ups 1 and comparisons %.4g a "
                    "point: %zu cells hold more than one of %" PRIu32 " edges, none more than %" PRIu32 "%s%s%s",
                    name, map_text(p->map), p->cells, plan->bytes, body == UHI_BODY_HOST && p->outside ? 2. : 0.,
                    plan->packed_crowded, plan->tables.cut_count, plan->packed_max,
                    body == UHI_BODY_HOST && p->outside ? "; first and last edge compared" : "",
                    body == UHI_BODY_HOST && plan->tables.base ? "; crowded cells divided" : "",
                    body == UHI_BODY_HOST && p->scalar_loads ? "; entries loaded one by one" : "");
}

int uhi_plan_text(const struct uhi_histogram_plan *plan, enum uhi_body body, char *text, size_t size) {
    const struct uhi_histogram_tables *t = &plan->tables;
    char name[64];
    snprintf(name, sizeof name, "%s:%s%s%s%s", uhi_lookup_name(plan->wanted), plan->kind ? " " : "",
             plan->kind ? plan->kind : "", plan->kind ? "," : "",
             t->compare == UHI_COMPARE_K64 ? " float64 by keys," : "");
    switch (body == UHI_BODY_HOST ? t->on_host : t->lookup) {
    case UHI_LOOKUP_COMPARE:
        return snprintf(text, size,
                        "%s map none, cells 0, levels 0, bytes %zu, look-ups 0 and comparisons %" PRIu32
                        " a point: every value with every edge",
                        name, plan->bytes, t->cut_count);
    case UHI_LOOKUP_PACKED: return packed_text(plan, name, body, text, size);
    case UHI_LOOKUP_DIRECT:
        return snprintf(text, size,
                        "%s map direct, cells %zu, levels 1, bytes %zu, look-ups 1 and comparisons 0 a point: a cell "
                        "for each of the type's values",
                        name, plan->all_cells, plan->bytes);
    case UHI_LOOKUP_SEARCH:
        return snprintf(text, size,
                        "%s map none, cells 1, levels 1, bytes %zu, look-ups 0 and comparisons %" PRIu32
                        " a point: binary search over %" PRIu32 " inner edges",
                        name, plan->bytes, t->steps, t->ranks);
    case UHI_LOOKUP_MESH:
        return snprintf(text, size,
                        "%s map nested uniform, cells %zu, levels %" PRIu32 ", bytes %zu, look-ups 1 to %" PRIu32
                        " and comparisons %.4g a point if uniform: cells of more than %" PRIu32
                        " edges refined, %" PRIu32 " of at most %" PRIu32 " levels below the first",
                        name, plan->all_cells, t->levels, plan->bytes, t->levels, plan->comparisons, t->leaf,
                        plan->depth, plan->depth_limit);
    default:
        return snprintf(text, size,
                        "%s map piecewise linear on %s, cells %zu, levels 2, bytes %zu, look-ups 2 and comparisons "
                        "%.4g a point: %zu cells hold more than one of %" PRIu32 " inner edges, none more than %zu",
                        name, map_text(t->map), plan->all_cells, plan->bytes, plan->comparisons, plan->crowded_cells,
                        t->ranks, plan->max_in_cell);
    }
}
