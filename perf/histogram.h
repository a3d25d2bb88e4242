/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the operation histogram: which cases there are, their data, and who works on them. */
#pragma once

#include "perf/bench.h"
#include "tests/cases_histogram.h"
#include "tests/oracle.h"

/* Cases of each type, length, shape of data, family of bins, k and h, as bits or numbers: what the command line asks
 * for, or a row of what has goals. */
struct histogram_rows {
    const char *title;
    enum perf_measured measured;
    unsigned bins, data, dtypes;
    struct perf_numbers k, h, n, threads;
    size_t search;                 /* most values that the method binary is timed with, 0: all */
    int name_n;                    /* not 0: n is part of the name */
    const struct perf_goal *goals; /* or NULL */
};

/* Adds the cases. Those that make no sense, or whose h does not fit, are left out and named. */
void histogram_add_cases(struct perf_bench *bench, const struct histogram_rows *rows);

/* What the subjects of the present case work on. */
struct histogram_work {
    void *x;                                    /* the values: n times calls */
    const void *there;                          /* x, where the library reads it */
    double *edges;                              /* k + 1 */
    struct oracle_counts expected, part, found; /* of all values; of the first `search`; room */
};

/* Lists the subjects of a case: those of what is measured, by the methods of the command line. */
void histogram_pick(const struct perf_case *what, struct perf_subject *picked, size_t *count);
