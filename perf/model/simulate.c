/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/model.h"

#include <string.h>

enum {
    WORDS = 5,    /* of a lane in a message, at most */
    BLOCK = 32,   /* vectors, and */
    QUARTERS = 4, /* adjacent points of each: vector_at of histogram.cl */
    READ = 16     /* bytes of a lane that a message reads */
};

static int is_among(uint32_t word, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (words[i] == word)
            return 1;
    return 0;
}

/* Cycles in which local memory's banks of 4-byte words, one word each per cycle, serve `words` words of each lane from
 * its address on, in bytes. Lanes that read the same word share it; `atomic` ones have it one after the other. */
static uint32_t bank_cycles(const uint32_t *address, size_t lanes, uint32_t words, uint32_t banks, int atomic) {
    uint32_t served[MODEL_LANES * WORDS], of_bank[MODEL_LANES] = {0}, most = 0;
    size_t count = 0;
    for (size_t lane = 0; lane < lanes; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t word = address[lane] / 4 + i;
            if (!atomic && is_among(word, served, count))
                continue;
            served[count++] = word;
            const uint32_t cycles = ++of_bank[word % banks];
            most = cycles > most ? cycles : most;
        }
    return most;
}

static uint32_t count_lines(const uint32_t *address, size_t lanes, uint32_t words, uint32_t line_bytes) {
    uint32_t lines[MODEL_LANES * WORDS], count = 0;
    for (size_t lane = 0; lane < lanes; lane++)
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t line = (address[lane] + 4 * i) / line_bytes;
            if (!is_among(line, lines, count))
                lines[count++] = line;
        }
    return count;
}

/* How often the word comes up that most lanes have. */
static uint32_t count_equal(const uint32_t *address, size_t lanes) {
    uint32_t most = 0;
    for (size_t i = 0; i < lanes; i++) {
        uint32_t equal = 0;
        for (size_t j = 0; j < lanes; j++)
            equal += address[j] == address[i];
        most = equal > most ? equal : most;
    }
    return most;
}

/* The lanes of a sub-group on their ways. */
struct lanes {
    struct model_way way[MODEL_LANES];
    size_t at[MODEL_LANES];
};

/* One message: of the lanes whose next access is at the same site. */
struct message {
    uint32_t address[MODEL_LANES], lane[MODEL_LANES], lanes, words;
    int local, atomic;
};

/* Takes the next message: that of the earliest site. Returns 0 if every lane has arrived. */
static int next_message(struct lanes *lanes, uint32_t count, struct message *message) {
    uint32_t site = UINT32_MAX;
    for (uint32_t lane = 0; lane < count; lane++)
        if (lanes->at[lane] < lanes->way[lane].count && lanes->way[lane].access[lanes->at[lane]].site < site)
            site = lanes->way[lane].access[lanes->at[lane]].site;
    message->lanes = 0;
    for (uint32_t lane = 0; lane < count; lane++) {
        const struct model_access *next = &lanes->way[lane].access[lanes->at[lane]];
        if (lanes->at[lane] >= lanes->way[lane].count || next->site != site)
            continue;
        message->address[message->lanes] = next->address;
        message->lane[message->lanes++] = lane;
        message->words = next->words;
        message->local = next->local;
        message->atomic = next->atomic;
        lanes->at[lane]++;
    }
    return message->lanes > 0;
}

/* Adds up what memory does for the lanes that it serves together. */
static void serve(const struct model_device *device, const struct message *message, uint32_t from, uint32_t lanes,
                  struct model_sums *sums) {
    const uint32_t *address = message->address + from;
    if (message->local)
        sums->local_cycles += bank_cycles(address, lanes, message->words, device->bank_lanes, message->atomic);
    else if (message->atomic)
        sums->atomic_cycles += count_lines(address, lanes, 1, device->line_bytes) + count_equal(address, lanes) - 1;
    else
        sums->lines += count_lines(address, lanes, message->words, device->line_bytes);
}

static void send(const struct model_device *device, const struct message *message, struct model_sums *sums) {
    sums->messages++;
    sums->atomics += message->atomic ? 1 : 0;
    sums->local_messages += message->local ? 1 : 0;
    for (uint32_t from = 0, to; from < message->lanes; from = to) {
        const uint32_t end = (message->lane[from] / device->bank_lanes + 1) * device->bank_lanes;
        for (to = from; to < message->lanes && message->lane[to] < end; to++) {
        }
        serve(device, message, from, to - from, sums);
    }
}

