/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions that are tried with an axis, from its own to ones that have nothing to do with it. */
#ifndef TEST_CASES_DISTRIBUTION_H
#define TEST_CASES_DISTRIBUTION_H

#include <stddef.h>

#include <unihist/histogram.h>

enum case_distribution {
    CASE_CDF_OF_THE_EDGES, /* a table: each bin as much as any other */
    CASE_CDF_NORMAL,       /* over the finite edges, its mean in the middle */
    CASE_CDF_EXPONENTIAL,  /* from the first finite edge on */
    CASE_CDF_LOGNORMAL,    /* over the positive edges */
    CASE_CDF_ELSEWHERE,    /* normal, far beyond what any type holds */
    CASE_CDF_NEEDLE,       /* normal, all within some of the numbers next to the middle edge */
    CASE_CDF_JUMP,         /* a table: nothing, then everything at the middle edge */
    CASE_DISTRIBUTIONS
};

struct case_distribution_made {
    uh_distribution distribution;
    double *numbers; /* owned, freed by case_distribution_free */
};

/* Makes one for edges in order; returns its name. */
const char *case_distribution_make(enum case_distribution number, const double *edges, size_t nedges,
                                   struct case_distribution_made *made);

void case_distribution_free(struct case_distribution_made *made);

#endif
