/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over two axes: pair of histogram.cl. Slots are digits of the counters' numbers; a lane adds what it has
 * counted as one number when a point is another's. */
#include "perf/model/launch.h"

#include <stdlib.h>

enum { AXES = 2, WIDTH = 4 };

struct pair {
    struct model_axis axis[AXES];
    struct model_tables tables[AXES];
    int local; /* the counts are in local memory */
    uint32_t width, copies, counts;
    uint32_t run_of[MODEL_LANES]; /* each lane's number */
    uint32_t slots[AXES][MODEL_POINTS];
};

static int open_pair(const struct model_device *device, const struct model_case *of, void **work,
                     struct model_launch *launch, struct perf_error *error) {
    struct pair *pair = *work = calloc(1, sizeof *pair);
    int status = pair ? PERF_OK : perf_fail(error, "out of memory"), local_tables = 0;
    const size_t width = of->k + 3;
    uint32_t address = 0;
    for (size_t a = 0; status == PERF_OK && a < AXES; a++)
        status = model_axis_open(&pair->axis[a], device, of, a, AXES, (of->k + 3) * (of->k + 3), error);
    if (status == PERF_OK)
        status = model_launch_points(device, pair->axis, AXES, "pair", (uint64_t)width * width, &local_tables,
                                     &pair->local, launch, error);
    if (status != PERF_OK)
        return status;
    for (size_t a = 0; a < AXES; address += model_axis_near(&pair->axis[a++]))
        pair->tables[a] = model_axis_tables(&pair->axis[a], a, local_tables, address);
    if (pair->tables[0].lookup != pair->tables[1].lookup)
        return perf_fail(error, "two axes: their look-ups are different, which no kernel is for");
    pair->width = (uint32_t)width;
    pair->copies = launch->copies;
    pair->counts = launch->local_tables;
    launch->width = WIDTH;
    launch->arrays = AXES;
    return PERF_OK;
}

static void follow_pair(void *work, size_t i, uint32_t lane, struct model_way *way) {
    struct pair *pair = work;
    uint32_t number = 0;
    for (size_t a = 0; a < AXES; a++) {
        const uint32_t counter = model_counter(&pair->tables[a], pair->axis[a].values, i, 0, way);
        pair->slots[a][i] = model_look_slot(&pair->tables[a], counter, way);
        number = number * pair->width + pair->slots[a][i];
    }
    number = number * pair->copies + (lane & (pair->copies - 1));
    if (number == pair->run_of[lane])
        return;
    model_way_count(way, 0, pair->counts + 4 * pair->run_of[lane], pair->local);
    pair->run_of[lane] = number;
}

static int check_pair(const void *work, struct perf_error *error) {
    const struct pair *pair = work;
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < (size_t)AXES * MODEL_POINTS; i++)
        status = model_axis_check(&pair->axis[i % AXES], i / AXES, pair->slots[i % AXES][i / AXES], error);
    return status;
}

static void close_pair(void *work) {
    struct pair *pair = work;
    for (size_t a = 0; pair && a < AXES; a++)
        model_axis_close(&pair->axis[a]);
    free(pair);
}

const struct model_operation model_pair = {"pair", open_pair, follow_pair, check_pair, close_pair};
