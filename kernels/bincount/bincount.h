/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted by value, and the smallest and largest of any values: shared by host and device code.
 *
 * Signed values are read as unsigned ones of the same width: a negative value is then larger than all others, so that
 * one comparison finds both negative and too large values. */
#pragma once

/* The cell of a value without a bin, for a store on a device. */
#define UHI_BINCOUNT_NO_CELL 0xffffffffu

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

enum {
    UHI_BINCOUNT_REPLICAS = 4, /* tables per thread if small; in a single one, equal values in a row would each load a
                                  count that is still being stored */
    UHI_BINCOUNT_SEEN = 128    /* values whose bits `count` examines before counting them */
};

/* Range of values of one type, as unsigned integers in the order of the values (kernels/common/keys.h). */
struct uhi_extent {
    uint64_t low, high; /* low > high: nothing but NaN */
    uint64_t nan;
};

/* Host functions for values of one width, which are contiguous, at any address. */
struct uhi_bincount_width {
    /* Counts values in UHI_BINCOUNT_REPLICAS tables in turn, at a pitch of `pitch` counters; in one table if `pitch` is
     * 0. `capacity` is a power of two, at least 256 for bytes. Stops before UHI_BINCOUNT_SEEN values, or the last ones,
     * if one of them is `capacity` or more. Returns the number of values counted, n unless it stopped. Fewer than 2^32
     * values in the tables of one thread. */
    size_t (*count)(const void *x, size_t n, uint32_t *tables, size_t pitch, size_t capacity);
    /* Adds to counts[value]; `atomic`: for concurrent threads. All values have a counter. */
    void (*count_direct)(const void *x, size_t n, uint64_t *counts, int atomic);
    /* Returns the largest value, 0 if none is found. */
    uint64_t (*largest)(const void *x, size_t n);
    /* Returns the index of the first value above `max`, n if none is found. */
    size_t (*first_above)(const void *x, size_t n, uint64_t max);
    /* Stores the values as 32 bits, `none` for those above `max`. */
    void (*cells)(const void *x, size_t n, uint64_t max, uint32_t none, uint32_t *cell);
};

/* One table per x86-64 level. */
struct uhi_bincount_host {
    struct uhi_bincount_width width[sizeof(uint64_t) + 1]; /* by bytes: 1, 2, 4 or 8 */
    /* Return the smallest and largest value of each type. */
    struct uhi_extent (*range[UH_DTYPE_COUNT])(const void *x, size_t n);
};
#endif
