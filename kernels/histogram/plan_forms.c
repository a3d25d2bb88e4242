/* SPDX-License-Identifier: Apache-2.0 */
/* The host's forms: comparison with every cut, and packed cells (struct uhi_packed of tables.h). The cells are about as
 * many and as wide as those of the map that the planner has chosen. */
#include "kernels/histogram/plan.h"
#include "kernels/histogram/types.h"

/* Bits of a position within its cell. With fewer than the least, values would go on to compare too often. */
enum { MOST_FRACTION = 15, LEAST_FRACTION = 8 };

/* An entry's half holds a rank and 1 more. */
#define MOST_RANKS ((uint32_t)UINT16_MAX)

/* Bits of a position within a cell, where there are so many cells and 31 bits in all; 0 where too few are left. */
static uint32_t fraction_for(size_t cells) {
    uint32_t fraction = MOST_FRACTION;
    while (fraction >= LEAST_FRACTION && ((uint64_t)(cells + 8) << fraction) >> 31 != 0)
        fraction--;
    return fraction >= LEAST_FRACTION ? fraction : 0;
}

/* The planner's cells, but no more than the first-level cache holds or 16 for each cut: what lies in a crowded one
 * costs only another look-up. */
static size_t fewer_cells(size_t cells, size_t cuts) {
    size_t most = 4096;
    while (most < 16 * cuts)
        most *= 2;
    return cells < most ? cells : most;
}

/* A cell without a cut: what begins there has reached so many. */
static uint32_t plain_entry(size_t rank) {
    return (uint32_t)UINT16_MAX << 16 | (uint32_t)(rank + 1);
}

#define UHI_EACH "kernels/histogram/plan_forms.inc"
#include "kernels/histogram/each_type.inc"
