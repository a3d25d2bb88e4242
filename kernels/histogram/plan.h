/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: how values of one type find their bin of one axis. Immutable once made. */
#ifndef UHI_HISTOGRAM_PLAN_H
#define UHI_HISTOGRAM_PLAN_H

#include <unihist/histogram.h>

#include "kernels/histogram/tables.h"
#include "kernels/histogram/thresholds.h"

struct uhi_plan_options {
    uh_method method;
    uint32_t leaf_bins; /* the paper's l, at least 1 */
    size_t table_bytes; /* most bytes of cells and nodes; the thresholds come on top */
};

struct uhi_histogram_plan {
    struct uhi_histogram_tables tables;
    uh_dtype dtype;
    uh_method method;
    uint32_t depth;        /* mesh: levels below the first */
    uint32_t depth_limit;  /* mesh: the paper's eq. (5) */
    size_t all_cells;      /* cells of all levels */
    size_t bytes;          /* of all tables */
    size_t most_in_cell;   /* most thresholds in one cell */
    size_t crowded_cells;  /* cells that hold more than one */
    size_t packed_crowded; /* packed cells that hold more than one cut */
    uint32_t packed_most;  /* most cuts in one of them */
    double comparisons;    /* expected comparisons a point; mesh: for data uniform over the range */
    void *owned[12];       /* the tables' memory */
    size_t owned_bytes[12];
    size_t owned_count;
};

/* Makes a plan; the edges are read only here. UH_ERROR_OUT_OF_MEMORY. The caller destroys it. */
uh_status uhi_plan_create(const struct uhi_edges *edges, uh_dtype dtype, const struct uhi_plan_options *options,
                          struct uhi_histogram_plan **plan);

void uhi_plan_destroy(struct uhi_histogram_plan *plan);

/* Writes the one-line description, which begins with the method's name, as snprintf does; returns its whole length. */
int uhi_plan_text(const struct uhi_histogram_plan *plan, const char *method, int on_host, char *text, size_t size);

/* The paper's eq. (5): levels below the first that the worst case needs, from the width of the range, the smallest
 * positive bin width and k. */
uint32_t uhi_plan_depth_limit(double range, double smallest, size_t bins);

/* ---- between the planner's own files ---- */

/* Zeroed memory that the plan owns and counts; NULL when there is none left. */
void *uhi_plan_alloc(struct uhi_histogram_plan *plan, size_t count, size_t size);

/* The distinct inner thresholds and what the planner needs to know beside them. */
struct uhi_plan_input {
    const struct uhi_plan_options *options;
    size_t bins;
    union uhi_scalar range_lo, range_hi; /* first and last threshold, for the mesh */
};

/* Fill in map and tables for thresholds of one type, which lie in tables.thresholds; -1 when memory runs out. */
int uhi_plan_maps_f32(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_maps_f64(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_maps_i32(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_maps_i64(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_mesh_f32(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_mesh_f64(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_mesh_i32(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);
int uhi_plan_mesh_i64(struct uhi_histogram_plan *plan, const struct uhi_plan_input *input);

/* Takes the cuts out of thresholds with repetitions; -1 when memory runs out. */
int uhi_plan_cuts_f32(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);
int uhi_plan_cuts_f64(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);
int uhi_plan_cuts_i32(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);
int uhi_plan_cuts_i64(struct uhi_histogram_plan *plan, const void *thresholds, size_t count);

/* Make packed cells for the cuts and the map of one level, of at most `budget` bytes, and set the form; leave it where
 * that cannot be. -1 when memory runs out. */
int uhi_plan_packed_f32(struct uhi_histogram_plan *plan, size_t budget);
int uhi_plan_packed_f64(struct uhi_histogram_plan *plan, size_t budget);
int uhi_plan_packed_i32(struct uhi_histogram_plan *plan, size_t budget);
int uhi_plan_packed_i64(struct uhi_histogram_plan *plan, size_t budget);

#endif
