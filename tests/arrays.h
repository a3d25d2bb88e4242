/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, distributions and options as calls take them, in a word: they live as long as the block does. Axes and
 * histograms that end with the unit test. And calls that tests make often. */
#pragma once

#include <unihist/bins.h>
#include <unihist/sample.h>

#include "tests/fixture.h"

#define STRIDED(type, values, n, bytes)                                                                                \
    (&(const uh_array){.dtype = (type), .data = (values), .stride = (bytes), .count = (n)})
#define ARRAY(type, values, n) STRIDED(type, values, n, (ptrdiff_t)uh_dtype_size(type))

/* Makes a pointer to the distribution of an array of weights. */
#define WEIGHTED(array) (&(uh_discrete)DISCRETE(WEIGHTS, .weights = (array)))

#define DISCRETE(name, ...)                                                                                            \
    { .struct_size = sizeof(uh_discrete), .kind = UH_DISCRETE_##name, __VA_ARGS__ }

#define OPTIONS(...)   (&(const uh_histogram_options){.struct_size = sizeof(uh_histogram_options), __VA_ARGS__})
#define BANDWIDTH(...) (&(const uh_bandwidth_options){.struct_size = sizeof(uh_bandwidth_options), __VA_ARGS__})

/* Options of uh_histo. */
#define HISTO_TABLE(w, h)                                                                                              \
    (&(const uh_histo_options){.struct_size = sizeof(uh_histo_options), .width = (w), .height = (h)})

/* Bins of one axis, and results, of uh_histogram_of. */
#define EQUAL(bins, ends)        (&(const uh_axis_bins){.count = (bins), .range = (ends)})
#define BETWEEN(type, edges_, n) (&(const uh_axis_bins){.edges = ARRAY(type, edges_, n)})
#define CELLS(...)               (&(const uh_cells){.struct_size = sizeof(uh_cells), __VA_ARGS__})

/* Axes, of which equal ones are closed on the left; they end with the unit test. So do histograms, and those that calls
 * make, which the test lists: test_at_end_first(part, test_end_histogram). */
uh_axis *test_axis_of(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed);
uh_axis *test_regular_axis(uh_spacing spacing, size_t bins, double lo, double hi, uh_closed closed);
uh_axis *test_equal_axis(size_t bins, double lo, double hi);
uh_histogram *test_histogram_over(uh_queue *queue, uh_axis *const *axes, size_t naxes,
                                  const uh_histogram_options *options);
uh_histogram *test_line(uh_queue *queue, uh_axis *axis); /* which counts over one axis */
uh_axis *test_growing_axis(void);
uh_axis *test_integer_axis(int64_t first, int64_t last);
uh_axis *test_categories(uh_dtype dtype, const void *values, size_t n);
uh_axis *test_distribution_axis(const uh_distribution *distribution, size_t bins, double first, double last,
                                uh_closed closed);
uh_axis *test_axis_with(const uh_axis *axis, const uh_distribution *distribution);
uh_axis *test_axis_with_flow(const uh_axis *axis, uh_flow_bins which);
void test_end_histogram(void *histogram);
uh_histogram *test_rebinned(uh_histogram *histogram, size_t axis, const uh_axis *bins, const size_t *to);

/* Samplers of weights, and of a named distribution, that end with the unit test. */
uh_sampler *test_sampler(uh_queue *queue, const uh_array *weights, const uh_sampler_options *options);
uh_sampler *test_sampler_of(uh_queue *queue, const uh_discrete *distribution, const uh_sampler_options *options);

/* What a sampler, an axis and a histogram are. */
uh_sampler_properties test_sampler_properties(const uh_sampler *sampler);
uh_axis_properties test_axis_properties(const uh_axis *axis);
uh_histogram_properties test_properties(const uh_histogram *histogram);

/* Makes device memory of a queue's device with these bytes, until the unit test ends. */
void *test_to_device(uh_queue *queue, const void *from, size_t size);

/* Asserts that all cells of a histogram have these counts, and axis 0 this flow (NULL: any). */
void test_assert_counts(uh_histogram *histogram, const uint64_t *expected, const uh_flow *flow);

/* All points that were filled; those beyond the ends of an axis. */
uint64_t test_total(uh_histogram *histogram);
uh_flow test_flow(uh_histogram *histogram, size_t axis);
