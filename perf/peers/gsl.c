/* SPDX-License-Identifier: Apache-2.0 */
/* GSL's histogram of ranges that the caller sets: a guess by the mean width, then a binary search, for each value. It
 * puts NaN into a bin, of which cases have none. */
#include "perf/peers/peer.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_histogram.h>
#include <gsl/gsl_version.h>

#include <stdio.h>

static gsl_histogram *histogram;

const char *peer_take(const struct peer_case *what) {
    gsl_histogram_free(histogram);
    histogram = gsl_histogram_alloc(what->k);
    if (!histogram)
        return "out of memory";
    if (gsl_histogram_set_ranges(histogram, what->edges, what->k + 1))
        return "gsl_histogram_set_ranges refuses the edges";
    return NULL;
}

void peer_reset(void) { gsl_histogram_reset(histogram); }

void peer_run(const struct peer_case *what) {
    switch (what->type) {
#define RUN(name, type)                                                                                                \
    case PEER_##name:                                                                                                  \
        for (size_t i = 0; i < what->n; i++)                                                                           \
            gsl_histogram_increment(histogram, (double)((const type *)what->x)[i]);                                    \
        break;
        PEER_TYPES(RUN)
#undef RUN
    default: break;
    }
}

void peer_counts(const struct peer_case *what, uint64_t *to) {
    for (size_t bin = 0; bin < what->k; bin++)
        to[bin] = (uint64_t)gsl_histogram_get(histogram, bin);
}

const char *peer_about(void) {
    static char about[128];
    gsl_set_error_handler_off(); /* a value outside is an error, and the handler would abort */
    snprintf(about, sizeof about, "open %s gsl_histogram_increment, value by value", gsl_version);
    return about;
}
