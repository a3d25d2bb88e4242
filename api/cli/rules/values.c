/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/values.h"

#include <math.h>
#include <string.h>

/* memcpy because the data need not be aligned. What lies close together is told apart, since that loop takes several
 * values at a time. */
#define CONVERT(type)                                                                                                  \
    for (size_t i = 0; i < x->count; i++) {                                                                            \
        type value;                                                                                                    \
        memcpy(&value, data + (ptrdiff_t)i * (dense ? (ptrdiff_t)sizeof value : x->stride), sizeof value);             \
        out[i] = (double)value;                                                                                        \
    }                                                                                                                  \
    break

static void convert(const uh_array *x, double *out) {
    const char *data = x->data;
    const int dense = x->stride == (ptrdiff_t)uh_dtype_size(x->dtype);
    switch (x->dtype) {
    case UH_F32: CONVERT(float);
    case UH_F64: CONVERT(double);
    case UH_I8: CONVERT(int8_t);
    case UH_I16: CONVERT(int16_t);
    case UH_I32: CONVERT(int32_t);
    case UH_I64: CONVERT(int64_t);
    case UH_U8: CONVERT(uint8_t);
    case UH_U16: CONVERT(uint16_t);
    case UH_U32: CONVERT(uint32_t);
    case UH_U64: CONVERT(uint64_t);
    }
}

size_t cli_values_block(const uh_array *x, const double *range, double *out, uint64_t *nan) {
    const double lo = range ? range[0] : -INFINITY, hi = range ? range[1] : INFINITY;
    size_t kept = 0, outside = 0;
    convert(x, out);
    /* Mostly everything is wanted, and this loop takes several values at a time. */
    for (size_t i = 0; i < x->count; i++)
        outside += !(out[i] >= lo && out[i] <= hi);
    if (outside == 0)
        return x->count;
    for (size_t i = 0; i < x->count; i++) {
        const double value = out[i];
        *nan += isnan(value) != 0;
        out[kept] = value;
        kept += value >= lo && value <= hi;
    }
    return kept;
}

int cli_values_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_take take, void *context,
                    struct cli_error *error) {
    double block[CLI_BLOCK];
    uh_array part = *x;
    int result = 0;
    for (size_t i = 0; i < x->count && result == 0; i += CLI_BLOCK) {
        part.data = (const char *)x->data + (ptrdiff_t)i * x->stride;
        part.count = x->count - i < CLI_BLOCK ? x->count - i : CLI_BLOCK;
        result = take(context, block, cli_values_block(&part, range, block, nan), error);
    }
    return result;
}

int cli_values_widen(uh_queue *queue, const uh_array *x, double *min, double *max, struct cli_error *error) {
    double low, high;
    uint64_t nan;
    if (x->dtype != UH_I64 && x->dtype != UH_U64)
        return 0;
    if (uh_min_max(queue, x, &low, &high, &nan))
        return cli_fail_library(error);
    *min = fmin(*min, low);
    *max = fmax(*max, high);
    return 0;
}

/* ---- the smallest and the largest -------------------------------------------------------------------------------- */

struct pass {
    uh_queue *queue;
    int positive;
    struct cli_extent extent;
};

/* Looks for the smallest positive value. */
static int look_above_0(void *context, const double *block, size_t n, struct cli_error *error) {
    struct cli_extent *extent = context;
    (void)error;
    for (size_t j = 0; j < n; j++)
        if (block[j] > 0 && block[j] < extent->min_above_0)
            extent->min_above_0 = block[j];
    return 0;
}

static int look(void *context, const uh_array *x, const uh_array *values, struct cli_error *error) {
    struct pass *pass = context;
    struct cli_extent *extent = &pass->extent;
    double min = INFINITY, max = -INFINITY;
    uint64_t nan = 0;
    (void)values;
    if (uh_min_max(pass->queue, x, &min, &max, &nan))
        return cli_fail_library(error);
    const double above[2] = {0, INFINITY};
    uint64_t ignored = 0;
    if (pass->positive)
        cli_values_each(x, above, &ignored, look_above_0, extent, error);
    extent->nan += nan;
    extent->n += x->count - nan;
    if (x->count > nan) {
        extent->min = min < extent->min ? min : extent->min;
        extent->max = max > extent->max ? max : extent->max;
    }
    return 0;
}

int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, int positive, struct cli_extent *extent,
                    struct cli_error *error) {
    struct pass pass = {queue, positive, {0, 0, INFINITY, -INFINITY, INFINITY}};
    if (cli_inputs_pass(inputs, "finding the range", look, &pass, error))
        return -1;
    *extent = pass.extent;
    return 0;
}

int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi, struct cli_error *error) {
    if (extent->nan)
        return cli_fail(error, "the data have no finite range (%llu of %llu values are NaN); give --range LO,HI",
                        (unsigned long long)extent->nan, (unsigned long long)(extent->n + extent->nan));
    if (extent->n == 0) {
        *lo = 0;
        *hi = 1;
        return 0;
    }
    if (!isfinite(extent->min) || !isfinite(extent->max))
        return cli_fail(error, "the data have no finite range (they go from %g to %g); give --range LO,HI", extent->min,
                        extent->max);
    *lo = extent->min;
    *hi = extent->max;
    if (*lo == *hi) {
        /* Half a unit is lost in the rounding of large values. */
        *lo = fmin(*lo - 0.5, nextafter(*lo, -INFINITY));
        *hi = fmax(*hi + 0.5, nextafter(*hi, INFINITY));
    }
    if (!isfinite(*hi - *lo))
        return cli_fail(error, "the data's range, %g to %g, is wider than float64 can tell; give --range LO,HI",
                        extent->min, extent->max);
    return 0;
}

/* ---- moments ----------------------------------------------------------------------------------------------------- */

static struct cli_moments of_block(const double *x, size_t n) {
    struct cli_moments block = {.n = n};
    /* The sum of distances keeps the digits that a sum of values far from zero loses. */
    for (size_t i = 0; i < n; i++)
        block.mean += (long double)x[i] - x[0];
    block.mean = x[0] + block.mean / (long double)n;
    for (size_t i = 0; i < n; i++) {
        long double d = x[i] - block.mean, square = d * d;
        block.m2 += square;
        block.m3 += square * d;
    }
    return block;
}

void cli_moments_add(struct cli_moments *moments, const double *x, size_t n) {
    struct cli_moments *a = moments;
    if (n == 0)
        return;
    struct cli_moments b = of_block(x, n);
    if (a->n == 0) {
        *a = b;
        return;
    }
    long double na = (long double)a->n, nb = (long double)b.n, sum = na + nb;
    long double delta = b.mean - a->mean, share = delta / sum;
    a->m3 += b.m3 + delta * share * share * na * nb * (na - nb) + 3 * share * (na * b.m2 - nb * a->m2);
    a->m2 += b.m2 + delta * share * na * nb;
    a->mean += share * nb;
    a->n += b.n;
}

double cli_moments_std(const struct cli_moments *moments) {
    return moments->n ? (double)sqrtl(moments->m2 / (long double)moments->n) : 0;
}

double cli_moments_skewness(const struct cli_moments *moments) {
    if (moments->n == 0 || !(moments->m2 > 0))
        return 0;
    long double n = (long double)moments->n, std = sqrtl(moments->m2 / n);
    return (double)(moments->m3 / n / std / std / std);
}
