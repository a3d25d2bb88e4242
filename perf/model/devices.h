/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of GPUs: a short table, whose sources are in devices.c. */
#ifndef PERF_MODEL_DEVICES_H
#define PERF_MODEL_DEVICES_H

#include <unihist/device.h>

#include <stddef.h>
#include <stdint.h>

#define MODEL_LOCAL_SIZES 12

struct model_device {
    const char *name, *what; /* the former as ocloc has it */
    const char *code;        /* isa-CODE.txt are its kernels */
    double clock;            /* Hz */
    uint32_t cores;          /* that have a local memory each: dual subslices, Xe cores */
    uint32_t engines;        /* of a core, each of which issues one instruction a cycle */
    uint32_t lanes;          /* of an engine: one instruction's */
    uint32_t threads;        /* of an engine, with 128 registers each */
    uint32_t max_group_size;
    uint32_t local_bytes, group_local_bytes; /* local memory of a core, of a group at most */
    uint32_t local_sizes[MODEL_LOCAL_SIZES]; /* what a group is given, in KiB, the next one that holds its need */
    uint32_t banks, bank_lanes;              /* banks of 4 bytes; lanes of a message that are served together */
    uint32_t line_bytes, lines;              /* cache lines that a core reads in a cycle */
    double atomic_lines;                     /* global atomic operations on different lines, a cycle, all cores */
    double memory_rate;                      /* bytes a second */
    double local_latency, global_latency;    /* cycles until a message has its answer */
    uint64_t memory;                         /* bytes */
    int fp64;                                /* it computes in float64 */
};

/* The device of that name, or NULL; number `index`, or NULL behind the last one. Static. */
const struct model_device *model_device_find(const char *name);
const struct model_device *model_device_at(size_t index);

/* The properties that the library would have of it, as far as the choice of tiers and groups looks at it. */
uh_device_properties model_device_properties(const struct model_device *device);

/* Bytes of local memory that a group is given which asks for that many. */
uint32_t model_local_size(const struct model_device *device, uint32_t bytes);

#endif
