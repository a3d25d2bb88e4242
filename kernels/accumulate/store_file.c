/* SPDX-License-Identifier: Apache-2.0 */
/* A store as bytes: see store.h. x86-64 is little-endian, as they are. */
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/store.h"
#include "kernels/accumulate/store_state.h"
#include "runtime/status.h"

enum { BUFFER = 2048 };

struct head {
    uint32_t storage, sum;
    uint64_t cells;
    uint32_t sums_first, sums_count, squares_first, squares_count;
};

/* The digits that the numbers of all slots have, in two's complement. */
static void find_digits(const struct uhi_store *store, const struct uhi_planes *planes, uint32_t *first,
                        uint32_t *count) {
    uint32_t low = UINT32_MAX, high = 0;
    struct uhi_wide x;
    for (size_t slot = 0; slot < store->slots; slot++) {
        uhi_planes_wide(planes, slot, &x);
        if (x.low == x.high)
            continue;
        low = x.low < low ? x.low : low;
        /* A first bit of 1 belongs to the sign; that of the smallest negative number already is. */
        const int full = x.digit[x.high - 1] >> 31 != 0;
        high = x.high + (full ? 1u : 0u) > high ? x.high + (full ? 1u : 0u) : high;
    }
    *first = low == UINT32_MAX ? 0 : low;
    *count = low == UINT32_MAX ? 0 : high - low;
}

static struct head head_of(const struct uhi_store *store) {
    struct head head = {.storage = (uint32_t)store->storage, .sum = (uint32_t)store->sum, .cells = store->cells};
    if (store->fast)
        return head;
    find_digits(store, &store->sums, &head.sums_first, &head.sums_count);
    find_digits(store, &store->squares, &head.squares_first, &head.squares_count);
    return head;
}

uint64_t uhi_store_export_size(const struct uhi_store *store) {
    const struct head head = head_of(store);
    uint64_t each = 4 * ((uint64_t)head.sums_count + head.squares_count);
    each += store->counts ? 8u : 0u;
    each += uhi_store_saturated_size(store->storage);
    each += (store->fast ? 8u : 0u) + (store->fast_squares ? 8u : 0u) + (store->flags ? 1u : 0u);
    return sizeof head + each * store->slots;
}

static uh_status write_digits(const struct uhi_store *store, const struct uhi_planes *planes, uint32_t first,
                              uint32_t count, uhi_store_write write, void *to) {
    uint32_t buffer[BUFFER];
    uh_status status = UH_SUCCESS;
    struct uhi_wide x;
    const size_t max = count ? BUFFER / count : 0;
    for (size_t from = 0, n; count && from < store->slots && !status; from += n) {
        n = store->slots - from < max ? store->slots - from : max;
        for (size_t i = 0; i < n; i++) {
            uhi_planes_wide(planes, from + i, &x);
            uhi_wide_complement(&x, first, count, buffer + i * count);
        }
        status = write(to, buffer, n * count * sizeof *buffer);
    }
    return status;
}

/* Sums of float64, with what a device has added exactly. */
static uh_status write_fast(const struct uhi_store *store, int squares, uhi_store_write write, void *to) {
    double buffer[512];
    uh_status status = UH_SUCCESS;
    for (size_t from = 0, n; from < store->slots && !status; from += n) {
        n = store->slots - from < 512 ? store->slots - from : 512;
        uhi_store_sums(store, from, n, squares ? NULL : buffer, squares ? buffer : NULL);
        status = write(to, buffer, n * sizeof *buffer);
    }
    return status;
}

