/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of the library's rules, from streamed inputs. */
#include <unihist/bins.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/bins.h"
#include "api/cli/group.h"

/* Values that rules keep which need a few quantiles alone, exact in a second pass. */
enum { FEW_VALUES = 1 << 16 };

/* ---- options ---- */

/* Reads DISTRIBUTION or DISTRIBUTION:N. */
static int read_fit(const char *text, const char *options, struct cli_bins *bins) {
    static const struct {
        const char *name;
        uh_distribution_kind kind;
    } fits[] = {{"normal", UH_DISTRIBUTION_NORMAL},
                {"lognormal", UH_DISTRIBUTION_LOGNORMAL},
                {"exponential", UH_DISTRIBUTION_EXPONENTIAL},
                {"uniform", UH_DISTRIBUTION_UNIFORM},
                {"weibull", UH_DISTRIBUTION_WEIBULL}};
    const size_t length = options ? strcspn(options, ":") : 0;
    uint64_t count = 0;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (strlen(fits[i].name) == length && strncmp(options, fits[i].name, length) == 0 &&
            (!options[length] || cli_parse_u64(options + length + 1, 1, CLI_MAX_CHOSEN, &count) == 0)) {
            bins->fit = fits[i].kind;
            bins->count = (size_t)count;
            return 0;
        }
    return cli_usage("--bins '%.200s': expected equal_probability:DISTRIBUTION or equal_probability:DISTRIBUTION:N "
                     "with normal, lognormal, exponential, uniform or weibull",
                     text);
}

int cli_bins_read_rule(const char *text, struct cli_bins *bins) {
    const size_t length = strcspn(text, ":");
    const char *number = text[length] ? text + length + 1 : NULL;
    char name[32];
    unsigned rule;
    uint64_t count = 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
    if (uh_enum_from_name(UH_ENUM_RULE, name, &rule))
        return 1;
    bins->kind = CLI_BINS_RULE;
    bins->rule = (uh_rule)rule;
    bins->step_name = text;
    switch (bins->rule) {
    case UH_RULE_EQUAL_PROBABILITY: return read_fit(text, number, bins);
    case UH_RULE_BLOCKS:
        if (number && (cli_parse_double(number, strlen(number), &bins->p0) || !(bins->p0 > 0 && bins->p0 < 1)))
            return cli_usage("--bins '%.200s': expected blocks or blocks:P0 with a probability P0 between 0 and 1",
                             text);
        return 0;
    case UH_RULE_NICE:
    case UH_RULE_QUANTILE:
    case UH_RULE_CLUSTERS:
    case UH_RULE_DENBY_MALLOWS:
        if ((!number && bins->rule != UH_RULE_NICE) || (number && cli_parse_u64(number, 1, CLI_MAX_CHOSEN, &count)))
            return cli_usage("--bins '%.200s': expected %s%s:N with N from 1 to %d", text,
                             bins->rule == UH_RULE_NICE ? "nice or " : "", name, CLI_MAX_CHOSEN);
        bins->count = (size_t)count;
        return 0;
    default:
        return number ? cli_usage("--bins '%.200s': expected %s alone: it finds the number of bins", text, name) : 0;
    }
}

/* ---- the axis ---- */

struct choosing {
    const struct cli_bins *bins;
    struct cli_inputs *inputs;
    uh_bins *values;
    uh_rule_options options;
};

static int add_values(void *context, const uh_array *arrays) {
    const struct choosing *choosing = context;
    const uh_array *weights = choosing->inputs->weights ? &arrays[1] : NULL;
    return uh_bins_add(choosing->values, arrays, weights) ? cli_fail_library() : 0;
}

/* Adds the values of all processes. */
static int read_values(struct choosing *choosing) {
    struct cli_inputs *inputs = choosing->inputs;
    const struct cli_points points = {.sources = {inputs, inputs->weights},
                                      .nsources = inputs->weights ? 2 : 1,
                                      .naxes = 1,
                                      .axis = {{.inputs = inputs, .element = inputs->element}},
                                      .values = inputs->weights};
    if (cli_points_pass(&points, "choosing bins", add_values, choosing))
        return -1;
    if (cli_inputs_are_divided(inputs) && uh_bins_exchange(choosing->values, cli_group->exchange))
        return cli_fail_library();
    return 0;
}

/* Reads the values again as long as the rule needs quantiles more exactly. */
static int refine(struct choosing *choosing) {
    size_t n = 0;
    int again = 1, result = 0;
    if (uh_rule_quantiles(choosing->bins->rule, &choosing->options, NULL, &n))
        return cli_fail_library();
    if (n == 0)
        return 0;
    double *q = cli_have(malloc(n * sizeof *q));
    (void)uh_rule_quantiles(choosing->bins->rule, &choosing->options, q, &n);
    while (result == 0 && again) {
        if (uh_bins_refine(choosing->values, q, n, 0, &again))
            result = cli_fail_library();
        else if (again)
            result = read_values(choosing);
    }
    free(q);
    return result;
}

