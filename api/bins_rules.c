/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that the data choose: checks of options, and the rules. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "api/bins_values.h"
#include "runtime/status.h"

enum { USUAL_BINS = 65536, MAX_BINS = 1 << 20 };

/* How a rule takes options->bins. */
enum taken { FINDS, MAY_TAKE, NEEDS };

static const enum taken bins_of[] = {[UH_RULE_NICE] = MAY_TAKE,
                                     [UH_RULE_QUANTILE] = NEEDS,
                                     [UH_RULE_CLUSTERS] = NEEDS,
                                     [UH_RULE_DENBY_MALLOWS] = NEEDS,
                                     [UH_RULE_EQUAL_PROBABILITY] = MAY_TAKE};

/* Refuses an option of another rule. */
static uh_status check_absent(const char *call, uh_rule rule, uh_rule its, const char *argument, double value) {
    if (value == 0 || rule == its)
        return UH_SUCCESS;
    return uhi_fail_argument(call, argument, "is %g, expected 0 with the rule %s", value,
                             uh_enum_name(UH_ENUM_RULE, rule));
}

uh_status uhi_check_rule(const char *call, uh_rule rule, uh_rule_options *o) {
    const char *name = uh_enum_name(UH_ENUM_RULE, rule);
    o->max_bins = o->max_bins ? o->max_bins : USUAL_BINS;
    UHI_TRY(uhi_check_between(call, "options->max_bins", UH_NO_INDEX, o->max_bins, 1, MAX_BINS));
    if (bins_of[rule] == NEEDS || (bins_of[rule] == MAY_TAKE && o->bins))
        UHI_TRY(uhi_check_between(call, "options->bins", UH_NO_INDEX, o->bins, 1, o->max_bins));
    else if (o->bins)
        return uhi_fail_argument(call, "options->bins", "is %zu, expected 0: the rule %s finds it", o->bins, name);
    UHI_TRY(check_absent(call, rule, UH_RULE_BLOCKS, "options->p0", o->p0));
    UHI_TRY(check_absent(call, rule, UH_RULE_BLOCKS, "options->gamma", o->gamma));
    UHI_TRY(check_absent(call, rule, UH_RULE_BLOCKS, "options->ncp_prior", o->ncp_prior));
    UHI_TRY(check_absent(call, rule, UH_RULE_DENBY_MALLOWS, "options->slant", o->slant));
    UHI_TRY(check_absent(call, rule, UH_RULE_QUANTILE, "options->quantile_type", o->quantile_type));
    if ((o->p0 != 0) + (o->gamma != 0) + (o->ncp_prior != 0) > 1)
        return uhi_fail_argument(call, "options->p0", "is given with gamma or ncp_prior, expected one of them");
    UHI_TRY(uhi_check_number(call, "options->p0", o->p0, 0, 1, "0 to 1"));
    UHI_TRY(uhi_check_number(call, "options->gamma", o->gamma, 0, 1, "0 to 1"));
    UHI_TRY(uhi_check_number(call, "options->ncp_prior", o->ncp_prior, 0, DBL_MAX, "a number above 0"));
    UHI_TRY(uhi_check_number(call, "options->slant", o->slant, 0, INFINITY, "a number above 0"));
    if (o->quantile_type < 0 || o->quantile_type > 9)
        return uhi_fail_argument(call, "options->quantile_type", "is %d, expected 0 to 9", o->quantile_type);
    if ((rule == UH_RULE_EQUAL_PROBABILITY) != (o->distribution != NULL))
        return uhi_fail_argument(call, "options->distribution", "is %s, expected %s with the rule %s",
                                 o->distribution ? "given" : "NULL", o->distribution ? "NULL" : "one", name);
    return UH_SUCCESS;
}

static uh_status run_rule(struct uhi_choosing *c, uh_rule rule) {
    switch (rule) {
    case UH_RULE_KNUTH:
    case UH_RULE_SHIMAZAKI: return uhi_choose_equal(c, rule);
    case UH_RULE_NICE: return uhi_choose_nice(c);
    case UH_RULE_BLOCKS: return uhi_choose_blocks(c);
    case UH_RULE_CLUSTERS: return uhi_choose_clusters(c);
    case UH_RULE_QUANTILE: uhi_choose_quantiles(c); return UH_SUCCESS;
    case UH_RULE_DENBY_MALLOWS: uhi_choose_slanted(c); return UH_SUCCESS;
    default: return uhi_choose_by_formula(c, rule);
    }
}

