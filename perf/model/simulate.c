/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/simulate.h"

#include "perf/model/banks.h"

#include <string.h>

/* The lanes of a sub-group on their ways. */
struct lanes {
    struct model_access accesses[MODEL_LANES][MODEL_ACCESSES];
    size_t count[MODEL_LANES], at[MODEL_LANES];
};

/* One message: of the lanes whose next look-up is at the same site. */
struct message {
    uint32_t address[MODEL_LANES], lane[MODEL_LANES], lanes, words;
    int counts, far;
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
        message->far = next->far;
        lanes->at[lane]++;
    }
    return message->lanes > 0;
}

/* Where lanes count: in their own copy of the counts, behind the tables; in global memory in one table. */
static void place_counters(const struct uhi_shape *shape, struct message *message) {
    for (uint32_t i = 0; i < message->lanes; i++) {
        const uint32_t copy = message->lane[i] & ((1U << shape->spread) - 1);
        message->address[i] = (uint32_t)shape->local_tables + ((message->address[i] << shape->spread) + copy) * 4;
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
    const int local = message->counts ? shape->local_counts > 0 : shape->tier == UHI_TIER_LOCAL && !message->far;
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

static void send_all(const struct model_counting *counting, struct lanes *lanes, struct model_sums *sums) {
    struct message message;
    while (next_message(lanes, counting->lanes, &message))
        send(counting, &message, sums);
}

/* What is left of the ways of values that wait: lane's i-th one begins at from[lane][i]. */
struct waiting {
    struct model_access accesses[MODEL_LANES][MODEL_ACCESSES * MODEL_WIDTH];
    size_t from[MODEL_LANES][MODEL_WIDTH + 1], count[MODEL_LANES];
};

static void put_off(struct waiting *waiting, uint32_t lane, const struct model_access *accesses, size_t count) {
    const size_t number = waiting->count[lane]++, from = waiting->from[lane][number];
    memcpy(&waiting->accesses[lane][from], accesses, count * sizeof *accesses);
    waiting->from[lane][number + 1] = from + count;
}

/* Lanes take their waiting values one after the other, all lanes that have some at once. */
static void send_waiting(const struct model_counting *counting, const struct waiting *waiting, struct lanes *lanes,
                         struct model_sums *sums) {
    for (size_t pass = 0, some = 1; some; pass++) {
        some = 0;
        for (uint32_t lane = 0; lane < counting->lanes; lane++) {
            const size_t from = waiting->from[lane][pass < waiting->count[lane] ? pass : 0];
            lanes->at[lane] = lanes->count[lane] = 0;
            if (pass >= waiting->count[lane])
                continue;
            lanes->count[lane] = waiting->from[lane][pass + 1] - from;
            memcpy(lanes->accesses[lane], &waiting->accesses[lane][from],
                   lanes->count[lane] * sizeof *lanes->accesses[lane]);
            some = 1;
        }
        send_all(counting, lanes, sums);
    }
}

void model_simulate(const struct model_counting *counting, const float *x, size_t n, uint32_t *counters,
                    struct model_sums *sums) {
    const size_t share = (size_t)counting->lanes * counting->width;
    static struct lanes lanes;
    static struct waiting waiting;
    for (size_t first = 0; first + share <= n; first += share) {
        memset(waiting.count, 0, sizeof waiting.count);
        for (uint32_t element = 0; element < counting->width; element++) {
            for (uint32_t lane = 0; lane < counting->lanes; lane++) {
                const size_t i = first + (size_t)lane * counting->width + element;
                const size_t count = model_follow(&counting->tables, x[i], lanes.accesses[lane], &lanes.count[lane]);
                lanes.at[lane] = 0;
                counters[i] = lanes.accesses[lane][count - 1].address;
                if (count > lanes.count[lane])
                    put_off(&waiting, lane, lanes.accesses[lane] + lanes.count[lane], count - lanes.count[lane]);
            }
            send_all(counting, &lanes, sums);
            sums->values += counting->lanes;
        }
        send_waiting(counting, &waiting, &lanes, sums);
    }
}
