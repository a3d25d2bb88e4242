/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles of values, further passes for them, and the rules that are made of quantiles. */
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/status.h"

/* ---- quantiles ---- */

/* Returns the last value with at most `n` values before it. */
static size_t value_at(const struct uhi_counted *values, double n) {
    size_t low = 0, high = values->n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (values->before[middle] <= n)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns where a quantile lies among n values, from 0 on, in NumPy's form of Hyndman's and Fan's definitions. */
static double place_of(double n, double q, int type) {
    static const double ends[][2] = {
        [4] = {0, 1}, [5] = {0.5, 0.5}, [6] = {0, 0}, [8] = {1.0 / 3, 1.0 / 3}, [9] = {3.0 / 8, 3.0 / 8}};
    if (type == 7)
        return (n - 1) * q;
    return type < 4 ? n * q - (type == 3 ? 1.5 : 1)
                    : n * q + (ends[type][0] + q * (1 - ends[type][0] - ends[type][1])) - 1;
}

static double between(double value, double low, double high) { return value < low ? low : value < high ? value : high; }

static double middle_of(double a, double b) { return isfinite(b - a) ? a + (b - a) / 2 : a / 2 + b / 2; }

static double repeated_quantile(const struct uhi_counted *values, double q, int type) {
    const double last = uhi_counted_all(values) - 1, at = place_of(last + 1, q, type), below = floor(at);
    const double a = values->x[value_at(values, between(below, 0, last))],
                 b = values->x[value_at(values, between(below + 1, 0, last))];
    const double part = at < 0 ? 0 : at > last ? 1 : at - below, step = b - a;
    if (type == 1 || type == 3) /* of two equally near values type 3 takes the one of even number from 1 on */
        return at == below && (type == 1 || fmod(below, 2) != 0) ? a : b;
    if (type == 2)
        return at == below ? middle_of(a, b) : b;
    return part >= 0.5 ? b - step * (1 - part) : a + step * part;
}

/* The mean of the inverse distribution function over one effective value. */
static double mean_quantile(const struct uhi_counted *values, double q, int type) {
    const double all = uhi_counted_all(values), from = between(place_of(all, q, type), 0, fmax(all - 1, 0)),
                 to = fmin(from + 1, all);
    const size_t first = value_at(values, from);
    double sum = 0, width = 0;
    size_t i = first;
    for (; i < values->n && values->before[i] < to; i++) {
        const double part = fmin(values->before[i + 1], to) - fmax(values->before[i], from);
        sum += part * (values->x[i] - values->x[first]);
        width += part;
    }
    return i - first > 1 ? between(values->x[first] + sum / width, values->x[first], values->x[i - 1])
                         : values->x[first];
}

/* Returns the first value that reaches a part of all weights. */
static size_t value_reaching(const struct uhi_counted *values, double weight) {
    const size_t i = value_at(values, weight);
    return i > 0 && values->before[i] >= weight ? i - 1 : i;
}

double uhi_counted_quantile(const struct uhi_counted *values, double q, int type) {
    if (!values->weighted)
        return repeated_quantile(values, q, type);
    if (type > 3)
        return mean_quantile(values, q, type);
    const double weight = q * uhi_counted_all(values);
    const size_t i = value_reaching(values, weight);
    return type == 2 && values->before[i + 1] == weight && i + 1 < values->n ? middle_of(values->x[i], values->x[i + 1])
                                                                             : values->x[i];
}

static uh_status check_quantiles(const char *call, const double *q, size_t n, int *type) {
    UHI_NEED(call, q, "numbers from 0 to 1");
    UHI_TRY(uhi_check_between(call, "n", UH_NO_INDEX, n, 1, UH_MAX_QUANTILES));
    for (size_t i = 0; i < n; i++) {
        if (!(q[i] >= 0 && q[i] <= 1))
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "q", i, "is %g, expected 0 to 1", q[i]);
        if (i > 0 && q[i] < q[i - 1])
            return uhi_fail_at(UH_ERROR_INVALID_ARGUMENT, call, "q", i, "is %.17g, expected at least q[%zu] = %.17g",
                               q[i], i - 1, q[i - 1]);
    }
    if (*type < 0 || *type > 9)
        return uhi_fail_argument(call, "type", "is %d, expected 0 to 9", *type);
    *type = *type ? *type : 7;
    return UH_SUCCESS;
}

/* Makes the values, checked for quantiles of a type. */
static uh_status count_for(const char *call, uh_bins *bins, int type, struct uhi_counted *values) {
    UHI_TRY(uhi_bins_count(call, bins, values));
    if (type != 3 || !values->weighted)
        return UH_SUCCESS;
    uhi_counted_free(values);
    return uhi_fail_argument(call, "type", "is 3, expected another one with weights that are not whole");
}

uh_status uh_bins_quantiles(uh_bins *bins, const double *q, size_t n, int type, double *values) {
    struct uhi_counted counted;
    UHI_NEED(__func__, bins, "bins");
    UHI_TRY(check_quantiles(__func__, q, n, &type));
    UHI_NEED(__func__, values, "where to store the quantiles");
    UHI_TRY(count_for(__func__, bins, type, &counted));
    for (size_t i = 0; i < n; i++)
        values[i] = uhi_counted_quantile(&counted, q[i], type);
    uhi_counted_free(&counted);
    return UH_SUCCESS;
}

/* ---- further passes ---- */

