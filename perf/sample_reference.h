/* SPDX-License-Identifier: Apache-2.0 */
/* Weights to sample by, and what the samples must be, found without the library. */
#pragma once

#include "perf/error.h"

#include <stddef.h>
#include <stdint.h>

enum sample_weights { SAMPLE_EQUAL, SAMPLE_RANDOM, SAMPLE_ZIPF };

/* In which order they are: that of their making, ascending, or nearly all in one item in the middle, while the others
 * share less than a millionth, some of them none. */
enum sample_shape { SAMPLE_AS_MADE, SAMPLE_ONE_ITEM, SAMPLE_ASCENDING };

/* Makes k weights: 1 each; random on (0, 1]; or Zipf's, item i of 1 .. k having i^-1.1. All are multiples of 2^-40. */
void perf_sample_weights(enum sample_weights weights, enum sample_shape shape, size_t k, float *made);

/* The loop that one would write around Random123's Philox4x32-10, compiled without making vectors of it: stores words
 * 4 * block and following of a stream as <unihist/random.h> numbers them, n of them, a multiple of 4. */
void perf_plain_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t *words, size_t n);

/* Draws samples 0 .. n - 1 of a seed as <unihist/sample.h> defines for the methods unihist and binary, by two threads,
 * and adds to counts[j] how many of them are j. The weights must be multiples of 2^-40 with a sum below 2^23. */
void perf_samples_draw(const float *weights, size_t k, uint64_t seed, size_t n, uint32_t *sample, uint64_t *counts);

/* Compares k counts with what n samples with probabilities in proportion to the weights would give: their sum, none of
 * an outcome of weight 0, and Pearson's chi-square, which right samples miss less than once in 10^14 tries. */
void perf_frequencies_check(const float *weights, size_t k, const uint64_t *counts, uint64_t n);
