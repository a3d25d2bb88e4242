/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h with AVX2: 8 elements of 32 bits, 4 of 64. Masks are vectors of all ones and all zeros. */
#ifndef UHI_SIMD_V3_H
#define UHI_SIMD_V3_H

#include <immintrin.h>

/* ---- 32-bit elements ---- */
enum { UHI_LANES_32 = 8 };
typedef __m256 uhi_vf32;
typedef __m256i uhi_vi32, uhi_x32, uhi_m32;

static inline uhi_x32 uhi_x32_set(uint32_t a) { return _mm256_set1_epi32((int)a); }
static inline uhi_x32 uhi_x32_add(uhi_x32 a, uhi_x32 b) { return _mm256_add_epi32(a, b); }
static inline uhi_x32 uhi_x32_mul(uhi_x32 a, uhi_x32 b) { return _mm256_mullo_epi32(a, b); }
static inline uhi_x32 uhi_x32_load(const uint32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline uhi_x32 uhi_x32_and(uhi_x32 a, uhi_x32 b) { return _mm256_and_si256(a, b); }
static inline int uhi_x32_any_top(uhi_x32 a) { return _mm256_movemask_ps(_mm256_castsi256_ps(a)) != 0; }
static inline uhi_x32 uhi_x32_min(uhi_x32 a, uhi_x32 b) { return _mm256_min_epu32(a, b); }
static inline uhi_x32 uhi_x32_select(uhi_m32 m, uhi_x32 yes, uhi_x32 no) { return _mm256_blendv_epi8(no, yes, m); }
static inline uhi_x32 uhi_x32_add_if(uhi_m32 m, uhi_x32 a, uhi_x32 b) {
    return _mm256_add_epi32(a, _mm256_and_si256(m, b));
}
static inline uhi_x32 uhi_x32_increment(uhi_m32 m, uhi_x32 a) { return _mm256_sub_epi32(a, m); }
static inline uhi_x32 uhi_x32_gather(const uint32_t *t, uhi_x32 i) {
    return _mm256_i32gather_epi32((const int *)t, i, 4);
}
static inline uhi_x32 uhi_x32_gather_if(uhi_m32 m, uhi_x32 a, const uint32_t *t, uhi_x32 i) {
    return _mm256_mask_i32gather_epi32(a, (const int *)t, i, m, 4);
}
static inline int uhi_x32_all_are(const uint32_t *p, uint32_t a) {
    return _mm256_movemask_epi8(
               _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)p), _mm256_set1_epi32((int)a))) == -1;
}
static inline uhi_x32 uhi_x32_srlv(uhi_x32 a, uhi_x32 n) { return _mm256_srlv_epi32(a, n); }
static inline uhi_x32 uhi_x32_sllv(uhi_x32 a, uhi_x32 n) { return _mm256_sllv_epi32(a, n); }
static inline uhi_m32 uhi_x32_le(uhi_x32 a, uhi_x32 b) { return _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), b); }
static inline int uhi_x32_any_half(uhi_x32 a, uhi_x32 b) { return _mm256_movemask_epi8(_mm256_cmpeq_epi16(a, b)) != 0; }
static inline void uhi_x32_store(uint32_t *p, uhi_x32 a) { _mm256_storeu_si256((__m256i *)p, a); }
static inline uhi_m32 uhi_m32_and(uhi_m32 a, uhi_m32 b) { return _mm256_and_si256(a, b); }
static inline uhi_m32 uhi_m32_or(uhi_m32 a, uhi_m32 b) { return _mm256_or_si256(a, b); }
static inline uhi_m32 uhi_m32_all(int yes) { return _mm256_set1_epi32(yes ? -1 : 0); }

static inline uhi_vf32 uhi_load_f32(const float *p) { return _mm256_loadu_ps(p); }
static inline uhi_vf32 uhi_set_f32(float a) { return _mm256_set1_ps(a); }
static inline uhi_vf32 uhi_sub_f32(uhi_vf32 a, uhi_vf32 b) { return _mm256_sub_ps(a, b); }
static inline uhi_vf32 uhi_mul_f32(uhi_vf32 a, uhi_vf32 b) { return _mm256_mul_ps(a, b); }
static inline uhi_vf32 uhi_clamp_f32(uhi_vf32 a, uhi_vf32 high) {
    return _mm256_min_ps(_mm256_max_ps(a, _mm256_setzero_ps()), high);
}
static inline uhi_vf32 uhi_limit_f32(uhi_vf32 a, uhi_vf32 high) {
    return _mm256_min_ps(high, _mm256_max_ps(_mm256_setzero_ps(), a));
}
static inline uhi_x32 uhi_index_f32(uhi_vf32 a) { return _mm256_cvttps_epi32(a); }
static inline uhi_m32 uhi_ge_f32(uhi_vf32 a, uhi_vf32 b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}
static inline uhi_m32 uhi_lt_f32(uhi_vf32 a, uhi_vf32 b) {
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
static inline uhi_m32 uhi_nan_f32(uhi_vf32 a) { return _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)); }
static inline uhi_vf32 uhi_gather_f32(const float *t, uhi_x32 i) { return _mm256_i32gather_ps(t, i, 4); }
static inline uhi_vi32 uhi_key_f32(uhi_vf32 a) {
    __m256i bits = _mm256_castps_si256(a);
    __m256i flip = _mm256_srli_epi32(_mm256_srai_epi32(bits, 31), 1);
    return _mm256_xor_si256(bits, flip);
}

