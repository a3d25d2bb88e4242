/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sampling on the CPU, compiled once for each x86-64 level. The generator's vectors go straight into look-ups;
 * samples of a block that these leave open are looked up one by one when the block is done, lest each be a branch that
 * nobody can foresee. */
#include "kernels/sample/sample.h"

#include <string.h>

#include "kernels/common/philox_simd.h"
#include "kernels/sample/lookup.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

enum {
    BLOCK = 1024,     /* samples: their words and results stay in the first-level cache beside a table of 32 KiB */
    OPEN = BLOCK / 64 /* words of a bit for each sample that tell which are not open */
};

/* A part on its way through the samples. */
struct part {
    const struct uhi_sample_table *table;
    struct uhi_sample_lanes lanes;
    struct uhi_philox philox; /* of w */
    uint64_t seed, stream;
    uint32_t word[BLOCK + UHI_PHILOX_WORDS]; /* with AVX2, the first ones of the next block follow */
    uint32_t rank[BLOCK];
    uint64_t sure[OPEN];
};

/* Counters of outcomes, by turns: equal samples in a row then do not wait for each other. */
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

/* ---- one by one ---------------------------------------------------------------------------------------------------
 */

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
        const uint32_t *parts = t->cells + ((size_t)1 << t->bits) + ((size_t)(rank - t->items) << t->more);
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

/* ---- by the block -------------------------------------------------------------------------------------------------
 */

#if defined(__AVX2__)
/* Words that are looked up beside the rounds that make the next, whose products leave gaps that gathers fill; and
 * outcomes of an earlier block that are counted there. */
struct looking {
    struct uhi_sample_lanes lanes;
    const uint32_t *word;
    uint32_t *rank;
    uint8_t *sure; /* a bit for each */
    const uint32_t *earlier;
    struct tables tables;
};

enum { A_STEP = UHI_PHILOX_WORDS / UHI_PHILOX_STEPS };
_Static_assert(UHI_PHILOX_STEPS % UHI_PHILOX_VECTORS == 0, "a step has a vector at most");

/* Ranks of n words, a multiple of UHI_PHILOX_WORDS, to `rank`. With `earlier`, n outcomes, these are counted. */
#define RANKS(method)                                                                                                  \
    __attribute__((always_inline)) static inline void look_##method(void *context, unsigned step) {                    \
        const struct looking *looking = context;                                                                       \
        const size_t i = (size_t)A_STEP * step;                                                                        \
        uhi_sure sure;                                                                                                 \
        if (i % UHI_LANES_32)                                                                                          \
            return;                                                                                                    \
        uhi_x32_store(looking->rank + i, uhi_look_##method(&looking->lanes, uhi_x32_load(looking->word + i), &sure));  \
        uhi_sure_store(looking->sure + i / 8, sure);                                                                   \
    }                                                                                                                  \
    __attribute__((always_inline)) static inline void look_count_##method(void *context, unsigned step) {              \
        const struct looking *looking = context;                                                                       \
        look_##method(context, step);                                                                                  \
        count_in_turns(&looking->tables, looking->earlier + A_STEP * step, A_STEP);                                    \
    }                                                                                                                  \
    static void ranks_##method(struct part *part, size_t n, uint32_t *rank) {                                          \
        RUN(part, n, rank, ((struct looking){.lanes = part->lanes}), 0, look_##method)                                 \
    }                                                                                                                  \
    static void ranks_count_##method(struct part *part, size_t n, uint32_t *rank, const uint32_t *earlier,             \
                                     const struct tables *tables) {                                                    \
        RUN(part, n, rank, ((struct looking){.lanes = part->lanes, .earlier = earlier, .tables = *tables}),            \
            UHI_PHILOX_WORDS, look_count_##method)                                                                     \
    }
#define RUN(part, n, ranks, with, counted, look)                                                                       \
    struct looking looking = with;                                                                                     \
    struct uhi_philox philox = (part)->philox;                                                                         \
    for (size_t i = 0; i < (n); i += UHI_PHILOX_WORDS) {                                                               \
        looking.word = (part)->word + i;                                                                               \
        looking.rank = (ranks) + i;                                                                                    \
        looking.sure = (uint8_t *)(part)->sure + i / 8;                                                                \
        uhi_philox_store_beside(&philox, (part)->word + i + UHI_PHILOX_WORDS, look, &looking);                         \
        looking.earlier += (counted);                                                                                  \
    }                                                                                                                  \
    (part)->philox = philox;
RANKS(guide)
RANKS(alias)

static void ranks_binary(struct part *part, size_t n, uint32_t *rank) {
    const struct uhi_sample_lanes lanes = part->lanes;
    struct uhi_philox philox = part->philox;
    for (size_t i = 0; i < n; i += UHI_PHILOX_WORDS) {
        uhi_philox_store(&philox, part->word + i + UHI_PHILOX_WORDS);
        for (size_t j = i; j < i + UHI_PHILOX_WORDS; j += (size_t)UHI_SEARCHES * UHI_LANES_32)
            uhi_look_binary(&lanes, part->word + j, rank + j, (uint8_t *)part->sure + j / 8);
    }
    part->philox = philox;
}

/* Makes the words of the first look-ups. */
static void prime(struct part *part) {
    uhi_philox_store(&part->philox, part->word);
}

/* Goes on behind n words. */
static void go_on(struct part *part, size_t n) {
    memcpy(part->word, part->word + n, UHI_PHILOX_WORDS * sizeof *part->word);
}

/* Looks up what is open among n samples of which the first is number `first`. Nearly all branches are those that
 * look_up has: a list of words with open samples, and then one loop over all samples of all of them. */
static void close_open(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    uint64_t open[OPEN + 1];
    uint32_t start[OPEN + 1];
    size_t count = 0, all = 0;
    for (size_t g = 0; g < (n + 63) / 64; g++) {
        const uint64_t of_group = ~part->sure[g] & (n - g * 64 < 64 ? ((uint64_t)1 << (n & 63)) - 1 : UINT64_MAX);
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

/* Ranks of the next n <= BLOCK samples, of which the first is number `first`, a multiple of 4, to `rank`, which has
 * room for a multiple of UHI_PHILOX_WORDS. With `earlier`, as many outcomes, these are counted. */
static void ranks_of(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    const size_t whole = (n + UHI_PHILOX_WORDS - 1) / UHI_PHILOX_WORDS * UHI_PHILOX_WORDS;
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: ranks_alias(part, whole, rank); break;
    case UH_SAMPLE_BINARY: ranks_binary(part, whole, rank); break;
    default: ranks_guide(part, whole, rank); break;
    }
    close_open(part, first, n, rank);
    go_on(part, whole);
}

/* The same of BLOCK samples. BLOCK outcomes of an earlier block are counted meanwhile. */
static void ranks_and_count(struct part *part, uint64_t first, uint32_t *rank, const uint32_t *earlier,
                            const struct tables *tables) {
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: ranks_count_alias(part, BLOCK, rank, earlier, tables); break;
    case UH_SAMPLE_BINARY:
        count_in_turns(tables, earlier, BLOCK);
        ranks_binary(part, BLOCK, rank);
        break;
    default: ranks_count_guide(part, BLOCK, rank, earlier, tables); break;
    }
    close_open(part, first, BLOCK, rank);
    go_on(part, BLOCK);
}
#else
static void prime(struct part *part) {
    (void)part;
}

static void ranks_of(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    const struct uhi_sample_lanes lanes = part->lanes;
    for (size_t i = 0; i < n; i += UHI_PHILOX_WORDS)
        uhi_philox_store(&part->philox, part->word + i);
#define EACH(method)                                                                                                   \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        uhi_sure sure;                                                                                                 \
        rank[i] = uhi_look_##method(&lanes, part->word[i], &sure);                                                     \
        if (__builtin_expect(!sure, 0))                                                                                \
            rank[i] = look_up(part, part->word[i], first + i);                                                         \
    }
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: EACH(alias) break;
    case UH_SAMPLE_BINARY: EACH(binary) break;
    default: EACH(guide) break;
    }
