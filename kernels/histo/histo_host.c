/* SPDX-License-Identifier: Apache-2.0 */
/* The Parboil histogram on the CPU, compiled once per x86-64 level. Counts are bytes from the start: the eye then stays
 * in the first-level cache, and nothing is left to do at the end. The loop's limit is one store per index.
 *
 * In most data few counts reach 255. So a block is counted as if none did, and the carries out of the bytes are added
 * up; if there are any, the block is undone and counted with care, and so are many blocks after it. */
#include <immintrin.h>
#include <string.h>

#include "kernels/histo/histo.h"
#include "kernels/registry.h"

enum {
    LANES = 16,     /* indices examined together */
    BLOCK = 64,     /* indices counted after one test, which only samples repetitions */
    REPEATS = 6,    /* most lanes equal to the next before counting goes by runs */
    CARE = 256,     /* blocks counted with care after one has filled a bin */
    INDEX_BYTES = 4 /* per index */
};

/* ---- sixteen indices at once ------------------------------------------------------------------------------------ */

#if defined(__AVX512F__)
/* Whether any of n indices is not in [first, first + span]; n is a multiple of LANES, and a constant. */
static inline int outside(const char *x, size_t n, uint32_t first, uint32_t span) {
    const __m512i from = _mm512_set1_epi32((int)first);
    __m512i largest = _mm512_setzero_si512();
    for (size_t i = 0; i < n; i += LANES)
        largest = _mm512_max_epu32(largest, _mm512_sub_epi32(_mm512_loadu_si512(x + i * INDEX_BYTES), from));
    return _mm512_cmpgt_epu32_mask(largest, _mm512_set1_epi32((int)span)) != 0;
}
/* Lanes whose index equals the next one, bit i for lane i; reads one more index. */
static inline unsigned repeated(const char *x) {
    return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(x), _mm512_loadu_si512(x + INDEX_BYTES));
}
#elif defined(__AVX2__)
static inline __m256i load(const char *x) { return _mm256_loadu_si256((const __m256i *)(const void *)x); }
static inline unsigned bits(__m256i low, __m256i high) {
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(low)) |
           (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(high)) << 8;
}
static inline int outside(const char *x, size_t n, uint32_t first, uint32_t span) {
    const __m256i from = _mm256_set1_epi32((int)first), to = _mm256_set1_epi32((int)span);
    __m256i largest = _mm256_setzero_si256();
    for (size_t i = 0; i < n; i += LANES / 2)
        largest = _mm256_max_epu32(largest, _mm256_sub_epi32(load(x + i * INDEX_BYTES), from));
    return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(largest, to), to)) != -1;
}
static inline unsigned repeated(const char *x) {
    return bits(_mm256_cmpeq_epi32(load(x), load(x + INDEX_BYTES)),
                _mm256_cmpeq_epi32(load(x + 32), load(x + 32 + INDEX_BYTES)));
}
#else
static inline __m128i load(const char *x) { return _mm_loadu_si128((const __m128i *)(const void *)x); }
/* For four vectors whose elements are 0 or -1. */
static inline unsigned bits(const __m128i v[4]) {
    const __m128i low = _mm_packs_epi32(v[0], v[1]), high = _mm_packs_epi32(v[2], v[3]);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(low, high));
}
static inline int outside(const char *x, size_t n, uint32_t first, uint32_t span) {
    const __m128i from = _mm_set1_epi32((int)first), to = _mm_set1_epi32((int)span);
    __m128i largest = _mm_setzero_si128();
    for (size_t i = 0; i < n; i += LANES / 4)
        largest = _mm_max_epu32(largest, _mm_sub_epi32(load(x + i * INDEX_BYTES), from));
    return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_max_epu32(largest, to), to)) != 0xffff;
}
static inline unsigned repeated(const char *x) {
    __m128i equal[4];
    for (int i = 0; i < 4; i++)
        equal[i] = _mm_cmpeq_epi32(load(x + i * 16), load(x + i * 16 + INDEX_BYTES));
    return bits(equal);
}
#endif

/* ---- counting --------------------------------------------------------------------------------------------------- */

static inline uint32_t index_at(const char *x) {
    uint32_t index;
    memcpy(&index, x, sizeof index);
    return index;
}

/* Adds to a count shared with other threads. It is written at most 255 times per bin, and then only read. */
static void add_shared(uint8_t *count) {
    uint8_t seen = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (seen < UHI_HISTO_FULL &&
           !__atomic_compare_exchange_n(count, &seen, (uint8_t)(seen + 1), 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        /* another thread was faster */
    }
}

static inline void add_equal(uint8_t *count, unsigned count_of_equal) {
    const unsigned sum = *count + count_of_equal;
    *count = (uint8_t)(sum < UHI_HISTO_FULL ? sum : UHI_HISTO_FULL);
}

/* Counts `n` indices at any position; returns the number beyond the histogram. */
static uint64_t count_anywhere(const struct uhi_histo_part *part, const char *x, size_t n) {
    const uint32_t span = part->last - part->first;
    uint64_t beyond = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t index = index_at(x + i * INDEX_BYTES);
        if (part->table && index - part->first <= span)
            add_equal(part->table + (index - part->first), 1);
        else if (index < part->bins)
            add_shared(part->out + index);
        else
            beyond++;
    }
    return beyond;
}

