/* SPDX-License-Identifier: Apache-2.0 */
/* From edges to a plan: thresholds, removal of repetitions, then the map by the method or the planner. */
#include "kernels/plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/keys.h"
#include "kernels/common/shape.h"
#include "runtime/status.h"

enum uhi_lookup uhi_lookup_of_method(uh_method method) {
    static const enum uhi_lookup lookups[] = {[UH_METHOD_AUTO] = UHI_LOOKUP_AUTO,
                                              [UH_METHOD_MESH] = UHI_LOOKUP_MESH,
                                              [UH_METHOD_BINARY] = UHI_LOOKUP_SEARCH,
                                              [UH_METHOD_CDF] = UHI_LOOKUP_CDF};
    return (size_t)method < sizeof lookups / sizeof *lookups ? lookups[method] : UHI_LOOKUPS;
}

void uhi_plan_aim(struct uhi_plan_options *options, uh_queue *queue, size_t counters, size_t axes, int shared) {
    const uh_device_properties *device = &uhi_queue_lead(queue)->device->properties;
    options->body = shared ? UHI_BODY_ANY : uhi_body_of(queue);
    options->keys = uhi_lacks_double(queue);
    if (uhi_body_of(queue) == UHI_BODY_DEVICE) {
        options->costs = uhi_costs_of(device);
        /* If there are too many counters for local memory, it may hold only the tables of several axes. */
        options->room = uhi_shape_room(counters, device) / axes;
        if (options->room == 0 && axes > 1)
            options->room = uhi_shape_room(1, device) / axes;
    }
}

uint32_t uhi_plan_depth_limit(double range, double smallest, size_t bins) {
    if (bins < 2 || !(smallest > 0) || !(range > smallest) || isinf(range))
        return bins < 2 || !(range > smallest) ? 0 : 64;
    /* The quotient of differences of edges has rounding errors: an exact power of k must remain one. */
    double n = ceil((log(range) - log(smallest)) / log((double)bins) - 1e-6) - 1;
    return n < 0 ? 0 : n > 64 ? 64 : (uint32_t)n;
}

static uint32_t depth_limit_of(const struct uhi_edges *edges) {
    double smallest = INFINITY;
    for (size_t j = 1; j < edges->count; j++) {
        double width = uhi_edge_f64(edges, j) - uhi_edge_f64(edges, j - 1);
        if (width > 0 && width < smallest)
            smallest = width;
    }
    return uhi_plan_depth_limit(uhi_edge_f64(edges, edges->count - 1) - uhi_edge_f64(edges, 0), smallest,
                                edges->count - 1);
}

static union uhi_scalar scalar_at(const struct uhi_thresholds *t, size_t j) {
    union uhi_scalar s = {.i64 = 0};
    switch (t->compare) {
    case UHI_COMPARE_F32: s.f32 = ((const float *)t->values)[j]; break;
    case UHI_COMPARE_F64: s.f64 = ((const double *)t->values)[j]; break;
    case UHI_COMPARE_I32: s.i32 = ((const int32_t *)t->values)[j]; break;
    default: s.i64 = ((const int64_t *)t->values)[j]; break;
    }
    return s;
}

/* 8- and 16-bit values: walks through all of them and the thresholds together. */
static int make_direct(struct uhi_histogram_plan *plan, const struct uhi_thresholds *t) {
    size_t values = (size_t)1 << (8 * uh_dtype_size(plan->dtype));
    int32_t smallest = uhi_value_is_signed(plan->dtype) ? -(int32_t)(values / 2) : 0;
    const int32_t *thresholds = t->values;
    uint32_t *direct = uhi_plan_alloc(plan, values, sizeof *direct);
    if (!direct)
        return -1;
    size_t reached = 0;
    for (size_t i = 0; i < values; i++) {
        int32_t value = smallest + (int32_t)i;
        while (reached < t->count && thresholds[reached] <= value)
            reached++;
        direct[(uint32_t)value & (uint32_t)(values - 1)] = uhi_edges_slot(plan->edges, reached);
    }
    plan->tables.compare = UHI_COMPARE_DIRECT;
    plan->tables.lookup = plan->tables.on_host = UHI_LOOKUP_DIRECT;
    plan->tables.direct = direct;
    plan->all_cells = values;
    return 0;
}

