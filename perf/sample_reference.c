/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/sample_reference.h"
#include "tests/random_oracle.h"

#include <Random123/philox.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define ZIPF_EXPONENT 1.1
#define UNIT          0x1p40
#define WEIGHT_SEED   UINT64_C(20230628)

/* Streams of a sample's upper and lower word. */
#define UPPER_STREAM ((uint64_t)1 << 63)
#define LOWER_STREAM (UPPER_STREAM + 1)

__extension__ typedef unsigned __int128 wide;

void perf_plain_philox(uint64_t seed, uint64_t stream, uint64_t block, uint32_t *words, size_t n) {
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    for (size_t i = 0; i + 4 <= n; i += 4, block++) {
        const philox4x32_ctr_t counter = {
            {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
        const philox4x32_ctr_t four = philox4x32(counter, key);
        words[i] = four.v[0];
        words[i + 1] = four.v[1];
        words[i + 2] = four.v[2];
        words[i + 3] = four.v[3];
    }
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

static int compare_weights(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void perf_sample_weights(enum sample_weights weights, enum sample_shape shape, size_t k, float *made) {
    for (size_t i = 0; i < k; i++) {
        const uint32_t word = random_oracle_32(UH_PHILOX4X32_10, WEIGHT_SEED, 0, i);
        made[i] = weights == SAMPLE_RANDOM ? (float)((word >> 8) + 1) * 0x1p-24F
                  : weights == SAMPLE_ZIPF ? (float)pow((double)i + 1, -ZIPF_EXPONENT)
                                           : 1;
        if (shape == SAMPLE_ONE_ITEM)
            made[i] *= 0x1p-26F;
        made[i] = (float)(rint((double)made[i] * UNIT) / UNIT);
    }
    if (shape == SAMPLE_ASCENDING)
        qsort(made, k, sizeof *made, compare_weights);
    if (shape == SAMPLE_ONE_ITEM)
        made[k / 2] = 0x1p14F;
}

/* ---- samples ---------------------------------------------------------------------------------------------------- */

/* The last outcome whose range begins at u or before. */
static uint32_t find(const uint64_t *start, size_t k, uint64_t u) {
    size_t low = 0, high = k;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(start[middle] <= u ? &low : &high) = middle;
    }
    return (uint32_t)low;
}

void perf_samples_draw(const float *weights, size_t k, uint64_t seed, size_t n, uint32_t *sample, uint64_t *counts) {
    uint64_t *start = perf_memory(k, sizeof *start);
    wide sum = 0, total = 0;
    for (size_t j = 0; j < k; j++)
        total += (wide)((double)weights[j] * UNIT);
    for (size_t j = 0; j < k; j++) {
        start[j] = (uint64_t)((sum << 64) / total);
        sum += (wide)((double)weights[j] * UNIT);
    }
#pragma omp parallel for num_threads(2)
    for (size_t i = 0; i < n; i++)
        sample[i] = find(start, k,
                         (uint64_t)random_oracle_32(UH_PHILOX4X32_10, seed, UPPER_STREAM, i) << 32 |
                             random_oracle_32(UH_PHILOX4X32_10, seed, LOWER_STREAM, i));
    for (size_t i = 0; i < n; i++)
        counts[sample[i]]++;
    free(start);
}

/* ---- frequencies ------------------------------------------------------------------------------------------------ */

#define MIN_EXPECTED 16.0 /* samples of a group of neighbours */
#define FAR          8.0  /* standard deviations, beyond which the normal distribution has 1.2e-15 */

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
        if (j + 1 < k && (expected < MIN_EXPECTED || left / total * n < MIN_EXPECTED))
            continue;
        if (expected > 0)
            sum += (found - expected) * (found - expected) / expected;
        ++*groups;
        expected = found = 0;
    }
    return sum;
}

void perf_frequencies_check(const float *weights, size_t k, const uint64_t *counts, uint64_t n) {
    double total = 0;
    uint64_t sum = 0;
    size_t groups;
    for (size_t j = 0; j < k; j++) {
        total += (double)weights[j];
        sum += counts[j];
        if (counts[j] && !(weights[j] > 0))
            perf_fail("wrong: %" PRIu64 " samples are %zu, which has the weight 0", counts[j], j);
    }
    if (sum != n)
        perf_fail("wrong: there are %" PRIu64 " samples, expected %" PRIu64, sum, n);
    double square = chi_square(weights, k, counts, (double)n, total, &groups);
    if (groups < 2)
        return;
    /* The cube root is nearly normal: E. B. Wilson, M. M. Hilferty, PNAS 17, 1931. */
    double freedom = (double)(groups - 1), variance = 2 / (9 * freedom);
    double deviation = (cbrt(square / freedom) - (1 - variance)) / sqrt(variance);
    if (!(fabs(deviation) < FAR))
        perf_fail("wrong: chi-square of the frequencies is %.6g with %zu degrees of freedom", square, groups - 1);
}
