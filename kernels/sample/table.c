/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of probabilities (defined in table.h). For the cumulative, threads process the masses in chunks: first for the
 * chunks' sums, then for the cumulative, and again if some outcomes have no mass, because only then are the ranks of
 * the others known. */
#include "kernels/sample/table.h"

#include <stdlib.h>

#include "kernels/common/values.h"
#include "kernels/sample/tuning.h"
#include "runtime/status.h"

enum { BLOCK = 512 /* masses requested at a time */ };

/* Division by T: T < 2^127 shifted left until its bit 126 is set, and floor((2^254 - 1) / that). */
struct divisor {
    uhi_mass t;
    unsigned shift;
    uint64_t high, low;
};

struct chunk {
    uhi_mass before; /* sum of all masses before the chunk */
    uint32_t items;  /* outcomes with mass */
    uint32_t rank;   /* items before it */
};

struct scan {
    const struct uhi_masses *masses;
    struct uhi_sample_table *table;
    struct divisor divisor;
    uhi_mass total;
    struct chunk *chunk;
    size_t chunks;
    int placed; /* ranks are known */
};

static struct divisor make_divisor(uhi_mass total) {
    struct divisor d = {.t = total};
    while (!(d.t >> 126)) {
        d.t <<= 1;
        d.shift++;
    }
    /* Long division of 2^254 - 1, one bit at a time; the quotient is below 2^128 because t >= 2^126. */
    uhi_mass rest = ((uhi_mass)1 << 126) - 1, quotient = 0;
    for (int i = 0; i < 128; i++) {
        rest = rest << 1 | 1;
        quotient <<= 1;
        if (rest >= d.t) {
            rest -= d.t;
            quotient |= 1;
        }
    }
    d.high = (uint64_t)(quotient >> 64);
    d.low = (uint64_t)quotient;
    return d;
}

/* floor(p * 2^64 / T) for p < T. With R = 2^64 high + low, p R / 2^190 is below the quotient by less than p / 2^190 + p
 * / T / 2^62 < 2^-61; omitting the low parts of products subtracts less than 3 units of 2^-62 more. So the estimate is
 * the floor or one less, and the remainder is below 2 T < 2^128. */
static uint64_t divide(const struct divisor *d, uhi_mass p) {
    p <<= d->shift;
    const uint64_t high = (uint64_t)(p >> 64), low = (uint64_t)p;
    const uhi_mass estimate = (uhi_mass)high * d->high + (uint64_t)((uhi_mass)low * d->high >> 64) +
                              (uint64_t)((uhi_mass)high * d->low >> 64);
    const uint64_t quotient = (uint64_t)(estimate >> 62);
    const uhi_mass rest = (p << 64) - quotient * d->t;
    return quotient + (rest >= d->t);
}

static void sum_chunk(const void *context, size_t c, __attribute__((unused)) size_t chunks) {
    const struct scan *scan = context;
    const size_t from = c * UHI_SAMPLE_CHUNK;
    const size_t end = scan->masses->n - from < UHI_SAMPLE_CHUNK ? scan->masses->n : from + UHI_SAMPLE_CHUNK;
    uhi_mass mass[BLOCK], sum = 0;
    for (size_t i = from, n; i < end; i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        scan->masses->get(scan->masses->context, i, n, mass);
        for (size_t j = 0; j < n; j++)
            sum += mass[j];
    }
    scan->chunk[c].before = sum;
}

