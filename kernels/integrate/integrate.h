/* SPDX-License-Identifier: Apache-2.0 */
/* Integration: what the host's and the devices' code share. <unihist/integrate.h> says what samples are. */
#ifndef UHI_INTEGRATE_H
#define UHI_INTEGRATE_H

/* How an axis's numbers become coordinates: as they are, or where a side is infinite by the maps of uh_grid_create. */
#define UHI_SIDES_FINITE 0
#define UHI_SIDES_ABOVE  1 /* of a finite lower side */
#define UHI_SIDES_BELOW  2
#define UHI_SIDES_NONE   3

/* Streams of an iteration. */
#define UHI_INTEGRATE_STREAMS 8

/* Samples go in strips of one work-item each, one sample behind the other, and their sums in units of so many strips:
 * the order of a unit's sums is fixed. A strip adds up the cubes that begin in it, also those that end in another
 * strip of the unit; then halves of the strips are added until one is left. Cubes that lie across units leave parts. */
#define UHI_STRIP       16
#define UHI_UNIT_STRIPS 64
#define UHI_UNIT        1024 /* the product */

/* Of several values the products of any two; and what sums are of: values, then their products. */
#define UHI_PAIRS(values)   ((values) * ((values) + 1) / 2)
#define UHI_NUMBERS(values) ((values) + UHI_PAIRS(values))

/* What a unit leaves, in words of 64 bits: how many values are not finite, and the first sample with one (UINT64_MAX);
 * not 0 where values are too large for their scale; the sum of contributions, each in units of 2^UHI_GIVEN_BITS; sums
 * over cubes, of means and of the means' covariances. And two parts of cubes, the one that began in an earlier unit and
 * the one that goes on in the next: the cube, how many samples (0: there is none), the mean and sums of products of
 * deviations from it. Sums are float64, of devices without that two float32. */
#define UHI_ROW_NOT_FINITE    0
#define UHI_ROW_FIRST_BAD     1
#define UHI_ROW_TOO_LARGE     2
#define UHI_ROW_GIVEN         3
#define UHI_ROW_SUMS          4
#define UHI_ROW_FIRST(values) (UHI_ROW_SUMS + UHI_NUMBERS(values))
#define UHI_ROW_LAST(values)  (UHI_ROW_FIRST(values) + 2 + UHI_NUMBERS(values))
#define UHI_ROW_WORDS(values) (UHI_ROW_LAST(values) + 2 + UHI_NUMBERS(values))
#define UHI_GIVEN_BITS        20

/* What a device's samples are told, in words of 64 bits; and numbers: what values are multiplied by, how large they may
 * be then, a contribution's scale and limit, bins in an interval of cubes, and the mean number of samples in a cube. */
#define UHI_JOB_SEED      0
#define UHI_JOB_STREAM    1
#define UHI_JOB_INTERVALS 2
#define UHI_JOB_CUBES     3
#define UHI_JOB_SAMPLES   4
#define UHI_JOB_EACH      5 /* 0: `starts` tells */
#define UHI_JOB_REPORT    6
#define UHI_JOB_BINS      7
#define UHI_JOB_ADJUSTS   8
#define UHI_JOB_SPREADS   9  /* not 0: cubes' variances are wanted */
#define UHI_JOB_LOCAL     10 /* not 0: what bins are given is added up in local memory first */
#define UHI_JOB_PART      11 /* of float32: an interval's part of an axis, times 2^64 */
#define UHI_JOB_WORDS     12

#define UHI_JOB_UNIT    0
#define UHI_JOB_LARGEST 1
#define UHI_JOB_SCALE   2
#define UHI_JOB_LIMIT   3
#define UHI_JOB_RATIO   4
#define UHI_JOB_MEAN    5
#define UHI_JOB_NUMBERS 8 /* places for them */

/* Work-items of a group, at most: whole units. Few where a sample is evaluated by several. */
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
    int kind;  /* UHI_SIDES_ */
    double at; /* the finite one */
};

/* The grid as samples see it. */
struct uhi_field {
    size_t dims, bins;
    const struct uhi_cell *cells; /* bins of each axis */
    struct uhi_sides sides[UH_INTEGRATE_MAX_DIMS];
};

/* What squares of values leave room for sums of. */
#define UHI_INTEGRATE_LARGEST 0x1p480

union uhi_word {
    uint64_t i;
    double f;
};

/* A part of a cube: its samples' mean and sums of products of deviations from that. */
struct uhi_cube_part {
    uint64_t cube, n; /* n = 0: none */
    double number[UHI_NUMBERS(UH_INTEGRATE_MAX_VALUES)];
};

/* An iteration. */
struct uhi_sampling {
    const struct uh_integrand *integrand;
    struct uhi_field field;
    uint64_t seed, stream;
    uint64_t intervals, cubes, samples;
    uint64_t each;          /* samples of a cube; or where cubes differ */
    const uint64_t *starts; /* the first sample of each cube, and `samples`; else NULL */
    size_t adjusts;         /* axes whose bins are given what samples contribute */
    double scale_of_values; /* a power of two that values are divided by, so that their squares have room */
    double scale, limit;    /* a contribution is the square of a value times `scale`, at most `limit` */
    double *spread;         /* the variance of the first value in each cube; or NULL */
    uint64_t report;        /* the sample of which the point is to be stored */
    union uhi_word *rows;   /* where to store what units leave, from this one on: */
    size_t first_unit;
};

/* A thread's memory, and the point that is to be told of. */
struct uhi_sampler_part {
    double point[UH_INTEGRATE_MAX_DIMS], value;
    uint64_t *contributions; /* by bin, of the axes that adjust, one behind the other */
    void *memory;            /* UHI_INTEGRATE_MEMORY bytes, aligned to 64 */
};

/* Where the product of values k and l is among all products, l <= k; and among the numbers of `values` values. */
static inline size_t uhi_pair(size_t k, size_t l) {
    return UHI_PAIRS(k) + l;
}

static inline size_t uhi_product(size_t values, size_t k, size_t l) {
    return values + uhi_pair(k, l);
}

/* Bytes of a thread's memory: for each point 12 an axis, 8 a value and less than 80 besides; and between arrays. */
#define UHI_INTEGRATE_SKEW 192
#define UHI_INTEGRATE_MEMORY(dims, values)                                                                             \
    (UH_INTEGRATE_BATCH * (12 * (dims) + 8 * (values) + 80) + UHI_INTEGRATE_SKEW * (2 * (dims) + (values) + 16))

/* The host's functions, one table for each x86-64 level. */
struct uhi_integrate_host {
    /* Samples units [from, to). */
    void (*sample)(const struct uhi_sampling *sampling, size_t from, size_t to, struct uhi_sampler_part *part);
    /* Stores n rows of uh_grid_points from point `first` on. */
    void (*points)(const struct uhi_field *field, uint64_t seed, uint64_t stream, uint64_t first, size_t n,
                   double *rows);
};
#endif

#endif
