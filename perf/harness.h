/* SPDX-License-Identifier: Apache-2.0 */
/* How a measurement is made: pinned threads, a warm-up, then rounds in which every subject has its turn, so that a
 * machine that slows down or speeds up does so for all of them. */
#pragma once

#include "perf/error.h"

#include <unihist/axis.h>
#include <unihist/device.h>

#include <stddef.h>
#include <stdint.h>

#define PERF_NAME_MAX 256 /* of a result */
#define PERF_ROUNDS   5   /* of a measurement, and so the fewest repetitions of each subject */

/* The CPUs this process may use, the first hardware thread of each core before the second ones; at most PERF_CPUS. */
enum { PERF_CPUS = 4096 };
struct perf_cpus {
    size_t count;
    size_t cpu[PERF_CPUS];
};

/* Lists them. To be called before anything is pinned. */
void perf_cpus_init(struct perf_cpus *cpus);

/* Gives each OpenMP thread of a team of `threads` a CPU of its own, except if OMP_PROC_BIND has bound it. Returns the
 * outcome, such as "not pinned: ...", until the next call. */
const char *perf_pin_threads(const struct perf_cpus *cpus, uint32_t threads);

/* Allocates `bytes` bytes (0 included), on huge pages if the system has some, each page near the pinned thread that
 * reads that part of the array. NULL if memory is lacking. The caller frees it. */
void *perf_array_create(size_t bytes, uint32_t threads);

/* Seconds of one repetition. */
struct perf_timing {
    size_t repetitions;
    double best, median;
    double cpu; /* mean processor time of the whole process, all threads together */
};

/* What ratios of the other subjects of a case are to: parts of the limit, multiples of the fastest baseline. */
enum perf_role { PERF_COMPARED, PERF_LIMIT, PERF_BASELINE };

/* One that works on a case: a method of the library, a plain loop, another library, reading the array. An operation has
 * a table of them, whose other members are 0; each case takes copies. All functions but
 * `run`, which is timed, may be NULL. */
struct perf_subject {
    const char *name;  /* in the name of its result, such as "auto" */
    const char *title; /* in the table instead, or NULL */
    enum perf_role role;
    unsigned kinds;   /* in a table: of the rows that have it, as bits by their kind % 8; 0: all */
    uint32_t threads; /* in a table: the only number of the case's that it is measured with on the host; 0: each */
    int choice;       /* its operation's: which method it is */
    int host;         /* not 0: it works on the host alone, and is left out if the case is of another device */
    void (*start)(struct perf_subject *subject);  /* makes `state`, and tells `note` */
    void (*before)(struct perf_subject *subject); /* before each run */
    void (*run)(struct perf_subject *subject);
    void (*check)(struct perf_subject *subject);                                     /* after each run */
    void (*times)(const struct perf_subject *subject, double *seconds, double *cpu); /* of a run, by its own clocks */
    void (*end)(struct perf_subject *subject);                                       /* frees `state`, NULL too */

    size_t n; /* items of one run */
    const struct perf_case *what;
    void *work; /* what the subjects of a case share */
    uh_queue *queue;
    uh_queue *own;                /* not NULL: that queue, of this subject alone */
    uint32_t group_size, groups;  /* how wide operations run on it; 0: as they do by themselves */
    char width[32];               /* the same in words, of subjects that have it */
    const struct perf_cpus *cpus; /* not NULL: its threads are pinned anew before each run */
    void *state;                  /* its own */
    uh_axis *axis;                /* of a subject that makes plans */
    char note[512];               /* how it is done */
    double prepare;               /* seconds of preparation, outside the timing */
    double evaluations;           /* of an integrand, in the last run; 0: it has none */
    char result[PERF_NAME_MAX];
    struct perf_timing timing;
};

/* Seconds of a clock that never goes back. */
double perf_now(void);

/* Measures `count` subjects: each runs once or more to warm up, then at least PERF_ROUNDS times and until its timed
 * runs add up to `min_time` seconds. */
void perf_measure(struct perf_subject *subjects, size_t count, double min_time);