/* Functions of one compared type, see plan.h. */
struct plan_each {
    int (*inner)(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);
    int (*cuts)(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);
    int (*cells)(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options,
                 struct uhi_plan_cells *chosen);
    int (*packed)(struct uhi_histogram_plan *plan, struct uhi_plan_cells cells, size_t budget, int for_device);
    void (*units)(const struct uhi_histogram_plan *plan, struct uhi_plan_unit *units);
    int (*base)(struct uhi_histogram_plan *plan);
    int (*mesh)(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options);
    void (*pad)(struct uhi_histogram_plan *plan);
};

#define EACH(type)                                                                                                     \
    {                                                                                                                  \
        uhi_plan_inner_##type, uhi_plan_cuts_##type, uhi_plan_cells_##type, uhi_plan_packed_##type,                    \
            uhi_plan_units_##type, uhi_plan_base_##type, uhi_plan_mesh_##type, uhi_plan_pad_##type                     \
    }
static const struct plan_each each_type[] = {[UHI_COMPARE_F32] = EACH(f32),
                                             [UHI_COMPARE_F64] = EACH(f64),
                                             [UHI_COMPARE_I32] = EACH(i32),
                                             [UHI_COMPARE_I64] = EACH(i64),
                                             [UHI_COMPARE_K64] = EACH(k64)};

static void make_search(struct uhi_histogram_plan *plan) {
    struct uhi_histogram_tables *tables = &plan->tables;
    tables->lookup = tables->on_host = UHI_LOOKUP_SEARCH;
    tables->steps = uhi_plan_steps(tables->ranks);
    plan->all_cells = 1;
    plan->comparisons = tables->steps;
}

/* Up to this number of cuts, comparing with each is faster than a look-up (perf/README.md). */
static size_t compared_cuts(const struct uhi_histogram_plan *plan) { return plan->tables.value_bytes == 4 ? 20 : 12; }

/* Selects comparison with every cut on the host, if wanted, or if automatic and faster. There are at least as many cuts
 * as inner thresholds. */
static int make_compare(struct uhi_histogram_plan *plan, const struct plan_each *each, const struct uhi_thresholds *t) {
    const int wanted = plan->wanted == UHI_LOOKUP_COMPARE;
    if (!wanted && (plan->wanted != UHI_LOOKUP_AUTO || plan->tables.ranks > compared_cuts(plan)))
        return 0;
    if (each->cuts(plan, t->values, t->count))
        return -1;
    if (wanted || plan->tables.cut_count <= compared_cuts(plan))
        plan->tables.on_host = UHI_LOOKUP_COMPARE;
    return 0;
}

/* Returns the packed cells for these; on the host at most those that fit the first-level cache or 16 per cut, because
 * a crowded cell costs only some comparisons. Beyond a few megabytes 4 per cut, because misses of the last-level cache
 * cost more. */
static size_t packed_cells(const struct uhi_histogram_tables *t, size_t cells, int for_host) {
    enum { FEW = 1 << 12, MANY = 1 << 20 };
    size_t max = FEW;
    while (max < (size_t)(max < MANY ? 16 : 4) * t->cut_count)
        max *= 2;
    return for_host && max < cells ? max : cells;
}

/* Makes packed cells for the cuts, fewer if these do not fit, or of the other map; without any, as for one edge, binary
 * search. */
