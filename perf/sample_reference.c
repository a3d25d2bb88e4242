/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/sample_reference.h"

#include "perf/plain_philox.h"

#include <math.h>
#include <stdlib.h>

#define ZIPF_EXPONENT 1.1
#define UNIT          0x1p40
#define WEIGHT_SEED   UINT64_C(20230628)

/* Streams of a sample's upper and lower word. */
#define UPPER_STREAM ((uint64_t)1 << 63)
#define LOWER_STREAM (UPPER_STREAM + 1)

__extension__ typedef unsigned __int128 wide;

void perf_sample_words(uint64_t seed, uint64_t stream, uint64_t first, uint32_t *words, size_t n) {
    uint32_t block[4];
    for (size_t i = 0; i < n; i++) {
        const uint64_t number = first + i;
        if (i == 0 || number % 4 == 0)
            perf_plain_philox(seed, stream, number / 4, block, 4);
        words[i] = block[number % 4];
    }
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

static int compare_weights(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void perf_sample_weights(enum sample_weights weights, enum sample_shape shape, size_t k, float *made) {
    uint32_t word;
    for (size_t i = 0; i < k; i++) {
        perf_sample_words(WEIGHT_SEED, 0, i, &word, 1);
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

/* Ranges of the outcomes, and for each of the values of the upper 16 bits the outcome of the first number that has
 * them. */
struct ranges {
    size_t k;
    uint64_t *start; /* of k outcomes */
    uint32_t first[(1 << 16) + 1];
};

static int find_ranges(const float *weights, size_t k, struct ranges *ranges) {
    wide sum = 0, total = 0;
    uint32_t outcome = 0;
    ranges->k = k;
    ranges->start = malloc(k * sizeof *ranges->start);
    if (!ranges->start)
        return -1;
    for (size_t j = 0; j < k; j++)
        total += (wide)((double)weights[j] * UNIT);
    for (size_t j = 0; j < k; j++) {
        ranges->start[j] = (uint64_t)((sum << 64) / total);
        sum += (wide)((double)weights[j] * UNIT);
    }
    for (uint32_t top = 0; top < 1 << 16; top++) {
        while (outcome + 1 < k && ranges->start[outcome + 1] <= (uint64_t)top << 48)
            outcome++;
        ranges->first[top] = outcome;
    }
    ranges->first[1 << 16] = (uint32_t)k - 1;
    return 0;
}

/* The outcome whose range has u. */
static uint32_t find(const struct ranges *ranges, uint64_t u) {
    uint32_t low = ranges->first[u >> 48], high = ranges->first[(u >> 48) + 1];
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (ranges->start[middle] <= u)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* The second word is made only where the first one does not tell. */
static uint32_t decide(const struct ranges *ranges, uint64_t seed, uint64_t number, uint32_t word) {
    const uint64_t u = (uint64_t)word << 32;
    const uint32_t low = find(ranges, u);
    uint32_t more;
    if (low + 1 == ranges->k || ranges->start[low + 1] > (u | UINT32_MAX))
        return low;
    perf_sample_words(seed, LOWER_STREAM, number, &more, 1);
    return find(ranges, u | more);
}

int perf_samples_draw(const float *weights, size_t k, uint64_t seed, size_t n, uint32_t *sample, uint64_t *counts) {
    enum { BLOCK = 1024 };
    struct ranges *ranges = calloc(1, sizeof *ranges);
    int failed = !ranges || find_ranges(weights, k, ranges);
    if (!failed) {
#pragma omp parallel for num_threads(2)
        for (size_t first = 0; first < n; first += BLOCK) {
            const size_t count = n - first < BLOCK ? n - first : BLOCK;
            uint32_t words[BLOCK];
            perf_sample_words(seed, UPPER_STREAM, first, words, count);
            for (size_t i = 0; i < count; i++)
                sample[first + i] = decide(ranges, seed, first + i, words[i]);
        }
        for (size_t i = 0; i < n; i++)
            counts[sample[i]]++;
    }
    if (ranges)
        free(ranges->start);
    free(ranges);
    return failed ? -1 : 0;
}
