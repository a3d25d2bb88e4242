/* SPDX-License-Identifier: Apache-2.0 */
/* Vectorized look-ups, compiled once for each x86-64 level by files that include this. Each gives ranks (alias:
 * outcomes), and a mask of lanes whose results are certain. Other lanes may be wrong, because w does not decide or the
 * cell is split: they are looked up again, one by one. */
#pragma once

#include "kernels/common/simd.h"
#include "kernels/sample/table.h"

/* A table's parameters in vector lanes, as look-ups need them. */
enum { UHI_TREE = 32 };
struct uhi_sample_lanes {
    const uint32_t *cells, *threshold, *alias, *top;
    uint32_t s, items;
    uint32_t shift[UHI_LANES_32], mask[UHI_LANES_32]; /* s, and a mask of the s low bits, one per lane */
    /* The first `levels` steps of a binary search, at most 5: at node h, initially 1, w is compared with tree[h] and
     * goes to 2 h or, if not less, to 2 h + 1. The search continues from rank start[h % UHI_TREE] among `left`
     * ranks. */
    uint32_t levels, left;
    uint32_t tree[UHI_TREE], start[UHI_TREE];
};

static inline void uhi_sample_grow(struct uhi_sample_lanes *lanes) {
    uint32_t from[2 * UHI_TREE] = {0}, n = lanes->items;
    uint32_t nodes = 1;
    for (; n > 1 && nodes < UHI_TREE; nodes *= 2, n -= n / 2)
        for (size_t h = nodes; h < (size_t)2 * nodes; h++) {
            lanes->tree[h] = lanes->top[from[h] + n / 2];
            from[2 * h] = from[h];
            from[2 * h + 1] = from[h] + n / 2;
            lanes->levels += h == nodes;
        }
    for (size_t h = nodes; h < (size_t)2 * nodes; h++)
        lanes->start[h % UHI_TREE] = from[h];
    lanes->left = n;
}

static inline struct uhi_sample_lanes uhi_sample_lanes(const struct uhi_sample_table *t) {
    const uint32_t s = 32 - t->bits;
    struct uhi_sample_lanes lanes = {
        .cells = t->cells, .threshold = t->threshold, .alias = t->alias, .top = t->top, .s = s, .items = t->items};
    for (size_t lane = 0; lane < UHI_LANES_32; lane++) {
        lanes.shift[lane] = s;
        lanes.mask[lane] = (uint32_t)(((uint64_t)1 << s) - 1);
    }
    if (t->method == UH_SAMPLE_BINARY)
        uhi_sample_grow(&lanes);
    return lanes;
}

/* Number of interleaved binary searches; in a single one each step would wait for its gather. */
enum { UHI_SEARCHES = 4 };
#define UHI_EACH_SEARCH for (size_t u = 0; u < UHI_SEARCHES; u++)

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
typedef __mmask16 uhi_certain;

static inline uhi_certain uhi_certain_all(void) { return 0xffff; }
/* Returns the lanes of `certain` in which a and b differ. */
static inline uhi_certain uhi_certain_differ(uhi_certain certain, uhi_x32 a, uhi_x32 b) {
    return _mm512_mask_cmpneq_epu32_mask(certain, a, b);
}
static inline uhi_x32 uhi_look_if_less(uhi_x32 a, uhi_x32 b, uhi_x32 yes, uhi_x32 no) {
    return _mm512_mask_mov_epi32(no, _mm512_cmplt_epu32_mask(a, b), yes);
}
/* Returns the certain lanes of a guide's x: the cell is not split, and some bit of the mask is set. */
static inline uhi_certain uhi_certain_guide(uhi_x32 x, uhi_x32 mask) {
    return _mm512_mask_cmpge_epi32_mask(_mm512_test_epi32_mask(x, mask), x, _mm512_setzero_si512());
}
static inline void uhi_certain_store(uint8_t *p, uhi_certain m) { memcpy(p, &m, sizeof m); }

/* Starts searches in the tree, which two registers hold. */
static inline uint32_t uhi_look_begin(const struct uhi_sample_lanes *t, const uhi_x32 *w, uhi_x32 *from,
                                      uhi_certain *certain) {
    const uhi_x32 low = uhi_x32_load(t->tree), high = uhi_x32_load(t->tree + 16), one = uhi_x32_set(1);
    uhi_x32 h[UHI_SEARCHES];
    UHI_EACH_SEARCH h[u] = one;
    UHI_EACH_SEARCH certain[u] = uhi_certain_all();
    for (uint32_t level = 0; level < t->levels; level++)
        UHI_EACH_SEARCH {
            const uhi_x32 top = _mm512_permutex2var_epi32(low, h[u], high), twice = uhi_x32_add(h[u], h[u]);
            certain[u] = uhi_certain_differ(certain[u], top, w[u]);
            h[u] = _mm512_mask_add_epi32(twice, _mm512_cmple_epu32_mask(top, w[u]), twice, one);
        }
    UHI_EACH_SEARCH from[u] = _mm512_permutex2var_epi32(uhi_x32_load(t->start), h[u], uhi_x32_load(t->start + 16));
    return t->left;
}
#elif defined(__AVX2__)
typedef __m256i uhi_certain; /* inverted: the top bit is set in lanes that are not certain */

