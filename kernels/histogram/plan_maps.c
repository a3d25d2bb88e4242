/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: which map, how many cells and levels, so that nearly every value needs one look-up and one comparison.
 *
 * For a number of steps s, no cell may hold more than 2^s - 1 thresholds; that holds when a cell is narrower than the
 * narrowest stretch of 2^s neighbouring thresholds. So one pass over the thresholds gives the cells that each (map, s)
 * needs, without trying; the cheapest by a small model of the caches is built and checked. */
#include "kernels/histogram/plan.h"
#include "kernels/histogram/types.h"

/* Steps that are worth a table; more are only used where one cell must hold all thresholds. */
enum { TABLE_STEPS = 6 };

/* A float holds every cell number up to here exactly. */
#define MAX_LINEAR_CELLS_F32 ((size_t)1 << 24)
#define MAX_CELLS            ((size_t)1 << 30)

/* One way to find a rank. */
struct candidate {
    enum uhi_map map;
    uint32_t levels;
    uint32_t steps;
    size_t cells; /* of the first level */
    size_t all;   /* of all levels */
    uint32_t shift;
    double cost;
};

/* The cost of one gather from a table of so many bytes, in those of one from the first-level cache (measured on a
 * Sapphire Rapids core: 48 KiB, 2 MiB, and what lies behind). */
static double gather_cost(size_t bytes) {
    if (bytes <= (size_t)32 << 10)
        return 1;
    if (bytes <= (size_t)1 << 20)
        return 1.7;
    return bytes <= (size_t)32 << 20 ? 4 : 8;
}

static double cost_of(const struct candidate *c, size_t thresholds_bytes) {
    double map = c->map == UHI_MAP_LOGARITHM ? 0.8 : 0.6;
    double nodes = c->levels == 2 ? 4 * gather_cost(c->cells * 12) + 1 : 0;
    return map + nodes + gather_cost(c->all * 4) + c->steps * (gather_cost(thresholds_bytes) + 0.3);
}

static uint32_t steps_for(size_t thresholds) {
    uint32_t steps = 0;
    while (((uint64_t)1 << steps) <= thresholds)
        steps++;
    return steps;
}

#define UHI_EACH "kernels/histogram/plan_maps.inc"
#include "kernels/histogram/each_type.inc"
