/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished histogram is, for all that write or draw one. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>
#include <unihist/histogramdd.h>

/* Everything is lent by the caller. Texts may be NULL. */
struct cli_result {
    size_t bins;
    const double *edges;        /* bins + 1, non-decreasing; infinities allowed */
    const uint64_t *counts;     /* bins; NULL where there are sums */
    const double *sums;         /* NULL, or bins: of weights, shown and written instead of counts; may be any number */
    const double *running;      /* NULL, or bins: running sums of them, instead of `cumulative` */
    double outside_sum;         /* of the weights of values in no bin */
    const uint64_t *cumulative; /* NULL, or bins: written and drawn instead of counts */
    const double *density;      /* NULL, or bins: the same; may hold NaN */
    uh_flow flow;
    uint64_t n; /* values seen, flow included */
    const char *method;
    const char *plan;
    const char *device;
    const char *dtype;
    const char *title; /* the names of the input */
    double seconds;
    uh_histogram *histogram;  /* what a .uh file keeps, */
    uh_histogramdd *weighted; /* or this, of weights */
    int log_x;                /* draw the axis of values logarithmically */
};

/* Returns what a bin holds, and what it and those before it do. */
static inline double cli_result_value(const struct cli_result *result, size_t bin) {
    return result->sums ? result->sums[bin] : (double)result->counts[bin];
}

static inline double cli_result_running(const struct cli_result *result, size_t bin) {
    return result->sums ? result->running[bin] : (double)result->cumulative[bin];
}

static inline int cli_result_is_cumulative(const struct cli_result *result) {
    return result->cumulative || result->running;
}

#endif
