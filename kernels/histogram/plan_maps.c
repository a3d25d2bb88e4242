/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: which map, how many cells and levels, so that nearly every value needs one look-up and one comparison.
 *
 * Cells that hold more than one threshold (crowded ones) take more comparisons, and a larger table more time for each
 * look-up. For each map the number of cells is doubled until none is crowded or the table is too slow; how crowded the
 * cells are is counted by evaluating the map at the thresholds. A small model of the caches weighs one against the
 * other, and against two levels. */
#include "kernels/histogram/plan.h"
#include "kernels/histogram/types.h"

/* Steps that are worth a table; more are only used where one cell must hold all thresholds. */
enum { TABLE_STEPS = 6 };

/* A float holds every cell number up to here exactly. */
#define MAX_LINEAR_CELLS_F32 ((size_t)1 << 24)
#define MAX_CELLS            ((size_t)1 << 30)

/* The fewest cells that are tried; a table of so many takes no time to make. */
enum { FEWEST_CELLS = 16 };

/* Of more thresholds than these pieces hold together, only the pieces are looked at. */
#define SAMPLE_PIECES ((size_t)64)
#define SAMPLE_LENGTH ((size_t)1024)

/* One way to find a rank. */
struct candidate {
    enum uhi_map map;
    uint32_t levels;
    uint32_t steps; /* that finish in any cell */
    size_t cells;   /* of the first level, as asked for */
    size_t all;     /* of all levels */
    double cost;
};

/* How much of a table is crowded: the parts of its cells, and of the thresholds, that are in crowded cells. */
struct crowding {
    size_t most; /* thresholds in one cell */
    double cells;
    double thresholds;
};

/* The cost of one gather from a table of so many bytes, in those of one from the first-level cache (measured on a
 * Sapphire Rapids core: 48 KiB, 2 MiB, and what lies behind, with misses of the TLB). */
static double table_cost(size_t bytes) {
    static const struct {
        size_t bytes;
        double cost;
    } sizes[] = {{(size_t)32 << 10, 1}, {(size_t)256 << 10, 1.5}, {(size_t)1 << 20, 2.1},
                 {(size_t)4 << 20, 4},  {(size_t)16 << 20, 7},    {SIZE_MAX, 12}};
    size_t i = 0;
    while (bytes > sizes[i].bytes)
        i++;
    return sizes[i].cost;
}

/* The cost of the cheapest plan of two levels, see cost_of. */
#define LEAST_TWO_LEVEL_COST 7.5

/* Gathers a vector; a branch on crowded cells that is foreseen wrongly costs as much as two. The data
 * are taken to be uniform over the cells for the most part, and uniform over the bins for the rest. */
static double cost_of(const struct candidate *c, struct crowding crowding, size_t thresholds_bytes) {
    double map = c->map == UHI_MAP_LOGARITHM ? 0.8 : 0.6;
    double nodes = c->levels == 2 ? 4 * table_cost(c->cells * 12) + 1 : 0;
    double a_value = 0.75 * crowding.cells + 0.25 * crowding.thresholds;
    double a_vector = 1 - pow(1 - (a_value < 1 ? a_value : 1), 8);
    double steps = c->steps > 1 ? 1 + a_vector * (c->steps - 1) : c->steps;
    double surprise = c->steps > 1 ? 2 * (a_vector < 0.5 ? a_vector : 1 - a_vector) : 0;
    return map + nodes + table_cost(c->all * 4) + steps * (table_cost(thresholds_bytes) + 0.3) + surprise;
}

static uint32_t steps_for(size_t thresholds) {
    uint32_t steps = 0;
    while (((uint64_t)1 << steps) <= thresholds)
        steps++;
    return steps;
}

#define UHI_EACH "kernels/histogram/plan_maps.inc"
#include "kernels/histogram/each_type.inc"
