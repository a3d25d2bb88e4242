/* SPDX-License-Identifier: Apache-2.0 */
/* Integers counted as they are, and the smallest and largest of any values: what the host's and the devices' code
 * share.
 *
 * Signed values are read as unsigned ones of the same width: a negative value is then larger than every other, so that
 * one comparison finds both what is negative and what is too large. */
#ifndef UHI_BINCOUNT_H
#define UHI_BINCOUNT_H

/* The cell of a value that has no bin: on a device, of a store. */
#define UHI_BINCOUNT_NO_CELL 0xffffffffu

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

enum {
    UHI_BINCOUNT_REPLICAS = 4, /* tables of a thread where they are small: in one, equal values in a row would each load
                                  the count that the one before is still storing */
    UHI_BINCOUNT_SEEN = 128    /* values of which `count` sees the bits before it counts them */
};

/* What is found of values of one type: as unsigned integers in the order of the values (extent.h). */
struct uhi_extent {
    uint64_t low, high; /* low > high: there was none but NaN */
    uint64_t nan;
};

/* The host's functions, one table for each x86-64 level. `size` is that of a value in bytes, 1, 2, 4 or 8; values lie
 * next to each other, at any address. */
struct uhi_bincount_host {
    /* Counts values in UHI_BINCOUNT_REPLICAS tables in turn, `pitch` counters apart; all the same one where it is 0.
     * `capacity` is a power of two, 256 or more for bytes. Stops before UHI_BINCOUNT_SEEN values, or the last, of which
     * one is `capacity` or more. Returns how many it has counted, n unless it stopped. Fewer than 2^32 values in the
     * tables of one thread. */
    size_t (*count)(size_t size, const void *x, size_t n, uint32_t *tables, size_t pitch, size_t capacity);
    /* Adds to counts[value]; `atomic`: several threads at once. All values have a counter. */
    void (*count_direct)(size_t size, const void *x, size_t n, uint64_t *counts, int atomic);
    /* Returns the largest value, 0 where there is none. */
    uint64_t (*largest)(size_t size, const void *x, size_t n);
    /* Returns the index of the first value above `max`, n where there is none. */
    size_t (*first_above)(size_t size, const void *x, size_t n, uint64_t max);
    /* Stores the values as 32 bits, `none` for those above `max`; returns how many these are. */
    size_t (*cells)(size_t size, const void *x, size_t n, uint64_t max, uint32_t none, uint32_t *cell);
    /* Returns the smallest and largest value of any type. */
    struct uhi_extent (*range)(uh_dtype dtype, const void *x, size_t n);
};
#endif

#endif
