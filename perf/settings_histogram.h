/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `unihist-perf histogram`. */
#ifndef PERF_SETTINGS_HISTOGRAM_H
#define PERF_SETTINGS_HISTOGRAM_H

#include "perf/options.h"
#include "perf/peers.h"
#include "tests/cases_histogram.h"

#include <unihist/histogram.h>

/* What is timed of each case. */
enum histogram_measure {
    HISTOGRAM_FILL,  /* filling from an array: values a second */
    HISTOGRAM_CALLS, /* one small fill with a ready plan, beside a plain loop in C */
    HISTOGRAM_PLAN,  /* making the plan */
    HISTOGRAM_GOALS  /* some cases of all three, beside what is to be reached */
};

/* What --n may have instead of a number. */
#define HISTOGRAM_N_LARGE 0.0  /* four times the last-level cache */
#define HISTOGRAM_N_CACHE -1.0 /* a quarter of the last-level cache */

struct histogram_settings {
    struct perf_options common; /* its `n` and `threads` are not used */
    enum histogram_measure measure;
    struct perf_numbers k, h, n, threads; /* threads: 0, as many as the library takes by itself */
    int bins[CASE_BINS_COUNT], data[CASE_DATA_COUNT], dtypes[UH_DTYPE_COUNT]; /* not 0: wanted */
    int bins_chosen;                                                          /* 0: the families that suit each type */
    size_t method_count;
    uh_method method[PERF_LIST_MAX];
    struct perf_peer_options peers;
};

/* The short name of a type, "f32"; NULL for one that is not measured. Static. */
const char *perf_histogram_dtype_name(uh_dtype dtype);

/* Reads the arguments; what they do not say is as the help tells. */
int perf_histogram_settings(struct histogram_settings *settings, int argc, char **argv, struct perf_error *error);

/* Prints the help. */
void perf_histogram_help(void);

#endif
