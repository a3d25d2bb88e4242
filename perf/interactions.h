/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of mean shift by tiles: as many vector operations as interactions take at least, with nothing that one of
 * them would have to wait for; compiled once for each x86-64 level. */
#ifndef PERF_INTERACTIONS_H
#define PERF_INTERACTIONS_H

#include <stddef.h>

/* Operations of an interaction, a lane, by the pipes of the CPU that they need: integers, which may go to any,
 * multiplications, and what goes where additions of floats go: these, conversions, comparisons. No kind has more than
 * the next one. */
struct perf_operations {
    unsigned integers, multiplications, additions;
};

struct perf_interactions {
    /* Does the operations of that many interactions, rounded up to whole vectors, on numbers that stay 1. Returns the
     * mean of the vectors' lanes: 1. */
    double (*f32)(size_t interactions, struct perf_operations each);
    double (*f64)(size_t interactions, struct perf_operations each);
};
extern const struct perf_interactions perf_interactions_v2, perf_interactions_v3, perf_interactions_v4;

/* Those for a level as the library names it, "v2", "v3" or "v4". */
static inline const struct perf_interactions *perf_interactions(const char *isa) {
    switch (isa[0] ? isa[1] : 0) {
    case '4': return &perf_interactions_v4;
    case '3': return &perf_interactions_v3;
    default: return &perf_interactions_v2;
    }
}

#endif
