/* SPDX-License-Identifier: Apache-2.0 */
/* How many of n values have each bit set: the smallest operation that has all that an operation has. */
#pragma once

#define UHI_TOY_BITS 32

#ifndef __OPENCL_C_VERSION__
#include <unihist/toy.h>

/* The host's functions, one table for each x86-64 level. */
struct uhi_toy_host {
    /* Adds to counts[b] how many of n values have bit b. */
    void (*bits)(const uint32_t *x, size_t n, uint64_t *counts);
};

/* Stores the counts of n > 0 values; on failure nothing is stored. */
uh_status uhi_toy_bits(uh_queue *queue, const char *call, const uint32_t *x, size_t n, uint64_t *counts);
#endif
