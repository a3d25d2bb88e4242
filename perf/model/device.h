/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU, as the library's planner and the simulation see it; unihist_model.py has the table of them. */
#ifndef PERF_MODEL_DEVICE_H
#define PERF_MODEL_DEVICE_H

#include <unihist/device.h>

#include <stddef.h>
#include <stdint.h>

struct model_device {
    uint32_t cores;   /* with one local memory each: dual subslices, Xe cores */
    uint32_t engines; /* per core, each of which issues one instruction per cycle */
    uint32_t lanes;   /* of one instruction of an engine */
    uint32_t threads; /* per engine, with 128 registers each */
    uint32_t max_group_size, group_local_bytes;
    uint32_t bank_lanes; /* lanes of a message that local memory serves together */
    uint32_t line_bytes; /* of a cache line */
    uint64_t memory;     /* bytes */
    int fp64;            /* it computes in float64 */
};

/* The properties that the choice of tiers and groups reads. */
static inline uh_device_properties model_device_properties(const struct model_device *device) {
    return (uh_device_properties){.struct_size = sizeof(uh_device_properties),
                                  .kind = UH_DEVICE_GPU,
                                  .vendor_id = 0x8086,
                                  .cores = device->cores * device->engines,
                                  .threads = device->cores * device->engines * device->threads,
                                  .memory = device->memory,
                                  .local_memory = device->group_local_bytes,
                                  .max_group_size = device->max_group_size,
                                  .fp64 = device->fp64 ? 1 : 0,
                                  .fp_exact = 1,
                                  .sub_group_sizes = {device->lanes, 2 * device->lanes}};
}

#endif
