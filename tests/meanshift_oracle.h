/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift and densities by their definitions in <unihist/meanshift.h> alone: every point with every other, sums in
 * long double. Differences and squared distances have the type of the points, as the header says, so that the oracle
 * decides ties at the radius as the library has to; from there on nothing is rounded. How far rounding, as the header
 * allows it, may move a result at most is worked out with it. */
#pragma once

#include <stddef.h>

#include <unihist/meanshift.h>

#include "tests/oracle.h"

/* Rows of `dims` coordinates of float32 or float64. */
struct oracle_points {
    uh_dtype dtype;
    size_t n, dims;
    const void *rows;
};

/* A kernel with its defaults applied. The radius is known by its square alone: that is what distances meet. */
struct oracle_kernel {
    uh_density_kernel kernel;
    long double radius_squared, sigma;
};

struct oracle_kernel oracle_kernel_of(uh_density_kernel kernel, double radius, double sigma, int squared);

/* One number, and how far from it what the library computes may be. */
struct oracle_bounded {
    long double value, slack;
};

/* Coordinate number `axis` of point i. */
long double oracle_coordinate(const struct oracle_points *points, size_t i, size_t axis);

/* The square of the distance of two points, exact but for long double's rounding. */
long double oracle_squared_distance(const struct oracle_points *a, size_t i, const struct oracle_points *b, size_t j);

/* Where point i of `places` moves by its neighbours among `points`: dims coordinates. Returns how many neighbours it
 * has. */
size_t oracle_move(const struct oracle_kernel *kernel, const struct oracle_points *points,
                   const struct oracle_points *places, size_t i, struct oracle_bounded *to);

/* The integral of the kernel over all of its space, by Simpson's rule along the radius. */
long double oracle_kernel_integral(const struct oracle_kernel *kernel, size_t dims);

/* The density at point i of `places`, given that integral. */
struct oracle_bounded oracle_density(const struct oracle_kernel *kernel, long double integral,
                                     const struct oracle_points *points, const struct oracle_points *places, size_t i);

/* Runs iterations to their end: `moved` has room for the rows of `places` and is where they have moved to. By modes a
 * point that moves by at most eps has ended; by blurring all end when none moves by more. Returns how many iterations
 * were done. */
size_t oracle_iterate(uh_mean_shift_algorithm algorithm, const struct oracle_kernel *kernel,
                      const struct oracle_points *points, const struct oracle_points *places, long double eps,
                      size_t iterations, void *moved);

/* The mean distance of every `each`-th point to its k-th nearest neighbour, itself the first. */
long double oracle_bandwidth(const struct oracle_points *points, double quantile, size_t each);

/* Which moved points are one cluster. `unsure` becomes 1 where two of them are so nearly at delta that rounding
 * decides.
 *
 * By components: a label for each, by the first point of the component. */
void oracle_components(const struct oracle_points *moved, long double delta_squared, size_t *labels, int *unsure);

/* Greedily, in this order (NULL: theirs): stores which moved points are centroids; returns how many. */
size_t oracle_greedy(const struct oracle_points *moved, const size_t *order, long double delta_squared,
                     size_t *centroids, int *unsure);

/* The order of `densest` after one move or none: most neighbours of the points first, then the largest moved
 * coordinates. */
void oracle_densest_order(const struct oracle_kernel *kernel, const struct oracle_points *points,
                          const struct oracle_points *moved, size_t *order, int *unsure);

/* ---- whether the library's results are the oracle's (meanshift_judge.c) ----
 *
 * Each step is judged from where the step before has left the points, so that rounding does not add up; the reduction,
 * from where they have ended. A judgement is 0, or -1 with a problem. */

struct judged {
    struct oracle_points points; /* that were given */
    uh_mean_shift_options options;
    char problem[300];
};

/* One step: from `before` to `after`, which have as many rows. `earlier` is where they were before that, or NULL.
 * Looks at `targets` of the rows. */
int judge_step(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
               const struct oracle_points *after, size_t targets);

/* The step that was not made, because all have ended. */
int judge_end(struct judged *judged, const struct oracle_points *earlier, const struct oracle_points *before,
              const struct oracle_points *after);

/* The clusters of points that have all moved, and what else the properties say. */
int judge_clusters(struct judged *judged, const uh_clusters_properties *found);

/* The same of points in as many groups as there are clusters: points of one group have one label, of two groups two. */
int judge_groups(struct judged *judged, const uh_clusters_properties *found, const size_t *group, size_t groups);
