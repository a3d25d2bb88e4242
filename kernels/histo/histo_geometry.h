/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of a device before the eye is known: groups, local memory and partial histograms for the largest possible
 * eye, and the limits within which the prescan decides. Depends only on the sizes and the device. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <unihist/device.h>

#include "kernels/common/values.h"
#include "kernels/histo/histo.h"

/* ---- the eye, found from a sample; a bad guess only costs time ---- */

/* Most indices in a sample: with 20 bits per index, their sum stays below 2^32. */
enum { UHI_HISTO_SAMPLES = 4096 };

struct uhi_histo_size {
    size_t width, height; /* at least 1; the product does not overflow */
};

/* Rows of the histogram; `rows` may be 0. */
struct uhi_histo_eye {
    size_t first, rows;
};

/* The bins that an index can address: width * height, at most 2^32. */
uint64_t uhi_histo_bins(struct uhi_histo_size size);

/* The right shift of indices before the prescan adds and squares them, to 20 bits. */
unsigned uhi_histo_shift(struct uhi_histo_size size);

/* Distance of the samples of n indices: sample i is index i * distance, while that is below n. */
size_t uhi_histo_distance(size_t n);

/* Adds up the samples of 32-bit indices; see UHI_HISTO_SUMS. */
void uhi_histo_sample(struct uhi_histo_size size, struct uhi_values x, uint64_t sums[]);

/* The rows within `sigmas` (at most 255) standard deviations of the samples' mean; none without a sample. */
struct uhi_histo_eye uhi_histo_find_eye(struct uhi_histo_size size, const uint64_t sums[], unsigned sigmas);

/* The same on a device, and how its groups share it; equal to the prescan's kernel (histo_decide.inc). */
void uhi_histo_decide(const struct uhi_histo_limits *limits, const uint64_t sums[],
                      struct uhi_histo_geometry *geometry);

/* ---- groups, local memory and partial histograms ---- */

struct uhi_histo_room {
    struct uhi_histo_limits limits; /* partial_bytes: the wanted size; less may be available */
    size_t group_size;              /* work-items */
    size_t groups;                  /* to launch */
    size_t local_bytes;             /* of local memory per group, at least 16 */
};

/* Chooses for n indices. `group_size`: work-items per group that the kernels can run. */
struct uhi_histo_room uhi_histo_choose(struct uhi_histo_size size, size_t n, size_t group_size,
                                       const uh_device_properties *device);

/* Describes how a device counts, like snprintf; returns the full length. */
int uhi_histo_geometry_text(const struct uhi_histo_room *room, const struct uhi_histo_geometry *geometry, char *text,
                            size_t size);
