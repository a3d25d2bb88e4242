/* SPDX-License-Identifier: Apache-2.0 */
/* One-line description of a plan, for people. */
#include <inttypes.h>
#include <stdio.h>

#include "kernels/plan/plan.h"

static const char *map_text(const struct uhi_histogram_tables *t) {
    switch (t->map) {
    case UHI_MAP_DIRECT: return "direct";
    case UHI_MAP_SEARCH: return "none";
    case UHI_MAP_MESH: return "nested uniform";
    case UHI_MAP_LOGARITHM: return t->levels == 2 ? "piecewise linear on logarithmic" : "logarithmic";
    default: return t->levels == 2 ? "piecewise linear on uniform" : "uniform";
    }
}

int uhi_plan_text(const struct uhi_histogram_plan *plan, const char *method, enum uhi_body body, char *text,
                  size_t size) {
    const struct uhi_histogram_tables *t = &plan->tables;
    const struct uhi_packed *p = &t->packed;
    const char *map = map_text(t);
    char with_kind[64];
    snprintf(with_kind, sizeof with_kind, "%s:%s%s%s%s", method, plan->kind ? " " : "", plan->kind ? plan->kind : "",
             plan->kind ? "," : "", t->compare == UHI_COMPARE_K64 ? " float64 by keys," : "");
    method = with_kind;
    if (body == UHI_BODY_HOST && t->form == UHI_FORM_COMPARE)
        return snprintf(text, size,
                        "%s map none, cells 0, levels 0, bytes %zu, look-ups 0 and comparisons %" PRIu32
                        " a point: every value with every edge",
                        method, plan->bytes, t->cut_count);
    if (body == UHI_BODY_DEVICE ? uhi_is_packed_on_devices(t) : t->form == UHI_FORM_PACKED)
        return snprintf(text, size,
                        "%s map packed %s, cells %" PRIu32 ", levels 1, bytes %zu, look-ups 1 and comparisons %.4g a "
                        "point: %zu cells hold more than one of %" PRIu32 " edges, none more than %" PRIu32 "%s%s",
                        method, p->map == UHI_MAP_LOGARITHM ? "logarithmic" : "uniform", p->cells, plan->bytes,
                        p->outside ? 2. : 0., plan->packed_crowded, t->cut_count, plan->packed_max,
                        p->outside ? "; first and last edge compared" : "",
                        body == UHI_BODY_HOST && p->each ? "; entries loaded one by one" : "");
    switch (t->map) {
    case UHI_MAP_DIRECT:
        return snprintf(text, size,
                        "%s map %s, cells %zu, levels 1, bytes %zu, look-ups 1 and comparisons 0 a point: a cell for "
                        "each of the type's values",
                        method, map, plan->all_cells, plan->bytes);
    case UHI_MAP_SEARCH:
        return snprintf(text, size,
                        "%s map %s, cells 1, levels 1, bytes %zu, look-ups 0 and comparisons %" PRIu32
                        " a point: binary search over %" PRIu32 " inner edges",
                        method, map, plan->bytes, t->steps, t->ranks);
    case UHI_MAP_MESH:
        return snprintf(text, size,
                        "%s map %s, cells %zu, levels %" PRIu32 ", bytes %zu, look-ups 1 to %" PRIu32
                        " and comparisons %.4g a point if uniform: cells of more than %" PRIu32
                        " edges refined, %" PRIu32 " of at most %" PRIu32 " levels below the first",
                        method, map, plan->all_cells, t->levels, plan->bytes, t->levels, plan->comparisons, t->leaf,
                        plan->depth, plan->depth_limit);
    default:
        return snprintf(text, size,
                        "%s map %s, cells %zu, levels %" PRIu32 ", bytes %zu, look-ups %" PRIu32
                        " and comparisons %.4g a point: %zu cells hold more than one of %" PRIu32
                        " inner edges, none more than %zu",
                        method, map, plan->all_cells, t->levels, plan->bytes, t->levels, plan->comparisons,
                        plan->crowded_cells, t->ranks, plan->max_in_cell);
    }
}
