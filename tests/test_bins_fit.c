/* SPDX-License-Identifier: Apache-2.0 */
/* Fitted distributions and Pearson's test, bins of classes, and the bandwidth of a kernel. */
#include "tests/bins_fixture.h"

/* ---- fits ---- */

static double log_density(const uh_distribution *d, double x) {
    const double by_log = (log(x) - d->location) / d->scale, by = (x - d->location) / d->scale;
    switch (d->kind) {
    case UH_DISTRIBUTION_NORMAL: return -0.5 * by * by - log(d->scale);
    case UH_DISTRIBUTION_LOGNORMAL: return -0.5 * by_log * by_log - log(d->scale) - log(x);
    case UH_DISTRIBUTION_WEIBULL: return by_log - exp(by_log) - log(d->scale) - log(x);
    case UH_DISTRIBUTION_EXPONENTIAL: return by >= 0 ? -by - log(d->scale) : -INFINITY;
    default: return by >= 0 && by <= 1 ? -log(d->scale) : -INFINITY;
    }
}

static double likelihood(const uh_distribution *d, const double *x, const double *weights, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += weights[i] * log_density(d, x[i]);
    return sum;
}

UNIT_TEST(fits_have_the_highest_likelihood) {
    static const uh_distribution_kind kinds[] = {UH_DISTRIBUTION_EXPONENTIAL, UH_DISTRIBUTION_NORMAL,
                                                 UH_DISTRIBUTION_LOGNORMAL, UH_DISTRIBUTION_UNIFORM,
                                                 UH_DISTRIBUTION_WEIBULL};
    double x[MAX_POINTS], weights[MAX_POINTS];
    for (uint64_t seed = 0; seed < 50; seed++, test_end_from(0)) {
        const uh_distribution_kind kind = kinds[seed % 5];
        const size_t n = sorted_values(seed, x);
        uint64_t random = seed;
        uh_distribution fit = {.struct_size = sizeof fit};
        uh_bins *bins = bins_of(NULL);
        for (size_t i = 0; i < n; i++) {
            x[i] += 0.01;
            weights[i] = 0.5 + test_random_f64(&random);
        }
        test_good(uh_bins_add(bins, ARRAY(UH_F64, x, n), ARRAY(UH_F64, weights, n)));
        test_good(uh_bins_fit(bins, kind, &fit));
        assert_int_equal(fit.kind, kind);
        const double best = likelihood(&fit, x, weights, n);
        for (int change = 0; change < 4; change++) {
            uh_distribution other = fit;
            if (change < 2 && kind != UH_DISTRIBUTION_EXPONENTIAL)
                other.location += (change ? 1e-3 : -1e-3) * fit.scale;
            else
                other.scale *= change % 2 ? 1.001 : 0.999;
            assert_true(likelihood(&other, x, weights, n) <= best + 1e-9 * fabs(best));
        }
    }
}

/* Returns the probability that the test finds for values and the distribution fitted to them. */
static double probability(const double *x, size_t n, uh_distribution_kind kind, uh_distribution *fit) {
    enum { BINS = 56 }; /* 2 * 4000^0.4 = 55.2 */
    uint64_t counts[BINS];
    const uh_cells cells = uh_cells_of(counts);
    uh_bins *bins = bins_with(x, n);
    uh_rule_result result = {.struct_size = sizeof result};
    uh_chi_square_result found = {.struct_size = sizeof found};
    uh_axis_properties known = {.struct_size = sizeof known};
    uh_axis *axis = NULL;
    test_good(uh_bins_fit(bins, kind, fit));
    test_good(uh_bins_axis(bins, UH_RULE_EQUAL_PROBABILITY, RULE(.distribution = fit), &axis, &result));
    assert_int_equal(result.bins, BINS);
    test_good(uh_axis_get_properties(axis, &known));
    const uh_axis_bins of_axis = uh_axis_bins_between(ARRAY(UH_F64, known.edges, BINS + 1));
    test_good(uh_histogram_of(test_queue(1, 0), ARRAY(UH_F64, x, n), &of_axis, 1, NULL, &cells));
    test_good(uh_chi_square(axis, counts, fit, 2, 0, &found));
    assert_true(found.cells == BINS && found.freedom == BINS - 3);
    uh_axis_destroy(axis);
    return found.p;
}

