/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/model.h"

#include "kernels/plan/types.h"

/* Where on its way a lane is: a stage of these, and the pass of its loop. */
enum stage { STAGE_BASE, STAGE_MESH, STAGE_COMPARE, STAGE_SLOT };
#define SITE(stage, pass) ((uint32_t)(stage) << 12 | (uint32_t)(pass))

/* A lane on its way through an axis's tables. */
struct lane {
    const struct model_axis *axis;
    const struct uhi_histogram_params *params;
    struct model_way *way;
};

/* Looks at a table's words, which are near or far; returns where they lie. */
static const void *look(const struct lane *lane, uint32_t site, uint32_t at, uint32_t words, int is_near) {
    const struct model_axis *axis = lane->axis;
    const int local = is_near && axis->local;
    model_way_add(lane->way, (struct model_access){axis->site + site, at + (local ? axis->address : 0), words,
                                                   (uint16_t)local, 0});
    return (const char *)axis->params + axis->params->tables + at;
}

static uint32_t look_uint(const struct lane *lane, uint32_t site, uint32_t table, uint32_t index) {
    uint32_t value;
    memcpy(&value, look(lane, site, table + index * 4, 1, 1), sizeof value);
    return value;
}

/* ---- an entry of packed cells ---- */

static uint32_t rank_part(const struct uhi_histogram_params *p, uint32_t entry) { return entry & p->rank_mask; }

static int is_decided(const struct uhi_histogram_params *p, uint32_t entry, uint32_t within) {
    return (entry ^ within) >> p->rank_bits != 0 && (entry & p->single_mask) != 0;
}

/* ---- each type ---- */

#define UHI_TYPE   f32
#define UHI_FLOATS 1
#define HAS_MESH   1
#include "perf/model/lookups.inc"
#undef UHI_TYPE
#undef HAS_MESH

#define UHI_TYPE f64
#define HAS_MESH 0
#include "perf/model/lookups.inc"
#undef UHI_TYPE
#undef HAS_MESH
#undef UHI_FLOATS

int model_is_followed(const struct model_axis *axis) {
    const enum uhi_compare compare = axis->plan->tables.compare;
    const enum uhi_lookup lookup = axis->plan->tables.lookup;
    return (compare == UHI_COMPARE_F32 || compare == UHI_COMPARE_F64) &&
           (lookup == UHI_LOOKUP_PACKED || lookup == UHI_LOOKUP_SEARCH ||
            (lookup == UHI_LOOKUP_MESH && compare == UHI_COMPARE_F32));
}

uint32_t model_counter(const struct model_axis *axis, size_t i, int split, struct model_way *way) {
    const struct lane lane = {axis, axis->params, way};
    return axis->plan->tables.compare == UHI_COMPARE_F32 ? counter_f32(&lane, ((const float *)axis->values)[i], split)
                                                         : counter_f64(&lane, ((const double *)axis->values)[i], split);
}

uint32_t model_slot_of_counter(const struct model_axis *axis, uint32_t counter) {
    const struct uhi_histogram_params *p = axis->params;
    uint32_t slot = counter;
    if (axis->plan->tables.lookup == UHI_LOOKUP_PACKED && p->has_slot)
        memcpy(&slot, (const char *)p + p->tables + p->slot + (size_t)counter * 4, sizeof slot);
    return slot;
}

uint32_t model_look_slot(const struct model_axis *axis, uint32_t counter, struct model_way *way) {
    const struct lane lane = {axis, axis->params, way};
    if (axis->plan->tables.lookup == UHI_LOOKUP_PACKED && axis->params->has_slot)
        (void)look(&lane, SITE(STAGE_SLOT, 1), axis->params->slot + counter * 4, 1, 0);
    return model_slot_of_counter(axis, counter);
}
