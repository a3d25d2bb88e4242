/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes: every look-up of every type of coordinates, on the first axis of two or the second;
 * then axes that are alike (cases_alike.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/histogram.h>

#include "api/histogram.h"
#include "tests/cases_alike.h"
#include "tests/description.h"
#include "tests/tried_axis.h"

/* Some axes of tried_axis.h: the last four are for Intel's devices. */
static const size_t axes[] = {0, 2, 3, 4, 9, 10, 11, 12};
enum { AXES = sizeof axes / sizeof *axes, AXES_FEW = 4, BINS = 3, MIXED = AXES * TRIED_TYPES * TRIED_LOOKUPS };
static const float edges[BINS + 1] = {-1, 0, 2.5F, 7};

struct points {
    void *alike;            /* of an axis that is like the other, which is all then; or NULL */
    struct tried_axis axis; /* the other one has the edges above, and float32 */
    struct tried_lookup lookup;
    int second; /* it is the second axis */
    size_t n, part, size, cells;
    char *x, *spaced; /* the part's coordinates, with gaps */
    float *y;
    uint64_t *all, *some; /* the points of each cell, then outside, then the tried axis's flow */
};

/* Unsigned types share their kernels with the signed ones, and small ones know no axis and no look-up. */
static size_t few(size_t axis, uh_dtype dtype, enum uhi_lookup by) {
    if (axis >= AXES_FEW || dtype == UH_I8 || dtype == UH_I16 || dtype == UH_U32 || dtype == UH_U64)
        return 0;
    if (uh_dtype_size(dtype) <= 2)
        return axis == 0 && by == UHI_LOOKUP_SEARCH ? 70 : 0;
    if (axis == 0 && dtype == UH_F32 && by == UHI_LOOKUP_AUTO)
        return 2 * 16 * 64 + 7; /* several groups */
    return by == UHI_LOOKUP_AUTO || by == UHI_LOOKUP_COMPARE ? 0 : 70;
}

static int describe(size_t number, struct tried *tried) {
    const struct tried_lookup lookup = tried_lookup_of(number);
    if (number >= MIXED)
        return cases_alike_describe(number - MIXED, tried);
    tried_lookup_describe(lookup, axes[lookup.axis], lookup.axis < AXES_FEW, tried);
    tried->few = few(lookup.axis, lookup.dtype, lookup.by);
    if (lookup.axis == 0 && lookup.by == UHI_LOOKUP_AUTO)
        tried->in_faults = lookup.dtype == UH_F32 ? 70000 : lookup.dtype == UH_U8 ? 3000 : 0;
    return 0;
}

static void free_points(void *made) {
    struct points *p = made;
    if (p && p->alike)
        cases_alike_free(p->alike);
    else if (p)
        tried_axis_free(&p->axis);
    case_free(made);
}

static void count(const struct points *p, const struct oracle_axis *other, size_t i, uint64_t *counts) {
    const size_t s = oracle_slot(&p->axis.oracle, oracle_value(p->lookup.dtype, p->x + i * p->size));
    const size_t t = oracle_slot(other, (long double)p->y[i]);
    const int inside = s > 0 && s <= p->axis.bins && t > 0 && t <= BINS;
    counts[!inside ? p->cells : p->second ? (t - 1) * p->axis.bins + s - 1 : (s - 1) * BINS + t - 1]++;
    if (s == 0 || s > p->axis.bins)
        counts[p->cells + 1 + (s == 0 ? 0 : s - p->axis.bins)]++;
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct points *p = case_new(sizeof *p);
    struct oracle_axis other;
    if (number >= MIXED) {
        p->alike = cases_alike_make(number - MIXED, n, seed);
        return p;
    }
    if (oracle_axis_init(&other, UH_F32, edges, BINS + 1, UH_CLOSED_LEFT))
        abort();
    p->lookup = tried_lookup_of(number);
    tried_axis_make(axes[p->lookup.axis], &p->axis);
    p->second = (int)(number % 2);
    p->size = uh_dtype_size(p->lookup.dtype);
    p->n = n;
    p->part = n / 4;
    const size_t alike = n - n / 5; /* this one and all after it: a host counts equal cells at once */
    p->cells = p->axis.bins * BINS;
    p->x = case_array(p, n, p->size);
    p->spaced = case_array(p, p->part, 3 * p->size);
    p->y = case_array(p, n, sizeof *p->y);
    p->all = case_array(p, p->cells + 4, sizeof *p->all);
    p->some = case_array(p, p->cells + 4, sizeof *p->some);
    case_values_fill(&p->axis.oracle, p->lookup.dtype, seed, p->x, n);
    for (size_t i = 0; i < n; i++) {
        const size_t from = i < alike ? i : alike;
        memmove(p->x + i * p->size, p->x + from * p->size, p->size);
        p->y[i] = (float)((from + seed) % 19) / 2 - 2;
        count(p, &other, i, p->all);
        if (i < p->part) {
            count(p, &other, i, p->some);
            memcpy(p->spaced + 3 * i * p->size, p->x + i * p->size, p->size);
        }
    }
    oracle_axis_free(&other);
    return p;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

static uh_histogram *create(struct use *use, const struct points *p) {
    uh_axis *axis = tried_axis_create(use, &p->axis), *other = NULL;
    uh_histogram *histogram = NULL;
    if (axis &&
        use_call(use, "uh_axis_create_edges", uh_axis_create_edges(UH_F32, edges, BINS + 1, UH_CLOSED_LEFT, &other))) {
        uh_axis *const both[] = {p->second ? other : axis, p->second ? axis : other};
        (void)use_call(use, "uh_histogram_create", uh_histogram_create(use->queue, both, 2, NULL, &histogram));
    }
    uh_axis_destroy(axis);
    uh_axis_destroy(other);
    if (histogram)
        tried_lookup_force(p->lookup, histogram, (size_t)p->second);
    return histogram;
}

static int add(struct use *use, const struct points *p, uh_histogram *histogram, const void *x, size_t spaced,
               const void *y, size_t n) {
    const uh_array tried = {p->lookup.dtype, x, (ptrdiff_t)(spaced * p->size), n}, few_bins = uh_array_of(UH_F32, y, n);
    const uh_array coordinates[] = {p->second ? few_bins : tried, p->second ? tried : few_bins};
    return use_call(use, "uh_histogram_fill", uh_histogram_fill(histogram, coordinates, NULL));
}

static void read_cells(struct use *use, const struct points *p, uh_histogram *histogram, uint64_t all, uint64_t some) {
    uint64_t *expected = use_scratch(use, (p->cells + 4) * sizeof *expected);
    uint64_t *counts = use_output_plain(use, p->cells, sizeof *counts), inside = 0, outside = 0;
    uh_flow flow = {0, 0, 0};
    for (size_t c = 0; c < p->cells + 4; c++)
        expected[c] = all * p->all[c] + some * p->some[c];
    (void)use_written(use, "uh_histogram_counts", uh_histogram_counts(histogram, counts), counts, expected, USE_WHOLE);
    if (use_call(use, "uh_histogram_total", uh_histogram_total(histogram, &inside, &outside)))
        use_expect(use, outside == expected[p->cells] && inside + outside == all * p->n + some * p->part,
                   "%" PRIu64 " inside and %" PRIu64 " outside", inside, outside);
    const uint64_t *flow_of = expected + p->cells + 1;
    if (use_call(use, "uh_histogram_flow", uh_histogram_flow(histogram, (size_t)p->second, &flow)))
        use_expect(use, flow.below == flow_of[0] && flow.above == flow_of[1] && flow.nan == flow_of[2],
                   "flow %" PRIu64 " %" PRIu64 " %" PRIu64, flow.below, flow.above, flow.nan);
}

static void run(struct use *use, const void *made) {
    const struct points *p = made;
    if (p->alike) {
        cases_alike_run(use, p->alike);
        return;
    }
    const void *x = use_input(use, p->x, p->n * p->size), *spaced = use_input(use, p->spaced, p->part * 3 * p->size);
    const void *y = use_input(use, p->y, p->n * sizeof *p->y);
    if (!x || !spaced || !y)
        return;
    uh_histogram *histogram = create(use, p);
    if (histogram) {
        const int all = add(use, p, histogram, x, 1, y, p->n), some = add(use, p, histogram, spaced, 3, p->y, p->part);
        read_cells(use, p, histogram, (uint64_t)all, (uint64_t)some);
    }
    uh_histogram_destroy(histogram);
}

const struct description describe_points = {"points", describe, make, run, free_points};
