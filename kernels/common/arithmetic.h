/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that must give the host's results on a device, for C and OpenCL C: every exact result depends on it.
 * The inputs are values on which compilers and devices fail. Tested for kernels without a trial of their own, by all
 * work-items of the device at once. */
#pragma once

/* X(what, expression): uses numbers x[] of type REAL and 64-bit integers n[]; BITS() returns the bits of a number. */
#define UHI_ARITHMETIC(X)                                                                                              \
    X("a product and a sum, each rounded", BITS(x[0] * x[1] + x[2]))                                                   \
    X("a difference of two products, each rounded", BITS(x[0] * x[1] - x[1] * x[0]))                                   \
    X("half of the smallest normal number", BITS(x[3] * x[4]))                                                         \
    X("a sum of denormal numbers", BITS(x[5] + x[6]))                                                                  \
    X("the lesser of two denormal numbers", x[5] < x[6])                                                               \
    X("a denormal number and zero", x[5] > x[9])                                                                       \
    X("a sum half-way between two numbers, rounded down to even", BITS(x[7] + x[8]))                                   \
    X("a sum half-way between two numbers, rounded up to even", BITS(x[0] + x[8] * 3))                                 \
    X("zeros of both signs", x[9] == -x[9])                                                                            \
    X("infinity and the largest number", x[10] > x[11])                                                                \
    X("infinity without itself", (x[10] - x[10] < x[9]) | (x[10] - x[10] >= x[9]))                                     \
    X("an integer half-way between two numbers, made one", BITS((REAL)n[0]))                                           \
    X("a number with a fraction, made an integer", (uint64_t)(uint32_t)(x[12] * x[4]))                                 \
    X("the high half of a product of 32 bits", (n[1] & 0xffffffffu) * (n[2] & 0xffffffffu) >> 32)                      \
    X("a carry out of 32 bits", ((uint32_t)n[1] + (uint32_t)n[2] < (uint32_t)n[2]) + (n[1] >> 32))                     \
    X("a carry into 64 bits", n[1] + n[2])                                                                             \
    X("a shift across 32 bits", (n[1] << 13) ^ (n[2] >> 29))

#define UHI_ARITHMETIC_REALS    13
#define UHI_ARITHMETIC_INTEGERS 3

/* Combines all answers into one number. */
#define UHI_ARITHMETIC_ADD(so_far, answer) ((so_far)*31 + (answer))

#ifdef __OPENCL_C_VERSION__
#define uint32_t uint
#define uint64_t ulong
#else
#include <stdint.h>
#endif
