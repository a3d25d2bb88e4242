/* SPDX-License-Identifier: Apache-2.0 */
/** @file sample.h
 * Weighted random sampling with replacement (numpy.random.choice), and discrete distributions: the same samples on
 * every device.
 *
 * A sampler of weights holds integers 0 = C[0] <= C[1] <= ... <= C[k] = 2^64; outcome j has exactly the probability
 * (C[j + 1] - C[j]) / 2^64, within 2^-62 of weight j's fraction of the sum. An outcome of weight 0 never occurs. Sample
 * i of a seed is computed from u = 2^32 w + v, where w and v are uint32 elements i of the seed's Philox4x32-10 streams
 * 2^63 and 2^63 + 1 (random.h); v is computed only if w does not decide. With the methods unihist and binary it is the
 * j with C[j] <= u < C[j + 1]; with alias it is that of Walker's table with the same integers: other samples with the
 * same probabilities. A sample depends on (weights or parameters, method, seed, i) only.
 *
 * A sampler belongs to the queue that it was made with; its tables do not change. Results may be plain host memory or
 * USM of the queue's device, aligned to their elements' size, and are complete on return. Every call may also return
 * the errors of uh_parallel_for, and leaves its outputs untouched if arguments are rejected.
 *
 * Source: UNIHIST, VI.A and VI.B (a guide table instead of the search); A. J. Walker, "An efficient method for
 * generating discrete random variables with general distributions", ACM TOMS 3, 1977, and M. D. Vose, IEEE TSE 17, 1991
 * (alias); NumPy's documentation of the functions and distributions that are named. */
#ifndef UNIHIST_SAMPLE_H
#define UNIHIST_SAMPLE_H

#include <unihist/base.h>
#include <unihist/device.h>
#include <unihist/random.h>

UH_BEGIN_C

/** Maximum number of outcomes of a table. */
#define UH_SAMPLER_MAX_ITEMS ((size_t)1 << 27)

/** How samples are looked up; the values are stable. */
typedef enum uh_sample_method {
    UH_SAMPLE_AUTO = 0,    /**< unihist */
    UH_SAMPLE_UNIHIST = 1, /**< a guide table by the top bits, then a comparison */
    UH_SAMPLE_ALIAS = 2,   /**< Walker's alias table, in integers */
    UH_SAMPLE_BINARY = 3   /**< binary search: the smallest table */
} uh_sample_method;

/** Options of a sampler; zeros are the defaults. */
typedef struct uh_sampler_options {
    size_t struct_size;      /**< sizeof(uh_sampler_options) */
    uh_sample_method method; /**< UH_SAMPLE_AUTO by default */
} uh_sampler_options;

/** Tables of probabilities on a queue's device. */
typedef struct uh_sampler uh_sampler;

/* ---- creating one ------------------------------------------------------------------------------------------------ */

/** Discrete distributions, with the members of uh_discrete that each uses. */
typedef enum uh_discrete_kind {
    /** Integers low .. high, both included, all exactly equally probable; low <= high. Sample i is low + bounded
     * element i of stream 2^63 + 16 (uh_random with a bound, of uint32 for up to 2^32 outcomes, otherwise of uint64).
     * The method has no effect. */
    UH_DISCRETE_UNIFORM = 0,
    /** 1 with probability p, otherwise 0; 0 <= p <= 1. */
    UH_DISCRETE_BERNOULLI = 1,
    /** Successes among n trials, each with probability p; 0 <= p <= 1, n to 2^62. */
    UH_DISCRETE_BINOMIAL = 2,
    /** Poisson, with this mean; 0 <= mean <= 2^40. */
    UH_DISCRETE_POISSON = 3,
    /** Trials up to and including the first success, 1, 2, ...; 2^-56 <= p <= 1. If the table would be large, the
     * outcome minus 1 is composed of independent 16-bit digits: digit d from streams 2^63 + 2d and 2^63 + 2d + 1. */
    UH_DISCRETE_GEOMETRIC = 4,
    /** Failures before the r-th success, for real r > 0; 0 < p <= 1. */
    UH_DISCRETE_NEGATIVE_BINOMIAL = 5,
    /** Good items among `draws` without replacement from `good` + `bad`; draws <= good + bad <= 2^62. */
    UH_DISCRETE_HYPERGEOMETRIC = 6,
    /** Zipf: 1 .. n, i with a probability in proportion to i^-s for real s >= 0; n >= 1, and at most
     * UH_SAMPLER_MAX_ITEMS, otherwise UH_ERROR_UNSUPPORTED. The powers are those of the C library's powl, rounded to 64
     * bits. */
    UH_DISCRETE_ZIPF = 7,
    /** Outcomes first .. last, both included, with probabilities in proportion to mass(outcome, context), which the
     * calling thread calls at least once for each. Its results must satisfy the conditions of UH_DISCRETE_WEIGHTS. */
    UH_DISCRETE_MASS = 8,
    /** Outcomes 0 .. k - 1 with probabilities in proportion to k weights of any type, 1 to UH_SAMPLER_MAX_ITEMS, none
     * negative, NaN or infinite (the message names the index), not all 0. Their sum may exceed the largest float64. */
    UH_DISCRETE_WEIGHTS = 9
} uh_discrete_kind;

