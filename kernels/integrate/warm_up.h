/* SPDX-License-Identifier: Apache-2.0 */
/* The first iterations, which adjust the grid and do not count. */
#pragma once

#include "kernels/integrate/integrate_run.h"

/* How the grid is refined: as contributions to bins tell, or as variances of cubes do, as Lepage's stratified mode
 * does. In two cases vegas_plus makes two pilots, from the same grid:
 * - With few axes the first refines by cubes, the second by contributions, because cubes rarely show the edges of a
 *   narrow spike. Where the second is not clearly better, the first one's grid returns.
 * - If one sample of the first iteration has much of the sum of squares, the integrand is narrow, and a pilot may see
 *   one of several peaks. Pilots that end at different places have seen two, and there may be more. Their grids become
 *   one that has half of each one's samples. */
struct uhi_warm_up {
    const uh_integrate_options *options;
    uh_grid *grid;
    int lasts;                  /* iterations do not count yet */
    size_t adjusting;           /* number of iterations that adjust the grid */
    int by_cubes;               /* whether cubes' variances refine the grid */
    int chooses, compares;      /* there is a pilot to choose from, or to compare with */
    int several;                /* pilots ended at different places */
    size_t began;               /* the pilot's first iteration */
    double variance;            /* of a sample, in the first pilot */
    double *initial, *of_first; /* edges before both, and after the first */
};

/* Prepares, and cuts cubes for the first iteration. `memory` has room for 2 dims (bins + 1) numbers. */
void uhi_warm_up_begin(struct uhi_warm_up *warm_up, struct uhi_sampling *sampling, double *memory);

/* After an iteration of the warm-up, of which `own` is the estimate: `average` becomes that of it alone or, if the
 * warm-up ends, empty. */
void uhi_warm_up_continue(struct uhi_warm_up *warm_up, struct uhi_sampling *sampling, size_t iteration,
                          const struct uhi_estimate *own, struct uhi_average *average);
