/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's mesh (sections II to IV): k equal cells over the range; a cell with more than l thresholds is refined
 * by a node of its own with as many cells as bins in it, to the depth of eq. (5). One array holds all nodes, another
 * all cells; a node's cells hold only offsets, which give the counts. */
#include <stdlib.h>

#include "kernels/plan/plan.h"
#include "kernels/plan/types.h"

/* Nodes and cells while the mesh grows; `nodes` holds elements of `node_size` bytes. */
struct mesh {
    char *nodes;
    struct uhi_mesh_cell *cells;
    uint32_t *depths; /* per node */
    double *weights;  /* per node: fraction of a uniform range that it covers */
    size_t node_size;
    size_t node_count, node_room;
    size_t cell_count, cell_room;
    size_t byte_limit; /* for nodes and cells together */
};

static int grow(void **array, size_t *room, size_t needed, size_t size) {
    if (needed <= *room)
        return 0;
    size_t more = *room ? *room : 16;
    while (more < needed)
        more *= 2;
    void *moved = realloc(*array, more * size);
    if (!moved)
        return -1;
    *array = moved;
    *room = more;
    return 0;
}

/* Adds a node of `cells` cells (and one for the last offset). Returns its number, or -1. */
static long mesh_add(struct mesh *mesh, size_t cells, uint32_t depth, double weight) {
    size_t room = mesh->node_room;
    void *depths = mesh->depths, *weights = mesh->weights, *nodes = mesh->nodes, *all = mesh->cells;
    size_t room_depths = room, room_weights = room;
    int failed = grow(&depths, &room_depths, mesh->node_count + 1, sizeof *mesh->depths);
    mesh->depths = depths;
    failed = failed || grow(&weights, &room_weights, mesh->node_count + 1, sizeof *mesh->weights);
    mesh->weights = weights;
    failed = failed || grow(&nodes, &mesh->node_room, mesh->node_count + 1, mesh->node_size);
    mesh->nodes = nodes;
    failed = failed || grow(&all, &mesh->cell_room, mesh->cell_count + cells + 1, sizeof *mesh->cells);
    mesh->cells = all;
    if (failed)
        return -1;
    mesh->depths[mesh->node_count] = depth;
    mesh->weights[mesh->node_count] = weight;
    mesh->cell_count += cells + 1;
    return (long)mesh->node_count++;
}

/* Returns the comparisons needed in a cell of `count` thresholds. */
static double finish_cost(uint32_t count, uint32_t leaf) {
    uint32_t steps = 0;
    if (count <= leaf) /* the kernel always makes l, independent of the value */
        return leaf;
    while (count >> steps)
        steps++;
    return steps;
}

#define UHI_EACH "kernels/plan/plan_mesh.inc"
#include "kernels/plan/each_type.inc"
