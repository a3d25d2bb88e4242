/* SPDX-License-Identifier: Apache-2.0 */
/* Values in a device's memory, which the device counts: by their sign and exponent, then by further bits of those cells
 * that have any, in ordinary histograms, until there are more cells than values are kept, or all bits are known. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { MANTISSA = 52, MAX_PARTS = 1 << 20 };

/* Cells of 2^bits keys each, ascending, and the numbers of their values. */
struct level {
    uint64_t *key, *count;
    size_t n;
    unsigned bits;
};

struct counting {
    const char *call;
    uh_queue *queue;
    const uh_array *x;
    uint64_t first, last; /* keys of the range */
};

static void free_level(struct level *level) {
    free(level->key);
    free(level->count);
    *level = (struct level){.n = 0};
}

static uh_status make_level(const char *call, size_t n, unsigned bits, struct level *level) {
    *level = (struct level){malloc((n + 1) * sizeof(uint64_t)), malloc((n + 1) * sizeof(uint64_t)), n, bits};
    if (level->key && level->count)
        return UH_SUCCESS;
    free_level(level);
    return uhi_fail_memory(call, "no memory for %zu cells", n);
}

/* The number at which a key begins, within the range or at its end. */
static double edge_at(const struct counting *c, uint64_t key) {
    return uhi_f64_of_key(key < c->first ? c->first : key > c->last ? c->last + 1 : key);
}

static uh_status fill(const struct counting *c, const double *edges, size_t n, uint64_t *counts) {
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    uh_status status = uh_axis_create_edges(UH_F64, edges, n, UH_HALF_OPEN_LEFT, &axis);
    if (!status)
        status = uh_histogram_create(c->queue, &axis, 1, NULL, &histogram);
    if (!status)
        status = uh_histogram_fill(histogram, c->x, NULL);
    if (!status)
        status = uh_histogram_counts(histogram, counts);
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
    return uhi_fail_of(c->call, status);
}

/* Replaces cells by their 2^more parts that have values. */
static uh_status divide(const struct counting *c, struct level *level, unsigned more) {
    const unsigned bits = level->bits - more;
    const size_t parts = (size_t)1 << more, room = level->n * (parts + 1) + 1;
    double *edges = malloc(room * sizeof *edges);
    uint64_t *counts = calloc(room, sizeof *counts);
    struct level made = {.n = 0};
    size_t n = 0, at = 0;
    uh_status status = edges && counts ? make_level(c->call, level->n * parts, bits, &made)
                                       : uhi_fail_memory(c->call, "no memory for %zu cells", room);
    for (size_t i = 0; i < level->n && !status; i++) {
        const uint64_t end = level->key[i] + ((uint64_t)parts << bits);
        for (size_t p = 0; p < parts; p++)
            edges[n++] = edge_at(c, level->key[i] + ((uint64_t)p << bits));
        if (i + 1 == level->n || level->key[i + 1] != end)
            edges[n++] = edge_at(c, end ? end : UINT64_MAX);
    }
    if (!status)
        status = fill(c, edges, n, counts);
    made.n = 0;
    for (size_t i = 0; i < level->n && !status; i++) {
        for (size_t p = 0; p < parts; p++, at++)
            if (counts[at] > 0) {
                made.key[made.n] = level->key[i] + ((uint64_t)p << bits);
                made.count[made.n++] = counts[at];
            }
        at += i + 1 < level->n && level->key[i + 1] != level->key[i] + ((uint64_t)parts << bits);
    }
    free(edges);
    free(counts);
    if (status) {
        free_level(&made);
        return status;
    }
    free_level(level);
    *level = made;
    return UH_SUCCESS;
}

static unsigned parts_for(const struct level *level) {
    unsigned more = level->bits > 0;
    while (more < level->bits && level->n << (more + 1) <= MAX_PARTS)
        more++;
    return more;
}

/* Cells of all exponents in the range, or of the zones of a further pass. */
static uh_status begin(const struct counting *c, const uh_bins *bins, struct level *level) {
    const struct uhi_zone all = {c->first >> MANTISSA << MANTISSA, c->last}, *zone = &all;
    const unsigned bits = bins->refining ? bins->zones.shift : MANTISSA;
    const size_t zones = bins->refining ? bins->zones.n : 1;
    size_t n = 0;
    zone = bins->refining ? bins->zones.zone : zone;
    for (size_t z = 0; z < zones; z++)
        n += (size_t)((zone[z].last >> bits) - (zone[z].first >> bits)) + 1;
    UHI_TRY(make_level(c->call, n, bits, level));
    level->n = 0;
    for (size_t z = 0; z < zones; z++)
        for (uint64_t cell = zone[z].first >> bits; cell <= zone[z].last >> bits; cell++)
            level->key[level->n++] = cell << bits;
    return UH_SUCCESS;
}

/* Finds the key of the smallest (`end` 0) or largest value of the level. */
static uh_status find_end(const struct counting *c, const struct level *level, int end, uint64_t *key) {
    struct level one;
    UHI_TRY(make_level(c->call, 1, level->bits, &one));
    one.key[0] = level->key[end ? level->n - 1 : 0];
    uh_status status = UH_SUCCESS;
    while (one.bits > 0 && !status) {
        status = divide(c, &one, one.bits < 16 ? one.bits : 16);
        if (!status && one.n == 0)
            status = uhi_fail_argument(c->call, "x", "changes while it is read, expected the same values");
        if (!status && end)
            one.key[0] = one.key[one.n - 1];
        one.n = 1;
    }
    *key = status ? 0 : one.key[0];
    free_level(&one);
    return status;
}

/* Adds the numbers of a first pass. */
static uh_status add_numbers(const struct counting *c, uh_bins *bins, const struct level *level) {
    uint64_t n = 0, lowest, highest;
    double min, max;
    uint64_t nan;
    for (size_t i = 0; i < level->n; i++)
        n += level->count[i];
    UHI_TRY(uhi_fail_of(c->call, uh_min_max(c->queue, c->x, &min, &max, &nan)));
    lowest = uhi_key_of_f64(min);
    highest = uhi_key_of_f64(max);
    if (n > 0 && lowest < c->first)
        UHI_TRY(find_end(c, level, 0, &lowest));
    if (n > 0 && highest > c->last)
        UHI_TRY(find_end(c, level, 1, &highest));
    if (n > 0) {
        bins->lowest = lowest < bins->lowest ? lowest : bins->lowest;
        bins->highest = highest > bins->highest ? highest : bins->highest;
    }
    bins->offered += c->x->count;
    bins->n += n;
    bins->whole += n;
    bins->nan += nan;
    bins->beyond += c->x->count - n - nan;
    return UH_SUCCESS;
}

uh_status uhi_bins_count_there(const char *call, uh_bins *bins, const uh_array *x) {
    struct uhi_keys *const to = bins->refining ? &bins->fine : &bins->keys;
    const struct counting c = {call, bins->options.queue, x, bins->first, bins->last};
    struct level level;
    UHI_TRY(begin(&c, bins, &level));
    uh_status status = UH_SUCCESS;
    do
        status = divide(&c, &level, parts_for(&level));
    while (!status && level.bits > to->joined && level.n > 0 && level.n <= to->max);
    if (!status && !bins->refining)
        status = add_numbers(&c, bins, &level);
    const struct uhi_keys found = {.n = level.n, .joined = level.bits, .key = level.key, .count = level.count};
    if (!status)
        status = uhi_keys_merge(call, to, &found);
    bins->seen += bins->refining ? x->count : 0;
    free_level(&level);
    return status;
}
