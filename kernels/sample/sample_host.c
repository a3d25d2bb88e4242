/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sampling on the CPU, compiled once per x86-64 level: blocks of samples, stored or counted. */
#include "kernels/sample/sample.h"

#include <string.h>

#include "kernels/registry.h"
#include "kernels/sample/sample_block.h"

extern const struct uhi_random_host UHI_JOIN(uhi_random_host, UH_ISA);

enum { AHEAD = 32 /* samples by which counters are prefetched */ };

static void begin(struct part *part, const struct uhi_sample_look *look, size_t d, uint64_t first) {
    part->table = look->form->part[d];
    part->lanes = uhi_sample_lanes(part->table);
    part->scalar_loads = look->scalar_loads;
    part->seed = look->seed;
    part->stream = UHI_SAMPLE_STREAM + 2 * d;
    uhi_philox_begin(&part->philox, part->seed, part->stream, first / 4);
    prime(part);
}

static const uint32_t *map_of(const struct uhi_sample_table *table) {
    return table->method == UH_SAMPLE_ALIAS ? NULL : table->map;
}

/* Replaces ranks by outcomes. */
static void map_ranks(const struct uhi_sample_table *table, uint32_t *rank, size_t n) {
    const uint32_t *map = map_of(table);
    if (map)
        for (size_t i = 0; i < n; i++)
            rank[i] = map[rank[i]];
}

/* Stores the outcomes of samples first .. first + n - 1, n <= BLOCK, in part->rank; first is a multiple of 4 and
 * continues the sequence. */
static void outcomes_of(struct part *part, uint64_t first, size_t n) {
    ranks_of(part, first, n, part->rank);
    map_ranks(part->table, part->rank, n);
}

/* ---- samples ---- */

/* Calls `take` with each block of samples of part d, less `first`: n outcomes of samples `at` and following, counted
 * from `offset`. */
typedef void take_block(void *context, size_t at, const uint32_t *outcome, size_t n);

static void each_uniform(const struct uhi_sample_look *look, uint64_t offset, size_t n, take_block *take,
                         void *context) {
    const struct uhi_random_host *random = &UHI_JOIN(uhi_random_host, UH_ISA);
    struct uhi_random_job job = look->uniform;
    _Alignas(64) uint32_t outcome[BLOCK];
    job.offset = offset;
    for (size_t at = 0; at < n;) {
        /* All blocks but the first begin with a block of the generator. */
        const size_t room = at ? BLOCK : BLOCK - (size_t)(offset & 3), some = n - at < room ? n - at : room;
        random->fill(&job, at, some, outcome);
        take(context, at, outcome, some);
        at += some;
    }
}

static void each_block(const struct uhi_sample_look *look, size_t d, uint64_t offset, size_t n, take_block *take,
                       void *context) {
    struct part part;
    const size_t odd = (size_t)(offset & 3);
    if (look->uniform.bound) {
        each_uniform(look, offset, n, take, context);
        return;
    }
    begin(&part, look, d, offset);
    for (size_t at = 0; at < n;) {
        /* The first block begins with samples that were not requested. */
        const size_t skip = at ? 0 : odd, room = BLOCK - skip, some = n - at < room ? n - at : room;
        outcomes_of(&part, offset + at - skip, some + skip);
        take(context, at, part.rank + skip, some);
        at += some;
    }
}

struct output {
    char *out;
    uint64_t first;
    unsigned shift;
    int add; /* to the values there: not the first part */
};

/* Stores samples as values of type T. */
#define TAKE(name, T)                                                                                                  \
    static void name(void *context, size_t at, const uint32_t *outcome, size_t n) {                                    \
        const struct output *o = context;                                                                              \
        char *out = o->out + at * sizeof(T);                                                                           \
        if (!o->add)                                                                                                   \
            for (size_t i = 0; i < n; i++) {                                                                           \
                const T value = (T)o->first + outcome[i];                                                              \
                memcpy(out + i * sizeof value, &value, sizeof value);                                                  \
            }                                                                                                          \
        else                                                                                                           \
            for (size_t i = 0; i < n; i++) {                                                                           \
                T value;                                                                                               \
                memcpy(&value, out + i * sizeof value, sizeof value);                                                  \
                value += (T)((uint64_t)outcome[i] << o->shift);                                                        \
                memcpy(out + i * sizeof value, &value, sizeof value);                                                  \
            }                                                                                                          \
    }
TAKE(take_wide, uint64_t)
TAKE(take_narrow, uint32_t)

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
    /* If the output consists of ranks, they are written there directly. */
    const struct uhi_sampler_form *form = look->form;
    if (!wide && form->parts == 1 && !(uint32_t)look->first && !map_of(form->part[0]) && (uintptr_t)out % 4 == 0) {
        draw_ranks(look, offset, n, out);
        return;
    }
    for (size_t d = 0; d < form->parts; d++) {
        struct output output = {out, look->first, form->shift[d], d > 0};
        each_block(look, d, offset, n, wide ? take_wide : take_narrow, &output);
    }
}

/* ---- counts ---- */

static void take_direct(void *context, __attribute__((unused)) size_t at, const uint32_t *outcome, size_t n) {
    uint64_t *counts = context;
    /* There are many counts, and each atomic addition waits for its counter before the next one starts loading its
     * own. */
    for (size_t i = 0; i < n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): a block has its outcomes */
        __builtin_prefetch(&counts[outcome[i + AHEAD < n ? i + AHEAD : i]], 1);
        (void)__atomic_fetch_add(&counts[outcome[i]], 1, __ATOMIC_RELAXED);
    }
}

static void take_in_turns(void *context, __attribute__((unused)) size_t at, const uint32_t *outcome, size_t n) {
    count_in_turns(context, outcome, n);
}

static void count(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint32_t *tables, size_t pitch,
                  size_t replicas) {
    struct tables counters = tables_of(tables, pitch, replicas);
    struct part part;
    /* cppcheck-suppress unassignedVariable */
    uint32_t other[BLOCK], *rank[2] = {part.rank, other};
    size_t skip = (size_t)(offset & 3), ready = 0, from = 0;
    unsigned turn = 0;
    if (look->uniform.bound) {
        each_uniform(look, offset, n, take_in_turns, &counters);
        return;
    }
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
    if (look->form->parts <= 1) {
        each_block(look, 0, offset, n, take_direct, counts);
        return;
    }
    for (uint64_t at = 0; at < n; at += BLOCK) {
        const size_t now = n - at < BLOCK ? (size_t)(n - at) : BLOCK;
        draw(look, offset + at, now, 0, some);
        take_direct(counts, 0, some, now);
    }
}

UHI_HOST_TABLE(sample) = {draw, count, count_direct};
