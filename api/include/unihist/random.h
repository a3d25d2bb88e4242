/* SPDX-License-Identifier: Apache-2.0 */
/** @file random.h
 * Counter-based random numbers: element i of a stream is a function of (generator, seed, stream, i) only, so any part
 * of a stream can be computed separately, on any device and by any number of threads, and equals that part of the
 * whole, to the bit.
 *
 * With a generator's block b of four words:
 * - UH_PHILOX4X32_10: words of 32 bits; the key is {seed's low half, seed's high half}, the counter {b's low half, b's
 *   high half, stream's low half, stream's high half}. uint32 element i is word i mod 4 of block i div 4; uint64
 *   element i is uint32 elements 2i (its low half) and 2i + 1.
 * - UH_PHILOX4X64_10: words of 64 bits; the key is {seed, stream}, the counter {b, 0, 0, 0}. uint64 element i is word i
 *   mod 4 of block i div 4; uint32 element i is the low (i even) or high half of uint64 element i div 2.
 *
 * float32 element i is uint32 element i div 2^8, times 2^-24; float64 element i is uint64 element i div 2^11, times
 * 2^-53: exact, in [0, 1), never 1.
 *
 * A stream has 2^64 elements of 32 bits and 2^63 of 64 bits (with UH_PHILOX4X64_10: 2^64 of either, as many as an
 * offset can address). Samplers use streams from 2^63 on (sample.h). Not for cryptography: the seed can be found from
 * some of the numbers.
 *
 * A queue selects where to compute. `out` may be plain host memory or USM of the queue's device, aligned to its element
 * (otherwise UH_ERROR_INVALID_ARGUMENT); it is complete on return. n may be 0, with `out` NULL then. An invalid
 * generator, another dtype, a bound of floats, and an offset and n beyond the stream are UH_ERROR_INVALID_ARGUMENT:
 * outputs are untouched then. Calls may also return the errors of uh_parallel_for.
 *
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11. */
#ifndef UNIHIST_RANDOM_H
#define UNIHIST_RANDOM_H

#include <unihist/base.h>
#include <unihist/device.h>

UH_BEGIN_C

/** Generators; the values are stable. */
typedef enum uh_generator {
    UH_PHILOX4X32_10 = 0, /**< four words of 32 bits, ten rounds: the fastest on every device */
    UH_PHILOX4X64_10 = 1  /**< four words of 64 bits, ten rounds; NumPy's Philox, whose first block is number 1 */
} uh_generator;

/** A position in a stream of a generator. */
typedef struct uh_random_stream {
    uh_generator generator;
    uint64_t seed;
    uint64_t stream; /**< number of the stream; each has its own numbers */
    uint64_t offset; /**< number of the first element */
} uh_random_stream;

/** Stores n elements of a stream, from `from->offset` on. `dtype` is UH_U32 or UH_U64 for integers, UH_F32 (multiples
 * of 2^-24) or UH_F64 (multiples of 2^-53; works on a device without double) for numbers in [0, 1), whose `bound` is 0.
 *
 * Integers are below `bound`, all exactly equally probable. With B = 2^32 or 2^64, according to the type, bound is at
 * most B; 0 stands for B: the elements themselves. Element i is the upper half of the product of bound and element i of
 * the stream, of that type, unless the product's lower half is below B mod bound: then element i of stream `stream ^ (t
 * << 32)` is tried, for t = 1, 2, ... (D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29,
 * 2019). */
UH_API uh_status uh_random(uh_queue *queue, const uh_random_stream *from, uint64_t bound, uh_dtype dtype, void *out,
                           size_t n);

/* ---- quasi-random numbers ---------------------------------------------------------------------------------------- */

/** How Sobol points are randomised: each is then exactly uniform, and each elementary interval keeps its number of
 * points. The values are stable. */
typedef enum uh_scramble {
    UH_SCRAMBLE_OWEN = 0,  /**< nested uniform scramble by a hash, then the shift */
    UH_SCRAMBLE_SHIFT = 1, /**< digital shift: XOR with a random word */
    UH_SCRAMBLE_NONE = 2   /**< the sequence itself, whose first point is 0 */
} uh_scramble;

enum { UH_SOBOL_MAX_DIMS = 1024 };

/** A position in a Sobol sequence. */
typedef struct uh_sobol {
    size_t dims; /**< coordinates of a point, 1 to UH_SOBOL_MAX_DIMS */
    uh_scramble scramble;
    uint64_t seed, stream; /**< of the scramble */
    uint64_t offset;       /**< number of the first point; all are below 2^32 */
} uh_sobol;

/** Stores n points of a Sobol sequence, from `from->offset` on, in rows of dims elements. `dtype` is UH_U32 for words,
 * UH_F32 (word div 2^8, times 2^-24) or UH_F64 (word times 2^-32; works on a device without double): exact, in [0, 1).
 *
 * Unscrambled, the word of dimension j of point i is the XOR of the direction numbers v_(j,b) = m_(j,b + 1) 2^(31 - b)
 * of the bits b that i ^ (i >> 1) has: Gray's order, which the authors' program and SciPy have. The numbers m are those
 * of new-joe-kuo-6 (S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM
 * J. Sci. Comput. 30, 2008). The scrambled word is the XOR of shift and, with `owen`, of w scrambled by a hash of the
 * word's bits in the opposite order (S. Laine, T. Karras, "Stratified sampling for stochastic transparency", 2011; B.
 * Burley, "Practical hash-based Owen scrambling", 2020; constants by N. Vegdahl): modulo 2^32
 *
 *     a ^= a * 0x3d20adea; a += key; a *= key >> 16 | 1; a ^= a * 0x05526c56; a ^= a * 0x53a22864
 *
 * where key and shift are words 0 and 1 of block j of the stream of UH_PHILOX4X32_10 with this seed. */
UH_API uh_status uh_random_sobol(uh_queue *queue, const uh_sobol *from, uh_dtype dtype, void *out, size_t n);

UH_END_C

#endif
