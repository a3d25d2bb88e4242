/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/cases_histo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *case_wafer_name(enum case_wafer wafer) {
    static const char *const names[] = {"eye", "corner", "two", "uniform", "one", "sorted", "far"};
    return (size_t)wafer < sizeof names / sizeof *names ? names[wafer] : "unknown";
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Nearly normal, with standard deviation 1: twelve uniform numbers (Irwin and Hall). */
static double normal(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(next(state) >> 11) * 0x1p-53;
    return sum;
}

static uint32_t at(double position, size_t bins) {
    position = floor(position < 0 ? -position : position);
    return position < (double)bins ? (uint32_t)position : (uint32_t)(bins - 1);
}

static int compare(const void *a, const void *b) {
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

void case_wafer_make(enum case_wafer wafer, size_t width, size_t height, uint32_t *indices, size_t n) {
    const size_t bins = width * height;
    /* Parboil's picture: 24 rows of 4096, where its histogram has as many. */
    const double middle = (double)bins * 0.47, spread = 1 + (double)bins * 6114 / (256.0 * 4096);
    uint64_t state = 2026;
    for (size_t i = 0; i < n; i++) {
        double position = middle + spread * normal(&state);
        const uint64_t random = next(&state);
        switch (wafer) {
        case CASE_WAFER_CORNER: position -= middle; break;
        case CASE_WAFER_TWO: position = (double)bins * (random & 1 ? 0.1 : 0.9) + (position - middle) / 8; break;
        case CASE_WAFER_UNIFORM: position = (double)(random >> 11) * 0x1p-53 * (double)bins; break;
        case CASE_WAFER_ONE: position = middle; break;
        case CASE_WAFER_FAR:
            position = random % 8 == 0 ? (double)(random >> 11) * 0x1p-53 * (double)bins : position;
            break;
        default: break;
        }
        indices[i] = at(position, bins);
        if (wafer == CASE_WAFER_FAR && random % 16 == 1)
            indices[i] = random % 32 == 1 ? UINT32_MAX : (uint32_t)bins + (uint32_t)(random >> 40);
    }
    if (wafer == CASE_WAFER_SORTED)
        qsort(indices, n, sizeof *indices, compare);
}

uint64_t case_wafer_count(const uint32_t *indices, size_t n, size_t bins, uint32_t *counts, uint8_t *limited) {
    uint64_t beyond = 0;
    memset(counts, 0, bins * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        if (indices[i] < bins)
            counts[indices[i]]++;
        else
            beyond++;
    }
    for (size_t b = 0; b < bins; b++)
        limited[b] = (uint8_t)(counts[b] < 255 ? counts[b] : 255);
    return beyond;
}
