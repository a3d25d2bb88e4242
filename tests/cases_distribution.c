/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_distribution.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static double finite(double x) {
    return x < -DBL_MAX ? -DBL_MAX : x > DBL_MAX ? DBL_MAX : x;
}

static double above(double x, double least) {
    return x > least ? x : least;
}

/* A table of the edges, or of two points at `jump`. */
static void make_table(const double *edges, size_t n, const double *jump, struct case_distribution_made *made) {
    made->numbers = malloc(2 * n * sizeof *made->numbers);
    if (!made->numbers)
        abort();
    for (size_t j = 0; j < n; j++) {
        made->numbers[j] = finite(jump ? *jump : edges[j]);
        made->numbers[n + j] = (double)j / (double)(n - 1);
    }
    made->distribution.x = made->numbers;
    made->distribution.f = made->numbers + n;
    made->distribution.points = n;
}

const char *case_distribution_make(enum case_distribution number, const double *edges, size_t n,
                                   struct case_distribution_made *made) {
    uh_distribution *d = &made->distribution;
    const double lo = finite(edges[0]), hi = finite(edges[n - 1]), middle = finite(edges[n / 2]);
    const double span = above(hi / 2 - lo / 2, DBL_MIN);
    const double positive = lo > 0 ? lo : hi > 1 ? 1 / hi : DBL_MIN;
    made->numbers = NULL;
    *d = (uh_distribution){.struct_size = sizeof *d};
    switch (number) {
    case CASE_CDF_OF_THE_EDGES:
        d->kind = UH_DISTRIBUTION_TABLE;
        make_table(edges, n, NULL, made);
        return "cdf of the edges";
    case CASE_CDF_NORMAL:
        *d = (uh_distribution){sizeof *d, UH_DISTRIBUTION_NORMAL, lo / 2 + hi / 2, span / 3, NULL, NULL, 0};
        return "cdf normal";
    case CASE_CDF_EXPONENTIAL:
        *d = (uh_distribution){sizeof *d, UH_DISTRIBUTION_EXPONENTIAL, lo, span / 3, NULL, NULL, 0};
        return "cdf exponential";
    case CASE_CDF_LOGNORMAL:
        *d = (uh_distribution){.struct_size = sizeof *d,
                               .kind = UH_DISTRIBUTION_LOGNORMAL,
                               .location = (log(positive) + log(above(hi, DBL_MIN))) / 2,
                               .scale = above(log(above(hi, DBL_MIN)) - log(positive), 1) / 6};
        return "cdf lognormal";
    case CASE_CDF_ELSEWHERE:
        *d = (uh_distribution){sizeof *d, UH_DISTRIBUTION_NORMAL, -DBL_MAX, DBL_MIN, NULL, NULL, 0};
        return "cdf elsewhere";
    case CASE_CDF_NEEDLE:
        *d = (uh_distribution){.struct_size = sizeof *d,
                               .kind = UH_DISTRIBUTION_NORMAL,
                               .location = middle,
                               .scale = above(fabs(middle) / 2 * DBL_EPSILON, DBL_TRUE_MIN)};
        return "cdf needle";
    default:
        d->kind = UH_DISTRIBUTION_TABLE;
        make_table(edges, 2, &middle, made);
        return "cdf jump";
    }
}

void case_distribution_free(struct case_distribution_made *made) {
    free(made->numbers);
    made->numbers = NULL;
}
