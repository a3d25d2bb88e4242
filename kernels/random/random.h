/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk: shared by host and device code. Device kernels take their parameters one by one
 * (random_run.c). */
#pragma once

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include <unihist/random.h>

enum uhi_random_kind {
    UHI_RANDOM_U32,
    UHI_RANDOM_U64,
    UHI_RANDOM_F32,
    UHI_RANDOM_F64,
    UHI_RANDOM_BOUNDED_32,      /* uint32 from uint32 elements */
    UHI_RANDOM_BOUNDED_32_WIDE, /* the same numbers as uint64 */
    UHI_RANDOM_BOUNDED_64       /* uint64 from uint64 elements */
};

struct uhi_random_job {
    uh_generator generator;
    enum uhi_random_kind kind;
    uint64_t seed, stream, offset;
    uint64_t bound;        /* of bounded kinds; 0: 2^32 or 2^64 */
    uint64_t min_accepted; /* products with a lower half below this are refused: 2^32 or 2^64, mod bound */
    uint64_t add;          /* added to bounded numbers, in their width */
    int sequence;          /* not 0: points of this kind of Sobol's sequence (sequence.h), whose elements are rows */
    size_t scrambled;      /* 0 or 1 */
    size_t dims;           /* numbers of a row; otherwise 1 */
    const uint32_t *table;
};

/* Whether a kind is made from uint64 elements. */
static inline int uhi_random_from_64(enum uhi_random_kind kind) {
    return kind == UHI_RANDOM_U64 || kind == UHI_RANDOM_F64 || kind == UHI_RANDOM_BOUNDED_64;
}

/* Numbers are refused if the lower half of their product is below this. */
static inline uint64_t uhi_random_min_accepted(enum uhi_random_kind kind, uint64_t bound) {
    return bound ? (kind == UHI_RANDOM_BOUNDED_64 ? 0 - bound : (UINT64_C(1) << 32) - bound) % bound : 0;
}

/* Bytes of a stored element. */
static inline size_t uhi_random_size(enum uhi_random_kind kind) {
    return uhi_random_from_64(kind) || kind == UHI_RANDOM_BOUNDED_32_WIDE ? 8 : 4;
}

/* Stores the job's first n elements at `out`, plain host memory or USM; returns when all are stored. The caller need
 * not set `min_accepted`, `table` and, without a sequence, `dims`; `bound` is at most 2^32 for 32-bit elements, and the
 * position in a sequence is valid. Checks generator, `out`, and that the stream has these elements:
 * UH_ERROR_INVALID_ARGUMENT, naming `call`. */
uh_status uhi_random_fill(uh_queue *queue, const char *call, const struct uhi_random_job *job, void *out, size_t n);

/* Host functions; one table per x86-64 level. */
struct uhi_random_host {
    /* Stores the job's elements `from` to from + n - 1, counted from its offset, contiguously at `out`. */
    void (*fill)(const struct uhi_random_job *job, uint64_t from, size_t n, void *out);
};
#endif
