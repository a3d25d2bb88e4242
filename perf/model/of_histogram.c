/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over one axis: histogram.cl. */
#include "perf/model/model.h"

#include "kernels/histogram/histogram_run.h"

struct histogram {
    struct model_axis axis;
    int packed, local;       /* the counts are in local memory */
    uint32_t copies, counts; /* from where on */
    uint32_t slots[MODEL_POINTS];
};

/* Points that a work-item takes at once: histogram_slot.inc. */
static uint32_t width_of(const struct histogram *h) {
    const uint32_t bytes = (uint32_t)uh_dtype_size(h->axis.type);
    return h->packed ? 64 / bytes : 16 / bytes;
}

static void *open_histogram(const struct model_device *device, const struct model_case *of,
                            struct model_launch *launch) {
    struct histogram *h = perf_memory(1, sizeof *h);
    model_axis_open(&h->axis, device, of, 0, 1, of->k + 3);
    const struct uhi_histogram_tables *tables = &h->axis.plan->tables;
    const struct uhi_shape shape =
        model_launch_axes(device, &h->axis, 1, UHI_TIERS_OF_VALUES, "count", uhi_histogram_counters(tables), launch);
    h->packed = tables->lookup == UHI_LOOKUP_PACKED;
    h->local = shape.local_counts > 0;
    h->copies = launch->copies;
    h->counts = launch->local_tables;
    launch->width = width_of(h);
    launch->in_quarters = h->packed;
    launch->arrays = 1;
    return h;
}

/* In local memory the counters become slots in the end. */
static void follow_histogram(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct histogram *h = work;
    const uint32_t counter = model_counter(&h->axis, i, h->packed, way);
    if (h->local) {
        h->slots[i] = model_slot_of_counter(&h->axis, counter);
        model_way_count(way, 0, h->counts + 4 * (counter * h->copies + (lane & (h->copies - 1))), 1);
    } else {
        h->slots[i] = model_look_slot(&h->axis, counter, way);
        model_way_count(way, 0, 4 * h->slots[i], 0);
    }
}

static void check_histogram(const void *work) {
    const struct histogram *h = work;
    for (size_t i = 0; i < MODEL_POINTS; i++)
        model_axis_check(&h->axis, i, h->slots[i]);
}

static void close_histogram(void *work) { model_axis_close(&((struct histogram *)work)->axis); }

const struct model_operation model_histogram = {"histogram", open_histogram, follow_histogram, check_histogram,
                                                close_histogram};
