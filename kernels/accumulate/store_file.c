/* SPDX-License-Identifier: Apache-2.0 */
/* A store as arrays, and as words that can be added: see store.h. */
#include <string.h>

#include "kernels/accumulate/store.h"
#include "runtime/status.h"

enum { DIGIT_BITS = 32 };

/* Finds the range of two's complement digits of all slots' numbers. */
static void find_digits(const struct uhi_store *store, const struct uhi_planes *planes,
                        struct uhi_store_layout *layout) {
    uint32_t low = UINT32_MAX, high = 0;
    struct uhi_wide x;
    for (size_t slot = 0; slot < store->slots; slot++) {
        uhi_planes_wide(planes, slot, &x);
        if (x.low == x.high)
            continue;
        low = x.low < low ? x.low : low;
        /* A top bit of 1 gets one more digit for the sign; only the smallest negative number would not need it. */
        const int full = x.digit[x.high - 1] >> 31 != 0;
        high = x.high + (full ? 1u : 0u) > high ? x.high + (full ? 1u : 0u) : high;
    }
    layout->columns = low == UINT32_MAX ? 0 : high - low;
    layout->exponent = DIGIT_BITS * (int64_t)(low == UINT32_MAX ? 0 : low) - planes->bias;
}

static const struct uhi_planes *planes_of(const struct uhi_store *store, enum uhi_store_array array) {
    return array == UHI_STORE_SUM_DIGITS ? &store->sums : &store->squares;
}

/* Returns the array if it is kept in memory as exported, NULL otherwise. */
static void *plain(const struct uhi_store *store, enum uhi_store_array array) {
    switch (array) {
    case UHI_STORE_COUNTS: return store->counts ? (void *)store->counts : store->saturated;
    case UHI_STORE_SUMS: return store->fast;
    case UHI_STORE_SQUARES: return store->fast_squares;
    case UHI_STORE_FLAGS: return store->flags;
    default: return NULL;
    }
}

struct uhi_store_layout uhi_store_layout(const struct uhi_store *store, enum uhi_store_array array) {
    struct uhi_store_layout layout = {.columns = 1};
    const int there = array == UHI_STORE_SUM_DIGITS      ? !store->fast && uhi_store_has_sums(store->storage)
                      : array == UHI_STORE_SQUARE_DIGITS ? !store->fast && uhi_store_has_squares(store->storage)
                                                         : plain(store, array) != NULL;
    if (!there)
        return layout;
    switch (array) {
    case UHI_STORE_COUNTS: layout.type = store->counts ? "<u8" : store->storage == UH_STORAGE_U8 ? "|u1" : "<u2"; break;
    case UHI_STORE_FLAGS: layout.type = "|u1"; break;
    case UHI_STORE_SUMS:
    case UHI_STORE_SQUARES: layout.type = "<f8"; break;
    default: layout.type = "<u4"; find_digits(store, planes_of(store, array), &layout);
    }
    return layout;
}

static size_t bytes_of(const struct uhi_store *store, const struct uhi_store_layout *layout) {
    return store->slots * (size_t)(layout->type[2] - '0');
}

static uint32_t first_digit(const struct uhi_planes *planes, const struct uhi_store_layout *layout) {
    return (uint32_t)((layout->exponent + planes->bias) / DIGIT_BITS);
}

