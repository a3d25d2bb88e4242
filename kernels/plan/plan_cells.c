/* SPDX-License-Identifier: Apache-2.0 */
/* The planner: chooses the map and the number of cells, packed or in two levels, so that nearly every value needs one
 * look-up and one comparison.
 *
 * Cells with more than one threshold (crowded cells) take more comparisons, and a larger table more time per
 * look-up. For each map the number of cells is doubled until none is crowded or the table is too slow; crowding is
 * counted by evaluating the map with the most cells at the thresholds: half as many cells have one bit less. A small
 * model of the caches compares these costs, also with two levels. */
#include <math.h>
#include <stdlib.h>

#include "kernels/plan/plan.h"
#include "kernels/plan/types.h"

/* Maximum steps that justify a table; more are used only if one cell must hold all thresholds. */
enum { TABLE_STEPS = 6 };

/* A float holds every cell index up to this exactly. */
#define MAX_LINEAR_CELLS_F32 ((size_t)1 << 24)
#define MAX_CELLS            ((size_t)1 << 30)
/* Maximum packed cells, so that positions within them keep enough of 31 bits; for more edges the second number. */
#define MAX_PACKED_CELLS  ((size_t)1 << 22)
#define MANY_PACKED_CELLS ((size_t)1 << 24)

/* Minimum cells tried; such a table takes no time to make. */
enum { FEWEST_CELLS = 16 };

/* Method cdf: maximum cells of the first level, and of the second per threshold. */
enum { MAX_CDF_CELLS = 2048, MAX_CELLS_PER_THRESHOLD = 8 };

/* Sample examined if there are more thresholds than it holds. */
#define SAMPLE_PIECES ((size_t)64)
#define SAMPLE_LENGTH ((size_t)1024)
#define MAX_SURVEYED  (SAMPLE_PIECES * SAMPLE_LENGTH)

/* One way to find ranks. */
struct candidate {
    enum uhi_map map;
    uint32_t levels;
    uint32_t steps; /* comparisons that suffice in any cell */
    size_t cells;   /* of the first level, as requested */
    size_t all;     /* of all levels */
    double cost;
};

/* Crowding of a table: fraction of cells that are crowded, and of thresholds in crowded cells. */
struct crowding {
    double cells;
    double thresholds;
};

/* Comparison of thresholds' positions in the maximum number of cells of a map. Two positions with b - 1 as their
 * highest differing bit (b is 0 if equal) share a cell if at least 2^b of these cells are merged, otherwise not. */
struct survey {
    size_t looked_at;         /* thresholds examined */
    size_t pairs[33];         /* neighbours, by b */
    size_t threes[33];        /* three neighbours, by b of first and third */
    uint32_t first_equal[32]; /* minimum b of two at distance 2^i - 1, i at least 1; 33 if none */
};

/* Target of a plan: a device's costs, room in its local memory, and whether it is the host alone. */
struct aim {
    const struct uhi_costs *costs;
    uint64_t room;
    int for_host;
};

/* Cost of a look-up in a table of `bytes`, which is in local memory if `total`, all tables, fits. */
static double table_cost(const struct aim *aim, size_t bytes, size_t total) {
    return total <= aim->room ? 1 : uhi_table_cost(aim->costs, bytes);
}

/* Cost of the cheapest plan of two levels, see cost_of. */
#define MIN_TWO_LEVEL_COST 7.5

/* Fraction of vectors with a value in a crowded cell. Data are assumed to be mostly uniform over the cells, and
 * otherwise uniform over the bins. */
static double crowded_vectors(const struct aim *aim, struct crowding crowding) {
    const double a_value = 0.75 * crowding.cells + 0.25 * crowding.thresholds;
    return 1 - pow(1 - (a_value < 1 ? a_value : 1), aim->costs->vector);
}

/* Cost of packed cells on a device: one look-up, for values in crowded cells comparisons. */
static double packed_cost(const struct aim *aim, const struct candidate *c, struct crowding crowding,
                          size_t thresholds_bytes) {
    const double map = c->map == UHI_MAP_LOGARITHM ? 0.8 : 0.6, crowded = crowded_vectors(aim, crowding);
    const size_t bytes = c->all * 4, total = bytes + thresholds_bytes;
    /* In local memory a step costs half a look-up, as it reads next to the one before. */
    const double step = table_cost(aim, thresholds_bytes, total) * (total <= aim->room ? 0.5 : 1);
    return map + table_cost(aim, bytes, total) + crowded * (1 + c->steps * step);
}