static inline uhi_vi32 uhi_load_i32(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline uhi_vi32 uhi_set_i32(int32_t a) { return _mm256_set1_epi32(a); }
static inline uhi_vi32 uhi_sub_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_sub_epi32(a, b); }
static inline uhi_vi32 uhi_xor_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_xor_si256(a, b); }
static inline uhi_vi32 uhi_max_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_max_epi32(a, b); }
static inline uhi_vi32 uhi_min_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_min_epi32(a, b); }
static inline uhi_vi32 uhi_srl_i32(uhi_vi32 a, uint32_t n) { return _mm256_srl_epi32(a, _mm_cvtsi32_si128((int)n)); }
static inline uhi_vi32 uhi_srlv_i32(uhi_vi32 a, uhi_x32 n) { return _mm256_srlv_epi32(a, n); }
static inline uhi_x32 uhi_index_i32(uhi_vi32 a) { return a; }
static inline uhi_m32 uhi_lt_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_cmpgt_epi32(b, a); }
static inline uhi_m32 uhi_ge_i32(uhi_vi32 a, uhi_vi32 b) {
    return _mm256_xor_si256(_mm256_cmpgt_epi32(b, a), _mm256_set1_epi32(-1));
}
static inline uhi_vi32 uhi_gather_i32(const int32_t *t, uhi_x32 i) { return _mm256_i32gather_epi32(t, i, 4); }
static inline uhi_vf32 uhi_float_i32(uhi_vi32 a) { return _mm256_cvtepi32_ps(a); }

/* ---- 64-bit elements: the masks are brought to the width of the indices at once ---- */
enum { UHI_LANES_64 = 4 };
typedef __m256d uhi_vf64;
typedef __m256i uhi_vi64;
typedef __m128i uhi_x64, uhi_m64;

/* The low half of each 64-bit element. */
static inline __m128i uhi_narrow_v3(__m256i a) {
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}

static inline uhi_x64 uhi_x64_set(uint32_t a) { return _mm_set1_epi32((int)a); }
static inline uhi_x64 uhi_x64_add(uhi_x64 a, uhi_x64 b) { return _mm_add_epi32(a, b); }
static inline uhi_x64 uhi_x64_mul(uhi_x64 a, uhi_x64 b) { return _mm_mullo_epi32(a, b); }
static inline uhi_x64 uhi_x64_load(const uint32_t *p) { return _mm_loadu_si128((const __m128i *)p); }
static inline uhi_x64 uhi_x64_and(uhi_x64 a, uhi_x64 b) { return _mm_and_si128(a, b); }
static inline int uhi_x64_any_top(uhi_x64 a) { return _mm_movemask_ps(_mm_castsi128_ps(a)) != 0; }
static inline uhi_x64 uhi_x64_min(uhi_x64 a, uhi_x64 b) { return _mm_min_epu32(a, b); }
static inline uhi_x64 uhi_x64_select(uhi_m64 m, uhi_x64 yes, uhi_x64 no) { return _mm_blendv_epi8(no, yes, m); }
static inline uhi_x64 uhi_x64_add_if(uhi_m64 m, uhi_x64 a, uhi_x64 b) { return _mm_add_epi32(a, _mm_and_si128(m, b)); }
static inline uhi_x64 uhi_x64_increment(uhi_m64 m, uhi_x64 a) { return _mm_sub_epi32(a, m); }
static inline uhi_x64 uhi_x64_gather(const uint32_t *t, uhi_x64 i) { return _mm_i32gather_epi32((const int *)t, i, 4); }
static inline uhi_x64 uhi_x64_gather_if(uhi_m64 m, uhi_x64 a, const uint32_t *t, uhi_x64 i) {
    return _mm_mask_i32gather_epi32(a, (const int *)t, i, m, 4);
}
static inline int uhi_x64_all_are(const uint32_t *p, uint32_t a) {
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi32((int)a))) == 0xffff;
}
static inline uhi_x64 uhi_x64_srlv(uhi_x64 a, uhi_x64 n) { return _mm_srlv_epi32(a, n); }
static inline uhi_x64 uhi_x64_sllv(uhi_x64 a, uhi_x64 n) { return _mm_sllv_epi32(a, n); }
static inline uhi_m64 uhi_x64_le(uhi_x64 a, uhi_x64 b) { return _mm_cmpeq_epi32(_mm_max_epu32(a, b), b); }
static inline int uhi_x64_any_half(uhi_x64 a, uhi_x64 b) { return _mm_movemask_epi8(_mm_cmpeq_epi16(a, b)) != 0; }
static inline void uhi_x64_store(uint32_t *p, uhi_x64 a) { _mm_storeu_si128((__m128i *)p, a); }
static inline uhi_m64 uhi_m64_and(uhi_m64 a, uhi_m64 b) { return _mm_and_si128(a, b); }
static inline uhi_m64 uhi_m64_or(uhi_m64 a, uhi_m64 b) { return _mm_or_si128(a, b); }
static inline uhi_m64 uhi_m64_all(int yes) { return _mm_set1_epi32(yes ? -1 : 0); }

