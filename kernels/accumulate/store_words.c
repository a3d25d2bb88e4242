/* SPDX-License-Identifier: Apache-2.0 */
/* A store as words that can be added: see store.h. */
#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/accumulate/store_state.h"

enum { DIGIT_BITS = 32 };

static const struct uhi_planes *planes_of(const struct uhi_store *store, enum uhi_store_array array) {
    return array == UHI_STORE_SUM_DIGITS ? &store->sums : &store->squares;
}

static uint32_t first_digit(const struct uhi_planes *planes, const struct uhi_store_layout *layout) {
    return (uint32_t)((layout->exponent + planes->bias) / DIGIT_BITS);
}

/* ---- reading ---- */

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

/* ---- writing ---- */

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
    const uint32_t max = uhi_store_saturated_max(store->storage);
    uint8_t *bytes = store->saturated;
    uint16_t *pairs = store->saturated;
    if (store->counts) {
        memcpy(store->counts + from, words, n * sizeof *words);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint64_t count = words[i] < max ? words[i] : max;
        if (store->storage == UH_STORAGE_U8)
            bytes[from + i] = (uint8_t)count;
        else
            pairs[from + i] = (uint16_t)count;
    }
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
