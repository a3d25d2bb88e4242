/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_run.h"

#include <stdio.h>
#include <string.h>

#include "kernels/histo/tuning.h"

enum { WORD = 4, MIN_LOCAL = 16 /* bytes of the argument if no group uses it */ };

#define SPACE
#include "kernels/histo/histo_decide.inc"

static uint64_t min_64(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static uint64_t parts_64(uint64_t whole, uint64_t part) { return whole / part + (whole % part != 0); }

/* As many bins as fit in `room`, in whole rows if one fits. */
static uint64_t bins_that_fit(uint64_t width, uint64_t room) {
    const uint64_t rows = room / width * width;
    return rows && in_words(rows) <= room ? in_words(rows) : room / WORD * WORD;
}

/* Groups worth launching: as many as the device holds at once. */
static size_t groups_for(size_t n, size_t group_size, const uh_device_properties *device,
                         const struct uhi_histo_tuning *tuning) {
    const uint64_t resident = uhi_groups_to_fill(device, group_size) * tuning->resident / tuning->of;
    return min_64(resident ? resident : 1, uhi_groups_for(SIZE_MAX, group_size, n));
}

/* Bytes of all batches together, with the most groups and the largest tiles: see share_eye. */
static uint64_t partial_bytes(const struct uhi_histo_limits *limits) {
    const uint64_t bins = in_words((uint64_t)limits->last + 1), of_tiles = most(limits->groups, limits->max_tiles);
    return min_64(UHI_HISTO_PARTIAL_BYTES, min_64(of_tiles * limits->room_8, limits->groups * bins));
}

struct uhi_histo_room uhi_histo_choose(struct uhi_histo_size size, size_t n, size_t group_size,
                                       const uh_device_properties *device) {
    const struct uhi_histo_tuning *tuning = uhi_histo_tuning_for(device);
    const uint64_t bins = uhi_histo_bins(size), local = min_64(device->local_memory / 2, UINT32_MAX / 8);
    struct uhi_histo_room room = {.group_size = min_64(uhi_group_size(device), group_size ? group_size : 1)};
    room.groups = groups_for(n, room.group_size, device, tuning);
    room.limits = (struct uhi_histo_limits){.last = (uint32_t)(bins - 1),
                                            .width = (uint32_t)min_64(size.width, UINT32_MAX),
                                            .shift = uhi_histo_shift(size),
                                            .sigmas = UHI_HISTO_SIGMAS_DEVICE,
                                            .max_tiles = tuning->max_tiles,
                                            .bytes_cost = tuning->bytes_cost,
                                            .groups = (uint32_t)room.groups,
                                            .index_bytes = (uint32_t)min_64(n, UINT32_MAX / 4) * 4};
    room.local_bytes = MIN_LOCAL;
    if (local < WORD || size.width > UINT32_MAX)
        return room;
    const uint64_t room_8 = min_64(bins_that_fit(size.width, local), in_words(bins)),
                   room_16 = min_64(bins_that_fit(size.width, local / 2), in_words(bins));
    const uint64_t tiles = min_64(tuning->max_tiles, parts_64(bins, most(room_16 ? room_16 : room_8, WORD)));
    room.groups = most(tiles, room.groups);
    room.local_bytes = most(most(2 * room_16, room_8), MIN_LOCAL);
    room.limits.room_16 = (uint32_t)min_64(room_16, UINT32_MAX);
    room.limits.room_8 = (uint32_t)min_64(room_8, UINT32_MAX);
    room.limits.max_size = (uint32_t)min_64(tuning->max_tiles * room_8, UINT32_MAX / 2);
    room.limits.partial_bytes = (uint32_t)partial_bytes(&room.limits);
    return room;
}

int uhi_histo_geometry_text(const struct uhi_histo_room *room, const struct uhi_histo_geometry *g, char *text,
                            size_t size) {
    if (!g->bits)
        return snprintf(text, size, "no eye, %zu groups of %zu add in global memory", (size_t)g->batches,
                        room->group_size);
    return snprintf(text, size, "eye of %lu bins, %lu batch%s of %lu group%s of %zu, each %lu bins of %lu bits",
                    (unsigned long)g->size, (unsigned long)g->batches, g->batches == 1 ? "" : "es",
                    (unsigned long)g->tiles, g->tiles == 1 ? "" : "s", room->group_size, (unsigned long)g->tile,
                    (unsigned long)g->bits);
}

/* ---- the eye ---- */

enum { SUMMED_BITS = 20 };

uint64_t uhi_histo_bins(struct uhi_histo_size size) {
    const uint64_t bins = (uint64_t)size.width * size.height, limit = UINT64_C(1) << 32;
    return bins < limit ? bins : limit;
}

unsigned uhi_histo_shift(struct uhi_histo_size size) {
    unsigned shift = 0;
    while ((uhi_histo_bins(size) - 1) >> shift >> SUMMED_BITS)
        shift++;
    return shift;
}

size_t uhi_histo_distance(size_t n) { return n / UHI_HISTO_SAMPLES + (n % UHI_HISTO_SAMPLES != 0); }

void uhi_histo_sample(struct uhi_histo_size size, struct uhi_values x, uint64_t sums[]) {
    const uint64_t bins = uhi_histo_bins(size);
    const unsigned shift = uhi_histo_shift(size);
    const size_t distance = uhi_histo_distance(x.n);
    uint64_t count = 0, sum = 0, squares = 0;
    for (size_t i = 0; i < x.n; i += distance) {
        uint32_t index;
        memcpy(&index, x.first + (ptrdiff_t)i * x.stride, sizeof index);
        if (index >= bins)
            continue;
        const uint64_t value = index >> shift;
        count++;
        sum += value;
        squares += value * value;
    }
    sums[UHI_HISTO_COUNT] = count;
    sums[UHI_HISTO_SUM] = sum;
    sums[UHI_HISTO_SQUARES] = squares;
}

struct uhi_histo_eye uhi_histo_find_eye(struct uhi_histo_size size, const uint64_t sums[], unsigned sigmas) {
    const uint64_t last = uhi_histo_bins(size) - 1;
    const struct uhi_histo_limits limits = {
        .last = (uint32_t)last, .width = (uint32_t)size.width, .shift = uhi_histo_shift(size), .sigmas = sigmas};
    struct uhi_histo_geometry found;
    if (size.width > last) /* a single row */
        return (struct uhi_histo_eye){0, sums[UHI_HISTO_COUNT] > 0};
    find_eye(&limits, (uint32_t)sums[UHI_HISTO_COUNT], (uint32_t)sums[UHI_HISTO_SUM], sums[UHI_HISTO_SQUARES], &found);
    return (struct uhi_histo_eye){found.eye, found.eye_rows};
}

void uhi_histo_decide(const struct uhi_histo_limits *limits, const uint64_t sums[],
                      struct uhi_histo_geometry *geometry) {
    decide(limits, (uint32_t)sums[UHI_HISTO_COUNT], (uint32_t)sums[UHI_HISTO_SUM], sums[UHI_HISTO_SQUARES], geometry);
}
