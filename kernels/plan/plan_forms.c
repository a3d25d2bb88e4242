/* SPDX-License-Identifier: Apache-2.0 */
/* The host's forms: comparison with every cut, and packed cells (struct uhi_packed of tables.h). The cells have
 * about the number and width of those of the planner's map. */
#include <stdlib.h>

#include "kernels/plan/plan.h"
#include "kernels/plan/types.h"

/* Minimum bits of a position within its cell: with fewer, values would need comparisons too often. */
enum { MIN_FRACTION = 8 };

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
    return UINT32_MAX << p->rank_bits | (uint32_t)(rank + 1);
}

/* Positions of a cut and of the next smaller value. */
struct place {
    uint32_t at, before;
};

/* Returns how many of the cuts first .. end - 1 are in the same cell or part as the first. */
static size_t cuts_together(const struct place *place, size_t first, size_t end, uint32_t shift) {
    const uint32_t here = place[first].at >> shift;
    size_t next = first + 1;
    while (next < end && place[next].at >> shift == here)
        next++;
    return next - first;
}

/* Returns the entry of a cell or part that starts at `rank` and holds one cut. `whole`: bits of a position within
 * it. */
static uint32_t entry_of(const struct uhi_packed *p, struct place place, size_t rank, uint32_t whole) {
    uint32_t upper = (uint32_t)((uint64_t)place.at << (32 - whole)) >> p->rank_bits;
    int exact = place.before < place.at; /* no smaller value has this position */
    if (exact && upper == 0)
        return plain_entry(p, rank + 1);
    return (exact ? upper - 1 : upper) << p->rank_bits | (uint32_t)(rank + 1);
}

/* Returns the entry of a part that starts at `rank` and holds several cuts; comparisons start there, or with the
 * first cut if an entry has no room for the rank. */
static uint32_t several_entry(const struct uhi_packed *p, size_t rank) {
    return p->rank_bits == UHI_RANK_BITS ? (uint32_t)rank << UHI_RANK_BITS : 0;
}

/* Sets entries up to `end`, and at most ENTRY_PADS more, without a branch per entry. Returns `end`. */
static size_t fill_entries(uint32_t *entry, size_t from, size_t end, uint32_t value) {
    for (; from < end; from += ENTRY_PADS + 1)
        for (size_t j = 0; j <= ENTRY_PADS; j++)
            entry[from + j] = value;
    return end;
}

/* Sets the parts of a crowded cell. Returns the maximum number of cuts in one of them. */
static size_t set_parts(const struct uhi_packed *p, const struct place *place, size_t first, size_t end,
                        uint32_t *part) {
    const uint32_t whole = p->fraction - UHI_PART_BITS;
    size_t set = 0, max = 1;
    for (size_t i = first, count; i < end; i += count) {
        size_t here = place[i].at >> whole & (((size_t)1 << UHI_PART_BITS) - 1);
        count = cuts_together(place, i, end, whole);
        set = fill_entries(part, set, here, plain_entry(p, i));
        part[set++] = count == 1 ? entry_of(p, place[i], i, whole) : several_entry(p, i);
        max = count > max ? count : max;
    }
    (void)fill_entries(part, set, (size_t)1 << UHI_PART_BITS, plain_entry(p, end));
    return max;
}

/* Output of set_entries; `crowded` is NULL or has one number per 2^UHI_CROWD_BITS cells. */
struct packed_tables {
    uint32_t *entry, *part, *crowded;
};

/* Sets all entries for m cuts. Returns the maximum number of cuts in a part of a crowded cell. */
static size_t set_entries(struct uhi_packed *p, const struct place *place, size_t m, const struct packed_tables *to) {
    const size_t end = m - (p->outside ? 1 : 0);
    uint32_t *entry = to->entry, *part = to->part;
    size_t cell = 0, max = 1, number = 0, before = 0, group = 0;
    for (size_t i = p->outside ? 1 : 0, count; i < end; i += count) {
        size_t here = place[i].at >> p->fraction;
        count = cuts_together(place, i, end, p->fraction);
        cell = fill_entries(entry, cell, here, plain_entry(p, i));
        for (; to->crowded && group <= here >> UHI_CROWD_BITS; group++) {
            before = number;
            to->crowded[group] = (uint32_t)before;
        }
        entry[cell++] =
            count == 1 ? entry_of(p, place[i], i, p->fraction) : (uint32_t)(number - before) << p->rank_bits;
        if (count > 1) {
            size_t max_here = set_parts(p, place, i, i + count, part + (number++ << UHI_PART_BITS));
            max = max_here > max ? max_here : max;
        }
    }
    cell = fill_entries(entry, cell, p->cells, plain_entry(p, end));
    entry[cell] = plain_entry(p, m + 1);
    const size_t among = max > 1 && p->rank_bits != UHI_RANK_BITS ? m : max;
    for (p->steps = 0; ((size_t)1 << p->steps) <= among;)
        p->steps++;
    p->entry = entry;
    p->part = part;
    p->crowded = to->crowded;
    return max;
}

static size_t crowded_cells(const struct uhi_packed *p, const struct place *place, size_t m) {
    const size_t end = m - (p->outside ? 1 : 0);
    size_t crowded = 0, run = 0;
    for (size_t i = p->outside ? 2 : 1; i < end; i++) {
        run = place[i - 1].at >> p->fraction == place[i].at >> p->fraction ? run + 1 : 0;
        crowded += run == 1;
    }
    return crowded;
}

#define UHI_EACH "kernels/plan/plan_forms.inc"
#include "kernels/plan/each_type.inc"
