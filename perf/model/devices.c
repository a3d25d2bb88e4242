/* SPDX-License-Identifier: Apache-2.0 */
/* Sources.
 *
 * [guide]     Intel, oneAPI GPU Optimization Guide: "Intel Iris Xe GPU Architecture" (96 engines in 6 dual subslices,
 *             7 threads, SIMD8, 128 KB of local memory, data port of 128 bytes a cycle), "Shared Local Memory" (64
 *             consecutive bytes are in 16 consecutive banks of 4 bytes; reads of one address are one)
 * [occupancy] Intel, GPU Occupancy Calculator (oneAPI-samples): engines and threads of a core, local memory of a core
 *             and of a group, its sizes, the largest work-group, of Xe-LP, Xe-HPG and Xe-HPC
 * [ark]       Intel's product pages: clocks, engines, memory
 * [hot chips] Intel, Ponte Vecchio at Hot Chips 34: L1 105 TB/s (512 bytes a cycle and core), L2 13 TB/s
 * [paper]     the devices of the UNIHIST paper, section V
 *
 * Nobody has published, and so assumed: that a message's lanes are served 16 at a time on every one of them, an atomic
 * operation as long as a read of the same banks; that a gather of global memory takes a cycle a cache line (two lines
 * on Xe-LP, by the width of its data port); that the last cache does one atomic operation a line and cycle, at its
 * bandwidth; latencies of local and of cached global memory. */
#include "perf/model/devices.h"

#include <string.h>

#define GIB ((uint64_t)1 << 30)

#define IRIS_XE                                                                                                        \
    .code = "adl-p", .cores = 6, .engines = 16, .lanes = 8, .threads = 7, .max_group_size = 512,                       \
    .local_bytes = 128 << 10, .group_local_bytes = 64 << 10, .local_sizes = {0, 1, 2, 4, 8, 16, 32, 64}, .banks = 16,  \
    .bank_lanes = 16, .line_bytes = 64, .lines = 2, .atomic_lines = 8, .memory_rate = 68.3e9, .local_latency = 60,     \
    .global_latency = 250, .memory = 12 * GIB

static const struct model_device devices[] = {
    /* Its code is adl-p's but for a few instructions of meshes. */
    {.name = "tgllp",
     .what = "Iris Xe of a Core i7-1185G7, 96 engines at 1.35 GHz, LPDDR4x-4266",
     .clock = 1.35e9,
     IRIS_XE},
    {.name = "adl-p",
     .what = "Iris Xe of a Core i7-1270P, 96 engines at 1.4 GHz, LPDDR4x-4266",
     .clock = 1.4e9,
     IRIS_XE},
    {.name = "pvc",
     .code = "pvc",
     .what = "Data Center GPU Max 1550, 1024 engines at 1.6 GHz, HBM2e",
     .clock = 1.6e9,
     .cores = 128,
     .engines = 8,
     .lanes = 16,
     .threads = 8,
     .max_group_size = 1024,
     .local_bytes = 128 << 10,
     .group_local_bytes = 128 << 10,
     .local_sizes = {0, 1, 2, 4, 8, 16, 32, 48, 64, 96, 128},
     .banks = 16,
     .bank_lanes = 16,
     .line_bytes = 64,
     .lines = 1,
     .atomic_lines = 128,
     .memory_rate = 3276.8e9,
     .local_latency = 60,
     .global_latency = 400,
     .memory = 128 * GIB,
     .fp64 = 1},
};

const struct model_device *model_device_at(size_t index) {
    return index < sizeof devices / sizeof *devices ? &devices[index] : NULL;
}

const struct model_device *model_device_find(const char *name) {
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i].name, name) == 0)
            return &devices[i];
    return NULL;
}

uh_device_properties model_device_properties(const struct model_device *device) {
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

uint32_t model_local_size(const struct model_device *device, uint32_t bytes) {
    for (size_t i = 0; i < MODEL_LOCAL_SIZES; i++)
        if (device->local_sizes[i] * 1024 >= bytes)
            return device->local_sizes[i] * 1024;
    return bytes;
}
