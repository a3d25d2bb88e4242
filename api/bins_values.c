/* SPDX-License-Identifier: Apache-2.0 */
/* Values from which rules make bins: sorted keys with counts. Keys lose their lowest bit whenever there are too many,
 * so that what is kept depends on all values alone, and not on their order or division. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "kernels/common/collective.h"
#include "kernels/common/keys.h"
#include "runtime/status.h"

enum {
    FIRST_ROOM = 1 << 16,
    MAX_BUFFER = 1 << 22, /* keys not yet merged */
    DIGIT = 8             /* bits per pass of the sorting */
};

/* ---- counted keys ---- */

/* Sorts keys from the lowest digit up, except digits that all keys share (Knuth, TAOCP vol. 3, 5.2.5). `other` has the
 * same room. Returns the one that has the sorted keys. */
static uint64_t *sort_keys(uint64_t *keys, uint64_t *other, size_t n) {
    uint64_t differ = 0;
    for (size_t i = 1; i < n; i++)
        differ |= keys[i] ^ keys[0];
    for (unsigned shift = 0; shift < 64; shift += DIGIT) {
        size_t start[1 << DIGIT] = {0}, sum = 0;
        if ((differ >> shift & ((1 << DIGIT) - 1)) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            start[keys[i] >> shift & ((1 << DIGIT) - 1)]++;
        for (size_t d = 0; d < (size_t)1 << DIGIT; d++) {
            const size_t count = start[d];
            start[d] = sum;
            sum += count;
        }
        for (size_t i = 0; i < n; i++)
            other[start[keys[i] >> shift & ((1 << DIGIT) - 1)]++] = keys[i];
        uint64_t *swap = keys;
        keys = other;
        other = swap;
    }
    return keys;
}

/* Joins equal keys, after dropping `joined` bits. Returns their number. */
static size_t join_equal(struct uhi_entry *entries, size_t n, unsigned joined) {
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        const struct uhi_entry entry = {entries[i].key >> joined << joined, entries[i].count};
        if (to > 0 && entries[to - 1].key == entry.key)
            entries[to - 1].count += entry.count;
        else
            entries[to++] = entry;
    }
    return to;
}

/* Returns how many bits, at least `joined`, must be dropped of sorted keys so that at most `max` different ones remain.
 */
static unsigned bits_to_drop(const struct uhi_entry *entries, size_t n, unsigned joined, size_t max) {
    size_t differ[65] = {0}, left = 1; /* neighbours by the length of their difference */
    for (size_t i = 1; i < n; i++) {
        const uint64_t bits = entries[i].key ^ entries[i - 1].key;
        differ[bits ? 64 - __builtin_clzll(bits) : 0]++;
    }
    for (unsigned length = 64; length > joined; length--)
        left += differ[length];
    while (left > max)
        left -= differ[++joined];
    return joined;
}

/* Adds sorted entries to the values. */
static uh_status merge_entries(const char *call, uh_bins *bins, const struct uhi_entry *from, size_t n) {
    const size_t all = bins->n + n;
    struct uhi_entry *made = malloc((all + 1) * sizeof *made);
    size_t i = 0, j = 0, to = 0;
    if (!made)
        return uhi_fail_memory(call, "no memory for %zu values", all);
    while (i < bins->n || j < n)
        made[to++] = j == n || (i < bins->n && bins->entries[i].key <= from[j].key) ? bins->entries[i++] : from[j++];
    bins->joined = bits_to_drop(made, to, bins->joined, bins->options.max_values);
    to = join_equal(made, to, bins->joined);
    free(bins->entries);
    bins->entries = made;
    bins->n = to;
    return UH_SUCCESS;
}

/* Merges the keys that wait in the buffer. */
static uh_status merge_buffer(const char *call, uh_bins *bins) {
    const size_t n = bins->buffered;
    uint64_t *memory = malloc(n * sizeof *memory);
    struct uhi_entry *entries = malloc((n + 1) * sizeof *entries);
    uh_status status = UH_SUCCESS;
    if (n > 0 && (!memory || !entries))
        status = uhi_fail_memory(call, "no memory to sort %zu values", n);
    else if (n > 0) {
        for (size_t i = 0; i < n; i++)
            bins->buffer[i] = bins->buffer[i] >> bins->joined << bins->joined; /* fewer digits to sort */
        const uint64_t *keys = sort_keys(bins->buffer, memory, n);
        for (size_t i = 0; i < n; i++)
            entries[i] = (struct uhi_entry){keys[i], 1};
        status = merge_entries(call, bins, entries, join_equal(entries, n, bins->joined));
    }
    if (!status)
        bins->buffered = 0;
    free(memory);
    free(entries);
    return status;
}

/* ---- objects ---- */

