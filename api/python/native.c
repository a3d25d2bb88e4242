/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

uh_status uhpy_count(uh_histogram *histogram, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                     void *counts) {
    const uh_array x = {dtype, data, stride, count};
    uh_status status = uh_histogram_reset(histogram);
    if (status == UH_SUCCESS)
        status = uh_histogram_fill(histogram, &x, NULL);
    if (status == UH_SUCCESS)
        status = uh_histogram_counts(histogram, counts);
    return status;
}

uh_status uhpy_count_edges(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                           uh_dtype edge_dtype, const void *edges, size_t nedges, void *counts) {
    const uh_array x = {dtype, data, stride, count};
    return uh_histogram_of_edges(queue, &x, edge_dtype, edges, nedges, counts, NULL);
}

uh_status uhpy_count_equal(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                           size_t bins, const double *range, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    return uh_histogram_of(queue, &x, bins, range, counts, edges, NULL);
}

uh_status uhpy_min_max(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                       double *extremes, uint64_t *nan) {
    const uh_array x = {dtype, data, stride, count};
    return uh_min_max(queue, &x, &extremes[0], &extremes[1], nan);
}
