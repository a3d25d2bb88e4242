/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf accumulate: sums of float32 weights in 1000 bins of random widths, beside reading values and weights. */
#include "perf/bench.h"
#include "perf/family.h"

#include "tests/cases_histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1000, USUAL_N = 1 << 24, EXPONENTS = 61, LOWEST = -84 };
#define RANGE 1000.0
#define H     0.01

/* How large weights are: 24 random bits times 2^-24, or times 2^-24 to 2^-84. */
enum weights { WEIGHTS_USUAL, WEIGHTS_WIDE };

struct work {
    size_t n;
    double edges[BINS + 1];
    float *x, *w; /* w behind x in one array */
    double expected[BINS], found[BINS];
};

struct weighted {
    struct work *work;
    uh_histogramdd *histogram;
};

static int reset(void *context, struct perf_error *error) {
    struct weighted *weighted = context;
    return uh_histogramdd_reset(weighted->histogram) ? family_library_failed(error) : PERF_OK;
}

static int fill(void *context, struct perf_error *error) {
    struct weighted *weighted = context;
    const uh_array x = uh_array_dense(UH_F32, weighted->work->x), w = uh_array_dense(UH_F32, weighted->work->w);
    return uh_histogramdd_fill(weighted->histogram, &x, weighted->work->n, &w) ? family_library_failed(error) : PERF_OK;
}

static int check(void *context, double tolerance, struct perf_error *error) {
    struct weighted *weighted = context;
    struct work *work = weighted->work;
    if (uh_histogramdd_sums(weighted->histogram, work->found, NULL))
        return family_library_failed(error);
    for (size_t j = 0; j < BINS; j++)
        if (fabs(work->found[j] - work->expected[j]) > tolerance * work->expected[j])
            return perf_fail(error, "the sum of bin %zu is %.17g, expected %.17g", j, work->found[j],
                             work->expected[j]);
    return PERF_OK;
}

static int check_exact(void *context, struct perf_error *error) {
    return check(context, 0, error);
}

static int check_fast(void *context, struct perf_error *error) {
    return check(context, 1e-6, error);
}

/* Sums as integers of 128 bits, rounded once. All values lie in bins. */
static int sum_up(struct work *work, struct perf_error *error) {
    __extension__ typedef unsigned __int128 wide;
    wide *sums = calloc(BINS, sizeof *sums);
    if (!sums)
        return perf_fail(error, "out of memory");
    for (size_t i = 0; i < work->n; i++) {
        size_t low = 0, high = BINS;
        while (high - low > 1) {
            const size_t middle = (low + high) / 2;
            if (work->edges[middle] <= (double)work->x[i])
                low = middle;
            else
                high = middle;
        }
        sums[low] += (wide)ldexp((double)work->w[i], -LOWEST);
    }
    for (size_t j = 0; j < BINS; j++)
        work->expected[j] = ldexp((double)sums[j], LOWEST);
    free(sums);
    return PERF_OK;
}

static int make(struct work *work, enum family_data data, enum weights weights, struct perf_error *error) {
    static const enum case_data shapes[] = {CASE_UNIFORM, CASE_ONEBIN, CASE_SORTED};
    work->x = perf_array_create(2 * work->n * sizeof *work->x, 2);
    if (!work->x)
        return perf_fail(error, "out of memory for %zu values and weights", work->n);
    work->w = work->x + work->n;
    if (case_edges(CASE_RANDOM, BINS, RANGE, H, 1, work->edges) ||
        case_fill_f32(shapes[data], BINS, work->edges, 1, work->x, work->n))
        return perf_fail(error, "out of memory for %d bins", BINS);
    for (size_t i = 0; i < work->n; i++) {
        const uint32_t random = family_random(2, i), exponent = family_random(3, i) % EXPONENTS;
        work->w[i] = ldexpf((float)((random >> 8) + 1), -24 - (weights == WEIGHTS_WIDE ? (int)exponent : 0));
    }
    return sum_up(work, error);
}

