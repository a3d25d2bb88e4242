/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_eye.h"

#include <string.h>

#define SPACE
#include "kernels/histo/histo_decide.inc"

enum { SUMMED_BITS = 20 };

uint64_t uhi_histo_bins(struct uhi_histo_size size) {
    const uint64_t bins = (uint64_t)size.width * size.height, limit = UINT64_C(1) << 32;
    return bins < limit ? bins : limit;
}

unsigned uhi_histo_shift(struct uhi_histo_size size) {
    unsigned shift = 0;
    while ((uhi_histo_bins(size) - 1) >> shift >> SUMMED_BITS)
        shift++;
    return shift;
}

size_t uhi_histo_distance(size_t n) {
    return n / UHI_HISTO_SAMPLES + (n % UHI_HISTO_SAMPLES != 0);
}

void uhi_histo_sample(struct uhi_histo_size size, struct uhi_values x, uint64_t sums[]) {
    const uint64_t bins = uhi_histo_bins(size);
    const unsigned shift = uhi_histo_shift(size);
    const size_t distance = uhi_histo_distance(x.n);
    uint64_t count = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < x.n; i += distance) {
        uint32_t index;
        memcpy(&index, x.first + (ptrdiff_t)i * x.stride, sizeof index);
        if (index >= bins)
            continue;
        const uint64_t value = index >> shift;
        count++;
        sum += value;
        squares += value * value;
    }
    sums[UHI_HISTO_COUNT] = count;
    sums[UHI_HISTO_SUM] = sum;
    sums[UHI_HISTO_SQUARES] = squares;
}

struct uhi_histo_eye uhi_histo_find_eye(struct uhi_histo_size size, const uint64_t sums[], unsigned sigmas) {
    const uint64_t last = uhi_histo_bins(size) - 1;
    const struct uhi_histo_limits limits = {
        .last = (uint32_t)last, .width = (uint32_t)size.width, .shift = uhi_histo_shift(size), .sigmas = sigmas};
    struct uhi_histo_geometry found;
    if (size.width > last) /* a single row */
        return (struct uhi_histo_eye){0, sums[UHI_HISTO_COUNT] > 0};
    find_eye(&limits, (uint32_t)sums[UHI_HISTO_COUNT], (uint32_t)sums[UHI_HISTO_SUM], sums[UHI_HISTO_SQUARES], &found);
    return (struct uhi_histo_eye){found.eye, found.eye_rows};
}

void uhi_histo_decide(const struct uhi_histo_limits *limits, const uint64_t sums[],
                      struct uhi_histo_geometry *geometry) {
    decide(limits, (uint32_t)sums[UHI_HISTO_COUNT], (uint32_t)sums[UHI_HISTO_SUM], sums[UHI_HISTO_SQUARES], geometry);
}