UNIT_TEST(values_of_a_fitted_distribution_pass_its_test_and_others_do_not) {
    enum { N = 4000, SAMPLES = 40 };
    double x[N], sum = 0;
    uint64_t random = 11;
    int unlikely = 0;
    for (int sample = 0; sample < SAMPLES; sample++, test_end_from(0)) {
        uh_distribution fit = {.struct_size = sizeof fit}, other = fit;
        for (size_t i = 0; i < N; i++)
            x[i] = 3 * pow(-log(1 - test_random_f64(&random)), 1 / 1.7); /* of scale 3 and shape 1.7 */
        const double p = probability(x, N, UH_DISTRIBUTION_WEIBULL, &fit);
        test_near(fit.location, log(3), 0.06);
        test_near(fit.scale, 1 / 1.7, 0.04);
        assert_true(probability(x, N, UH_DISTRIBUTION_LOGNORMAL, &other) < 1e-10);
        sum += p;
        unlikely += p < 0.05;
    }
    assert_true(unlikely <= 6 && sum > 0.35 * SAMPLES && sum < 0.65 * SAMPLES); /* 2 +- 1.4 and 20 +- 1.8 */
}

/* P(chi square >= s) in closed forms: Abramowitz and Stegun, 26.4.4 and 26.4.5. */
static double chance_of(double s, size_t freedom) {
    double term = 1, sum = 0;
    if (freedom % 2 == 0) {
        for (size_t i = 0; i < freedom / 2; term *= s / 2 / (double)++i)
            sum += term;
        return exp(-s / 2) * sum;
    }
    term = sqrt(s);
    for (size_t r = 1; r <= (freedom - 1) / 2; term *= s / (double)(2 * r++ + 1))
        sum += term;
    return erfc(sqrt(s / 2)) + sqrt(2 / 3.14159265358979323846) * exp(-s / 2) * sum;
}

UNIT_TEST(pearsons_test_has_its_probability_and_pools_bins) {
    const uh_distribution uniform = {sizeof uniform, UH_DISTRIBUTION_UNIFORM, 0, 10, NULL, NULL, 0};
    uh_axis *axis = test_equal_axis(10, 0, 10);
    uint64_t counts[10], random = 4;
    for (int i = 0; i < 200; i++) {
        uh_chi_square_result found = {.struct_size = sizeof found};
        double n = 0, statistic = 0;
        for (size_t j = 0; j < 10; j++) {
            counts[j] = 80 + (uint64_t)(test_random_f64(&random) * (double)(i % 50));
            n += (double)counts[j];
        }
        for (size_t j = 0; j < 10; j++)
            statistic += ((double)counts[j] - n / 10) * ((double)counts[j] - n / 10) / (n / 10);
        const size_t fitted = (size_t)i % 8;
        test_good(uh_chi_square(axis, counts, &uniform, fitted, 0, &found));
        assert_true(found.cells == 10 && found.freedom == 9 - fitted);
        test_near(found.statistic, statistic, 1e-12 * (1 + statistic));
        test_near(found.p, chance_of(statistic, found.freedom), 1e-12);
    }
    /* Of 20 values 2 are expected in each bin: three bins together have 6, and the tenth joins the last three. */
    static const uint64_t few[10] = {0, 4, 2, 3, 1, 2, 2, 2, 2, 2};
    uh_chi_square_result found = {.struct_size = sizeof found};
    test_good(uh_chi_square(axis, few, &uniform, 0, 0, &found));
    assert_true(found.cells == 3 && found.freedom == 2);
    test_near(found.statistic, 0, 1e-12); /* 6, 6 and 8 */
    test_near(found.p, 1, 1e-12);
    test_invalid(uh_chi_square(axis, few, &uniform, 2, 0, &found), "gives 3 cells with an expected count of 5");
    const uh_distribution beyond = {sizeof beyond, UH_DISTRIBUTION_UNIFORM, 0, 20, NULL, NULL, 0};
    test_good(uh_chi_square(axis, few, &beyond, 0, 0, &found)); /* half of the probability lies beyond the axis */
    test_near(found.statistic, 10 + 10, 1e-12);
    static const uint64_t none[10] = {0};
    test_invalid(uh_chi_square(axis, none, &uniform, 0, 0, &found), "counts has the sum 0");
}

/* ---- classes ---- */

enum { CLASSES = 3 };

static double entropy(const double *x, const int *classes, size_t n, double lo, double hi, double *all, int *present) {
    double count[CLASSES] = {0}, sum = 0;
    *all = *present = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] >= lo && x[i] < hi) {
            count[classes[i]]++;
            ++*all;
        }
    for (int k = 0; k < CLASSES; k++) {
        sum -= count[k] > 0 ? count[k] / *all * log2(count[k] / *all) : 0;
        *present += count[k] > 0;
    }
    return sum;
}

