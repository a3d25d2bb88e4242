/* SPDX-License-Identifier: Apache-2.0 */
/* Integration on the queue's device; grids, the edges of all axes' bins, and their adaptation; cubes of samples. */
#pragma once

#include <unihist/exchange.h>

#include "kernels/integrate/integrate.h"

/* The first stream of an iteration. */
static inline uint64_t uhi_integrate_stream(uint64_t iteration) {
    return UH_INTEGRATE_STREAM + iteration * UHI_INTEGRATE_STREAMS;
}

/* The option `skipped` for a warm-up that lasts until the grid has settled. */
#define UHI_UNTIL_SETTLED SIZE_MAX

/* Integrates a checked integrand over the grid's box and leaves the refined grid. No member of the options may stand
 * for its default any more. `integral` is of this version, and has room for values and covariance. */
uh_status uhi_integrate(uh_queue *queue, const char *call, const uh_integrand *integrand,
                        const uh_integrate_options *options, uh_grid *grid, uh_integral *integral);

/* As uh_grid_points, for n > 0. */
uh_status uhi_grid_points(uh_queue *queue, const char *call, const uh_grid *grid, uint64_t seed, uint64_t offset,
                          size_t n, double *rows);

/* ---- grids (grid.c) ---- */

struct uh_grid {
    size_t dims, bins;
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    struct uhi_sides sides[UH_INTEGRATE_MAX_DIMS];
    double *edges; /* bins + 1 per axis */
};

/* As uh_grid_create, with checked numbers of dimensions and bins. `argument` is the prefix of the sides' names in
 * messages: "" or "options->". */
uh_status uhi_grid_make(const char *call, const char *argument, size_t dims, size_t bins, const double *lower,
                        const double *upper, const double *edges, uh_grid **grid);

void uhi_grid_free(uh_grid *grid);

/* Allocates n elements, aligned to cache lines. The caller frees them. Returns NULL if out of memory. */
void *uhi_grid_allocate(size_t n, size_t size);

/* Stores the bins of all axes in the form that samples use, dims * bins of them. */
void uhi_grid_cells(const uh_grid *grid, struct uhi_cell *cells);

/* Moves the edges of an axis so that bins with large contributions get narrower: Lepage's refinement, with
 * contributions smoothed over three bins and damped by the power `alpha`. Adjacent bins without contributions become
 * one bin that keeps its ends: joined to its neighbour, it would leave that with hardly any samples. The ends of the
 * axis stay, edges ascend and no bin is empty, for any contributions. Without contributions all edges stay. `even` is
 * the part of bins that are spread evenly regardless of contributions. `memory` has room for 2 * bins + 1 numbers. */
void uhi_grid_adjust(double *edges, size_t bins, const double *contributions, double alpha, double even,
                     double *memory);

/* ---- cubes ---- */

/* Divides the box for at most `calls` samples, 4 to 2^40, with equally many per cube. */
void uhi_cubes_cut(struct uhi_sampling *sampling, uh_integrate_variant variant, uint64_t calls);

/* Gives each cube two samples, and distributes the rest of `calls` in proportion to variance^(beta / 2), or equally if
 * the sum of these is at most `minimum`. Overwrites `variance`; `starts` has room for one more than there are cubes. */
void uhi_cubes_share(struct uhi_sampling *sampling, double *variance, uint64_t *starts, uint64_t calls, double beta,
                     double minimum);