/* Warns of a result that is not the rule's own. */
static void report(const struct choosing *choosing, const uh_rule_result *result) {
    const char *name = uh_enum_name(UH_ENUM_RULE, choosing->bins->rule);
    if (result->joined)
        cli_warn("there are too many different values to keep: '%s' takes them without their lowest %u bits", name,
                 result->joined);
    if (result->limited && result->wanted > (double)result->bins)
        cli_warn("the rule '%s' asks for %g bins; as there are at most 65536, and no more than values, it has %zu",
                 name, result->wanted, result->bins);
    else if (result->limited)
        cli_warn("the number of bins that the rule '%s' found, %zu, is the largest it tried, and may be too small",
                 name, result->bins);
}

/* Makes the axis; without any values, one bin over the range, or from 0 to 1. */
static int make_axis(struct choosing *choosing, const uh_bins_properties *known, uh_axis **axis) {
    const struct cli_bins *bins = choosing->bins;
    uh_rule_result result = {.struct_size = sizeof result};
    uh_distribution fit = {.struct_size = sizeof fit};
    uh_rule_options options = choosing->options;
    const char *name = uh_enum_name(UH_ENUM_RULE, bins->rule);
    const uh_closed closed = choosing->options.closed;
    if (known->n == 0 && bins->count > 0)
        return cli_fail("--bins %s:%zu: no values%s", name, bins->count, bins->ranged ? " in the range" : "");
    if (known->n == 0)
        return uh_axis_create_regular(UH_SPACING_EQUAL, 1, bins->ranged ? bins->range[0] : 0,
                                      bins->ranged ? bins->range[1] : 1, closed, axis)
                   ? cli_fail_library()
                   : 0;
    if (bins->rule == UH_RULE_EQUAL_PROBABILITY) {
        if (uh_bins_fit(choosing->values, bins->fit, &fit))
            return cli_fail("--bins %s: %s", name, uh_last_error_info()->text);
        options.distribution = &fit;
    }
    if (uh_bins_axis(choosing->values, bins->rule, &options, axis, &result))
        return cli_fail("--bins %s: %s", name, uh_last_error_info()->text);
    if (bins->rule == UH_RULE_NICE && cli_bins_are_times(bins, choosing->inputs, choosing->inputs->element) > 0) {
        const double range[] = {bins->ranged ? bins->range[0] : known->min, bins->ranged ? bins->range[1] : known->max};
        uh_axis_destroy(*axis);
        *axis = NULL;
        if (cli_bins_nice_times(bins, (double)(bins->count ? bins->count : result.bins), range, axis))
            return -1;
    }
    report(choosing, &result);
    if (bins->why)
        *bins->why = (struct cli_why){*known, result, fit};
    return 0;
}

int cli_bins_chosen(const struct cli_bins *bins, struct cli_inputs *inputs, uh_closed closed, uh_axis **axis) {
    const int few = bins->rule <= UH_RULE_RICE || bins->rule == UH_RULE_FD || bins->rule == UH_RULE_QUANTILE;
    const uh_bins_options options = {
        .struct_size = sizeof options, .range = bins->ranged ? bins->range : NULL, .max_values = few ? FEW_VALUES : 0};
    struct choosing choosing = {.bins = bins,
                                .inputs = inputs,
                                .options = {.struct_size = sizeof choosing.options,
                                            .bins = bins->count,
                                            .max_bins = bins->count ? 1 << 20 : 0,
                                            .p0 = bins->p0,
                                            .closed = closed}};
    uh_bins_properties known = {.struct_size = sizeof known};
    double ignored[2];
    if (uh_bins_create(&options, &choosing.values))
        return cli_fail_library();
    int result = read_values(&choosing);
    if (result == 0 && uh_bins_get_properties(choosing.values, &known))
        result = cli_fail_library();
    const struct cli_extent extent = {.n = known.n,
                                      .nan = known.nan,
                                      .infinite = bins->ranged ? 0 : known.beyond,
                                      .strict = inputs->strict,
                                      .min = known.min,
                                      .max = inputs->strict && known.beyond > 0 ? INFINITY : known.max};
    if (result == 0)
        result = cli_extent_range(&extent, &ignored[0], &ignored[1]);
    if (result == 0 && known.n > 0)
        result = refine(&choosing);
    if (result == 0)
        result = make_axis(&choosing, &known, axis);
    uh_bins_destroy(choosing.values);
    return result;
}
