/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift by plain loops over all points, without the library: what its results are compared with, and the
 * sequential program of the paper. */
#ifndef PERF_PLAIN_MEANSHIFT_H
#define PERF_PLAIN_MEANSHIFT_H

#include <unihist/meanshift.h>

struct plain_points {
    uh_dtype dtype; /* UH_F32 or UH_F64 */
    size_t n, dims;
    const void *rows; /* of coordinates */
    uh_density_kernel kernel;
    double radius, sigma; /* distances */
};

/* Moves what is at `at` once: differences and squared distances have the type of the points, sums are float64. `to` is
 * rounded to the points' type, and may be `at`. */
void plain_shift(const struct plain_points *points, const double *at, double *to);

/* Moves the `count` points whose numbers are given to `to`, rows of coordinates: each by itself among those that were
 * given (modes), until it moves by at most eps or has done so many iterations; or all together (blurring), and these of
 * them are told. Shares them among the threads of OpenMP. The latter returns -1 where memory is lacking, else 0. */
void plain_modes(const struct plain_points *points, size_t iterations, double eps, const size_t *numbers, size_t count,
                 double *to);
int plain_blurring(const struct plain_points *points, size_t iterations, const size_t *numbers, size_t count,
                   double *to);

/* The paper's sequential program, to the letter but for its language: float32 points with squared distances as float64,
 * sums as float32, exp of the C library; `rows` become those that have moved, `room` has space for as many. */
void plain_sequential(float *rows, float *room, size_t n, size_t dims, size_t iterations, float bandwidth,
                      float radius_squared);

/* And its centroids: a point that is further than that from all of them is one more. Stores at most `most` of them as
 * rows; returns how many there are. */
size_t plain_centroids(const float *rows, size_t n, size_t dims, float distance_squared, float *centroids, size_t most);

#endif
