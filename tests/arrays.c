/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/arrays.h"

#include "api/histogram.h"
#include "runtime/queue.h"

void test_end_axis(void *axis) {
    uh_axis_destroy(axis);
}

void test_end_histogram(void *histogram) {
    uh_histogram_destroy(histogram);
}

uh_axis *test_axis_of(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed) {
    uh_axis *axis = NULL;
    test_good(uh_axis_create_edges(dtype, edges, nedges, closed, &axis));
    return test_at_end(axis, test_end_axis);
}

uh_axis *test_equal_axis(size_t bins, double lo, double hi) {
    uh_axis *axis = NULL;
    test_good(uh_axis_create_regular(UH_SPACING_EQUAL, bins, lo, hi, UH_CLOSED_LEFT, &axis));
    return test_at_end(axis, test_end_axis);
}

uh_axis *test_growing_axis(void) {
    uh_axis *axis = NULL;
    test_good(uh_axis_create_growing(&axis));
    return test_at_end(axis, test_end_axis);
}

uh_axis *test_integer_axis(int64_t first, int64_t last) {
    uh_axis *axis = NULL;
    test_good(uh_axis_create_integer(first, last, &axis));
    return test_at_end(axis, test_end_axis);
}

uh_axis *test_axis_with(const uh_axis *axis, const uh_distribution *distribution) {
    uh_axis *with = NULL;
    test_good(uh_axis_create_with_distribution(axis, distribution, &with));
    return test_at_end(with, test_end_axis);
}

static void end_sampler(void *sampler) {
    uh_sampler_destroy(sampler);
}

uh_sampler *test_sampler(uh_queue *queue, const uh_array *weights, const uh_sampler_options *options) {
    uh_sampler *sampler = NULL;
    test_good(uh_sampler_create(queue, WEIGHTED(weights), options, &sampler));
    return test_at_end_first(sampler, end_sampler);
}

uh_sampler *test_sampler_of(uh_queue *queue, const uh_discrete *distribution, const uh_sampler_options *options) {
    uh_sampler *sampler = NULL;
    test_good(uh_sampler_create(queue, distribution, options, &sampler));
    return test_at_end_first(sampler, end_sampler);
}

uh_histogram *test_histogram_over(uh_queue *queue, uh_axis *const *axes, size_t naxes,
                                  const uh_histogram_options *options) {
    uh_histogram *histogram = NULL;
    test_good(uh_histogram_create(queue, axes, naxes, options, &histogram));
    return test_at_end_first(histogram, test_end_histogram);
}

uh_histogram *test_line(uh_queue *queue, uh_axis *axis) {
    return test_histogram_over(queue, &axis, 1, NULL);
}

void *test_to_device(uh_queue *queue, const void *from, size_t size) {
    void *memory = NULL;
    test_good(uh_malloc(uhi_queue_device(queue), UH_MEMORY_DEVICE, size, 0, &memory));
    test_at_end(memory, test_end_memory);
    test_good(uh_memcpy(queue, memory, from, size, NULL));
    test_good(uh_queue_wait(queue));
    return memory;
}

uh_status test_total(uh_histogram *histogram, uint64_t *total) {
    uint64_t inside, outside;
    uh_status status = uh_histogram_total(histogram, &inside, &outside);
    if (!status)
        *total = inside + outside;
    return status;
}

uh_flow test_flow(uh_histogram *histogram, size_t axis) {
    uh_flow flow;
    test_good(uh_histogram_flow(histogram, axis, &flow));
    return flow;
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
