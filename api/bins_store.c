/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted keys with counts or sums of weights. Keys lose their lowest bit whenever there are too many, so that what is
 * kept depends on all values alone, and not on their order or division. */
#include "api/bins_store.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common/keys.h"
#include "runtime/status.h"

enum {
    MIN_WAITING = 1 << 17,
    MAX_WAITING = 1 << 22,
    MAX_ADDED = 1 << 30, /* to 32-bit counts */
    CELLS_PER_KEY = 8,
    MANTISSA = UHI_F64_MANTISSA,
    SIGN = 1 << 11,
    F32_BIASES = 1023 - 127,
    MIN_RAW_SHIFT = 8 /* 64 MiB of counts, of which few are touched */
};

/* ---- counted keys ---- */

static void counted_free(struct uhi_keys *keys) {
    free(keys->key);
    free(keys->count);
    free(keys->sum);
    keys->key = keys->count = NULL;
    keys->sum = NULL;
}

/* Allocates n entries with counts or sums. */
static uh_status counted_make(const char *call, struct uhi_keys *keys, size_t n, int sums) {
    *keys = (struct uhi_keys){.key = malloc((n + 1) * sizeof *keys->key)};
    if (sums)
        keys->sum = malloc((n + 1) * sizeof *keys->sum);
    else
        keys->count = malloc((n + 1) * sizeof *keys->count);
    if (keys->key && (keys->count || keys->sum))
        return UH_SUCCESS;
    counted_free(keys);
    return uhi_fail_memory(call, "no memory for %zu values", n);
}

/* Appends entry i of `from`, which may be `to` itself, after dropping `joined` bits, or adds it to the last one of the
 * same key. Counts, which are below 2^53, become sums. */
static void append(struct uhi_keys *to, const struct uhi_keys *from, size_t i, unsigned joined) {
    const uint64_t key = from->key[i] >> joined << joined;
    const int again = to->n > 0 && to->key[to->n - 1] == key;
    const size_t at = again ? to->n - 1 : to->n++;
    to->key[at] = key;
    if (!to->sum) {
        to->count[at] = (again ? to->count[at] : 0) + from->count[i];
        return;
    }
    const struct uhi_wide_sum sum = from->sum ? from->sum[i] : (struct uhi_wide_sum){{(double)from->count[i], 0, 0}};
    if (again)
        uhi_wide_sum_join(&to->sum[at], &sum);
    else
        to->sum[at] = sum;
}

/* Returns how many bits, at least `joined`, must be dropped of sorted keys so that at most `max` different ones remain.
 */
static unsigned bits_to_drop(const uint64_t *key, size_t n, unsigned joined, size_t max) {
    size_t differ[65] = {0}, left = 1; /* neighbours by the length of their difference */
    for (size_t i = 1; i < n; i++) {
        const uint64_t bits = key[i] ^ key[i - 1];
        differ[bits ? 64 - __builtin_clzll(bits) : 0]++;
    }
    for (unsigned length = 64; length > joined; length--)
        left += differ[length];
    while (left > max)
        left -= differ[++joined];
    return joined;
}

/* Replaces entries by those of `from`, which then has none. */
static void adopt(struct uhi_keys *keys, struct uhi_keys *from) {
    counted_free(keys);
    keys->n = from->n;
    keys->key = from->key;
    keys->count = from->count;
    keys->sum = from->sum;
    from->key = from->count = NULL;
    from->sum = NULL;
}

/* Adds sorted entries of no more than `joined` dropped bits. */
static uh_status merge_sorted(const char *call, struct uhi_keys *keys, const struct uhi_keys *from, unsigned joined) {
    struct uhi_keys both;
    size_t i = 0, j = 0;
    if (from->n == 0 && joined <= keys->joined)
        return UH_SUCCESS;
    UHI_TRY(counted_make(call, &both, keys->n + from->n, keys->sum != NULL));
    joined = joined > keys->joined ? joined : keys->joined;
    while (i < keys->n || j < from->n) {
        const int own = j == from->n || (i < keys->n && keys->key[i] <= from->key[j]);
        append(&both, own ? keys : from, own ? i++ : j++, joined);
    }
    keys->joined = bits_to_drop(both.key, both.n, joined, keys->max);
    if (keys->joined > joined) {
        const size_t n = both.n;
        both.n = 0;
        for (i = 0; i < n; i++)
            append(&both, &both, i, keys->joined);
    }
    adopt(keys, &both);
    return UH_SUCCESS;
}

/* ---- keys that wait ---- */

