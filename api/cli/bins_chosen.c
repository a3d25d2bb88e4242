/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of the library's rules, from streamed inputs. */
#include <unihist/bins.h>

#include <math.h>

#include "api/cli/bins.h"
#include "api/cli/group.h"

static int add_values(void *context, const uh_array *x) { return uh_bins_add(context, x) ? cli_fail_library() : 0; }

/* Makes the axis of all processes' values; without any, one bin from 0 to 1. */
static int make_axis(const struct cli_bins *bins, uh_bins *values, int strict, uh_closed closed, uh_axis **axis) {
    uh_bins_properties known = {.struct_size = sizeof known};
    uh_rule_result result = {.struct_size = sizeof result};
    const uh_rule_options options = {
        .struct_size = sizeof options, .bins = bins->count, .p0 = bins->p0, .closed = closed};
    const char *name = uh_enum_name(UH_ENUM_RULE, bins->chosen);
    double range[2];
    if (uh_bins_get_properties(values, &known))
        return cli_fail_library();
    const int infinite = strict && known.beyond > 0;
    const struct cli_extent extent = {.n = known.n,
                                      .nan = known.nan,
                                      .infinite = bins->ranged ? 0 : known.beyond,
                                      .strict = strict,
                                      .min = known.min,
                                      .max = infinite ? INFINITY : known.max};
    if (cli_extent_range(&extent, &range[0], &range[1]))
        return -1;
    if (known.n == 0)
        return uh_axis_create_regular(UH_SPACING_EQUAL, 1, bins->ranged ? bins->range[0] : range[0],
                                      bins->ranged ? bins->range[1] : range[1], closed, axis)
                   ? cli_fail_library()
                   : 0;
    if (uh_bins_axis(values, bins->chosen, &options, axis, &result))
        return cli_fail("--bins %s: %s", name, uh_last_error_info()->text);
    if (known.joined)
        cli_warn("there are too many different values to keep: '%s' takes them without their lowest %u bits", name,
                 known.joined);
    if (result.limited)
        cli_warn("the number of bins that the rule '%s' found, %zu, is the largest it tried, and may be too small",
                 name, result.bins);
    return 0;
}

int cli_bins_chosen(const struct cli_bins *bins, struct cli_inputs *inputs, uh_closed closed, uh_axis **axis) {
    const uh_bins_options options = {.struct_size = sizeof options, .range = bins->ranged ? bins->range : NULL};
    uh_bins *values = NULL;
    if (uh_bins_create(&options, &values))
        return cli_fail_library();
    int result = cli_inputs_pass(inputs, "choosing bins", add_values, values);
    if (result == 0 && cli_group && uh_bins_exchange(values, cli_group->exchange))
        result = cli_fail_library();
    if (result == 0)
        result = make_axis(bins, values, inputs->strict, closed, axis);
    uh_bins_destroy(values);
    return result;
}
