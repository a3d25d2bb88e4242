/* SPDX-License-Identifier: Apache-2.0 */
/* Points for mean shift, drawn from a seed. */
#pragma once

#include "tests/meanshift_oracle.h"

#include <stddef.h>
#include <stdint.h>

enum meanshift_data {
    MEANSHIFT_UNIFORM,   /* in a cube, so that there are that many neighbours within the distance 1 */
    MEANSHIFT_CLUSTERED, /* the same, and as many in 16 Gaussian clusters in it */
    MEANSHIFT_FAR,       /* the same, but for an eighth in one cluster far away */
    MEANSHIFT_SEPARATE,  /* in 1 to 16 clusters of equal numbers, so far from each other that none meets another */
    MEANSHIFT_PAPER      /* the paper's: three clusters whose centres are about 14 from each other, with deviation 3 */
};

/* Writes n rows of coordinates. `neighbours` is of the first three. */
void meanshift_points(enum meanshift_data data, uint64_t seed, size_t n, size_t dims, double neighbours, uh_dtype dtype,
                      void *rows);

/* The number of the i-th of some of n points, spread over all of them. */
size_t meanshift_spread(size_t n, size_t some, size_t i);

/* Where `some` points, spread over all, are after some iterations, by the oracle, as rows of their type: each by itself
 * among those that were given, until it moves by at most eps; or all together. By the threads of OpenMP. */
void meanshift_modes(const struct oracle_points *points, const struct oracle_kernel *kernel, size_t iterations,
                     long double eps, size_t some, void *to);
void meanshift_blurred(const struct oracle_points *points, const struct oracle_kernel *kernel, size_t iterations,
                       size_t some, void *to);

/* Of MEANSHIFT_SEPARATE: how many clusters there are; point i is in cluster i modulo as many. */
size_t meanshift_separate(size_t n);
