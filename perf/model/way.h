/* SPDX-License-Identifier: Apache-2.0 */
/* What one lane of a kernel looks up and adds to for one point, in order. */
#ifndef PERF_MODEL_WAY_H
#define PERF_MODEL_WAY_H

#include <stddef.h>
#include <stdint.h>

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

#endif