void uhi_store_export(const struct uhi_store *store, enum uhi_store_array array, const struct uhi_store_layout *layout,
                      void *to) {
    const struct uhi_planes *planes = planes_of(store, array);
    const uint32_t first = first_digit(planes, layout), count = (uint32_t)layout->columns;
    struct uhi_wide x;
    if (array == UHI_STORE_SUMS || array == UHI_STORE_SQUARES) { /* includes sums that a device added exactly */
        const int squares = array == UHI_STORE_SQUARES;
        uhi_store_sums(store, 0, store->slots, squares ? NULL : to, squares ? to : NULL);
    } else if (plain(store, array)) {
        memcpy(to, plain(store, array), bytes_of(store, layout));
    } else {
        for (size_t slot = 0; slot < store->slots && count; slot++) {
            uhi_planes_wide(planes, slot, &x);
            uhi_wide_complement(&x, first, count, (uint32_t *)to + slot * count);
        }
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uh_status import_digits(const char *call, struct uhi_store *store, struct uhi_planes *planes,
                               const struct uhi_store_layout *layout, const void *from) {
    const char *next = from;
    const uint64_t first = ((uint64_t)layout->exponent + (uint64_t)planes->bias) / DIGIT_BITS, count = layout->columns;
    /* 2^63 of the largest weights need no more digits; one extra may hold the sign. */
    if (layout->exponent % DIGIT_BITS != 0 || first >= planes->count || count >= planes->count - first)
        return uhi_fail_argument(call, NULL,
                                 "%llu digits from 2^%lld on, expected a multiple of %d from %d to below %d",
                                 (unsigned long long)count, (long long)layout->exponent, DIGIT_BITS, -planes->bias,
                                 DIGIT_BITS * (int)planes->count - planes->bias);
    if (count == 0)
        return UH_SUCCESS;
    uh_status status = uhi_planes_allocate(call, planes, (uint32_t)first, (uint32_t)(first + count + 1));
    for (size_t slot = 0; slot < store->slots && !status; slot++)
        for (size_t i = 0; i < count; i++, next += sizeof(uint32_t)) {
            uint32_t digit;
            memcpy(&digit, next, sizeof digit);
            planes->limb[first + i][slot] = i + 1 < count ? (int64_t)digit : (int64_t)(int32_t)digit;
        }
    planes->pending = 1;
    if (!status)
        uhi_planes_carry(planes);
    return status;
}

uh_status uhi_store_import(const char *call, struct uhi_store *store, enum uhi_store_array array,
                           const struct uhi_store_layout *layout, const void *from) {
    if (array == UHI_STORE_SUM_DIGITS)
        return import_digits(call, store, &store->sums, layout, from);
    if (array == UHI_STORE_SQUARE_DIGITS)
        return import_digits(call, store, &store->squares, layout, from);
    const uint8_t *flags = from;
    for (size_t slot = 0; array == UHI_STORE_FLAGS && slot < store->slots; slot++)
        if (flags[slot] > 7)
            return uhi_fail_argument(call, NULL, "the flags of cell %zu are %u, expected at most 7", slot, flags[slot]);
    memcpy(plain(store, array), from, bytes_of(store, layout));
    return UH_SUCCESS;
}

/* ---- as words ---- */

static void read_digits(const struct uhi_planes *planes, const struct uhi_store_layout *layout, size_t from, size_t n,
                        uint64_t *words) {
    const uint32_t first = first_digit(planes, layout), count = (uint32_t)layout->columns;
    uint32_t digits[UHI_SQUARE_LIMBS];
    struct uhi_wide x;
    for (size_t slot = from; slot < from + n && count; slot++, words += count) {
        uhi_planes_wide(planes, slot, &x);
        uhi_wide_complement(&x, first, count, digits);
        for (uint32_t i = 0; i + 1 < count; i++)
            words[i] = digits[i];
        words[count - 1] = (uint64_t)(int64_t)(int32_t)digits[count - 1];
    }
}

static void read_fast(const struct uhi_store *store, int squares, size_t from, size_t n, uint64_t *words) {
    double value;
    for (size_t i = 0; i < n; i++) {
        uhi_store_sums(store, from + i, 1, squares ? NULL : &value, squares ? &value : NULL);
        memcpy(words + i, &value, sizeof value);
    }
}

void uhi_store_read_words(const struct uhi_store *store, enum uhi_store_array array,
                          const struct uhi_store_layout *layout, size_t from, size_t n, uint64_t *words) {
    switch (array) {
    case UHI_STORE_COUNTS: uhi_store_counts(store, from, n, words); break;
    case UHI_STORE_SUMS:
    case UHI_STORE_SQUARES: read_fast(store, array == UHI_STORE_SQUARES, from, n, words); break;
    case UHI_STORE_FLAGS:
        for (size_t i = 0; i < n; i++)
            words[i] = store->flags[from + i];
        break;
    default: read_digits(planes_of(store, array), layout, from, n, words);
    }
}

uh_status uhi_store_reserve_words(const char *call, struct uhi_store *store, enum uhi_store_array array,
                                  const struct uhi_store_layout *layout) {
    if ((array != UHI_STORE_SUM_DIGITS && array != UHI_STORE_SQUARE_DIGITS) || layout->columns == 0)
        return UH_SUCCESS;
    struct uhi_planes *planes = array == UHI_STORE_SUM_DIGITS ? &store->sums : &store->squares;
    const uint32_t first = first_digit(planes, layout);
    return uhi_planes_allocate(call, planes, first, first + (uint32_t)layout->columns); /* one extra for the carry */
}

static void write_digits(struct uhi_planes *planes, const struct uhi_store_layout *layout, size_t from, size_t n,
                         const uint64_t *words, uint64_t summands) {
    const uint32_t first = first_digit(planes, layout), count = (uint32_t)layout->columns;
    for (uint32_t j = planes->lowest; j < planes->past; j++) {
        const int is_digit = j >= first && j - first < count;
        for (size_t i = 0; i < n && planes->limb[j]; i++) {
            int64_t *limb = &planes->limb[j][from + i];
            const int64_t word = is_digit ? (int64_t)words[i * count + (j - first)] : 0;
            if (word != 0 || *limb != 0) /* untouched memory takes no room */
                *limb = word;
        }
    }
    if (planes->pending < summands)
        planes->pending = summands;
}

/* FAST sums also have exact parts, added by a device, which become 0. */
static void write_fast(double *fast, struct uhi_planes *planes, size_t from, size_t n, const uint64_t *words) {
    const struct uhi_store_layout none = {.columns = 0};
    memcpy(fast + from, words, n * sizeof *words);
    write_digits(planes, &none, from, n, NULL, 0);
}

static void write_counts(struct uhi_store *store, size_t from, size_t n, const uint64_t *words) {
    const size_t size = uhi_store_saturated_size(store->storage);
    if (store->counts) {
        memcpy(store->counts + from, words, n * sizeof *words);
        return;
    }
    memset((char *)store->saturated + from * size, 0, n * size);
    for (size_t i = 0; i < n; i++)
        uhi_direct_count(store, from + i, words[i], 0);
}

void uhi_store_write_words(struct uhi_store *store, enum uhi_store_array array, const struct uhi_store_layout *layout,
                           size_t from, size_t n, const uint64_t *words, uint64_t summands) {
    switch (array) {
    case UHI_STORE_COUNTS: write_counts(store, from, n, words); break;
    case UHI_STORE_SUMS: write_fast(store->fast, &store->sums, from, n, words); break;
    case UHI_STORE_SQUARES: write_fast(store->fast_squares, &store->squares, from, n, words); break;
    case UHI_STORE_FLAGS:
        for (size_t i = 0; i < n; i++)
            store->flags[from + i] = (uint8_t)words[i];
        break;
    case UHI_STORE_SUM_DIGITS: write_digits(&store->sums, layout, from, n, words, summands); break;
    default: write_digits(&store->squares, layout, from, n, words, summands);
    }
}
