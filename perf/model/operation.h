/* SPDX-License-Identifier: Apache-2.0 */
/* What the model knows of an operation: which kernel it launches and how, and what that does for each point. */
#ifndef PERF_MODEL_OPERATION_H
#define PERF_MODEL_OPERATION_H

#include "perf/error.h"

#include "tests/cases_histogram.h"

#include <stddef.h>
#include <stdint.h>
#include <unihist/device.h>
#include <unihist/histogram.h>

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

/* Lanes of a message, at most; banks of local memory. */
enum { MODEL_LANES = 32, MODEL_BANKS = 16 };

/* One look-up, or an addition. Sites ascend on the way of a point; lanes that are at the same one send one message. */
struct model_access {
    uint32_t site;
    uint32_t address; /* bytes: in a group's local memory, or in a table that is in global memory */
    uint32_t words;
    uint16_t local, atomic;
};

/* More than any way has: 30 halvings, or as many levels of a mesh of three look-ups each. */
enum { MODEL_ACCESSES = 160 };

/* What is from number `later` on comes when the others of the vector are through. */
struct model_way {
    size_t count, later;
    struct model_access access[MODEL_ACCESSES];
};
#define MODEL_NEVER SIZE_MAX

/* Sites of one value's look-up, and those after all look-ups. */
enum { MODEL_SITES = 1 << 16, MODEL_SITE_COUNT = 1 << 20 };

static inline void model_way_add(struct model_way *way, struct model_access access) {
    way->access[way->count++] = access;
}

/* An atomic addition to the word at an address, which is after all look-ups: number `number` of these. */
static inline void model_way_count(struct model_way *way, uint32_t number, uint32_t address, int local) {
    model_way_add(way, (struct model_access){MODEL_SITE_COUNT + number, address, 1, (uint16_t)local, 1});
}

/* What is predicted. Bincount and draw have no bins but the values and the outcomes, 0 to k - 1: their data are those
 * of unit bins, and an outcome's weight is uniform, or nearly all of it is one outcome's. */
struct model_case {
    uh_dtype type; /* of the values; of samples UH_U32 */
    enum case_bins bins;
    enum case_data data;
    size_t k; /* of each axis */
    double h;
    uh_method method;
};

/* Points that are simulated: whole shares of every sub-group, enough for the third digit. */
enum { MODEL_POINTS = 1 << 17, MODEL_SEED = 20260101 };

/* Bins reach from 0 to this, as the paper's. */
#define MODEL_RANGE 1000.0

/* How a kernel is launched, and what of a point is not in its way. */
struct model_launch {
    char kernel[64];
    char additions[64]; /* a kernel whose ways tell what this one's additions cost with the look-ups; or "" */
    const char *where;  /* its tables and counts are, in a word */
    size_t group_size, groups;
    uint32_t local_tables, local_bytes; /* of local memory that a group asks for; the tables are its beginning */
    uint32_t copies;                    /* of counters in local memory */
    uint32_t width;                     /* points of a work-item at a time */
    uint32_t arrays, written;           /* arrays that it reads; bytes that it writes */
};

struct model_operation {
    const char *name;
    /* Makes what follows needs, which close frees. */
    void *(*open)(const struct model_device *device, const struct model_case *of, struct model_launch *launch);
    /* Appends what lane number `lane` of a sub-group does for point i. */
    void (*follow)(void *work, size_t i, uint32_t lane, struct model_way *way);
    /* What came of all points is compared with what is right, by code that has nothing of the kernels' ways. */
    void (*check)(const void *work);
    void (*close)(void *work);
};

/* Counts over one axis; counts over two axes alike, of float32; exact sums of float32 weights, uniform in [0, 1); int32
 * counted as they are; samples of 32 bits by the guide. */
extern const struct model_operation model_histogram, model_pair, model_sum, model_integers, model_draw;

#endif
