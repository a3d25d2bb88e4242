/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates and weights of a batch of samples on the CPU, axis by axis, from random words or those of a sequence. */
#pragma once

#include <immintrin.h>
#include <math.h>

#include "kernels/common/philox_simd.h"
#include "kernels/common/sequence.h"
#include "kernels/integrate/integrate.h"
#include "kernels/integrate/sides.h"

enum {
    BATCH = UH_INTEGRATE_BATCH,
    WORDS = 4 /* per block: axes that share it */
};

/* A thread's arrays, of BATCH elements each. */
struct arrays {
    double *x[UH_INTEGRATE_MAX_DIMS], *value[UH_INTEGRATE_MAX_VALUES];
    int32_t *bin[UH_INTEGRATE_MAX_DIMS]; /* per axis */
    double ratio[UH_INTEGRATE_MAX_DIMS]; /* bins per interval of cubes */
    double *weight;                      /* the product of widths */
    double *base;                        /* coordinates of the cubes on an axis */
    double *part;                        /* position in an axis's bin, divided by the number of bins */
    double *share;                       /* factor of contributions, larger in cubes with fewer samples */
    double *slope;                       /* of Korobov's map on an axis */
    uint64_t *contribution;
    uint32_t *words;
    uint32_t *count;                   /* samples per run of a cube */
    double *digit;                     /* one number per run */
    double (*strips)[UHI_UNIT_STRIPS]; /* a unit's sums */
};

/* The pitch of arrays is not a power of two: otherwise stores to one seem to conflict with loads from another. */
static void *take_memory(char **memory, size_t bytes) {
    void *taken = *memory;
    *memory += bytes * BATCH + UHI_INTEGRATE_SKEW;
    return taken;
}

static void lay_out(struct arrays *a, size_t dims, size_t values, void *memory) {
    char *at = memory;
    for (size_t d = 0; d < dims; d++)
        a->x[d] = take_memory(&at, sizeof(double));
    for (size_t k = 0; k < values; k++)
        a->value[k] = take_memory(&at, sizeof(double));
    a->weight = take_memory(&at, sizeof(double));
    a->base = take_memory(&at, sizeof(double));
    a->part = take_memory(&at, sizeof(double));
    a->share = take_memory(&at, sizeof(double));
    a->slope = take_memory(&at, sizeof(double));
    a->contribution = take_memory(&at, sizeof(uint64_t));
    a->digit = take_memory(&at, sizeof(double));
    a->words = take_memory(&at, WORDS * sizeof(uint32_t));
    a->count = take_memory(&at, sizeof(uint32_t));
    for (size_t d = 0; d < dims; d++)
        a->bin[d] = take_memory(&at, sizeof(int32_t));
    a->strips = (double(*)[UHI_UNIT_STRIPS])(void *)at;
}

/* Random words of a batch, continued from batch to batch. */
struct generators {
    struct uhi_philox quad[(UH_INTEGRATE_MAX_DIMS + WORDS - 1) / WORDS];
};

static void begin_words(struct generators *g, size_t dims, uint64_t seed, uint64_t stream, uint64_t block) {
    for (size_t q = 0; q * WORDS < dims; q++)
        uhi_philox_begin(&g->quad[q], seed, stream + q, block);
}

/* Returns the random words of one axis, at a pitch of WORDS. */
static const uint32_t *next_words(struct generators *g, size_t d, const struct arrays *a) {
    _Static_assert(WORDS * BATCH % UHI_PHILOX_WORDS == 0, "batches are made of whole vectors");
    for (size_t i = 0; i < (size_t)WORDS * BATCH && d % WORDS == 0; i += UHI_PHILOX_WORDS)
        uhi_philox_store(&g->quad[d / WORDS], a->words + i);
    return a->words + d % WORDS;
}

/* Korobov's map 3 u^2 - 2 u^3 of words, and its slopes. */
static void map_korobov(uint32_t *restrict words, double *restrict slope) {
    for (size_t i = 0; i < BATCH; i++) {
        const double u = ((double)(int32_t)(words[i] ^ 0x80000000U) + 2147483648.5) * 0x1p-32;
        const double all = u * u * (3 - (u + u)), to = all < 1 - 0x1p-53 ? all : 1 - 0x1p-53;
        const int32_t high = (int32_t)(to * 0x1p31), low = (int32_t)(to * 0x1p32 - 2 * (double)high);
        words[i] = 2 * (uint32_t)high + (uint32_t)low;
        slope[i] = 6 * (u * (1 - u));
    }
}

