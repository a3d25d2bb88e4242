/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bins_fixture.h"

static void end_bins(void *bins) { uh_bins_destroy(bins); }

uh_bins *bins_of(const uh_bins_options *options) {
    uh_bins *bins = NULL;
    test_good(uh_bins_create(options, &bins));
    return test_at_end(bins, end_bins);
}

uh_bins *bins_with(const double *x, size_t n) {
    uh_bins *bins = bins_of(NULL);
    test_good(uh_bins_add(bins, ARRAY(UH_F64, x, n), NULL));
    return bins;
}

struct chosen choose(uh_bins *bins, uh_rule rule, const uh_rule_options *options) {
    struct chosen chosen = {.result = {.struct_size = sizeof chosen.result}};
    uh_axis_properties properties = {.struct_size = sizeof properties};
    uh_axis *axis = NULL;
    test_good(uh_bins_axis(bins, rule, options, &axis, &chosen.result));
    test_good(uh_axis_get_properties(axis, &properties));
    assert_int_equal(properties.bins, chosen.result.bins);
    assert_in_range(properties.bins, 1, MAX_POINTS);
    memcpy(chosen.edges, properties.edges, (properties.bins + 1) * sizeof *chosen.edges);
    uh_axis_destroy(axis);
    return chosen;
}

size_t sorted_values(uint64_t seed, double *x) {
    uint64_t state = seed + 1;
    const size_t n = 2 + (size_t)(test_random_f64(&state) * (double)(seed % 3 ? 30 : MAX_POINTS - 2));
    for (size_t i = 0; i < n; i++) {
        const double u = test_random_f64(&state);
        x[i] = seed % 4 == 0   ? u
               : seed % 4 == 1 ? floor(8 * u * u)
               : seed % 4 == 2 ? (i % 3 ? u : 0.4 + u / 20)
                               : -log(1 - u);
    }
    qsort(x, n, sizeof *x, test_ascending);
    x[n - 1] += x[n - 1] == x[0];
    return n;
}

uh_rule_options options_of(uh_rule rule) {
    static const uh_distribution exponential = {sizeof exponential, UH_DISTRIBUTION_EXPONENTIAL, 0, 1, NULL, NULL, 0};
    const int numbered = rule == UH_RULE_QUANTILE || rule == UH_RULE_CLUSTERS || rule == UH_RULE_DENBY_MALLOWS;
    return (uh_rule_options){.struct_size = sizeof(uh_rule_options),
                             .bins = numbered ? 2 : 0,
                             .distribution = rule == UH_RULE_EQUAL_PROBABILITY ? &exponential : NULL};
}
