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
    OPEN = BLOCK / 64 /* words of 64 bits, one for each sample, that tell which are open */
};

/* A part on its way through the samples. */
struct part {
    const struct uhi_sample_table *table;
    struct uhi_sample_lanes lanes;
    struct uhi_philox philox; /* of w */
    uint64_t seed, stream;
    uint32_t word[BLOCK];
    uint32_t rank[BLOCK];
    uint64_t open[OPEN];
};

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

/* ---- by the block ---- */

#if defined(__AVX2__)
/* Ranks of n words from the generator, n a multiple of UHI_PHILOX_WORDS, to `rank`. Words are looked up while the next
 * are made: their gathers then need not wait for the end of ten rounds. */
#define RANKS(method)                                                                                                  \
    static inline void some_##method(struct part *part, const struct uhi_sample_lanes *lanes, size_t i,                \
                                     uint32_t *rank) {                                                                 \
        for (size_t end = i + UHI_PHILOX_WORDS; i < end; i += UHI_LANES_32) {                                          \
            uhi_again again;                                                                                           \
            uhi_x32_store(rank + i, uhi_look_##method(lanes, uhi_x32_load(part->word + i), &again));                   \
            uhi_look_store((uint8_t *)part->open + i / 8, again);                                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void ranks_##method(struct part *part, size_t n, uint32_t *rank) {                                          \
        const struct uhi_sample_lanes lanes = part->lanes;                                                             \
        struct uhi_philox philox = part->philox;                                                                       \
        size_t i = 0;                                                                                                  \
        uhi_philox_store(&philox, part->word);                                                                         \
        for (; i + UHI_PHILOX_WORDS < n; i += UHI_PHILOX_WORDS) {                                                      \
            uhi_philox_store(&philox, part->word + i + UHI_PHILOX_WORDS);                                              \
            some_##method(part, &lanes, i, rank);                                                                      \
        }                                                                                                              \
        some_##method(part, &lanes, i, rank);                                                                          \
        part->philox = philox;                                                                                         \
    }
RANKS(guide)
RANKS(alias)
RANKS(binary)

/* Looks up what is open among n samples of which the first is number `first`. */
static void close_open(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    uint8_t list[OPEN];
    size_t count = 0;
    for (size_t g = 0; g < (n + 63) / 64; g++) {
        list[count] = (uint8_t)g;
        count += part->open[g] != 0;
    }
    for (size_t l = 0; l < count; l++)
        for (uint64_t open = part->open[list[l]]; open; open &= open - 1) {
            const size_t i = (size_t)list[l] * 64 + (size_t)__builtin_ctzll(open);
            if (i < n)
                rank[i] = look_up(part, part->word[i], first + i);
        }
}

/* Ranks of the next n <= BLOCK samples, of which the first is number `first`, a multiple of 4, to `rank`, which has
 * room for a multiple of UHI_PHILOX_WORDS. */
static void ranks_of(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    const size_t whole = (n + UHI_PHILOX_WORDS - 1) / UHI_PHILOX_WORDS * UHI_PHILOX_WORDS;
    part->open[(n - 1) / 64] = 0;
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: ranks_alias(part, whole, rank); break;
    case UH_SAMPLE_BINARY: ranks_binary(part, whole, rank); break;
    default: ranks_guide(part, whole, rank); break;
    }
    close_open(part, first, n, rank);
}
#else
static void ranks_of(struct part *part, uint64_t first, size_t n, uint32_t *rank) {
    const struct uhi_sample_lanes lanes = part->lanes;
    for (size_t i = 0; i < n; i += UHI_PHILOX_WORDS)
        uhi_philox_store(&part->philox, part->word + i);
#define EACH(method)                                                                                                   \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        uhi_again again;                                                                                               \
        rank[i] = uhi_look_##method(&lanes, part->word[i], &again);                                                    \
        if (__builtin_expect(again, 0))                                                                                \
            rank[i] = look_up(part, part->word[i], first + i);                                                         \
    }
    switch (part->table->method) {
    case UH_SAMPLE_ALIAS: EACH(alias) break;
    case UH_SAMPLE_BINARY: EACH(binary) break;
    default: EACH(guide) break;
    }
#undef EACH
}
#endif

static void begin(struct part *part, const struct uhi_sample_look *look, size_t d, uint64_t first) {
    part->table = look->part[d];
    part->lanes = uhi_sample_lanes(look->part[d]);
    part->seed = look->seed;
    part->stream = UHI_SAMPLE_STREAM + 2 * d;
    uhi_philox_begin(&part->philox, part->seed, part->stream, first / 4);
}

static const uint32_t *map_of(const struct uhi_sample_table *table) {
    return table->method == UH_SAMPLE_ALIAS ? NULL : table->map;
}

/* Outcomes of samples first .. first + n - 1, n <= BLOCK, in part->rank; first is a multiple of 4 that follows on. */
static void outcomes_of(struct part *part, uint64_t first, size_t n) {
    const uint32_t *map = map_of(part->table);
    ranks_of(part, first, n, part->rank);
    if (map)
        for (size_t i = 0; i < n; i++)
            part->rank[i] = map[part->rank[i]];
}

/* ---- samples ---- */

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

/* ---- counts ---- */

struct tables {
    uint32_t *table;
    size_t pitch, replicas;
};

static void take_count(void *context, size_t at, const uint32_t *outcome, size_t n) {
    const struct tables *t = context;
    uint32_t *c0 = t->table, *c1 = t->replicas > 1 ? c0 + t->pitch : c0;
    uint32_t *c2 = t->replicas > 2 ? c0 + 2 * t->pitch : c0, *c3 = t->replicas > 2 ? c0 + 3 * t->pitch : c1;
    size_t i = 0;
    (void)at;
    for (; i + 4 <= n; i += 4) {
        c0[outcome[i]]++;
        c1[outcome[i + 1]]++;
        c2[outcome[i + 2]]++;
        c3[outcome[i + 3]]++;
    }
    for (; i < n; i++)
        c0[outcome[i]]++;
}

static void take_direct(void *context, size_t at, const uint32_t *outcome, size_t n) {
    uint64_t *counts = context;
    (void)at;
    for (size_t i = 0; i < n; i++)
        (void)__atomic_fetch_add(&counts[outcome[i]], 1, __ATOMIC_RELAXED);
}

static void count(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint32_t *tables, size_t pitch,
                  size_t replicas) {
    each_block(look, 0, offset, n, take_count, &(struct tables){tables, pitch, replicas});
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
