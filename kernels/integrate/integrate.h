/* SPDX-License-Identifier: Apache-2.0 */
/* Integration: shared by host and device code. <unihist/integrate.h> defines samples. */
#pragma once

/* How an axis's numbers become coordinates: unchanged, or, if a side is infinite, by the maps of uh_grid_create, plus
 * UHI_SIDES_POWER times the map's k. */
#define UHI_SIDES_FINITE 0
#define UHI_SIDES_ABOVE  1 /* the lower side is finite */
#define UHI_SIDES_BELOW  2
#define UHI_SIDES_NONE   3
#define UHI_SIDES_POWER  4

/* Streams per iteration. */
#define UHI_INTEGRATE_STREAMS 8

/* A work-item takes a strip of samples, one after the other, and sums are made in units of UHI_UNIT_STRIPS strips, in a
 * fixed order. A strip adds up the cubes that begin in it, including those that end in another strip of the unit; then
 * the two halves of the strips are added until one is left. Cubes that cross unit boundaries leave parts. */
#define UHI_STRIP       16
#define UHI_UNIT_STRIPS 64
#define UHI_UNIT        1024 /* the product */

/* Products of value k: with values 0 to k in steps of UHI_STEP, all of them if there are few values, otherwise the
 * first and itself. The number of all products; and of all sums: values, then their products. */
#define UHI_CORRELATED      16
#define UHI_STEP(values, k) ((values) <= UHI_CORRELATED || (k) == 0 ? 1 : (k))
#define UHI_PAIRS(values)   ((values) <= UHI_CORRELATED ? (values) * ((values) + 1) / 2 : 2 * (values)-1)
#define UHI_NUMBERS(values) ((values) + UHI_PAIRS(values))

/* The row that a unit leaves, in 64-bit words: the number of non-finite values, and the first sample with one
 * (UINT64_MAX: none); nonzero if values are too large for their scale; the sum of contributions, each in units of
 * 2^UHI_GIVEN_BITS; the largest weighted first value times the sample's share (uhi_notes_largest) and, with one axis,
 * the largest jump between adjacent samples (uhi_jump); sums over cubes of means and of the means' covariances. Then
 * two parts of cubes, one that began in an earlier unit and one that continues in the next: the cube, the number of
 * samples (0: no part), the mean and sums of products of deviations from it. Sums are float64, or two float32 on
 * devices without it. */
#define UHI_ROW_NOT_FINITE       0
#define UHI_ROW_FIRST_NOT_FINITE 1
#define UHI_ROW_TOO_LARGE        2
#define UHI_ROW_GIVEN            3
#define UHI_ROW_LARGEST          4
#define UHI_ROW_JUMP             5
#define UHI_ROW_SUMS             6
#define UHI_ROW_FIRST(values)    (UHI_ROW_SUMS + UHI_NUMBERS(values))
#define UHI_ROW_LAST(values)     (UHI_ROW_FIRST(values) + 2 + UHI_NUMBERS(values))
#define UHI_ROW_WORDS(values)    (UHI_ROW_LAST(values) + 2 + UHI_NUMBERS(values))
#define UHI_GIVEN_BITS           20

/* Maximum contribution of a sample. */
#define UHI_MAX_GIVEN 0x1p51f

/* Parameters of a device's samples, in 64-bit words; and numbers: the factor of values, the limit of the result, a
 * contribution's scale, and the mean number of samples per cube. Both end with rows of a number per axis. */
#define UHI_JOB_SEED      0
#define UHI_JOB_STREAM    1
#define UHI_JOB_CUBES     2
#define UHI_JOB_SAMPLES   3
#define UHI_JOB_EACH      4 /* 0: see `starts` */
#define UHI_JOB_REPORT    5
#define UHI_JOB_BINS      6
#define UHI_JOB_ADJUSTS   7
#define UHI_JOB_SPREADS   8  /* nonzero: store cubes' variances */
#define UHI_JOB_LOCAL     9  /* nonzero: add up contributions in local memory first */
#define UHI_JOB_SEQUENCE  10 /* kind of the sequence (sequence.h); 0: random words */
#define UHI_JOB_FIRST     11 /* number of its first point */
#define UHI_JOB_INTERVALS 12 /* of cubes, per axis */
#define UHI_JOB_PARTS     32 /* float32: an interval's part of each axis, times 2^64 */
#define UHI_JOB_WORDS     52

#define UHI_JOB_UNIT    0
#define UHI_JOB_LARGEST 1
#define UHI_JOB_SCALE   2
#define UHI_JOB_MEAN    3
#define UHI_JOB_RATIOS  4  /* float64: bins per interval of cubes, per axis */
#define UHI_JOB_NUMBERS 24 /* room for numbers, even */