/* Returns a sequence's words of one axis; no cube ends in a batch. */
static const uint32_t *sequence_words(const struct uhi_sampling *s, uint64_t sample, size_t d, const struct arrays *a) {
    _Static_assert(BATCH == (int)UHI_SEQUENCE_BATCH && UHI_UNIT % BATCH == 0, "units are made of a sequence's batches");
    const struct uhi_sequence *q = s->sequence;
    const size_t dims = s->field.dims;
    const uint32_t *keys = q->table + dims * UHI_SEQUENCE_AXIS + (sample / s->each * dims + d) * UHI_SEQUENCE_KEYS;
    uhi_sequence_batch(q->kind, (uint32_t)(q->first + sample % s->each), q->table + d * UHI_SEQUENCE_AXIS, keys,
                       a->words);
    if (q->kind == UHI_SEQUENCE_KOROBOV)
        map_korobov(a->words, a->slope);
    return a->words;
}

/* Finds the bins of one axis, whose words have this pitch. */
static inline __attribute__((always_inline)) void find_bins(const struct arrays *a, const uint32_t *words, size_t pitch,
                                                            double ratio, size_t bins, int32_t *restrict bin) {
    const double *restrict base = a->base;
    double *restrict part = a->part;
    const int32_t last = (int32_t)bins - 1;
    const double each = 1 / (double)bins;
    for (size_t i = 0; i < BATCH; i++) {
        /* Below AVX-512 no instruction handles unsigned words. All steps are exact. */
        const double u = ((double)(int32_t)(words[pitch * i] ^ 0x80000000U) + 2147483648.5) * 0x1p-32;
        const double z = (base[i] + u) * ratio;
        const int32_t b = (int32_t)z, in = b < last ? b : last;
        bin[i] = in;
        part[i] = (z - (double)in) * each;
    }
}

#if defined(__AVX512F__)
typedef __m512d vector;
static inline vector load_four(const struct uhi_cell *cells, const int32_t *bin) { /* every other one */
    __m512d v = _mm512_castpd128_pd512(_mm_loadu_pd(&cells[bin[0]].edge));
    v = _mm512_insertf64x2(v, _mm_loadu_pd(&cells[bin[2]].edge), 1);
    v = _mm512_insertf64x2(v, _mm_loadu_pd(&cells[bin[4]].edge), 2);
    return _mm512_insertf64x2(v, _mm_loadu_pd(&cells[bin[6]].edge), 3);
}
#define LOAD_CELLS load_four
#define LOWER      _mm512_unpacklo_pd
#define UPPER      _mm512_unpackhi_pd
#elif defined(__AVX2__)
typedef __m256d vector;
static inline vector load_two(const struct uhi_cell *cells, const int32_t *bin) {
    const __m256d v = _mm256_castpd128_pd256(_mm_loadu_pd(&cells[bin[0]].edge));
    return _mm256_insertf128_pd(v, _mm_loadu_pd(&cells[bin[2]].edge), 1);
}
#define LOAD_CELLS load_two
#define LOWER      _mm256_unpacklo_pd
#define UPPER      _mm256_unpackhi_pd
#else
typedef __m128d vector;
static inline vector load_one(const struct uhi_cell *cells, const int32_t *bin) {
    return _mm_loadu_pd(&cells[bin[0]].edge);
}
#define LOAD_CELLS load_one
#define LOWER      _mm_unpacklo_pd
#define UPPER      _mm_unpackhi_pd
#endif

/* Makes a vector of coordinates at a time. Both numbers of a bin are loaded at once: gathers are slower on most
 * CPUs. */
static void place(const struct uhi_cell *cells, const int32_t *restrict bin, const double *restrict part,
                  double *restrict x, double *restrict weight, int first) {
    for (size_t i = 0; i < BATCH; i += sizeof(vector) / sizeof(double)) {
        const vector even = LOAD_CELLS(cells, bin + i), odd = LOAD_CELLS(cells, bin + i + 1);
        const vector edge = LOWER(even, odd), stretch = UPPER(even, odd);
        *(vector *)(x + i) = edge + *(const vector *)(part + i) * stretch;
        vector all = stretch;
        if (!first)
            all *= *(const vector *)(weight + i);
        *(vector *)(weight + i) = all;
    }
}

/* Makes one axis of a batch of points of random words, or of a sequence's of this kind; `base` has the coordinates of
 * their cubes. */
static void make_axis(const struct uhi_field *field, size_t d, double ratio, const uint32_t *words, int kind,
                      const struct arrays *a) {
    if (kind)
        find_bins(a, words, 1, ratio, field->bins, a->bin[d]);
    else
        find_bins(a, words, WORDS, ratio, field->bins, a->bin[d]);
    place(field->cells + d * field->bins, a->bin[d], a->part, a->x[d], a->weight, d == 0);
    for (size_t i = 0; i < BATCH && kind == UHI_SEQUENCE_KOROBOV; i++)
        a->weight[i] *= a->slope[i];
    if (field->sides[d].kind != UHI_SIDES_FINITE)
        uhi_map_sides(&field->sides[d], a->x[d], a->weight);
}
