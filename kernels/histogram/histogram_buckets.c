/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/histogram/histogram_run.h"

#include <string.h>

#include "kernels/histogram/tuning.h"

enum {
    BLOCK = 256,
    SAMPLE = 16,
    LOCAL_VALUES = 2048,
    LINE = 64,
    STAGGER = 5 /* lines; keeps the buckets from all growing in the same cache set */
};

size_t uhi_first_cells(const struct uhi_histogram_tables *t) {
    return t->on_host == UHI_LOOKUP_PACKED ? (size_t)t->packed.cells + 1 : t->cells;
}

/* Bytes that look-ups and counting access at random. */
static size_t touched_bytes(const struct uhi_histogram_tables *t, size_t cells) {
    const int is_packed = t->on_host == UHI_LOOKUP_PACKED;
    const size_t thresholds = is_packed ? 0 : (size_t)t->ranks * t->value_bytes;
    return cells * sizeof(uint32_t) * (is_packed ? 1 : 2) + thresholds + uhi_counter_count(t) * sizeof(uint32_t);
}

struct uhi_buckets uhi_buckets_for(const struct uhi_histogram_tables *t, size_t n, size_t threads) {
    const size_t cells = uhi_first_cells(t), touched = touched_bytes(t, cells),
                 often = t->hot_bytes > 0 && t->hot_bytes < touched ? (size_t)t->hot_bytes : touched;
    struct uhi_buckets buckets = {.bytes = UHI_BUCKET_BYTES};
    if ((t->on_host != UHI_LOOKUP_PACKED && t->on_host != UHI_LOOKUP_CDF) ||
        (!t->groups && often < UHI_BUCKETS_FROM_BYTES) || n < often / UHI_BUCKETS_BYTES_A_VALUE)
        return buckets;
    if (touched >= UHI_LARGE_BUCKETS_FROM_BYTES)
        buckets.bytes = UHI_LARGE_BUCKET_BYTES;
    if (t->groups) {
        buckets.shift = t->group_shift;
        buckets.bytes = UHI_GROUP_BUCKET_BYTES;
    }
    while (!t->groups && ((cells >> buckets.shift) + 1 > UHI_MAX_BUCKETS ||
                          touched / ((cells >> buckets.shift) + 1) < UHI_BUCKET_PART))
        buckets.shift++;
    const size_t count = t->groups ? t->group_count : (cells >> buckets.shift) + 1;
    while (count * buckets.bytes > UHI_PRIVATE_BYTES / threads)
        buckets.bytes /= 2;
    buckets.count = buckets.bytes >= UHI_MIN_BUCKET_BYTES ? (uint32_t)count : 0;
    return buckets;
}

static size_t pointers_bytes(const struct uhi_buckets *buckets) {
    return (buckets->count * sizeof(char *) + LINE - 1) / LINE * LINE;
}

size_t uhi_buckets_room(const struct uhi_buckets *buckets) {
    return buckets->count ? pointers_bytes(buckets) + (buckets->count + 1) * buckets->bytes : 0;
}

/* State of one call. */
struct spreading {
    size_t bytes, size; /* per bucket, a power of two; per value */
    char *first;        /* bucket b begins at first + b * bytes, a multiple of `bytes` */
    char **end;
    void (*count)(const void *context, struct uhi_values values, uint32_t bucket);
    const void *context;
};

static size_t stagger(const struct spreading *s, size_t bucket) { return (bucket * STAGGER * LINE) & (s->bytes - 1); }

static void count_values(const struct spreading *s, const char *from, size_t bytes, uint32_t bucket) {
    if (bytes > 0)
        s->count(s->context, (struct uhi_values){from, bytes / s->size, (ptrdiff_t)s->size}, bucket);
}

/* Counts a bucket's values and empties it. The first fill begins at a staggered offset. */
static void empty(const struct spreading *s, size_t bucket, int first_time) {
    char *begin = s->first + bucket * s->bytes, *from = begin + (first_time ? stagger(s, bucket) : 0);
    count_values(s, from, (size_t)(s->end[bucket] - from), (uint32_t)bucket);
    s->end[bucket] = begin;
}

