/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a unit's samples in the order defined in integrate.h; for host code at each x86-64 level. */
#pragma once

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/integrate/integrate.h"

static inline uint64_t uhi_cube_size(const struct uhi_sampling *s, uint64_t cube) {
    return s->starts ? s->starts[cube + 1] - s->starts[cube] : s->each;
}

static inline uint64_t uhi_cube_of(const struct uhi_sampling *s, uint64_t sample) {
    uint64_t low = 0, high = s->cubes;
    if (!s->starts)
        return sample / s->each;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (s->starts[middle] <= sample)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Adds the next part of a cube to the previous parts, if any (Chan, Golub and LeVeque 1979). */
static inline void uhi_join_parts(struct uhi_cube_part *so_far, const struct uhi_cube_part *next, size_t values) {
    const double a = (double)so_far->n, b = (double)next->n, all = a + b;
    double difference[UH_INTEGRATE_MAX_VALUES];
    if (so_far->n == 0) {
        memcpy(so_far, next, offsetof(struct uhi_cube_part, number) + UHI_NUMBERS(values) * sizeof *next->number);
        return;
    }
    for (size_t k = 0; k < values; k++)
        difference[k] = next->number[k] - so_far->number[k];
    for (size_t k = 0; k < values; k++)
        for (size_t l = 0; l <= k; l += UHI_STEP(values, k))
            so_far->number[uhi_product(values, k, l)] +=
                next->number[uhi_product(values, k, l)] + difference[k] * difference[l] * (a * b / all);
    for (size_t k = 0; k < values; k++)
        so_far->number[k] += difference[k] * (b / all);
    so_far->n += next->n;
}

/* Whether samples' shares, the mean number of samples per cube divided by their cube's, are known, and multiply the
 * largest value: otherwise that of a row is 0. */
static inline int uhi_notes_largest(const struct uhi_sampling *s) {
    return !s->starts || s->adjusts > 0 || s->field.dims == 1;
}

/* The jump between two adjacent samples of one axis, as if both lay in the second one's bin, times the larger share of
 * the two: what one sample may have missed of an integral. */
static inline double uhi_jump(double value_a, double stretch_a, double share_a, double value_b, double stretch_b,
                              double share_b) {
    const double jump = fabs(value_b - value_a * (stretch_b / stretch_a)) * (share_a > share_b ? share_a : share_b);
    return jump <= DBL_MAX ? jump : 0;
}

/* Raises a nonnegative number of a row to at least that of the bits. */
static inline void uhi_row_raise(union uhi_word *word, uint64_t bits) { word->i = bits > word->i ? bits : word->i; }

/* Position in a unit, and its sums so far. */
struct uhi_adding {
    const struct uhi_sampling *sampling;
    size_t values, strip, left;                       /* the strip, and its remaining samples */
    uint64_t cube, seen;                              /* of the next sample, and that cube's samples so far, */
    uint64_t n;                                       /* of these in this strip; */
    double origin[UH_INTEGRATE_MAX_VALUES];           /* the first of these, */
    double sum[UHI_NUMBERS(UH_INTEGRATE_MAX_VALUES)]; /* sums of their distances to it, and of the products */
    struct uhi_cube_part open;                        /* the cube's parts in earlier strips; */
    int earlier;                                      /* it began in an earlier unit, */
    size_t started;                                   /* or in this strip */
    double (*strips)[UHI_UNIT_STRIPS];
};

/* `strips` has room for UHI_NUMBERS of them. */
static inline void uhi_begin_unit(struct uhi_adding *at, const struct uhi_sampling *s, uint64_t sample,
                                  double (*strips)[UHI_UNIT_STRIPS], union uhi_word *row) {
    at->sampling = s;
    at->values = s->integrand->values;
    at->strips = strips;
    at->strip = 0;
    at->left = UHI_STRIP;
    at->cube = uhi_cube_of(s, sample);
    at->seen = sample - (s->starts ? s->starts[at->cube] : at->cube * s->each);
    at->n = at->open.n = 0;
    at->earlier = at->seen > 0;
    memset(at->origin, 0, at->values * sizeof *at->origin);
    memset(at->sum, 0, UHI_NUMBERS(at->values) * sizeof *at->sum);
    memset(at->strips, 0, UHI_NUMBERS(at->values) * sizeof *at->strips);
    memset(row, 0, UHI_ROW_WORDS(at->values) * sizeof *row);
    row[UHI_ROW_FIRST_NOT_FINITE].i = UINT64_MAX;
}

/* Ends a strip's part of a cube: a mean, and sums of products of deviations from it. */
static inline void uhi_end_part(struct uhi_adding *at, struct uhi_cube_part *part, size_t values) {
    const double n = (double)at->n;
    part->cube = at->cube;
    part->n = at->n;
    part->number[values] = 0; /* for static analyzers, which consider values = 0 */
    for (size_t k = 0; k < values; k++) {
        part->number[k] = at->origin[k] + at->sum[k] / n;
        for (size_t l = 0; l <= k; l += UHI_STEP(values, k))
            part->number[uhi_product(values, k, l)] = at->sum[uhi_product(values, k, l)] - at->sum[k] * at->sum[l] / n;
    }
    at->n = 0;
}

/* Adds a complete cube to the sums of a strip. */
static inline void uhi_add_cube(struct uhi_adding *at, const struct uhi_cube_part *whole, size_t strip, size_t values) {
    const double n = (double)whole->n, each = 1 / (n * (n - 1));
    for (size_t k = 0; k < values; k++)
        at->strips[k][strip] += whole->number[k];
    for (size_t i = values; i < UHI_NUMBERS(values); i++)
        at->strips[i][strip] += whole->number[i] * each;
    if (at->sampling->spread)
        at->sampling->spread[whole->cube] = whole->number[values] / (n - 1);
}

static inline void uhi_store_part(const struct uhi_adding *at, union uhi_word *to) {
    memcpy(to, &at->open, (2 + UHI_NUMBERS(at->values)) * sizeof *to);
}

/* Ends a strip's part of a cube, and the cube itself if `ends`; `first` is the row's place for a cube from an earlier
 * unit. */
static inline __attribute__((always_inline)) void uhi_end_run_of(struct uhi_adding *at, int ends, union uhi_word *first,
                                                                 size_t values) {
    struct uhi_cube_part part;
    const int alone = ends && at->n == at->seen;
    uhi_end_part(at, &part, values);
    if (alone) {
        uhi_add_cube(at, &part, at->strip, values);
        return;
    }
    if (at->open.n == 0)
        at->started = at->strip;
    uhi_join_parts(&at->open, &part, values);
    if (!ends)
        return;
    if (at->earlier)
        uhi_store_part(at, first);
    else
        uhi_add_cube(at, &at->open, at->started, values);
    at->earlier = 0;
    at->open.n = 0;
}

static inline void uhi_end_run(struct uhi_adding *at, int ends, union uhi_word *first) {
    if (at->values == 1)
        uhi_end_run_of(at, ends, first, 1);
    else
        uhi_end_run_of(at, ends, first, at->values);
}

/* Add samples of one cube in one strip: for one value, and for several. */
static inline void uhi_add_value(struct uhi_adding *at, const double *v, size_t n) {
    double sum = at->sum[0], squares = at->sum[1];
    if (at->n == 0) {
        at->origin[0] = v[0];
        sum = squares = 0;
    }
    const double origin = at->origin[0];
    for (size_t i = 0; i < 4; i++) { /* usually all; without branches, which would be unpredictable */
        const double d = i < n ? v[i] - origin : 0;
        sum += d;
        squares += d * d;
    }
    for (size_t i = 4; i < n; i++) {
        const double d = v[i] - origin;
        sum += d;
        squares += d * d;
    }
    at->sum[0] = sum;
    at->sum[1] = squares;
}

static inline void uhi_add_values(struct uhi_adding *at, double *const *value, size_t from, size_t n) {
    const size_t values = at->values;
    if (at->n == 0) {
        memset(at->sum, 0, UHI_NUMBERS(values) * sizeof *at->sum);
        for (size_t k = 0; k < values; k++)
            at->origin[k] = value[k][from];
    }
    for (size_t i = from; i < from + n && values <= UHI_CORRELATED; i++) {
        double d[UHI_CORRELATED];
        for (size_t k = 0; k < values; k++) {
            d[k] = value[k][i] - at->origin[k];
            at->sum[k] += d[k];
            for (size_t l = 0; l <= k; l++)
                at->sum[values + UHI_PAIRS(k) + l] += d[k] * d[l];
        }
    }
    for (size_t k = 0; k < values && values > UHI_CORRELATED; k++) {
        double *restrict product = at->sum + uhi_product(values, k, 0), *restrict square =
                                                                            at->sum + uhi_product(values, k, k);
        for (size_t i = from; i < from + n; i++) {
            const double d = value[k][i] - at->origin[k];
            at->sum[k] += d;
            *square += d * d;
            if (k > 0)
                *product += d * (value[0][i] - at->origin[0]);
        }
    }
}

/* The same for a whole cube within one strip, for one value. */
static inline void uhi_add_full_cube(struct uhi_adding *at, const double *v, size_t n) {
    struct uhi_cube_part part;
    uhi_add_value(at, v, n);
    at->n = n;
    uhi_end_part(at, &part, 1);
    uhi_add_cube(at, &part, at->strip, 1);
    at->left -= n;
    at->strip += at->left == 0;
    at->left = at->left == 0 ? UHI_STRIP : at->left;
    at->cube++;
}

/* Adds a batch: runs of samples of one cube each; `count` has their lengths. */
static inline void uhi_add_runs(struct uhi_adding *at, double *const *value, const uint32_t *count, size_t runs,
                                union uhi_word *first) {
    size_t from = 0;
    for (size_t r = 0; r < runs; r++) {
        const uint64_t size = uhi_cube_size(at->sampling, at->cube);
        if (at->values == 1 && at->seen == 0 && count[r] == size && size <= at->left) {
            uhi_add_full_cube(at, value[0] + from, count[r]);
            from += count[r];
            continue;
        }
        for (size_t left = count[r], n; left > 0; left -= n, from += n) {
            n = left < at->left ? left : at->left;
            if (at->values == 1)
                uhi_add_value(at, value[0] + from, n);
            else
                uhi_add_values(at, value, from, n);
            at->n += n;
            at->seen += n;
            at->left -= n;
            if (at->seen == size || at->left == 0)
                uhi_end_run(at, at->seen == size, first);
            at->strip += at->left == 0;
            at->left = at->left == 0 ? UHI_STRIP : at->left;
        }
        if (at->seen == size) {
            at->cube++;
            at->seen = 0;
        }
    }
}

/* Adds a batch of n / 2 cubes of two samples each, for one value, starting at sample `from` of the unit: the same sums,
 * several side by side. The n samples are followed by zeros. */
static inline void uhi_add_pairs(struct uhi_adding *at, const double *restrict v, uint64_t cube, size_t from,
                                 size_t n) {
    enum { CUBES = UH_INTEGRATE_BATCH / 2, EACH = UHI_STRIP / 2 };
    double mean[CUBES], square[CUBES];
    double *spread = at->sampling->spread;
    for (size_t i = 0; i < CUBES; i++) {
        const double d = v[2 * i + 1] - v[2 * i], half = d * d / 2;
        mean[i] = v[2 * i] + d / 2;
        square[i] = half / 2;
    }
    for (size_t i = 0; spread && i < n / 2; i++)
        spread[cube + i] = 2 * square[i];
    for (size_t t = 0; t < CUBES / EACH; t++) {
        double sum = 0, squares = 0;
        for (size_t i = t * EACH; i < (t + 1) * EACH; i++) {
            sum += mean[i];
            squares += square[i];
        }
        at->strips[0][from / UHI_STRIP + t] = sum;
        at->strips[1][from / UHI_STRIP + t] = squares;
    }
}

/* Stores the unit's sums, and its part of a cube that continues. */
static inline void uhi_end_unit(struct uhi_adding *at, union uhi_word *row) {
    const size_t values = at->values;
    if (at->n > 0) /* the last strip of all samples */
        uhi_end_run(at, 0, row + UHI_ROW_FIRST(values));
    if (at->open.n > 0)
        uhi_store_part(at, row + (at->earlier ? UHI_ROW_FIRST(values) : UHI_ROW_LAST(values)));
    for (size_t i = 0; i < UHI_NUMBERS(values); i++) {
        double *restrict strip = at->strips[i];
        for (size_t half = UHI_UNIT_STRIPS / 2; half > 0; half /= 2)
            for (size_t t = 0; t < half; t++)
                strip[t] += strip[t + half];
        row[UHI_ROW_SUMS + i].f = strip[0];
    }
}
