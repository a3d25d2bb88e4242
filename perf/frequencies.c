/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/frequencies.h"

#include <inttypes.h>
#include <math.h>

/* Neighbours share a group until that many samples are expected in it. */
#define EXPECTED_LEAST 16.0

/* Standard deviations. The normal distribution has 1.2e-15 beyond. */
#define FAR 8.0

/* Pearson's sum over groups of neighbours. Writes how many groups there are. */
static double chi_square(const float *weights, size_t k, const uint64_t *counts, double n, double total,
                         size_t *groups) {
    double sum = 0, expected = 0, found = 0, left = total;
    *groups = 0;
    for (size_t j = 0; j < k; j++) {
        expected += (double)weights[j] / total * n;
        left -= (double)weights[j];
        found += (double)counts[j];
        /* The last ones belong to the last group that is large enough. */
        if (j + 1 < k && (expected < EXPECTED_LEAST || left / total * n < EXPECTED_LEAST))
            continue;
        if (expected > 0)
            sum += (found - expected) * (found - expected) / expected;
        ++*groups;
        expected = found = 0;
    }
    return sum;
}

int perf_frequencies_check(const float *weights, size_t k, const uint64_t *counts, uint64_t n,
                           struct perf_error *error) {
    double total = 0;
    uint64_t sum = 0;
    size_t groups;
    for (size_t j = 0; j < k; j++) {
        total += (double)weights[j];
        sum += counts[j];
        if (counts[j] && !(weights[j] > 0))
            return perf_fail(error, "wrong: %" PRIu64 " samples are %zu, which has the weight 0", counts[j], j);
    }
    if (sum != n)
        return perf_fail(error, "wrong: there are %" PRIu64 " samples, expected %" PRIu64, sum, n);
    double square = chi_square(weights, k, counts, (double)n, total, &groups);
    if (groups < 2)
        return PERF_OK;
    /* The cube root is nearly normal: E. B. Wilson, M. M. Hilferty, PNAS 17, 1931. */
    double freedom = (double)(groups - 1), variance = 2 / (9 * freedom);
    double deviation = (cbrt(square / freedom) - (1 - variance)) / sqrt(variance);
    if (!(fabs(deviation) < FAR))
        return perf_fail(error, "wrong: chi-square of the frequencies is %.6g with %zu degrees of freedom", square,
                         groups - 1);
    return PERF_OK;
}

int perf_frequencies_count(const uint32_t *sample, size_t n, uint64_t *counts, size_t k, struct perf_error *error) {
    for (size_t i = 0; i < n; i++) {
        if (sample[i] >= k)
            return perf_fail(error, "wrong: sample %zu is %" PRIu32 ", expected one below %zu", i, sample[i], k);
        counts[sample[i]]++;
    }
    return PERF_OK;
}