/** A discrete distribution. Members that its kind does not use are ignored. */
typedef struct uh_discrete {
    size_t struct_size; /**< sizeof(uh_discrete) */
    uh_discrete_kind kind;
    double p;                                       /**< Bernoulli, binomial, geometric, negative binomial */
    double mean;                                    /**< Poisson */
    double r;                                       /**< negative binomial */
    double s;                                       /**< Zipf */
    uint64_t n;                                     /**< binomial, Zipf */
    uint64_t good, bad, draws;                      /**< hypergeometric */
    int64_t low, high;                              /**< uniform */
    double (*mass)(int64_t outcome, void *context); /**< mass */
    void *context;                                  /**< mass: passed to the function */
    int64_t first, last;                            /**< mass */
    const uh_array *weights;                        /**< weights */
} uh_discrete;

/** Makes a sampler of a distribution, which the caller destroys; `options` may be NULL. Each probability is within
 * 2^-62 of its mass function (but see Zipf and uniform integers). Of an unbounded distribution, or one with long tails,
 * outcomes are omitted at either end as long as the omitted ones there have a total mass below 2^-64.
 * UH_ERROR_INVALID_ARGUMENT for an invalid kind and for parameters out of range or not finite, UH_ERROR_UNSUPPORTED if
 * more than UH_SAMPLER_MAX_ITEMS outcomes would be kept. */
UH_API uh_status uh_sampler_create(uh_queue *queue, const uh_discrete *distribution, const uh_sampler_options *options,
                                   uh_sampler **sampler);

UH_API void uh_sampler_destroy(uh_sampler *sampler);

/* ---- properties: thread-safe ------------------------------------------------------------------------------------- */

/** Properties of a sampler. */
typedef struct uh_sampler_properties {
    size_t struct_size;      /**< in: sizeof(uh_sampler_properties) */
    int64_t first;           /**< the smallest outcome */
    int64_t last;            /**< the largest outcome */
    uint64_t size;           /**< last - first + 1; 0 stands for 2^64 */
    uh_sample_method method; /**< the method used, never UH_SAMPLE_AUTO; without effect for uniform integers */
    char plan[512]; /**< description of the tables, and for a GPU also where these and the counts are, and how wide it
                         counts; ends in 0 */
} uh_sampler_properties;

UH_API uh_status uh_sampler_get_properties(const uh_sampler *sampler, uh_sampler_properties *properties);

/** Stores the actual probabilities: C[0] .. C[size - 1], where outcome first + j has probability (C[j + 1] - C[j]) /
 * 2^64. first + *used - 1 is the last outcome with non-zero probability: C[*used] and later ones are 2^64, which is
 * stored as 0 (C[size] is not stored). UH_ERROR_UNSUPPORTED for uniform integers and for digits. */
UH_API uh_status uh_sampler_cumulative(const uh_sampler *sampler, uint64_t *c, size_t *used);

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/** Stores samples offset .. offset + n - 1 of the seed. `dtype` is UH_U32, UH_U64, UH_I32 or UH_I64;
 * UH_ERROR_INVALID_ARGUMENT for another type, if an outcome does not fit it, and if offset + n is beyond 2^63. */
UH_API uh_status uh_sampler_draw(uh_sampler *sampler, uint64_t seed, uint64_t offset, uh_dtype dtype, void *out,
                                 size_t n);

/** Stores in counts[j] how many of samples offset .. offset + n - 1 are first + j; the samples themselves are not
 * stored. UH_ERROR_INVALID_ARGUMENT if length is not the sampler's size or offset + n is beyond 2^63,
 * UH_ERROR_UNSUPPORTED for more than 2^31 outcomes. `counts` is host memory. */
UH_API uh_status uh_sampler_count(uh_sampler *sampler, uint64_t seed, uint64_t offset, uint64_t n, uint64_t *counts,
                                  size_t length);

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/** Elements that uh_choice draws from. */
typedef struct uh_population {
    const void *items;       /**< `count` elements in host memory; NULL: 0 .. count - 1, integers of item_size 4 or 8 */
    size_t count;            /**< number of elements, 1 to 2^63 - 1 */
    size_t item_size;        /**< bytes of an element, at least 1 */
    const uh_array *weights; /**< `count` weights, to which probabilities are proportional; NULL: equal ones */
} uh_population;

/** numpy.random.choice: stores n elements drawn with replacement; those that uh_sampler_draw gives for a sampler of the
 * weights, or of uniform integers. `out` is host memory or, if `from->items` is NULL, USM. UH_ERROR_INVALID_ARGUMENT
 * for members out of range, an item_size of 4 if count - 1 does not fit, another number of weights than `count`, an
 * `out` that overlaps the items, and if offset + n is beyond 2^63. */
UH_API uh_status uh_choice(uh_queue *queue, const uh_population *from, uint64_t seed, uint64_t offset, void *out,
                           size_t n);

UH_END_C

#endif
