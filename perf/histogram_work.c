/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/harness.h"
#include "perf/histogram_cases.h"

#include <stdlib.h>

#define DATA_SEED UINT64_C(1)

int histogram_work_create(struct histogram_work *work, const struct histogram_cases *cases, uint32_t threads,
                          struct perf_error *error) {
    size_t k = 1, n = 0, bytes = 0;
    for (size_t i = 0; i < cases->count; i++) {
        const struct histogram_case *what = &cases->list[i];
        size_t values = what->n * what->calls, size = uh_dtype_size(what->dtype);
        if (values > SIZE_MAX / size)
            return perf_fail(error, "out of memory for %zu values; --n sets how many", values);
        k = what->k > k ? what->k : k;
        n = values > n ? values : n;
        bytes = values * size > bytes ? values * size : bytes;
    }
    *work = (struct histogram_work){.k_max = k, .n_max = n, .bytes_max = bytes};
    work->edges = calloc(k + 1, sizeof *work->edges);
    work->expected.bins = calloc(k, sizeof *work->expected.bins);
    work->part.bins = calloc(k, sizeof *work->part.bins);
    work->found.bins = calloc(k, sizeof *work->found.bins);
    if (!work->edges || !work->expected.bins || !work->part.bins || !work->found.bins)
        return perf_fail(error, "out of memory for %zu bins", k);
    work->x = perf_array_create(bytes, threads);
    return work->x ? PERF_OK : perf_fail(error, "out of memory for %zu values; --n sets how many", n);
}

void histogram_work_free(struct histogram_work *work) {
    free(work->x);
    free(work->found.bins);
    free(work->part.bins);
    free(work->expected.bins);
    free(work->edges);
    *work = (struct histogram_work){0};
}

static int differ(double a, double b) {
    return a < b || a > b;
}

/* 1 where the values of the case before serve: those of some shapes depend on the outermost edges only. */
static int values_serve(const struct histogram_work *work, const struct histogram_case *what) {
    const struct histogram_case *drawn = &work->drawn;
    return (what->data == CASE_UNIFORM || what->data == CASE_SORTED) && drawn->data == what->data &&
           drawn->dtype == what->dtype && drawn->n * drawn->calls == what->n * what->calls &&
           !differ(work->low, work->edges[0]) && !differ(work->high, work->edges[what->k]);
}

static int draw_values(struct histogram_work *work, const struct histogram_case *what, struct perf_error *error) {
    const double *edges = work->edges;
    size_t n = what->n * what->calls;
    int failed = -1;
    if (values_serve(work, what))
        return PERF_OK;
    work->drawn.calls = 0;
    switch (what->dtype) {
    case UH_F32: failed = case_fill_f32(what->data, what->k, edges, DATA_SEED, work->x, n); break;
    case UH_F64: failed = case_fill_f64(what->data, what->k, edges, DATA_SEED, work->x, n); break;
    case UH_I32: failed = case_fill_i32(what->data, what->k, edges, DATA_SEED, work->x, n); break;
    case UH_U8: failed = case_fill_u8(what->data, what->k, edges, DATA_SEED, work->x, n); break;
    default: break;
    }
    if (failed)
        return perf_fail(error, "out of memory for %zu bins", what->k);
    struct perf_limit limit;
    perf_limit_init(&limit, work->x, n * uh_dtype_size(what->dtype), 1);
    work->sum = limit.expected;
    work->drawn = *what;
    work->low = edges[0];
    work->high = edges[what->k];
    return PERF_OK;
}

/* The first `search` values are counted apart, and then the rest. */
static int count_values(struct histogram_work *work, const struct histogram_case *what, uint32_t threads,
                        struct perf_error *error) {
    struct perf_counts *all = &work->expected, *part = &work->part;
    size_t n = what->n * what->calls, size = uh_dtype_size(what->dtype);
    size_t first = what->search && what->search < n ? what->search : 0;
    const unsigned char *rest = (const unsigned char *)work->x + first * size;
    int status = perf_reference_count(rest, what->dtype, n - first, work->edges, what->k, threads, all, error);
    if (status == PERF_OK && first)
        status = perf_reference_count(work->x, what->dtype, first, work->edges, what->k, threads, part, error);
    if (status != PERF_OK || !first)
        return status;
    for (size_t bin = 0; bin < what->k; bin++)
        all->bins[bin] += part->bins[bin];
    all->below += part->below;
    all->above += part->above;
    all->nan += part->nan;
    return PERF_OK;
}

int histogram_work_prepare(struct histogram_work *work, const struct histogram_case *what, uint32_t threads,
                           struct perf_error *error) {
    if (histogram_case_edges(what, work->edges))
        return perf_fail(error, "h = %g does not fit %zu bins", what->h, what->k);
    int status = draw_values(work, what, error);
    return status == PERF_OK ? count_values(work, what, threads, error) : status;
}
