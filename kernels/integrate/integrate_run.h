/* SPDX-License-Identifier: Apache-2.0 */
/* Integration on the queue's device; grids, the edges of all axes' bins, and their adaptation; cubes of samples. */
#pragma once

#include <unihist/exchange.h>

#include "kernels/integrate/estimate.h"
#include "kernels/integrate/integrate.h"

/* The first stream of an iteration. */
static inline uint64_t uhi_integrate_stream(uint64_t iteration) {
    return UH_INTEGRATE_STREAM + iteration * UHI_INTEGRATE_STREAMS;
}

struct uhi_trial;

/* The option `skipped` for a warm-up that lasts until the grid has settled. */
#define UHI_UNTIL_SETTLED SIZE_MAX

/* Integrates a checked integrand over the grid's box and leaves the refined grid. No member of the options may stand
 * for its default any more. `integral` is of this version, and has room for values and covariance. */
uh_status uhi_integrate(uh_queue *queue, const char *call, const uh_integrand *integrand,
                        const uh_integrate_options *options, uh_grid *grid, uh_integral *integral);

/* The same by samples, in the variant of the options, which is neither auto nor cubature (integrate_run.c). */
uh_status uhi_integrate_by_samples(uh_queue *queue, const char *call, const uh_integrand *integrand,
                                   const uh_integrate_options *options, uh_grid *grid, uh_integral *integral);

/* And by cubature (cubature.c); the grid is only the box. */
uh_status uhi_cubature(uh_queue *queue, const char *call, const uh_integrand *integrand,
                       const uh_integrate_options *options, uh_grid *grid, uh_integral *integral);

/* As uh_grid_points, for n > 0 and a checked integrand, whose kernel `trial` tries: the function below. */
uh_status uhi_grid_points(uh_queue *queue, const char *call, const uh_grid *grid, const uh_points *points,
                          uh_status (*trial)(uh_queue *queue, struct uhi_trial *trial), double *rows);
uh_status uhi_integrand_try_points(uh_queue *queue, struct uhi_trial *trial);

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

/* ---- quasi-Monte Carlo (integrate_sequence.c) ---- */

static inline int uhi_is_sequence(uh_integrate_variant variant) {
    return variant == UH_INTEGRATE_SOBOL || variant == UH_INTEGRATE_LATTICE;
}

/* Iterations that double the points. */
struct uhi_doubling {
    struct uhi_sequence sequence;
    size_t randomisations;
    uint64_t points, end; /* of each randomisation: so far, and at most */
    double unit, *mean;   /* of all points, for each randomisation and value, and their unit */
};

/* Prepares for randomised sequences. To be closed, after the samples that use it, even on failure. */
uh_status uhi_doubling_open(struct uhi_doubling *doubling, const char *call, const uh_integrate_options *options,
                            size_t dims, size_t values);

/* Prepares the next iteration's samples; returns 0 after the last. */
int uhi_doubling_next(struct uhi_doubling *doubling, struct uhi_sampling *sampling);

/* Replaces the estimate of an iteration's samples by that of all points so far: the mean of the randomisations' means,
 * and the covariance that their scatter gives. If they are equal, each may have missed the same part of a point p <
 * 1, which it shows with probability p: by the rule of three the deviation is 3 points of all, of the usual size. */
void uhi_doubling_estimate(struct uhi_doubling *doubling, const struct uhi_sampling *sampling,
                           struct uhi_estimate *estimate);

void uhi_doubling_close(struct uhi_doubling *doubling);

/* ---- cubes ---- */

/* Maximum number of cubes of vegas_plus, which keeps 16 bytes per cube. */
enum { UHI_MAX_SHARING = 1 << 24 };

/* Divides the box for at most `calls` samples, 4 to 2^40, with equally many per cube: into `strata` intervals of each
 * axis, or NULL. vegas_plus then divides each bin into the same number of cubes if there are enough. */
void uhi_cubes_cut(struct uhi_sampling *sampling, uh_integrate_variant variant, const uint64_t *strata, uint64_t calls);

static inline int uhi_cubes_fit_bins(const struct uhi_sampling *s) {
    int fit = s->field.bins > 1;
    for (size_t d = 0; d < s->field.dims; d++)
        fit &= s->intervals[d] % s->field.bins == 0;
    return fit;
}

/* Adds up cubes' variances by the bins of an axis, which cubes must fit. */
void uhi_cubes_by_bin(const struct uhi_sampling *sampling, const double *variance, size_t axis, double *sum);

/* Gives each cube two samples, and distributes the rest of `calls` in proportion to variance^(beta / 2), or equally if
 * the sum of these is at most `minimum`. Overwrites `variance`; `starts` has room for one more than there are cubes. */
void uhi_cubes_share(struct uhi_sampling *sampling, double *variance, uint64_t *starts, uint64_t calls, double beta,
                     double minimum);