/* Inlined with a constant `size`. */
__attribute__((always_inline)) static inline void spread(const struct spreading *s, const char *x,
                                                         const uint32_t *bucket, uint8_t *emptied, size_t size) {
    char **ends = s->end;
    const size_t mask = s->bytes - 1;
    for (size_t i = 0; i < BLOCK; i++) {
        char *end = ends[bucket[i]];
        memcpy(end, x + i * size, size);
        end += size;
        ends[bucket[i]] = end;
        if (__builtin_expect(((uintptr_t)end & mask) == 0, 0)) {
            empty(s, bucket[i], !emptied[bucket[i]]);
            emptied[bucket[i]] = 1;
        }
    }
}

/* Whether a few sampled values all fall into one bucket. Buckets then gain nothing, nor do they for the values that
 * follow. */
static int is_local(const struct uhi_histogram_host *host, const struct uhi_histogram_tables *t, const char *x,
                    uint32_t shift) {
    _Alignas(LINE) char sample[SAMPLE * sizeof(uint64_t)];
    uint32_t bucket[SAMPLE], other = 0;
    for (size_t i = 0; i < SAMPLE; i++)
        memcpy(sample + i * t->value_bytes, x + i * (BLOCK / SAMPLE) * t->value_bytes, t->value_bytes);
    host->cells(t, sample, SAMPLE, shift, bucket);
    for (size_t i = 1; i < SAMPLE; i++)
        other |= bucket[i] ^ bucket[0];
    return other == 0;
}

/* The values from index `from` on, contiguous and aligned: in place, or copied to the buffer, as many as fit. */
static struct uhi_values side_by_side(struct uhi_values x, size_t from, size_t size, void *buffer) {
    struct uhi_values some = uhi_values_packed(x, from, size, buffer);
    if (((uintptr_t)some.first & (size - 1)) == 0)
        return some;
    some.n = some.n < UHI_PACKED_BYTES / size ? some.n : UHI_PACKED_BYTES / size;
    memcpy(buffer, some.first, some.n * size);
    some.first = buffer;
    return some;
}

void uhi_buckets_each(const struct uhi_buckets *buckets, const struct uhi_histogram_host *host,
                      const struct uhi_histogram_tables *tables, struct uhi_values x, void *room,
                      void (*count)(const void *context, struct uhi_values values, uint32_t bucket),
                      const void *context) {
    _Alignas(LINE) char buffer[UHI_PACKED_BYTES];
    uint8_t emptied[UHI_MAX_BUCKETS] = {0};
    uint32_t bucket[BLOCK];
    const size_t size = tables->value_bytes;
    char *after = (char *)room + pointers_bytes(buckets);
    const struct spreading s = {buckets->bytes, size,  after + ((0 - (uintptr_t)after) & (buckets->bytes - 1)),
                                room,           count, context};
    for (size_t b = 0; b < buckets->count; b++)
        s.end[b] = s.first + b * s.bytes + stagger(&s, b);
    for (size_t from = 0; from < x.n;) {
        const struct uhi_values some = side_by_side(x, from, size, buffer);
        for (size_t i = 0, n; i < some.n; i += n) {
            const char *at = some.first + i * size;
            const size_t left = some.n - i;
            n = BLOCK;
            if (left < BLOCK || is_local(host, tables, at, buckets->shift)) {
                n = left < LOCAL_VALUES ? left : LOCAL_VALUES;
                count_values(&s, at, n * size, UHI_ANY_BUCKET);
                continue;
            }
            host->cells(tables, at, BLOCK, buckets->shift, bucket);
            for (size_t j = 0; tables->groups && j < BLOCK; j++)
                bucket[j] = tables->group_of[bucket[j]];
            if (size == sizeof(uint32_t))
                spread(&s, at, bucket, emptied, sizeof(uint32_t));
            else
                spread(&s, at, bucket, emptied, sizeof(uint64_t));
        }
        from += some.n;
    }
    for (size_t b = 0; b < buckets->count; b++)
        empty(&s, b, !emptied[b]);
}