/* Maximum work-items per group: whole units. Few if several evaluate a sample together. */
#define UHI_INTEGRATE_GROUP(parts) ((parts) > 1 ? UHI_UNIT_STRIPS : 4 * UHI_UNIT_STRIPS)

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include <unihist/integrate.h>

/* A bin: its left edge, and its width times the number of bins. */
struct uhi_cell {
    double edge, stretch;
};

struct uhi_sides {
    int kind;  /* UHI_SIDES_, plus k */
    double at; /* the finite one */
};

/* The grid in the form that samples use. */
struct uhi_field {
    size_t dims, bins;
    const struct uhi_cell *cells; /* bins of all axes */
    struct uhi_sides sides[UH_INTEGRATE_MAX_DIMS];
};

/* Largest value whose square can be summed. */
#define UHI_INTEGRATE_LARGEST 0x1p480

union uhi_word {
    uint64_t i;
    double f;
};

/* A part of a cube: the mean of its samples and sums of products of deviations from it. */
struct uhi_cube_part {
    uint64_t cube, n; /* n = 0: none */
    double number[UHI_NUMBERS(UH_INTEGRATE_MAX_VALUES)];
};

/* Quasi-random words instead of Philox's: a cube is a randomisation, of the whole box, and has a multiple of UHI_UNIT
 * points. */
struct uhi_sequence {
    int kind;        /* UHI_SEQUENCE_ */
    uint64_t first;  /* number of each cube's first point */
    uint32_t *table; /* of all axes, then cubes (sequence.h) */
    size_t words;    /* of the table */
    double *means;   /* receives the means of all values in each cube */
};

_Static_assert(UHI_CORRELATED == (int)UH_INTEGRATE_CORRELATED, "the public header states it");

struct uhi_cubing; /* cubature.h */

/* Parameters of an iteration. */
struct uhi_sampling {
    const struct uh_integrand *integrand;
    struct uhi_field field;
    uint64_t seed, stream;
    /* Per axis; their product is `cubes`, except of a sequence. */
    uint64_t intervals[UH_INTEGRATE_MAX_DIMS];
    uint64_t cubes, samples;
    uint64_t each;                       /* samples per cube, if all cubes have equally many */
    const struct uhi_sequence *sequence; /* or NULL */
    const struct uhi_cubing *cubing;     /* units are regions of cubature instead; or NULL */
    const uint64_t *starts;              /* otherwise the first sample of each cube, then `samples`; or NULL */
    size_t adjusts;                      /* axes whose bins receive contributions */
    double scale_of_values;              /* a power of two by which values are divided, so that their squares fit */
    double scale;                        /* a contribution is the square of a value times this, at most UHI_MAX_GIVEN */
    double *spread;                      /* receives the variance of the first value in each cube; or NULL */
    uint64_t report;                     /* the sample whose point is to be stored */
    union uhi_word *rows;                /* receives the rows of units, starting with this unit: */
    size_t first_unit;
};

/* A thread's memory, and the reported point. */
struct uhi_sampler_part {
    double point[UH_INTEGRATE_MAX_DIMS], value;
    uint64_t *contributions; /* per bin, for each adjusting axis in turn */
    void *memory;            /* UHI_INTEGRATE_MEMORY bytes, aligned to 64 */
};

/* Index of the product of values k and l, l <= k, among all products; and among the numbers of `values` values. */
static inline size_t uhi_pair(size_t values, size_t k, size_t l) {
    return values <= UHI_CORRELATED ? k * (k + 1) / 2 + l : k + (k > 0 && l == 0 ? k - 1 : k);
}

static inline size_t uhi_product(size_t values, size_t k, size_t l) { return values + uhi_pair(values, k, l); }

/* Bytes of a thread's memory: per point 12 per axis, 8 per value and less than 80 more; gaps between arrays; and sums
 * of strips. */
#define UHI_INTEGRATE_SKEW 192
#define UHI_INTEGRATE_MEMORY(dims, values)                                                                             \
    (UH_INTEGRATE_BATCH * (12 * (dims) + 8 * (values) + 80) + UHI_INTEGRATE_SKEW * (2 * (dims) + (values) + 16) +      \
     UHI_NUMBERS(values) * UHI_UNIT_STRIPS * sizeof(double))

/* Host functions, one table per x86-64 level. */
struct uhi_integrate_host {
    /* Samples units [from, to). */
    void (*sample)(const struct uhi_sampling *sampling, size_t from, size_t to, struct uhi_sampler_part *part);
    /* Stores n rows of uh_grid_points, starting with point `first`; `memory` as of a part. */
    void (*points)(const struct uhi_field *field, const uh_points *points, uint64_t stream, uint64_t first, size_t n,
                   void *memory, double *rows);
    /* Evaluates regions [from, to) of cubature. */
    void (*regions)(const struct uhi_sampling *sampling, size_t from, size_t to, struct uhi_sampler_part *part);
};
#endif
