/* SPDX-License-Identifier: Apache-2.0 */
/* Whether counts may be those of samples with certain probabilities. */
#ifndef PERF_FREQUENCIES_H
#define PERF_FREQUENCIES_H

#include "perf/error.h"

#include <stddef.h>
#include <stdint.h>

/* Compares k counts with what n samples with probabilities in proportion to the weights would give: their sum, none of
 * an outcome of weight 0, and Pearson's chi-square, which right samples miss less than once in 10^14 tries. */
int perf_frequencies_check(const float *weights, size_t k, const uint64_t *counts, uint64_t n,
                           struct perf_error *error);

/* Adds to counts[j] how many of n samples are j. Fails where one is k or more. */
int perf_frequencies_count(const uint32_t *sample, size_t n, uint64_t *counts, size_t k, struct perf_error *error);

#endif
