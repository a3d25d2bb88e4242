/* SPDX-License-Identifier: Apache-2.0 */
/* From edges to a plan: thresholds, repetitions taken out, then the map that the method or the planner chooses. */
#include "kernels/histogram/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/status.h"

void *uhi_plan_alloc(struct uhi_histogram_plan *plan, size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (memory) {
        plan->owned_bytes[plan->owned_count] = count * size;
        plan->owned[plan->owned_count++] = memory;
        plan->bytes += count * size;
    }
    return memory;
}

uint32_t uhi_plan_depth_limit(double range, double smallest, size_t bins) {
    if (bins < 2 || !(smallest > 0) || !(range > smallest) || isinf(range))
        return bins < 2 || !(range > smallest) ? 0 : 64;
    /* The quotient of two edges' differences carries their rounding: an exact power of k must stay one. */
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

static int scalar_equal(const struct uhi_thresholds *t, size_t a, size_t b) {
    switch (t->compare) {
    case UHI_COMPARE_F32: return ((const float *)t->values)[a] == ((const float *)t->values)[b];
    case UHI_COMPARE_F64: return ((const double *)t->values)[a] == ((const double *)t->values)[b];
    case UHI_COMPARE_I32: return ((const int32_t *)t->values)[a] == ((const int32_t *)t->values)[b];
    default: return ((const int64_t *)t->values)[a] == ((const int64_t *)t->values)[b];
    }
}

/* 8- and 16-bit values: walk through all of them and the thresholds together. */
static int make_direct(struct uhi_histogram_plan *plan, const struct uhi_thresholds *t) {
    size_t values = (size_t)1 << (8 * uh_dtype_size(plan->dtype));
    int is_signed = plan->dtype == UH_I8 || plan->dtype == UH_I16;
    int32_t smallest = is_signed ? -(int32_t)(values / 2) : 0;
    const int32_t *thresholds = t->values;
    uint32_t *direct = uhi_plan_alloc(plan, values, sizeof *direct);
    if (!direct)
        return -1;
    size_t reached = 0;
    for (size_t i = 0; i < values; i++) {
        int32_t value = smallest + (int32_t)i;
        while (reached < t->count && thresholds[reached] <= value)
            reached++;
        direct[(uint32_t)value & (uint32_t)(values - 1)] = (uint32_t)reached;
    }
    plan->tables.compare = UHI_COMPARE_DIRECT;
    plan->tables.map = UHI_MAP_DIRECT;
    plan->tables.form = values == 256 ? UHI_FORM_BYTES : UHI_FORM_MAP;
    plan->tables.direct = direct;
    plan->tables.levels = 1;
    plan->tables.cells = (uint32_t)values;
    plan->all_cells = values;
    return 0;
}

/* Copies the distinct inner thresholds into the plan, room for the pads behind them, and the slots of their ranks where
 * some were equal. */
static int take_inner(struct uhi_histogram_plan *plan, const struct uhi_thresholds *t, size_t nedges) {
    size_t end = t->count < nedges - 1 ? t->count : nedges - 1; /* inner thresholds: 1 .. end - 1 */
    size_t size = t->compare == UHI_COMPARE_F32 || t->compare == UHI_COMPARE_I32 ? 4 : 8;
    size_t inner = end > 1 ? end - 1 : 0, distinct = 0;
    for (size_t j = 1; j <= inner; j++)
        distinct += j == 1 || !scalar_equal(t, j - 1, j);
    size_t pads = 1; /* see pad_thresholds */
    while (pads <= distinct)
        pads *= 2;
    pads += plan->tables.leaf;
    char *thresholds = uhi_plan_alloc(plan, distinct + pads, size);
    uint32_t *slot = NULL;
    if (!thresholds)
        return -1;
    if (distinct < inner) {
        slot = uhi_plan_alloc(plan, distinct + 1, sizeof *slot);
        if (!slot)
            return -1;
        slot[0] = 1;
    }
    size_t rank = 0;
    for (size_t j = 1; j <= inner; j++) {
        if (j == 1 || !scalar_equal(t, j - 1, j))
            memcpy(thresholds + rank++ * size, (const char *)t->values + j * size, size);
        if (slot)
            slot[rank] = (uint32_t)j + 1;
    }
    plan->tables.thresholds = thresholds;
    plan->tables.slot = slot;
    plan->tables.ranks = (uint32_t)distinct;
    return 0;
}

/* Binary search: the smallest number of halvings that reaches every rank. */
static void make_search(struct uhi_histogram_plan *plan) {
    struct uhi_histogram_tables *tables = &plan->tables;
    uint32_t steps = 0;
    while (((uint64_t)1 << steps) <= tables->ranks)
        steps++;
    tables->map = UHI_MAP_SEARCH;
    tables->levels = 1;
    tables->steps = steps;
    tables->cells = 1;
    plan->all_cells = 1;
    plan->comparisons = steps;
}

static int make_maps(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input) {
    int mesh = plan->method == UH_METHOD_MESH;
    switch (plan->tables.compare) {
    case UHI_COMPARE_F32: return mesh ? uhi_plan_mesh_f32(plan, input) : uhi_plan_maps_f32(plan, input);
    case UHI_COMPARE_F64: return mesh ? uhi_plan_mesh_f64(plan, input) : uhi_plan_maps_f64(plan, input);
    case UHI_COMPARE_I32: return mesh ? uhi_plan_mesh_i32(plan, input) : uhi_plan_maps_i32(plan, input);
    default: return mesh ? uhi_plan_mesh_i64(plan, input) : uhi_plan_maps_i64(plan, input);
    }
}

/* With no more cuts than this, comparing with each is faster than looking up (perf/README.md). */
static size_t compared_cuts(const struct uhi_histogram_plan *plan) {
    return plan->tables.value_bytes == 4 ? 20 : 12;
}

static int make_cuts(struct uhi_histogram_plan *plan, const struct uhi_thresholds *t) {
    switch (plan->tables.compare) {
    case UHI_COMPARE_F32: return uhi_plan_cuts_f32(plan, t->values, t->count);
    case UHI_COMPARE_F64: return uhi_plan_cuts_f64(plan, t->values, t->count);
    case UHI_COMPARE_I32: return uhi_plan_cuts_i32(plan, t->values, t->count);
    default: return uhi_plan_cuts_i64(plan, t->values, t->count);
    }
}

static int make_packed(struct uhi_histogram_plan *plan, size_t budget) {
    switch (plan->tables.compare) {
    case UHI_COMPARE_F32: return uhi_plan_packed_f32(plan, budget);
    case UHI_COMPARE_F64: return uhi_plan_packed_f64(plan, budget);
    case UHI_COMPARE_I32: return uhi_plan_packed_i32(plan, budget);
    default: return uhi_plan_packed_i64(plan, budget);
    }
}

/* The form of the host, where the method leaves a choice or names one. */
static int make_form(struct uhi_histogram_plan *plan, const struct uhi_thresholds *t,
                     const struct uhi_plan_options *options) {
    const uh_method method = options->method;
    const size_t cells_bytes = plan->all_cells * sizeof(uint32_t);
    if (method != UH_METHOD_AUTO && method != UH_METHOD_COMPARE && method != UH_METHOD_PACKED)
        return 0;
    if (method == UH_METHOD_AUTO && t->count > compared_cuts(plan) && plan->tables.levels != 1)
        return 0;
    if (make_cuts(plan, t))
        return -1;
    if (method == UH_METHOD_COMPARE || (method == UH_METHOD_AUTO && plan->tables.cut_count <= compared_cuts(plan))) {
        plan->tables.form = UHI_FORM_COMPARE;
        return 0;
    }
    if (plan->tables.levels != 1 || options->table_bytes < cells_bytes)
        return 0;
    return make_packed(plan, options->table_bytes - cells_bytes);
}

static int make_tables(struct uhi_histogram_plan *plan, const struct uhi_edges *edges, const struct uhi_thresholds *t,
                       const struct uhi_plan_options *options) {
    struct uhi_histogram_tables *tables = &plan->tables;
    tables->bins = (uint32_t)(edges->count - 1);
    tables->value_bytes = (uint32_t)uh_dtype_size(plan->dtype);
    tables->leaf = options->leaf_bins;
    if (tables->value_bytes < 4)
        return make_direct(plan, t);
    tables->compare = t->compare;
    tables->flip = t->flip;
    tables->below_all = t->count == 0;
    tables->above_none = t->count < edges->count;
    if (t->count > 0)
        tables->first = scalar_at(t, 0);
    if (!tables->above_none)
        tables->last = scalar_at(t, t->count - 1);
    if (take_inner(plan, t, edges->count))
        return -1;
    if (plan->method == UH_METHOD_BINARY) {
        make_search(plan);
        return 0;
    }
    struct uhi_plan_input input = {.options = options, .bins = edges->count - 1};
    if (t->count > 0) {
        input.range_lo = scalar_at(t, 0);
        input.range_hi = scalar_at(t, t->count - 1);
    }
    return make_maps(plan, &input) ? -1 : make_form(plan, t, options);
}

/* Behind the thresholds stands what no value reaches, as far as a kernel may read: NaN for floats; for integers the
 * largest value, whose rank the kernels limit. */
static void pad_thresholds(struct uhi_histogram_plan *plan, void *thresholds) {
    const struct uhi_histogram_tables *tables = &plan->tables;
    size_t read = tables->map == UHI_MAP_MESH ? tables->leaf : ((size_t)1 << tables->steps) - 1;
    size_t from = tables->ranks, to = from + read;
    for (size_t i = from; i < to; i++) {
        switch (tables->compare) {
        case UHI_COMPARE_F32: ((float *)thresholds)[i] = NAN; break;
        case UHI_COMPARE_F64: ((double *)thresholds)[i] = NAN; break;
        case UHI_COMPARE_I32: ((int32_t *)thresholds)[i] = INT32_MAX; break;
        default: ((int64_t *)thresholds)[i] = INT64_MAX; break;
        }
    }
}

uh_status uhi_plan_create(const struct uhi_edges *edges, uh_dtype dtype, const struct uhi_plan_options *options,
                          struct uhi_histogram_plan **plan) {
    struct uhi_thresholds thresholds;
    uh_status status = uhi_thresholds_make(edges, dtype, &thresholds);
    if (status)
        return status;
    struct uhi_histogram_plan *made = calloc(1, sizeof *made);
    if (made) {
        made->dtype = dtype;
        made->method = options->method;
        if (options->method == UH_METHOD_MESH)
            made->depth_limit = depth_limit_of(edges);
    }
    if (!made || make_tables(made, edges, &thresholds, options)) {
        uhi_plan_destroy(made);
        status =
            uhi_fail(UH_ERROR_OUT_OF_MEMORY, "histogram plan: no memory for the tables of %zu bins", edges->count - 1);
    } else {
        if (made->tables.compare != UHI_COMPARE_DIRECT)
            pad_thresholds(made, made->owned[0]);
        *plan = made;
    }
    uhi_thresholds_free(&thresholds);
    return status;
}

void uhi_plan_destroy(struct uhi_histogram_plan *plan) {
    if (!plan)
        return;
    for (size_t i = 0; i < plan->owned_count; i++)
        free(plan->owned[i]);
    free(plan);
}
