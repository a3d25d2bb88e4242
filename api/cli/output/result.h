/* SPDX-License-Identifier: Apache-2.0 */
/* What a finished histogram is, for all that write or draw one. */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/histogram.h>

/* Everything is lent by the caller. Texts may be NULL. */
struct cli_result {
    size_t bins;
    const double *edges;        /* bins + 1, non-decreasing; infinities allowed */
    const uint64_t *counts;     /* bins */
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
    uh_histogram *histogram; /* what a .uh file keeps */
    int log_x;               /* draw the axis of values logarithmically */
};

#endif