/* Makes entries of sorted keys. */
static void count_sorted(const struct uhi_waiting *waiting, struct uhi_keys *made) {
    for (size_t i = 0; i < waiting->n; i++) {
        const int again = made->n > 0 && made->key[made->n - 1] == waiting->key[i];
        const size_t at = again ? made->n - 1 : made->n++;
        made->key[at] = waiting->key[i];
        if (!made->sum)
            made->count[at] = (again ? made->count[at] : 0) + (waiting->weight ? (uint64_t)waiting->weight[i] : 1);
        else if (again)
            uhi_wide_sum_add(&made->sum[at], waiting->weight[i]);
        else
            made->sum[at] = (struct uhi_wide_sum){{waiting->weight[i], 0, 0}};
    }
}

static uh_status take_waiting(const char *call, struct uhi_keys *keys) {
    struct uhi_waiting *waiting = &keys->waiting;
    const size_t n = waiting->n;
    struct uhi_keys made = {.n = 0};
    if (n == 0)
        return UH_SUCCESS;
    uint64_t *other = malloc((waiting->room + 1) * sizeof *other);
    double *weights = keys->weighted ? malloc((waiting->room + 1) * sizeof *weights) : NULL;
    uh_status status = other && (weights || !keys->weighted) ? counted_make(call, &made, n, keys->sum != NULL)
                                                             : uhi_fail_memory(call, "no memory to sort %zu values", n);
    if (status) {
        free(other);
        free(weights);
    } else {
        for (size_t i = 0; i < n && keys->joined; i++)
            waiting->key[i] = waiting->key[i] >> keys->joined << keys->joined; /* fewer digits to sort */
        uhi_waiting_sort(waiting, other, weights);
        count_sorted(waiting, &made);
        if (keys->n == 0 && bits_to_drop(made.key, made.n, keys->joined, keys->max) == keys->joined)
            adopt(keys, &made);
        else
            status = merge_sorted(call, keys, &made, 0);
        counted_free(&made);
    }
    waiting->n = status ? n : 0;
    return status;
}

/* ---- counts by prefixes ---- */

static void close_dense(struct uhi_dense *dense) {
    free(dense->count);
    free(dense->table);
    free(dense->raw);
    *dense = (struct uhi_dense){.count = NULL};
}

/* Makes tables of the exponents of numbers. Float32 has some alone: of NaN, and of zero and the numbers near it. */
static void make_tables(struct uhi_dense *dense, size_t size, int has_f32) {
    dense->of_f64 = dense->table + UHI_EXPONENTS;
    dense->of_f32 = has_f32 ? dense->of_f64 + UHI_EXPONENTS : NULL;
    for (int32_t e = 0; e < SIGN; e++) {
        const int32_t negative = dense->table[SIGN - 1 - e];
        dense->of_f64[e] = dense->table[SIGN + e];
        dense->of_f64[SIGN + e] = negative == UHI_NO_TABLE || e == 0 ? UHI_NO_TABLE : negative | (int32_t)(size - 1);
    }
    for (int32_t e = 0; e < UHI_F32_EXPONENTS && has_f32; e++) {
        const int32_t exponent = e % (UHI_F32_EXPONENTS / 2), sign = e < UHI_F32_EXPONENTS / 2 ? 0 : SIGN;
        const int is_normal = exponent > 0 && exponent < UHI_F32_EXPONENTS / 2 - 1;
        dense->of_f32[e] = is_normal ? dense->of_f64[sign + exponent + F32_BIASES] : UHI_NO_TABLE;
    }
}

/* Counts by prefixes from now on, if these are not too many. Without memory all keys wait instead. */
static void open_dense(struct uhi_keys *keys) {
    struct uhi_dense *dense = &keys->dense;
    size_t cells = 0;
    if (keys->weighted || keys->joined == 0 || keys->joined > MANTISSA)
        return;
    const size_t size = (size_t)1 << (MANTISSA - keys->joined);
    for (size_t i = 0; i < keys->n; i++)
        cells += i == 0 || keys->key[i] >> MANTISSA != keys->key[i - 1] >> MANTISSA ? size : 0;
    if (cells > INT32_MAX || cells > CELLS_PER_KEY * keys->max)
        return;
    dense->count = calloc(cells, sizeof *dense->count);
    dense->table = malloc((2 * UHI_EXPONENTS + UHI_F32_EXPONENTS) * sizeof *dense->table);
    if (!dense->count || !dense->table) {
        close_dense(dense);
        return;
    }
    for (size_t e = 0; e < UHI_EXPONENTS; e++)
        dense->table[e] = UHI_NO_TABLE;
    cells = 0;
    for (size_t i = 0; i < keys->n; i++)
        if (dense->table[keys->key[i] >> MANTISSA] == UHI_NO_TABLE) {
            dense->table[keys->key[i] >> MANTISSA] = (int32_t)cells;
            cells += size;
        }
    make_tables(dense, size, keys->joined >= UHI_F32_LACKS);
    if (keys->joined >= UHI_F32_LACKS + MIN_RAW_SHIFT) {
        dense->raw_shift = keys->joined - UHI_F32_LACKS;
        dense->raw = calloc((size_t)1 << (32 - dense->raw_shift), sizeof *dense->raw);
        dense->ends[0] = UINT64_MAX;
    }
}