static inline uhi_vf64 uhi_load_f64(const double *p) { return _mm256_loadu_pd(p); }
static inline uhi_vf64 uhi_set_f64(double a) { return _mm256_set1_pd(a); }
static inline uhi_vf64 uhi_sub_f64(uhi_vf64 a, uhi_vf64 b) { return _mm256_sub_pd(a, b); }
static inline uhi_vf64 uhi_mul_f64(uhi_vf64 a, uhi_vf64 b) { return _mm256_mul_pd(a, b); }
static inline uhi_vf64 uhi_clamp_f64(uhi_vf64 a, uhi_vf64 high) {
    return _mm256_min_pd(_mm256_max_pd(a, _mm256_setzero_pd()), high);
}
static inline uhi_vf64 uhi_limit_f64(uhi_vf64 a, uhi_vf64 high) {
    return _mm256_min_pd(high, _mm256_max_pd(_mm256_setzero_pd(), a));
}
static inline uhi_x64 uhi_index_f64(uhi_vf64 a) { return _mm256_cvttpd_epi32(a); }
static inline uhi_m64 uhi_ge_f64(uhi_vf64 a, uhi_vf64 b) {
    return uhi_narrow_v3(_mm256_castpd_si256(_mm256_cmp_pd(a, b, _CMP_GE_OQ)));
}
static inline uhi_m64 uhi_lt_f64(uhi_vf64 a, uhi_vf64 b) {
    return uhi_narrow_v3(_mm256_castpd_si256(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
}
static inline uhi_m64 uhi_nan_f64(uhi_vf64 a) {
    return uhi_narrow_v3(_mm256_castpd_si256(_mm256_cmp_pd(a, a, _CMP_UNORD_Q)));
}
static inline uhi_vf64 uhi_gather_f64(const double *t, uhi_x64 i) { return _mm256_i32gather_pd(t, i, 8); }
static inline uhi_vi64 uhi_key_f64(uhi_vf64 a) {
    __m256i bits = _mm256_castpd_si256(a);
    __m256i flip = _mm256_srli_epi64(_mm256_cmpgt_epi64(_mm256_setzero_si256(), bits), 1);
    return _mm256_xor_si256(bits, flip);
}

static inline uhi_vi64 uhi_load_i64(const int64_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline uhi_vi64 uhi_set_i64(int64_t a) { return _mm256_set1_epi64x(a); }
static inline uhi_vi64 uhi_sub_i64(uhi_vi64 a, uhi_vi64 b) { return _mm256_sub_epi64(a, b); }
static inline uhi_vi64 uhi_xor_i64(uhi_vi64 a, uhi_vi64 b) { return _mm256_xor_si256(a, b); }
static inline uhi_vi64 uhi_max_i64(uhi_vi64 a, uhi_vi64 b) {
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}
static inline uhi_vi64 uhi_min_i64(uhi_vi64 a, uhi_vi64 b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}
static inline uhi_vi64 uhi_srl_i64(uhi_vi64 a, uint32_t n) { return _mm256_srl_epi64(a, _mm_cvtsi32_si128((int)n)); }
static inline uhi_vi64 uhi_srlv_i64(uhi_vi64 a, uhi_x64 n) { return _mm256_srlv_epi64(a, _mm256_cvtepu32_epi64(n)); }
static inline uhi_x64 uhi_index_i64(uhi_vi64 a) { return uhi_narrow_v3(a); }
static inline uhi_m64 uhi_lt_i64(uhi_vi64 a, uhi_vi64 b) { return uhi_narrow_v3(_mm256_cmpgt_epi64(b, a)); }
static inline uhi_m64 uhi_ge_i64(uhi_vi64 a, uhi_vi64 b) { return _mm_xor_si128(uhi_lt_i64(a, b), _mm_set1_epi32(-1)); }
static inline uhi_vi64 uhi_gather_i64(const int64_t *t, uhi_x64 i) {
    return _mm256_i32gather_epi64((const long long *)t, i, 8);
}
static inline uhi_vf64 uhi_float_i64(uhi_vi64 a) {
    int64_t v[4];
    _mm256_storeu_si256((__m256i *)v, a);
    return _mm256_setr_pd((double)v[0], (double)v[1], (double)v[2], (double)v[3]);
}

#endif