static void fill_chunk(const void *context, size_t c, __attribute__((unused)) size_t chunks) {
    const struct scan *scan = context;
    const struct uhi_sample_table *table = scan->table;
    struct chunk *chunk = &scan->chunk[c];
    const size_t from = c * UHI_SAMPLE_CHUNK;
    const size_t end = scan->masses->n - from < UHI_SAMPLE_CHUNK ? scan->masses->n : from + UHI_SAMPLE_CHUNK;
    uhi_mass mass[BLOCK], p = chunk->before;
    size_t at = scan->placed ? chunk->rank : from;
    uint64_t start = p < scan->total ? divide(&scan->divisor, p) : 0;
    /* After the last mass p is the total: nothing is stored then. */
    for (size_t i = from, n; i < end && p < scan->total; i += n) {
        n = end - i < BLOCK ? end - i : BLOCK;
        scan->masses->get(scan->masses->context, i, n, mass);
        for (size_t j = 0; j < n && p < scan->total; j++) {
            if (!mass[j])
                continue;
            p += mass[j];
            const uint64_t next = p < scan->total ? divide(&scan->divisor, p) : 0;
            if (next == start && p < scan->total)
                continue;
            table->top[at] = (uint32_t)(start >> 32);
            table->low[at] = (uint32_t)start;
            if (table->map)
                table->map[at] = (uint32_t)(i + j);
            at++;
            start = next;
        }
    }
    chunk->items = (uint32_t)(at - (scan->placed ? chunk->rank : from));
}

static void sum_up(struct scan *scan) {
    uhi_mass sum = 0;
    for (size_t c = 0; c < scan->chunks; c++) {
        const uhi_mass of_chunk = scan->chunk[c].before;
        scan->chunk[c].before = sum;
        sum += of_chunk;
    }
    scan->total = sum;
    scan->divisor = make_divisor(sum);
}

static void place(struct scan *scan) {
    uint32_t rank = 0;
    for (size_t c = 0; c < scan->chunks; c++) {
        scan->chunk[c].rank = rank;
        rank += scan->chunk[c].items;
    }
    scan->table->items = rank;
}

/* Returns 0 if out of memory, as does make_alias. */
static int make_cumulative(const uh_queue *queue, const struct uhi_masses *masses, struct uhi_sample_table *table) {
    struct scan scan = {
        .masses = masses, .table = table, .chunks = (masses->n + UHI_SAMPLE_CHUNK - 1) / UHI_SAMPLE_CHUNK};
    scan.chunk = calloc(scan.chunks, sizeof *scan.chunk);
    table->top = uhi_sample_words(masses->n);
    table->low = uhi_sample_words(masses->n);
    int made = scan.chunk && table->top && table->low;
    if (!made)
        goto out;
    uhi_host_parallel(queue, "sample: sum", sum_chunk, &scan, scan.chunks);
    sum_up(&scan);
    uhi_host_parallel(queue, "sample: cumulative", fill_chunk, &scan, scan.chunks);
    place(&scan);
    if (table->items == masses->n)
        goto out;
    scan.placed = 1;
    table->map = uhi_sample_words(table->items);
    made = table->map != NULL;
    if (made)
        uhi_host_parallel(queue, "sample: cumulative", fill_chunk, &scan, scan.chunks);
out:
    free(scan.chunk);
    return made;
}

/* ---- the alias table of sample.h ------------------------------------------------------------------------------------
 * Vose's construction on integers, so that nothing is rounded. Light columns are filled in order by the heavy outcomes
 * in order, each until it is no longer heavy; then its column is the next to be filled. This needs no lists, and memory
 * is traversed forwards. */

struct fill {
    struct uhi_sample_table *table;
    uint64_t capacity; /* of a column */
    uint32_t heavy;    /* the donating rank; table->items if all are filled */
    uint64_t left;     /* of the donor's mass */
};

/* Returns the mass of a rank in a table of at least two items; the mass of a single item would not fit. */
static uint64_t mass_of(const struct uhi_sample_table *table, uint32_t rank) {
    const uint64_t start = (uint64_t)table->top[rank] << 32 | table->low[rank];
    const uint32_t next = rank + 1;
    return (next < table->items ? (uint64_t)table->top[next] << 32 | table->low[next] : 0) - start;
}

static uint32_t outcome_of(const struct uhi_sample_table *table, uint32_t rank) {
    return table->map ? table->map[rank] : rank;
}

