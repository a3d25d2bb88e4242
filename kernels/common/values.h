/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays as passed to operations, and their division among host threads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>

#include "runtime/host.h"

/* Values with a pitch of `stride` bytes. */
struct uhi_values {
    const char *first;
    size_t n;
    ptrdiff_t stride;
};

static inline struct uhi_values uhi_array_values(const uh_array *array) {
    return (struct uhi_values){.first = array->data, .n = array->count, .stride = array->stride};
}

static inline struct uhi_values uhi_values_part(struct uhi_values x, size_t from, size_t n) {
    if (from > 0) /* no values may be at NULL */
        x.first += (ptrdiff_t)from * x.stride;
    x.n = n;
    return x;
}

static inline uh_array uhi_array_part(const uh_array *array, size_t from, size_t n) {
    return (uh_array){array->dtype, (const char *)array->data + (ptrdiff_t)from * array->stride, array->stride, n};
}

/* Stores the first byte and the number of bytes of values of `size` bytes; n > 0. If no memory can hold them, the
 * number is SIZE_MAX and the first byte that of value 0: pointers to other values must not be computed. */
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

/* Packs values of 1, 2, 4 or 8 bytes into a dense array. */
void uhi_values_copy(void *to, struct uhi_values x, size_t size);

/* Returns the values contiguous and aligned: in place if they are so, otherwise copied to a buffer. */
static inline const void *uhi_values_aligned(struct uhi_values x, size_t size, void *buffer) {
    if (x.stride == (ptrdiff_t)size && ((uintptr_t)x.first & (size - 1)) == 0)
        return x.first;
    uhi_values_copy(buffer, x, size);
    return buffer;
}

enum { UHI_PACKED_BYTES = 8192 };

/* Returns dense values from index `from` on: in place if they are dense, otherwise as many as fit, copied to a
 * buffer of UHI_PACKED_BYTES. */
static inline struct uhi_values uhi_values_packed(struct uhi_values x, size_t from, size_t size, void *buffer) {
    struct uhi_values rest = uhi_values_part(x, from, x.n - from);
    if (rest.stride == (ptrdiff_t)size)
        return rest;
    rest.n = rest.n < UHI_PACKED_BYTES / size ? rest.n : UHI_PACKED_BYTES / size;
    uhi_values_copy(buffer, rest, size);
    return (struct uhi_values){.first = buffer, .n = rest.n, .stride = (ptrdiff_t)size};
}

/* ---- parts: n values among host threads; a part extends from its start to that of the next ---- */

/* Elements per thread between two checks for cancellation: some milliseconds at 1 to 10 ns per element. */
enum { UHI_HOST_PIECE = 1 << 21 };

/* Returns the number of parts that justify a thread each, at `each` values per part. At least 1, at most
 * uhi_host_threads. */
static inline size_t uhi_parts_for(const uh_queue *queue, size_t n, size_t each) {
    const size_t worth = n / each;
    if (worth <= 1)
        return 1;
    const size_t threads = uhi_host_threads(queue);
    return worth < threads ? worth : threads;
}

/* Returns the start of part `part` of n values; part `parts` starts at n. */
static inline size_t uhi_part_start(size_t n, size_t parts, size_t part) {
    const size_t each = n / parts, rest = n % parts;
    return part * each + (part < rest ? part : rest);
}

/* Returns the values of a part. */
static inline struct uhi_values uhi_values_of_part(struct uhi_values x, size_t parts, size_t part) {
    const size_t from = uhi_part_start(x.n, parts, part);
    return uhi_values_part(x, from, uhi_part_start(x.n, parts, part + 1) - from);
}

/* ---- arrays of one call, as passed to the frame ---- */

enum { UHI_MAX_INPUTS = 9 }; /* the coordinates of the maximum number of axes, and weights */

struct uhi_operand {
    const char *argument; /* name for messages */
    struct uhi_values x;
    size_t size; /* bytes per value */
};

struct uhi_operands {
    size_t n; /* elements per array; above 0 */
    size_t inputs;
    struct uhi_operand in[UHI_MAX_INPUTS];
    struct uhi_operand out; /* dense results; size 0: none */
};
