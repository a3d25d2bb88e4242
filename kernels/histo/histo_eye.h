/* SPDX-License-Identifier: Apache-2.0 */
/* Where the eye lies, judged by a sample. Pure functions: a bad guess costs time and nothing else. */
#ifndef UHI_HISTO_EYE_H
#define UHI_HISTO_EYE_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/common/values.h"
#include "kernels/histo/histo.h"

/* As many indices the prescan looks at: with 20 bits an index, their sum stays below 2^32. */
enum { UHI_HISTO_SAMPLES = 4096 };

struct uhi_histo_size {
    size_t width, height; /* at least 1; the product does not overflow */
};

/* Rows of the histogram; `rows` may be 0. */
struct uhi_histo_eye {
    size_t first, rows;
};

/* The bins that an index can mean: width * height, at most 2^32. */
uint64_t uhi_histo_bins(struct uhi_histo_size size);

/* By how much the prescan shifts indices right before it adds and squares them, so that 20 bits are left. */
unsigned uhi_histo_shift(struct uhi_histo_size size);

/* The distance of the samples from n indices: sample i is index number i * distance, while that is below n. */
size_t uhi_histo_distance(size_t n);

/* Adds up the samples of indices of 32 bits; see UHI_HISTO_SUMS. */
void uhi_histo_sample(struct uhi_histo_size size, struct uhi_values x, uint64_t sums[]);

/* The rows within `sigmas` standard deviations of the samples' mean, at most 255; none where there was no sample. */
struct uhi_histo_eye uhi_histo_find_eye(struct uhi_histo_size size, const uint64_t sums[], unsigned sigmas);

/* The same on a device, and how its groups share it; as the prescan's kernel does (histo_decide.inc). */
void uhi_histo_decide(const struct uhi_histo_limits *limits, const uint64_t sums[],
                      struct uhi_histo_geometry *geometry);

#endif
