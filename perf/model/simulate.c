/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/simulate.h"

#include "perf/model/banks.h"

/* The lanes of a sub-group on their ways. */
struct lanes {
    struct model_access accesses[MODEL_LANES][MODEL_ACCESSES];
    size_t count[MODEL_LANES], at[MODEL_LANES];
};

/* One message: of the lanes whose next look-up is at the same site. */
struct message {
    uint32_t address[MODEL_LANES], lane[MODEL_LANES], lanes, words, counts;
};

/* Takes the next message: that of the earliest site. Returns 0 where every lane has arrived. */
static int next_message(struct lanes *lanes, uint32_t count, struct message *message) {
    uint32_t site = UINT32_MAX;
    for (uint32_t lane = 0; lane < count; lane++)
        if (lanes->at[lane] < lanes->count[lane] && lanes->accesses[lane][lanes->at[lane]].site < site)
            site = lanes->accesses[lane][lanes->at[lane]].site;
    message->lanes = 0;
    message->counts = site == MODEL_SITE_COUNT;
    for (uint32_t lane = 0; lane < count; lane++) {
        const struct model_access *next = &lanes->accesses[lane][lanes->at[lane]];
        if (lanes->at[lane] == lanes->count[lane] || next->site != site)
            continue;
        message->address[message->lanes] = next->address;
        message->lane[message->lanes++] = lane;
        message->words = next->words;
        lanes->at[lane]++;
    }
    return message->lanes > 0;
}

/* Where lanes count: in their own copy of the counts, behind the tables; in global memory in one table. */
static void place_counters(const struct uhi_shape *shape, struct message *message) {
    for (uint32_t i = 0; i < message->lanes; i++) {
        const uint32_t copy = shape->local_counts ? message->lane[i] & (shape->replicas - 1) : 0;
        message->address[i] = (uint32_t)shape->local_tables + (copy * shape->pitch + message->address[i]) * 4;
    }
}

/* Adds up what memory does for the lanes that it serves together. */
static void serve(const struct model_counting *counting, const struct message *message, int local, uint32_t from,
                  uint32_t lanes, struct model_sums *sums) {
    const struct model_device *device = counting->device;
    const uint32_t *address = message->address + from;
    if (local)
        sums->local_cycles += model_bank_cycles(address, lanes, message->words, message->counts != 0, device->banks);
    else if (message->counts)
        sums->atomic_cycles +=
            model_lines(address, lanes, 1, device->line_bytes) + model_most_equal(address, lanes) - 1;
    else
        sums->lines += model_lines(address, lanes, message->words, device->line_bytes);
}

static void send(const struct model_counting *counting, struct message *message, struct model_sums *sums) {
    const struct uhi_shape *shape = counting->shape;
    const int local = message->counts ? shape->local_counts > 0 : shape->tier == UHI_TIER_LOCAL;
    if (message->counts)
        place_counters(shape, message);
    sums->messages++;
    sums->local_messages += local ? 1 : 0;
    for (uint32_t from = 0, to; from < message->lanes; from = to) {
        const uint32_t end = (message->lane[from] / counting->device->bank_lanes + 1) * counting->device->bank_lanes;
        for (to = from; to < message->lanes && message->lane[to] < end; to++) {
        }
        serve(counting, message, local, from, to - from, sums);
    }
}

void model_simulate(const struct model_counting *counting, const float *x, size_t n, uint32_t *slots,
                    struct model_sums *sums) {
    const size_t share = (size_t)counting->lanes * counting->width;
    struct lanes lanes;
    struct message message;
    for (size_t first = 0; first + share <= n; first += share)
        for (uint32_t element = 0; element < counting->width; element++) {
            for (uint32_t lane = 0; lane < counting->lanes; lane++) {
                const size_t i = first + (size_t)lane * counting->width + element;
                lanes.count[lane] = model_follow(&counting->tables, x[i], lanes.accesses[lane]);
                lanes.at[lane] = 0;
                slots[i] = lanes.accesses[lane][lanes.count[lane] - 1].address;
            }
            while (next_message(&lanes, counting->lanes, &message))
                send(counting, &message, sums);
            sums->values += counting->lanes;
        }
}
