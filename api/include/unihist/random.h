/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file random.h
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
 * generator, a dtype that the call does not name, and an offset and n beyond the stream are UH_ERROR_INVALID_ARGUMENT:
 * outputs are untouched then. Calls may also return the errors of uh_parallel_for.
 *
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
 */
#ifndef UNIHIST_RANDOM_H
#define UNIHIST_RANDOM_H

#include <unihist/base.h>
#include <unihist/runtime.h>

UH_BEGIN_C

/** Generators; the values are stable. */
typedef enum uh_generator {
    UH_PHILOX4X32_10 = 0, /**< four words of 32 bits, ten rounds: the fastest on every device */
    UH_PHILOX4X64_10 = 1  /**< four words of 64 bits, ten rounds; NumPy's Philox, whose first block is number 1 */
} uh_generator;

/** Names are philox4x32 and philox4x64. */
UH_API const char *uh_generator_name(uh_generator generator);
UH_API uh_status uh_generator_from_name(const char *name, uh_generator *generator);

/** Stores uint32 or uint64 elements offset .. offset + n - 1 of the stream; `dtype` is UH_U32 or UH_U64. */
UH_API uh_status uh_random_bits(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                uint64_t offset, uh_dtype dtype, void *out, size_t n);

/**
 * Stores float32 or float64 elements; `dtype` is UH_F32 (multiples of 2^-24) or UH_F64 (multiples of 2^-53; works on a
 * device without double).
 */
UH_API uh_status uh_random_uniform(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                   uint64_t offset, uh_dtype dtype, void *out, size_t n);

/**
 * Stores integers below `bound`, all exactly equally probable; `dtype` is UH_U32 or UH_U64. With B = 2^32 or 2^64,
 * according to the type, bound is at most B, and 0 stands for B. Element i is the upper half of the product of bound
 * and element i of the stream, of that type, unless the product's lower half is below B mod bound: then element i of
 * stream `stream ^ (t << 32)` is tried, for t = 1, 2, ... (D. Lemire, "Fast random integer generation in an interval",
 * ACM TOMACS 29, 2019).
 */
UH_API uh_status uh_random_bounded(uh_queue *queue, uh_generator generator, uint64_t seed, uint64_t stream,
                                   uint64_t offset, uint64_t bound, uh_dtype dtype, void *out, size_t n);

UH_END_C

#endif
