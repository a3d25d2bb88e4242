/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel does for each point of a case, the messages of its sub-groups, and what memories take for them. */
#pragma once

#include "perf/error.h"

#include "kernels/common/shape.h"
#include "kernels/histogram/histogram.h"
#include "kernels/plan/plan.h"
#include "tests/cases_histogram.h"

#include <stddef.h>
#include <stdint.h>
#include <unihist/device.h>
#include <unihist/histogram.h>

/* ---- a case ----------------------------------------------------------------------------------------------------- */

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
uh_device_properties model_device_properties(const struct model_device *device);

/* What is predicted. Integers and draw have no bins but the values and the outcomes, 0 to k - 1: their data are those
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

/* ---- the way of a point ----------------------------------------------------------------------------------------- */

/* Lanes of a message, elements of a vector, at most. Accesses: more than any way has, 30 halvings or as many levels of
 * a mesh of three look-ups each. */
enum { MODEL_LANES = 32, MODEL_WIDTH = 16, MODEL_ACCESSES = 160 };

/* One look-up, or an addition. Sites ascend on the way of a point; lanes that are at the same one send one message. */
struct model_access {
    uint32_t site;
    uint32_t address; /* bytes: in a group's local memory, or in a table that is in global memory */
    uint32_t words;
    uint16_t local, atomic;
};

/* What is from number `later` on comes when the others of the vector are through. */
struct model_way {
    size_t count, later;
    struct model_access access[MODEL_ACCESSES];
};

/* Sites of one value's look-up, and those after all look-ups. */
enum { MODEL_SITES = 1 << 16, MODEL_SITE_COUNT = 1 << 20 };

static inline void model_way_add(struct model_way *way, struct model_access access) {
    way->access[way->count++] = access;
}

/* An atomic addition to the word at an address, which is after all look-ups: number `number` of these. */
static inline void model_way_count(struct model_way *way, uint32_t number, uint32_t address, int local) {
    model_way_add(way, (struct model_access){MODEL_SITE_COUNT + number, address, 1, (uint16_t)local, 1});
}

/* ---- operations ------------------------------------------------------------------------------------------------- */

/* How a kernel is launched, and what of a point is not in its way. */
struct model_launch {
    char kernel[64];
    char additions[64]; /* a kernel whose ways tell what this one's additions cost with the look-ups; or "" */
    const char *where;  /* its tables and counts are, in a word */
    size_t group_size, groups;
    uint32_t local_tables, local_bytes; /* of local memory that a group asks for; the tables are its beginning */
    uint32_t copies;                    /* of counters in local memory */
    uint32_t width;                     /* points of a work-item at a time */
    int in_quarters;                    /* which are four times adjacent points: vector_at of histogram.cl */
    uint32_t arrays, written;           /* arrays that it reads; bytes that it writes */
};

struct model_operation {
    const char *name;
    /* Makes what follows needs; close frees what that holds, and the caller itself. */
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

/* ---- one axis --------------------------------------------------------------------------------------------------- */

/* Its bins, values on it, and the tables that a device would be given. */
struct model_axis {
    size_t k;
    double *edges;
    uh_dtype type;
    void *values; /* MODEL_POINTS of them */
    struct uhi_histogram_plan *plan;
    struct uhi_histogram_params *params; /* where the image of the tables begins, as they lie on a device */
    int local;                           /* set by model_launch_axes: the near tables are in local memory, */
    uint32_t address;                    /* from there on */
    uint32_t site;                       /* of the first look-up */
};

/* Draws bins and values of axis number `number`, and plans as for that device, `counters` with the tables of
 * `axes` axes. Closed by model_axis_close. */
void model_axis_open(struct model_axis *axis, const struct model_device *device, const struct model_case *of,
                     size_t number, size_t axes, size_t counters);
void model_axis_close(struct model_axis *axis);

/* Draws values of a case's type and data for k bins with these edges. */
void model_values_draw(const struct model_case *of, const double *edges, uint64_t seed, void *values);

/* The right slot of value i, by the oracle. */
size_t model_axis_slot(const struct model_axis *axis, size_t i);

/* Fails if value i has been found in another slot. */
void model_axis_check(const struct model_axis *axis, size_t i, size_t slot);

/* How an operation over these axes is launched (0 axes: without tables), with that many words of local memory, or
 * counters, in a copy, by kernels whose names begin with `task`. Returns the shape, one of `tiers`. Fails if the
 * library would go axis by axis. */
struct uhi_shape model_launch_axes(const struct model_device *device, struct model_axis *axes, size_t naxes,
                                   unsigned tiers, const char *task, uint64_t words, struct model_launch *launch);

/* ---- look-ups --------------------------------------------------------------------------------------------------- */

/* Whether the model goes the way of an axis's tables: float32 and float64; meshes of float32 alone. */
int model_is_followed(const struct model_axis *axis);

/* The rank or slot that a group counts value i as (counter_of). With `split` it is as histogram.cl counts vectors: a
 * value that its entry does not decide is looked up again, later. Values are no NaN. */
uint32_t model_counter(const struct model_axis *axis, size_t i, int split, struct model_way *way);

/* The slot of such a counter, and the same as a look-up of a lane. */
uint32_t model_slot_of_counter(const struct model_axis *axis, uint32_t counter);
uint32_t model_look_slot(const struct model_axis *axis, uint32_t counter, struct model_way *way);

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* A work-item takes the launch's `width` points, a sub-group one of each of its lanes at a time. */
struct model_walk {
    const struct model_device *device;
    const struct model_launch *launch;
    uint32_t lanes, value_bytes;
    const struct model_operation *operation;
    void *work;
};

/* Sums over all points of what sub-groups sent for them. */
struct model_sums {
    uint64_t points;
    uint64_t messages;       /* look-ups and additions, of a sub-group's lanes together */
    uint64_t atomics;        /* of these the additions */
    uint64_t local_messages; /* those to local memory */
    uint64_t local_cycles;   /* that it takes, one after the other */
    uint64_t lines;          /* cache lines of values, and of look-ups in global memory */
    uint64_t atomic_cycles;  /* of global atomic operations: each line, and each further one on the same word */
};

/* Not for several threads at once. */
void model_simulate(const struct model_walk *walk, struct model_sums *sums);
