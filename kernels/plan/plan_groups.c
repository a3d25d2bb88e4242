/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of packed cells by the distribution that an axis carries (tables.h). Where values go into buckets
 * (kernels/histogram/histogram_buckets.c), a bucket per group gets about as many values as the others, and has the
 * cells that its cuts need, with 16 bits for ranks, however the cuts and values are spread. A wrong distribution makes
 * groups of unequal size, and never a wrong rank: the group of a cut is found as that of a value is. */
#include <math.h>
#include <stdlib.h>

#include "kernels/plan/plan.h"

/* Most units: those of 4096 fit the first-level cache with the buckets' ends. Most groups, and their cells per cut.
 * Measured on Zen 4, 1 MiB of second-level cache, with 10^5 to 10^7 bins. */
enum { MAX_UNITS = 4096, MAX_GROUPS = 512, CELLS_PER_CUT = 8 };

/* Groups pay if the tables where values are exceed `hot` bytes, all of them `all` bytes, and this part of vectors has a
 * value in a crowded cell. */
static const struct pays {
    uint64_t hot, all;
    double crowded;
} pays[] = {{256 << 10, 0, 0.5}, {3 << 19, 8 << 20, 0.1}};

void uhi_plan_empty(struct uhi_histogram_plan *plan) {
    for (size_t i = 0; i < plan->tables.group_count; i++)
        uhi_plan_empty((struct uhi_histogram_plan *)(uintptr_t)plan->tables.groups + i);
    for (size_t i = 0; i < plan->owned_count; i++)
        free(plan->owned[i]);
    plan->tables.group_count = 0;
    plan->owned_count = 0;
}

/* Makes the group of `count` cuts from `first` on, with at most `budget` bytes of cells. Returns -1 if out of memory.
 */
static int add_group(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options,
                     struct uhi_plan_grouping by, size_t first, size_t count, size_t budget) {
    struct uhi_histogram_tables *t = &plan->tables;
    struct uhi_histogram_plan *group = (struct uhi_histogram_plan *)(uintptr_t)t->groups + t->group_count++;
    struct uhi_plan_options left = *options;
    left.table_bytes = budget;
    *group = (struct uhi_histogram_plan){.all_cuts = t->cut_count};
    group->tables = (struct uhi_histogram_tables){.compare = t->compare,
                                                  .value_bytes = t->value_bytes,
                                                  .flip = t->flip,
                                                  .cuts = (const char *)t->cuts + first * t->value_bytes,
                                                  .cut_count = (uint32_t)count,
                                                  .first_rank = (uint32_t)first};
    const int failed = by.make(group, &left, (struct uhi_plan_cells){t->packed.map, count * CELLS_PER_CUT, 0});
    group->tables.cut_count = (uint32_t)(t->cut_count - first); /* NaN has one rank in all groups */
    plan->bytes += group->bytes;
    return failed;
}

/* Makes groups of equal weight, of at least two cuts each. Returns -1 if out of memory. */
static int make_groups(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options,
                       struct uhi_plan_grouping by, const struct uhi_plan_unit *units, size_t count, uint16_t *of) {
    struct uhi_histogram_tables *t = &plan->tables;
    const size_t m = t->cut_count;
    const size_t taken = ((size_t)t->packed.cells + 1) * sizeof(uint32_t);
    const size_t left = options->table_bytes > taken ? options->table_bytes - taken : 0;
    double weight = 0;
    for (size_t unit = 0, first = 0, end = 0; unit < count; unit++) {
        end += units[unit].cuts;
        weight += units[unit].share + units[unit].cuts / (double)m;
        of[unit] = (uint16_t)t->group_count;
        if (unit + 1 < count && (weight * (MAX_GROUPS - 1) < 2 || end - first < 2 || m - end < 2))
            continue;
        if (add_group(plan, options, by, first, end - first,
                      (size_t)((double)left / (double)m * (double)(end - first))))
            return -1;
        first = end;
        weight = 0;
    }
    return 0;
}

/* Returns the fraction of vectors with a value in a crowded cell. */
static double crowded_vectors(const struct uhi_histogram_tables *t, const struct uhi_plan_options *options,
                              const struct uhi_plan_unit *units, size_t count) {
    double crowded = 0;
    for (size_t unit = 0; unit < count; unit++)
        crowded += units[unit].share * units[unit].repeated / (double)((size_t)1 << t->group_shift);
    return 1 - pow(1 - fmin(crowded, 1), (options->costs ? options->costs : uhi_costs_of(NULL))->vector);
}

/* Returns the bytes of tables where values are. Values of equal density, in some of the units, are in 1 / (the sum of
 * squared shares) units. */
static uint64_t hot_bytes(const struct uhi_histogram_tables *t, const struct uhi_plan_unit *units, size_t count,
                          int crowds) {
    const size_t per_cut = sizeof(uint32_t) + (crowds ? t->value_bytes : 0);
    double squares = 0, cuts = 0;
    for (size_t unit = 0; unit < count; unit++)
        squares += units[unit].share * units[unit].share;
    for (size_t unit = 0; unit < count; unit++)
        cuts += units[unit].share >= squares / 4 ? units[unit].cuts : 0;
    return (uint64_t)(ldexp(sizeof(uint32_t) / squares, (int)t->group_shift) + cuts * (double)per_cut);
}

int uhi_plan_groups(struct uhi_histogram_plan *plan, const struct uhi_plan_options *options,
                    struct uhi_plan_grouping by) {
    struct uhi_histogram_tables *t = &plan->tables;
    while (t->packed.cells >> t->group_shift >= MAX_UNITS)
        t->group_shift++;
    const size_t count = (t->packed.cells >> t->group_shift) + 1;
    struct uhi_plan_unit *units = calloc(count, sizeof *units);
    if (!units)
        return -1;
    by.add_units(plan, units);
    const uint64_t all = ((uint64_t)t->packed.cells + t->cut_count) * sizeof(uint32_t);
    const double crowded = crowded_vectors(t, options, units, count);
    t->hot_bytes = hot_bytes(t, units, count, crowded >= pays[1].crowded);
    int failed = 0;
    if ((t->hot_bytes >= pays[0].hot && crowded >= pays[0].crowded) ||
        (t->hot_bytes >= pays[1].hot && all >= pays[1].all && crowded >= pays[1].crowded)) {
        uint16_t *of = uhi_plan_alloc(plan, count, sizeof *of);
        t->group_of = of;
        t->groups = uhi_plan_alloc(plan, MAX_GROUPS, sizeof *t->groups);
        failed = t->groups && of ? make_groups(plan, options, by, units, count, of) : -1;
    }
    free(units);
    return failed;
}
