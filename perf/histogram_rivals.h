/* SPDX-License-Identifier: Apache-2.0 */
/* The rivals of a case of `unihist-perf histogram`: who they are, how they run, and what they gave. */
#ifndef PERF_HISTOGRAM_RIVALS_H
#define PERF_HISTOGRAM_RIVALS_H

#include "perf/histogram_cases.h"
#include "perf/peers.h"
#include "perf/report.h"

#include <unihist/unihist.h>

/* One line of the table as the goals need it. */
struct histogram_outcome {
    struct histogram_case what;
    char method[32];
    uint32_t threads;
    double seconds;    /* median time of one fill, or of one plan */
    double rate;       /* values a second, by the median */
    double limit;      /* part of the limit, 0: unknown */
    double baseline;   /* rate as a multiple of the baseline's, 0: unknown */
    double one_thread; /* rate as a multiple of one thread's, 0: unknown */
};

/* What lasts for a run of the benchmark. */
struct histogram_bench {
    struct histogram_settings settings;
    struct perf_machine machine;
    struct perf_cpus cpus;
    struct perf_report *report;
    struct histogram_cases cases;
    struct histogram_work work;
    struct perf_peers *peers; /* NULL: none */
    uint32_t threads_max;     /* of all cases */
    size_t column_count;      /* of the table at work, and which they are */
    int columns[PERF_LABELS_MAX];
    size_t queue_count;
    uh_queue *queues[PERF_LIST_MAX]; /* each of another number of threads */
    size_t outcome_count, outcome_room;
    struct histogram_outcome *outcomes;
};

enum histogram_role {
    HISTOGRAM_RIVAL,
    HISTOGRAM_LIMIT,   /* the others are a part of it */
    HISTOGRAM_BASELINE /* the others are a multiple of it */
};

/* One rival in a case. Whoever adds one sets `method`, `threads`, `n`, `role`, `run` and what else it needs; `bench`
 * and `what` are set for it. All functions are given the rival as `context`. */
struct histogram_rival {
    struct histogram_bench *bench;
    const struct histogram_case *what;
    const char *method; /* its name, lent */
    const char *title;  /* what the table has instead, or NULL */
    uint32_t threads;
    size_t n; /* values that one fill reads, at most those of the case */
    enum histogram_role role;
    int (*start)(struct histogram_rival *rival, struct perf_error *error); /* makes `state`; NULL: nothing to make */
    int (*before)(void *context, struct perf_error *error);                /* not timed; NULL: nothing */
    int (*run)(void *context, struct perf_error *error);                   /* timed */
    int (*after)(void *context, struct perf_error *error);                 /* checks, not timed; NULL: nothing */
    void (*times)(void *context, double *seconds, double *cpu);            /* its own clocks; NULL: the harness's */
    void (*end)(struct histogram_rival *rival); /* frees `state`, also after a start that failed; NULL: nothing */
    void *state;
    uh_method choice; /* of one of the library's */
    char note[512];   /* how it is done, for the JSON */
    double prepare;   /* seconds of preparation */
};

/* The rivals of one case. Zero it to begin. */
struct histogram_rivals {
    size_t count, room;
    struct histogram_rival *list;
};

/* Lists the rivals of a case, in the order of the table, and makes nothing yet. */
int histogram_rivals_list(struct histogram_bench *bench, const struct histogram_case *what,
                          struct histogram_rivals *rivals, struct perf_error *error);

/* Adds one, copied. */
int histogram_rivals_add(struct histogram_rivals *rivals, const struct histogram_rival *rival,
                         struct perf_error *error);

/* Ends and frees them. */
void histogram_rivals_free(struct histogram_rivals *rivals);

/* Measures a case: prepares its values, starts its rivals, times them in turns, reports each. */
int histogram_rivals_measure(struct histogram_bench *bench, const struct histogram_case *what,
                             struct perf_error *error);

/* The right counts of what a rival reads in one repetition. */
const struct perf_counts *histogram_rival_expected(const struct histogram_rival *rival);

/* Compares counts with the right ones: PERF_OK, or a line that names the case and the first wrong bin. */
int histogram_rival_check(const struct histogram_rival *rival, const struct perf_counts *found,
                          struct perf_error *error);

/* Lends a queue of the host device with so many threads (0: as many as the library takes by itself). */
int histogram_queue(struct histogram_bench *bench, uint32_t threads, uh_queue **queue, struct perf_error *error);

/* perf_fail with the library's last message. */
int histogram_library_failed(struct perf_error *error);

/* ---- the kinds of measurement ----------------------------------------------------------------------------------- */

/* Each adds the rivals of a case of its kind. */
int histogram_fill_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                          struct histogram_rivals *rivals, struct perf_error *error);
int histogram_calls_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                           struct histogram_rivals *rivals, struct perf_error *error);
int histogram_plan_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                          struct histogram_rivals *rivals, struct perf_error *error);

/* Hands the case, whose values are there, to other libraries, and adds each that can do it. */
int histogram_peers_rivals(struct histogram_bench *bench, const struct histogram_case *what,
                           struct histogram_rivals *rivals, struct perf_error *error);

/* Makes the axis of a rival's case; for the method cdf it carries the distribution that the bins follow: that of the
 * family or, where it has none, a table of the edges. The caller destroys it. */
int histogram_axis(const struct histogram_rival *rival, uh_axis **axis, struct perf_error *error);

/* A library's histogram that is filled: start, before, after and end are the same for large and for small fills. */
struct histogram_rival histogram_library_rival(uh_method method, uint32_t threads, size_t n);

#endif
