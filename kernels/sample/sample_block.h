/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a block of samples on the CPU, for each x86-64 level: the generator's words are looked up between the rounds
 * that make the next ones. Samples left open are looked up one by one at the end of the block; each would otherwise be
 * an unpredictable branch. */
#pragma once

#include <string.h>

#include "kernels/common/philox_simd.h"
#include "kernels/sample/lookup.h"
#include "kernels/sample/sample.h"

enum {
    BLOCK = 1024,     /* samples: their words and results stay in the L1 cache together with a table of 32 KiB */
    OPEN = BLOCK / 64 /* words of a bit per sample, set if it is not open */
};

/* The state of a part in the sequence of samples. */
struct part {
    const struct uhi_sample_table *table;
    struct uhi_sample_lanes lanes;
    int scalar_loads;         /* load entries one by one instead of gathering them */
    struct uhi_philox philox; /* generates w */
    uint64_t seed, stream;
    uint32_t word[BLOCK + UHI_PHILOX_WORDS]; /* with AVX2, followed by the first words of the next block */
    uint32_t rank[BLOCK];
    uint64_t certain[OPEN];
};

/* Counters of outcomes, used in turns, so that equal consecutive samples do not wait for each other. */
struct tables {
    uint32_t *turn[4];
};

static struct tables tables_of(uint32_t *table, size_t pitch, size_t replicas) {
    struct tables tables;
    for (size_t t = 0; t < 4; t++)
        tables.turn[t] = table + t % replicas * pitch;
    return tables;
}

__attribute__((always_inline)) static inline void count_in_turns(const struct tables *tables, const uint32_t *outcome,
                                                                 size_t n) {
    uint32_t *c0 = tables->turn[0], *c1 = tables->turn[1], *c2 = tables->turn[2], *c3 = tables->turn[3];
    for (size_t fours = n / 4; fours > 0; fours--, outcome += 4) {
        uint64_t two[2];
        memcpy(two, outcome, sizeof two);
        c0[(uint32_t)two[0]]++;
        c1[two[0] >> 32]++;
        c2[(uint32_t)two[1]]++;
        c3[two[1] >> 32]++;
    }
    for (size_t i = 0; i < n % 4; i++)
        c0[outcome[i]]++;
}

/* ---- one by one ---- */

static uint32_t second_word(const struct part *part, uint64_t i) {
    return uhi_philox4x32_u32(part->seed, part->stream + 1, i);
}

static uint32_t searched(const struct part *part, uint32_t w, uint64_t i) {
    const struct uhi_sample_table *t = part->table;
    const uint32_t rank = uhi_sample_search(t->top, t->low, t->items, w, UINT32_MAX);
    return t->top[rank] == w && t->low[rank] ? uhi_sample_search(t->top, t->low, t->items, w, second_word(part, i))
                                             : rank;
}

static uint32_t guided(const struct part *part, uint32_t w, uint64_t i) {
    const struct uhi_sample_table *t = part->table;
    uint32_t s = 32 - t->bits;
    uint32_t x = t->cells[w >> s] + (w & (((uint32_t)1 << s) - 1)), rank = x >> s;
    if (rank >= t->items) {
        const uint32_t split = rank - uhi_sample_first_split(t->bits);
        const uint32_t *parts = t->cells + ((size_t)1 << t->bits) + ((size_t)split << t->more);
        s -= t->more;
        x = parts[(w >> s) & (((uint32_t)1 << t->more) - 1)] + (w & (((uint32_t)1 << s) - 1));
        rank = x >> s;
        if (rank >= t->items)
            return searched(part, w, i);
    }
    if ((x & (((uint32_t)1 << s) - 1)) == 0 && t->top[rank] == w && second_word(part, i) < t->low[rank])
        rank--;
    return rank;
}

static uint32_t aliased(const struct part *part, uint32_t w, uint64_t i) {
    const struct uhi_sample_table *t = part->table;
    const uint32_t s = 32 - t->bits, column = w >> s, r = w & (((uint32_t)1 << s) - 1);
    const int own = r < t->threshold[column] ||
                    (r == t->threshold[column] && t->rest[column] && second_word(part, i) < t->rest[column]);
    return own ? column : t->alias[column];
}

