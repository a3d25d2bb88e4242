/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h with AVX-512: 16 elements of 32 bits, 8 of 64. */
#ifndef UHI_SIMD_V4_H
#define UHI_SIMD_V4_H

#include <immintrin.h>

/* ---- 32-bit elements ---- */
enum { UHI_LANES_32 = 16 };
typedef __m512 uhi_vf32;
typedef __m512i uhi_vi32, uhi_x32;
typedef __mmask16 uhi_m32;

static inline uhi_x32 uhi_x32_set(uint32_t a) { return _mm512_set1_epi32((int)a); }
static inline uhi_x32 uhi_x32_add(uhi_x32 a, uhi_x32 b) { return _mm512_add_epi32(a, b); }
static inline uhi_x32 uhi_x32_mul(uhi_x32 a, uhi_x32 b) { return _mm512_mullo_epi32(a, b); }
static inline uhi_x32 uhi_x32_load(const uint32_t *p) { return _mm512_loadu_si512(p); }
static inline uhi_x32 uhi_x32_and(uhi_x32 a, uhi_x32 b) { return _mm512_and_si512(a, b); }
static inline int uhi_x32_any_top(uhi_x32 a) { return _mm512_movepi32_mask(a) != 0; }
static inline uhi_x32 uhi_x32_min(uhi_x32 a, uhi_x32 b) { return _mm512_min_epu32(a, b); }
static inline uhi_x32 uhi_x32_select(uhi_m32 m, uhi_x32 yes, uhi_x32 no) { return _mm512_mask_mov_epi32(no, m, yes); }
static inline uhi_x32 uhi_x32_add_if(uhi_m32 m, uhi_x32 a, uhi_x32 b) { return _mm512_mask_add_epi32(a, m, a, b); }
static inline uhi_x32 uhi_x32_increment(uhi_m32 m, uhi_x32 a) {
    return _mm512_mask_sub_epi32(a, m, a, _mm512_set1_epi32(-1));
}
static inline uhi_x32 uhi_x32_gather(const uint32_t *t, uhi_x32 i) { return _mm512_i32gather_epi32(i, t, 4); }
static inline uhi_x32 uhi_x32_gather_if(uhi_m32 m, uhi_x32 a, const uint32_t *t, uhi_x32 i) {
    return _mm512_mask_i32gather_epi32(a, m, i, t, 4);
}
static inline int uhi_x32_all_are(const uint32_t *p, uint32_t a) {
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(p), _mm512_set1_epi32((int)a)) == 0xffff;
}
static inline uhi_x32 uhi_x32_srlv(uhi_x32 a, uhi_x32 n) { return _mm512_srlv_epi32(a, n); }
static inline uhi_x32 uhi_x32_sllv(uhi_x32 a, uhi_x32 n) { return _mm512_sllv_epi32(a, n); }
static inline uhi_m32 uhi_x32_le(uhi_x32 a, uhi_x32 b) { return _mm512_cmple_epu32_mask(a, b); }
static inline int uhi_x32_any_half(uhi_x32 a, uhi_x32 b) { return _mm512_cmpeq_epi16_mask(a, b) != 0; }
static inline void uhi_x32_store(uint32_t *p, uhi_x32 a) { _mm512_storeu_si512(p, a); }
static inline uhi_m32 uhi_m32_and(uhi_m32 a, uhi_m32 b) { return a & b; }
static inline uhi_m32 uhi_m32_or(uhi_m32 a, uhi_m32 b) { return a | b; }
static inline uhi_m32 uhi_m32_all(int yes) { return yes ? (uhi_m32)0xffff : (uhi_m32)0; }

