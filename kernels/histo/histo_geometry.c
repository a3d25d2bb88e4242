/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_geometry.h"

#include <stdio.h>

#include "kernels/common/engine.h"
#include "kernels/histo/tuning.h"

enum { WORD = 4, MIN_LOCAL = 16 /* bytes of the argument if no group uses it */ };

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t parts(uint64_t whole, uint64_t part) {
    return whole / part + (whole % part != 0);
}

static uint64_t words(uint64_t bins) {
    return parts(bins, WORD) * WORD;
}

/* As many bins as fit in `room`, in whole rows if one fits. */
static uint64_t bins_that_fit(uint64_t width, uint64_t room) {
    const uint64_t rows = room / width * width;
    return rows && words(rows) <= room ? words(rows) : room / WORD * WORD;
}

/* Groups worth launching: as many as the device holds at once. */
static size_t groups_for(size_t n, size_t group_size, const uh_device_properties *device,
                         const struct uhi_histo_tuning *tuning) {
    const uint64_t resident = uhi_groups_to_fill(device, group_size) * tuning->resident / tuning->of;
    return least(resident ? resident : 1, uhi_groups_for(SIZE_MAX, group_size, n));
}

/* Bytes of all batches together, with the most groups and the largest tiles: see share_eye. */
static uint64_t partial_bytes(const struct uhi_histo_limits *limits) {
    const uint64_t bins = words((uint64_t)limits->last + 1), of_tiles = most(limits->groups, limits->max_tiles);
    return least(UHI_HISTO_PARTIAL_BYTES, least(of_tiles * limits->room_8, limits->groups * bins));
}

struct uhi_histo_room uhi_histo_choose(struct uhi_histo_size size, size_t n, size_t group_size,
                                       const uh_device_properties *device) {
    const struct uhi_histo_tuning *tuning = uhi_histo_tuning_for(device);
    const uint64_t bins = uhi_histo_bins(size), local = least(device->local_memory / 2, UINT32_MAX / 8);
    struct uhi_histo_room room = {.group_size = least(uhi_group_size(device), group_size ? group_size : 1)};
    room.groups = groups_for(n, room.group_size, device, tuning);
    room.limits = (struct uhi_histo_limits){.last = (uint32_t)(bins - 1),
                                            .width = (uint32_t)least(size.width, UINT32_MAX),
                                            .shift = uhi_histo_shift(size),
                                            .sigmas = UHI_HISTO_SIGMAS_DEVICE,
                                            .max_tiles = tuning->max_tiles,
                                            .bytes_cost = tuning->bytes_cost,
                                            .groups = (uint32_t)room.groups,
                                            .index_bytes = (uint32_t)least(n, UINT32_MAX / 4) * 4};
    room.local_bytes = MIN_LOCAL;
    if (local < WORD || size.width > UINT32_MAX)
        return room;
    const uint64_t room_8 = least(bins_that_fit(size.width, local), words(bins)),
                   room_16 = least(bins_that_fit(size.width, local / 2), words(bins));
    const uint64_t tiles = least(tuning->max_tiles, parts(bins, most(room_16 ? room_16 : room_8, WORD)));
    room.groups = most(tiles, room.groups);
    room.local_bytes = most(most(2 * room_16, room_8), MIN_LOCAL);
    room.limits.room_16 = (uint32_t)least(room_16, UINT32_MAX);
    room.limits.room_8 = (uint32_t)least(room_8, UINT32_MAX);
    room.limits.max_size = (uint32_t)least(tuning->max_tiles * room_8, UINT32_MAX / 2);
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
