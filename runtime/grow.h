/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow by doubling. */
#pragma once

#include <stdlib.h>
#include <string.h>

/* Makes room for `needed` elements of `size` bytes. `array` is the address of the pointer to them, `room` their largest
 * number. Returns 0 if out of memory; the array is then as it was. */
static inline int uhi_grow(void *array, size_t *room, size_t needed, size_t size) {
    void *elements;
    size_t more = *room ? *room : 16;
    if (needed <= *room)
        return 1;
    while (more < needed)
        more *= 2;
    memcpy(&elements, array, sizeof elements);
    void *grown = realloc(elements, more * size);
    if (!grown)
        return 0;
    memcpy(array, &grown, sizeof grown);
    *room = more;
    return 1;
}
