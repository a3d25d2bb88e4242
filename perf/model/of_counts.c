/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over one axis, and over two: histogram.cl. Of two axes slots are digits of the counters' numbers, and a lane
 * adds what it has counted as one number when a point is another's. */
#include "perf/model/model.h"

#include "kernels/histogram/histogram_run.h"

enum { AXES = 2, PAIR_WIDTH = 4 };

struct counts {
    struct model_axis axis[AXES];
    size_t axes;
    int packed, local; /* the counts are in local memory */
    uint32_t width, copies, first;
    uint32_t run_of[MODEL_LANES]; /* each lane's number */
    uint32_t slots[MODEL_POINTS][AXES];
};

static struct counts *open_axes(const struct model_device *device, const struct model_case *of, size_t axes,
                                struct model_launch *launch) {
    struct counts *counts = perf_memory(1, sizeof *counts);
    const size_t width = of->k + 3, cells = axes > 1 ? width * width : width;
    for (size_t a = 0; a < axes; a++)
        model_axis_open(&counts->axis[a], device, of, a, axes, cells);
    const struct uhi_histogram_tables *tables = &counts->axis[0].plan->tables;
    const struct uhi_shape shape =
        axes > 1 ? model_launch_axes(device, counts->axis, axes, UHI_TIERS_OF_POINTS, "pair", cells, launch)
                 : model_launch_axes(device, counts->axis, axes, UHI_TIERS_OF_VALUES, "count",
                                     uhi_histogram_counters(tables), launch);
    counts->axes = axes;
    counts->packed = tables->lookup == UHI_LOOKUP_PACKED;
    counts->local = shape.local_counts > 0;
    counts->width = (uint32_t)width;
    counts->copies = launch->copies;
    counts->first = launch->local_tables;
    launch->arrays = (uint32_t)axes;
    return counts;
}

/* Points that a work-item takes at once: histogram_slot.inc. */
static void *open_histogram(const struct model_device *device, const struct model_case *of,
                            struct model_launch *launch) {
    struct counts *counts = open_axes(device, of, 1, launch);
    launch->width = (counts->packed ? 64 : 16) / (uint32_t)uh_dtype_size(of->type);
    launch->in_quarters = counts->packed;
    return counts;
}

static void *open_pair(const struct model_device *device, const struct model_case *of, struct model_launch *launch) {
    struct counts *counts = open_axes(device, of, AXES, launch);
    if (counts->axis[0].plan->tables.lookup != counts->axis[1].plan->tables.lookup)
        perf_fail("two axes: their look-ups are different, which no kernel is for");
    launch->width = PAIR_WIDTH;
    return counts;
}

/* In local memory the counters become slots in the end. */
static void follow_histogram(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct counts *counts = work;
    const uint32_t counter = model_counter(&counts->axis[0], i, counts->packed, way);
    if (counts->local) {
        counts->slots[i][0] = model_slot_of_counter(&counts->axis[0], counter);
        model_way_count(way, 0, counts->first + 4 * (counter * counts->copies + (lane & (counts->copies - 1))), 1);
    } else {
        counts->slots[i][0] = model_look_slot(&counts->axis[0], counter, way);
        model_way_count(way, 0, 4 * counts->slots[i][0], 0);
    }
}

static void follow_pair(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct counts *counts = work;
    uint32_t number = 0;
    for (size_t a = 0; a < AXES; a++) {
        const uint32_t counter = model_counter(&counts->axis[a], i, 0, way);
        counts->slots[i][a] = model_look_slot(&counts->axis[a], counter, way);
        number = number * counts->width + counts->slots[i][a];
    }
    number = number * counts->copies + (lane & (counts->copies - 1));
    if (number == counts->run_of[lane])
        return;
    model_way_count(way, 0, counts->first + 4 * counts->run_of[lane], counts->local);
    counts->run_of[lane] = number;
}

static void check_counts(const void *work) {
    const struct counts *counts = work;
    for (size_t i = 0; i < MODEL_POINTS; i++)
        for (size_t a = 0; a < counts->axes; a++)
            model_axis_check(&counts->axis[a], i, counts->slots[i][a]);
}

static void close_counts(void *work) {
    struct counts *counts = work;
    while (counts->axes)
        model_axis_close(&counts->axis[--counts->axes]);
}

const struct model_operation model_histogram = {"histogram", open_histogram, follow_histogram, check_counts,
                                                close_counts};
const struct model_operation model_pair = {"pair", open_pair, follow_pair, check_counts, close_counts};
