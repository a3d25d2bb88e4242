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

#ifndef __OPENCL_C_VERSION__
#include <stddef.h>
#include <stdint.h>

#include <unihist/integrate.h>

enum {
    UHI_GIVEN_BITS = 20,
    UHI_INTEGRATE_UNIT = 4096, /* samples, at least, whose sums are made by one thread in their order */
    UHI_INTEGRATE_PAIRS = UH_INTEGRATE_MAX_VALUES * (UH_INTEGRATE_MAX_VALUES + 1) / 2
};

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

/* Sums over cubes, or over a part of one: of values, and of products of two of them, in the order of uhi_pair. */
struct uhi_sums {
    double value[UH_INTEGRATE_MAX_VALUES];
    double product[UHI_INTEGRATE_PAIRS];
};

/* Of a part of a cube's samples the mean and the sums of products of deviations from it. */
struct uhi_cube_part {
    uint64_t cube, n; /* n = 0: none */
    struct uhi_sums sums;
};

/* What comes of a unit: of the cubes that lie in it the means' sum and that of the means' covariances; parts of cubes
 * that it shares with the units beside. Where all of it is of one such cube, `first` is that. */
struct uhi_unit {
    struct uhi_sums sums;
    struct uhi_cube_part first, last;
};

/* An iteration. */
struct uhi_sampling {
    const struct uh_integrand *integrand;
    struct uhi_field field;
    uint64_t seed, stream;
    uint64_t intervals, cubes, samples;
    uint64_t each;          /* samples of a cube; or where cubes differ */
    const uint64_t *starts; /* the first sample of each cube, and `samples`; else NULL */
    uint64_t unit;          /* samples of one */
    size_t adjusts;         /* axes whose bins are given what samples contribute */
    double scale_of_values; /* a power of two that values are divided by, so that their squares have room */
    double scale, limit;    /* a contribution is the square of a value times `scale`, at most `limit` */
    double *spread;         /* the variance of the first value in each cube; or NULL */
    struct uhi_unit *units; /* where to store them */
};

/* What one thread finds besides, and its memory. */
struct uhi_sampler_part {
    uint64_t not_finite, first; /* values; the first sample that has one, UINT64_MAX for none */
    double point[UH_INTEGRATE_MAX_DIMS], value;
    int too_large;           /* values are for their scale: the sums are of no use */
    uint64_t *contributions; /* by bin, of the axes that adjust, one behind the other */
    uint64_t given;          /* the sum of all samples' contributions, in units of 2^UHI_GIVEN_BITS */
    void *memory;            /* UHI_INTEGRATE_MEMORY bytes, aligned to 64 */
};

/* Where the product of values k and l is, l <= k. */
static inline size_t uhi_pair(size_t k, size_t l) {
    return k * (k + 1) / 2 + l;
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
