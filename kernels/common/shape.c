/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/shape.h"

#include <stdio.h>

#include "kernels/common/costs.h"
#include "runtime/status.h"

enum {
    MAX_SPREAD = 4 /* 16 copies: local memory has 16 banks and serves 16 lanes at a time */
};

/* Bytes of all tables of counts in global memory; also limited to half of the device's memory, and by uhi_memory_room
 * to half of its free memory. */
#define SLAB_BYTES ((uint64_t)64 << 20)

/* Maximum bytes of counters per group in local memory: kernels of several axes have 16 bits for the start of a row. */
#define MAX_COUNTS ((uint64_t)128 << 10)

static uint64_t min(uint64_t a, uint64_t b) { return a < b ? a : b; }

static size_t group_size_of(const uh_device_properties *device) {
    const uint64_t maximum = uhi_costs_of(device)->group_size;
    return uhi_power_of_two(min(device->max_group_size, maximum));
}

/* A core of the device: groups that its threads can hold, groups that use half of these threads, and bytes of local
 * memory. */
struct core {
    uint64_t groups, half, local;
};

static struct core core_of(const uh_device_properties *device) {
    const struct uhi_costs *costs = uhi_costs_of(device);
    struct core core = {2, 2, device->local_memory};
    if (costs->engines == 0 || device->cores == 0)
        return core;
    const uint64_t items = (uint64_t)device->threads * costs->engines / device->cores * costs->lanes;
    const uint64_t size = group_size_of(device);
    core.local = costs->core_local;
    core.groups = items < size ? 1 : items / size;
    core.half = items < 2 * size ? 1 : (items / 2 + size - 1) / size;
    return core;
}

/* Local memory is allocated in steps: powers of two, and half-way between the two largest. */
static uint64_t taken(uint64_t bytes) {
    uint64_t step = uhi_power_of_two(bytes);
    step = step < bytes ? 2 * step : step;
    return step >= (uint64_t)128 << 10 && bytes <= step / 4 * 3 ? step / 4 * 3 : step;
}

/* Returns the bytes that a group may take. */
static uint64_t budget_of(const uh_device_properties *device) {
    const struct core core = core_of(device);
    return min(device->local_memory, core.local / core.half);
}

/* Returns the number of resident groups, each with `bytes` of local memory. */
static size_t groups_of(const uh_device_properties *device, size_t group_size, uint64_t bytes) {
    const struct uhi_costs *costs = uhi_costs_of(device);
    const struct core core = core_of(device);
    if (costs->engines == 0 || device->cores == 0)
        return uhi_groups_to_fill(device, group_size);
    const uint64_t fit = bytes ? core.local / taken(bytes) : core.groups;
    const uint64_t groups = min(core.groups, fit > 0 ? fit : 1) * (device->cores / costs->engines);
    return groups < 1 ? 1 : min(groups, UHI_MAX_GROUPS);
}

uint32_t uhi_shape_spread(uint64_t bytes, uint64_t room) {
    uint32_t spread = 0;
    while (spread < MAX_SPREAD && bytes << (spread + 1) <= min(room, MAX_COUNTS))
        spread++;
    return spread;
}

uint64_t uhi_shape_room(size_t slots, const uh_device_properties *device) {
    const uint64_t counts = (uint64_t)slots * sizeof(uint32_t), budget = budget_of(device);
    if (counts > min(budget, MAX_COUNTS))
        return 0;
    const uint64_t copies = counts <= budget / 2 ? counts << uhi_shape_spread(counts, budget / 2) : counts;
    return budget - copies;
}

/* Returns 1 if `budget` bytes of local memory suffice; counters alone may take all that a group can have. */
static int has_room(enum uhi_tier tier, uint64_t counts, uint64_t table_bytes, uint64_t budget,
                    const uh_device_properties *device) {
    switch (tier) {
    case UHI_TIER_LOCAL: return table_bytes <= budget && counts <= min(budget - table_bytes, MAX_COUNTS);
    case UHI_TIER_TABLES: return table_bytes <= budget;
    case UHI_TIER_MIXED: return counts <= min(device->local_memory, MAX_COUNTS);
    default: return 1;
    }
}

static enum uhi_tier first_that_fits(unsigned tiers, uint64_t counts, uint64_t table_bytes, uint64_t budget,
                                     const uh_device_properties *device) {
    enum uhi_tier tier = UHI_TIER_LOCAL;
    while (tier < UHI_TIERS && !(tiers & UHI_TIER_SET(tier) && has_room(tier, counts, table_bytes, budget, device)))
        tier++;
    return tier;
}

static uint32_t private_tables_of(uint64_t counts, size_t groups, const uh_device_properties *device) {
    const uint64_t room = counts > 0 ? min(SLAB_BYTES, device->memory / 2) / counts : 0;
    return (uint32_t)uhi_power_of_two(min(room, groups));
}

