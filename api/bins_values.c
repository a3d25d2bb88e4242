/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of values from which rules make bins. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { USUAL_VALUES = 1 << 22 };

/* ---- objects ---- */

uh_status uh_bins_create(const uh_bins_options *options, uh_bins **bins) {
    uh_bins_options taken = {.struct_size = 0};
    UHI_NEED(__func__, bins, "where to store them");
    UHI_TRY(uhi_sized_read(__func__, "options", options, &taken, sizeof taken));
    taken.max_values = taken.max_values ? taken.max_values : USUAL_VALUES;
    UHI_TRY(uhi_check_between(__func__, "options->max_values", UH_NO_INDEX, taken.max_values, 1 << 10, 1 << 28));
    const double *range = taken.range;
    if (range && !(range[0] < range[1] && isfinite(range[0]) && isfinite(range[1])))
        return uhi_fail_argument(__func__, "options->range", "is %g to %g, expected finite numbers that ascend",
                                 range[0], range[1]);
    uh_bins *made = calloc(1, sizeof *made);
    if (!made)
        return uhi_fail_memory(__func__, "no memory for bins");
    made->options = taken;
    made->keys.max = taken.max_values;
    made->fine.max = taken.max_values > USUAL_VALUES ? taken.max_values : USUAL_VALUES;
    made->range[0] = range ? range[0] : -DBL_MAX;
    made->range[1] = range ? range[1] : DBL_MAX;
    made->ranged = range != NULL;
    made->first = uhi_key_of_f64(made->range[0]);
    made->last = uhi_key_of_f64(made->range[1]);
    made->lowest = UINT64_MAX;
    *bins = made;
    return UH_SUCCESS;
}

void uh_bins_destroy(uh_bins *bins) {
    if (!bins)
        return;
    uhi_keys_free(&bins->keys);
    uhi_keys_free(&bins->fine);
    uhi_zones_free(&bins->zones);
    free(bins->dropped);
    free(bins);
}

/* ---- other objects ---- */

uh_status uhi_bins_check_unrefined(const char *call, const uh_bins *bins) {
    return bins->refined && !bins->refining
               ? uhi_fail_argument(call, "bins", "has been refined, expected no more values")
               : UH_SUCCESS;
}

/* The numbers that are added, those of a further pass excepted. */
static void join_numbers(uh_bins *bins, const uh_bins *from) {
    bins->n += from->n;
    bins->offered += from->offered;
    bins->beyond += from->beyond;
    bins->nan += from->nan;
    bins->whole += from->whole;
    uhi_wide_sum_join(&bins->sum, &from->sum);
    uhi_wide_sum_join(&bins->squares, &from->squares);
    bins->lowest = bins->lowest < from->lowest ? bins->lowest : from->lowest;
    bins->highest = bins->highest > from->highest ? bins->highest : from->highest;
}

uh_status uhi_bins_join(const char *call, uh_bins *bins, const uh_bins *from) {
    if (bins->refining) {
        bins->seen += from->seen;
        return uhi_keys_merge(call, &bins->fine, &from->fine);
    }
    if (bins->whole + from->whole > UHI_MAX_WHOLE)
        return uhi_fail_argument(call, "bins", "has values of the sum 2^53, expected no more");
    join_numbers(bins, from);
    return uhi_keys_merge(call, &bins->keys, &from->keys);
}

uh_status uh_bins_merge(uh_bins *bins, const uh_bins *from) {
    UHI_NEED(__func__, bins, "bins to add to");
    UHI_NEED(__func__, from, "bins to add");
    if (from == bins)
        return uhi_fail_argument(__func__, "from", "is bins itself, expected another object");
    UHI_TRY(uhi_bins_check_unrefined(__func__, bins));
    if (bins->options.max_values != from->options.max_values || bins->ranged != from->ranged ||
        bins->range[0] != from->range[0] || bins->range[1] != from->range[1])
        return uhi_fail(UH_ERROR_INCOMPATIBLE, __func__, "from", "has another range or max_values than bins");
    if (bins->refining != from->refining || bins->refined != from->refined)
        return uhi_fail(UH_ERROR_INCOMPATIBLE, __func__, "from", "is in another pass than bins");
    return uhi_bins_join(__func__, bins, from);
}

/* ---- what is read ---- */

/* Returns the sum of weights, or of their squares. */
static double weight_of(const uh_bins *bins, const struct uhi_wide_sum *others) {
    struct uhi_wide_sum sum = {{(double)bins->whole, 0, 0}};
    uhi_wide_sum_join(&sum, others);
    return uhi_wide_sum_value(&sum);
}

uh_status uh_bins_get_properties(uh_bins *bins, uh_bins_properties *properties) {
    UHI_NEED(__func__, bins, "bins");
    UHI_TRY(uhi_keys_sort(__func__, &bins->keys));
    const double weight = weight_of(bins, &bins->sum), squares = weight_of(bins, &bins->squares);
    const uh_bins_properties known = {.struct_size = sizeof known,
                                      .n = bins->n,
                                      .beyond = bins->beyond,
                                      .nan = bins->nan,
                                      .weight = weight,
                                      .effective = squares > 0 ? weight / squares * weight : 0,
                                      .values = bins->keys.n,
                                      .joined = bins->keys.joined,
                                      .min = bins->n ? uhi_f64_of_key(bins->lowest) : INFINITY,
                                      .max = bins->n ? uhi_f64_of_key(bins->highest) : -INFINITY};
    return uhi_sized_fill(__func__, properties, &known, sizeof known);
}

/* Stores the effective number of values before each. */
static void count_before(const uh_bins *bins, struct uhi_counted *made) {
    const struct uhi_keys *keys = &bins->keys;
    const double scale = made->weighted ? weight_of(bins, &bins->sum) / weight_of(bins, &bins->squares) : 1;
    struct uhi_wide_sum sum = {{0, 0, 0}};
    uint64_t count = 0;
    made->before[0] = 0;
    for (size_t i = 0; i < keys->n; i++) {
        if (keys->sum) {
            uhi_wide_sum_join(&sum, &keys->sum[i]);
            made->before[i + 1] = scale * uhi_wide_sum_value(&sum);
        } else {
            count += keys->count[i];
            made->before[i + 1] = (double)count;
        }
    }
}

uh_status uhi_bins_count(const char *call, uh_bins *bins, struct uhi_counted *made) {
    const struct uhi_keys *keys = &bins->keys;
    UHI_TRY(uhi_bins_end_pass(call, bins));
    UHI_TRY(uhi_keys_sort(call, &bins->keys));
    const size_t n = keys->n;
    *made =
        (struct uhi_counted){.n = n, .weighted = keys->sum != NULL, .joined = keys->joined, .dropped = bins->dropped};
    if (n == 0)
        return uhi_fail_argument(call, "bins", "has no values, expected some");
    made->x = malloc(n * sizeof *made->x);
    made->before = malloc((n + 1) * sizeof *made->before);
    if (!made->x || !made->before) {
        uhi_counted_free(made);
        return uhi_fail_memory(call, "no memory for %zu values", n);
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned dropped = bins->dropped ? bins->dropped[i] : keys->joined;
        made->x[i] = uhi_f64_of_key(keys->key[i] | ((uint64_t)1 << dropped) >> 1);
    }
    made->x[0] = uhi_f64_of_key(bins->lowest);
    made->x[n - 1] = uhi_f64_of_key(bins->highest);
    count_before(bins, made);
    return UH_SUCCESS;
}

void uhi_counted_free(struct uhi_counted *values) {
    free(values->x);
    free(values->before);
    values->x = values->before = NULL;
}
