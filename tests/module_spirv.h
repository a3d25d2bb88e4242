/* SPDX-License-Identifier: Apache-2.0 */
/* A program of SPIR-V, written by hand from the specification, for tests that need no driver: the kernel "first" takes
 * a pointer to global memory, a 32-bit value, local memory, a vector of three (16 bytes) and a structure of 4, 8 and 1
 * bytes (24 with its padding); the kernel "second" takes nothing. It has the specialization constants 7 (32 bits), 8
 * (bool) and 9 (64 bits). */
#pragma once

#include <stdint.h>

#define OP(words, opcode) ((uint32_t)(words) << 16 | (opcode))
#define TEXT4(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum { TEST_ID_FIRST = 20, TEST_ID_SECOND = 21, TEST_IDS = 22 };

/* clang-format off */
static const uint32_t test_spirv[] = {
    0x07230203, 0x00010200, 0, TEST_IDS, 0,
    /* OpEntryPoint, Kernel */
    OP(5, 15), 6, TEST_ID_FIRST, TEXT4('f', 'i', 'r', 's'), TEXT4('t', 0, 0, 0),
    OP(5, 15), 6, TEST_ID_SECOND, TEXT4('s', 'e', 'c', 'o'), TEXT4('n', 'd', 0, 0),
    /* OpDecorate, SpecId */
    OP(4, 71), 10, 1, 7,
    OP(4, 71), 11, 1, 8,
    OP(4, 71), 12, 1, 9,
    OP(2, 19), 1,           /* void */
    OP(4, 21), 2, 32, 0,    /* int */
    OP(4, 21), 3, 64, 0,    /* long */
    OP(2, 20), 4,           /* bool */
    OP(4, 21), 15, 8, 0,    /* char */
    OP(4, 50), 2, 10, 3,    /* OpSpecConstant */
    OP(3, 48), 4, 11,       /* OpSpecConstantTrue */
    OP(5, 50), 3, 12, 5, 0,
    OP(4, 32), 5, 5, 2,     /* pointer to an int in CrossWorkgroup */
    OP(4, 32), 6, 4, 2,     /* in Workgroup */
    OP(4, 23), 7, 2, 3,     /* vector of 3 */
    OP(5, 30), 8, 2, 3, 15, /* structure */
    OP(4, 32), 9, 7, 8,     /* pointer to one in Function: by value */
    OP(8, 33), 13, 1, 5, 2, 6, 7, 9,
    OP(3, 33), 14, 1,
    OP(5, 54), 1, TEST_ID_FIRST, 0, 13,
    OP(1, 56),
    OP(5, 54), 1, TEST_ID_SECOND, 0, 14,
    OP(1, 56),
};
/* clang-format on */
