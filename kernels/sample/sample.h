/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sampling: shared by host and device code.
 *
 * Sample i of a seed consists of up to UHI_SAMPLE_PARTS parts (one, except for the digits of the geometric
 * distribution). Part d looks up u = 2^32 w + v in its table, w and v being uint32 elements i of Philox4x32-10 streams
 * UHI_SAMPLE_STREAM + 2d and UHI_SAMPLE_STREAM + 2d + 1; v is computed only if w does not decide. The sample is `first`
 * plus the sum of (part d's outcome << shift[d]), in 64 bits or, for 32-bit outputs, in 32 bits.
 *
 * Tables are arrays of 32-bit words (struct uhi_sample_table in table.h points to them):
 *
 * cumulative, `items` entries: outcomes of mass 0 are left out; the others have ranks 0 .. items - 1.
 *   top[r], low[r]  upper and lower half of C at the start of rank r; top[0] = low[0] = 0. Strictly increasing.
 *   map[r]          the outcome; no map if all outcomes have mass
 *   The rank of u is the last r with C_r <= u: UNIHIST and BINARY.
 *
 * guide (UHI_SAMPLE_UNIHIST): with s = 32 - bits, a cell is the 2^s words w with the same leading `bits` bits.
 *   x = cells[w >> s] + (w & (2^s - 1)); rank = x >> s
 *   (A device has cells[c] - (c << s) for its first 2^bits cells, and adds w unmasked.)
 *   If rank < items, it is the answer unless the low s bits of x are all 0: then w may equal top[rank], and if it does
 * and v < low[rank], the answer is rank - 1.
 *   If rank >= 2^(bits - 1), that is, if the top bit of x is set, the cell has several boundaries and is split into
 * 2^more equal parts. f = rank - 2^(bits - 1), s2 = s - more, and the look-up is repeated: x2 = cells[2^bits + (f <<
 * more) + ((w >> s2) & (2^more - 1))] + (w & (2^s2 - 1)); rank2 = x2 >> s2, ties as above with s2 for s. If rank2 >=
 * items, the answer is found by binary search in (top, low). Why: a cell that begins in rank r (a boundary at its very
 * first word, if no other follows, counts as before it) and has one boundary, at its word t, holds (r << s) + (2^s -
 * t): the sum carries into the rank at word t; without a boundary t = 2^s. (2^(bits - 1) + f) << s is a split cell.
 * items <= 2^(bits - 1), splits <= 2^(bits - 2), and 1 <= more < s, so nothing overflows.
 *
 * alias (UHI_SAMPLE_ALIAS): 2^bits columns, bits >= 1, of 2^(64 - bits) parts of mass each; with s = 32 - bits:
 *   c = w >> s, r = w & (2^s - 1); the answer is outcome c if r < threshold[c], or r == threshold[c] and v < rest[c];
 * otherwise outcome alias[c]. No map: columns are outcomes. A full column has threshold 2^s, rest 0 and itself as
 * alias. v is needed only if r == threshold[c] and rest[c] is not 0. */
#pragma once

/* Streams of part d: this + 2d, this + 2d + 1. And the stream of uniform integers. */
#define UHI_SAMPLE_STREAM         0x8000000000000000u
#define UHI_SAMPLE_STREAM_UNIFORM 0x8000000000000010u

#define UHI_SAMPLE_PARTS 4

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include "kernels/random/random.h"

struct uhi_sample_table;

/* Definition of a sampler with outcomes first .. last. Either `uniform`, with equal probabilities and no part; or 1 to
 * UHI_SAMPLE_PARTS parts, whose outcomes, shifted by shift[d] (0 for the first), are added to `first`. */
struct uhi_sampler_form {
    int64_t first, last;
    struct uhi_sample_table *part[UHI_SAMPLE_PARTS];
    unsigned shift[UHI_SAMPLE_PARTS];
    size_t parts;
    int uniform;
    int borrows; /* the parts' tables belong to another sampler */
};

/* Parameters of host functions. */
struct uhi_sample_look {
    const struct uhi_sampler_form *form;
    uint64_t first; /* added to samples, in two's complement */
    uint64_t seed;
    int scalar_loads;              /* load entries one by one (kernels/common/loads.h) */
    struct uhi_random_job uniform; /* bounded 32-bit numbers to count if the form is uniform; otherwise of bound 0 */
};

/* Host functions, one table per x86-64 level. Samples are offset .. offset + n - 1. */
struct uhi_sample_host {
    /* Stores samples as 32 bits, or 64 bits (`wide`), at any address. */
    void (*draw)(const struct uhi_sample_look *look, uint64_t offset, size_t n, int wide, void *out);
    /* Counts fewer than 2^32 samples of a form with one part or none, less its `first`, cycling through `replicas` (1,
     * 2 or 4) tables of `pitch` counters. */
    void (*count)(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint32_t *tables, size_t pitch,
                  size_t replicas);
    /* The same for any number of parts, added to `counts`, to which other threads may add at the same time. */
    void (*count_direct)(const struct uhi_sample_look *look, uint64_t offset, uint64_t n, uint64_t *counts);
};
#endif
