/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/extent.h"

#include <unihist/bins.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "api/cli/group.h"
#include "api/cli/interrupt.h"

/* Converts a block and drops unwanted values; returns the number of those left. */
static size_t make_block(const uh_array *x, const double *range, double *out, uint64_t *nan) {
    const double lo = range ? range[0] : -INFINITY, hi = range ? range[1] : INFINITY;
    size_t kept = 0, outside = 0;
    cli_convert_numbers(x, out);
    /* Usually all values are wanted, and this loop takes several at a time. */
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

void cli_values_for_each(const uh_array *x, const double *range, uint64_t *nan, cli_values_function take,
                         void *context) {
    double block[CLI_BLOCK];
    uh_array part = *x;
    for (size_t i = 0; i < x->count; i += CLI_BLOCK) {
        part.data = (const char *)x->data + (ptrdiff_t)i * x->stride;
        part.count = x->count - i < CLI_BLOCK ? x->count - i : CLI_BLOCK;
        take(context, block, make_block(&part, range, block, nan));
    }
}

#define SIGN (UINT64_C(1) << 63)

/* Keys have the order of float64 as unsigned integers; NaN has none. */
static uint64_t key_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

static double value_of(uint64_t key) {
    uint64_t bits = (key & SIGN) != 0 ? key ^ SIGN : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

struct pass {
    uh_queue *queue;
    const double *range;
    struct cli_extent *extent;
};

static void add_block(void *context, const double *block, size_t n) {
    struct cli_extent *extent = context;
    for (size_t j = 0; j < n; j++) {
        extent->min = block[j] < extent->min ? block[j] : extent->min;
        extent->max = block[j] > extent->max ? block[j] : extent->max;
    }
    extent->n += n;
}

static int look(void *context, const uh_array *x) {
    static const double finite[2] = {-DBL_MAX, DBL_MAX};
    const struct pass *pass = context;
    struct cli_extent *extent = pass->extent;
    double min = INFINITY, max = -INFINITY;
    uint64_t nan = 0;
    /* The library examines all values with many threads. */
    if (!pass->range && CLI_INTERRUPTIBLE(pass->queue, uh_min_max(pass->queue, x, &min, &max, &nan)))
        return cli_fail_library();
    const int leaves_out = !pass->range && !extent->strict && x->count > nan && (isinf(min) || isinf(max));
    const uint64_t before = extent->n;
    if (pass->range || leaves_out) {
        cli_values_for_each(x, leaves_out ? finite : pass->range, &extent->nan, add_block, extent);
        extent->infinite += leaves_out ? x->count - nan - (extent->n - before) : 0;
        return 0;
    }
    extent->min = fmin(extent->min, min);
    extent->max = fmax(extent->max, max);
    extent->nan += nan;
    extent->n += x->count - nan;
    return 0;
}

/* Replaces this process's extremes by those of all processes. The smallest is found as the largest of the negated
 * values; a zero is +0, whichever came first. */
int cli_extremes_join(double *min, double *max) {
    uint64_t keys[] = {key_of(-*min), key_of(*max)};
    if (cli_group_largest(keys, 2))
        return -1;
    *min = -value_of(keys[0]) + 0.0; /* -0 becomes +0 */
    *max = value_of(keys[1]) + 0.0;
    return 0;
}

static int join_ranks(struct cli_extent *extent) {
    uint64_t counts[] = {extent->n, extent->nan, extent->infinite};
    if (cli_group_add(counts, 3) || cli_extremes_join(&extent->min, &extent->max))
        return -1;
    extent->n = counts[0];
    extent->nan = counts[1];
    extent->infinite = counts[2];
    return 0;
}

int cli_extent_read(struct cli_inputs *inputs, uh_queue *queue, const double *range, struct cli_extent *extent) {
    struct pass pass = {queue, range, extent};
    *extent = (struct cli_extent){.min = INFINITY, .max = -INFINITY, .strict = inputs->strict};
    if (cli_inputs_pass(inputs, "finding the range", look, &pass))
        return -1;
    return cli_inputs_are_divided(inputs) ? join_ranks(extent) : 0;
}

int cli_extent_range(const struct cli_extent *extent, double *lo, double *hi) {
    if (extent->nan && extent->strict)
        return cli_fail("the data have no finite range (%llu of %llu values are NaN); give --range LO,HI",
                        (unsigned long long)extent->nan, (unsigned long long)(extent->n + extent->nan));
    if (extent->n == 0 && extent->nan + extent->infinite > 0)
        return cli_fail("no value is finite, of %llu NaN and %llu infinite ones; give --range LO,HI",
                        (unsigned long long)extent->nan, (unsigned long long)extent->infinite);
    if (extent->n == 0) {
        *lo = 0;
        *hi = 1;
        return 0;
    }
    if (!isfinite(extent->min) || !isfinite(extent->max))
        return cli_fail("the data have no finite range (they go from %g to %g); give --range LO,HI", extent->min,
                        extent->max);
    *lo = extent->min;
    *hi = extent->max;
    if (*lo == *hi) {
        /* Rounding of large values loses half a unit. */
        *lo = fmin(*lo - 0.5, nextafter(*lo, -INFINITY));
        *hi = fmax(*hi + 0.5, nextafter(*hi, INFINITY));
    }
    if (!isfinite(*hi - *lo))
        return cli_fail("the data's range, %g to %g, exceeds the range of float64; give --range LO,HI", extent->min,
                        extent->max);
    return 0;
}
