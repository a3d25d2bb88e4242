/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h with AVX-512: 16 32-bit or 8 64-bit elements. */
#pragma once

/* Without optimization gcc's gathers are macros that pass masks to builtins with signed parameters. */
#if !defined(__clang__) && !defined(__OPTIMIZE__)
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

/* Masks m for indices of type x; `ones` is the full mask. */
#define UHI_AVX512_MASKS(x, m, P, ones)                                                                                \
    static inline int x##_any_top(x a) { return P##_movepi32_mask(a) != 0; }                                           \
    static inline x x##_select(m mask, x yes, x no) { return P##_mask_mov_epi32(no, mask, yes); }                      \
    static inline x x##_add_if(m mask, x a, x b) { return P##_mask_add_epi32(a, mask, a, b); }                         \
    static inline x x##_increment(m mask, x a) { return P##_mask_sub_epi32(a, mask, a, P##_set1_epi32(-1)); }          \
    static inline int x##_all_are(const uint32_t *p, uint32_t a) {                                                     \
        return P##_cmpeq_epi32_mask(x##_load(p), x##_set(a)) == (ones);                                                \
    }                                                                                                                  \
    static inline m x##_le(x a, x b) { return P##_cmple_epu32_mask(a, b); }                                            \
    static inline uint32_t x##_alike(x a, x b, uint32_t bits) {                                                        \
        return P##_testn_epi32_mask(P##_xor_epi32(a, b), x##_set(bits));                                               \
    }                                                                                                                  \
    static inline int x##_any_half(x a, x b) { return P##_cmpeq_epi16_mask(a, b) != 0; }                               \
    static inline m m##_and(m a, m b) { return a & b; }                                                                \
    static inline m m##_or(m a, m b) { return a | b; }                                                                 \
    static inline m m##_all(int yes) { return yes ? (m)(ones) : (m)0; }

/* Comparisons of floats with suffix t, which give masks m, and their keys: integers EPI of type v; `sign` is the
 * index of the sign bit. */
#define UHI_AVX512_COMPARED(t, m, PS, v, EPI, sign)                                                                    \
    static inline m uhi_ge_##t(uhi_v##t a, uhi_v##t b) { return _mm512_cmp_##PS##_mask(a, b, _CMP_GE_OQ); }            \
    static inline m uhi_lt_##t(uhi_v##t a, uhi_v##t b) { return _mm512_cmp_##PS##_mask(a, b, _CMP_LT_OQ); }            \
    static inline m uhi_nan_##t(uhi_v##t a) { return _mm512_cmp_##PS##_mask(a, a, _CMP_UNORD_Q); }                     \
    static inline v uhi_key_##t(uhi_v##t a) {                                                                          \
        const v bits = _mm512_cast##PS##_si512(a);                                                                     \
        return _mm512_xor_si512(bits, _mm512_srli_##EPI(_mm512_srai_##EPI(bits, sign), 1));                            \
    }

/* Integers T with suffix t; masks m. */
#define UHI_AVX512_INTEGERS(t, T, m, EPI)                                                                              \
    static inline uhi_v##t uhi_max_##t(uhi_v##t a, uhi_v##t b) { return _mm512_max_##EPI(a, b); }                      \
    static inline uhi_v##t uhi_min_##t(uhi_v##t a, uhi_v##t b) { return _mm512_min_##EPI(a, b); }                      \
    static inline m uhi_ge_##t(uhi_v##t a, uhi_v##t b) { return _mm512_cmpge_##EPI##_mask(a, b); }                     \
    static inline m uhi_lt_##t(uhi_v##t a, uhi_v##t b) { return _mm512_cmplt_##EPI##_mask(a, b); }                     \
    static inline uhi_v##t uhi_set_##t(T a) { return _mm512_set1_##EPI(a); }