/* Bins of equal probability; by default as many as Moore recommends. */
static uh_status choose_probable(struct uhi_choosing *c, uh_axis **axis) {
    const double usual = ceil(2 * pow(uhi_counted_all(c->values), 0.4)), most = (double)c->options.max_bins;
    c->result.bins = c->options.bins ? c->options.bins : (size_t)(usual < most ? usual : most);
    c->result.joined = 0;
    return uhi_fail_of(
        c->call, uh_axis_create_distribution(c->options.distribution, c->result.bins, 0, 1, c->options.closed, axis));
}

static uh_status choose(struct uhi_choosing *c, uh_rule rule, uh_axis **axis) {
    const struct uhi_counted *values = c->values;
    const double x = values->x[0];
    const int equal = rule <= UH_RULE_SHIMAZAKI, different = bins_of[rule] == NEEDS && rule != UH_RULE_QUANTILE;
    if (!isfinite(c->range[1] - c->range[0]))
        return uhi_fail_argument(c->call, "bins", "reaches from %g to %g, expected a difference that float64 can hold",
                                 c->range[0], c->range[1]);
    if (different && c->options.bins > values->n)
        return uhi_fail_argument(c->call, "options->bins",
                                 "is %zu, expected at most %zu, the number of different values", c->options.bins,
                                 values->n);
    if (rule == UH_RULE_EQUAL_PROBABILITY)
        return choose_probable(c, axis);
    if (values->n == 1 && !((equal || rule == UH_RULE_NICE) && c->range[0] < c->range[1])) {
        c->result.bins = 1;
        return uhi_axis_make_range(c->call, 0, 1, fmin(x - 0.5, nextafter(x, -INFINITY)),
                                   fmax(x + 0.5, nextafter(x, INFINITY)), c->options.closed, axis);
    }
    c->edges = equal
                   ? NULL
                   : malloc(((bins_of[rule] == NEEDS ? c->options.bins : c->options.max_bins) + 2) * sizeof *c->edges);
    if (!equal && !c->edges)
        return uhi_fail_memory(c->call, "no memory for edges");
    UHI_TRY(run_rule(c, rule));
    return equal ? uhi_axis_make_range(c->call, 0, c->result.bins, c->range[0], c->range[1], c->options.closed, axis)
                 : uhi_axis_make(c->call, "edges", UH_F64, c->edges, c->result.bins + 1, 2, c->options.closed, axis);
}

uh_status uh_bins_axis(uh_bins *bins, uh_rule rule, const uh_rule_options *options, uh_axis **axis,
                       uh_rule_result *result) {
    struct uhi_counted values;
    struct uhi_choosing c = {.call = __func__, .values = &values, .result = {.struct_size = sizeof c.result}};
    UHI_NEED(__func__, bins, "bins");
    UHI_NEED(__func__, axis, "where to store the axis");
    UHI_TRY(uhi_check_enum(__func__, "rule", UH_NO_INDEX, UH_ENUM_RULE, rule));
    UHI_TRY(uhi_sized_read(__func__, "options", options, &c.options, sizeof c.options));
    UHI_TRY(result ? uhi_sized_check(__func__, "result", result, sizeof *result) : UH_SUCCESS);
    c.max_is_given = c.options.max_bins > 0;
    UHI_TRY(uhi_check_rule(__func__, rule, &c.options));
    UHI_TRY(uhi_bins_count(__func__, bins, &values));
    c.result.joined = values.joined;
    c.range[0] = bins->ranged ? bins->range[0] : values.x[0];
    c.range[1] = bins->ranged ? bins->range[1] : values.x[values.n - 1];
    const uh_status status = choose(&c, rule, axis);
    if (!status && result)
        uhi_sized_write(result, &c.result);
    free(c.edges);
    uhi_counted_free(&values);
    return status;
}
