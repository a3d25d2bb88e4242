/* SPDX-License-Identifier: Apache-2.0 */
#include "api/python/native.h"

#include <math.h>

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

/* Fills in edges as numpy.linspace does in float32. Returns whether each step increases. */
static int fill_single(float first, float last, size_t bins, float *edges) {
    const float step = (last - first) / (float)bins;
    for (size_t i = 0; i < bins; i++)
        edges[i] = (float)i * step + first;
    edges[bins] = last;
    return isfinite(step) && step > 0;
}

/* The same in float64, rounded. */
static int fill_double(double first, double last, size_t bins, float *edges) {
    const double step = (last - first) / (double)bins;
    for (size_t i = 0; i < bins; i++)
        edges[i] = (float)((double)i * step + first);
    edges[bins] = (float)last;
    return isfinite(step) && step > 0;
}

static int count_single(uh_queue *queue, const uh_array *x, size_t bins, const double *range, void *counts,
                        float *edges) {
    const uh_array at = uh_array_of(UH_F32, edges, bins + 1);
    const uh_bins between = uh_bins_between(&at);
    const uh_cells cells = uh_cells_of(counts);
    double first, last;
    uint64_t nan = 0;
    const uh_status status = range ? UH_SUCCESS : uh_min_max(queue, x, &first, &last, &nan);
    if (status)
        return (int)status;
    if (nan ||
        !(range ? fill_double(range[0], range[1], bins, edges) : fill_single((float)first, (float)last, bins, edges)))
        return UHPY_NOT_DONE;
    for (size_t i = 0; i < bins; i++)
        if (!(edges[i] < edges[i + 1]))
            return UHPY_NOT_DISTINCT;
    return (int)uh_histogram_of(queue, x, &between, 1, NULL, &cells);
}

static int count_double(uh_queue *queue, const uh_array *x, size_t bins, const double *range, void *counts,
                        double *edges) {
    const uh_bins equal = uh_bins_equal(bins, range);
    uh_cells cells = uh_cells_of(counts);
    cells.edges[0] = edges;
    const uh_status status = uh_histogram_of(queue, x, &equal, 1, NULL, &cells);
    for (size_t i = 0; i < bins && status == UH_SUCCESS; i++)
        if (!(edges[i] < edges[i + 1]))
            return UHPY_NOT_DISTINCT;
    return (int)status;
}

int uhpy_count_equal(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                     int ranged, double first, double last, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    const double ends[2] = {first, last}, *range = ranged ? ends : NULL;
    if (ranged && !(isfinite(first) && isfinite(last) && first <= last))
        return UHPY_NOT_DONE;
    return dtype == UH_F32 ? count_single(queue, &x, bins, range, counts, edges)
                           : count_double(queue, &x, bins, range, counts, edges);
}
