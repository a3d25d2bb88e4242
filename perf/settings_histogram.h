/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `unihist-perf histogram`. */
#ifndef PERF_SETTINGS_HISTOGRAM_H
#define PERF_SETTINGS_HISTOGRAM_H

#include "perf/options.h"
#include "perf/peers.h"
#include "tests/cases_histogram.h"

#include <unihist/histogram.h>

/* The paper draws on (0, 1000). */
#define PERF_HISTOGRAM_RANGE 1000.0

struct histogram_settings {
    struct perf_options common;
    struct perf_numbers k, h;
    int bins[CASE_BINS_COUNT], data[CASE_DATA_COUNT]; /* not 0: wanted */
    uh_dtype dtype;
    size_t method_count;
    uh_method method[PERF_LIST_MAX];
    struct perf_peer_options peers;
};

/* Reads the arguments; what they do not say is as the help tells. */
int perf_histogram_settings(struct histogram_settings *settings, int argc, char **argv, struct perf_error *error);

/* Prints the help. */
void perf_histogram_help(void);

#endif
