/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of the mean shift paper, measured here. */
#ifndef PERF_MEANSHIFT_TABLES_H
#define PERF_MEANSHIFT_TABLES_H

#include "perf/paper_meanshift.h"

#include <stdint.h>
#include <stdio.h>

struct perf_bench;
struct perf_error;

#define MEANSHIFT_RUNS_MAX 100

/* Who moves the points: the paper's sequential program, and the library on the host and on a device. */
enum meanshift_by {
    MEANSHIFT_SEQUENTIAL,
    MEANSHIFT_TILES,
    MEANSHIFT_CELLS,
    MEANSHIFT_DEVICE_NAIVE,
    MEANSHIFT_DEVICE_TILES,
    MEANSHIFT_BYS
};

/* One experiment: so many points by one of them, of all runs. */
struct meanshift_times {
    const struct paper_meanshift_set *set;
    size_t n;
    enum meanshift_by by;
    uint32_t threads;  /* of the host */
    size_t iterations; /* that were done: the library's end where nothing moves any more */
    size_t clusters;
    double seconds[MEANSHIFT_RUNS_MAX]; /* of each whole run */
    double mean, variance;              /* of the seconds of an iteration */
};

/* A speed-up (the paper's equation 5) and its variance (equation 6). */
struct meanshift_speedup {
    double s, variance;
};

#define MEANSHIFT_THREADS_MAX 16
#define MEANSHIFT_TIMES_MAX                                                                                            \
    ((size_t)PAPER_MEANSHIFT_DIMS * PAPER_MEANSHIFT_SIZES * (MEANSHIFT_THREADS_MAX + MEANSHIFT_BYS))

struct meanshift_results {
    struct perf_bench *bench;
    size_t runs, iterations;
    size_t thread_count; /* numbers of threads: 1, 2, 4, ..., and the most */
    uint32_t threads[MEANSHIFT_THREADS_MAX];
    const struct perf_device *device; /* NULL: there is none but the host */
    size_t count;
    struct meanshift_times times[MEANSHIFT_TIMES_MAX];
};

/* "sequential", "tiles", ... */
const char *meanshift_by_name(enum meanshift_by by);

/* Lists the experiments, those of one set of points beside each other; and does all runs of them. */
void meanshift_list(struct meanshift_results *results);
int meanshift_measure(struct meanshift_results *results, struct perf_error *error);

/* Whether an experiment is in a figure (2 to 5), and beside which one; NULL: it is not. */
const struct meanshift_times *meanshift_beside(const struct meanshift_results *results, size_t figure,
                                               const struct meanshift_times *times);

/* How much faster the second one is. */
struct meanshift_speedup meanshift_speedup(const struct meanshift_times *above, const struct meanshift_times *below);

/* Writes all as Markdown. */
void meanshift_text(const struct meanshift_results *results, FILE *file);

/* Makes the JSON; the caller frees it with free(). NULL where memory is lacking. */
char *meanshift_json(const struct meanshift_results *results);

#endif
