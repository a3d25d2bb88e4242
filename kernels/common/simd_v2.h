/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h without gathers: one element at a time. */
#ifndef UHI_SIMD_V2_H
#define UHI_SIMD_V2_H

/* ---- 32-bit elements ---- */
enum { UHI_LANES_32 = 1 };
typedef float uhi_vf32;
typedef int32_t uhi_vi32;
typedef uint32_t uhi_x32;
typedef int uhi_m32;

static inline uhi_x32 uhi_x32_set(uint32_t a) { return a; }
static inline uhi_x32 uhi_x32_add(uhi_x32 a, uhi_x32 b) { return a + b; }
static inline uhi_x32 uhi_x32_mul(uhi_x32 a, uhi_x32 b) { return a * b; }
static inline uhi_x32 uhi_x32_load(const uint32_t *p) { return *p; }
static inline uhi_x32 uhi_x32_and(uhi_x32 a, uhi_x32 b) { return a & b; }
static inline int uhi_x32_any_top(uhi_x32 a) { return (a >> 31) != 0; }
static inline uhi_x32 uhi_x32_min(uhi_x32 a, uhi_x32 b) { return a < b ? a : b; }
static inline uhi_x32 uhi_x32_select(uhi_m32 m, uhi_x32 yes, uhi_x32 no) { return m ? yes : no; }
static inline uhi_x32 uhi_x32_add_if(uhi_m32 m, uhi_x32 a, uhi_x32 b) { return a + (b & (0u - (uint32_t)m)); }
static inline uhi_x32 uhi_x32_increment(uhi_m32 m, uhi_x32 a) { return a + ((uint32_t)m & 1); }
static inline uhi_x32 uhi_x32_gather(const uint32_t *t, uhi_x32 i) { return t[i]; }
static inline uhi_x32 uhi_x32_gather_if(uhi_m32 m, uhi_x32 a, const uint32_t *t, uhi_x32 i) { return m ? t[i] : a; }
static inline int uhi_x32_all_are(const uint32_t *p, uint32_t a) { return *p == a; }
static inline uhi_x32 uhi_x32_srlv(uhi_x32 a, uhi_x32 n) { return (uint32_t)((uint64_t)a >> n); }
static inline uhi_x32 uhi_x32_sllv(uhi_x32 a, uhi_x32 n) { return (uint32_t)((uint64_t)a << n); }
static inline uhi_m32 uhi_x32_le(uhi_x32 a, uhi_x32 b) { return a <= b; }
static inline int uhi_x32_any_half(uhi_x32 a, uhi_x32 b) { return (a ^ b) >> 16 == 0 || ((a ^ b) & 0xffff) == 0; }
static inline void uhi_x32_store(uint32_t *p, uhi_x32 a) { *p = a; }
static inline uhi_m32 uhi_m32_and(uhi_m32 a, uhi_m32 b) { return a & b; }
static inline uhi_m32 uhi_m32_or(uhi_m32 a, uhi_m32 b) { return a | b; }
static inline uhi_m32 uhi_m32_all(int yes) { return yes; }

