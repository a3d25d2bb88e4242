/* SPDX-License-Identifier: Apache-2.0 */
/* An array as operations are given it. */
#ifndef UHI_VALUES_H
#define UHI_VALUES_H

#include <stddef.h>
#include <stdint.h>

/* Values that lie `stride` bytes apart. */
struct uhi_values {
    const char *first;
    size_t n;
    ptrdiff_t stride;
};

/* The `n` values from number `from` on. */
static inline struct uhi_values uhi_values_part(struct uhi_values x, size_t from, size_t n) {
    x.first += (ptrdiff_t)from * x.stride;
    x.n = n;
    return x;
}

/* First byte and number of bytes that values of `size` bytes take, SIZE_MAX where no memory holds them; n > 0. */
static inline void uhi_values_extent(struct uhi_values x, size_t size, const char **first, size_t *bytes) {
    size_t step = x.stride < 0 ? (size_t)0 - (size_t)x.stride : (size_t)x.stride;
    *first = x.stride < 0 ? x.first - (x.n - 1) * step : x.first;
    if (__builtin_mul_overflow(x.n - 1, step, bytes) || __builtin_add_overflow(*bytes, size, bytes))
        *bytes = SIZE_MAX;
}

/* Copies values of 1, 2, 4 or 8 bytes side by side. */
void uhi_values_copy(void *to, struct uhi_values x, size_t size);

#endif
