/* SPDX-License-Identifier: Apache-2.0 */
/* The experiments of a set of points take turns in each run, and each must find the clusters that the sequential
 * program finds. */
#include "perf/bench.h"
#include "perf/meanshift_points.h"
#include "perf/meanshift_tables.h"
#include "perf/plain_meanshift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED UINT64_C(20261123)

/* How far centroids may be apart, of coordinates up to about 20 with a deviation of 3: float32 sums in another order,
 * and where points at the radius are in or out by them. */
#define CENTROIDS_APART 0.05

enum { CENTROIDS_MAX = 256 };

const char *meanshift_by_name(enum meanshift_by by) {
    static const char *const names[MEANSHIFT_BYS] = {"sequential", "tiles", "cells", "device naive", "device tiles"};
    return names[by];
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static void add(struct meanshift_results *results, const struct paper_meanshift_set *set, size_t n,
                enum meanshift_by by, uint32_t threads) {
    results->times[results->count++] =
        (struct meanshift_times){.set = set, .n = n, .by = by, .threads = threads, .iterations = results->iterations};
}

static void add_set(struct meanshift_results *results, const struct paper_meanshift_set *set, size_t n) {
    add(results, set, n, MEANSHIFT_SEQUENTIAL, 1);
    for (size_t i = 0; i < results->thread_count; i++)
        add(results, set, n, MEANSHIFT_TILES, results->threads[i]);
    add(results, set, n, MEANSHIFT_CELLS, results->threads[results->thread_count - 1]);
    if (results->device) {
        add(results, set, n, MEANSHIFT_DEVICE_NAIVE, 1);
        add(results, set, n, MEANSHIFT_DEVICE_TILES, 1);
    }
}

void meanshift_list(struct meanshift_results *results) {
    const struct perf_numbers *n = &results->bench->options.n;
    for (size_t set = 0; set < PAPER_MEANSHIFT_DIMS; set++)
        for (size_t i = 0; i < (n->count ? 1 : PAPER_MEANSHIFT_SIZES); i++)
            add_set(results, &paper_meanshift_sets[set], n->count ? (size_t)n->value[0] : paper_meanshift_sizes[i]);
}

/* ---- one run ---------------------------------------------------------------------------------------------------- */

/* A set of points. */
struct points {
    const struct paper_meanshift_set *set;
    size_t n, bytes;
    float *given, *moved, *room;
    size_t centroid_count; /* of the sequential program */
    float centroids[CENTROIDS_MAX * UH_MEAN_SHIFT_MAX_DIMS];
};

static double run_sequential(struct points *points, size_t iterations) {
    const struct paper_meanshift_set *set = points->set;
    memcpy(points->moved, points->given, points->bytes);
    const double start = perf_now();
    plain_sequential(points->moved, points->room, points->n, set->dims, iterations, (float)set->sigma,
                     (float)set->radius_squared);
    points->centroid_count = plain_centroids(points->moved, points->n, set->dims, (float)set->delta_squared,
                                             points->centroids, CENTROIDS_MAX);
    return perf_now() - start;
}

static int check(const struct points *points, const uh_clusters_properties *found, struct perf_error *error) {
    const size_t dims = points->set->dims;
    if (found->clusters != points->centroid_count)
        return perf_fail(error, "wrong: there are %zu clusters, expected %zu", found->clusters, points->centroid_count);
    for (size_t i = 0; i < found->clusters * dims; i++)
        if (!(fabs(found->centroids[i] - (double)points->centroids[i]) <= CENTROIDS_APART))
            return perf_fail(error, "wrong: coordinate %zu of centroid %zu is %.6g, expected %.6g", i % dims, i / dims,
                             found->centroids[i], (double)points->centroids[i]);
    return PERF_OK;
}

static int run_library(const struct meanshift_results *results, const struct points *points,
                       struct meanshift_times *times, double *seconds, struct perf_error *error) {
    static const uh_mean_shift_method methods[MEANSHIFT_BYS] = {[MEANSHIFT_TILES] = UH_MEAN_SHIFT_TILES,
                                                                [MEANSHIFT_CELLS] = UH_MEAN_SHIFT_CELLS,
                                                                [MEANSHIFT_DEVICE_NAIVE] = UH_MEAN_SHIFT_NAIVE,
                                                                [MEANSHIFT_DEVICE_TILES] = UH_MEAN_SHIFT_TILES};
    const int host = times->by < MEANSHIFT_DEVICE_NAIVE;
    const struct paper_meanshift_set *set = points->set;
    const uh_mean_shift_options options = {.struct_size = sizeof options,
                                           .algorithm = UH_MEAN_SHIFT_BLURRING,
                                           .kernel = UH_KERNEL_GAUSSIAN,
                                           .method = methods[times->by],
                                           .reduction = UH_MEAN_SHIFT_GREEDY,
                                           .radius = set->radius_squared,
                                           .sigma = set->sigma,
                                           .delta = set->delta_squared,
                                           .squared = 1,
                                           .eps = -1,
                                           .iterations = results->iterations};
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    uh_queue *queue = NULL;
    uh_clusters *clusters = NULL;
    uh_clusters_properties found = {.struct_size = sizeof found};
    char pinning[128];
    struct perf_device *devices = results->bench->devices;
    int status = perf_queue(&devices[host ? 0 : 1], host ? times->threads : 0, &queue, error);
    if (status != PERF_OK)
        return status;
    perf_pin_threads(&results->bench->cpus, times->threads, pinning, sizeof pinning);
    uh_arrays_of_rows(UH_F32, points->given, points->n, set->dims, arrays);
    const double start = perf_now();
    if (uh_mean_shift(queue, arrays, set->dims, &options, &clusters))
        return perf_library_failed(error);
    *seconds = perf_now() - start;
    status = uh_clusters_get_properties(clusters, &found) ? perf_library_failed(error) : check(points, &found, error);
    times->iterations = found.iterations;
    times->clusters = found.clusters;
    uh_clusters_destroy(clusters);
    return status;
}

static int run_once(const struct meanshift_results *results, struct points *points, struct meanshift_times *times,
                    size_t run, struct perf_error *error) {
    char pinning[128];
    if (perf_interrupted)
        return perf_fail(error, "interrupted");
    perf_report_progress("D = %zu, N = %zu, run %zu of %zu: %s, %u", points->set->dims, points->n, run + 1,
                         results->runs, meanshift_by_name(times->by), (unsigned)times->threads);
    if (times->by == MEANSHIFT_SEQUENTIAL) {
        perf_pin_threads(&results->bench->cpus, 1, pinning, sizeof pinning);
        times->seconds[run] = run_sequential(points, results->iterations);
        times->clusters = points->centroid_count;
        return PERF_OK;
    }
    return run_library(results, points, times, &times->seconds[run], error);
}

/* ---- a set of points ----------------------------------------------------------------------------------------------
 */

static void summarize(const struct meanshift_results *results, struct meanshift_times *times) {
    const double runs = (double)results->runs, scale = 1 / (double)times->iterations;
    for (size_t i = 0; i < results->runs; i++)
        times->mean += scale * times->seconds[i] / runs;
    for (size_t i = 0; runs > 1 && i < results->runs; i++)
        times->variance += pow(scale * times->seconds[i] - times->mean, 2) / (runs - 1);
}

/* The first is done twice, and counts the second time. */
static int measure_set(const struct meanshift_results *results, struct meanshift_times *times, size_t count,
                       struct points *points, struct perf_error *error) {
    int status = PERF_OK;
    meanshift_points(MEANSHIFT_PAPER, SEED + points->n, points->n, points->set->dims, 1, UH_F32, points->given);
    for (size_t i = 1; status == PERF_OK && results->runs > 1 && i < count; i++) {
        if (i == 1)
            status = run_once(results, points, &times[0], 0, error);
        if (status == PERF_OK)
            status = run_once(results, points, &times[i], 0, error);
    }
    for (size_t run = 0; run < results->runs; run++)
        for (size_t i = 0; status == PERF_OK && i < count; i++)
            status = run_once(results, points, &times[i], run, error);
    for (size_t i = 0; i < count; i++)
        summarize(results, &times[i]);
    return status;
}

static int make_and_measure(const struct meanshift_results *results, struct meanshift_times *times, size_t count,
                            struct perf_error *error) {
    const size_t bytes = times->n * times->set->dims * sizeof(float);
    struct points *points = malloc(sizeof *points);
    float *rows = malloc(3 * bytes);
    int status = PERF_OK;
    if (points && rows) {
        *points = (struct points){.set = times->set, .n = times->n, .bytes = bytes};
        points->given = rows;
        points->moved = rows + bytes / sizeof *rows;
        points->room = rows + 2 * (bytes / sizeof *rows);
        status = measure_set(results, times, count, points, error);
    } else {
        status = perf_fail(error, "out of memory for %zu points", times->n);
    }
    free(points);
    free(rows);
    return status;
}

int meanshift_measure(struct meanshift_results *results, struct perf_error *error) {
    int status = PERF_OK;
    for (size_t first = 0, last; status == PERF_OK && first < results->count; first = last) {
        for (last = first + 1; last < results->count && results->times[last].by != MEANSHIFT_SEQUENTIAL;)
            last++;
        status = make_and_measure(results, &results->times[first], last - first, error);
    }
    perf_report_progress(NULL);
    return status;
}

/* ---- speed-ups ----------------------------------------------------------------------------------------------------
 */

const struct meanshift_times *meanshift_beside(const struct meanshift_results *results, size_t figure,
                                               const struct meanshift_times *times) {
    static const enum meanshift_by shown[] = {MEANSHIFT_TILES, MEANSHIFT_TILES, MEANSHIFT_DEVICE_NAIVE,
                                              MEANSHIFT_DEVICE_TILES};
    const enum meanshift_by by = figure == 3 ? MEANSHIFT_TILES : MEANSHIFT_SEQUENTIAL;
    if (times->by != shown[figure - PAPER_MEANSHIFT_FIRST] && (figure != 2 || times->by != MEANSHIFT_CELLS))
        return NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct meanshift_times *other = &results->times[i];
        if (other->set == times->set && other->n == times->n && other->by == by && other->threads == 1)
            return other;
    }
    return NULL;
}

struct meanshift_speedup meanshift_speedup(const struct meanshift_times *above, const struct meanshift_times *below) {
    const double s = above->mean / below->mean;
    const double parts = above->variance / pow(above->mean, 2) + below->variance / pow(below->mean, 2);
    return (struct meanshift_speedup){s, s * s * parts};
}