static uint32_t look_up(const struct part *part, uint32_t w, uint64_t i) {
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: return aliased(part, w, i);
    case UH_SAMPLE_BINARY: return searched(part, w, i);
    default: return guided(part, w, i);
    }
}

/* ---- by the block ---- */

#if defined(__AVX2__)
/* Look-ups of words interleaved with the rounds that make the next ones: gathers fill the gaps of the products.
 * Outcomes of an earlier block are counted at the same time. */
struct looking {
    struct uhi_sample_lanes lanes;
    const uint32_t *word;
    uint32_t *rank;
    uint8_t *certain; /* one bit per word */
    const uint32_t *earlier;
    struct tables tables;
};

enum { A_STEP = UHI_PHILOX_WORDS / UHI_PHILOX_STEPS };
_Static_assert(UHI_PHILOX_STEPS % UHI_PHILOX_VECTORS == 0, "a step has a vector at most");

/* Stores the ranks of n words, a multiple of UHI_PHILOX_WORDS, in `rank`; ranks_count_NAME also counts n outcomes
 * `earlier`. NAME is the method, with a suffix if loads for `scalar_loads` entry are used. */
#define RANKS(method, NAME, scalar_loads)                                                                              \
    __attribute__((always_inline)) static inline void look_##NAME(void *context, unsigned step) {                      \
        const struct looking *looking = context;                                                                       \
        const size_t i = (size_t)A_STEP * step;                                                                        \
        uhi_certain certain;                                                                                           \
        if (i % UHI_LANES_32)                                                                                          \
            return;                                                                                                    \
        uhi_x32_store(looking->rank + i,                                                                               \
                      uhi_look_##method(&looking->lanes, looking->word + i, scalar_loads, &certain));                  \
        uhi_certain_store(looking->certain + i / 8, certain);                                                          \
    }                                                                                                                  \
    __attribute__((always_inline)) static inline void look_count_##NAME(void *context, unsigned step) {                \
        const struct looking *looking = context;                                                                       \
        look_##NAME(context, step);                                                                                    \
        count_in_turns(&looking->tables, looking->earlier + (size_t)A_STEP * step, A_STEP);                            \
    }                                                                                                                  \
    static void ranks_##NAME(struct part *part, size_t n, uint32_t *rank) {                                            \
        RUN(part, n, rank, ((struct looking){.lanes = part->lanes, .earlier = rank}), 0, look_##NAME)                  \
    }                                                                                                                  \
    static void ranks_count_##NAME(struct part *part, size_t n, uint32_t *rank, const uint32_t *earlier,               \
                                   const struct tables *tables) {                                                      \
        RUN(part, n, rank, ((struct looking){.lanes = part->lanes, .earlier = earlier, .tables = *tables}),            \
            UHI_PHILOX_WORDS, look_count_##NAME)                                                                       \
    }
#define RUN(part, n, ranks, with, counted, look)                                                                       \
    struct looking looking = with;                                                                                     \
    struct uhi_philox philox = (part)->philox;                                                                         \
    for (size_t i = 0; i < (n); i += UHI_PHILOX_WORDS) {                                                               \
        looking.word = (part)->word + i;                                                                               \
        looking.rank = (ranks) + i;                                                                                    \
        looking.certain = (uint8_t *)(part)->certain + i / 8;                                                          \
        uhi_philox_store_with(&philox, (part)->word + i + UHI_PHILOX_WORDS, look, &looking);                           \
        looking.earlier += (counted);                                                                                  \
    }                                                                                                                  \
    (part)->philox = philox;
RANKS(guide, guide, 0)
RANKS(alias, alias, 0)
#if UHI_TWO_GATHERS
RANKS(guide, guide_scalar, 1)
RANKS(alias, alias_scalar, 1)
#define BODY_OF(part, name) ((part)->scalar_loads ? name##_scalar : name)
#else
#define BODY_OF(part, name) name
#endif

static void ranks_binary(struct part *part, size_t n, uint32_t *rank) {
    const struct uhi_sample_lanes lanes = part->lanes;
    struct uhi_philox philox = part->philox;
    for (size_t i = 0; i < n; i += UHI_PHILOX_WORDS) {
        uhi_philox_store(&philox, part->word + i + UHI_PHILOX_WORDS);
        for (size_t j = i; j < i + UHI_PHILOX_WORDS; j += (size_t)UHI_SEARCHES * UHI_LANES_32)
            uhi_look_binary(&lanes, part->word + j, rank + j, (uint8_t *)part->certain + j / 8);
    }
    part->philox = philox;
}

/* Makes the words of the first look-ups. */
static void prime(struct part *part) { uhi_philox_store(&part->philox, part->word); }

static void continue_open(struct part *part, size_t n) {
    memcpy(part->word, part->word + n, UHI_PHILOX_WORDS * sizeof *part->word);
}

/* Looks up the open ones of n samples, starting at number `first`. Nearly all branches are those of look_up: a list of
 * words with open samples comes first, then one loop over all their samples. */
static void close_open(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    uint64_t open[OPEN + 1] = {0};
    uint32_t start[OPEN + 1] = {0};
    size_t count = 0, all = 0;
    for (size_t g = 0; g < (n + 63) / 64; g++) {
        const uint64_t of_group = ~part->certain[g] & (n - g * 64 < 64 ? ((uint64_t)1 << (n & 63)) - 1 : UINT64_MAX);
        open[count] = of_group;
        start[count] = (uint32_t)(g * 64);
        count += of_group != 0;
        all += (size_t)__builtin_popcountll(of_group);
    }
    uint64_t now = open[0];
    for (size_t l = 0; all > 0; all--) {
        const size_t i = start[l] + (size_t)__builtin_ctzll(now);
        rank[i] = look_up(part, part->word[i], first + i);
        now &= now - 1;
        l += now == 0;
        now = now ? now : open[l];
    }
}

/* Stores the ranks of the next n <= BLOCK samples, starting at number `first`, a multiple of 4, in `rank`, which has
 * room for a multiple of UHI_PHILOX_WORDS. */
static void ranks_of(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    const size_t whole = (n + UHI_PHILOX_WORDS - 1) / UHI_PHILOX_WORDS * UHI_PHILOX_WORDS;
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: BODY_OF(part, ranks_alias)(part, whole, rank); break;
    case UH_SAMPLE_BINARY: ranks_binary(part, whole, rank); break;
    default: BODY_OF(part, ranks_guide)(part, whole, rank); break;
    }
    close_open(part, first, n, rank);
    continue_open(part, whole);
}