/* Counts sixteen indices of the eye, some equal to the next, with one addition per run. One by one, each would wait for
 * the previous store. */
static void count_runs(uint8_t *table, uint32_t first, const char *x, unsigned repeats) {
    unsigned ends = ~repeats | 1u << (LANES - 1);
    for (unsigned start = 0, end; start < LANES; start = end + 1) {
        end = (unsigned)__builtin_ctz(ends);
        ends &= ends - 1;
        add_equal(table + (index_at(x + (size_t)start * INDEX_BYTES) - first), end - start + 1);
    }
}

/* Two indices of the eye by one load; WITH gets the addresses of their counts. An address is a sum of integers, because
 * bin_0, where bin 0 would be, may be before the table. */
#define EACH_2(at, WITH)                                                                                               \
    do {                                                                                                               \
        uint64_t two_;                                                                                                 \
        memcpy(&two_, x + (at)*INDEX_BYTES, sizeof two_);                                                              \
        WITH((uint8_t *)(bin_0 + (uint32_t)two_), (uint8_t *)(bin_0 + (two_ >> 32)));                                  \
    } while (0)

/* Looks up the next count: no branch, which nearly full bins would mispredict, and fewer instructions than a
 * comparison. */
#define ADD_WITH_CARE(low, high)                                                                                       \
    do {                                                                                                               \
        uint8_t *low_ = (low), *high_ = (high);                                                                        \
        *low_ = next[*low_];                                                                                           \
        *high_ = next[*high_];                                                                                         \
    } while (0)

/* Adds 1 to both, and their carries to `carries`. Compilers turn the C equivalent into a load, an addition and a store,
 * which takes a sixth longer. */
#define ADD_FREELY(low, high)                                                                                          \
    __asm__("addb $1, %1\n\tadcl $0, %0\n\taddb $1, %2\n\tadcl $0, %0"                                                 \
            : "+&r"(carries), "+m"(*(low)), "+m"(*(high))::"cc")

/* The successor of each count. */
static void make_next(uint8_t next[UHI_HISTO_FULL + 1]) {
    for (unsigned i = 0; i <= UHI_HISTO_FULL; i++)
        next[i] = (uint8_t)(i < UHI_HISTO_FULL ? i + 1 : i);
}

/* Counts LANES indices, and examines one more; returns the number beyond the histogram. */
static uint64_t count_carefully(const struct uhi_histo_part *part, const char *x) {
    if (outside(x, LANES, part->first, part->last - part->first))
        return count_anywhere(part, x, LANES);
    count_runs(part->table, part->first, x, repeated(x));
    return 0;
}

/* Counts a block of the eye's indices if no count would exceed 255. Returns whether it did; otherwise nothing has
 * changed. */
static inline int count_freely(uintptr_t bin_0, const char *x) {
    uint32_t carries = 0;
#pragma GCC unroll 32
    for (size_t i = 0; i < BLOCK; i += 2)
        EACH_2(i, ADD_FREELY);
    if (__builtin_expect(carries == 0, 1))
        return 1;
    for (size_t i = 0; i < BLOCK; i++)
        --*(uint8_t *)(bin_0 + index_at(x + i * INDEX_BYTES));
    return 0;
}

/* The same for any counts, always; not inlined, because few blocks need it. */
static __attribute__((noinline)) void count_with_care(uintptr_t bin_0, const uint8_t *next, const char *x) {
#pragma GCC unroll 32
    for (size_t i = 0; i < BLOCK; i += 2)
        EACH_2(i, ADD_WITH_CARE);
}

static uint64_t count(const struct uhi_histo_part *part) {
    const char *x = part->x;
    const uint32_t first = part->first, span = part->last - first;
    const uintptr_t bin_0 = (uintptr_t)part->table - first;
    uint8_t next[UHI_HISTO_FULL + 1];
    uint64_t beyond = 0;
    size_t n = part->n, care = 0;
    if (!part->table)
        return count_anywhere(part, x, n);
    make_next(next);
    for (; n > BLOCK; n -= BLOCK, x += (size_t)BLOCK * INDEX_BYTES) {
        if (__builtin_expect(outside(x, BLOCK, first, span) || __builtin_popcount(repeated(x)) > REPEATS, 0)) {
            for (size_t i = 0; i < BLOCK; i += LANES)
                beyond += count_carefully(part, x + i * INDEX_BYTES);
            continue;
        }
        if (care == 0) {
            if (count_freely(bin_0, x))
                continue;
            care = CARE;
        }
        care--;
        count_with_care(bin_0, next, x);
    }
    return beyond + count_anywhere(part, x, n);
}

static void join_tables(const uint8_t *table, size_t pitch, size_t tables, size_t n, uint8_t *to) {
    memcpy(to, table, n);
    for (size_t t = 1; t < tables; t++)
        for (size_t i = 0; i < n; i++) {
            const unsigned sum = to[i] + (unsigned)table[t * pitch + i];
            to[i] = (uint8_t)(sum < UHI_HISTO_FULL ? sum : UHI_HISTO_FULL);
        }
}

UHI_HOST_TABLE(histo) = {.count = count, .join = join_tables};