uh_status uh_bins_create(const uh_bins_options *options, uh_bins **bins) {
    uh_bins_options taken = {.struct_size = 0};
    UHI_NEED(__func__, bins, "where to store them");
    UHI_TRY(uhi_sized_read(__func__, "options", options, &taken, sizeof taken));
    taken.max_values = taken.max_values ? taken.max_values : (size_t)1 << 22;
    UHI_TRY(uhi_check_between(__func__, "options->max_values", UH_NO_INDEX, taken.max_values, 1 << 10, 1 << 28));
    const double *range = taken.range;
    if (range && !(range[0] < range[1] && isfinite(range[0]) && isfinite(range[1])))
        return uhi_fail_argument(__func__, "options->range", "is %g to %g, expected finite numbers that ascend",
                                 range[0], range[1]);
    uh_bins *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(__func__, "no memory for bins");
    made->options = taken;
    made->range[0] = range ? range[0] : -DBL_MAX;
    made->range[1] = range ? range[1] : DBL_MAX;
    made->ranged = range != NULL;
    made->min = INFINITY;
    made->max = -INFINITY;
    *bins = made;
    return UH_SUCCESS;
}

void uh_bins_destroy(uh_bins *bins) {
    if (!bins)
        return;
    free(bins->entries);
    free(bins->buffer);
    free(bins);
}

/* ---- values ---- */

/* Makes room for n keys, at most FIRST_ROOM, in the buffer, which is merged if it is full. */
static uh_status make_room(const char *call, uh_bins *bins, size_t n) {
    size_t room = bins->room ? bins->room : FIRST_ROOM;
    if (bins->buffered + n > MAX_BUFFER)
        UHI_TRY(merge_buffer(call, bins));
    while (room < MAX_BUFFER && room < bins->buffered + n)
        room *= 2;
    if (room == bins->room)
        return UH_SUCCESS;
    uint64_t *buffer = realloc(bins->buffer, room * sizeof *buffer);
    if (!buffer)
        return uhi_fail_memory(call, "no memory for %zu values", room);
    bins->buffer = buffer;
    bins->room = room;
    return UH_SUCCESS;
}

static double value_of(uh_dtype wide, const void *values, size_t i) {
    return wide == UH_F64   ? ((const double *)values)[i]
           : wide == UH_I64 ? (double)((const int64_t *)values)[i]
                            : (double)((const uint64_t *)values)[i];
}

/* Takes values that are widened to 64 bits; there is room for them. */
static void take_values(uh_bins *bins, uh_dtype wide, const void *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double x = value_of(wide, values, i);
        if (!(x >= bins->range[0] && x <= bins->range[1])) {
            bins->nan += isnan(x) != 0;
            bins->beyond += isnan(x) == 0;
            continue;
        }
        bins->min = x < bins->min ? x : bins->min;
        bins->max = x > bins->max ? x : bins->max;
        bins->total++;
        bins->buffer[bins->buffered++] = uhi_key_of_f64(x);
    }
}

uh_status uh_bins_add(uh_bins *bins, const uh_array *x) {
    UHI_NEED(__func__, bins, "bins to add to");
    UHI_TRY(uhi_check_array(__func__, "x", UH_NO_INDEX, x));
    const size_t size = uh_dtype_size(x->dtype);
    for (size_t at = 0; at < x->count;) {
        uint64_t packed[UHI_PACKED_BYTES / sizeof(uint64_t)];
        struct uhi_values block = uhi_values_packed(uhi_array_values(x), at, size, packed);
        uh_dtype wide;
        void *copy = NULL;
        block.n = block.n < FIRST_ROOM ? block.n : FIRST_ROOM;
        UHI_TRY(uhi_axis_copy(__func__, "x->data", x->dtype, block.first, block.n, 0, SIZE_MAX, &wide, &copy));
        const uh_status status = make_room(__func__, bins, block.n);
        if (!status)
            take_values(bins, wide, copy, block.n);
        free(copy);
        UHI_TRY(status);
        at += block.n;
    }
    return UH_SUCCESS;
}

/* Adds what another object, or process, has. */
static uh_status join(const char *call, uh_bins *bins, const struct uhi_entry *entries, size_t n, unsigned joined) {
    bins->joined = joined > bins->joined ? joined : bins->joined;
    return merge_entries(call, bins, entries, n);
}

uh_status uh_bins_merge(uh_bins *bins, const uh_bins *from) {
    UHI_NEED(__func__, bins, "bins to add to");
    UHI_NEED(__func__, from, "bins to add");
    if (from == bins)
        return uhi_fail_argument(__func__, "from", "is bins itself, expected another object");
    if (bins->options.max_values != from->options.max_values || bins->ranged != from->ranged ||
        bins->range[0] != from->range[0] || bins->range[1] != from->range[1])
        return uhi_fail(UH_ERROR_INCOMPATIBLE, __func__, "from", "has another range or max_values than bins");
    for (size_t i = 0; i < from->buffered; i += FIRST_ROOM) { /* the other object's buffer stays */
        const size_t n = from->buffered - i < FIRST_ROOM ? from->buffered - i : FIRST_ROOM;
        UHI_TRY(make_room(__func__, bins, n));
        memcpy(bins->buffer + bins->buffered, from->buffer + i, n * sizeof *bins->buffer);
        bins->buffered += n;
    }
    UHI_TRY(join(__func__, bins, from->entries, from->n, from->joined));
    bins->total += from->total;
    bins->beyond += from->beyond;
    bins->nan += from->nan;
    bins->min = fmin(bins->min, from->min);
    bins->max = fmax(bins->max, from->max);
    return UH_SUCCESS;
}