static int make_packed(struct uhi_histogram_plan *plan, const struct plan_each *each,
                       const struct uhi_plan_options *options, struct uhi_plan_cells chosen) {
    const int for_host = options->body != UHI_BODY_DEVICE, for_device = options->body != UHI_BODY_HOST;
    plan->tables.packed.scalar_loads = for_host && uhi_loads_win();
    const size_t maximum = packed_cells(&plan->tables, chosen.cells, for_host);
    for (int map = 0; map < 2; map++) {
        for (chosen.cells = maximum; chosen.cells > 0; chosen.cells /= 2) {
            if (each->packed(plan, chosen, options->table_bytes, for_device))
                return -1;
            if (plan->tables.lookup == UHI_LOOKUP_PACKED)
                return 0;
        }
        chosen.map = chosen.map == UHI_MAP_LINEAR ? UHI_MAP_LOGARITHM : UHI_MAP_LINEAR;
    }
    make_search(plan);
    return 0;
}

static int make_group(struct uhi_histogram_plan *group, const struct uhi_plan_options *options,
                      struct uhi_plan_cells cells) {
    return make_packed(group, &each_type[group->tables.compare], options, cells);
}

/* Makes packed cells over those of cdf, which find the ranks in crowded cells: on the host clusters of edges then slow
 * down only values in them. The cuts must be the inner thresholds and the first and last ones. */
static int make_packed_over_cdf(struct uhi_histogram_plan *plan, const struct plan_each *each,
                                const struct uhi_thresholds *t, const struct uhi_plan_options *options,
                                struct uhi_plan_cells chosen) {
    struct uhi_histogram_tables *tables = &plan->tables;
    struct uhi_plan_options left = *options;
    const size_t taken = plan->all_cells * sizeof(uint32_t) + (size_t)tables->cells * 32;
    if (each->cuts(plan, t->values, t->count))
        return -1;
    if (tables->cut_count != tables->ranks + 2 || options->table_bytes <= taken)
        return 0;
    left.table_bytes -= taken;
    const uint32_t steps = tables->steps;
    if (make_packed(plan, each, &left, chosen))
        return -1;
    tables->steps = steps;
    if (tables->lookup == UHI_LOOKUP_SEARCH)
        tables->lookup = tables->on_host = UHI_LOOKUP_CDF;
    return 0;
}

/* Makes the tables of the cheapest look-up, or of one of those that have no public method. */
static int make_cheapest(struct uhi_histogram_plan *plan, const struct plan_each *each, const struct uhi_thresholds *t,
                         const struct uhi_plan_options *options) {
    struct uhi_histogram_tables *tables = &plan->tables;
    struct uhi_plan_cells chosen;
    if (options->body != UHI_BODY_DEVICE && make_compare(plan, each, t))
        return -1;
    const int compares = tables->on_host == UHI_LOOKUP_COMPARE;
    if (compares && options->body == UHI_BODY_HOST)
        return 0;
    if (each->cells(plan, options, &chosen) || (chosen.is_cdf && each->base(plan)))
        return -1;
    if (!chosen.is_cdf &&
        ((!tables->cuts && each->cuts(plan, t->values, t->count)) || make_packed(plan, each, options, chosen)))
        return -1;
    if (chosen.is_cdf && options->body == UHI_BODY_HOST && make_packed_over_cdf(plan, each, t, options, chosen))
        return -1;
    if (plan->edges->distribution && options->body == UHI_BODY_HOST && tables->on_host == UHI_LOOKUP_PACKED &&
        uhi_plan_groups(plan, options, (struct uhi_plan_grouping){each->units, make_group}))
        return -1;
    if (compares)
        tables->on_host = UHI_LOOKUP_COMPARE;
    return 0;
}

static int make_tables(struct uhi_histogram_plan *plan, const struct uhi_edges *edges, const struct uhi_thresholds *t,
                       const struct uhi_plan_options *options) {
    struct uhi_histogram_tables *tables = &plan->tables;
    tables->bins = (uint32_t)uhi_edges_bins(edges);
    tables->value_bytes = (uint32_t)uh_dtype_size(plan->dtype);
    tables->leaf = options->leaf_bins;
    if (tables->value_bytes < 4)
        return make_direct(plan, t);
    tables->compare = t->compare;
    tables->flip = t->flip;
    tables->all_below = t->count == 0;
    tables->none_above = t->count < edges->count;
    if (t->count > 0) {
        tables->first = scalar_at(t, 0);
        tables->last = scalar_at(t, t->count - 1);
    }
    const struct plan_each *each = &each_type[t->compare];
    if (each->inner(plan, t->values, t->count))
        return -1;
    struct uhi_plan_cells chosen;
    int failed = 0;
    switch (plan->wanted) {
    case UHI_LOOKUP_SEARCH: make_search(plan); break;
    case UHI_LOOKUP_MESH: failed = each->mesh(plan, options); break;
    case UHI_LOOKUP_CDF: failed = each->cells(plan, options, &chosen) ? -1 : each->base(plan); break;
    default: failed = make_cheapest(plan, each, t, options); break;
    }
    if (!failed)
        each->pad(plan);
    return failed;
}

