/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/toy/toy.h"

#include "kernels/registry.h"

static void bits(const uint32_t *x, size_t n, uint64_t *counts) {
    for (size_t b = 0; b < UHI_TOY_BITS; b++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i] >> b & 1;
        counts[b] += sum;
    }
}

UHI_HOST_TABLE(toy) = {bits};