/* What a process sends in front of its entries. */
enum { SENT_TOTAL, SENT_BEYOND, SENT_NAN, SENT_MIN, SENT_MAX, SENT_JOINED, SENT_ENTRIES, SENT_WORDS };

/* Adds what the other processes have sent, in the order of ranks. */
static uh_status take_all(const char *call, uh_bins *bins, size_t rank, const uint64_t *words, size_t n) {
    for (size_t at = 0, from = 0; at < n; from++) {
        const uint64_t *sent = words + at;
        at += SENT_WORDS + 2 * sent[SENT_ENTRIES];
        if (from == rank)
            continue;
        bins->total += sent[SENT_TOTAL];
        bins->beyond += sent[SENT_BEYOND];
        bins->nan += sent[SENT_NAN];
        bins->min = fmin(bins->min, uhi_f64_of_key(sent[SENT_MIN]));
        bins->max = fmax(bins->max, uhi_f64_of_key(sent[SENT_MAX]));
        UHI_TRY(join(call, bins, (const struct uhi_entry *)(const void *)(sent + SENT_WORDS), sent[SENT_ENTRIES],
                     (unsigned)sent[SENT_JOINED]));
    }
    return UH_SUCCESS;
}

uh_status uh_bins_exchange(uh_bins *bins, const uh_exchange *exchange) {
    struct uhi_collective all = {.call = uhi_exchange_call(exchange, __func__), .exchange = exchange};
    uint64_t options[4] = {0}, *words = NULL, *received = NULL;
    size_t n = 0;
    UHI_TRY(uhi_exchange_check(all.call, "exchange", exchange));
    uh_status status = bins ? merge_buffer(all.call, bins) : uhi_fail_null(all.call, "bins", "bins to add to");
    if (!exchange->receives)
        status = uhi_fail_argument(all.call, "exchange->receives", "is 0, expected that all receive");
    if (bins) {
        words = malloc((SENT_WORDS + 2 * bins->n) * sizeof *words);
        memcpy(options, bins->range, sizeof bins->range);
        options[2] = bins->options.max_values;
        options[3] = (uint64_t)bins->ranged;
    }
    if (!status && !words)
        status = uhi_fail_memory(all.call, "no memory to send %zu values", bins->n);
    status = uhi_collective_compare(&all, status, options, 4, "ranges or max_values differ between processes");
    if (!status && words) {
        const uint64_t head[SENT_WORDS] = {
            bins->total,  bins->beyond, bins->nan, uhi_key_of_f64(bins->min), uhi_key_of_f64(bins->max),
            bins->joined, bins->n};
        memcpy(words, head, sizeof head);
        if (bins->n > 0)
            memcpy(words + SENT_WORDS, bins->entries, bins->n * sizeof *bins->entries);
        status = uhi_collective_gather(&all, words, SENT_WORDS + 2 * bins->n, &received, &n);
    }
    if (!status && received)
        status = take_all(all.call, bins, exchange->rank, received, n);
    free(words);
    free(received);
    return uhi_collective_agree(&all, status);
}

uh_status uh_bins_get_properties(uh_bins *bins, uh_bins_properties *properties) {
    UHI_NEED(__func__, bins, "bins");
    UHI_TRY(merge_buffer(__func__, bins));
    const uh_bins_properties known = {.struct_size = sizeof known,
                                      .n = bins->total,
                                      .beyond = bins->beyond,
                                      .nan = bins->nan,
                                      .values = bins->n,
                                      .joined = bins->joined,
                                      .min = bins->min,
                                      .max = bins->max};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

uh_status uhi_bins_count(const char *call, uh_bins *bins, struct uhi_counted *made) {
    UHI_TRY(merge_buffer(call, bins));
    const size_t n = bins->n;
    *made = (struct uhi_counted){.n = n};
    if (n == 0)
        return uhi_fail_argument(call, "bins", "has no values, expected some");
    made->x = malloc(n * sizeof *made->x);
    made->before = malloc((n + 1) * sizeof *made->before);
    if (!made->x || !made->before) {
        uhi_counted_free(made);
        return uhi_fail_memory(call, "no memory for %zu values", n);
    }
    made->before[0] = 0;
    for (size_t i = 0; i < n; i++) {
        made->x[i] = uhi_f64_of_key(bins->entries[i].key | ((uint64_t)1 << bins->joined) >> 1);
        made->before[i + 1] = made->before[i] + bins->entries[i].count;
    }
    made->x[0] = bins->min;
    made->x[n - 1] = bins->max;
    return UH_SUCCESS;
}

void uhi_counted_free(struct uhi_counted *values) {
    free(values->x);
    free(values->before);
}
