/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h with AVX2: 8 32-bit or 4 64-bit elements. Mask elements are all ones or all zeros. */
#pragma once

/* Masks m for indices of type x; `ones` is the byte mask of a full mask, one bit per byte. */
#define UHI_AVX2_MASKS(x, m, P, SI, ones)                                                                              \
    static inline int x##_any_top(x a) { return P##_movemask_ps(P##_cast##SI##_ps(a)) != 0; }                          \
    static inline x x##_select(m mask, x yes, x no) { return P##_blendv_epi8(no, yes, mask); }                         \
    static inline x x##_add_if(m mask, x a, x b) { return P##_add_epi32(a, P##_and_##SI(mask, b)); }                   \
    static inline x x##_increment(m mask, x a) { return P##_sub_epi32(a, mask); }                                      \
    static inline x x##_gather(const uint32_t *t, x i) { return P##_i32gather_epi32((const int *)t, i, 4); }           \
    static inline x x##_gather_if(m mask, x a, const uint32_t *t, x i) {                                               \
        return P##_mask_i32gather_epi32(a, (const int *)t, i, mask, 4);                                                \
    }                                                                                                                  \
    static inline int x##_all_are(const uint32_t *p, uint32_t a) {                                                     \
        return P##_movemask_epi8(P##_cmpeq_epi32(x##_load(p), x##_set(a))) == (ones);                                  \
    }                                                                                                                  \
    static inline m x##_le(x a, x b) { return P##_cmpeq_epi32(P##_max_epu32(a, b), b); }                               \
    static inline uint32_t x##_alike(x a, x b, uint32_t bits) {                                                        \
        const x unlike = P##_and_##SI(P##_xor_##SI(a, b), x##_set(bits));                                              \
        return (uint32_t)P##_movemask_ps(P##_cast##SI##_ps(P##_cmpeq_epi32(unlike, P##_setzero_##SI())));              \
    }                                                                                                                  \
    static inline int x##_any_half(x a, x b) { return P##_movemask_epi8(P##_cmpeq_epi16(a, b)) != 0; }                 \
    static inline m m##_and(m a, m b) { return P##_and_##SI(a, b); }                                                   \
    static inline m m##_or(m a, m b) { return P##_or_##SI(a, b); }                                                     \
    static inline m m##_all(int yes) { return P##_set1_epi32(yes ? -1 : 0); }

#define UHI_TWO_GATHERS 1

/* Returns four elements, one load each. */
__attribute__((always_inline)) static inline __m128i uhi_load_four_v3(const uint32_t *t, __m128i i) {
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(i), high = (uint64_t)_mm_extract_epi64(i, 1);
    __m128i a = _mm_cvtsi32_si128((int)t[(uint32_t)low]);
    a = _mm_insert_epi32(a, (int)t[low >> 32], 1);
    a = _mm_insert_epi32(a, (int)t[(uint32_t)high], 2);
    return _mm_insert_epi32(a, (int)t[high >> 32], 3);
}

/* ---- 32-bit elements ---- */
enum { UHI_LANES_32 = 8 };
typedef __m256 uhi_vf32;
typedef __m256i uhi_vi32, uhi_x32, uhi_m32;
UHI_AVX_INDICES(uhi_x32, _mm256, si256)
UHI_AVX2_MASKS(uhi_x32, uhi_m32, _mm256, si256, -1)
__attribute__((always_inline)) static inline uhi_x32 uhi_x32_load_scalar(const uint32_t *t, uhi_x32 i) {
    const __m128i low = uhi_load_four_v3(t, _mm256_castsi256_si128(i));
    return _mm256_set_m128i(uhi_load_four_v3(t, _mm256_extracti128_si256(i, 1)), low);
}
/* Returns four elements t[word >> n] of words in memory: each shift loads one or two words. */
static inline __m128i uhi_load_four_at_v3(const uint32_t *t, const uint32_t *words, uint32_t n) {
    uint64_t two[2];
    memcpy(two, words, sizeof two);
    __m128i a = _mm_cvtsi32_si128((int)t[(uint32_t)two[0] >> n]);
    a = _mm_insert_epi32(a, (int)t[two[0] >> (32 + n)], 1);
    a = _mm_insert_epi32(a, (int)t[(uint32_t)two[1] >> n], 2);
    return _mm_insert_epi32(a, (int)t[two[1] >> (32 + n)], 3);
}
static inline uhi_x32 uhi_x32_load_scalar_at(const uint32_t *t, const uint32_t *words, uint32_t n) {
    const __m128i low = uhi_load_four_at_v3(t, words, n);
    return _mm256_set_m128i(uhi_load_four_at_v3(t, words + 4, n), low);
}
UHI_AVX_FLOATS(f32, float, uhi_x32, _mm256, ps)
UHI_AVX_INTEGERS(i32, int32_t, _mm256, si256, epi32)

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

static inline uhi_vi32 uhi_set_i32(int32_t a) { return _mm256_set1_epi32(a); }
static inline uhi_vi32 uhi_max_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_max_epi32(a, b); }
static inline uhi_vi32 uhi_min_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_min_epi32(a, b); }
static inline uhi_vi32 uhi_srlv_i32(uhi_vi32 a, uhi_x32 n) { return _mm256_srlv_epi32(a, n); }
static inline uhi_x32 uhi_index_i32(uhi_vi32 a) { return a; }
static inline uhi_m32 uhi_lt_i32(uhi_vi32 a, uhi_vi32 b) { return _mm256_cmpgt_epi32(b, a); }
static inline uhi_m32 uhi_ge_i32(uhi_vi32 a, uhi_vi32 b) {
    return _mm256_xor_si256(_mm256_cmpgt_epi32(b, a), _mm256_set1_epi32(-1));
}
static inline uhi_vi32 uhi_gather_i32(const int32_t *t, uhi_x32 i) { return _mm256_i32gather_epi32(t, i, 4); }
static inline uhi_vf32 uhi_float_i32(uhi_vi32 a) { return _mm256_cvtepi32_ps(a); }

/* ---- 64-bit elements: masks are narrowed to the width of the indices at once ---- */
enum { UHI_LANES_64 = 4 };
typedef __m256d uhi_vf64;
typedef __m256i uhi_vi64;
typedef __m128i uhi_x64, uhi_m64;
UHI_AVX_INDICES(uhi_x64, _mm, si128)
UHI_AVX2_MASKS(uhi_x64, uhi_m64, _mm, si128, 0xffff)
__attribute__((always_inline)) static inline uhi_x64 uhi_x64_load_scalar(const uint32_t *t, uhi_x64 i) {
    return uhi_load_four_v3(t, i);
}
UHI_AVX_FLOATS(f64, double, uhi_x64, _mm256, pd)
UHI_AVX_INTEGERS(i64, int64_t, _mm256, si256, epi64)

/* Returns the low half of each 64-bit element. */
static inline __m128i uhi_narrow_v3(__m256i a) {
    return _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}

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

static inline uhi_vi64 uhi_set_i64(int64_t a) { return _mm256_set1_epi64x(a); }
static inline uhi_vi64 uhi_max_i64(uhi_vi64 a, uhi_vi64 b) {
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}
static inline uhi_vi64 uhi_min_i64(uhi_vi64 a, uhi_vi64 b) {
    return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}
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
