/* SPDX-License-Identifier: Apache-2.0 */
/* Grids: the edges of all axes' bins, and how they follow what samples contribute. */
#ifndef UHI_INTEGRATE_GRID_H
#define UHI_INTEGRATE_GRID_H

#include "kernels/integrate/integrate.h"

struct uh_grid {
    size_t dims, bins;
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    struct uhi_sides sides[UH_INTEGRATE_MAX_DIMS];
    double *edges; /* bins + 1 of each axis */
};

/* As uh_grid_create, of checked numbers of dimensions and bins. `argument` is where messages find the sides: "" or
 * "options->". */
uh_status uhi_grid_make(const char *call, const char *argument, size_t dims, size_t bins, const double *lower,
                        const double *upper, const double *edges, uh_grid **grid);

void uhi_grid_free(uh_grid *grid);

/* Memory for n elements, aligned to cache lines, for the caller to free; NULL where there is none. */
void *uhi_grid_allocate(size_t n, size_t size);

/* Stores the bins of all axes as samples see them, dims * bins of them. */
void uhi_grid_cells(const uh_grid *grid, struct uhi_cell *cells);

/* Moves the edges of an axis, so that bins that were given much get narrower: Lepage's refinement, where contributions
 * are smoothed over three bins and damped by the power `alpha`. Bins side by side that were given nothing become one,
 * and its ends stay: were it joined to what is beside it, of that hardly a sample would be drawn. Ends of the axis
 * stay, edges ascend and no bin is empty, whatever was contributed. Where nothing was, edges stay. `memory` is room for
 * 2 * bins + 1 numbers. */
void uhi_grid_adjust(double *edges, size_t bins, const double *contributions, double alpha, double *memory);

#endif
