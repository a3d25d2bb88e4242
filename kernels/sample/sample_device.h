/* SPDX-License-Identifier: Apache-2.0 */
/* A sampler on a device that runs modules. */
#ifndef UHI_SAMPLE_DEVICE_H
#define UHI_SAMPLE_DEVICE_H

#include "kernels/sample/sample_run.h"

/* A sampler's tables in the device's memory, and what draws from them. */
struct uhi_sample_device;

/* Copies the form's tables to the queue's device. A uniform form, of few enough outcomes for it, is only counted
 * (sample_uniform.h draws). The caller destroys it; the queue and
 * the form live as long. */
uh_status uhi_sample_device_create(uh_queue *queue, const char *call, const struct uhi_sampler_form *form,
                                   struct uhi_sample_device **device);

/* Waits and frees everything; NULL is allowed. */
void uhi_sample_device_destroy(struct uhi_sample_device *device);

/* Stores samples offset .. offset + n - 1 as 32 bits, or 64 (`wide`), in plain host memory or USM. */
uh_status uhi_sample_device_draw(struct uhi_sample_device *device, const char *call, uint64_t seed, uint64_t offset,
                                 int wide, void *out, size_t n);

/* Adds to counts[j], in host memory, how many of n samples are first + j, j < length. */
uh_status uhi_sample_device_count(struct uhi_sample_device *device, const char *call, uint64_t seed, uint64_t offset,
                                  uint64_t n, uint64_t *counts, size_t length);

/* Writes, like snprintf, where the tables and the counts of one part lie, and by how many work-groups it counts. */
int uhi_sample_device_text(const struct uhi_sample_device *device, char *text, size_t size);

/* For tests: lowers how many samples the counters of 32 bits may hold, 8 or more, before they are emptied. */
void uhi_sample_device_set_most(struct uhi_sample_device *device, uint64_t most);

#endif
