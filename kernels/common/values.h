/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as operations are given them. */
#ifndef UHI_VALUES_H
#define UHI_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/storage.h>

/* Values that lie `stride` bytes apart. */
struct uhi_values {
    const char *first;
    size_t n;
    ptrdiff_t stride;
};

/* Those of an array. */
static inline struct uhi_values uhi_array_values(const uh_array *array) {
    return (struct uhi_values){.first = array->data, .n = array->count, .stride = array->stride};
}

/* The `n` values from number `from` on. */
static inline struct uhi_values uhi_values_part(struct uhi_values x, size_t from, size_t n) {
    x.first += (ptrdiff_t)from * x.stride;
    x.n = n;
    return x;
}

/* The `n` elements of an array from number `from` on. */
static inline uh_array uhi_array_part(const uh_array *array, size_t from, size_t n) {
    return (uh_array){array->dtype, (const char *)array->data + (ptrdiff_t)from * array->stride, array->stride, n};
}

/* First byte and number of bytes that values of `size` bytes take; n > 0. Where no memory holds them the number is
 * SIZE_MAX and the first byte that of value 0: no pointer to others may be computed. */
static inline void uhi_values_extent(struct uhi_values x, size_t size, const char **first, size_t *bytes) {
    const size_t step = x.stride < 0 ? (size_t)0 - (size_t)x.stride : (size_t)x.stride;
    size_t last;
    *first = x.first;
    if (__builtin_mul_overflow(x.n - 1, step, &last) || last > PTRDIFF_MAX - size ||
        (x.stride < 0 && last > (uintptr_t)x.first)) {
        *bytes = SIZE_MAX;
        return;
    }
    *first -= x.stride < 0 ? last : 0;
    *bytes = last + size;
}

/* Copies values of 1, 2, 4 or 8 bytes side by side. */
void uhi_values_copy(void *to, struct uhi_values x, size_t size);

enum { UHI_PACKED_BYTES = 8192 };

/* The values from number `from` on side by side: where they are if they lie so, else as many as go into a buffer of
 * UHI_PACKED_BYTES, copied. */
static inline struct uhi_values uhi_values_packed(struct uhi_values x, size_t from, size_t size, void *buffer) {
    struct uhi_values rest = uhi_values_part(x, from, x.n - from);
    if (rest.stride == (ptrdiff_t)size)
        return rest;
    rest.n = rest.n < UHI_PACKED_BYTES / size ? rest.n : UHI_PACKED_BYTES / size;
    uhi_values_copy(buffer, rest, size);
    return (struct uhi_values){.first = buffer, .n = rest.n, .stride = (ptrdiff_t)size};
}

/* ---- the arrays of one call, as operations name them to the frame ---- */

enum { UHI_MAX_INPUTS = 9 }; /* the coordinates of as many axes as there may be, and weights */

struct uhi_operand {
    const char *argument; /* as messages name it */
    struct uhi_values x;
    size_t size; /* of a value, in bytes */
};

struct uhi_operands {
    size_t n; /* elements of each array; more than 0 */
    size_t inputs;
    struct uhi_operand in[UHI_MAX_INPUTS];
    struct uhi_operand out; /* results, side by side; size 0: none */
};

#endif
