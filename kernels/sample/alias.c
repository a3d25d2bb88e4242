/* SPDX-License-Identifier: Apache-2.0 */
/* The alias table of sample.h: Vose's construction on integers, so that nothing is rounded. Light columns are filled in
 * order by the heavy outcomes in order, each until it is no longer heavy; then its column is the next to be filled.
 * This needs no lists, and memory is traversed forwards. */
#include <stdlib.h>

#include "kernels/sample/table.h"
#include "runtime/status.h"

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

uh_status uhi_sample_alias(const struct uhi_sample_work *work) {
    struct uhi_sample_table *table = work->table;
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
        return uhi_fail_memory(work->call, "no memory for the alias table of %lu outcomes", (unsigned long)table->size);
    if (table->items == 1)
        for (size_t c = 0; c < columns; c++)
            store_column(table, (uint32_t)c, 0, outcome_of(table, 0));
    else
        fill_columns(&fill);
    return UH_SUCCESS;
}