uh_status uhi_plan_create(const char *call, const struct uhi_edges *edges, uh_dtype dtype,
                          const struct uhi_plan_options *options, struct uhi_histogram_plan **plan) {
    struct uhi_thresholds thresholds;
    if (options->lookup == UHI_LOOKUP_CDF && !edges->distribution)
        return uhi_fail_argument(call, NULL, "method cdf goes by a distribution, and the axis carries none");
    UHI_TRY(uhi_thresholds_make(call, edges, dtype, &thresholds));
    if (options->keys)
        uhi_thresholds_to_keys(&thresholds);
    struct uhi_histogram_plan *made = calloc(1, sizeof *made);
    if (made) {
        made->dtype = dtype;
        made->wanted = options->lookup;
        made->edges = edges;
        if (options->lookup == UHI_LOOKUP_MESH)
            made->depth_limit = depth_limit_of(edges);
    }
    uh_status status = UH_SUCCESS;
    if (!made || make_tables(made, edges, &thresholds, options)) {
        uhi_plan_destroy(made);
        status = uhi_fail_memory(call, "no memory for the tables of %zu bins", uhi_edges_bins(edges));
    } else {
        if (options->lookup == UHI_LOOKUP_CDF)
            made->kind = uhi_distribution_name(edges->distribution);
        made->edges = NULL;
        *plan = made;
    }
    uhi_thresholds_free(&thresholds);
    return status;
}

void uhi_plan_destroy(struct uhi_histogram_plan *plan) {
    if (!plan)
        return;
    uhi_plan_empty(plan);
    free(plan);
}

/* One-line description of a plan, for people. */

const char *uhi_lookup_name(enum uhi_lookup lookup) {
    static const char *const names[] = {
        [UHI_LOOKUP_AUTO] = "auto",     [UHI_LOOKUP_SEARCH] = "binary", [UHI_LOOKUP_MESH] = "mesh",
        [UHI_LOOKUP_CDF] = "cdf",       [UHI_LOOKUP_PACKED] = "packed", [UHI_LOOKUP_COMPARE] = "compare",
        [UHI_LOOKUP_DIRECT] = "direct",
    };
    return names[lookup];
}

static const char *map_text(enum uhi_map map) { return map == UHI_MAP_LOGARITHM ? "logarithmic" : "uniform"; }

static int packed_text(const struct uhi_histogram_plan *plan, const char *name, enum uhi_body body, char *text,
                       size_t size) {
    const struct uhi_packed *p = &plan->tables.packed;
    return snprintf(text, size,
                    "%s map packed %s, cells %" PRIu32 ", levels 1, bytes %zu, look-ups 1 and comparisons %.4g a "
                    "point: %zu cells hold more than one of %" PRIu32 " edges, none more than %" PRIu32 "%s%s%s%s",
                    name, map_text(p->map), p->cells, plan->bytes, body == UHI_BODY_HOST && p->outside ? 2. : 0.,
                    plan->packed_crowded, plan->tables.cut_count, plan->packed_max,
                    body == UHI_BODY_HOST && p->outside ? "; first and last edge compared" : "",
                    body == UHI_BODY_HOST && plan->tables.base ? "; crowded cells divided" : "",
                    body == UHI_BODY_HOST && p->scalar_loads ? "; entries loaded one by one" : "",
                    plan->tables.groups ? "; in groups by the distribution" : "");
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
