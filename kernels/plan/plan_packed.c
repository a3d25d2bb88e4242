/* SPDX-License-Identifier: Apache-2.0 */
/* Thresholds without repetitions: the inner ones, and the cuts, which the host may compare with every value; packed
 * cells (struct uhi_packed of tables.h). */
#include <stdlib.h>

#include "kernels/plan/plan.h"
#include "kernels/plan/types.h"

/* Minimum bits of a position within its cell: with fewer, values would need comparisons too often. */
enum { MIN_FRACTION = 3 };

/* Most cells: positions have 31 bits, and a float32 holds every cell's number exactly. */
enum { MAX_CELLS = 1 << 28, MAX_CELLS_F32 = (1 << 24) - 16 };

/* Entries have MIN_FRACTION + 1 bits left. */
enum { MAX_RANK_BITS = 31 - MIN_FRACTION };

/* Padding after the entries that may be overwritten, see fill_entries. */
enum { ENTRY_PADS = 7 };

/* Returns the bits of a position within a cell, one less than entries have for it, for `cells` cells and 31 bits in
 * total; 0 if too few are left. */
static uint32_t fraction_for(const struct uhi_packed *p, size_t cells) {
    uint32_t fraction = 31 - p->rank_bits;
    while (fraction >= MIN_FRACTION && ((uint64_t)(cells + 8) << fraction) >> 31 != 0)
        fraction--;
    return fraction >= MIN_FRACTION ? fraction : 0;
}

/* Entry of a cell without a cut, which starts at `rank`. */
static uint32_t plain_entry(const struct uhi_packed *p, size_t rank) {
    return UINT32_MAX << p->rank_bits | uhi_single_mark(p->rank_bits) | (uint32_t)(rank + 1);
}

/* Set in a cut's position, which has 31 bits, if no smaller value has it. */
#define EXACT ((uint32_t)1 << 31)

/* Returns the number of a cut's cell or part of 2^bits positions. */
static uint32_t cell_of(uint32_t place, uint32_t bits) { return (place & ~EXACT) >> bits; }

/* Returns the entry of a cell or part of 2^bits positions that starts at `rank` and holds one cut. */
static uint32_t entry_of(const struct uhi_packed *p, uint32_t place, size_t rank, uint32_t bits) {
    uint32_t upper = (uint32_t)((uint64_t)place << (32 - bits)) >> p->rank_bits;
    if (place & EXACT && upper == 0)
        return plain_entry(p, rank + 1);
    return (upper - (place >> 31)) << p->rank_bits | uhi_single_mark(p->rank_bits) | (uint32_t)(rank + 1);
}

/* Returns the entry of a crowded cell or part, whose values are compared with cuts from `rank` on. */
static uint32_t crowded_entry(const struct uhi_packed *p, size_t rank) {
    return p->rank_bits == UHI_RANK_BITS ? (uint32_t)rank << UHI_RANK_BITS : (uint32_t)(rank + 1);
}

/* Sets entries up to `end`, and at most ENTRY_PADS more, without a branch per entry. Returns `end`. */
static size_t fill_entries(uint32_t *entry, size_t from, size_t end, uint32_t value) {
    for (; from < end; from += ENTRY_PADS + 1)
        for (size_t j = 0; j <= ENTRY_PADS; j++)
            entry[from + j] = value;
    return end;
}

/* Returns the end of the cuts from `first` on in cell *at of 2^bits positions, and stores the cell of the cut there. */
static size_t cell_end(const uint32_t *place, size_t first, size_t end, uint32_t bits, uint32_t *at) {
    const uint32_t here = *at;
    do
        *at = ++first < end ? cell_of(place[first], bits) : UINT32_MAX;
    while (*at == here);
    return first;
}

/* Sets the parts of a cell with the cuts first .. end - 1. Returns the maximum cuts in one of them. */
static size_t set_parts(const struct uhi_packed *p, const uint32_t *place, size_t first, size_t end, uint32_t *part) {
    const uint32_t bits = p->fraction - UHI_PART_BITS;
    uint32_t at = cell_of(place[first], bits);
    size_t set = 0, max = 1;
    for (size_t i = first, next; i < end; i = next) {
        set = fill_entries(part, set, at & (((size_t)1 << UHI_PART_BITS) - 1), plain_entry(p, i));
        next = cell_end(place, i, end, bits, &at);
        part[set++] = next == i + 1 ? entry_of(p, place[i], i, bits) : crowded_entry(p, i);
        max = next - i > max ? next - i : max;
    }
    (void)fill_entries(part, set, (size_t)1 << UHI_PART_BITS, plain_entry(p, end));
    return max;
}

/* Makes room for the parts of the crowded cells of the cuts first .. end - 1, if they may have some. Returns -1 if out
 * of memory. */
static int alloc_parts(struct uhi_histogram_plan *plan, struct uhi_packed *p, const uint32_t *place, size_t first,
                       size_t end) {
    uint32_t at = cell_of(place[first], p->fraction);
    size_t crowded = 0;
    if (plan->tables.base || p->rank_bits != UHI_RANK_BITS || p->fraction <= UHI_PART_BITS)
        return 0;
    for (size_t i = first, next; i < end; i = next) {
        next = cell_end(place, i, end, p->fraction, &at);
        crowded += next > i + 1;
    }
    if (crowded > 0)
        p->part = uhi_plan_alloc(plan, (crowded << UHI_PART_BITS) + ENTRY_PADS, sizeof *p->part);
    return crowded > 0 && !p->part ? -1 : 0;
}

/* Sets all entries for m cuts and the comparisons of crowded cells, and notes these in the plan. On a device the first
 * cut is in the first cell even if it is outside: values below have its position, and are compared with it. The last
 * cut is in no cell if it is `beyond` them. Returns -1 if out of memory. */
static int set_entries(struct uhi_histogram_plan *plan, struct uhi_packed *p, const uint32_t *place, size_t m,
                       int for_device, int beyond, uint32_t *entry) {
    const int without = p->outside && !for_device;
    const size_t first = without ? 1 : 0, end = without || beyond ? m - 1 : m;
    uint32_t at = cell_of(place[first], p->fraction);
    size_t cell = 0, max = 1, crowded = 0, compared = 1;
    if (!for_device && alloc_parts(plan, p, place, first, end))
        return -1;
    const struct uhi_packed copy = *p; /* a copy that no store can change */
    for (size_t i = first, next; i < end; i = next) {
        cell = fill_entries(entry, cell, at, plain_entry(&copy, i));
        next = cell_end(place, i, end, copy.fraction, &at);
        if (next == i + 1) {
            entry[cell++] = entry_of(&copy, place[i], i, copy.fraction);
            continue;
        }
        size_t most = next - i;
        max = most > max ? most : max;
        if (copy.part)
            most = set_parts(&copy, place, i, next, copy.part + (crowded << UHI_PART_BITS));
        compared = most > compared ? most : compared;
        entry[cell++] = crowded_entry(&copy, copy.part ? crowded : i);
        crowded++;
    }
    cell = fill_entries(entry, cell, copy.cells, plain_entry(&copy, end));
    entry[cell] = beyond ? crowded_entry(&copy, m - 1) : plain_entry(&copy, m + 1);
    p->steps = uhi_plan_steps(compared);
    p->entry = entry;
    plan->packed_crowded = crowded;
    plan->packed_max = (uint32_t)max;
    return 0;
}

#define UHI_EACH "kernels/plan/plan_packed.inc"
#include "kernels/plan/each_type.inc"