static inline uhi_vf32 uhi_load_f32(const float *p) { return _mm512_loadu_ps(p); }
static inline uhi_vf32 uhi_set_f32(float a) { return _mm512_set1_ps(a); }
static inline uhi_vf32 uhi_sub_f32(uhi_vf32 a, uhi_vf32 b) { return _mm512_sub_ps(a, b); }
static inline uhi_vf32 uhi_mul_f32(uhi_vf32 a, uhi_vf32 b) { return _mm512_mul_ps(a, b); }
static inline uhi_vf32 uhi_clamp_f32(uhi_vf32 a, uhi_vf32 high) {
    return _mm512_min_ps(_mm512_max_ps(a, _mm512_setzero_ps()), high);
}
static inline uhi_vf32 uhi_limit_f32(uhi_vf32 a, uhi_vf32 high) {
    return _mm512_min_ps(high, _mm512_max_ps(_mm512_setzero_ps(), a));
}
static inline uhi_x32 uhi_index_f32(uhi_vf32 a) { return _mm512_cvttps_epi32(a); }
static inline uhi_m32 uhi_ge_f32(uhi_vf32 a, uhi_vf32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
static inline uhi_m32 uhi_lt_f32(uhi_vf32 a, uhi_vf32 b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline uhi_m32 uhi_nan_f32(uhi_vf32 a) { return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q); }
static inline uhi_vf32 uhi_gather_f32(const float *t, uhi_x32 i) { return _mm512_i32gather_ps(i, t, 4); }
static inline uhi_vi32 uhi_key_f32(uhi_vf32 a) {
    __m512i bits = _mm512_castps_si512(a);
    __m512i flip = _mm512_srli_epi32(_mm512_srai_epi32(bits, 31), 1);
    return _mm512_xor_si512(bits, flip);
}

static inline uhi_vi32 uhi_load_i32(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline uhi_vi32 uhi_set_i32(int32_t a) { return _mm512_set1_epi32(a); }
static inline uhi_vi32 uhi_sub_i32(uhi_vi32 a, uhi_vi32 b) { return _mm512_sub_epi32(a, b); }
static inline uhi_vi32 uhi_xor_i32(uhi_vi32 a, uhi_vi32 b) { return _mm512_xor_si512(a, b); }
static inline uhi_vi32 uhi_max_i32(uhi_vi32 a, uhi_vi32 b) { return _mm512_max_epi32(a, b); }
static inline uhi_vi32 uhi_min_i32(uhi_vi32 a, uhi_vi32 b) { return _mm512_min_epi32(a, b); }
static inline uhi_vi32 uhi_srl_i32(uhi_vi32 a, uint32_t n) { return _mm512_srl_epi32(a, _mm_cvtsi32_si128((int)n)); }
static inline uhi_vi32 uhi_srlv_i32(uhi_vi32 a, uhi_x32 n) { return _mm512_srlv_epi32(a, n); }
static inline uhi_x32 uhi_index_i32(uhi_vi32 a) { return a; }
static inline uhi_m32 uhi_ge_i32(uhi_vi32 a, uhi_vi32 b) { return _mm512_cmpge_epi32_mask(a, b); }
static inline uhi_m32 uhi_lt_i32(uhi_vi32 a, uhi_vi32 b) { return _mm512_cmplt_epi32_mask(a, b); }
static inline uhi_vi32 uhi_gather_i32(const int32_t *t, uhi_x32 i) { return _mm512_i32gather_epi32(i, t, 4); }
static inline uhi_vf32 uhi_float_i32(uhi_vi32 a) { return _mm512_cvtepi32_ps(a); }

/* ---- 64-bit elements ---- */
enum { UHI_LANES_64 = 8 };
typedef __m512d uhi_vf64;
typedef __m512i uhi_vi64;
typedef __m256i uhi_x64;
typedef __mmask8 uhi_m64;

static inline uhi_x64 uhi_x64_set(uint32_t a) { return _mm256_set1_epi32((int)a); }
static inline uhi_x64 uhi_x64_add(uhi_x64 a, uhi_x64 b) { return _mm256_add_epi32(a, b); }
static inline uhi_x64 uhi_x64_mul(uhi_x64 a, uhi_x64 b) { return _mm256_mullo_epi32(a, b); }
static inline uhi_x64 uhi_x64_load(const uint32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline uhi_x64 uhi_x64_and(uhi_x64 a, uhi_x64 b) { return _mm256_and_si256(a, b); }
static inline int uhi_x64_any_top(uhi_x64 a) { return _mm256_movepi32_mask(a) != 0; }
static inline uhi_x64 uhi_x64_min(uhi_x64 a, uhi_x64 b) { return _mm256_min_epu32(a, b); }
static inline uhi_x64 uhi_x64_select(uhi_m64 m, uhi_x64 yes, uhi_x64 no) { return _mm256_mask_mov_epi32(no, m, yes); }
static inline uhi_x64 uhi_x64_add_if(uhi_m64 m, uhi_x64 a, uhi_x64 b) { return _mm256_mask_add_epi32(a, m, a, b); }
static inline uhi_x64 uhi_x64_increment(uhi_m64 m, uhi_x64 a) {
    return _mm256_mask_sub_epi32(a, m, a, _mm256_set1_epi32(-1));
}
static inline uhi_x64 uhi_x64_gather(const uint32_t *t, uhi_x64 i) {
    return _mm256_i32gather_epi32((const int *)t, i, 4);
}
static inline uhi_x64 uhi_x64_gather_if(uhi_m64 m, uhi_x64 a, const uint32_t *t, uhi_x64 i) {
    return _mm256_mmask_i32gather_epi32(a, m, i, (const int *)t, 4);
}
static inline int uhi_x64_all_are(const uint32_t *p, uint32_t a) {
    return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256((const __m256i *)p), _mm256_set1_epi32((int)a)) == 0xff;
}
static inline uhi_x64 uhi_x64_srlv(uhi_x64 a, uhi_x64 n) { return _mm256_srlv_epi32(a, n); }
static inline uhi_x64 uhi_x64_sllv(uhi_x64 a, uhi_x64 n) { return _mm256_sllv_epi32(a, n); }
static inline uhi_m64 uhi_x64_le(uhi_x64 a, uhi_x64 b) { return _mm256_cmple_epu32_mask(a, b); }
static inline int uhi_x64_any_half(uhi_x64 a, uhi_x64 b) { return _mm256_cmpeq_epi16_mask(a, b) != 0; }
static inline void uhi_x64_store(uint32_t *p, uhi_x64 a) { _mm256_storeu_si256((__m256i *)p, a); }
static inline uhi_m64 uhi_m64_and(uhi_m64 a, uhi_m64 b) { return a & b; }
static inline uhi_m64 uhi_m64_or(uhi_m64 a, uhi_m64 b) { return a | b; }
static inline uhi_m64 uhi_m64_all(int yes) { return yes ? (uhi_m64)0xff : (uhi_m64)0; }

static inline uhi_vf64 uhi_load_f64(const double *p) { return _mm512_loadu_pd(p); }
static inline uhi_vf64 uhi_set_f64(double a) { return _mm512_set1_pd(a); }
static inline uhi_vf64 uhi_sub_f64(uhi_vf64 a, uhi_vf64 b) { return _mm512_sub_pd(a, b); }
static inline uhi_vf64 uhi_mul_f64(uhi_vf64 a, uhi_vf64 b) { return _mm512_mul_pd(a, b); }
static inline uhi_vf64 uhi_clamp_f64(uhi_vf64 a, uhi_vf64 high) {
    return _mm512_min_pd(_mm512_max_pd(a, _mm512_setzero_pd()), high);
}
static inline uhi_vf64 uhi_limit_f64(uhi_vf64 a, uhi_vf64 high) {
    return _mm512_min_pd(high, _mm512_max_pd(_mm512_setzero_pd(), a));
}
static inline uhi_x64 uhi_index_f64(uhi_vf64 a) { return _mm512_cvttpd_epi32(a); }
static inline uhi_m64 uhi_ge_f64(uhi_vf64 a, uhi_vf64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
static inline uhi_m64 uhi_lt_f64(uhi_vf64 a, uhi_vf64 b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline uhi_m64 uhi_nan_f64(uhi_vf64 a) { return _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q); }
static inline uhi_vf64 uhi_gather_f64(const double *t, uhi_x64 i) { return _mm512_i32gather_pd(i, t, 8); }
static inline uhi_vi64 uhi_key_f64(uhi_vf64 a) {
    __m512i bits = _mm512_castpd_si512(a);
    __m512i flip = _mm512_srli_epi64(_mm512_srai_epi64(bits, 63), 1);
    return _mm512_xor_si512(bits, flip);
}

static inline uhi_vi64 uhi_load_i64(const int64_t *p) { return _mm512_loadu_si512(p); }
static inline uhi_vi64 uhi_set_i64(int64_t a) { return _mm512_set1_epi64(a); }
static inline uhi_vi64 uhi_sub_i64(uhi_vi64 a, uhi_vi64 b) { return _mm512_sub_epi64(a, b); }
static inline uhi_vi64 uhi_xor_i64(uhi_vi64 a, uhi_vi64 b) { return _mm512_xor_si512(a, b); }
static inline uhi_vi64 uhi_max_i64(uhi_vi64 a, uhi_vi64 b) { return _mm512_max_epi64(a, b); }
static inline uhi_vi64 uhi_min_i64(uhi_vi64 a, uhi_vi64 b) { return _mm512_min_epi64(a, b); }
static inline uhi_vi64 uhi_srl_i64(uhi_vi64 a, uint32_t n) { return _mm512_srl_epi64(a, _mm_cvtsi32_si128((int)n)); }
static inline uhi_vi64 uhi_srlv_i64(uhi_vi64 a, uhi_x64 n) { return _mm512_srlv_epi64(a, _mm512_cvtepu32_epi64(n)); }
static inline uhi_x64 uhi_index_i64(uhi_vi64 a) { return _mm512_cvtepi64_epi32(a); }
static inline uhi_m64 uhi_ge_i64(uhi_vi64 a, uhi_vi64 b) { return _mm512_cmpge_epi64_mask(a, b); }
static inline uhi_m64 uhi_lt_i64(uhi_vi64 a, uhi_vi64 b) { return _mm512_cmplt_epi64_mask(a, b); }
static inline uhi_vi64 uhi_gather_i64(const int64_t *t, uhi_x64 i) { return _mm512_i32gather_epi64(i, t, 8); }
static inline uhi_vf64 uhi_float_i64(uhi_vi64 a) { return _mm512_cvtepi64_pd(a); }

#endif