static uint32_t next_heavy(const struct fill *fill, uint32_t rank) {
    while (rank < fill->table->items && mass_of(fill->table, rank) <= fill->capacity)
        rank++;
    return rank;
}

static void store_column(struct uhi_sample_table *table, uint32_t column, uint64_t own, uint32_t alias) {
    table->threshold[column] = (uint32_t)(own >> 32);
    table->rest[column] = (uint32_t)own;
    table->alias[column] = alias;
}

/* The heavy rank has given enough: the next one fills its column. */
static void close_heavy(struct fill *fill) {
    while (fill->heavy < fill->table->items && fill->left <= fill->capacity) {
        const uint32_t column = outcome_of(fill->table, fill->heavy), next = next_heavy(fill, fill->heavy + 1);
        const uint64_t own = fill->left;
        if (own == fill->capacity || next == fill->table->items) {
            store_column(fill->table, column, fill->capacity, column);
        } else {
            store_column(fill->table, column, own, outcome_of(fill->table, next));
        }
        fill->heavy = next;
        if (next < fill->table->items)
            fill->left = mass_of(fill->table, next) - (fill->capacity - own);
    }
}

static void fill_columns(struct fill *fill) {
    struct uhi_sample_table *table = fill->table;
    const uint32_t columns = (uint32_t)1 << table->bits;
    fill->heavy = next_heavy(fill, 0);
    if (fill->heavy < table->items)
        fill->left = mass_of(table, fill->heavy);
    for (uint32_t column = 0, rank = 0; column < columns; column++) {
        const int has_mass = rank < table->items && outcome_of(table, rank) == column;
        const uint64_t mass = has_mass ? mass_of(table, rank) : 0;
        rank += has_mass ? 1 : 0;
        if (mass > fill->capacity)
            continue;
        if (mass == fill->capacity) {
            store_column(table, column, mass, column);
            continue;
        }
        store_column(table, column, mass, outcome_of(table, fill->heavy));
        fill->left -= fill->capacity - mass;
        close_heavy(fill);
    }
}

static int make_alias(struct uhi_sample_table *table) {
    struct fill fill = {.table = table};
    table->bits = 1;
    while ((uint32_t)1 << table->bits < table->size)
        table->bits++;
    const size_t columns = (size_t)1 << table->bits;
    fill.capacity = (uint64_t)1 << (64 - table->bits);
    table->threshold = uhi_sample_words(columns);
    table->rest = uhi_sample_words(columns);
    table->alias = uhi_sample_words(columns);
    if (!table->threshold || !table->rest || !table->alias)
        return 0;
    if (table->items == 1)
        for (size_t c = 0; c < columns; c++)
            store_column(table, (uint32_t)c, 0, outcome_of(table, 0));
    else
        fill_columns(&fill);
    return 1;
}

/* ---- the whole table ---- */

uh_status uhi_sample_table_create(uh_queue *queue, const char *call, const struct uhi_masses *masses,
                                  uh_sample_method method, struct uhi_sample_table **table) {
    struct uhi_sample_table *made = calloc(1, sizeof *made);
    if (made) {
        made->method = method == UH_SAMPLE_AUTO ? UH_SAMPLE_UNIHIST : method;
        made->size = (uint32_t)masses->n;
    }
    if (!made || !make_cumulative(queue, masses, made) || (made->method == UH_SAMPLE_ALIAS && !make_alias(made)) ||
        (made->method == UH_SAMPLE_UNIHIST && !uhi_sample_guide(queue, made))) {
        uhi_sample_table_destroy(made);
        return uhi_fail_memory(call, "no memory for the tables of %zu outcomes", masses->n);
    }
    *table = made;
    return UH_SUCCESS;
}

void uhi_sample_table_destroy(struct uhi_sample_table *table) {
    if (!table)
        return;
    free(table->top);
    free(table->low);
    free(table->map);
    free(table->cells);
    free(table->threshold);
    free(table->rest);
    free(table->alias);
    free(table);
}
