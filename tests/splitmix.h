/* SPDX-License-Identifier: Apache-2.0 */
/* SplitMix64 (Steele, Lea, Flood 2014): a small fast generator for inputs, independent of the library's own. */
#pragma once

#include <stdint.h>

/* Number `i` of the stream `seed`, entered at any place. */
static inline uint64_t splitmix_at(uint64_t seed, uint64_t i) {
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The next number after a state, which goes on. */
static inline uint64_t splitmix_next(uint64_t *state) {
    const uint64_t number = splitmix_at(*state, 0);
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return number;
}
