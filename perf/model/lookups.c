/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of histogram_slot.inc, one lane of them; what a kernel reads in one message is one access here too. */
#include "perf/model/lookups.h"

#include <string.h>

#include "kernels/plan/types.h"

/* Where on its way a lane is: a stage of these, and the pass of its loop. */
enum stage {
    STAGE_NODE_FIRST,
    STAGE_NODE_LO,
    STAGE_NODE_SCALE,
    STAGE_BASE,
    STAGE_PART,
    STAGE_MESH,
    STAGE_COMPARE,
    STAGE_SLOT
};
#define SITE(stage, pass) ((uint32_t)(stage) << 12 | (uint32_t)(pass))

struct way {
    const struct uhi_histogram_params *params;
    const char *tables;
    struct model_access *accesses;
    size_t count;
};

/* Notes a look-up of so many words of a table, at an index; returns where they lie. */
static const void *look(struct way *way, uint32_t site, uint32_t table, size_t bytes, uint32_t words) {
    const uint32_t address = table + (uint32_t)bytes;
    way->accesses[way->count++] = (struct model_access){site, address, words, 0};
    return way->tables + address;
}

static uint32_t look_uint(struct way *way, uint32_t site, uint32_t table, uint32_t index) {
    uint32_t value;
    memcpy(&value, look(way, site, table, (size_t)index * 4, 1), sizeof value);
    return value;
}

static float look_float(struct way *way, uint32_t site, uint32_t table, uint32_t index) {
    float value;
    memcpy(&value, look(way, site, table, (size_t)index * 4, 1), sizeof value);
    return value;
}