#undef EACH
}

static void ranks_and_count(struct part *part, uint64_t first, uint32_t *rank, const uint32_t *earlier,
                            const struct tables *tables) {
    count_in_turns(tables, earlier, BLOCK);
    ranks_of(part, first, BLOCK, rank);
}
#endif

static void begin(struct part *part, const struct uhi_sample_look *look, size_t d, uint64_t first) {
    part->table = look->part[d];
    part->lanes = uhi_sample_lanes(look->part[d]);
    part->seed = look->seed;
    part->stream = UHI_SAMPLE_STREAM + 2 * d;
    uhi_philox_begin(&part->philox, part->seed, part->stream, first / 4);
    prime(part);
}

static const uint32_t *map_of(const struct uhi_sample_table *table) {
    return table->method == UH_SAMPLE_ALIAS ? NULL : table->map;
}

/* Outcomes for ranks. */
static void map_ranks(const struct uhi_sample_table *table, uint32_t *rank, size_t n) {
    const uint32_t *map = map_of(table);
    if (map)
        for (size_t i = 0; i < n; i++)
            rank[i] = map[rank[i]];
}

/* Outcomes of samples first .. first + n - 1, n <= BLOCK, in part->rank; first is a multiple of 4 that follows on. */
static void outcomes_of(struct part *part, uint64_t first, size_t n) {
    ranks_of(part, first, n, part->rank);
    map_ranks(part->table, part->rank, n);
}

/* ---- samples ------------------------------------------------------------------------------------------------------
 */

/* Calls `take` with each block of samples less `first` of part d: n outcomes of samples `at` and following, counted
 * from `offset`. */
typedef void take_block(void *context, size_t at, const uint32_t *outcome, size_t n);

static void each_block(const struct uhi_sample_look *look, size_t d, uint64_t offset, size_t n, take_block *take,
                       void *context) {
    struct part part;
    const size_t odd = (size_t)(offset & 3);
    begin(&part, look, d, offset);
    for (size_t at = 0; at < n;) {
        /* The first block begins with samples that are not asked for. */
        const size_t skip = at ? 0 : odd, most = BLOCK - skip, some = n - at < most ? n - at : most;
        outcomes_of(&part, offset + at - skip, some + skip);
        take(context, at, part.rank + skip, some);
        at += some;
    }
}

