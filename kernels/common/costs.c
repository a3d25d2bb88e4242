/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/costs.h"

enum { INTEL = 0x8086 };

/* Costs of tables are those of one look-up by all lanes of a vector, in look-ups of the host's first-level cache or of
 * the device's local memory.
 *
 *   host    measured on a Sapphire Rapids core: 48 KiB, 2 MiB, and what lies behind, with misses of the TLB
 *   others  the model's choice (perf/model): words at random in local memory take 3.08 cycles for 16 lanes, cached ones
 *           a cycle for each line that the lanes touch, two lines a cycle with engines of 8 lanes; behind the first
 *           cache as the rates of caches and memory are to each other. Not measured. */
static const struct uhi_costs host = {"host",
                                      1,
                                      1,
                                      0,
                                      1,
                                      1,
                                      {{(size_t)32 << 10, 1},
                                       {(size_t)256 << 10, 1.5},
                                       {(size_t)1 << 20, 2.1},
                                       {(size_t)4 << 20, 4},
                                       {(size_t)16 << 20, 7},
                                       {SIZE_MAX, 12}},
                                      8};
static const struct uhi_costs engines_of_8 =
    {/* Iris Xe, Arc A */
     "engines of 8 lanes", 16, 16, 128 << 10, 512, 1, {{(size_t)2 << 20, 2.6}, {SIZE_MAX, 12}}, 16};
static const struct uhi_costs engines_of_16 = {/* Max 1550, Arc B, Core Ultra 200V */
                                               "engines of 16 lanes",
                                               32,
                                               8,
                                               128 << 10,
                                               1024,
                                               1,
                                               {{(size_t)256 << 10, 5.2}, {(size_t)64 << 20, 8}, {SIZE_MAX, 20}},
                                               32};
static const struct uhi_costs unknown = {"unknown", 16, 0, 0, 512, 1, {{(size_t)256 << 10, 3}, {SIZE_MAX, 12}}, 16};

/* The least size of sub-groups is that of an engine; 0 where the device does not tell. */
static uint32_t engine_lanes(const uh_device_properties *device) {
    uint32_t least = 0;
    for (size_t i = 0; i < sizeof device->sub_group_sizes / sizeof *device->sub_group_sizes; i++) {
        const uint32_t size = device->sub_group_sizes[i];
        least = size > 1 && (least == 0 || size < least) ? size : least;
    }
    return least;
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
