/* SPDX-License-Identifier: Apache-2.0 */
/* Values as unsigned integers in the order of the values, and back: hosts and devices find the smallest and largest in
 * this form. Both zeros of a float have one key. */
#pragma once

#include <string.h>

#include <unihist/base.h>

#define UHI_TOP_64 ((uint64_t)1 << 63)
#define UHI_TOP_32 ((uint32_t)1 << 31)

static inline int uhi_value_is_signed(uh_dtype dtype) {
    return dtype == UH_I8 || dtype == UH_I16 || dtype == UH_I32 || dtype == UH_I64;
}

static inline uint64_t uhi_key_of_signed(int64_t v) { return (uint64_t)v ^ UHI_TOP_64; }

/* Adding 0 turns -0 into +0. */
static inline uint64_t uhi_key_of_f64(double v) {
    uint64_t bits;
    v += 0.0;
    memcpy(&bits, &v, sizeof bits);
    return (bits & UHI_TOP_64) ? ~bits : bits | UHI_TOP_64;
}
static inline uint64_t uhi_key_of_f32(float v) {
    uint32_t bits;
    v += 0.0F;
    memcpy(&bits, &v, sizeof bits);
    return bits >> 31 ? (uint32_t)~bits : bits | UHI_TOP_32;
}

static inline double uhi_f64_of_key(uint64_t key) {
    double v;
    key = (key & UHI_TOP_64) ? key ^ UHI_TOP_64 : ~key;
    memcpy(&v, &key, sizeof v);
    return v;
}
static inline float uhi_f32_of_key(uint64_t key) {
    uint32_t bits = (uint32_t)key;
    float v;
    bits = bits >> 31 ? bits ^ UHI_TOP_32 : ~bits;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* For concurrent threads. */
static inline void uhi_atomic_lower(uint64_t *to, uint64_t v) {
    uint64_t now = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (v < now && !__atomic_compare_exchange_n(to, &now, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
static inline void uhi_atomic_raise(uint64_t *to, uint64_t v) {
    uint64_t now = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (v > now && !__atomic_compare_exchange_n(to, &now, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