static inline uhi_certain uhi_certain_all(void) { return _mm256_setzero_si256(); }
static inline uhi_certain uhi_certain_differ(uhi_certain certain, uhi_x32 a, uhi_x32 b) {
    return _mm256_or_si256(certain, _mm256_cmpeq_epi32(a, b));
}
static inline uhi_x32 uhi_look_at_least(uhi_x32 a, uhi_x32 b) { return _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a); }
static inline uhi_x32 uhi_look_if_less(uhi_x32 a, uhi_x32 b, uhi_x32 yes, uhi_x32 no) {
    return _mm256_blendv_epi8(yes, no, uhi_look_at_least(a, b));
}
static inline uhi_certain uhi_certain_guide(uhi_x32 x, uhi_x32 mask) {
    return _mm256_or_si256(x, _mm256_cmpeq_epi32(_mm256_and_si256(x, mask), _mm256_setzero_si256()));
}
static inline void uhi_certain_store(uint8_t *p, uhi_certain m) {
    *p = (uint8_t)~_mm256_movemask_ps(_mm256_castsi256_ps(m));
}

static inline uint32_t uhi_look_begin(const struct uhi_sample_lanes *t, __attribute__((unused)) const uhi_x32 *w,
                                      uhi_x32 *from, uhi_certain *certain) {
    UHI_EACH_SEARCH from[u] = uhi_x32_set(0);
    UHI_EACH_SEARCH certain[u] = uhi_certain_all();
    return t->items;
}
#else
typedef uint32_t uhi_certain;

static inline uhi_certain uhi_certain_all(void) { return 1; }
static inline uhi_certain uhi_certain_differ(uhi_certain certain, uhi_x32 a, uhi_x32 b) { return certain & (a != b); }
static inline uhi_certain uhi_certain_guide(uhi_x32 x, uhi_x32 mask) { return x >> 31 == 0 && (x & mask) != 0; }
/* Written so that no compiler turns it into a branch. */
static inline uhi_x32 uhi_look_if_less(uhi_x32 a, uhi_x32 b, uhi_x32 yes, uhi_x32 no) {
    return no ^ ((yes ^ no) & (0u - (uint32_t)(a < b)));
}
#endif

/* Returns a table's entries for the words at `word`, by gathers or, with `scalar_loads`, by one load per entry. */
static inline uhi_x32 uhi_look_entries(const struct uhi_sample_lanes *t, const uint32_t *table, const uint32_t *word,
                                       int scalar_loads) {
#if UHI_TWO_GATHERS
    if (scalar_loads)
        return uhi_x32_load_scalar_at(table, word, t->s);
#endif
    (void)scalar_loads;
    return uhi_x32_gather(table, uhi_x32_srlv(uhi_x32_load(word), uhi_x32_load(t->shift)));
}

static inline uhi_x32 uhi_look_guide(const struct uhi_sample_lanes *t, const uint32_t *word, int scalar_loads,
                                     uhi_certain *certain) {
    const uhi_x32 mask = uhi_x32_load(t->mask), within = uhi_x32_and(uhi_x32_load(word), mask);
    const uhi_x32 x = uhi_x32_add(uhi_look_entries(t, t->cells, word, scalar_loads), within);
    *certain = uhi_certain_guide(x, mask);
    return uhi_x32_srlv(x, uhi_x32_load(t->shift));
}

static inline uhi_x32 uhi_look_alias(const struct uhi_sample_lanes *t, const uint32_t *word, int scalar_loads,
                                     uhi_certain *certain) {
    const uhi_x32 w = uhi_x32_load(word), r = uhi_x32_and(w, uhi_x32_load(t->mask));
    const uhi_x32 threshold = uhi_look_entries(t, t->threshold, word, scalar_loads);
    *certain = uhi_certain_differ(uhi_certain_all(), r, threshold);
    return uhi_look_if_less(r, threshold, uhi_x32_srlv(w, uhi_x32_load(t->shift)),
                            uhi_look_entries(t, t->alias, word, scalar_loads));
}

/* If w equals some `top`, the search compares with it, except for top[0], which cannot tie. */
#ifdef __AVX2__
/* For UHI_SEARCHES vectors of words. */
static inline void uhi_look_binary(const struct uhi_sample_lanes *t, const uint32_t *word, uint32_t *rank,
                                   uint8_t *certain) {
    uhi_x32 w[UHI_SEARCHES], from[UHI_SEARCHES];
    uhi_certain all[UHI_SEARCHES];
    UHI_EACH_SEARCH w[u] = uhi_x32_load(word + u * UHI_LANES_32);
    for (uint32_t n = uhi_look_begin(t, w, from, all), half; n > 1; n -= half) {
        half = n / 2;
        UHI_EACH_SEARCH {
            const uhi_x32 at = uhi_x32_add(from[u], uhi_x32_set(half)), top = uhi_x32_gather(t->top, at);
            all[u] = uhi_certain_differ(all[u], top, w[u]);
            from[u] = uhi_look_if_less(w[u], top, from[u], at);
        }
    }
    UHI_EACH_SEARCH uhi_x32_store(rank + u * UHI_LANES_32, from[u]);
    UHI_EACH_SEARCH uhi_certain_store(certain + u * UHI_LANES_32 / 8, all[u]);
}
#else
static inline uint32_t uhi_look_binary(const struct uhi_sample_lanes *t, uint32_t w, uhi_certain *certain) {
    uint32_t from = 0;
    *certain = uhi_certain_all();
    for (uint32_t n = t->items, half; n > 1; n -= half) {
        half = n / 2;
        const uint32_t top = t->top[from + half];
        *certain = uhi_certain_differ(*certain, top, w);
        from = uhi_look_if_less(w, top, from, from + half);
    }
    return from;
}
#endif