struct uhi_shape uhi_shape_among(unsigned tiers, size_t slots, uint64_t table_bytes,
                                 const uh_device_properties *device) {
    const uint64_t counts = (uint64_t)slots * sizeof(uint32_t);
    struct uhi_shape shape = {.private_tables = 1, .group_size = group_size_of(device)};
    uint64_t budget = budget_of(device);
    enum uhi_tier tier = first_that_fits(tiers, counts, table_bytes, budget, device);
    if (tier == UHI_TIERS) {
        budget = device->local_memory;
        tier = first_that_fits(tiers, counts, table_bytes, budget, device);
    }
    shape.tier = tier;
    if (tier == UHI_TIER_LOCAL || tier == UHI_TIER_TABLES)
        shape.local_tables = table_bytes;
    if (tier == UHI_TIER_LOCAL || tier == UHI_TIER_MIXED) {
        shape.spread = uhi_shape_spread(counts, budget - shape.local_tables);
        shape.local_counts = counts << shape.spread;
    }
    shape.groups = groups_of(device, shape.group_size, shape.local_tables + shape.local_counts);
    if (tier == UHI_TIER_TABLES || tier == UHI_TIER_PRIVATE)
        shape.private_tables = private_tables_of(counts, shape.groups, device);
    if (tier == UHI_TIER_PRIVATE && shape.private_tables == 1)
        shape.tier = UHI_TIER_GLOBAL;
    return shape;
}

size_t uhi_shape_groups(const struct uhi_shape *shape, size_t n) {
    return uhi_groups_for(shape->groups, shape->group_size, n);
}

const char *uhi_shape_tier_name(enum uhi_tier tier) {
    static const char *const names[] = {[UHI_TIER_LOCAL] = "local",
                                        [UHI_TIER_TABLES] = "tables",
                                        [UHI_TIER_MIXED] = "mixed",
                                        [UHI_TIER_PRIVATE] = "global",
                                        [UHI_TIER_GLOBAL] = "global"};
    return names[tier];
}

int uhi_shape_text(const struct uhi_shape *shape, char *text, size_t size) {
    const unsigned copies = 1U << shape->spread;
    switch (shape->tier) {
    case UHI_TIER_LOCAL:
        return snprintf(text, size, "; tables and counts (%u times) in local memory, %zu groups of %zu", copies,
                        shape->groups, shape->group_size);
    case UHI_TIER_TABLES:
        return snprintf(text, size, "; tables in local memory, counts (%u times) in global memory, %zu groups of %zu",
                        (unsigned)shape->private_tables, shape->groups, shape->group_size);
    case UHI_TIER_MIXED:
        return snprintf(text, size, "; counts (%u times) in local memory, %zu groups of %zu", copies, shape->groups,
                        shape->group_size);
    case UHI_TIER_PRIVATE:
        return snprintf(text, size, "; %u tables of counts in global memory, %zu groups of %zu",
                        (unsigned)shape->private_tables, shape->groups, shape->group_size);
    default:
        return snprintf(text, size, "; one table of counts in global memory, %zu groups of %zu", shape->groups,
                        shape->group_size);
    }
}

struct uhi_shape uhi_engine_shape(const struct uhi_engine *engine, unsigned tiers, size_t slots, uint64_t table_bytes) {
    const struct uhi_geometry geometry = engine->geometry;
    struct uhi_shape shape = uhi_shape_among(tiers, slots, table_bytes, &engine->properties);
    if (geometry.group_size)
        shape.group_size = uhi_engine_group_size(engine);
    if (geometry.group_size || geometry.groups)
        shape.groups = uhi_engine_groups(engine, shape.group_size);
    return shape;
}

/* Tables within both limits, LITTLE bytes and 1 / LITTLE_PART of all memory, are not worth a driver query. */
enum { LITTLE = 1 << 20, LITTLE_PART = 16 };

uh_status uhi_memory_room(const struct uhi_engine *engine, uint64_t wanted, uint64_t mine, uint64_t *room) {
    const uint64_t memory = engine->properties.memory;
    uint64_t left = 0;
    *room = wanted;
    if (wanted <= LITTLE && wanted <= memory / LITTLE_PART)
        return UH_SUCCESS;
    UHI_TRY(uh_device_free_memory(engine->device, &left));
    left = left ? left + mine : memory;
    *room = wanted < left / 2 ? wanted : left / 2;
    return UH_SUCCESS;
}

uh_status uhi_memory_room_shape(const struct uhi_engine *engine, size_t slots, uint64_t mine, struct uhi_shape *shape) {
    const uint64_t each = (uint64_t)slots * sizeof(uint32_t);
    uint64_t room = 0;
    if (shape->private_tables <= 1)
        return UH_SUCCESS;
    const uh_status status = uhi_memory_room(engine, shape->private_tables * each, mine, &room);
    if (!status && room < shape->private_tables * each)
        shape->private_tables = (uint32_t)uhi_power_of_two(room / each);
    if (!status && shape->tier == UHI_TIER_PRIVATE && shape->private_tables == 1)
        shape->tier = UHI_TIER_GLOBAL;
    return status;
}
