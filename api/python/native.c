/* SPDX-License-Identifier: Apache-2.0 */
#include "api/python/native.h"

#include <dlfcn.h>
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

/* Counts between edges. */
static uh_status count_between(uh_queue *queue, const uh_array *x, uh_dtype dtype, const void *edges, size_t nedges,
                               uint64_t *counts) {
    const uh_array at = uh_array_of(dtype, edges, nedges);
    const uh_bins bins = uh_bins_between(&at);
    const uh_cells cells = uh_cells_of(counts);
    return uh_histogram_of(queue, x, &bins, 1, NULL, &cells);
}

uh_status uhpy_count_edges(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                           uh_dtype edge_dtype, const void *edges, size_t nedges, void *counts) {
    const uh_array x = {dtype, data, stride, count};
    return count_between(queue, &x, edge_dtype, edges, nedges, counts);
}

/* Whether a range is given that is none. */
static int is_none(int ranged, double first, double last) {
    return ranged && !(isfinite(first) && isfinite(last) && first <= last);
}

int uhpy_count_equal(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                     int ranged, double first, double last, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    const double *edge = edges, range[2] = {first, last};
    const uh_bins equal = uh_bins_equal(bins, ranged ? range : NULL);
    uh_cells cells = uh_cells_of(counts);
    cells.edges[0] = edges;
    if (is_none(ranged, first, last))
        return UHPY_NOT_DONE;
    const uh_status status = uh_histogram_of(queue, &x, &equal, 1, NULL, &cells);
    for (size_t i = 0; i < bins && status == UH_SUCCESS; i++)
        if (!(edge[i] < edge[i + 1]))
            return UHPY_NOT_DISTINCT;
    return (int)status;
}

/* Edges from first to last, and whether there is a step from one to the next. */
static int edges_in_single(float first, float last, size_t bins, float *edges) {
    const float step = (last - first) / (float)bins;
    for (size_t i = 0; i < bins; i++)
        edges[i] = (float)i * step + first;
    edges[bins] = last;
    return isfinite(step) && step > 0;
}

static int edges_in_double(double first, double last, size_t bins, float *edges) {
    const double step = (last - first) / (double)bins;
    for (size_t i = 0; i < bins; i++)
        edges[i] = (float)((double)i * step + first);
    edges[bins] = (float)last;
    return isfinite(step) && step > 0;
}

int uhpy_count_equal_f32(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                         int ranged, double first, double last, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    const float *edge = edges;
    uint64_t nan = 0;
    if (is_none(ranged, first, last))
        return UHPY_NOT_DONE;
    const uh_status status = ranged ? UH_SUCCESS : uh_min_max(queue, &x, &first, &last, &nan);
    if (status)
        return (int)status;
    if (nan ||
        !(ranged ? edges_in_double(first, last, bins, edges) : edges_in_single((float)first, (float)last, bins, edges)))
        return UHPY_NOT_DONE;
    for (size_t i = 0; i < bins; i++)
        if (!(edge[i] < edge[i + 1]))
            return UHPY_NOT_DISTINCT;
    return (int)count_between(queue, &x, UH_F32, edges, bins + 1, counts);
}

uh_status uhpy_min_max(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                       double *extremes, uint64_t *nan) {
    const uh_array x = {dtype, data, stride, count};
    return uh_min_max(queue, &x, &extremes[0], &extremes[1], nan);
}

const uh_integrand_host *uhpy_load(const char *path, void **library, const char **why) {
    void *const loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!loaded) {
        *why = dlerror();
        return NULL;
    }
    const uh_integrand_host *integrand = dlsym(loaded, "uh_integrand_here");
    if (!integrand) {
        dlclose(loaded);
        *why = "expected UH_INTEGRAND(function, dims, values, void) at its end";
        return NULL;
    }
    *library = loaded;
    return integrand;
}

void uhpy_unload(void *library) {
    dlclose(library);
}