static float float_of(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static uint32_t finish(struct way *way, float x, uint32_t steps, uint32_t rank) {
    uint32_t pass = 0;
    for (uint32_t step = (1U << steps) >> 1; step > 0; step >>= 1)
        rank += look_float(way, SITE(STAGE_COMPARE, pass++), way->params->thresholds, rank + step - 1) <= x ? step : 0;
    return rank;
}

/* ---- nested meshes ---- */

/* A node is read for each lane, but for the first one, which all lanes have: `pre` alone, then its other words. */
static struct uhi_mesh_node_f32 look_node(struct way *way, uint32_t child, uint32_t level) {
    struct uhi_mesh_node_f32 node;
    const size_t bytes = child * sizeof node;
    if (child == 0) {
        memcpy(&node, way->tables + way->params->mesh_nodes, sizeof node);
        return node;
    }
    look(way, SITE(STAGE_MESH, 4 * level), way->params->mesh_nodes, bytes, 1);
    look(way, SITE(STAGE_MESH, 4 * level + 1), way->params->mesh_nodes, bytes + 4, 4);
    memcpy(&node, way->tables + way->params->mesh_nodes + bytes, sizeof node);
    return node;
}

static uint32_t mesh_rank(struct way *way, float x) {
    const struct uhi_histogram_params *p = way->params;
    struct uhi_mesh_cell cell[2];
    uint32_t level = 0, child = 0, first = 0, pass = 0, index;
    do {
        const struct uhi_mesh_node_f32 node = look_node(way, child, level);
        first = child ? node.first : 0;
        index = first + uhi_mesh_cell_f32(x, &node);
        child = look_uint(way, SITE(STAGE_MESH, 4 * level + 2), p->mesh_cells, 2 * index + 1);
        level++;
    } while (child);
    memcpy(cell, look(way, SITE(STAGE_MESH, 4 * 256), p->mesh_cells, index * sizeof *cell, 3), sizeof cell);
    uint32_t rank = cell[0].offset, count = cell[1].offset - rank, reached = 0;
    if (count <= p->leaf) { /* these come behind those who halve */
        for (uint32_t i = 0; i < count; i++)
            reached += look_float(way, SITE(STAGE_COMPARE, 64 + i), p->thresholds, rank + i) <= x;
        return rank + reached;
    }
    while (count > 0) {
        const uint32_t half = (count + 1) / 2;
        rank += look_float(way, SITE(STAGE_COMPARE, pass++), p->thresholds, rank + half - 1) <= x ? half : 0;
        count -= half;
    }
    return rank;
}

/* ---- one map ---- */

static uint32_t first_cell(const struct uhi_histogram_params *p, enum uhi_lookup lookup, float x) {
    if (lookup == UHI_LOOKUP_LINEAR || lookup == UHI_LOOKUP_LINEAR_2 || lookup == UHI_LOOKUP_PACKED_LINEAR)
        return uhi_linear_cell_f32(x, float_of(p->lo), float_of(p->scale), float_of(p->top));
    return uhi_shift_cell_32((int32_t)uhi_log_key_f32(x, 0), (int32_t)p->lo_key, (int32_t)p->hi_key, p->shift);
}

static uint32_t map_rank(struct way *way, enum uhi_lookup lookup, float x) {
    const struct uhi_histogram_params *p = way->params;
    uint32_t cell = first_cell(p, lookup, x);
    if (lookup == UHI_LOOKUP_LINEAR_2 || lookup == UHI_LOOKUP_LOGARITHM_2) {
        const uint32_t first = look_uint(way, SITE(STAGE_NODE_FIRST, 0), p->node_first, cell);
        const uint32_t last = look_uint(way, SITE(STAGE_NODE_FIRST, 1), p->node_first, cell + 1) - 1;
        const float lo = look_float(way, SITE(STAGE_NODE_LO, 0), p->node_lo, cell);
        const float scale = look_float(way, SITE(STAGE_NODE_SCALE, 0), p->node_scale, cell);
        cell = first + uhi_linear_cell_f32(x, lo, scale, 0x1p30F);
        cell = cell < last ? cell : last;
    }
    const uint32_t rank = look_uint(way, SITE(STAGE_BASE, 0), p->base, cell);
    if (rank & UHI_CROWDED)
        return finish(way, x, p->steps, rank & ~UHI_CROWDED);
    if (p->steps == 0)
        return rank;
    return rank + (look_float(way, SITE(STAGE_COMPARE, 64), p->thresholds, rank) <= x);
}

/* ---- packed cells ---- */

static uint32_t rank_part(const struct uhi_histogram_params *p, uint32_t entry) {
    return entry & ((1U << p->rank_bits) - 1);
}

static int is_decided(const struct uhi_histogram_params *p, uint32_t entry, uint32_t within) {
    return (entry ^ within) >> p->rank_bits != 0 && rank_part(p, entry) != 0;
}

/* A value that its entry does not decide has it looked up again, later. */
static size_t follow_packed(struct way *way, enum uhi_lookup lookup, float x, size_t *at_once) {
    const struct uhi_histogram_params *p = way->params;
    const uint32_t position = first_cell(p, lookup, x);
    uint32_t within = p->fraction ? position << (32 - p->fraction) : position;
    uint32_t entry = look_uint(way, SITE(STAGE_BASE, 0), p->entry, position >> p->fraction);
    *at_once = is_decided(p, entry, within) ? 2 : 1;
    if (*at_once == 1)
        (void)look_uint(way, SITE(STAGE_BASE, 0), p->entry, position >> p->fraction);
    if (rank_part(p, entry) == 0) {
        entry = look_uint(way, SITE(STAGE_PART, 0), p->part,
                          (entry >> p->rank_bits << UHI_PART_BITS) + (within >> (32 - UHI_PART_BITS)));
        within <<= UHI_PART_BITS;
    }
    uint32_t rank = rank_part(p, entry) - (within <= entry);
    if (!is_decided(p, entry, within)) {
        const size_t before = way->count;
        rank = finish(way, x, p->steps, rank_part(p, entry) ? rank_part(p, entry) - 1 : entry >> p->rank_bits);
        for (size_t i = before; i < way->count; i++)
            way->accesses[i].far = 1;
    }
    way->accesses[way->count++] = (struct model_access){MODEL_SITE_COUNT, rank, 1, 0};
    return way->count;
}

size_t model_follow(const struct model_tables *tables, float x, struct model_access *accesses, size_t *at_once) {
    const struct uhi_histogram_params *p = tables->params;
    struct way way = {p, (const char *)p + p->tables, accesses, 0};
    uint32_t rank;
    if (tables->lookup == UHI_LOOKUP_PACKED_LINEAR || tables->lookup == UHI_LOOKUP_PACKED_LOGARITHM)
        return follow_packed(&way, tables->lookup, x, at_once);
    switch (tables->lookup) {
    case UHI_LOOKUP_SEARCH: rank = finish(&way, x, p->steps, 0); break;
    case UHI_LOOKUP_MESH: rank = mesh_rank(&way, x); break;
    default: rank = map_rank(&way, tables->lookup, x); break;
    }
    uint32_t slot = p->has_slot ? look_uint(&way, SITE(STAGE_SLOT, 0), p->slot, rank) : rank + 1;
    slot = x >= float_of(p->last) && !p->above_none ? p->bins + 1 : slot;
    slot = x < float_of(p->first) || p->below_all ? 0 : slot;
    accesses[way.count++] = (struct model_access){MODEL_SITE_COUNT, slot, 1, 0};
    return *at_once = way.count;
}
