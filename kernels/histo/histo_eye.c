/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_eye.h"

#include <math.h>
#include <string.h>

#include "kernels/histo/histo.h"

enum { SUMMED_BITS = 24 };

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

struct uhi_histo_eye uhi_histo_find_eye(struct uhi_histo_size size, const uint64_t sums[], double sigmas) {
    const uint64_t bins = uhi_histo_bins(size);
    if (sums[UHI_HISTO_COUNT] == 0)
        return (struct uhi_histo_eye){0, 0};
    const double count = (double)sums[UHI_HISTO_COUNT], unit = (double)(UINT64_C(1) << uhi_histo_shift(size));
    const double mean = (double)sums[UHI_HISTO_SUM] / count;
    const double variance = (double)sums[UHI_HISTO_SQUARES] / count - mean * mean; /* may round to below 0 */
    const double reach = sigmas * sqrt(variance > 0 ? variance : 0);
    const double low = (mean - reach) * unit, high = (mean + reach + 1) * unit; /* a sample is `unit` bins wide */
    const uint64_t first = low > 0 ? (uint64_t)low : 0, last = high < (double)bins ? (uint64_t)high : bins - 1;
    const size_t from = first / size.width, to = last / size.width;
    return (struct uhi_histo_eye){from, to - from + 1};
}
