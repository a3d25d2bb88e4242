/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of any type as masses (table.h says with what error). */
#ifndef UHI_SAMPLE_WEIGHTS_H
#define UHI_SAMPLE_WEIGHTS_H

#include <unihist/storage.h>

#include "kernels/sample/table.h"

struct uhi_weights {
    struct uhi_masses masses; /* of the weights; its context is this struct, which must not move */
    uh_dtype dtype;
    const void *values; /* side by side, at any address */
    void *copy;         /* of values in a device's memory or apart from each other, or NULL */
    int unit;           /* floats: masses are in units of 2^unit */
};

/* Checks weights (plain host memory, or USM of the queue's device), whose dtype is one, and makes masses of them; what
 * lies side by side in plain host memory is read in place as long as the weights live. The caller frees them, whatever
 * comes of it. UH_ERROR_INVALID_ARGUMENT, naming `call`, the index and the value, for a weight that is negative,
 * infinite or NaN, for a count that is 0 or above UH_SAMPLER_MAX_ITEMS, and where all are 0. */
uh_status uhi_weights_open(struct uhi_weights *weights, uh_queue *queue, const char *call, const uh_array *array);

/* Frees what they own. Zeroed ones may be closed. */
void uhi_weights_close(struct uhi_weights *weights);

#endif
