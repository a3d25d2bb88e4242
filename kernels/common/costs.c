/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/costs.h"

enum { INTEL = 0x8086 };

/* Cost of a look-up in a table by all lanes of a vector, in look-ups of the host's first-level cache or of the
 * device's local memory.
 *
 *     host    measured on a Sapphire Rapids core: 48 KiB, 2 MiB, and the levels beyond, with TLB misses
 *     others  chosen by the model (perf/model), not measured: random words in local memory take 3.08 cycles per 16
 *             lanes, cached ones 1 cycle per cache line touched (2 lines per cycle on engines of 8 lanes); beyond the
 *             first cache, in proportion to the rates of caches and memory
 */
static const struct uhi_costs host = {
    .kind = "host",
    .lanes = 1,
    .engines = 1,
    .group_size = 1,
    .table = {{32 << 10, 1}, {256 << 10, 1.5}, {1 << 20, 2.1}, {4 << 20, 4}, {16 << 20, 7}, {SIZE_MAX, 12}},
    .vector = 8,
};
static const struct uhi_costs engines_of_8 = {
    .kind = "engines of 8 lanes", /* Iris Xe, Arc A */
    .lanes = 16,
    .engines = 16,
    .core_local = 128 << 10,
    .group_size = 512,
    .table = {{2 << 20, 2.6}, {SIZE_MAX, 12}},
    .vector = 16,
};
static const struct uhi_costs engines_of_16 = {
    .kind = "engines of 16 lanes", /* Max 1550, Arc B, Core Ultra 200V */
    .lanes = 32,
    .engines = 8,
    .core_local = 128 << 10,
    .group_size = 1024,
    .table = {{256 << 10, 5.2}, {64 << 20, 8}, {SIZE_MAX, 20}},
    .vector = 32,
};
static const struct uhi_costs unknown = {
    .kind = "unknown",
    .lanes = 16,
    .group_size = 512,
    .table = {{256 << 10, 3}, {SIZE_MAX, 12}},
    .vector = 16,
};

/* Returns the smallest sub-group size, that of an engine; 0 if the device does not report it. */
static uint32_t engine_lanes(const uh_device_properties *device) {
    uint32_t minimum = 0;
    for (size_t i = 0; i < sizeof device->sub_group_sizes / sizeof *device->sub_group_sizes; i++) {
        const uint32_t size = device->sub_group_sizes[i];
        minimum = size > 1 && (minimum == 0 || size < minimum) ? size : minimum;
    }
    return minimum;
}

const struct uhi_costs *uhi_costs_of(const uh_device_properties *device) {
    if (!device || device->kind == UH_DEVICE_CPU)
        return &host;
    const uint32_t lanes = device->vendor_id == INTEL ? engine_lanes(device) : 0;
    return lanes == 8 ? &engines_of_8 : lanes == 16 ? &engines_of_16 : &unknown;
}

double uhi_table_cost(const struct uhi_costs *costs, size_t bytes) {
    size_t i = 0;
    while (bytes > costs->table[i].bytes)
        i++;
    return costs->table[i].cost;
}