static void send_all(const struct model_walk *walk, struct lanes *lanes, struct model_sums *sums) {
    struct message message;
    while (next_message(lanes, walk->lanes, &message))
        send(walk->device, &message, sums);
}

static size_t point_of(const struct model_walk *walk, size_t first, uint32_t lane, uint32_t element) {
    const size_t width = walk->launch->width, part = width / QUARTERS, vector = first / width + lane;
    if (!walk->launch->in_quarters)
        return vector * width + element;
    return (QUARTERS * (vector - vector % BLOCK) + vector % BLOCK + BLOCK * (element / part)) * part + element % part;
}

static void read_values(const struct model_walk *walk, size_t first, struct model_sums *sums) {
    const uint32_t bank_lanes = walk->device->bank_lanes, at_once = READ / walk->value_bytes;
    uint32_t address[MODEL_LANES];
    uint64_t lines = 0;
    for (uint32_t element = 0; element < walk->launch->width; element += at_once) {
        for (uint32_t lane = 0; lane < walk->lanes; lane++)
            address[lane] = (uint32_t)point_of(walk, first, lane, element) * walk->value_bytes;
        for (uint32_t from = 0; from < walk->lanes; from += bank_lanes)
            lines += count_lines(address + from, walk->lanes - from < bank_lanes ? walk->lanes - from : bank_lanes,
                                 READ / 4, walk->device->line_bytes);
    }
    sums->lines += lines * walk->launch->arrays;
}

/* What is left of the ways of points that wait: lane's i-th one begins at from[lane][i]. */
struct waiting {
    struct model_access access[MODEL_LANES][MODEL_ACCESSES * MODEL_WIDTH];
    size_t from[MODEL_LANES][MODEL_WIDTH + 1], count[MODEL_LANES];
};

/* Takes what comes later off a way. */
static void put_off(struct waiting *waiting, uint32_t lane, struct model_way *way) {
    if (way->later >= way->count)
        return;
    const size_t number = waiting->count[lane]++, from = waiting->from[lane][number], left = way->count - way->later;
    memcpy(&waiting->access[lane][from], way->access + way->later, left * sizeof *way->access);
    waiting->from[lane][number + 1] = from + left;
    way->count = way->later;
}

/* Lanes take their waiting points one after the other, all lanes that have some at once. */
static void send_waiting(const struct model_walk *walk, const struct waiting *waiting, struct lanes *lanes,
                         struct model_sums *sums) {
    for (size_t pass = 0, some = 1; some; pass++) {
        some = 0;
        for (uint32_t lane = 0; lane < walk->lanes; lane++) {
            struct model_way *way = &lanes->way[lane];
            lanes->at[lane] = way->count = 0;
            if (pass >= waiting->count[lane])
                continue;
            const size_t from = waiting->from[lane][pass];
            way->count = waiting->from[lane][pass + 1] - from;
            memcpy(way->access, &waiting->access[lane][from], way->count * sizeof *way->access);
            some = 1;
        }
        send_all(walk, lanes, sums);
    }
}

void model_simulate(const struct model_walk *walk, struct model_sums *sums) {
    const size_t share = (size_t)walk->lanes * walk->launch->width;
    static struct lanes lanes;
    static struct waiting waiting;
    for (size_t first = 0; first + share <= MODEL_POINTS; first += share) {
        memset(waiting.count, 0, sizeof waiting.count);
        read_values(walk, first, sums);
        for (uint32_t element = 0; element < walk->launch->width; element++) {
            for (uint32_t lane = 0; lane < walk->lanes; lane++) {
                struct model_way *way = &lanes.way[lane];
                lanes.at[lane] = way->count = 0;
                way->later = SIZE_MAX;
                walk->operation->follow(walk->work, point_of(walk, first, lane, element), lane, way);
                put_off(&waiting, lane, way);
            }
            send_all(walk, &lanes, sums);
            sums->points += walk->lanes;
        }
        send_waiting(walk, &waiting, &lanes, sums);
    }
}
