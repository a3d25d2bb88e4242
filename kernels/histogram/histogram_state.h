/* SPDX-License-Identifier: Apache-2.0 */
/* What a histogram keeps on a device, between the files that work on it. */
#ifndef UHI_HISTOGRAM_STATE_H
#define UHI_HISTOGRAM_STATE_H

#include <unihist/kernel.h>

#include "kernels/histogram/histogram_shape.h"
#include "kernels/histogram/histogram_stream.h"
#include "kernels/histogram/plan.h"

/* A plan on the device. */
struct uhi_uploaded {
    const struct uhi_histogram_plan *plan; /* NULL: not there */
    void *image;
    struct uhi_histogram_shape shape;
    uh_kernel *count, *index;
};

struct uhi_histogram_device {
    uh_queue *queue;
    uh_device *device;
    uh_device_properties properties;
    uh_module *module, *module_f64;
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

/* Runs a kernel over `groups` groups, after `dep` unless it is NULL. */
uh_status uhi_histogram_state_run(struct uhi_histogram_device *state, const uh_kernel *kernel, size_t groups,
                                  size_t group_size, const uh_arg *args, size_t nargs, uh_event *dep, uh_event **event);

/* Lends a kernel that needs no double. */
uh_status uhi_histogram_state_kernel(struct uhi_histogram_device *state, const char *name, uh_kernel **kernel);

/* Values on their way to the kernels. */
enum uhi_place { UHI_PLAIN_HOST, UHI_REACHABLE, UHI_DEVICE_ONLY };
struct uhi_feed {
    struct uhi_values x;
    size_t size;          /* of a value */
    enum uhi_place place; /* of x */
    int direct;           /* the kernels read x itself */
    size_t most;          /* values of one piece */
};

/* Finds out whether kernels of the state's device can use what `pointer` points to. UH_ERROR_INVALID_ARGUMENT for the
 * memory of another device. */
uh_status uhi_histogram_state_place(const struct uhi_histogram_device *state, const char *call, const char *argument,
                                    const void *pointer, enum uhi_place *place);

/* Finds out how values of `size` bytes get to the kernels, and makes buffers for that. */
uh_status uhi_feed_open(struct uhi_histogram_device *state, const char *call, struct uhi_values x, size_t size,
                        struct uhi_feed *feed);

/* Makes `n` values from number `from` on ready in *values, for work that waits for slot->copied. */
uh_status uhi_feed_piece(struct uhi_histogram_device *state, const struct uhi_feed *feed, size_t from, size_t n,
                         struct uhi_stream_slot *slot, const void **values);

#endif
