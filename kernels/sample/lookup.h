/* SPDX-License-Identifier: Apache-2.0 */
/* Look-ups of many words at once, for each x86-64 level; a file that includes this is compiled once for each. Each
 * gives ranks (alias: outcomes), and the lanes in which these are sure. In the others they may be wrong, as w does not
 * decide or the cell is split: they are looked up again, one by one. */
#ifndef UHI_SAMPLE_LOOKUP_H
#define UHI_SAMPLE_LOOKUP_H

#include "kernels/common/simd.h"
#include "kernels/sample/table.h"

/* The numbers of a table as look-ups need them, in vectors' lanes. */
struct uhi_sample_lanes {
    const uint32_t *cells, *threshold, *alias, *top;
    uint32_t s, mask, items;
};

static inline struct uhi_sample_lanes uhi_sample_lanes(const struct uhi_sample_table *t) {
    const uint32_t s = 32 - t->bits;
    return (struct uhi_sample_lanes){.cells = t->cells,
                                     .threshold = t->threshold,
                                     .alias = t->alias,
                                     .top = t->top,
                                     .s = s,
                                     .mask = (uint32_t)(((uint64_t)1 << s) - 1),
                                     .items = t->items};
}

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
typedef __mmask16 uhi_sure;

static inline uhi_sure uhi_sure_all(void) {
    return 0xffff;
}
/* Lanes of `sure` in which a and b differ. */
static inline uhi_sure uhi_sure_differ(uhi_sure sure, uhi_x32 a, uhi_x32 b) {
    return _mm512_mask_cmpneq_epu32_mask(sure, a, b);
}
static inline uhi_x32 uhi_look_if_less(uhi_x32 a, uhi_x32 b, uhi_x32 yes, uhi_x32 no) {
    return _mm512_mask_mov_epi32(no, _mm512_cmplt_epu32_mask(a, b), yes);
}
/* Lanes of a guide's x that are sure: the rank is one, and some bit of the mask is set. */
static inline uhi_sure uhi_sure_guide(uhi_x32 rank, uhi_x32 items, uhi_x32 x, uhi_x32 mask) {
    return _mm512_mask_cmplt_epu32_mask(_mm512_test_epi32_mask(x, mask), rank, items);
}
static inline void uhi_sure_store(uint8_t *p, uhi_sure m) {
    memcpy(p, &m, sizeof m);
}
#elif defined(__AVX2__)
typedef __m256i uhi_sure; /* the opposite: bits are set where it is not */

static inline uhi_sure uhi_sure_all(void) {
    return _mm256_setzero_si256();
}
static inline uhi_sure uhi_sure_differ(uhi_sure sure, uhi_x32 a, uhi_x32 b) {
    return _mm256_or_si256(sure, _mm256_cmpeq_epi32(a, b));
}
static inline uhi_x32 uhi_look_at_least(uhi_x32 a, uhi_x32 b) {
    return _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a);
}
static inline uhi_x32 uhi_look_if_less(uhi_x32 a, uhi_x32 b, uhi_x32 yes, uhi_x32 no) {
    return _mm256_blendv_epi8(yes, no, uhi_look_at_least(a, b));
}
static inline uhi_sure uhi_sure_guide(uhi_x32 rank, uhi_x32 items, uhi_x32 x, uhi_x32 mask) {
    return _mm256_or_si256(uhi_look_at_least(rank, items),
                           _mm256_cmpeq_epi32(_mm256_and_si256(x, mask), _mm256_setzero_si256()));
}
static inline void uhi_sure_store(uint8_t *p, uhi_sure m) {
    *p = (uint8_t)~_mm256_movemask_ps(_mm256_castsi256_ps(m));
}
#else
typedef uint32_t uhi_sure;

static inline uhi_sure uhi_sure_all(void) {
    return 1;
}
static inline uhi_sure uhi_sure_differ(uhi_sure sure, uhi_x32 a, uhi_x32 b) {
    return sure & (a != b);
}
static inline uhi_sure uhi_sure_guide(uhi_x32 rank, uhi_x32 items, uhi_x32 x, uhi_x32 mask) {
    return rank < items && (x & mask) != 0;
}
/* Written so that no compiler makes a branch of it. */
static inline uhi_x32 uhi_look_if_less(uhi_x32 a, uhi_x32 b, uhi_x32 yes, uhi_x32 no) {
    return no ^ ((yes ^ no) & (0u - (uint32_t)(a < b)));
}
#endif

static inline uhi_x32 uhi_look_guide(const struct uhi_sample_lanes *t, uhi_x32 w, uhi_sure *sure) {
    const uhi_x32 mask = uhi_x32_set(t->mask), s = uhi_x32_set(t->s);
    const uhi_x32 x = uhi_x32_add(uhi_x32_gather(t->cells, uhi_x32_srlv(w, s)), uhi_x32_and(w, mask));
    const uhi_x32 rank = uhi_x32_srlv(x, s);
    *sure = uhi_sure_guide(rank, uhi_x32_set(t->items), x, mask);
    return rank;
}

static inline uhi_x32 uhi_look_alias(const struct uhi_sample_lanes *t, uhi_x32 w, uhi_sure *sure) {
    const uhi_x32 column = uhi_x32_srlv(w, uhi_x32_set(t->s)), r = uhi_x32_and(w, uhi_x32_set(t->mask));
    const uhi_x32 threshold = uhi_x32_gather(t->threshold, column);
    *sure = uhi_sure_differ(uhi_sure_all(), r, threshold);
    return uhi_look_if_less(r, threshold, column, uhi_x32_gather(t->alias, column));
}

/* If w is some `top`, the search comes across it. */
static inline uhi_x32 uhi_look_binary(const struct uhi_sample_lanes *t, uhi_x32 w, uhi_sure *sure) {
    uhi_x32 from = uhi_x32_set(0);
    uhi_sure differ = uhi_sure_differ(uhi_sure_all(), w, from);
    for (uint32_t n = t->items, half; n > 1; n -= half) {
        half = n / 2;
        const uhi_x32 at = uhi_x32_add(from, uhi_x32_set(half)), top = uhi_x32_gather(t->top, at);
        differ = uhi_sure_differ(differ, top, w);
        from = uhi_look_if_less(w, top, from, at);
    }
    *sure = differ;
    return from;
}

#endif
