/* SPDX-License-Identifier: Apache-2.0 */
/* What samples must be: words of Random123's own function, and a search through the exact cumulative of weights that
 * are integers. */
#ifndef TEST_SAMPLE_ORACLE_H
#define TEST_SAMPLE_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/sample.h>

__extension__ typedef unsigned __int128 u128;

enum { MOST_K = 3000 };

/* The sampler's streams begin here. */
#define STREAM ((uint64_t)1 << 63)

struct oracle {
    size_t k;
    uint32_t weight[MOST_K];
    u128 c[MOST_K + 1];
};

extern struct oracle oracle;

/* uint32 element i of a stream of Philox4x32-10. */
uint32_t word(uint64_t seed, uint64_t stream, uint64_t i);

/* 2^32 w + v of sample i. */
uint64_t both_words(uint64_t seed, uint64_t i);

/* Sample i, by the oracle's cumulative. */
uint64_t oracle_sample(uint64_t seed, uint64_t i);

/* Sample i by the alias table of a sampler, as sample.h describes it: what its columns add up to is
 * test_sample_table's. */
uint64_t sample_oracle_alias(const uh_sampler *sampler, uint64_t seed, uint64_t i);

enum kind { EQUAL, RANDOM, STEEP, HOLES, ONE_OF_MANY, TINY_AMONG_HUGE, KINDS };

/* Gives the oracle k weights of a kind and their cumulative. `most` limits the weights of small types. */
void make_weights(enum kind kind, size_t k, uint32_t most);
uint32_t most_of(uh_dtype dtype);

/* The oracle's weights as an array of a type, at an odd address where `odd`: from byte `odd` of what is to be freed. */
void *typed_weights(uh_dtype dtype, int odd);

#endif
