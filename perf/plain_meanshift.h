/* SPDX-License-Identifier: Apache-2.0 */
/* The sequential program of the mean shift paper. */
#ifndef PERF_PLAIN_MEANSHIFT_H
#define PERF_PLAIN_MEANSHIFT_H

#include <unihist/unihist.h>

/* To the letter but for its language: float32 points with squared distances as float64, sums as float32, exp of the C
 * library; `rows` become those that have moved, `room` has space for as many. */
void plain_sequential(float *rows, float *room, size_t n, size_t dims, size_t iterations, float bandwidth,
                      float radius_squared);

/* And its centroids: a point that is further than that from all of them is one more. Stores at most `most` of them as
 * rows; returns how many there are. */
size_t plain_centroids(const float *rows, size_t n, size_t dims, float distance_squared, float *centroids, size_t most);

#endif