/* Fayyad and Irani (1993) by their definition: marks the values before which there is a cut. */
static void cut(const double *x, const int *classes, size_t n, double lo, double hi, char *cuts) {
    double all, left, right, best = INFINITY, at = 0;
    int present, k1, k2, found = 0;
    const double whole = entropy(x, classes, n, lo, hi, &all, &present);
    for (size_t i = 1; i < n; i++)
        if (x[i] > x[i - 1] && x[i - 1] >= lo && x[i] < hi) {
            const double e1 = entropy(x, classes, n, lo, x[i], &left, &k1);
            const double e2 = entropy(x, classes, n, x[i], hi, &right, &k2);
            const double mean = (left * e1 + right * e2) / all;
            const double delta = log2(pow(3, present) - 2) - (present * whole - k1 * e1 - k2 * e2);
            if (mean < best - 1e-12) {
                best = mean;
                at = x[i];
                found = whole - mean > (log2(all - 1) + delta) / all;
            }
        }
    if (!found)
        return;
    for (size_t i = 0; i < n; i++)
        cuts[i] = (char)(cuts[i] | (x[i] == at && x[i - 1] < at));
    cut(x, classes, n, lo, at, cuts);
    cut(x, classes, n, at, hi, cuts);
}

UNIT_TEST(classes_are_separated_as_published) {
    double x[MAX_POINTS];
    int classes[MAX_POINTS];
    size_t most = 0;
    for (uint64_t seed = 0; seed < 120; seed++, test_end_from(0)) {
        const size_t n = sorted_values(seed, x);
        uint64_t random = seed;
        uh_bins *of_class[CLASSES] = {bins_of(NULL), bins_of(NULL), bins_of(NULL)};
        uh_axis_properties known = {.struct_size = sizeof known};
        uh_axis *axis = NULL;
        char cuts[MAX_POINTS] = {0};
        size_t bins = 1;
        for (size_t i = 0; i < n; i++) {
            classes[i] = i < CLASSES                       ? (int)i
                         : test_random_f64(&random) < 0.15 ? 2
                                                           : x[i] / x[n - 1] > 0.5 || x[i] < 0.1;
            test_good(uh_bins_add(of_class[classes[i]], ARRAY(UH_F64, &x[i], 1), NULL));
        }
        cut(x, classes, n, -INFINITY, INFINITY, cuts);
        test_good(uh_bins_mdlp(of_class, CLASSES, UH_CLOSED_LEFT, &axis));
        test_good(uh_axis_get_properties(axis, &known));
        assert_true(known.edges[0] == x[0] && known.edges[known.bins] == x[n - 1]);
        for (size_t i = 1; i < n; i++)
            if (cuts[i])
                assert_true(bins < known.bins && known.edges[bins++] == x[i - 1] + (x[i] - x[i - 1]) / 2);
        assert_int_equal(bins, known.bins);
        most = bins > most ? bins : most;
        uh_axis_destroy(axis);
    }
    assert_in_range(most, 3, 20);
}

/* ---- the bandwidth of a kernel ---- */

static double kernel(double d, double width) { return exp(-0.5 * d * d / (width * width)) / width; }

/* Shimazaki's and Shinomoto's cost, from all pairs of values. */
static double cost_of(const double *x, size_t n, double width) {
    double cost = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            cost += kernel(x[i] - x[j], sqrt(2) * width) - (i == j ? 0 : 2 * kernel(x[i] - x[j], width));
    return cost;
}

UNIT_TEST(the_bandwidth_has_the_smallest_cost) {
    double x[MAX_POINTS], bandwidth;
    for (uint64_t seed = 0; seed < 12; seed++, test_end_from(0)) {
        const size_t n = sorted_values(2 * seed, x);
        const double first = x[0], width = x[n - 1] - first;
        for (size_t i = 0; i < n; i++) /* on the grid of 2^13 steps */
            x[i] = floor(8191 * (x[i] - first) / width + 0.5);
        test_good(uh_bins_bandwidth(bins_with(x, n), &bandwidth));
        const double best = cost_of(x, n, bandwidth);
        for (int i = 0; i < 34; i++)
            assert_true(cost_of(x, n, pow(1.3, i)) >= best - 1e-9 * (double)n);
        for (int f = -10; f <= 10; f++)
            if (bandwidth * pow(1.001, f) > 1 && bandwidth * pow(1.001, f) < 8191)
                assert_true(cost_of(x, n, bandwidth * pow(1.001, f)) >= best - 1e-9 * (double)n);
    }
}
