/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_SIMD_LEVEL_H
#define TEST_SIMD_LEVEL_H

#include <stdint.h>

/* Each tries the operations of its level with random elements; returns the name of a wrong one, or NULL. */
const char *simd_wrong_v2(uint64_t seed);
const char *simd_wrong_v3(uint64_t seed);
const char *simd_wrong_v4(uint64_t seed);

#endif
