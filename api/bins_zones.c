/* SPDX-License-Identifier: Apache-2.0 */
/* Further passes over the values, and the keys that they keep. */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/grow.h"
#include "runtime/status.h"

enum {
    MAX_MAP = 1 << 24, /* bytes, of which few are touched */
    MIN_F32_SHIFT = 8  /* as many */
};

uh_status uhi_zones_add(const char *call, struct uhi_zones *zones, uint64_t first, unsigned dropped) {
    const uint64_t last = first | (((uint64_t)1 << dropped) - 1);
    zones->shift = zones->n == 0 || dropped < zones->shift ? dropped : zones->shift;
    if (zones->n > 0 && zones->zone[zones->n - 1].last + 1 == first) {
        zones->zone[zones->n - 1].last = last;
        return UH_SUCCESS;
    }
    if (!uhi_grow(&zones->zone, &zones->room, zones->n + 1, sizeof *zones->zone))
        return uhi_fail_memory(call, "no memory for more than %zu quantiles", zones->n);
    zones->zone[zones->n++] = (struct uhi_zone){first, last};
    return UH_SUCCESS;
}

/* Returns the key of the least number of float32 whose key as float64 is not below `key`. */
static uint64_t f32_from(uint64_t key) {
    const double value = uhi_f64_of_key(key);
    const float near = (float)value;
    return uhi_key_of_f32((double)near < value ? nextafterf(near, INFINITY) : near);
}

/* Marks the numbers of float32 in zones, and others that have the same highest bits. */
static void map_f32(struct uhi_zones *zones) {
    zones->f32_shift = zones->shift - UHI_F32_LACKS;
    zones->of_f32 = calloc((size_t)1 << (32 - zones->f32_shift), 1);
    for (size_t z = 0; z < zones->n && zones->of_f32; z++) {
        const uint64_t last = f32_from(zones->zone[z].last) >> zones->f32_shift;
        for (uint64_t cell = f32_from(zones->zone[z].first) >> zones->f32_shift; cell <= last; cell++) {
            const uint32_t key = (uint32_t)(cell << zones->f32_shift);
            zones->of_f32[(key >> 31 ? key ^ UHI_TOP_32 : ~key) >> zones->f32_shift] = 1;
        }
    }
    if (zones->of_f32 && zones->of_f32[0])
        zones->of_f32[UHI_TOP_32 >> zones->f32_shift] = 1; /* -0 */
}

void uhi_zones_map(struct uhi_zones *zones) {
    if (zones->n == 0)
        return;
    if (zones->shift >= UHI_F32_LACKS + MIN_F32_SHIFT)
        map_f32(zones);
    const uint64_t base = zones->zone[0].first >> zones->shift,
                   cells = (zones->zone[zones->n - 1].last >> zones->shift) - base + 1;
    zones->map = cells <= MAX_MAP ? calloc(cells + 1, 1) : NULL;
    zones->base = base;
    zones->cells = cells;
    for (size_t z = 0; z < zones->n && zones->map; z++)
        for (uint64_t cell = zones->zone[z].first >> zones->shift; cell <= zones->zone[z].last >> zones->shift; cell++)
            zones->map[cell - base] = 1;
}

void uhi_zones_free(struct uhi_zones *zones) {
    free(zones->zone);
    free(zones->map);
    free(zones->of_f32);
    *zones = (struct uhi_zones){.n = 0};
}

/* Returns the sum of the keys from number *at up to `last`; *at becomes that after them. */
static double sum_to(const struct uhi_keys *keys, size_t *at, uint64_t last) {
    struct uhi_wide_sum sum = {{0, 0, 0}};
    uint64_t count = 0;
    for (; *at < keys->n && keys->key[*at] <= last; ++*at)
        if (keys->sum)
            uhi_wide_sum_join(&sum, &keys->sum[*at]);
        else
            count += keys->count[*at];
    return keys->sum ? uhi_wide_sum_value(&sum) : (double)count; /* below 2^53 */
}

uh_status uhi_bins_end_pass(const char *call, uh_bins *bins) {
    struct uhi_keys *const fine = &bins->fine;
    if (!bins->refining)
        return UH_SUCCESS;
    UHI_TRY(uhi_keys_sort(call, fine));
    if (bins->keys.sum)
        UHI_TRY(uhi_keys_weigh(call, fine, 0));
    int same = bins->seen == bins->offered && (bins->keys.sum != NULL) == (fine->sum != NULL);
    for (size_t z = 0, i = 0, j = 0; z < bins->zones.n && same; z++) {
        const struct uhi_zone *zone = &bins->zones.zone[z];
        while (i < bins->keys.n && bins->keys.key[i] < zone->first)
            i++;
        same = sum_to(&bins->keys, &i, zone->last) == sum_to(fine, &j, zone->last);
    }
    if (!same)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, call, "bins",
                        "has been given other values than in the first pass, expected the same ones");
    UHI_TRY(uhi_keys_splice(call, &bins->keys, &bins->dropped, fine, &bins->zones));
    uhi_keys_free(fine);
    *fine = (struct uhi_keys){.max = fine->max};
    uhi_zones_free(&bins->zones);
    bins->refining = 0;
    bins->seen = 0;
    bins->refined = 1;
    return UH_SUCCESS;
}