static inline uhi_vf32 uhi_load_f32(const float *p) { return *p; }
static inline uhi_vf32 uhi_set_f32(float a) { return a; }
static inline uhi_vf32 uhi_sub_f32(uhi_vf32 a, uhi_vf32 b) { return a - b; }
static inline uhi_vf32 uhi_mul_f32(uhi_vf32 a, uhi_vf32 b) { return a * b; }
static inline uhi_vf32 uhi_clamp_f32(uhi_vf32 a, uhi_vf32 high) {
    a = a > 0 ? a : 0;
    return a < high ? a : high;
}
static inline uhi_vf32 uhi_limit_f32(uhi_vf32 a, uhi_vf32 high) {
    a = a < 0 ? 0 : a;
    return a > high ? high : a;
}
static inline uhi_x32 uhi_index_f32(uhi_vf32 a) { return a == a ? (uint32_t)(int32_t)a : (uint32_t)1 << 31; }
static inline uhi_m32 uhi_ge_f32(uhi_vf32 a, uhi_vf32 b) { return a >= b; }
static inline uhi_m32 uhi_lt_f32(uhi_vf32 a, uhi_vf32 b) { return a < b; }
static inline uhi_m32 uhi_nan_f32(uhi_vf32 a) { return a != a; }
static inline uhi_vf32 uhi_gather_f32(const float *t, uhi_x32 i) { return t[i]; }
static inline uhi_vi32 uhi_key_f32(uhi_vf32 a) {
    int32_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

static inline uhi_vi32 uhi_load_i32(const int32_t *p) { return *p; }
static inline uhi_vi32 uhi_set_i32(int32_t a) { return a; }
static inline uhi_vi32 uhi_sub_i32(uhi_vi32 a, uhi_vi32 b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
static inline uhi_vi32 uhi_xor_i32(uhi_vi32 a, uhi_vi32 b) { return a ^ b; }
static inline uhi_vi32 uhi_max_i32(uhi_vi32 a, uhi_vi32 b) { return a > b ? a : b; }
static inline uhi_vi32 uhi_min_i32(uhi_vi32 a, uhi_vi32 b) { return a < b ? a : b; }
static inline uhi_vi32 uhi_srl_i32(uhi_vi32 a, uint32_t n) { return (int32_t)((uint32_t)a >> n); }
static inline uhi_vi32 uhi_srlv_i32(uhi_vi32 a, uhi_x32 n) { return (int32_t)((uint32_t)a >> n); }
static inline uhi_x32 uhi_index_i32(uhi_vi32 a) { return (uint32_t)a; }
static inline uhi_m32 uhi_ge_i32(uhi_vi32 a, uhi_vi32 b) { return a >= b; }
static inline uhi_m32 uhi_lt_i32(uhi_vi32 a, uhi_vi32 b) { return a < b; }
static inline uhi_vi32 uhi_gather_i32(const int32_t *t, uhi_x32 i) { return t[i]; }
static inline uhi_vf32 uhi_float_i32(uhi_vi32 a) { return (float)a; }

/* ---- 64-bit elements ---- */
enum { UHI_LANES_64 = 1 };
typedef double uhi_vf64;
typedef int64_t uhi_vi64;
typedef uint32_t uhi_x64;
typedef int uhi_m64;

static inline uhi_x64 uhi_x64_set(uint32_t a) { return a; }
static inline uhi_x64 uhi_x64_add(uhi_x64 a, uhi_x64 b) { return a + b; }
static inline uhi_x64 uhi_x64_mul(uhi_x64 a, uhi_x64 b) { return a * b; }
static inline uhi_x64 uhi_x64_load(const uint32_t *p) { return *p; }
static inline uhi_x64 uhi_x64_and(uhi_x64 a, uhi_x64 b) { return a & b; }
static inline int uhi_x64_any_top(uhi_x64 a) { return (a >> 31) != 0; }
static inline uhi_x64 uhi_x64_min(uhi_x64 a, uhi_x64 b) { return a < b ? a : b; }
static inline uhi_x64 uhi_x64_select(uhi_m64 m, uhi_x64 yes, uhi_x64 no) { return m ? yes : no; }
static inline uhi_x64 uhi_x64_add_if(uhi_m64 m, uhi_x64 a, uhi_x64 b) { return a + (b & (0u - (uint32_t)m)); }
static inline uhi_x64 uhi_x64_increment(uhi_m64 m, uhi_x64 a) { return a + ((uint32_t)m & 1); }
static inline uhi_x64 uhi_x64_gather(const uint32_t *t, uhi_x64 i) { return t[i]; }
static inline uhi_x64 uhi_x64_gather_if(uhi_m64 m, uhi_x64 a, const uint32_t *t, uhi_x64 i) { return m ? t[i] : a; }
static inline int uhi_x64_all_are(const uint32_t *p, uint32_t a) { return *p == a; }
static inline uhi_x64 uhi_x64_srlv(uhi_x64 a, uhi_x64 n) { return (uint32_t)((uint64_t)a >> n); }
static inline uhi_x64 uhi_x64_sllv(uhi_x64 a, uhi_x64 n) { return (uint32_t)((uint64_t)a << n); }
static inline uhi_m64 uhi_x64_le(uhi_x64 a, uhi_x64 b) { return a <= b; }
static inline int uhi_x64_any_half(uhi_x64 a, uhi_x64 b) { return (a ^ b) >> 16 == 0 || ((a ^ b) & 0xffff) == 0; }
static inline void uhi_x64_store(uint32_t *p, uhi_x64 a) { *p = a; }
static inline uhi_m64 uhi_m64_and(uhi_m64 a, uhi_m64 b) { return a & b; }
static inline uhi_m64 uhi_m64_or(uhi_m64 a, uhi_m64 b) { return a | b; }
static inline uhi_m64 uhi_m64_all(int yes) { return yes; }

static inline uhi_vf64 uhi_load_f64(const double *p) { return *p; }
static inline uhi_vf64 uhi_set_f64(double a) { return a; }
static inline uhi_vf64 uhi_sub_f64(uhi_vf64 a, uhi_vf64 b) { return a - b; }
static inline uhi_vf64 uhi_mul_f64(uhi_vf64 a, uhi_vf64 b) { return a * b; }
static inline uhi_vf64 uhi_clamp_f64(uhi_vf64 a, uhi_vf64 high) {
    a = a > 0 ? a : 0;
    return a < high ? a : high;
}
static inline uhi_vf64 uhi_limit_f64(uhi_vf64 a, uhi_vf64 high) {
    a = a < 0 ? 0 : a;
    return a > high ? high : a;
}
static inline uhi_x64 uhi_index_f64(uhi_vf64 a) { return a == a ? (uint32_t)(int32_t)a : (uint32_t)1 << 31; }
static inline uhi_m64 uhi_ge_f64(uhi_vf64 a, uhi_vf64 b) { return a >= b; }
static inline uhi_m64 uhi_lt_f64(uhi_vf64 a, uhi_vf64 b) { return a < b; }
static inline uhi_m64 uhi_nan_f64(uhi_vf64 a) { return a != a; }
static inline uhi_vf64 uhi_gather_f64(const double *t, uhi_x64 i) { return t[i]; }
static inline uhi_vi64 uhi_key_f64(uhi_vf64 a) {
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}

static inline uhi_vi64 uhi_load_i64(const int64_t *p) { return *p; }
static inline uhi_vi64 uhi_set_i64(int64_t a) { return a; }
static inline uhi_vi64 uhi_sub_i64(uhi_vi64 a, uhi_vi64 b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline uhi_vi64 uhi_xor_i64(uhi_vi64 a, uhi_vi64 b) { return a ^ b; }
static inline uhi_vi64 uhi_max_i64(uhi_vi64 a, uhi_vi64 b) { return a > b ? a : b; }
static inline uhi_vi64 uhi_min_i64(uhi_vi64 a, uhi_vi64 b) { return a < b ? a : b; }
static inline uhi_vi64 uhi_srl_i64(uhi_vi64 a, uint32_t n) { return (int64_t)((uint64_t)a >> n); }
static inline uhi_vi64 uhi_srlv_i64(uhi_vi64 a, uhi_x64 n) { return (int64_t)((uint64_t)a >> n); }
static inline uhi_x64 uhi_index_i64(uhi_vi64 a) { return (uint32_t)a; }
static inline uhi_m64 uhi_ge_i64(uhi_vi64 a, uhi_vi64 b) { return a >= b; }
static inline uhi_m64 uhi_lt_i64(uhi_vi64 a, uhi_vi64 b) { return a < b; }
static inline uhi_vi64 uhi_gather_i64(const int64_t *t, uhi_x64 i) { return t[i]; }
static inline uhi_vf64 uhi_float_i64(uhi_vi64 a) { return (double)a; }

#endif
