/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h without gathers: one element at a time. */
#pragma once

enum { UHI_LANES_32 = 1, UHI_LANES_64 = 1 };
typedef float uhi_vf32;
typedef double uhi_vf64;
typedef int32_t uhi_vi32;
typedef int64_t uhi_vi64;
typedef uint32_t uhi_x32, uhi_x64;
typedef int uhi_m32, uhi_m64;

/* Indices of type x and their masks m. */
#define UHI_V2_INDICES(x, m)                                                                                           \
    static inline x x##_set(uint32_t a) { return a; }                                                                  \
    static inline x x##_add(x a, x b) { return a + b; }                                                                \
    static inline x x##_mul(x a, x b) { return a * b; }                                                                \
    static inline x x##_load(const uint32_t *p) { return *p; }                                                         \
    static inline x x##_and(x a, x b) { return a & b; }                                                                \
    static inline int x##_any_top(x a) { return (a >> 31) != 0; }                                                      \
    static inline x x##_min(x a, x b) { return a < b ? a : b; }                                                        \
    static inline x x##_select(m mask, x yes, x no) { return mask ? yes : no; }                                        \
    static inline x x##_add_if(m mask, x a, x b) { return a + (b & (0u - (uint32_t)mask)); }                           \
    static inline x x##_increment(m mask, x a) { return a + ((uint32_t)mask & 1); }                                    \
    static inline x x##_gather(const uint32_t *t, x i) { return t[i]; }                                                \
    static inline x x##_gather_if(m mask, x a, const uint32_t *t, x i) { return mask ? t[i] : a; }                     \
    static inline int x##_all_are(const uint32_t *p, uint32_t a) { return *p == a; }                                   \
    static inline x x##_srlv(x a, x n) { return (uint32_t)((uint64_t)a >> n); }                                        \
    static inline x x##_sllv(x a, x n) { return (uint32_t)((uint64_t)a << n); }                                        \
    static inline m x##_le(x a, x b) { return a <= b; }                                                                \
    static inline uint32_t x##_alike(x a, x b, uint32_t bits) { return ((a ^ b) & bits) == 0; }                        \
    static inline int x##_any_half(x a, x b) { return (a ^ b) >> 16 == 0 || ((a ^ b) & 0xffff) == 0; }                 \
    static inline void x##_store(uint32_t *p, x a) { *p = a; }                                                         \
    static inline m m##_and(m a, m b) { return a & b; }                                                                \
    static inline m m##_or(m a, m b) { return a | b; }                                                                 \
    static inline m m##_all(int yes) { return yes; }

UHI_V2_INDICES(uhi_x32, uhi_m32)
UHI_V2_INDICES(uhi_x64, uhi_m64)

/* Floats T with suffix t; their bits are signed integers I, unsigned U. */
#define UHI_V2_FLOATS(t, T, x, m, I, U)                                                                                \
    static inline uhi_v##t uhi_load_##t(const T *p) { return *p; }                                                     \
    static inline uhi_v##t uhi_set_##t(T a) { return a; }                                                              \
    static inline uhi_v##t uhi_sub_##t(uhi_v##t a, uhi_v##t b) { return a - b; }                                       \
    static inline uhi_v##t uhi_mul_##t(uhi_v##t a, uhi_v##t b) { return a * b; }                                       \
    static inline uhi_v##t uhi_clamp_##t(uhi_v##t a, uhi_v##t high) {                                                  \
        a = a > 0 ? a : 0;                                                                                             \
        return a < high ? a : high;                                                                                    \
    }                                                                                                                  \
    static inline uhi_v##t uhi_limit_##t(uhi_v##t a, uhi_v##t high) {                                                  \
        a = a < 0 ? 0 : a;                                                                                             \
        return a > high ? high : a;                                                                                    \
    }                                                                                                                  \
    static inline x uhi_index_##t(uhi_v##t a) { return a == a ? (uint32_t)(int32_t)a : (uint32_t)1 << 31; }            \
    static inline m uhi_ge_##t(uhi_v##t a, uhi_v##t b) { return a >= b; }                                              \
    static inline m uhi_lt_##t(uhi_v##t a, uhi_v##t b) { return a < b; }                                               \
    static inline m uhi_nan_##t(uhi_v##t a) { return a != a; }                                                         \
    static inline uhi_v##t uhi_gather_##t(const T *p, x i) { return p[i]; }                                            \
    static inline I uhi_key_##t(uhi_v##t a) {                                                                          \
        I bits;                                                                                                        \
        memcpy(&bits, &a, sizeof bits);                                                                                \
        return bits ^ (I)((U)(bits >> (8 * sizeof bits - 1)) >> 1);                                                    \
    }

UHI_V2_FLOATS(f32, float, uhi_x32, uhi_m32, int32_t, uint32_t)
UHI_V2_FLOATS(f64, double, uhi_x64, uhi_m64, int64_t, uint64_t)

/* Integers I with suffix t, unsigned U, converted to floats F. */
#define UHI_V2_INTEGERS(t, I, U, x, m, F)                                                                              \
    static inline I uhi_load_##t(const I *p) { return *p; }                                                            \
    static inline I uhi_set_##t(I a) { return a; }                                                                     \
    static inline I uhi_sub_##t(I a, I b) { return (I)((U)a - (U)b); }                                                 \
    static inline I uhi_xor_##t(I a, I b) { return a ^ b; }                                                            \
    static inline I uhi_max_##t(I a, I b) { return a > b ? a : b; }                                                    \
    static inline I uhi_min_##t(I a, I b) { return a < b ? a : b; }                                                    \
    static inline I uhi_srl_##t(I a, uint32_t n) { return (I)((U)a >> n); }                                            \
    static inline I uhi_srlv_##t(I a, x n) { return (I)((U)a >> n); }                                                  \
    static inline x uhi_index_##t(I a) { return (uint32_t)a; }                                                         \
    static inline m uhi_ge_##t(I a, I b) { return a >= b; }                                                            \
    static inline m uhi_lt_##t(I a, I b) { return a < b; }                                                             \
    static inline I uhi_gather_##t(const I *p, x i) { return p[i]; }                                                   \
    static inline F uhi_float_##t(I a) { return (F)a; }

UHI_V2_INTEGERS(i32, int32_t, uint32_t, uhi_x32, uhi_m32, float)
UHI_V2_INTEGERS(i64, int64_t, uint64_t, uhi_x64, uhi_m64, double)