uh_status uhi_store_export(const struct uhi_store *store, uhi_store_write write, void *to) {
    const struct head head = head_of(store);
    uh_status status = write(to, &head, sizeof head);
    if (!status && store->counts)
        status = write(to, store->counts, store->slots * sizeof *store->counts);
    if (!status && store->saturated)
        status = write(to, store->saturated, store->slots * uhi_store_saturated_size(store->storage));
    if (!status && store->fast)
        status = write_fast(store, 0, write, to);
    if (!status && store->fast_squares)
        status = write_fast(store, 1, write, to);
    if (!status)
        status = write_digits(store, &store->sums, head.sums_first, head.sums_count, write, to);
    if (!status)
        status = write_digits(store, &store->squares, head.squares_first, head.squares_count, write, to);
    if (!status && store->flags)
        status = write(to, store->flags, store->slots);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static uh_status read_digits(const char *call, struct uhi_store *store, struct uhi_planes *planes, uint32_t first,
                             uint32_t count, uhi_store_read read, void *from) {
    uint32_t buffer[BUFFER];
    uh_status status = count ? uhi_planes_allocate(call, planes, first, first + count + 1) : UH_SUCCESS;
    const size_t max = count ? BUFFER / count : 0;
    for (size_t at = 0, n; count && at < store->slots && !status; at += n) {
        n = store->slots - at < max ? store->slots - at : max;
        status = read(from, buffer, n * count * sizeof *buffer);
        for (size_t i = 0; i < n * count && !status; i++) {
            const int64_t digit = i % count + 1 < count ? (int64_t)buffer[i] : (int64_t)(int32_t)buffer[i];
            planes->limb[first + i % count][at + i / count] = digit;
        }
    }
    planes->pending = count ? 1 : 0;
    if (count && !status)
        uhi_planes_carry(planes);
    return status;
}

static uh_status read_contents(const char *call, struct uhi_store *store, const struct head *head, uhi_store_read read,
                               void *from) {
    uh_status status = UH_SUCCESS;
    if (store->counts)
        status = read(from, store->counts, store->slots * sizeof *store->counts);
    if (!status && store->saturated)
        status = read(from, store->saturated, store->slots * uhi_store_saturated_size(store->storage));
    if (!status && store->fast)
        status = read(from, store->fast, store->slots * sizeof *store->fast);
    if (!status && store->fast_squares)
        status = read(from, store->fast_squares, store->slots * sizeof *store->fast_squares);
    if (!status)
        status = read_digits(call, store, &store->sums, head->sums_first, head->sums_count, read, from);
    if (!status)
        status = read_digits(call, store, &store->squares, head->squares_first, head->squares_count, read, from);
    if (!status && store->flags)
        status = read(from, store->flags, store->slots);
    for (size_t slot = 0; slot < store->slots && store->flags && !status; slot++)
        if (store->flags[slot] > 7)
            status = uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL, "the flags of cell %zu are %u, expected at most 7",
                              slot, store->flags[slot]);
    return status;
}

static int is_head(const struct head *head, size_t cells, uh_storage storage, uh_sum sum) {
    const int exact = uhi_store_has_sums(storage) && (sum == UH_SUM_EXACT || storage == UH_STORAGE_MEAN);
    /* 2^63 of the largest weights have no further digits; one more may stand for the sign. */
    const uint64_t sums_end = (uint64_t)head->sums_first + head->sums_count;
    const uint64_t squares_end = (uint64_t)head->squares_first + head->squares_count;
    return head->storage == (uint32_t)storage && head->sum == (uint32_t)sum && head->cells == cells &&
           sums_end < UHI_SUM_LIMBS && squares_end < UHI_SQUARE_LIMBS && (exact || head->sums_count == 0) &&
           ((exact && uhi_store_has_squares(storage)) || head->squares_count == 0);
}

uh_status uhi_store_import(const char *call, size_t cells, uh_storage storage, uh_sum sum, uhi_store_read read,
                           void *from, struct uhi_store **store) {
    struct head head;
    struct uhi_store *made = NULL;
    uh_status status = read(from, &head, sizeof head);
    if (!status && !is_head(&head, cells, storage, sum))
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, call, NULL,
                        "contents are of storage %u, sum %u, %llu cells, digits %u+%u and %u+%u, expected storage %u, "
                        "sum %u and %zu cells",
                        head.storage, head.sum, (unsigned long long)head.cells, head.sums_first, head.sums_count,
                        head.squares_first, head.squares_count, (unsigned)storage, (unsigned)sum, cells);
    if (!status)
        status = uhi_store_create(call, cells, storage, sum, &made);
    if (!status)
        status = read_contents(call, made, &head, read, from);
    if (status)
        uhi_store_destroy(made);
    else
        *store = made;
    return status;
}
