/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/distributions.h"

uh_status distributed_create(uh_queue *queue, const struct distributed *d, const uh_sampler_options *options,
                             uh_sampler **sampler) {
    const double a = d->real[0], b = d->real[1];
    const uint64_t n = d->whole[0], m = d->whole[1];
    switch (d->distribution) {
    case UNIFORM: return uh_sampler_create_uniform(queue, (int64_t)n, (int64_t)m, options, sampler);
    case BERNOULLI: return uh_sampler_create_bernoulli(queue, a, options, sampler);
    case BINOMIAL: return uh_sampler_create_binomial(queue, n, a, options, sampler);
    case POISSON: return uh_sampler_create_poisson(queue, a, options, sampler);
    case GEOMETRIC: return uh_sampler_create_geometric(queue, a, options, sampler);
    case NEGATIVE_BINOMIAL: return uh_sampler_create_negative_binomial(queue, a, b, options, sampler);
    case HYPERGEOMETRIC: return uh_sampler_create_hypergeometric(queue, n, m, d->whole[2], options, sampler);
    case ZIPF: return uh_sampler_create_zipf(queue, a, n, options, sampler);
    case MASS: return uh_sampler_create_mass(queue, d->mass, d->context, (int64_t)n, (int64_t)m, options, sampler);
    default: return uh_sampler_create(queue, UH_F32, d->context, n, options, sampler);
    }
}
