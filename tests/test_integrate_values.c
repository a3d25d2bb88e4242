/* SPDX-License-Identifier: Apache-2.0 */
/* Many values of a point: each has the bits that it has as the second of two. */
#include "tests/integrate_fixture.h"

enum { MAX_VALUES = UH_INTEGRATE_MAX_VALUES, AXES = 3 };

/* Values 0, and from `first` on. */
struct values {
    size_t n, first;
};

static void waves(size_t n, const double *const *x, double *const *value, const void *context) {
    const struct values *values = context;
    for (size_t k = 0; k < values->n; k++)
        for (size_t i = 0; i < n; i++) {
            const double order = k > 0 ? (double)(values->first + k - 1) : 4, across = x[0][i] - x[2][i];
            value[k][i] = (order - 3 * x[1][i]) / (0.125 + across * across);
        }
}

struct result {
    uh_integral integral;
    double values[MAX_VALUES], *covariance;
};

static struct result *integrate_values(uh_queue *queue, const struct values *values,
                                       const uh_integrate_options *options) {
    struct result *result = test_memory(sizeof *result);
    uh_integrand integrand = {sizeof integrand, .dims = AXES, .function = waves, .context = values};
    integrand.values = values->n;
    result->covariance = test_memory(values->n * values->n * sizeof *result->covariance);
    result->integral = (uh_integral){
        .struct_size = sizeof result->integral, .values = result->values, .covariance = result->covariance};
    test_good(uh_integrate(queue, &integrand, options, &result->integral));
    return result;
}

/* All that is known of value k of n, by a pair of it and the first. */
static void compare(const struct result *all, const struct result *pair, size_t n, size_t k) {
    const double *row = all->covariance + k * n;
    assert_true(pair->values[0] == all->values[0] && pair->values[1] == all->values[k]);
    assert_true(pair->covariance[0] == all->covariance[0] && pair->covariance[3] == row[k]);
    assert_true(pair->covariance[1] == row[0] && pair->covariance[2] == all->covariance[k]);
    assert_int_equal(pair->integral.calls, all->integral.calls);
}

UNIT_TEST(a_value_among_many_has_the_bits_that_it_has_in_a_pair) {
    static const size_t numbers[] = {3, UH_INTEGRATE_CORRELATED, UH_INTEGRATE_CORRELATED + 1, MAX_VALUES};
    uh_queue *queue = test_queue(2, 0);
    for (int variant = UH_INTEGRATE_AUTO; variant <= UH_INTEGRATE_CUBATURE; variant++)
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const size_t n = numbers[i], step = 1 + n / 4;
            const uh_integrate_options *options = INTEGRATE(.variant = (uh_integrate_variant)variant, .max_calls = 3000,
                                                            .iterations = 6, .relative_error = 1e-9);
            struct result *all = integrate_values(queue, &(struct values){n, 1}, options), *pairs[MAX_VALUES];
            for (size_t k = 1; k < n; k += step)
                compare(all, pairs[k] = integrate_values(queue, &(struct values){2, k}, options), n, k);
            test_good(uh_integral_ratios(&all->integral, n, 0, all->values, all->covariance)); /* in place */
            for (size_t k = 1; k < n; k += step) {
                test_good(uh_integral_ratios(&pairs[k]->integral, 2, 0, pairs[k]->values, pairs[k]->covariance));
                compare(all, pairs[k], n, k);
            }
        }
}

UNIT_TEST(covariances_that_are_not_summed_are_not_numbers) {
    enum { N = UH_INTEGRATE_CORRELATED + 1 };
    const struct result *all = integrate_values(test_queue(2, 0), &(struct values){N, 1},
                                                INTEGRATE(.variant = UH_INTEGRATE_VEGAS_PLUS, .max_calls = 3000));
    double ratios[N], covariance[N * N];
    test_good(uh_integral_ratios(&all->integral, N, 1, ratios, covariance));
    for (size_t k = 0; k < N; k++)
        for (size_t l = 0; l < N; l++) {
            assert_int_equal(isnan(all->covariance[k * N + l]) != 0, k > 0 && l > 0 && k != l);
            assert_int_equal(isnan(covariance[k * N + l]) != 0, (k > 1 || l > 1) && k != 1 && l != 1);
        }
}
