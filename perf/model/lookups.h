/* SPDX-License-Identifier: Apache-2.0 */
/* Which words the kernels of histogram.cl look at for a float32 value, and which counter they add to. */
#ifndef PERF_MODEL_LOOKUPS_H
#define PERF_MODEL_LOOKUPS_H

#include "kernels/histogram/histogram.h"

/* One look-up of one lane. Sites ascend on the way of a value; lanes that are at the same one send one message. */
struct model_access {
    uint32_t site;
    uint32_t address; /* bytes from where the tables begin; of the last one the counter */
    uint32_t words;
    int far; /* in no local memory */
};

/* More than any way has: 30 halvings, or as many levels of a mesh of three look-ups each. */
enum { MODEL_ACCESSES = 160, MODEL_SITE_COUNT = 1 << 20 };

/* A plan as it lies on a device: uhi_histogram_image_write. */
struct model_tables {
    enum uhi_lookup lookup;
    const struct uhi_histogram_params *params; /* where the image begins */
};

/* Follows a value as the kernel does; stores the look-ups, the last one being the counter, whose site is
 * MODEL_SITE_COUNT; returns how many. With packed cells those behind the first `*at_once` come when the others of the
 * vector have been counted. The look-up is one that float32 has. */
size_t model_follow(const struct model_tables *tables, float x, struct model_access *accesses, size_t *at_once);

#endif
