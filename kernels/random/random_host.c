/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers in bulk on the CPU; compiled once per x86-64 level. */
#include "kernels/random/random.h"

#include "kernels/common/philox_simd.h"
#include "kernels/common/sequence.h"
#include "kernels/registry.h"

enum {
    CHUNK = 1024, /* elements whose words stay in the first-level cache between two loops */
    GROUP = 256,  /* elements of a chunk tested together for refused bounded numbers */
    MANY = 32     /* a further stream is made for a whole chunk if more than one in this many tries it */
};

/* ---- words ---- */

/* uint32 elements i to i + n - 1. */
static void words_4x32(uint64_t seed, uint64_t stream, uint64_t i, char *out, size_t n) {
    struct uhi_philox p;
    for (; n > 0 && i % 4 != 0; i++, n--, out += sizeof(uint32_t)) {
        const uint32_t word = uhi_philox4x32_u32(seed, stream, i);
        memcpy(out, &word, sizeof word);
    }
    if (n == 0)
        return;
    uhi_philox_begin(&p, seed, stream, i / 4);
    for (; n >= UHI_PHILOX_WORDS; n -= UHI_PHILOX_WORDS, out += UHI_PHILOX_WORDS * sizeof(uint32_t))
        uhi_philox_store(&p, out);
    if (n > 0) {
        uint32_t last[UHI_PHILOX_WORDS];
        uhi_philox_store(&p, last);
        memcpy(out, last, n * sizeof *last);
    }
}

/* The halves, lower first, of uint64 elements from index i on, without the first `skip` halves. */
static void words_4x64(uint64_t seed, uint64_t stream, uint64_t i, size_t skip, char *out, size_t n) {
    uint64_t block = i / 4;
    skip += 2 * (size_t)(i % 4);
    for (size_t here; n > 0; n -= here, out += here * sizeof(uint32_t), skip = 0) {
        const uhi_philox_block_64 words = uhi_philox4x64(seed, stream, block++);
        if (skip == 0 && n >= 8) {
            memcpy(out, words.v, sizeof words.v);
            here = 8;
            continue;
        }
        here = 8 - skip < n ? 8 - skip : n;
        memcpy(out, (const char *)words.v + skip * sizeof(uint32_t), here * sizeof(uint32_t));
    }
}

/* Elements of `size` bytes, from index i on. */
static void words(const struct uhi_random_job *job, uint64_t stream, uint64_t i, size_t size, void *out, size_t n) {
    const size_t each = size / sizeof(uint32_t);
    if (job->generator == UH_PHILOX4X32_10)
        words_4x32(job->seed, stream, each * i, out, each * n);
    else if (each == 1)
        words_4x64(job->seed, stream, i / 2, i % 2, out, n);
    else
        words_4x64(job->seed, stream, i, 0, out, 2 * n);
}

static uint32_t element_32(const struct uhi_random_job *job, uint64_t stream, uint64_t i) {
    return job->generator == UH_PHILOX4X32_10 ? uhi_philox4x32_u32(job->seed, stream, i)
                                              : uhi_philox4x64_u32(job->seed, stream, i);
}

static uint64_t element_64(const struct uhi_random_job *job, uint64_t stream, uint64_t i) {
    return job->generator == UH_PHILOX4X32_10 ? uhi_philox4x32_u64(job->seed, stream, i)
                                              : uhi_philox4x64_u64(job->seed, stream, i);
}

/* ---- floats ---- */

static float float_of(uint32_t word) { return (float)(int32_t)(word >> 8) * 0x1p-24f; }

static void floats_32(const struct uhi_random_job *job, uint64_t i, size_t n, float *out) {
    _Alignas(64) uint32_t word[CHUNK];
    words(job, job->stream, i, sizeof *word, word, n);
    for (size_t j = 0; j < n; j++)
        out[j] = float_of(word[j]);
}

/* As many floats of Philox4x32 as whole vectors make, with their words in registers; returns their number. */
static size_t floats_4x32(const struct uhi_random_job *job, uint64_t i, size_t n, float *out) {
    const uhi_vf32 scale = uhi_set_f32(0x1p-24f);
    const size_t head = (size_t)(-i % 4);
    size_t done = head;
    struct uhi_philox p;
    if (n < head + UHI_PHILOX_WORDS)
        return 0;
    for (size_t j = 0; j < head; j++)
        out[j] = float_of(uhi_philox4x32_u32(job->seed, job->stream, i + j));
    uhi_philox_begin(&p, job->seed, job->stream, (i + head) / 4);
    for (; n - done >= UHI_PHILOX_WORDS; done += UHI_PHILOX_WORDS) {
        uhi_x32 word[UHI_PHILOX_VECTORS];
        uhi_philox_next(&p, word);
        for (size_t v = 0; v < UHI_PHILOX_VECTORS; v++) {
            const uhi_vf32 some = uhi_mul_f32(uhi_float_i32(uhi_srl_i32((uhi_vi32)word[v], 8)), scale);
            memcpy(out + done + v * UHI_LANES_32, &some, sizeof some);
        }
    }
    return done;
}

