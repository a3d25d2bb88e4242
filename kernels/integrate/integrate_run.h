/* SPDX-License-Identifier: Apache-2.0 */
/* Integration, on the queue's device. */
#pragma once

#include <unihist/exchange.h>

#include "kernels/integrate/grid.h"

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
