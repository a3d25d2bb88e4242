/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/rules/extent.h"

#include <math.h>

#include "api/cli/rules/values.h"

struct pass {
    uh_queue *queue;
    int positive;
    struct cli_extent extent;
};

/* Looks for the smallest positive value. */
static void look_above_0(struct cli_extent *extent, uh_dtype dtype, const void *data, size_t n) {
    double block[CLI_BLOCK];
    const double range[2] = {0, INFINITY};
    uint64_t nan = 0;
    for (size_t i = 0; i < n; i += CLI_BLOCK) {
        size_t part = n - i < CLI_BLOCK ? n - i : CLI_BLOCK;
        part = cli_values_block(dtype, (const char *)data + i * uh_dtype_size(dtype), part, range, block, &nan);
        for (size_t j = 0; j < part; j++)
            if (block[j] > 0 && block[j] < extent->min_above_0)
                extent->min_above_0 = block[j];
    }
}

static int look(void *context, uh_dtype dtype, const void *data, size_t n, struct cli_error *error) {
    struct pass *pass = context;
    struct cli_extent *extent = &pass->extent;
    double min = INFINITY, max = -INFINITY;
    uint64_t nan = 0;
    if (n == 0)
        return 0;
    if (dtype == UH_I64 || dtype == UH_U64)
        cli_values_widen(dtype, data, n, &min, &max);
    else if (uh_min_max(pass->queue, dtype, data, n, &min, &max, &nan))
        return cli_fail_library(error);
    if (pass->positive)
        look_above_0(extent, dtype, data, n);
    extent->nan += nan;
    extent->n += n - nan;
    if (n > nan) {
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
