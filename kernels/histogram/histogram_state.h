/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram keeps on a device, between the files that work on it. */
#ifndef UHI_HISTOGRAM_STATE_H
#define UHI_HISTOGRAM_STATE_H

#include "kernels/common/feed.h"
#include "kernels/histogram/histogram_shape.h"
#include "kernels/histogram/plan.h"

/* A plan on the device. */
struct uhi_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not there */
    void *image;
    struct uhi_histogram_shape shape;
    uh_kernel *count, *index;
};

struct uhi_histogram_device {
    struct uhi_engine engine;
    struct uhi_uploaded plans[UH_DTYPE_COUNT];
    size_t slots, slabs;
    uint32_t *counts;         /* on the device: slabs * slots */
    uint32_t *readback;       /* on the host: slots */
    uint64_t most_pending;    /* values that `counts` may hold: 2^32 - 1, or fewer to test what happens then */
    uint64_t pending;         /* values in `counts` */
    int dirty;                /* `counts` holds what is to be forgotten; pending is 0 */
    struct uhi_stream stream; /* where its work failed, what `counts` holds is unknown */
};

/* Lends the plan on the device, brought there if need be. UH_ERROR_UNSUPPORTED where the device cannot do it exactly.
 */
uh_status uhi_histogram_state_plan(struct uhi_histogram_device *state, const struct uhi_histogram_plan *plan,
                                   const struct uhi_uploaded **uploaded);

#endif
