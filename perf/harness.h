/* SPDX-License-Identifier: Apache-2.0 */
/* How a measurement is made: pinned threads, a warm-up, then rounds in which every rival has its turn, so that a
 * machine that slows down or speeds up does so for all of them. */
#ifndef PERF_HARNESS_H
#define PERF_HARNESS_H

#include "perf/error.h"

#include <stddef.h>
#include <stdint.h>

/* Rounds of a measurement, and so the fewest repetitions of each subject. */
#define PERF_ROUNDS 5

/* The CPUs this process may use, the first hardware thread of each core before the second ones; at most 4096. */
struct perf_cpus {
    size_t count;
    size_t cpu[4096];
};

/* Lists them. To be called before anything is pinned. */
void perf_cpus_init(struct perf_cpus *cpus);

/* Gives each OpenMP thread of a team of `threads` a CPU of its own, and writes what came of it, such as "pinned to CPUs
 * 0-3" or "not pinned: ...", into `text`. Leaves threads alone that OMP_PROC_BIND has bound. */
void perf_pin_threads(const struct perf_cpus *cpus, uint32_t threads, char *text, size_t size);

/* Allocates `bytes` bytes (0 included), on huge pages where the system has some, each page near the pinned thread that
 * reads that part of the array. NULL where memory is lacking. The caller frees it. */
void *perf_array_create(size_t bytes, uint32_t threads);

/* One rival: `run` is timed; `before` and `after` (which checks the result) are not, and may be NULL. They return
 * PERF_OK, or what perf_fail returned. `times`, which may be NULL, tells what the last run took where the subject has
 * measured that by itself. */
struct perf_subject {
    int (*before)(void *context, struct perf_error *error);
    int (*run)(void *context, struct perf_error *error);
    int (*after)(void *context, struct perf_error *error);
    void *context;
    void (*times)(void *context, double *seconds, double *cpu);
};

/* Seconds of one repetition. */
struct perf_timing {
    size_t repetitions;
    double best, median;
    double cpu; /* mean processor time of the whole process, all threads together */
};

/* Measures `count` subjects: each runs once or more to warm up, then at least PERF_ROUNDS times and until its timed
 * runs add up to `min_time` seconds. Stops at the first run or check that fails. */
int perf_measure(const struct perf_subject *subjects, size_t count, double min_time, struct perf_timing *timings,
                 struct perf_error *error);

#endif
