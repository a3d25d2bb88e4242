/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histo/histo_geometry.h"

#include <stdio.h>

#include "kernels/common/engine.h"
#include "kernels/histo/tuning.h"

enum { WORD = 4 };

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t at_least_one(uint64_t a) {
    return a ? a : 1;
}

static uint64_t parts(uint64_t whole, uint64_t part) {
    return whole / part + (whole % part != 0);
}

static uint64_t words(uint64_t bins) {
    return parts(bins, WORD) * WORD;
}

/* As many bins as fit `room` of them: whole rows where one does. */
static uint64_t bins_that_fit(uint64_t width, uint64_t room) {
    const uint64_t rows = room / width * width;
    return rows && words(rows) <= room ? words(rows) : room / WORD * WORD;
}

/* Shares the eye among groups with counters of `bits`; the number of tiles, 0 where the local memory holds too little.
 */
static uint64_t share(uint64_t width, uint64_t eye, uint64_t local, unsigned bits, uint64_t *tile) {
    const uint64_t room = bins_that_fit(width, local * 8 / bits);
    if (room == 0)
        return 0;
    const uint64_t tiles = parts(eye, room), rows = words(parts(parts(eye, width), tiles) * width);
    *tile = rows <= room ? rows : room; /* the same for each, as far as it goes */
    return parts(eye, *tile);
}

size_t uhi_histo_batches(const struct uhi_histo_geometry *g, size_t n, size_t groups,
                         const uh_device_properties *device) {
    uint64_t batches = groups / g->tiles;
    batches = least(batches, uhi_groups_for(SIZE_MAX, g->group_size, n));
    if (g->bits) {
        batches = least(batches, least(UHI_HISTO_PARTIAL_BYTES, device->memory / 16) / g->partial_size);
        batches = least(batches, (uint64_t)n / g->partial_size * 4); /* joining them reads no more than counting */
    }
    return at_least_one(batches);
}

struct uhi_histo_geometry uhi_histo_choose(struct uhi_histo_size size, struct uhi_histo_eye eye, size_t n,
                                           size_t group_size, const uh_device_properties *device) {
    const uint64_t bins = uhi_histo_bins(size), local = least(device->local_memory / 2, UINT32_MAX / 8);
    struct uhi_histo_geometry g = {.tiles = 1, .group_size = least(uhi_group_size(device), at_least_one(group_size))};
    uint64_t tile_16 = 0, tile_8 = 0;
    if (eye.rows > 0) {
        const uint64_t first = (uint64_t)eye.first * size.width / WORD * WORD;
        /* A word of the result is the eye's as a whole. */
        const uint64_t end = least(words(((uint64_t)eye.first + eye.rows) * size.width), bins);
        const uint64_t tiles_16 = share(size.width, end - first, local, 16, &tile_16);
        const uint64_t tiles_8 = share(size.width, end - first, local, 8, &tile_8);
        const int bytes = tiles_16 == 0 || tiles_16 > tiles_8 + UHI_HISTO_BYTES_COST;
        const uint64_t tiles = bytes ? tiles_8 : tiles_16;
        const uint64_t partial = words(end - first);
        if (tiles > 0 && tiles <= UHI_HISTO_MAX_TILES &&
            partial <= least(UHI_HISTO_PARTIAL_BYTES, device->memory / 16)) {
            g.bits = bytes ? 8 : 16;
            g.first = (uint32_t)first;
            g.size = end - first;
            g.tile = (uint32_t)(bytes ? tile_8 : tile_16);
            g.tiles = tiles;
            g.local_bytes = (size_t)g.tile * g.bits / 8;
            g.partial_size = partial;
        }
    }
    g.batches = uhi_histo_batches(&g, n, uhi_groups_to_fill(device, g.group_size), device);
    return g;
}

int uhi_histo_geometry_text(const struct uhi_histo_geometry *g, char *text, size_t room) {
    if (!g->bits)
        return snprintf(text, room, "no eye, %zu groups of %zu add in global memory", g->batches, g->group_size);
    return snprintf(text, room, "eye of %llu bins, %zu batch%s of %zu group%s of %zu, each %lu bins of %lu bits",
                    (unsigned long long)g->size, g->batches, g->batches == 1 ? "" : "es", g->tiles,
                    g->tiles == 1 ? "" : "s", g->group_size, (unsigned long)g->tile, (unsigned long)g->bits);
}
