/* SPDX-License-Identifier: Apache-2.0 */
/* What the library must answer, written from the definitions in <unihist/histogram.h> alone: serial, without tables,
 * every number an x86 `long double`, whose 64-bit significand holds each float32, float64, int64 and uint64 exactly.
 *
 * A slot is 0 below the first bin, j + 1 in bin j (0 <= j < k), k + 1 above the last bin, k + 2 for NaN. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <unihist/base.h>
#include <unihist/histogram.h>

struct oracle_axis {
    long double *memory, *edges; /* of the edges, with room for an infinite one at either end */
    size_t nedges;
    uh_closed closed;
    int below, above; /* 1: the first edge is -inf, or the last one +inf, of a bin for all that is beyond the others */
    int categories;   /* 1: the edges are values, each a bin; `above`: there is a bin for all others */
};

static inline size_t oracle_bins(const struct oracle_axis *axis) {
    return axis->categories ? axis->nedges + (size_t)axis->above : axis->nedges - 1;
}

/* The element at `p`, of any alignment, as a long double. */
long double oracle_value(uh_dtype dtype, const void *p);

/* Writes `x` as an element of `dtype` to `p`, of any alignment: rounded to nearest for floats; for integers towards
 * zero, limited to what the type holds, NaN as 0. Returns the number that was written. */
long double oracle_store(uh_dtype dtype, long double x, void *p);

/* The neighbour of `x` among the values of `dtype`, above it for direction > 0, else below; `x` itself at the end. */
long double oracle_neighbour(uh_dtype dtype, long double x, int direction);

/* The order of long doubles, for qsort. */
int oracle_ascending(const void *a, const void *b);

/* Zeroed memory for n elements, to be freed; none of malloc's, which tests can make fail. */
void *oracle_memory(size_t n, size_t element);

/* Copies edges of any type. Freed by oracle_axis_free. */
struct oracle_axis oracle_axis_of(uh_dtype dtype, const void *edges, size_t nedges, uh_closed closed);
void oracle_axis_free(struct oracle_axis *axis);

/* Adds the bins beyond the others, of which the axis has none yet. */
void oracle_axis_add_flow_bins(struct oracle_axis *axis, uh_flow_bins which);

/* The slot by looking at every bin, one after the other: the definition itself. */
size_t oracle_slot_scan(const struct oracle_axis *axis, long double x);

/* The slot by bisection; the tests show that it is the same. */
size_t oracle_slot(const struct oracle_axis *axis, long double x);

/* numpy.digitize with the axis's rule: the slot, k + 1 also for NaN. */
int64_t oracle_index(const struct oracle_axis *axis, long double x);

/* The paper's eq. (5) without logarithms: the smallest n >= 0 with range <= smallest * bins^(n+1), for bins >= 2.
 * `slack` is the relative error allowed to the quotient, because widths are differences of rounded edges. */
unsigned oracle_depth(long double range, long double smallest, size_t bins, long double slack);

/* What a histogram of many values must be: a plain binary search on float64 edges, by several threads. For what float64
 * holds exactly it is the definition in oracle.h, as the tests show; unihist-perf takes it for a hundred million
 * values.
 */

/* Counts of k bins and of what falls in none. */
struct oracle_counts {
    uint64_t *bins; /* k of them, the caller's */
    uint64_t below, above, nan;
};

/* The slot of x among k bins [edges[j], edges[j+1]), the last one closed: 0 below, j + 1 in bin j, k + 1 above, k + 2
 * for NaN. */
size_t oracle_slot_f64(const double *edges, size_t k, double x);

/* Counts n values of type f32, f64, i32, i64 (compared as float64) or u8, with `threads` threads. Returns 0, or -1
 * where memory is lacking or the type is another. */
int oracle_count(const void *x, uh_dtype dtype, size_t n, const double *edges, size_t k, uint32_t threads,
                 struct oracle_counts *counts);
