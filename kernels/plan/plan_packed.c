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

/* Positions of a cut and of the next smaller value. */
struct place {
    uint32_t at, before;
};

/* Returns the entry of a cell that starts at `rank` and holds one cut. */
static uint32_t entry_of(const struct uhi_packed *p, struct place place, size_t rank) {
    uint32_t upper = (uint32_t)((uint64_t)place.at << (32 - p->fraction)) >> p->rank_bits;
    int exact = place.before < place.at; /* no smaller value has this position */
    if (exact && upper == 0)
        return plain_entry(p, rank + 1);
    return (exact ? upper - 1 : upper) << p->rank_bits | uhi_single_mark(p->rank_bits) | (uint32_t)(rank + 1);
}

/* Returns the entry of a crowded cell, whose values are compared with cuts from `rank` on. */
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

/* Sets all entries for m cuts and the comparisons of crowded cells, and notes these in the plan. On a device the first
 * cut is in the first cell even if it is outside: values below have its position, and are compared with it. The last
 * cut is in no cell if it is `beyond` them. */
static void set_entries(struct uhi_histogram_plan *plan, struct uhi_packed *p, const struct place *place, size_t m,
                        int for_device, int beyond, uint32_t *entry) {
    const int without = p->outside && !for_device;
    const size_t end = without || beyond ? m - 1 : m;
    size_t cell = 0, max = 1, crowded = 0;
    for (size_t i = without ? 1 : 0, next; i < end; i = next) {
        const size_t here = place[i].at >> p->fraction;
        for (next = i + 1; next < end && place[next].at >> p->fraction == here;)
            next++;
        cell = fill_entries(entry, cell, here, plain_entry(p, i));
        entry[cell++] = next == i + 1 ? entry_of(p, place[i], i) : crowded_entry(p, i);
        crowded += next > i + 1;
        max = next - i > max ? next - i : max;
    }
    cell = fill_entries(entry, cell, p->cells, plain_entry(p, end));
    entry[cell] = beyond ? crowded_entry(p, m - 1) : plain_entry(p, m + 1);
    for (p->steps = 0; ((size_t)1 << p->steps) <= max;)
        p->steps++;
    p->entry = entry;
    plan->packed_crowded = crowded;
    plan->packed_max = (uint32_t)max;
}

#define UHI_EACH "kernels/plan/plan_packed.inc"
#include "kernels/plan/each_type.inc"
