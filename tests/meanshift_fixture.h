/* SPDX-License-Identifier: Apache-2.0 */
/* Points for unit tests of mean shift, and what is found of them. All that is made ends with the unit test. */
#pragma once

#include "tests/meanshift_oracle.h"

#define SHIFT(...)   (&(const uh_mean_shift_options){.struct_size = sizeof(uh_mean_shift_options), __VA_ARGS__})
#define DENSITY(...) (&(const uh_kde_options){.struct_size = sizeof(uh_kde_options), __VA_ARGS__})

/* A copy of rows of float64 in this type. */
struct oracle_points test_points_of(uh_dtype dtype, size_t n, size_t dims, const double *rows);

/* Points within 1 of three centres at distances of 8 and more, in turn: point i is of group i % 3. */
struct oracle_points test_groups(uh_dtype dtype, size_t n, size_t dims, uint64_t seed);

/* Points in a box of this side. */
struct oracle_points test_box(uh_dtype dtype, size_t n, size_t dims, double side, uint64_t seed);

/* Points in an order of test_order. */
struct oracle_points test_reordered(const struct oracle_points *points, const size_t *order);

/* Points of float32 in a plane. By blurring two crowds are so heavy that they rest, by rounding. A point between them
 * moves from one cell to the next, into the radius of another point, which had no neighbours and is two cells from
 * where the first one came: it follows to x of the crowds. A corner sets the cells, and rests. */
enum { TEST_REACHED_LONE = 200, TEST_REACHED_COMER, TEST_REACHED_CORNER, TEST_REACHED_POINTS };
#define TEST_REACHED_OPTIONS .algorithm = UH_MEAN_SHIFT_BLURRING, .kernel = UH_KERNEL_FLAT, .radius = 1
struct oracle_points test_reached(void);

/* The clusters of arrays, and of rows. */
uh_clusters_properties test_clusters(uh_queue *queue, const uh_array *points, size_t dims,
                                     const uh_mean_shift_options *options);
uh_clusters_properties test_shift(uh_queue *queue, const struct oracle_points *points,
                                  const uh_mean_shift_options *options);

/* Fails the test unless both found the same: where points have moved to, labels and centroids, to the bit. */
void test_same_clusters(const uh_clusters_properties *a, const uh_clusters_properties *b);

/* Fails the test unless clusters are those of the oracle's reduction. */
void test_judge_clusters(const struct oracle_points *points, const uh_mean_shift_options *options,
                         const uh_clusters_properties *found);

/* A table of numbers with commas between them, in $UNIHIST_TEST_DATA/mean-shift; skips the test where it is not. */
struct oracle_points test_read_points(uh_dtype dtype, size_t dims, const char *name);