struct output {
    char *out;
    uint64_t first;
    unsigned shift;
    int add; /* to what is there: not the first part */
};

static void take_wide(void *context, size_t at, const uint32_t *outcome, size_t n) {
    const struct output *o = context;
    char *out = o->out + at * sizeof(uint64_t);
    if (!o->add)
        for (size_t i = 0; i < n; i++) {
            const uint64_t value = o->first + outcome[i];
            memcpy(out + i * sizeof value, &value, sizeof value);
        }
    else
        for (size_t i = 0; i < n; i++) {
            uint64_t value;
            memcpy(&value, out + i * sizeof value, sizeof value);
            value += (uint64_t)outcome[i] << o->shift;
            memcpy(out + i * sizeof value, &value, sizeof value);
        }
}

static void take_narrow(void *context, size_t at, const uint32_t *outcome, size_t n) {
    const struct output *o = context;
    char *out = o->out + at * sizeof(uint32_t);
    if (!o->add)
        for (size_t i = 0; i < n; i++) {
            const uint32_t value = (uint32_t)o->first + outcome[i];
            memcpy(out + i * sizeof value, &value, sizeof value);
        }
    else
        for (size_t i = 0; i < n; i++) {
            uint32_t value;
            memcpy(&value, out + i * sizeof value, sizeof value);
            value += (uint32_t)((uint64_t)outcome[i] << o->shift);
            memcpy(out + i * sizeof value, &value, sizeof value);
        }
}

static void draw_ranks(const struct uhi_sample_look *look, uint64_t offset, size_t n, uint32_t *out) {
    struct output output = {.out = (char *)out};
    const size_t odd = (size_t)((0 - offset) & 3), head = odd < n ? odd : n, blocks = (n - head) / BLOCK * BLOCK;
    struct part part;
    each_block(look, 0, offset, head, take_narrow, &output);
    begin(&part, look, 0, offset + head);
    for (size_t at = head; at < head + blocks; at += BLOCK)
        ranks_of(&part, offset + at, BLOCK, out + at);
    output.out = (char *)(out + head + blocks);
    each_block(look, 0, offset + head + blocks, n - head - blocks, take_narrow, &output);
}

static void draw(const struct uhi_sample_look *look, uint64_t offset, size_t n, int wide, void *out) {
    /* Where ranks are what is stored, they go there. */
    if (!wide && look->parts == 1 && !(uint32_t)look->first && !map_of(look->part[0]) && (uintptr_t)out % 4 == 0) {
        draw_ranks(look, offset, n, out);
        return;
    }
    for (size_t d = 0; d < look->parts; d++) {
        struct output output = {out, look->first, look->shift[d], d > 0};
        each_block(look, d, offset, n, wide ? take_wide : take_narrow, &output);
    }
}

/* ---- counts -------------------------------------------------------------------------------------------------------
 */

static void take_direct(void *context, size_t at, const uint32_t *outcome, size_t n) {
    uint64_t *counts = context;
    (void)at;
    for (size_t i = 0; i < n; i++)
        (void)__atomic_fetch_add(&counts[outcome[i]], 1, __ATOMIC_RELAXED);
}

static void count(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint32_t *tables, size_t pitch,
                  size_t replicas) {
    const struct tables counters = tables_of(tables, pitch, replicas);
    struct part part;
    uint32_t other[BLOCK], *rank[2] = {part.rank, other};
    size_t skip = (size_t)(offset & 3), ready = 0, from = 0;
    unsigned turn = 0;
    begin(&part, look, 0, offset);
    for (uint64_t at = offset - skip, end = offset + n; at != end; turn ^= 1) {
        const size_t some = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        if (ready == BLOCK && some == BLOCK) {
            ranks_and_count(&part, at, rank[turn], rank[!turn], &counters);
        } else {
            count_in_turns(&counters, rank[!turn] + from, ready);
            ranks_of(&part, at, some, rank[turn]);
        }
        map_ranks(part.table, rank[turn], some);
        from = skip;
        ready = some - skip;
        at += some;
        skip = 0;
    }
    count_in_turns(&counters, rank[!turn] + from, ready);
}

static void count_direct(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint64_t *counts) {
    uint32_t some[BLOCK];
    struct uhi_sample_look from_0 = *look;
    if (look->parts == 1) {
        each_block(look, 0, offset, n, take_direct, counts);
        return;
    }
    from_0.first = 0;
    for (uint64_t at = 0; at < n; at += BLOCK) {
        const size_t now = n - at < BLOCK ? (size_t)(n - at) : BLOCK;
        draw(&from_0, offset + at, now, 0, some);
        take_direct(counts, 0, some, now);
    }
}

extern const struct uhi_sample_host JOIN(uhi_sample_host, UH_ISA);
const struct uhi_sample_host JOIN(uhi_sample_host, UH_ISA) = {draw, count, count_direct};
