/* SPDX-License-Identifier: Apache-2.0 */
/* Plain loops that have a file each, for its compiler options. */
#ifndef PERF_PLAIN_H
#define PERF_PLAIN_H

#include <stddef.h>
#include <stdint.h>
#include <unihist/unihist.h>

/* The loop that one would write around Random123's Philox4x32-10, compiled without making vectors of it: stores words
 * 4 * block and following of a stream as <unihist/random.h> numbers them, n of them, a multiple of 4. */
void perf_plain_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t *words, size_t n);

/* The sequential program of the mean shift paper, to the letter but for its language: float32 points with squared
 * distances as float64, sums as float32, exp of the C library; `rows` become those that have moved, `room` has space
 * for as many. */
void plain_sequential(float *rows, float *room, size_t n, size_t dims, size_t iterations, float bandwidth,
                      float radius_squared);

/* And its centroids: a point that is further than that from all of them is one more. Stores at most `most` of them as
 * rows; returns how many there are. */
size_t plain_centroids(const float *rows, size_t n, size_t dims, float distance_squared, float *centroids, size_t most);

#endif
