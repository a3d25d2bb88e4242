/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over two axes: pair of histogram.cl. Slots are digits of the counters' numbers; a lane adds what it has
 * counted as one number when a point is another's. */
#include "perf/model/model.h"

enum { AXES = 2, WIDTH = 4 };

struct pair {
    struct model_axis axis[AXES];
    int local; /* the counts are in local memory */
    uint32_t width, copies, counts;
    uint32_t run_of[MODEL_LANES]; /* each lane's number */
    uint32_t slots[AXES][MODEL_POINTS];
};

static void *open_pair(const struct model_device *device, const struct model_case *of, struct model_launch *launch) {
    struct pair *pair = perf_memory(1, sizeof *pair);
    const size_t width = of->k + 3;
    for (size_t a = 0; a < AXES; a++)
        model_axis_open(&pair->axis[a], device, of, a, AXES, width * width);
    const struct uhi_shape shape =
        model_launch_axes(device, pair->axis, AXES, UHI_TIERS_OF_POINTS, "pair", width * width, launch);
    if (pair->axis[0].plan->tables.lookup != pair->axis[1].plan->tables.lookup)
        perf_fail("two axes: their look-ups are different, which no kernel is for");
    pair->local = shape.local_counts > 0;
    pair->width = (uint32_t)width;
    pair->copies = launch->copies;
    pair->counts = launch->local_tables;
    launch->width = WIDTH;
    launch->arrays = AXES;
    return pair;
}

static void follow_pair(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct pair *pair = work;
    uint32_t number = 0;
    for (size_t a = 0; a < AXES; a++) {
        const uint32_t counter = model_counter(&pair->axis[a], i, 0, way);
        pair->slots[a][i] = model_look_slot(&pair->axis[a], counter, way);
        number = number * pair->width + pair->slots[a][i];
    }
    number = number * pair->copies + (lane & (pair->copies - 1));
    if (number == pair->run_of[lane])
        return;
    model_way_count(way, 0, pair->counts + 4 * pair->run_of[lane], pair->local);
    pair->run_of[lane] = number;
}

static void check_pair(const void *work) {
    const struct pair *pair = work;
    for (size_t i = 0; i < (size_t)AXES * MODEL_POINTS; i++)
        model_axis_check(&pair->axis[i % AXES], i / AXES, pair->slots[i % AXES][i / AXES]);
}

static void close_pair(void *work) {
    struct pair *pair = work;
    for (size_t a = 0; a < AXES; a++)
        model_axis_close(&pair->axis[a]);
}

const struct model_operation model_pair = {"pair", open_pair, follow_pair, check_pair, close_pair};
