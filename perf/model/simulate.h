/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of sub-groups that go through points, and how long the memories take over them. */
#ifndef PERF_MODEL_SIMULATE_H
#define PERF_MODEL_SIMULATE_H

#include "perf/model/operation.h"

/* Who goes: a work-item takes `width` points that lie side by side, a sub-group one of each of its lanes at a time.
 * `follow` appends to an empty way what lane number `lane` does for point i. */
struct model_walk {
    const struct model_device *device;
    uint32_t lanes, width;
    void (*follow)(void *work, size_t i, uint32_t lane, struct model_way *way);
    void *work;
};

/* Sums over all points of what sub-groups sent for them. */
struct model_sums {
    uint64_t points;
    uint64_t messages;       /* look-ups and additions, of a sub-group's lanes together */
    uint64_t atomics;        /* of these the additions */
    uint64_t local_messages; /* those to local memory */
    uint64_t local_cycles;   /* that it takes, one after the other */
    uint64_t lines;          /* cache lines of look-ups in global memory */
    uint64_t atomic_cycles;  /* of global atomic operations: each line, and each further one on the same word */
};

/* Cycles in which local memory's banks of 4-byte words, one word each per cycle, serve `words` words of each lane from
 * its address on, in bytes. Lanes that read the same word share it; `atomic` ones have it one after the other. */
uint32_t model_bank_cycles(const uint32_t *address, size_t lanes, uint32_t words, int atomic);

/* Elements of a vector, at most. */
enum { MODEL_WIDTH = 16 };

/* Adds the messages for points 0 to n - 1, a whole number of sub-groups' shares (lanes * width). Not for several
 * threads at once. */
void model_simulate(const struct model_walk *walk, size_t n, struct model_sums *sums);

#endif
