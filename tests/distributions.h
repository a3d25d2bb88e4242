/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers as data: which call makes one, and with what. */
#ifndef TEST_DISTRIBUTIONS_H
#define TEST_DISTRIBUTIONS_H

#include <unihist/sample.h>

enum distribution {
    UNIFORM,           /* whole: low, high */
    BERNOULLI,         /* real: p */
    BINOMIAL,          /* whole: n; real: p */
    POISSON,           /* real: mean */
    GEOMETRIC,         /* real: p */
    NEGATIVE_BINOMIAL, /* real: r, p */
    HYPERGEOMETRIC,    /* whole: good, bad, draws */
    ZIPF,              /* real: s; whole: n */
    MASS,              /* mass, context; whole: first, last */
    WEIGHTS,           /* context: float32 weights; whole: k */
    DISTRIBUTIONS
};

/* Integers below 0 are given as uint64_t. */
struct distributed {
    enum distribution distribution;
    double real[2];
    uint64_t whole[3];
    double (*mass)(int64_t outcome, void *context);
    void *context;
};

/* Makes a sampler; the caller destroys it. */
uh_status distributed_create(uh_queue *queue, const struct distributed *d, const uh_sampler_options *options,
                             uh_sampler **sampler);

#endif