/* Returns the place of a key among the highest bits of float32 in the order of numbers. */
static size_t raw_place(const struct uhi_dense *dense, uint64_t key) {
    return uhi_key_of_f32((float)uhi_f64_of_key(key)) >> dense->raw_shift;
}

/* Adds the counts by the highest bits of float32. */
static uh_status merge_raw(const char *call, struct uhi_keys *keys, const struct uhi_dense *dense, unsigned joined) {
    const size_t half = UHI_TOP_32 >> dense->raw_shift;
    struct uhi_keys made = {.n = 0};
    if (dense->ends[0] > dense->ends[1])
        return UH_SUCCESS;
    const size_t first = raw_place(dense, dense->ends[0]), last = raw_place(dense, dense->ends[1]);
    UHI_TRY(counted_make(call, &made, last - first + 1, 0)); /* of which little is touched */
    for (size_t place = first; place <= last; place++) {
        const uint32_t count = dense->raw[place < half ? 2 * half - 1 - place : place - half];
        if (count == 0)
            continue;
        const double value = (double)uhi_f32_of_key((uint32_t)(place << dense->raw_shift));
        made.key[made.n] = uhi_key_of_f64(value) >> joined << joined;
        made.count[made.n++] = count;
    }
    const uh_status status = merge_sorted(call, keys, &made, joined);
    counted_free(&made);
    return status;
}

/* Adds the counts by prefixes of `from`. */
static uh_status merge_dense(const char *call, struct uhi_keys *keys, const struct uhi_keys *from) {
    const struct uhi_dense *dense = &from->dense;
    const size_t size = (size_t)1 << (MANTISSA - from->joined);
    struct uhi_keys made = {.n = 0};
    uh_status status = UH_SUCCESS;
    for (int counting = 1; counting >= 0 && !status; counting--) {
        size_t n = 0;
        for (uint64_t e = 0; e < UHI_EXPONENTS; e++)
            for (size_t cell = 0; cell < size && dense->table[e] != UHI_NO_TABLE; cell++) {
                const uint32_t count = dense->count[(size_t)dense->table[e] + cell];
                if (count > 0 && !counting) {
                    made.key[n] = e << MANTISSA | cell << from->joined;
                    made.count[n] = count;
                }
                n += count > 0;
            }
        if (counting)
            status = counted_make(call, &made, n, 0);
        else
            made.n = n;
    }
    if (!status)
        status = merge_sorted(call, keys, &made, from->joined);
    counted_free(&made);
    return status || !dense->raw ? status : merge_raw(call, keys, dense, from->joined);
}

uh_status uhi_keys_sort(const char *call, struct uhi_keys *keys) {
    if (keys->dense.count) {
        struct uhi_keys counted = {.joined = keys->joined, .dense = keys->dense};
        keys->dense = (struct uhi_dense){.count = NULL};
        const uh_status status = merge_dense(call, keys, &counted);
        close_dense(&counted.dense);
        UHI_TRY(status);
    }
    return take_waiting(call, keys);
}

void uhi_keys_add(struct uhi_keys *keys, const uint64_t *key, const double *weights, size_t n) {
    const struct uhi_dense dense = keys->dense;
    uint64_t *const waiting = keys->waiting.key;
    const unsigned joined = keys->joined;
    size_t at = keys->waiting.n;
    if (keys->weighted)
        for (size_t i = 0; i < n; i++)
            keys->waiting.weight[at + i] = weights ? weights[i] : 1;
    const size_t mask = dense.count ? ((size_t)1 << (MANTISSA - joined)) - 1 : 0;
    for (size_t i = 0; i < n && dense.count; i++) {
        const int32_t table = dense.table[key[i] >> MANTISSA];
        if (table != UHI_NO_TABLE)
            dense.count[(size_t)table + (key[i] >> joined & mask)]++;
        else
            waiting[at++] = key[i];
    }
    if (!dense.count) {
        memcpy(waiting + at, key, n * sizeof *key);
        at += n;
    }
    keys->dense.added += n;
    keys->waiting.n = at;
}