/* Cost in gathers per vector; a mispredicted branch on crowded cells costs two. The host's packed cells are weighed as
 * if a comparison followed each look-up. */
static double cost_of(const struct aim *aim, const struct candidate *c, struct crowding crowding,
                      size_t thresholds_bytes) {
    if (!aim->for_host && c->levels == 1)
        return packed_cost(aim, c, crowding, thresholds_bytes);
    const double map = c->map == UHI_MAP_LOGARITHM ? 0.8 : 0.6;
    const size_t nodes_bytes = c->levels == 2 ? c->cells * 12 : 0, total = nodes_bytes + c->all * 4 + thresholds_bytes;
    const double nodes = c->levels == 2 ? 4 * table_cost(aim, nodes_bytes, total) + 1 : 0;
    const double a_vector = crowded_vectors(aim, crowding);
    const double steps = c->steps > 1 ? 1 + a_vector * (c->steps - 1) : c->steps;
    const double surprise = c->steps > 1 ? 2 * (a_vector < 0.5 ? a_vector : 1 - a_vector) : 0;
    return map + nodes + table_cost(aim, c->all * 4, total) + steps * (table_cost(aim, thresholds_bytes, total) + 0.3) +
           surprise;
}

/* Returns the bit length of a number below 2^31. */
static uint32_t bits_of(int32_t x) { return 31 - (uint32_t)__builtin_clz(2 * (uint32_t)x + 1); }

/* Returns the minimum difference (exclusive-or) of two of n positions at distance `distance`; INT32_MAX if there are
 * none. Positions are below 2^31. */
static int32_t min_difference(const int32_t *position, size_t n, size_t distance) {
    int32_t min = INT32_MAX;
    for (size_t i = 0; i + distance < n; i++) {
        int32_t difference = position[i] ^ position[i + distance];
        min = difference < min ? difference : min;
    }
    return min;
}

/* Adds n neighbouring thresholds to the survey; crowding will be queried for at most 2^merged cells in one. */
static void survey_add(struct survey *survey, const int32_t *position, size_t n, uint32_t merged) {
    survey->looked_at += n;
    if (n > 1)
        survey->pairs[bits_of(position[0] ^ position[1])]++;
    for (size_t i = 2; i < n; i++) {
        survey->pairs[bits_of(position[i - 1] ^ position[i])]++;
        survey->threes[bits_of(position[i - 2] ^ position[i])]++;
    }
    for (uint32_t i = 1; i < 32; i++) {
        size_t distance = ((size_t)1 << i) - 1;
        uint32_t bits = 33;
        if (i == 1)
            for (bits = 0; bits < 33 && survey->pairs[bits] == 0;)
                bits++;
        else if (distance < n)
            bits = bits_of(min_difference(position, n, distance));
        if (bits > merged)
            break;
        survey->first_equal[i] = bits < survey->first_equal[i] ? bits : survey->first_equal[i];
    }
}

/* Returns the crowding of `cells` cells, each 2^merged of the smallest, and stores the steps that suffice in any of
 * them. */
static struct crowding survey_crowding(const struct survey *survey, uint32_t merged, size_t cells, size_t count,
                                       uint32_t *steps) {
    struct crowding crowding = {0};
    size_t pairs = 0, threes = 0;
    *steps = count > 0;
    if (count == 0)
        return crowding;
    for (uint32_t b = 0; b <= merged && b < 33; b++) {
        pairs += survey->pairs[b];
        threes += survey->threes[b];
    }
    while (*steps < 32 && survey->first_equal[*steps] <= merged)
        (*steps)++;
    /* A run of thresholds in one cell has one pair more than threes, and one threshold more than pairs. */
    crowding.cells = (double)(pairs - threes) / (double)survey->looked_at * (double)count / (double)cells;
    crowding.thresholds = (double)(2 * pairs - threes) / (double)survey->looked_at;
    return crowding;
}

#define UHI_EACH "kernels/plan/plan_cells.inc"
#include "kernels/plan/each_type.inc"
