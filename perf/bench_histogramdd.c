/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histogramdd: 100 by 100 bins of random widths, beside the library's own histogram of 100 bins. */
#include "perf/bench.h"
#include "perf/family.h"

#include "tests/cases_histogram.h"

#include <stdlib.h>
#include <string.h>

enum { BINS = 100, CELLS = BINS * BINS, USUAL_N = 1 << 24 };
#define RANGE 1000.0
#define H     0.01

struct work {
    size_t n;
    double edges[2][BINS + 1];
    float *x[2]; /* one behind the other in one array */
    uint64_t expected[CELLS], expected_1d[BINS], found[CELLS];
};

struct counted {
    struct work *work;
    uh_histogramdd *plane;
    uh_histogram *line;
};

static int reset(void *context, struct perf_error *error) {
    struct counted *counted = context;
    const uh_status status = counted->plane ? uh_histogramdd_reset(counted->plane) : uh_histogram_reset(counted->line);
    return status ? family_library_failed(error) : PERF_OK;
}

static int fill(void *context, struct perf_error *error) {
    struct counted *counted = context;
    const struct work *work = counted->work;
    const uh_array x[] = {uh_array_dense(UH_F32, work->x[0]), uh_array_dense(UH_F32, work->x[1])};
    const uh_status status = counted->plane ? uh_histogramdd_fill(counted->plane, x, work->n, NULL)
                                            : uh_histogram_fill(counted->line, UH_F32, work->x[0], work->n);
    return status ? family_library_failed(error) : PERF_OK;
}

static int check(void *context, struct perf_error *error) {
    struct counted *counted = context;
    struct work *work = counted->work;
    const uint64_t *expected = counted->plane ? work->expected : work->expected_1d;
    const uh_status status = counted->plane ? uh_histogramdd_counts(counted->plane, work->found)
                                            : uh_histogram_counts(counted->line, work->found);
    if (status)
        return family_library_failed(error);
    for (size_t cell = 0; cell < (counted->plane ? (size_t)CELLS : (size_t)BINS); cell++)
        if (work->found[cell] != expected[cell])
            return perf_fail(error, "the count of cell %zu is %llu, expected %llu", cell,
                             (unsigned long long)work->found[cell], (unsigned long long)expected[cell]);
    return PERF_OK;
}

static size_t bin_of(const double *edges, double x) {
    size_t low = 0, high = BINS;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (edges[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* All points lie in cells. */
static int make(struct work *work, enum family_data data, struct perf_error *error) {
    static const enum case_data shapes[] = {CASE_UNIFORM, CASE_ONEBIN, CASE_SORTED};
    work->x[0] = perf_array_create(2 * work->n * sizeof *work->x[0], 2);
    if (!work->x[0])
        return perf_fail(error, "out of memory for %zu points", work->n);
    work->x[1] = work->x[0] + work->n;
    for (uint64_t axis = 0; axis < 2; axis++)
        if (case_edges(CASE_RANDOM, BINS, RANGE, H, axis + 1, work->edges[axis]) ||
            case_fill_f32(shapes[data], BINS, work->edges[axis], axis + 1, work->x[axis], work->n))
            return perf_fail(error, "out of memory for %d bins", BINS);
    for (size_t i = 0; i < work->n; i++) {
        const size_t row = bin_of(work->edges[0], (double)work->x[0][i]);
        work->expected[row * BINS + bin_of(work->edges[1], (double)work->x[1][i])]++;
        work->expected_1d[row]++;
    }
    return PERF_OK;
}

static int create(uh_queue *queue, const struct work *work, int plane, struct counted *counted,
                  struct perf_error *error) {
    uh_axis *axes[2] = {NULL, NULL};
    uh_status status = UH_SUCCESS;
    for (size_t axis = 0; axis < 2 && !status; axis++)
        status = uh_axis_create_edges(UH_F64, work->edges[axis], BINS + 1, UH_CLOSED_LEFT, &axes[axis]);
    if (!status && plane)
        status = uh_histogramdd_create(queue, (const uh_axis *const *)axes, 2, NULL, &counted->plane);
    else if (!status)
        status = uh_histogram_create(queue, axes[0], NULL, &counted->line);
    uh_axis_destroy(axes[0]);
    uh_axis_destroy(axes[1]);
    return status ? family_library_failed(error) : PERF_OK;
}

static int run_case(struct family *family, enum family_data data, double *usual, struct perf_error *error) {
    static const struct {
        const char *name;
        int threads, plane;
    } ours[] = {{"1-D", 1, 0}, {"2-D", 1, 1}, {"1-D", 2, 0}, {"2-D", 2, 1}};
    enum { OURS = sizeof ours / sizeof *ours };
    struct family_case what = {
        .operation = "histogramdd", .what = "100x100/f32", .data = data, .bytes = 2 * sizeof(float)};
    struct counted counted[OURS] = {{NULL, NULL, NULL}};
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return perf_fail(error, "out of memory");
    work->n = family_length(family, USUAL_N);
    int status = family_lists(family) ? PERF_OK : make(work, data, error);
    for (size_t i = 0; status == PERF_OK && i < OURS; i++) {
        counted[i].work = work;
        if (!family_lists(family) && !family->queues[ours[i].threads - 1])
            continue;
        if (!family_lists(family))
            status = create(family->queues[ours[i].threads - 1], work, ours[i].plane, &counted[i], error);
        family_add(&what, ours[i].name, (uint32_t)ours[i].threads, (double)work->n,
                   (struct perf_subject){reset, fill, check, &counted[i], NULL})
            ->baseline = !ours[i].plane && ours[i].threads == 1;
    }
    if (status == PERF_OK)
        status = family_measure(family, &what, error);
    for (uint32_t threads = 1; status == PERF_OK && threads <= 2; threads++) {
        const double rate = family_rate(&what, "2-D", threads);
        if (data == FAMILY_USUAL) {
            usual[threads] = rate;
            family_goal(family, &what, "2-D 100x100 f32", "2-D", threads, "x 1-D",
                        rate / family_rate(&what, "1-D", threads), 0.35, 0.6);
        } else {
            family_goal(family, &what, "2-D 100x100 f32", "2-D", threads, "x usual", rate / usual[threads], 0.5, 1);
        }
    }
    for (size_t i = 0; i < OURS; i++) {
        uh_histogramdd_destroy(counted[i].plane);
        uh_histogram_destroy(counted[i].line);
    }
    free(work->x[0]);
    free(work);
    return status;
}

int family_histogramdd(struct family *family, struct perf_error *error) {
    double usual[3] = {0};
    int status = PERF_OK;
    for (int data = 0; status == PERF_OK && data < FAMILY_DATA_COUNT; data++)
        status = run_case(family, (enum family_data)data, usual, error);
    return status;
}

int uhi_perf_histogramdd(int argc, char **argv, struct perf_error *error) {
    static const family_cases cases[] = {family_histogramdd};
    return family_main(argc, argv,
                       "Measure histograms of two float32 coordinates in 100 by 100 bins of random widths, beside the\n"
                       "library's own histogram of one of them.",
                       cases, 1, error);
}
