/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sample.h
 * Weighted random sampling with replacement (numpy.random.choice), and discrete distributions: the same samples on
 * every device.
 *
 * A sampler of weights holds integers 0 = C[0] <= C[1] <= ... <= C[k] = 2^64; outcome j has exactly the probability
 * (C[j + 1] - C[j]) / 2^64, which is within 2^-62 of weight j's part of the sum. An outcome of weight 0 never occurs.
 * Sample i of a seed is made of u = 2^32 w + v, where w and v are uint32 elements i of the seed's Philox4x32-10 streams
 * 2^63 and 2^63 + 1 (random.h); v is computed only where w does not decide. By the methods unihist and binary it is the
 * j with C[j] <= u < C[j + 1]; by alias it is that of Walker's table with the same integers, so other samples with the
 * same probabilities. A sample depends on (weights or parameters, method, seed, i) alone.
 *
 * A sampler belongs to the queue that it was made with; its tables do not change. Results may be plain host memory or
 * USM of the queue's device, at multiples of their elements' size, and are there on return. Every call may also return
 * what uh_parallel_for returns, and leaves its outputs untouched where arguments are refused.
 *
 * Source: UNIHIST, VI.A and VI.B (a guide table instead of the search); A. J. Walker, "An efficient method for
 * generating discrete random variables with general distributions", ACM TOMS 3, 1977, and M. D. Vose, IEEE TSE 17, 1991
 * (alias); NumPy's documentation of the functions and distributions that are named.
 */
#ifndef UNIHIST_SAMPLE_H
#define UNIHIST_SAMPLE_H

#include <unihist/base.h>
#include <unihist/random.h>
#include <unihist/runtime.h>
#include <unihist/storage.h>

UH_BEGIN_C

/** Most outcomes of a table. */
#define UH_SAMPLER_MAX_ITEMS ((size_t)1 << 27)

/** How samples are looked up; the values are stable. */
typedef enum uh_sample_method {
    UH_SAMPLE_AUTO = 0,    /**< unihist */
    UH_SAMPLE_UNIHIST = 1, /**< a guide table by the top bits, then a comparison */
    UH_SAMPLE_ALIAS = 2,   /**< Walker's alias table, in integers */
    UH_SAMPLE_BINARY = 3   /**< binary search: the smallest table */
} uh_sample_method;

/** Names are auto, unihist, alias and binary. */
UH_API const char *uh_sample_method_name(uh_sample_method method);
UH_API uh_status uh_sample_method_from_name(const char *name, uh_sample_method *method);

/** How to make a sampler; zeros are the defaults. */
typedef struct uh_sampler_options {
    size_t struct_size;      /**< sizeof(uh_sampler_options) */
    uh_sample_method method; /**< UH_SAMPLE_AUTO by default */
} uh_sampler_options;

/** Tables of probabilities on a queue's device. */
typedef struct uh_sampler uh_sampler;

/* ---- making one: the caller destroys it; `options` may be NULL -------------------------------------------------- */

/**
 * A sampler of outcomes 0 .. k - 1 with probabilities in proportion to k weights of any type, 1 to
 * UH_SAMPLER_MAX_ITEMS. UH_ERROR_INVALID_ARGUMENT, naming the index, for a weight that is negative, NaN or infinite,
 * and for weights that are all 0. Their sum may be beyond the largest float64.
 */
UH_API uh_status uh_sampler_create(uh_queue *queue, const uh_array *weights, const uh_sampler_options *options,
                                   uh_sampler **sampler);

/** Discrete distributions, with the members of uh_discrete that each of them reads. */
typedef enum uh_discrete_kind {
    /**
     * Integers low .. high, both included, each exactly as probable as the others; low <= high. Sample i is low +
     * bounded element i of stream 2^63 + 16 (uh_random_bounded, of uint32 for up to 2^32 outcomes, else of uint64). The
     * method does not matter.
     */
    UH_DISCRETE_UNIFORM = 0,
    /** 1 with probability p, else 0; 0 <= p <= 1. */
    UH_DISCRETE_BERNOULLI = 1,
    /** Successes among n trials, each with probability p; 0 <= p <= 1, n to 2^62. */
    UH_DISCRETE_BINOMIAL = 2,
    /** Poisson's, of this mean; 0 <= mean <= 2^40. */
    UH_DISCRETE_POISSON = 3,
    /**
     * Trials up to and with the first success, 1, 2, ...; 2^-56 <= p <= 1. Where the table would be large the outcome
     * less 1 is put together of digits of 16 bits, which are independent: digit d by streams 2^63 + 2d and 2^63 + 2d +
     * 1.
     */
    UH_DISCRETE_GEOMETRIC = 4,
    /** Failures before the r-th success, for real r > 0; 0 < p <= 1. */
    UH_DISCRETE_NEGATIVE_BINOMIAL = 5,
    /** Good ones among `draws` without replacement from `good` + `bad`; draws <= good + bad <= 2^62. */
    UH_DISCRETE_HYPERGEOMETRIC = 6,
    /**
     * Zipf's: 1 .. n, i with a probability in proportion to i^-s for real s >= 0; n >= 1, and no more than
     * UH_SAMPLER_MAX_ITEMS, beyond which it is UH_ERROR_UNSUPPORTED. The powers are those of the C library's powl,
     * rounded to 64 bits.
     */
    UH_DISCRETE_ZIPF = 7,
    /**
     * Outcomes first .. last, both included, with probabilities in proportion to mass(outcome, context), which is
     * called once or more for each by the thread that calls. What it gives is subject to what uh_sampler_create says of
     * weights.
     */
    UH_DISCRETE_MASS = 8
} uh_discrete_kind;