/* ---- 32-bit elements ---- */
enum { UHI_LANES_32 = 16 };
typedef __m512 uhi_vf32;
typedef __m512i uhi_vi32, uhi_x32;
typedef __mmask16 uhi_m32;
UHI_AVX_INDICES(uhi_x32, _mm512, si512)
UHI_AVX512_MASKS(uhi_x32, uhi_m32, _mm512, 0xffff)
UHI_AVX_FLOATS(f32, float, uhi_x32, _mm512, ps)
UHI_AVX512_COMPARED(f32, uhi_m32, ps, uhi_vi32, epi32, 31)
UHI_AVX_INTEGERS(i32, int32_t, _mm512, si512, epi32)
UHI_AVX512_INTEGERS(i32, int32_t, uhi_m32, epi32)

/* Into zeros: the elements of a gather with a full mask wait for the register's old contents, and gcc does not zero it
 * if it knows the mask. */
static inline uhi_x32 uhi_x32_gather(const uint32_t *t, uhi_x32 i) {
    uhi_m32 all = 0xffff;
    __asm__("" : "+k"(all));
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), all, i, t, 4);
}
static inline uhi_x32 uhi_x32_gather_if(uhi_m32 m, uhi_x32 a, const uint32_t *t, uhi_x32 i) {
    return _mm512_mask_i32gather_epi32(a, m, i, t, 4);
}
static inline uhi_vf32 uhi_gather_f32(const float *t, uhi_x32 i) { return _mm512_i32gather_ps(i, t, 4); }
static inline uhi_vi32 uhi_gather_i32(const int32_t *t, uhi_x32 i) { return _mm512_i32gather_epi32(i, t, 4); }
static inline uhi_vi32 uhi_srlv_i32(uhi_vi32 a, uhi_x32 n) { return _mm512_srlv_epi32(a, n); }
static inline uhi_x32 uhi_index_i32(uhi_vi32 a) { return a; }
static inline uhi_vf32 uhi_float_i32(uhi_vi32 a) { return _mm512_cvtepi32_ps(a); }

/* ---- 64-bit elements ---- */
enum { UHI_LANES_64 = 8 };
typedef __m512d uhi_vf64;
typedef __m512i uhi_vi64;
typedef __m256i uhi_x64;
typedef __mmask8 uhi_m64;
UHI_AVX_INDICES(uhi_x64, _mm256, si256)
UHI_AVX512_MASKS(uhi_x64, uhi_m64, _mm256, 0xff)
UHI_AVX_FLOATS(f64, double, uhi_x64, _mm512, pd)
UHI_AVX512_COMPARED(f64, uhi_m64, pd, uhi_vi64, epi64, 63)
UHI_AVX_INTEGERS(i64, int64_t, _mm512, si512, epi64)
UHI_AVX512_INTEGERS(i64, int64_t, uhi_m64, epi64)

static inline uhi_x64 uhi_x64_gather(const uint32_t *t, uhi_x64 i) {
    return _mm256_i32gather_epi32((const int *)t, i, 4);
}
static inline uhi_x64 uhi_x64_gather_if(uhi_m64 m, uhi_x64 a, const uint32_t *t, uhi_x64 i) {
    return _mm256_mmask_i32gather_epi32(a, m, i, (const int *)t, 4);
}
static inline uhi_vf64 uhi_gather_f64(const double *t, uhi_x64 i) { return _mm512_i32gather_pd(i, t, 8); }
static inline uhi_vi64 uhi_gather_i64(const int64_t *t, uhi_x64 i) { return _mm512_i32gather_epi64(i, t, 8); }
static inline uhi_vi64 uhi_srlv_i64(uhi_vi64 a, uhi_x64 n) { return _mm512_srlv_epi64(a, _mm512_cvtepu32_epi64(n)); }
static inline uhi_x64 uhi_index_i64(uhi_vi64 a) { return _mm512_cvtepi64_epi32(a); }
static inline uhi_vf64 uhi_float_i64(uhi_vi64 a) { return _mm512_cvtepi64_pd(a); }
