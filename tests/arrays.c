/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/arrays.h"

#include "api/histogram.h"
#include "runtime/queue.h"

static void test_end_axis(void *axis) { uh_axis_destroy(axis); }

void test_end_histogram(void *histogram) { uh_histogram_destroy(histogram); }

/* Which a call has made. */
static uh_axis *keep(uh_status status, uh_axis *const *axis) {
    test_good(status);
    return test_at_end(*axis, test_end_axis);
}

uh_axis *test_axis_of(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    uh_axis *axis = NULL;
    return keep(uh_axis_create_edges(dtype, edges, nedges, closed, &axis), &axis);
}

uh_axis *test_regular_axis(uh_spacing spacing, size_t bins, double lo, double hi, uh_closed closed) {
    uh_axis *axis = NULL;
    return keep(uh_axis_create_regular(spacing, bins, lo, hi, closed, &axis), &axis);
}

uh_axis *test_equal_axis(size_t bins, double lo, double hi) {
    return test_regular_axis(UH_SPACING_EQUAL, bins, lo, hi, UH_CLOSED_LEFT);
}

uh_axis *test_growing_axis(void) {
    uh_axis *axis = NULL;
    return keep(uh_axis_create_growing(&axis), &axis);
}

uh_axis *test_integer_axis(int64_t first, int64_t last) {
    uh_axis *axis = NULL;
    return keep(uh_axis_create_integer(first, last, &axis), &axis);
}

uh_axis *test_categories(uh_dtype dtype, const void *values, size_t n) {
    uh_axis *axis = NULL;
    return keep(uh_axis_create_categories(dtype, values, n, &axis), &axis);
}

uh_axis *test_distribution_axis(const uh_distribution *distribution, size_t bins, double first, double last,
                                uh_closed closed) {
    uh_axis *axis = NULL;
    return keep(uh_axis_create_distribution(distribution, bins, first, last, closed, &axis), &axis);
}

uh_axis *test_axis_with(const uh_axis *axis, const uh_distribution *distribution) {
    uh_axis *with = NULL;
    return keep(uh_axis_create_with_distribution(axis, distribution, &with), &with);
}

uh_axis *test_axis_with_flow(const uh_axis *axis, uh_flow_bins which) {
    uh_axis *with = NULL;
    return keep(uh_axis_create_with_flow_bins(axis, which, &with), &with);
}

uh_histogram *test_rebinned(uh_histogram *histogram, size_t axis, const uh_axis *bins, const size_t *to) {
    uh_histogram *rebinned = NULL;
    test_good(uh_histogram_rebin(histogram, axis, bins, to, &rebinned));
    return test_at_end_first(rebinned, test_end_histogram);
}

static void end_sampler(void *sampler) { uh_sampler_destroy(sampler); }

uh_sampler *test_sampler_of(uh_queue *queue, const uh_discrete *distribution, const uh_sampler_options *options) {
    uh_sampler *sampler = NULL;
    test_good(uh_sampler_create(queue, distribution, options, &sampler));
    return test_at_end_first(sampler, end_sampler);
}

uh_sampler *test_sampler(uh_queue *queue, const uh_array *weights, const uh_sampler_options *options) {
    return test_sampler_of(queue, WEIGHTED(weights), options);
}

uh_histogram *test_histogram_over(uh_queue *queue, uh_axis *const *axes, size_t naxes,
                                  const uh_histogram_options *options) {
    uh_histogram *histogram = NULL;
    test_good(uh_histogram_create(queue, axes, naxes, options, &histogram));
    return test_at_end_first(histogram, test_end_histogram);
}

uh_histogram *test_line(uh_queue *queue, uh_axis *axis) { return test_histogram_over(queue, &axis, 1, NULL); }

void *test_to_device(uh_queue *queue, const void *from, size_t size) {
    void *memory = NULL;
    test_good(uh_malloc(queue->device, UH_MEMORY_DEVICE, size, 0, &memory));
    test_at_end(memory, test_end_memory);
    test_good(uh_memcpy(queue, memory, from, size, NULL));
    test_good(uh_queue_wait(queue));
    return memory;
}

uint64_t test_total(uh_histogram *histogram) {
    uint64_t inside, outside;
    test_good(uh_histogram_total(histogram, &inside, &outside));
    return inside + outside;
}

uh_flow test_flow(uh_histogram *histogram, size_t axis) {
    uh_flow flow;
    test_good(uh_histogram_flow(histogram, axis, &flow));
    return flow;
}

void test_assert_counts(uh_histogram *histogram, const uint64_t *expected, const uh_flow *flow) {
    const size_t bytes = test_properties(histogram).cells * sizeof *expected;
    uint64_t *counts = test_memory(bytes);
    const uh_flow got = test_flow(histogram, 0);
    test_good(uh_histogram_counts(histogram, counts));
    assert_memory_equal(counts, expected, bytes);
    if (flow)
        assert_memory_equal(&got, flow, sizeof got);
}

uh_sampler_properties test_sampler_properties(const uh_sampler *sampler) {
    uh_sampler_properties properties = {.struct_size = sizeof properties};
    test_good(uh_sampler_get_properties(sampler, &properties));
    return properties;
}

uh_axis_properties test_axis_properties(const uh_axis *axis) {
    uh_axis_properties properties = {.struct_size = sizeof properties};
    test_good(uh_axis_get_properties(axis, &properties));
    return properties;
}

uh_histogram_properties test_properties(const uh_histogram *histogram) {
    uh_histogram_properties properties = {.struct_size = sizeof properties};
    test_good(uh_histogram_get_properties(histogram, &properties));
    return properties;
}
