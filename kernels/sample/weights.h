/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of any type as masses (errors: see table.h). */
#pragma once

#include <unihist/base.h>

#include "kernels/sample/table.h"

struct uhi_weights {
    struct uhi_masses masses; /* masses of the weights; the context is this struct, which must not move */
    uh_dtype dtype;
    const void *values; /* contiguous, at any address */
    void *copy;         /* of values in device memory or not contiguous; otherwise NULL */
    int unit;           /* floats: masses are in units of 2^unit */
};

/* Checks weights of a valid dtype (plain host memory, or USM of the queue's device) and makes masses of them;
 * contiguous plain host memory is read in place and must outlive `weights`. The caller closes them, also on failure.
 * UH_ERROR_INVALID_ARGUMENT, naming `call`, the index and the value, for a weight that is negative, infinite or NaN,
 * for a count of 0 or above UH_SAMPLER_MAX_ITEMS, and if all weights are 0. */
uh_status uhi_weights_open(struct uhi_weights *weights, uh_queue *queue, const char *call, const uh_array *array);

/* Frees their memory. Zeroed weights are allowed. */
void uhi_weights_close(struct uhi_weights *weights);