uh_status uhi_keys_make_room(const char *call, struct uhi_keys *keys, size_t n) {
    struct uhi_waiting *waiting = &keys->waiting;
    const size_t at_most = keys->max < MIN_WAITING / 2   ? MIN_WAITING
                           : keys->max < MAX_WAITING / 2 ? 2 * keys->max
                                                         : MAX_WAITING;
    size_t room = waiting->room ? waiting->room : UHI_KEYS_AT_ONCE;
    if (waiting->n + n > at_most || (keys->dense.count && keys->dense.added > MAX_ADDED)) {
        UHI_TRY(uhi_keys_sort(call, keys));
        open_dense(keys);
    }
    while (room < at_most && room < waiting->n + n)
        room *= 2;
    if (room == waiting->room)
        return UH_SUCCESS;
    uint64_t *key = realloc(waiting->key, room * sizeof *key);
    waiting->key = key ? key : waiting->key;
    double *weight = keys->weighted ? realloc(waiting->weight, room * sizeof *weight) : NULL;
    waiting->weight = weight ? weight : waiting->weight;
    if (!key || (keys->weighted && !weight))
        return uhi_fail_memory(call, "no memory for %zu values", room);
    waiting->room = room;
    return UH_SUCCESS;
}

/* Lets weights wait together with keys. */
static uh_status begin_weights(const char *call, struct uhi_keys *keys) {
    const size_t room = keys->waiting.room;
    if (keys->weighted)
        return UH_SUCCESS;
    UHI_TRY(uhi_keys_sort(call, keys));
    keys->waiting.weight = room ? malloc(room * sizeof *keys->waiting.weight) : NULL;
    if (room && !keys->waiting.weight)
        return uhi_fail_memory(call, "no memory for %zu weights", room);
    keys->weighted = 1;
    return UH_SUCCESS;
}

uh_status uhi_keys_weigh(const char *call, struct uhi_keys *keys, int whole) {
    struct uhi_keys made;
    UHI_TRY(begin_weights(call, keys));
    if (whole || keys->sum)
        return UH_SUCCESS;
    UHI_TRY(uhi_keys_sort(call, keys));
    UHI_TRY(counted_make(call, &made, keys->n, 1));
    for (size_t i = 0; i < keys->n; i++)
        append(&made, keys, i, keys->joined);
    adopt(keys, &made);
    return UH_SUCCESS;
}

uh_status uhi_keys_merge(const char *call, struct uhi_keys *keys, const struct uhi_keys *from) {
    const struct uhi_waiting *waiting = &from->waiting;
    if (from->weighted)
        UHI_TRY(uhi_keys_weigh(call, keys, from->sum == NULL));
    for (size_t i = 0; i < waiting->n; i += UHI_KEYS_AT_ONCE) {
        const size_t n = waiting->n - i < UHI_KEYS_AT_ONCE ? waiting->n - i : UHI_KEYS_AT_ONCE;
        UHI_TRY(uhi_keys_make_room(call, keys, n));
        uhi_keys_add(keys, waiting->key + i, from->weighted ? waiting->weight + i : NULL, n);
    }
    UHI_TRY(uhi_keys_sort(call, keys));
    if (from->dense.count)
        UHI_TRY(merge_dense(call, keys, from));
    return merge_sorted(call, keys, from, from->joined);
}

uh_status uhi_keys_splice(const char *call, struct uhi_keys *keys, uint8_t **dropped, const struct uhi_keys *fine,
                          const struct uhi_zones *zones) {
    const struct uhi_zone *zone = zones->zone, *const end = zone + zones->n;
    const size_t room = keys->n + fine->n;
    struct uhi_keys made = {.n = 0};
    uint8_t *bits = malloc(room + 1);
    uh_status status = bits ? counted_make(call, &made, room, keys->sum != NULL)
                            : uhi_fail_memory(call, "no memory for %zu values", room);
    for (size_t i = 0, j = 0; i < keys->n && !status;) {
        if (zone == end || keys->key[i] < zone->first) {
            bits[made.n] = *dropped ? (*dropped)[i] : (uint8_t)keys->joined;
            append(&made, keys, i++, 0);
            continue;
        }
        while (j < fine->n && fine->key[j] <= zone->last) {
            bits[made.n] = (uint8_t)fine->joined;
            append(&made, fine, j++, 0);
        }
        while (i < keys->n && keys->key[i] <= zone->last)
            i++;
        zone++;
    }
    if (status) {
        free(bits);
        return status;
    }
    adopt(keys, &made);
    free(*dropped);
    *dropped = bits;
    return UH_SUCCESS;
}

void uhi_keys_free(struct uhi_keys *keys) {
    counted_free(keys);
    free(keys->waiting.key);
    free(keys->waiting.weight);
    close_dense(&keys->dense);
}