/* The same for BLOCK samples, and counts BLOCK outcomes of an earlier block. */
static void ranks_and_count(struct part *part, uint64_t first, uint32_t *rank, const uint32_t *earlier,
                            const struct tables *tables) {
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: BODY_OF(part, ranks_count_alias)(part, BLOCK, rank, earlier, tables); break;
    case UH_SAMPLE_BINARY:
        count_in_turns(tables, earlier, BLOCK);
        ranks_binary(part, BLOCK, rank);
        break;
    default: BODY_OF(part, ranks_count_guide)(part, BLOCK, rank, earlier, tables); break;
    }
    close_open(part, first, BLOCK, rank);
    continue_open(part, BLOCK);
}
#else
static void prime(struct part *part) { (void)part; }

static void ranks_of(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    const struct uhi_sample_lanes lanes = part->lanes;
    for (size_t i = 0; i < n; i += UHI_PHILOX_WORDS)
        uhi_philox_store(&part->philox, part->word + i);
#define EACH(found)                                                                                                    \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        uhi_certain certain;                                                                                           \
        rank[i] = (found);                                                                                             \
        if (__builtin_expect(!certain, 0))                                                                             \
            rank[i] = look_up(part, part->word[i], first + i);                                                         \
    }
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: EACH(uhi_look_alias(&lanes, part->word + i, 1, &certain)) break;
    case UH_SAMPLE_BINARY: EACH(uhi_look_binary(&lanes, part->word[i], &certain)) break;
    default: EACH(uhi_look_guide(&lanes, part->word + i, 1, &certain)) break;
    }
#undef EACH
}

static void ranks_and_count(struct part *part, uint64_t first, uint32_t *rank, const uint32_t *earlier,
                            const struct tables *tables) {
    count_in_turns(tables, earlier, BLOCK);
    ranks_of(part, first, BLOCK, rank);
}
#endif
