/* SPDX-License-Identifier: Apache-2.0 */
/* One line about a plan, for people. */
#include <inttypes.h>
#include <stdio.h>

#include "kernels/histogram/plan.h"

static const char *method_text(uh_method method) {
    switch (method) {
    case UH_METHOD_MESH: return "mesh";
    case UH_METHOD_BINARY: return "binary";
    case UH_METHOD_UNIFORM: return "uniform";
    case UH_METHOD_LOGARITHM: return "logarithm";
    case UH_METHOD_PIECEWISE: return "piecewise";
    default: return "auto";
    }
}

static const char *map_text(const struct uhi_histogram_tables *t) {
    switch (t->map) {
    case UHI_MAP_DIRECT: return "direct";
    case UHI_MAP_SEARCH: return "none";
    case UHI_MAP_MESH: return "nested uniform";
    case UHI_MAP_LOGARITHM: return t->levels == 2 ? "piecewise linear on logarithmic" : "logarithmic";
    default: return t->levels == 2 ? "piecewise linear on uniform" : "uniform";
    }
}

int uhi_plan_text(const struct uhi_histogram_plan *plan, char *text, size_t size) {
    const struct uhi_histogram_tables *t = &plan->tables;
    const char *method = method_text(plan->method), *map = map_text(t);
    switch (t->map) {
    case UHI_MAP_DIRECT:
        return snprintf(text, size,
                        "%s: map %s, %zu cells, 1 level, %zu bytes, 1 look-up and 0 comparisons a point: a cell for "
                        "each of the type's values",
                        method, map, plan->all_cells, plan->bytes);
    case UHI_MAP_SEARCH:
        return snprintf(text, size,
                        "%s: map %s, 1 cell, 1 level, %zu bytes, 0 look-ups and %" PRIu32
                        " comparisons a point: binary search over %" PRIu32 " inner edges",
                        method, map, plan->bytes, t->steps, t->ranks);
    case UHI_MAP_MESH:
        return snprintf(text, size,
                        "%s: map %s, %zu cells, %" PRIu32 " level%s, %zu bytes, %s%" PRIu32
                        " look-up%s and %.3g comparisons a point if uniform: cells of more than %" PRIu32
                        " edges refined, %" PRIu32 " of at most %" PRIu32 " levels below the first",
                        method, map, plan->all_cells, t->levels, t->levels == 1 ? "" : "s", plan->bytes,
                        t->levels == 1 ? "" : "1 to ", t->levels, t->levels == 1 ? "" : "s", plan->comparisons, t->leaf,
                        plan->depth, plan->depth_limit);
    default:
        return snprintf(text, size,
                        "%s: map %s, %zu cell%s, %" PRIu32 " level%s, %zu bytes, %" PRIu32 " look-up%s and %" PRIu32
                        " comparison%s a point: no cell holds more than %zu of %" PRIu32 " inner edges",
                        method, map, plan->all_cells, plan->all_cells == 1 ? "" : "s", t->levels,
                        t->levels == 1 ? "" : "s", plan->bytes, t->levels, t->levels == 1 ? "" : "s", t->steps,
                        t->steps == 1 ? "" : "s", plan->crowd, t->ranks);
    }
}
