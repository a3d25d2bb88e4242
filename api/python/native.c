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

uh_status uhpy_count_edges(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count,
                           uh_dtype edge_dtype, const void *edges, size_t nedges, void *counts) {
    const uh_array x = {dtype, data, stride, count};
    return uh_histogram_of_edges(queue, &x, edge_dtype, edges, nedges, counts, NULL);
}

int uhpy_count_equal(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                     const double *range, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    const double *edge = edges;
    const uh_status status = uh_histogram_of(queue, &x, bins, range, counts, edges, NULL);
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

static int edges_in_double(const double *range, size_t bins, float *edges) {
    const double step = (range[1] - range[0]) / (double)bins;
    for (size_t i = 0; i < bins; i++)
        edges[i] = (float)((double)i * step + range[0]);
    edges[bins] = (float)range[1];
    return isfinite(step) && step > 0;
}

int uhpy_count_equal_f32(uh_queue *queue, uh_dtype dtype, const void *data, ptrdiff_t stride, size_t count, size_t bins,
                         const double *range, void *counts, void *edges) {
    const uh_array x = {dtype, data, stride, count};
    const float *edge = edges;
    double low = 0, high = 0;
    uint64_t nan = 0;
    uh_status status = range ? UH_SUCCESS : uh_min_max(queue, &x, &low, &high, &nan);
    if (status)
        return (int)status;
    if (nan || !(range ? edges_in_double(range, bins, edges) : edges_in_single((float)low, (float)high, bins, edges)))
        return UHPY_NOT_DONE;
    for (size_t i = 0; i < bins; i++)
        if (!(edge[i] < edge[i + 1]))
            return UHPY_NOT_DISTINCT;
    return (int)uh_histogram_of_edges(queue, &x, UH_F32, edges, bins + 1, counts, NULL);
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