/** A discrete distribution. Members that its kind does not name do not matter. */
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
    void *context;                                  /**< mass: as it is given to the function */
    int64_t first, last;                            /**< mass */
} uh_discrete;

/**
 * A sampler of a distribution. Each probability is within 2^-62 of its mass function's (but Zipf's and uniform
 * integers', see there). Of a distribution without end, or with a long one, outcomes are left out at either end as long
 * as all that are left out there have a mass below 2^-64. UH_ERROR_INVALID_ARGUMENT for a kind that is none and for
 * parameters that are outside what is said there or not finite, UH_ERROR_UNSUPPORTED where more than
 * UH_SAMPLER_MAX_ITEMS outcomes would be kept.
 */
UH_API uh_status uh_sampler_create_distribution(uh_queue *queue, const uh_discrete *distribution,
                                                const uh_sampler_options *options, uh_sampler **sampler);

UH_API uh_status uh_sampler_destroy(uh_sampler *sampler);

/* ---- what it is: thread-safe ------------------------------------------------------------------------------------- */

/** What a sampler is. */
typedef struct uh_sampler_properties {
    size_t struct_size;      /**< in: sizeof(uh_sampler_properties) */
    int64_t first;           /**< the smallest outcome */
    int64_t last;            /**< the largest outcome */
    uint64_t size;           /**< last - first + 1; 0 stands for 2^64 */
    uh_sample_method method; /**< at work, never UH_SAMPLE_AUTO; of uniform integers it does not matter */
    char plan[512]; /**< the tables in words, for people, and for a GPU also where these and the counts lie, and
                         how wide it counts; ends in 0 */
} uh_sampler_properties;

UH_API uh_status uh_sampler_get_properties(const uh_sampler *sampler, uh_sampler_properties *properties);

/**
 * Stores the realised probabilities: C[0] .. C[size - 1], of which outcome first + j has C[j + 1] - C[j] parts of 2^64.
 * first + *used - 1 is the last outcome that has any: C[*used] and those behind it are 2^64, which is stored as 0
 * (C[size] is not stored). UH_ERROR_UNSUPPORTED for integers that are all alike and for digits.
 */
UH_API uh_status uh_sampler_cumulative(const uh_sampler *sampler, uint64_t *c, size_t *used);

/* ---- samples ----------------------------------------------------------------------------------------------------- */

/**
 * Stores samples offset .. offset + n - 1 of the seed. `dtype` is UH_U32, UH_U64, UH_I32 or UH_I64;
 * UH_ERROR_INVALID_ARGUMENT for another type, where an outcome does not fit it, and where offset + n is beyond 2^63.
 */
UH_API uh_status uh_sampler_draw(uh_sampler *sampler, uint64_t seed, uint64_t offset, uh_dtype dtype, void *out,
                                 size_t n);

/**
 * Stores in counts[j] how many of samples offset .. offset + n - 1 are first + j; the samples are not stored anywhere.
 * UH_ERROR_INVALID_ARGUMENT where length is not the sampler's size or offset + n is beyond 2^63, UH_ERROR_UNSUPPORTED
 * for more than 2^31 outcomes. `counts` is host memory.
 */
UH_API uh_status uh_sampler_count(uh_sampler *sampler, uint64_t seed, uint64_t offset, uint64_t n, uint64_t *counts,
                                  size_t length);

/* ---- one call ---------------------------------------------------------------------------------------------------- */

/**
 * numpy.random.choice: stores n elements of `item_size` bytes, drawn from `population`, an array of k of them in host
 * memory, with probabilities in proportion to k weights, or all alike where `weights` is NULL. Where `population` is
 * NULL its elements are 0 .. k - 1, unsigned integers of item_size 4 or 8. Which they are is what uh_sampler_draw gives
 * for a sampler of the weights, or of uniform integers. `out` is host memory or, where `population` is NULL, USM.
 * UH_ERROR_INVALID_ARGUMENT for a k of 0 or above 2^63 - 1, an item_size of 0, or of 4 where that does not hold k - 1,
 * weights of another number, an `out` that overlaps `population`, and where offset + n is beyond 2^63.
 */
UH_API uh_status uh_choice(uh_queue *queue, const void *population, size_t k, size_t item_size, const uh_array *weights,
                           uint64_t seed, uint64_t offset, void *out, size_t n);

/**
 * numpy.random.multinomial: stores in counts[j] how often outcome j comes up in n samples; what uh_sampler_count gives
 * for a sampler of the weights, of which there are `length`. `counts` is host memory. UH_ERROR_INVALID_ARGUMENT where
 * offset + n is beyond 2^63.
 */
UH_API uh_status uh_multinomial(uh_queue *queue, const uh_array *weights, uint64_t seed, uint64_t offset, uint64_t n,
                                uint64_t *counts, size_t length);

UH_END_C

#endif
