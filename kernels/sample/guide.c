/* SPDX-License-Identifier: Apache-2.0 */
/* The guide table of sample.h. Threads fill it in chunks of cells; the split cells are counted first, because their
 * parts follow all cells. A split cell has the boundaries of two items or more, so there are at most items / 2 of them,
 * a quarter of 2^bits, as 2^bits >= 2 items. */
#include <stdlib.h>

#include "kernels/common/values.h"
#include "kernels/sample/table.h"
#include "kernels/sample/tuning.h"

enum { MAX_MORE = 6, MIN_BITS = 8 };

struct guide {
    struct uhi_sample_table *table;
    uint32_t chunk_bits;
    uint32_t *splits; /* per chunk; later: total before it */
    size_t chunks;
};

static uint32_t bits_for(uint32_t items) {
    const uint64_t each = items <= UHI_SAMPLE_SMALL_GUIDE ? 8 : items <= UHI_SAMPLE_MIDDLE_GUIDE ? 4 : 2;
    uint32_t bits = MIN_BITS;
    while (((uint64_t)1 << bits) < each * items)
        bits++;
    return bits;
}

/* Returns the entry for the 2^s words from `start` on, which begin in rank *rank, or `crowded` if they have more than
 * one boundary. Moves *rank to their end. */
static uint32_t entry_of(const struct uhi_sample_table *table, uint64_t start, uint32_t s, uint32_t *rank,
                         uint32_t crowded) {
    const uint64_t end = start + ((uint64_t)1 << s);
    const uint32_t first = *rank;
    uint32_t next = first + 1;
    while (next < table->items && table->top[next] < end)
        next++;
    const uint32_t boundaries = next - first - 1;
    /* A boundary exactly at the next cell's first word counts as before that cell. */
    *rank = next < table->items && table->top[next] == end && table->low[next] == 0 ? next : next - 1;
    if (boundaries > 1)
        return crowded;
    return (first << s) + (boundaries ? (uint32_t)(end - table->top[first + 1]) : 0);
}

/* Processes chunk `c`: counts split cells if table->cells is NULL, otherwise fills cells, and parts from number `split`
 * on. */
static uint32_t walk_guide(const struct guide *guide, size_t c, uint32_t split) {
    const struct uhi_sample_table *table = guide->table;
    const uint32_t s = 32 - table->bits, s2 = s - table->more, none = UINT32_MAX;
    const size_t first = c << guide->chunk_bits, end = first + ((size_t)1 << guide->chunk_bits);
    uint32_t rank = uhi_sample_search(table->top, table->low, table->items, (uint32_t)((uint64_t)first << s), 0);
    for (size_t cell = first; cell < end; cell++) {
        const uint64_t start = (uint64_t)cell << s;
        uint32_t part_rank = rank;
        const uint32_t entry = entry_of(table, start, s, &rank, none);
        if (entry != none) {
            if (table->cells)
                table->cells[cell] = entry;
            continue;
        }
        if (table->cells) {
            uint32_t *parts = table->cells + ((size_t)1 << table->bits) + ((size_t)split << table->more);
            table->cells[cell] = (uhi_sample_first_split(table->bits) + split) << s;
            for (uint64_t p = 0; p < (uint64_t)1 << table->more; p++)
                parts[p] = entry_of(table, start + (p << s2), s2, &part_rank, table->items << s2);
        }
        split++;
    }
    return split;
}

static void count_chunk(const void *context, size_t c, __attribute__((unused)) size_t chunks) {
    const struct guide *guide = context;
    guide->splits[c] = walk_guide(guide, c, 0);
}

static void fill_chunk(const void *context, size_t c, __attribute__((unused)) size_t chunks) {
    const struct guide *guide = context;
    (void)walk_guide(guide, c, guide->splits[c]);
}

/* The finest split whose parts fit in half of the cells' memory. */
static uint32_t more_for(uint32_t bits, uint32_t splits) {
    const uint32_t max = 32 - bits - 1 < MAX_MORE ? 32 - bits - 1 : MAX_MORE;
    uint32_t more = 1;
    while (more < max && (uint64_t)splits << (more + 1) <= (uint64_t)1 << (bits - 1))
        more++;
    return more;
}

int uhi_sample_guide(const uh_queue *queue, struct uhi_sample_table *table) {
    struct guide guide = {.table = table};
    table->bits = bits_for(table->items);
    guide.chunk_bits = table->bits < UHI_SAMPLE_CELLS_LOG ? table->bits : UHI_SAMPLE_CELLS_LOG;
    guide.chunks = (size_t)1 << (table->bits - guide.chunk_bits);
    guide.splits = malloc(guide.chunks * sizeof *guide.splits);
    if (!guide.splits)
        return 0;
    uhi_host_parallel(queue, "sample: split", count_chunk, &guide, guide.chunks);
    for (size_t c = 0; c < guide.chunks; c++) {
        const uint32_t of_chunk = guide.splits[c];
        guide.splits[c] = table->splits;
        table->splits += of_chunk;
    }
    table->more = more_for(table->bits, table->splits);
    table->cell_count = ((size_t)1 << table->bits) + ((size_t)table->splits << table->more);
    table->cells = uhi_sample_words(table->cell_count);
    if (table->cells)
        uhi_host_parallel(queue, "sample: guide", fill_chunk, &guide, guide.chunks);
    free(guide.splits);
    return table->cells != NULL;
}