static int create(struct family *family, const struct work *work, int threads, uh_sum sum, uh_histogramdd **histogram,
                  struct perf_error *error) {
    const uh_histogramdd_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_SUM, .sum = sum};
    uh_axis *axis = NULL;
    uh_status status = uh_axis_create_edges(UH_F64, work->edges, BINS + 1, UH_CLOSED_LEFT, &axis);
    if (!status)
        status =
            uh_histogramdd_create(family->queues[threads - 1], (const uh_axis *const *)&axis, 1, &options, histogram);
    uh_axis_destroy(axis);
    return status ? family_library_failed(error) : PERF_OK;
}

static int run_case(struct family *family, enum family_data data, enum weights weights, double *usual,
                    struct perf_error *error) {
    static const struct {
        const char *name;
        int threads;
        uh_sum sum;
    } ours[] = {{"exact", 1, UH_SUM_EXACT}, {"fast", 1, UH_SUM_FAST}, {"exact", 2, UH_SUM_EXACT}};
    enum { OURS = sizeof ours / sizeof *ours };
    struct family_case what = {.operation = "accumulate",
                               .what = weights == WEIGHTS_WIDE ? "k:1000/f32/wide" : "k:1000/f32",
                               .data = data,
                               .bytes = 2 * sizeof(float)};
    struct weighted weighted[OURS] = {{NULL, NULL}};
    struct perf_limit limit[2];
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return perf_fail(error, "out of memory");
    work->n = family_length(family, USUAL_N);
    int status = family_lists(family) ? PERF_OK : make(work, data, weights, error);
    for (uint32_t t = 0; status == PERF_OK && t < 2; t++) {
        if (family->queues[t])
            perf_limit_init(&limit[t], work->x, 2 * work->n * sizeof *work->x, t + 1);
        if (family_lists(family) || family->queues[t])
            family_add(&what, "limit", t + 1, (double)work->n, perf_limit_subject(&limit[t]))->limit = 1;
    }
    for (size_t i = 0; status == PERF_OK && i < OURS; i++) {
        weighted[i].work = work;
        if (!family_lists(family) && !family->queues[ours[i].threads - 1])
            continue;
        if (!family_lists(family))
            status = create(family, work, ours[i].threads, ours[i].sum, &weighted[i].histogram, error);
        family_add(&what, ours[i].name, (uint32_t)ours[i].threads, (double)work->n,
                   (struct perf_subject){reset, fill, ours[i].sum == UH_SUM_FAST ? check_fast : check_exact,
                                         &weighted[i], NULL});
    }
    if (status == PERF_OK)
        status = family_measure(family, &what, error);
    for (size_t i = 0; status == PERF_OK && i < OURS; i++) {
        const uint32_t threads = (uint32_t)ours[i].threads;
        const double rate = family_rate(&what, ours[i].name, threads);
        if (ours[i].sum == UH_SUM_FAST)
            continue;
        if (data == FAMILY_USUAL) {
            usual[threads] = rate;
            family_goal(family, &what, "weighted k=1000 f32", "exact", threads, "x limit",
                        rate / family_rate(&what, "limit", threads), 0.08, 0.25);
        } else {
            family_goal(family, &what, "weighted k=1000 f32", "exact", threads, "x usual", rate / usual[threads], 0.5,
                        1);
        }
    }
    for (size_t i = 0; i < OURS; i++)
        uh_histogramdd_destroy(weighted[i].histogram);
    free(work->x);
    free(work);
    return status;
}

int family_accumulate(struct family *family, struct perf_error *error) {
    int status = PERF_OK;
    for (int weights = WEIGHTS_USUAL; weights <= WEIGHTS_WIDE; weights++) {
        double usual[3] = {0};
        for (int data = 0; status == PERF_OK && data < FAMILY_DATA_COUNT; data++)
            status = run_case(family, (enum family_data)data, (enum weights)weights, usual, error);
    }
    return status;
}

int uhi_perf_accumulate(int argc, char **argv, struct perf_error *error) {
    static const family_cases cases[] = {family_accumulate};
    return family_main(argc, argv,
                       "Measure sums of float32 weights in 1000 bins of random widths, exact and fast, beside reading\n"
                       "values and weights: weights of one scale, and of 60 powers of two.",
                       cases, 1, error);
}