/* Finds the values that a quantile depends on. */
static void find_span(const struct uhi_counted *values, double q, int type, size_t *first, size_t *last) {
    const double all = uhi_counted_all(values), at = place_of(all, q, type);
    const int inverse = values->weighted && type < 3;
    const double low = between(inverse ? q * all : floor(at), 0, all - 1);
    *first = value_reaching(values, low);
    *last = value_at(values, inverse ? q * all : low + 2);
}

unsigned uhi_counted_joined(const struct uhi_counted *values, double q, int type) {
    unsigned most = 0;
    size_t first, last;
    find_span(values, q, type, &first, &last);
    for (size_t i = first; i <= last; i++) {
        const unsigned lacks = values->dropped ? values->dropped[i] : values->joined;
        most = lacks > most ? lacks : most;
    }
    return most;
}

uh_status uh_bins_refine(uh_bins *bins, const double *q, size_t n, int type, int *again) {
    struct uhi_counted values;
    size_t first, last, done = 0;
    UHI_NEED(__func__, bins, "bins");
    UHI_NEED(__func__, again, "where to store whether there is another pass");
    UHI_TRY(check_quantiles(__func__, q, n, &type));
    UHI_TRY(count_for(__func__, bins, type, &values));
    uh_status status = UH_SUCCESS;
    for (size_t j = 0; j < n && !status; j++) {
        find_span(&values, q[j], type, &first, &last);
        for (size_t i = first > done ? first : done; i <= last && !status; i++) {
            const unsigned dropped = bins->dropped ? bins->dropped[i] : bins->keys.joined;
            if (dropped > 0)
                status = uhi_zones_add(__func__, &bins->zones, bins->keys.key[i], dropped);
        }
        done = last + 1 > done ? last + 1 : done;
    }
    uhi_counted_free(&values);
    UHI_TRY(status);
    uhi_zones_map(&bins->zones);
    bins->refining = *again = bins->zones.n > 0;
    return UH_SUCCESS;
}

/* ---- rules ---- */

uh_status uh_rule_quantiles(uh_rule rule, const uh_rule_options *options, double *q, size_t *n) {
    uh_rule_options o = {.struct_size = 0};
    UHI_TRY(uhi_check_enum(__func__, "rule", UH_NO_INDEX, UH_ENUM_RULE, rule));
    UHI_TRY(uhi_sized_read(__func__, "options", options, &o, sizeof o));
    UHI_NEED(__func__, n, "where to store the number");
    const int quartiles = rule == UH_RULE_FD || rule == UH_RULE_AUTO || (rule == UH_RULE_NICE && o.bins == 0) ||
                          (rule == UH_RULE_DENBY_MALLOWS && o.slant == 0);
    if (rule == UH_RULE_QUANTILE)
        UHI_TRY(uhi_check_between(__func__, "options->bins", UH_NO_INDEX, o.bins, 1, UH_MAX_QUANTILES - 1));
    *n = rule == UH_RULE_QUANTILE ? o.bins + 1 : quartiles ? 2 : 0;
    for (size_t j = 0; j < *n && q; j++)
        q[j] = quartiles ? 0.25 + 0.5 * (double)j : j == o.bins ? 1 : (double)j * (1 / (double)o.bins);
    return UH_SUCCESS;
}

void uhi_choose_quantiles(struct uhi_choosing *c) {
    const struct uhi_counted *values = c->values;
    const size_t bins = c->options.bins;
    const int type = c->options.quantile_type ? c->options.quantile_type : 7;
    size_t made = 0;
    c->result.joined = 0;
    for (size_t j = 0; j <= bins; j++) {
        const double q = j == bins ? 1 : (double)j * (1 / (double)bins);
        const double edge = j == 0      ? values->x[0]
                            : j == bins ? values->x[values->n - 1]
                                        : uhi_counted_quantile(values, q, type);
        if (j > 0 && j < bins) {
            const unsigned joined = uhi_counted_joined(values, q, type);
            c->result.joined = joined > c->result.joined ? joined : c->result.joined;
        }
        if (j == 0 || edge > c->edges[made - 1])
            c->edges[made++] = edge;
    }
    c->result.bins = made - 1;
}

/* Edges at equal steps of x + slant F(x): its inverse, along the values, between which F is constant. */
void uhi_choose_slanted(struct uhi_choosing *c) {
    const struct uhi_counted *values = c->values;
    const double n = uhi_counted_all(values), lo = values->x[0], hi = values->x[values->n - 1];
    const double slant = c->options.slant > 0
                             ? c->options.slant
                             : 5 * (uhi_counted_quantile(values, 0.75, 7) - uhi_counted_quantile(values, 0.25, 7));
    const int by_content = isinf(slant) != 0;
    const double per_value = by_content ? 1 / n : slant / n,
                 step = (by_content ? 1 : hi - lo + slant) / (double)c->options.bins;
    size_t made = 1, i = 0; /* the last value at or below the edge */
    c->edges[0] = lo;
    for (size_t j = 1; j < c->options.bins; j++) {
        const double level = (double)j * step;
        while (i + 1 < values->n &&
               (by_content ? 0 : values->x[i + 1] - lo) + per_value * values->before[i + 1] <= level)
            i++;
        const double flat = lo + (level - per_value * values->before[i + 1]);
        const double edge = by_content || flat < values->x[i] ? values->x[i] : flat;
        if (edge > c->edges[made - 1] && edge < hi)
            c->edges[made++] = edge;
    }
    c->edges[made] = hi;
    c->result.bins = made;
}
