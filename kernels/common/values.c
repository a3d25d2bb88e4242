/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/common/values.h"

#include <string.h>

/* Inlined with a constant size: one load and one store per value. A loop of one value may take twice as long, by its
 * place in the code. */
__attribute__((always_inline)) static inline void copy_elements(char *to, struct uhi_values x, size_t size) {
#pragma GCC unroll 4
    for (size_t i = 0; i < x.n; i++, x.first += x.stride)
        memcpy(to + i * size, x.first, size);
}

void uhi_values_copy(void *to, struct uhi_values x, size_t size) {
    if (x.stride == (ptrdiff_t)size) {
        memcpy(to, x.first, x.n * size);
        return;
    }
    switch (size) {
    case 1: copy_elements(to, x, 1); break;
    case 2: copy_elements(to, x, 2); break;
    case 4: copy_elements(to, x, 4); break;
    default: copy_elements(to, x, 8); break;
    }
}
