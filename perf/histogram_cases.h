/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of `unihist-perf histogram`: which there are, what they are called, and their edges and values. */
#ifndef PERF_HISTOGRAM_CASES_H
#define PERF_HISTOGRAM_CASES_H

#include "perf/limit.h"
#include "perf/machine.h"
#include "perf/reference.h"
#include "perf/settings_histogram.h"

/* One case: n values of one type and shape in k bins, by each number of threads. */
struct histogram_case {
    enum histogram_measure measure; /* not HISTOGRAM_GOALS */
    uh_dtype dtype;
    size_t n; /* values that one fill reads */
    enum case_data data;
    enum case_bins bins;
    size_t k;
    double h;                           /* 0 for families that have none */
    size_t calls;                       /* fills in one repetition, of n values each */
    size_t search;                      /* most values that the method binary is timed with, 0: all */
    const struct perf_numbers *threads; /* lent */
    int name_n;                         /* not 0: n is part of the name */
};

/* A list of them, and of what was left out, as text. Zero it to begin; histogram_cases_free ends it. */
struct histogram_cases {
    size_t count, room;
    struct histogram_case *list;
    char *left_out; /* "random k:1000 h:5 (...); ...", or NULL */
};

/* Adds a case. */
int histogram_cases_add(struct histogram_cases *cases, const struct histogram_case *what, struct perf_error *error);

/* Adds all cases of the settings, which are lent to them: types outermost, then lengths, shapes of data, families and
 * bins, so that the array is kept as long as it can be. PERF_USAGE where none is left. */
int histogram_cases_list(struct histogram_cases *cases, const struct histogram_settings *settings,
                         const struct perf_machine *machine, struct perf_error *error);

void histogram_cases_free(struct histogram_cases *cases);

/* How many values of a type `n` of the settings means: a number, or one of the HISTOGRAM_N_... words. At least 1. */
size_t histogram_case_length(double n, uh_dtype dtype, const struct perf_machine *machine);

/* Fills of n values each that one repetition is made of, so that the clock does not matter: about a quarter of a
 * million values, no two of them the same. */
size_t histogram_case_calls(size_t n);

/* Writes the name of the measurement of `method` by `threads` threads, such as
 * "histogram/random/k:100/h:0.01/uniform/f32/auto/threads:1", of at most PERF_NAME_MAX bytes. */
void histogram_case_name(const struct histogram_case *what, const char *method, uint32_t threads, char *name,
                         size_t size);

/* Writes the k+1 edges. Returns 0, or -1 where h does not fit. */
int histogram_case_edges(const struct histogram_case *what, double *edges);

/* ---- edges, values and right counts ----------------------------------------------------------------------------- */

/* What the rivals of the present case work on. */
struct histogram_work {
    size_t k_max, n_max;         /* of all cases */
    size_t bytes_max;            /* of the array */
    void *x;                     /* the values: n times calls */
    double *edges;               /* k + 1 */
    struct perf_counts expected; /* of all values */
    struct perf_counts part;     /* of the first `search` */
    struct perf_counts found;    /* for a rival to put its own into */
    uint64_t sum;                /* of the array's 8-byte words */
    struct histogram_case drawn; /* whose values lie in x, calls 0: none */
    double low, high;            /* and its outermost edges */
};

/* Allocates for all cases. */
int histogram_work_create(struct histogram_work *work, const struct histogram_cases *cases, uint32_t threads,
                          struct perf_error *error);

void histogram_work_free(struct histogram_work *work);

/* Makes edges, values and right counts of a case, with `threads` threads. */
int histogram_work_prepare(struct histogram_work *work, const struct histogram_case *what, uint32_t threads,
                           struct perf_error *error);

#endif
