/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram on a device that runs modules: what is kept there, and the order of launches. Counts of 32 bits gather
 * on the device and are brought to the host's of 64 bits before one can overflow. */
#ifndef UHI_HISTOGRAM_DEVICE_H
#define UHI_HISTOGRAM_DEVICE_H

#include "kernels/histogram/plan.h"

struct uhi_histogram_device;

/* Makes the state of one histogram of `slots` counters; waits for nothing. The caller destroys it. UH_ERROR_UNSUPPORTED
 * where this build has no kernels for devices. */
uh_status uhi_histogram_device_create(uh_queue *queue, size_t slots, struct uhi_histogram_device **state);

/* Waits for the device and frees everything on it; NULL is allowed. */
void uhi_histogram_device_destroy(struct uhi_histogram_device *state);

/* Brings a plan to the device now, rather than with the first values. UH_ERROR_UNSUPPORTED where the device cannot do
 * it exactly. */
uh_status uhi_histogram_device_prepare(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan);

/* Adds the values to the device's counts, and what has to make room there to counts[slot]. On failure nothing is added.
 * Values in plain host memory, host or shared USM may be reused on return. */
uh_status uhi_histogram_device_count(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                     struct uhi_values x, uint64_t *counts);

/* Moves the device's counts to counts[slot]. On failure both are as before. */
uh_status uhi_histogram_device_settle(struct uhi_histogram_device *state, uint64_t *counts);

/* Forgets the device's counts, and any failure of the past. */
void uhi_histogram_device_reset(struct uhi_histogram_device *state);

/* Stores the values' indices as numpy.digitize numbers them. A device that fails in the middle leaves the earlier
 * pieces of `index` written. */
uh_status uhi_histogram_device_index(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                     struct uhi_values x, int64_t *index);

/* Says where and how the device counts, as snprintf does, in *length the whole length. */
uh_status uhi_histogram_device_text(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                    char *text, size_t size, int *length);

#endif