/* A 53-bit integer as a double. Below AVX-512 no instruction converts several, so both halves become the last bits of a
 * power of two, which is then subtracted; every step is exact. */
static inline double double_of(uint64_t a) {
#ifdef __AVX512DQ__
    return (double)(int64_t)a;
#else
    const uint64_t low_bits = (a & 0xffffffff) | UINT64_C(0x4330000000000000);
    const uint64_t high_bits = a >> 32 | UINT64_C(0x4530000000000000);
    double low, high;
    memcpy(&low, &low_bits, sizeof low);
    memcpy(&high, &high_bits, sizeof high);
    return (high - 0x1p84) + (low - 0x1p52);
#endif
}

static void floats_64(const struct uhi_random_job *job, uint64_t i, size_t n, double *out) {
    _Alignas(64) uint64_t word[CHUNK];
    words(job, job->stream, i, sizeof *word, word, n);
    for (size_t j = 0; j < n; j++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): words() has made all n */
        out[j] = double_of(word[j] >> 11) * 0x1p-53;
}

/* ---- bounded integers ---- */

__extension__ typedef unsigned __int128 product_64;

#define ELEMENT element_32
#define WORD    uint32_t
#define PRODUCT uint64_t
#define NAME(x) UHI_JOIN(x, 32)
#define T       uint32_t
#include "kernels/random/random_bounded.inc"
#undef NAME
#undef T
#define NAME(x) UHI_JOIN(x, 32_wide)
#define T       uint64_t
#include "kernels/random/random_bounded.inc"
#undef ELEMENT
#undef WORD
#undef PRODUCT
#undef NAME
#define ELEMENT element_64
#define WORD    uint64_t
#define PRODUCT product_64
#define NAME(x) UHI_JOIN(x, 64)
#include "kernels/random/random_bounded.inc"

/* ---- any kind ---- */

/* ---- points ---- */

static void store_number(enum uhi_random_kind kind, uint32_t word, char *to) {
    const float single = float_of(word);
    const double number = word * 0x1p-32;
    if (kind == UHI_RANDOM_F64)
        memcpy(to, &number, sizeof number);
    else
        memcpy(to, kind == UHI_RANDOM_F32 ? (const void *)&single : &word, sizeof word);
}

/* Rows of a Sobol sequence, axis by axis of the points that a batch has. */
static void sobol(const struct uhi_random_job *job, uint64_t from, size_t n, char *out) {
    const size_t size = uhi_random_size(job->kind);
    const uint64_t first = job->offset + from, end = first + n;
    uint32_t words[UHI_SEQUENCE_BATCH];
    for (uint64_t batch = first - first % UHI_SEQUENCE_BATCH; batch < end; batch += UHI_SEQUENCE_BATCH)
        for (size_t a = 0; a < job->dims; a++) {
            uhi_sequence_batch(job->sequence, (uint32_t)batch, job->table + a * UHI_SEQUENCE_AXIS,
                               job->table + job->dims * UHI_SEQUENCE_AXIS + a * UHI_SEQUENCE_KEYS, words);
            for (uint64_t i = batch > first ? batch : first; i < end && i < batch + UHI_SEQUENCE_BATCH; i++)
                store_number(job->kind, words[i - batch], out + ((i - first) * job->dims + a) * size);
        }
}

static void fill(const struct uhi_random_job *job, uint64_t from, size_t n, void *out) {
    const size_t size = uhi_random_size(job->kind);
    uint64_t i = job->offset + from;
    char *to = out;
    if (job->sequence) {
        sobol(job, from, n, out);
        return;
    }
    if (job->kind == UHI_RANDOM_U32 || job->kind == UHI_RANDOM_U64) {
        words(job, job->stream, i, size, out, n);
        return;
    }
    if (job->kind == UHI_RANDOM_F32 && job->generator == UH_PHILOX4X32_10) {
        const size_t done = floats_4x32(job, i, n, out);
        n -= done;
        i += done;
        to += done * size;
    }
    for (size_t here; n > 0; n -= here, i += here, to += here * size) {
        here = n < CHUNK ? n : CHUNK;
        switch (job->kind) {
        case UHI_RANDOM_F32: floats_32(job, i, here, (float *)(void *)to); break;
        case UHI_RANDOM_F64: floats_64(job, i, here, (double *)(void *)to); break;
        case UHI_RANDOM_BOUNDED_32: bounded_32(job, i, here, (uint32_t *)(void *)to); break;
        case UHI_RANDOM_BOUNDED_32_WIDE: bounded_32_wide(job, i, here, (uint64_t *)(void *)to); break;
        default: bounded_64(job, i, here, (uint64_t *)(void *)to); break;
        }
    }
}

UHI_HOST_TABLE(random) = {fill};
