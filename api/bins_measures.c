/* SPDX-License-Identifier: Apache-2.0 */
/* Bayesian blocks of measures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "runtime/status.h"

struct measure {
    double t, x, sigma;
};

static int by_time(const void *a, const void *b) {
    const double x = ((const struct measure *)a)->t, y = ((const struct measure *)b)->t;
    return (x > y) - (x < y);
}

/* Copies numbers of any type to member `at` of the measures. */
static uh_status copy_member(const char *call, const char *argument, const uh_array *array, size_t at,
                             struct measure *measures) {
    const int positive = at == offsetof(struct measure, sigma);
    for (size_t i = 0, n; i < array->count; i += n) {
        uh_dtype wide;
        double *copy = NULL;
        uh_status status = UH_SUCCESS;
        n = array->count - i;
        UHI_TRY(uhi_copy_numbers(call, argument, array, i, &n, &wide, &copy));
        for (size_t j = 0; j < n && !status; j++) {
            if (!isfinite(copy[j]) || (positive && !(copy[j] > 0)))
                status = uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, argument, i + j,
                                     "is %g, expected a finite number%s", copy[j], positive ? " above 0" : "");
            memcpy((char *)&measures[i + j] + at, &copy[j], sizeof copy[j]);
        }
        free(copy);
        UHI_TRY(status);
    }
    return UH_SUCCESS;
}

/* Sorts the measures and makes the sums, of x less a middle one, which adds the same to all partitions. */
static size_t make_sums(struct measure *measures, size_t n, double *t, double *p, double *q) {
    size_t made = 0;
    qsort(measures, n, sizeof *measures, by_time);
    const double middle = measures[n / 2].x;
    for (size_t i = 0; i < n; i++) {
        const double weight = 1 / measures[i].sigma / measures[i].sigma;
        if (made == 0 || measures[i].t > t[made - 1]) {
            t[made++] = measures[i].t;
            p[made] = p[made - 1];
            q[made] = q[made - 1];
        }
        p[made] += weight * (measures[i].x - middle);
        q[made] += weight;
    }
    return made;
}

uh_status uh_blocks_of_measures(const uh_array *t, const uh_array *x, const uh_array *sigma,
                                const uh_rule_options *options, uh_axis **axis, uh_rule_result *result) {
    uh_rule_options o = {.struct_size = 0};
    uh_rule_result found = {.struct_size = sizeof found};
    UHI_NEED(__func__, axis, "where to store the axis");
    UHI_TRY(uhi_check_array(__func__, "t", UH_NO_INDEX, t));
    UHI_TRY(uhi_check_array(__func__, "x", UH_NO_INDEX, x));
    UHI_TRY(uhi_check_array(__func__, "sigma", UH_NO_INDEX, sigma));
    UHI_TRY(uhi_sized_read(__func__, "options", options, &o, sizeof o));
    UHI_TRY(uhi_check_rule(__func__, UH_RULE_BLOCKS, &o));
    UHI_TRY(result ? uhi_sized_check(__func__, "result", result, sizeof *result) : UH_SUCCESS);
    const size_t n = t->count;
    double *edges = NULL;
    if (x->count != n || sigma->count != n || n < 2)
        return uhi_fail_argument(__func__, "t->count",
                                 "is %zu, of x %zu and of sigma %zu, expected the same, at least 2", n, x->count,
                                 sigma->count);
    struct measure *measures = malloc(n * sizeof *measures);
    double *times = calloc(5, (n + 1) * sizeof *times);
    uh_status status = measures && times ? UH_SUCCESS : uhi_fail_memory(__func__, "no memory for %zu measures", n);
    status = status ? status : copy_member(__func__, "t", t, offsetof(struct measure, t), measures);
    status = status ? status : copy_member(__func__, "x", x, offsetof(struct measure, x), measures);
    status = status ? status : copy_member(__func__, "sigma", sigma, offsetof(struct measure, sigma), measures);
    if (!status) {
        double *const p = times + n + 1, *const q = p + n + 1, *const cell = q + n + 1;
        edges = cell + n + 1;
        const size_t made = make_sums(measures, n, times, p, q);
        const struct uhi_blocks of = {made, p, q, cell, uhi_blocks_prior(&o, made), 1};
        uhi_make_cells(times, made, cell);
        status =
            made > 1 && isfinite(times[made - 1] - times[0])
                ? uhi_find_blocks(__func__, &of, o.max_bins < made ? o.max_bins : made, edges, &found)
                : uhi_fail_argument(__func__, "t", "has equal numbers or too distant ones, expected a finite range");
    }
    if (!status)
        status = uhi_axis_make(__func__, "edges", UH_F64, edges, found.bins + 1, 2, o.closed, axis);
    if (!status && result)
        uhi_sized_write(result, &found);
    free(measures);
    free(times);
    return status;
}
