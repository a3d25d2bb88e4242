/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's mesh (sections II to IV): k equal cells over the range; a cell with more than l thresholds is refined
 * by a node of its own with as many cells as bins in it, to the depth of eq. (5). One array holds all nodes, another
 * all cells; a node's cells hold only offsets, which give the counts. */
#include <stdlib.h>

#include "kernels/plan/plan.h"
#include "kernels/plan/types.h"
#include "runtime/grow.h"

/* Nodes and cells while the mesh grows; `nodes` holds elements of `node_size` bytes. */
struct mesh {
    char *nodes;
    struct uhi_mesh_cell *cells;
    struct place {
        uint32_t depth;
        double weight; /* fraction of a uniform range that the node covers */
    } * places;        /* per node */
    size_t node_size;
    size_t node_count, node_room;
    size_t cell_count, cell_room;
    size_t byte_limit; /* for nodes and cells together */
};

/* Adds a node of `cells` cells (and one for the last offset). Returns its number, or -1. */
static long mesh_add(struct mesh *mesh, size_t cells, uint32_t depth, double weight) {
    const size_t nodes = mesh->node_count + 1;
    size_t place_room = mesh->node_room;
    if (!uhi_grow(&mesh->places, &place_room, nodes, sizeof *mesh->places) ||
        !uhi_grow(&mesh->nodes, &mesh->node_room, nodes, mesh->node_size) ||
        !uhi_grow(&mesh->cells, &mesh->cell_room, mesh->cell_count + cells + 1, sizeof *mesh->cells))
        return -1;
    mesh->places[mesh->node_count] = (struct place){depth, weight};
    mesh->cell_count += cells + 1;
    return (long)mesh->node_count++;
}

/* Returns the comparisons needed in a cell of `count` thresholds. */
static double finish_cost(uint32_t count, uint32_t leaf) {
    return count <= leaf ? leaf /* the kernel always makes l, independent of the value */ : uhi_plan_steps(count);
}

#define UHI_EACH "kernels/plan/plan_mesh.inc"
#include "kernels/plan/each_type.inc"
