/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that occur several times, each once and in order, with their count or the exact sum of their weights. */
#pragma once

#include <unihist/base.h>

/* A sum of up to three doubles that do not overlap, the largest first: 159 bits, so that sums of weights do not depend
 * on their order. */
struct uhi_wide_sum {
    double part[3];
};

void uhi_wide_sum_add(struct uhi_wide_sum *sum, double x);
void uhi_wide_sum_join(struct uhi_wide_sum *sum, const struct uhi_wide_sum *other);
void uhi_wide_sum_add_product(struct uhi_wide_sum *sum, double x, double y);
/* Returns the sum, rounded once. */
double uhi_wide_sum_value(const struct uhi_wide_sum *sum);

/* Bits of the mantissas, and those that float32 lacks. */
enum { UHI_F64_MANTISSA = 52, UHI_F32_MANTISSA = 23, UHI_F32_LACKS = UHI_F64_MANTISSA - UHI_F32_MANTISSA };

enum { UHI_KEYS_AT_ONCE = 1 << 13 };

/* Keys that are not yet sorted. */
struct uhi_waiting {
    uint64_t *key;
    double *weight; /* if the keys are weighted, otherwise NULL */
    size_t n, room;
};

/* Counts by the highest bits of keys without weights, if their lowest bits are dropped anyhow: tables for each sign and
 * exponent that has been seen. */
enum { UHI_EXPONENTS = 1 << 12, UHI_F32_EXPONENTS = 1 << 9, UHI_NO_TABLE = -1 };
struct uhi_dense {
    uint32_t *count; /* or NULL */
    int32_t *table;  /* where that of a key's exponent begins, or UHI_NO_TABLE */
    int32_t *of_f64; /* by sign and exponent as numbers have them; the last cell of negative ones, or UHI_NO_TABLE */
    int32_t *of_f32; /* or NULL: numbers of float32 have bits that keys lack */
    uint32_t *raw;   /* counts by the highest bits of float32, of normal numbers; or NULL: too many */
    unsigned raw_shift;
    uint64_t ends[2]; /* lowest and highest key counted there */
    size_t added;
};

/* Different keys in ascending order. Zero-initialise, with `max`; free with uhi_keys_free. */
struct uhi_keys {
    size_t n, max;   /* of more than `max` keys the lowest bits are dropped, */
    unsigned joined; /* this number of bits */
    uint64_t *key, *count;
    struct uhi_wide_sum *sum; /* of weights, instead of counts; NULL as long as all are whole */
    int weighted;
    struct uhi_waiting waiting;
    struct uhi_dense dense;
};

/* Sorts the keys that wait, and their weights; the other buffers, of the same room, are taken or freed. */
void uhi_waiting_sort(struct uhi_waiting *waiting, uint64_t *key, double *weight);

/* Makes the keys of n numbers of float32 or float64, which may not be aligned. */
void uhi_keys_of(uh_dtype dtype, const char *x, size_t n, uint64_t *key);

/* Makes room for up to UHI_KEYS_AT_ONCE keys. */
uh_status uhi_keys_make_room(const char *call, struct uhi_keys *keys, size_t n);

/* Adds n keys, with weights if the keys are weighted; there is room for them. */
void uhi_keys_add(struct uhi_keys *keys, const uint64_t *key, const double *weights, size_t n);

/* Counts n numbers of float32 or float64 with keys from ends[0] to ends[1], while there are counts by prefixes. Returns
 * the number of other keys, whose exponents have not been seen, stored in `rest`. */
size_t uhi_keys_count(struct uhi_keys *keys, uh_dtype dtype, const char *x, size_t n, const uint64_t ends[2],
                      uint64_t *rest);

/* Takes the keys that wait. */
uh_status uhi_keys_sort(const char *call, struct uhi_keys *keys);

/* Lets keys have weights; if they are not whole, sums replace counts. */
uh_status uhi_keys_weigh(const char *call, struct uhi_keys *keys, int whole);

/* Adds what `from` has, also those that wait there; they stay. */
uh_status uhi_keys_merge(const char *call, struct uhi_keys *keys, const struct uhi_keys *from);

/* Keys that are needed exactly, by their highest bits. Zero-initialise. */
struct uhi_zone {
    uint64_t first, last;
};
struct uhi_zones {
    size_t n, room;
    struct uhi_zone *zone; /* ascending */
    unsigned shift;        /* lowest bits that keys lack which share a byte of `map` */
    uint64_t base, cells;
    uint8_t *map; /* or NULL */
    unsigned f32_shift;
    uint8_t *of_f32; /* by the highest bits of numbers of float32, not 0 if zones may have some; or NULL */
};

/* Adds a zone after the others, none of whose keys is the highest possible one. */
uh_status uhi_zones_add(const char *call, struct uhi_zones *zones, uint64_t first, unsigned dropped);
/* Makes the map, if there is memory. */
void uhi_zones_map(struct uhi_zones *zones);
void uhi_zones_free(struct uhi_zones *zones);

/* Stores the keys of n numbers that lie in the zones; returns how many. */
size_t uhi_zones_filter(const struct uhi_zones *zones, uh_dtype dtype, const char *x, size_t n, uint64_t *kept);

static inline int uhi_zones_have(const struct uhi_zones *zones, uint64_t key) {
    if (zones->map) {
        const uint64_t cell = (key >> zones->shift) - zones->base;
        return zones->map[cell < zones->cells ? cell : zones->cells]; /* the last is 0 */
    }
    const struct uhi_zone *zone = zones->zone;
    for (size_t n = zones->n, half; n > 1; n -= half) {
        half = n / 2;
        zone += zone[half].first <= key ? half : 0;
    }
    return key >= zone->first && key <= zone->last;
}

/* Replaces the keys in zones by those of `fine`. *dropped, or NULL, has the lowest bits that each key lacks. */
uh_status uhi_keys_splice(const char *call, struct uhi_keys *keys, uint8_t **dropped, const struct uhi_keys *fine,
                          const struct uhi_zones *zones);

void uhi_keys_free(struct uhi_keys *keys);
