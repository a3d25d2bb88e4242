/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sampling: what the host's and the devices' code share.
 *
 * Sample i of a seed is made of up to UHI_SAMPLE_PARTS parts (one, but for the digits of the geometric distribution).
 * Part d looks u = 2^32 w + v up in its table, w and v being uint32 elements i of Philox4x32-10 streams
 * UHI_SAMPLE_STREAM + 2d and UHI_SAMPLE_STREAM + 2d + 1; v is computed only where w does not decide. The sample is
 * `first` plus the sum of (part d's outcome << shift[d]), in 64 bits or, for outputs of 32 bits, in 32 bits.
 *
 * Tables are arrays of 32-bit words (struct uhi_sample_table of table.h points to them):
 *
 * cumulative, of `items` entries: outcomes of mass 0 are left out, so that the others have ranks 0 .. items - 1.
 *   top[r], low[r]  upper and lower half of C at the start of rank r; top[0] = low[0] = 0. Strictly increasing.
 *   map[r]          the outcome; no map where all outcomes have mass
 *   The rank of u is the last r with C_r <= u: UNIHIST and BINARY.
 *
 * guide (UHI_SAMPLE_UNIHIST): with s = 32 - bits, a cell is the 2^s words w that begin with the same `bits` bits.
 *   x = cells[w >> s] + (w & (2^s - 1)); rank = x >> s
 *   (A device has cells[c] - (c << s) for its first 2^bits cells, and adds w as it is.)
 *   Where rank < items it is the answer unless the low s bits of x are all 0: then w may be as large as top[rank], and
 *   if it is, and v < low[rank], the answer is rank - 1.
 *   Where rank >= 2^(bits - 1), that is where the top bit of x is set, the cell has several boundaries and is split
 * into 2^more equal parts. f = rank - 2^(bits - 1), s2 = s - more, and the same once more: x2 = cells[2^bits + (f <<
 * more) + ((w >> s2) & (2^more - 1))] + (w & (2^s2 - 1)); rank2 = x2 >> s2, ties as above with s2 for s. Where rank2 >=
 * items the answer is found by binary search in (top, low). Why: a cell that begins in rank r (a boundary at its very
 * first word, if no other follows, counts as before it) and has one boundary, at its word t, holds (r << s) + (2^s -
 * t): the sum carries into the rank at word t; t = 2^s where it has none. (2^(bits - 1) + f) << s is a split cell.
 * items <= 2^(bits - 1), splits <= 2^(bits - 2), and 1 <= more < s, so nothing overflows.
 *
 * alias (UHI_SAMPLE_ALIAS): 2^bits columns, bits >= 1, of 2^(64 - bits) parts of mass each; with s = 32 - bits:
 *   c = w >> s, r = w & (2^s - 1); the answer is the outcome c if r < threshold[c], or r == threshold[c] and
 *   v < rest[c]; else outcome alias[c]. No map: columns are outcomes. A full column has threshold 2^s, rest 0 and
 *   itself for an alias. v is needed only where r == threshold[c] and rest[c] is not 0. */
#ifndef UHI_SAMPLE_H
#define UHI_SAMPLE_H

/* Streams of part d: this + 2d, this + 2d + 1. And that of uniform integers. */
#define UHI_SAMPLE_STREAM         0x8000000000000000u
#define UHI_SAMPLE_STREAM_UNIFORM 0x8000000000000010u

#define UHI_SAMPLE_PARTS 4

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include "kernels/random/random.h"

struct uhi_sample_table;

/* What samples are made of. */
struct uhi_sample_look {
    const struct uhi_sample_table *part[UHI_SAMPLE_PARTS];
    unsigned shift[UHI_SAMPLE_PARTS];
    size_t parts;
    uint64_t first; /* two's complement */
    uint64_t seed;
    int each;                      /* entries are loaded one by one (kernels/common/loads.h) */
    struct uhi_random_job uniform; /* bounded numbers of 32 bits instead of one part, to be counted; bound 0: none */
};

/* The host's functions, one table for each x86-64 level. Samples are offset .. offset + n - 1. */
struct uhi_sample_host {
    /* Stores samples as 32 bits, or as 64 (`wide`), at any address. */
    void (*draw)(const struct uhi_sample_look *look, uint64_t offset, size_t n, int wide, void *out);
    /* Counts samples less `first`, of one part, in `replicas` (1, 2 or 4) tables of `pitch` counters by turns. Fewer
     * than 2^32. */
    void (*count)(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint32_t *tables, size_t pitch,
                  size_t replicas);
    /* The same of any parts, added to `counts` while other threads do so too. */
    void (*count_direct)(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint64_t *counts);
};
#endif

#endif
