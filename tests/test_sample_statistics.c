/* SPDX-License-Identifier: Apache-2.0 */
/* A quarter of a billion samples of each method, and an eighth of that of each distribution, against probabilities that
 * are GSL's or a formula's, and against exact moments; and that a distribution which is slightly wrong is found out.
 * The tables of distributions are compared with exact arithmetic by test_sample_distributions_exact, and uniform
 * integers are predicted one by one by test_sample_exact. The seeds are fixed. That samples are independent is shown of
 * the words that they are made of, by test_random_statistics.
 *
 * UNIHIST_TEST_SAMPLES=N: the number of samples; of a billion, which take four times as long, errors half as large
 * show. UNIHIST_TEST_DEVICE=SELECTOR: on that device instead of the host. */
#include <gsl/gsl_randist.h>

#include "tests/arrays.h"
#include "tests/statistics.h"

enum { K = 1000, MANY = 250000000 };
static float weights[K]; /* random, some of them 0 */

/* ---- what is sampled, and what is right ---- */

static double of_mass(int64_t j, void *context) {
    (void)context;
    return j % 7 == 0 ? 0 : 2 + sin((double)j / 30);
}

static const struct subject {
    const char *name;
    uh_discrete d;         /* zeroed: weights */
    double mean, variance; /* NAN: those of the probabilities */
    uh_sample_method method;
} subjects[] = {
    {"weights_by_unihist", {0}, NAN, NAN, UH_SAMPLE_UNIHIST},
    {"weights_by_alias", {0}, NAN, NAN, UH_SAMPLE_ALIAS},
    {"weights_by_binary", {0}, NAN, NAN, UH_SAMPLE_BINARY},
    {"uniform", DISCRETE(UNIFORM, .low = -3, .high = 1000), 498.5, (1004.0 * 1004 - 1) / 12, UH_SAMPLE_AUTO},
    {"bernoulli", DISCRETE(BERNOULLI, .p = 0.3), 0.3, 0.3 * 0.7, UH_SAMPLE_AUTO},
    {"binomial", DISCRETE(BINOMIAL, .p = 0.3, .n = 1000), 1e3 * 0.3, 1e3 * 0.3 * 0.7, UH_SAMPLE_AUTO},
    {"binomial_of_a_billion", DISCRETE(BINOMIAL, .p = 0.3, .n = 1000000000), 1e9 * 0.3, 1e9 * 0.3 * 0.7,
     UH_SAMPLE_AUTO},
    {"poisson", DISCRETE(POISSON, .mean = 3.5), 3.5, 3.5, UH_SAMPLE_AUTO},
    {"poisson_of_a_million", DISCRETE(POISSON, .mean = 1e6), 1e6, 1e6, UH_SAMPLE_AUTO},
    {"geometric", DISCRETE(GEOMETRIC, .p = 0.05), 1 / 0.05, 0.95 / (0.05 * 0.05), UH_SAMPLE_AUTO},
    {"negative_binomial", DISCRETE(NEGATIVE_BINOMIAL, .r = 7.5, .p = 0.05), 7.5 * 0.95 / 0.05,
     7.5 * 0.95 / (0.05 * 0.05), UH_SAMPLE_AUTO},
    {"hypergeometric", DISCRETE(HYPERGEOMETRIC, .good = 5000, .bad = 70000, .draws = 3000), 3e3 * 5e3 / 75e3,
     3e3 * 5e3 * 70e3 / 75e3 / 75e3 * (75e3 - 3e3) / (75e3 - 1), UH_SAMPLE_AUTO},
    {"zipf", DISCRETE(ZIPF, .s = 1.2, .n = 100000), NAN, NAN, UH_SAMPLE_AUTO},
    {"mass_function", DISCRETE(MASS, .first = -500, .last = 499, .mass = of_mass), NAN, NAN, UH_SAMPLE_AUTO},
};

/* Or a number in proportion to it, of weights, Zipf and the mass function. */
static double probability_of(const uh_discrete *d, int64_t j) {
    const unsigned x = (unsigned)j, n = (unsigned)d->n, good = (unsigned)d->good, bad = (unsigned)d->bad;
    if (!d->struct_size)
        return (double)weights[j];
    switch (d->kind) {
    case UH_DISCRETE_UNIFORM: return 1 / ((double)d->high - (double)d->low + 1);
    case UH_DISCRETE_BERNOULLI: return gsl_ran_bernoulli_pdf(x, d->p);
    case UH_DISCRETE_BINOMIAL: return gsl_ran_binomial_pdf(x, d->p, n);
    case UH_DISCRETE_POISSON: return gsl_ran_poisson_pdf(x, d->mean);
    case UH_DISCRETE_GEOMETRIC: return gsl_ran_geometric_pdf(x, d->p);
    case UH_DISCRETE_NEGATIVE_BINOMIAL: return gsl_ran_negative_binomial_pdf(x, d->p, d->r);
    case UH_DISCRETE_HYPERGEOMETRIC: return gsl_ran_hypergeometric_pdf(x, good, bad, (unsigned)d->draws);
    case UH_DISCRETE_ZIPF: return pow((double)j, -d->s);
    default: return d->mass(j, d->context);
    }
}

static void check_subject(size_t i) {
    const struct subject *subject = &subjects[i];
    uh_sampler_options options = {.struct_size = sizeof options, .method = subject->method};
    uint64_t n = stat_samples(subject->method == UH_SAMPLE_AUTO ? MANY / 8 : MANY), seed = 100 + i;
    uh_sampler *sampler = NULL;
    if (subject->d.struct_size)
        test_good(uh_sampler_create(stat_queue, &subject->d, &options, &sampler));
    else
        test_good(uh_sampler_create(stat_queue, WEIGHTED(ARRAY(UH_F32, weights, K)), &options, &sampler));
    const uh_sampler_properties properties = test_sampler_properties(sampler);
    if (subject->method != UH_SAMPLE_AUTO)
        assert_int_equal(properties.method, subject->method);

    size_t size = (size_t)properties.size;
    int64_t first = properties.first;
    double *probability = test_memory(size * sizeof *probability), sum = 0;
    uint64_t *counts = test_memory(size * sizeof *counts), samples = 0;
    for (size_t j = 0; j < size; j++)
        sum += probability[j] = probability_of(&subject->d, first + (int64_t)j);
    for (size_t j = 0; isnan(subject->mean) && j < size; j++)
        probability[j] /= sum;

    test_good(uh_sampler_count(sampler, seed, 0, n, counts, size));
    for (size_t j = 0; j < size; j++)
        samples += counts[j];
    assert_int_equal(samples, n);
    stat_assert_fit(subject->name, counts, probability, size, n);
    struct stat_moments exact = stat_moments_of(first, probability, size);
    if (!isnan(subject->mean)) {
        exact.mean = subject->mean;
        exact.variance = subject->variance;
    }
    stat_assert_counted_moments("", first, counts, size, exact, n);
    uh_sampler_destroy(sampler);
}

UNIT_TEST(samples_have_their_probabilities_and_moments) {
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        check_subject(i);
}

/* ---- what has too many outcomes to count each ---- */

#define TINY 0x1p-40

enum { DIGITS = 3, MAX_VALUES = 1 << 16, BLOCK = 1 << 20, TALLIES = 4 };

/* What is left of a geometric sample less 1 after shifting it to the right and dividing by `values`. */
static const struct digit {
    const char *name;
    unsigned shift;
    uint64_t values;
} digits[DIGITS] = {{"bits 0 to 15", 0, 65536}, {"bits 20 to 31", 20, 4096}, {"above bit 35", 36, 4096}};

/* What comes of a block's samples; each part of the block has one of its own. */
struct tally {
    uint64_t counts[DIGITS][MAX_VALUES];
    double sum, squares; /* of samples less the mean, in units of the standard deviation */
};

static void tally_part(struct tally *tally, struct stat_moments exact, const int64_t *samples, size_t n) {
    const double scale = 1 / sqrt(exact.variance);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t failures = (uint64_t)samples[i] - 1;
        const double x = ((double)failures - (exact.mean - 1)) * scale;
        sum += x;
        squares += x * x;
        for (size_t d = 0; d < DIGITS; d++)
            tally->counts[d][failures >> digits[d].shift & (digits[d].values - 1)]++;
    }
    tally->sum += sum;
    tally->squares += squares;
}

/* Failures have q^2^shift for the ratio of neighbouring digits of that place: a geometric series, cut and normalised.
 */
UNIT_TEST(geometric_samples_of_2_to_the_minus_40_have_their_probabilities) {
    const double q = 1 - TINY, p2 = TINY * TINY;
    const struct stat_moments exact = {.mean = 1 / TINY, .variance = q / p2, .fourth = q * (9 * q + p2) / (p2 * p2)};
    const uint64_t n = stat_samples(MANY);
    struct tally *tallies = test_memory(TALLIES * sizeof *tallies);
    int64_t *samples = test_memory(BLOCK * sizeof *samples);
    double *probability = test_memory(MAX_VALUES * sizeof *probability);
    uh_sampler *sampler = test_sampler_of(stat_queue, &(uh_discrete)DISCRETE(GEOMETRIC, .p = TINY), NULL);
    for (uint64_t done = 0; done < n; done += BLOCK) {
        const size_t part = n - done < BLOCK ? (size_t)(n - done) : BLOCK;
        test_good(uh_sampler_draw(sampler, 203, done, UH_I64, samples, part));
#pragma omp parallel for schedule(static, 1)
        for (size_t p = 0; p < TALLIES; p++)
            tally_part(&tallies[p], exact, samples + part * p / TALLIES, part * (p + 1) / TALLIES - part * p / TALLIES);
    }
    for (size_t p = 1; p < TALLIES; p++) {
        tallies[0].sum += tallies[p].sum;
        tallies[0].squares += tallies[p].squares;
        for (size_t j = 0; j < DIGITS * MAX_VALUES; j++)
            tallies[0].counts[j / MAX_VALUES][j % MAX_VALUES] += tallies[p].counts[j / MAX_VALUES][j % MAX_VALUES];
    }
    for (size_t d = 0; d < DIGITS; d++) {
        const double log_ratio = ldexp(log1p(-TINY), (int)digits[d].shift);
        for (uint64_t j = 0; j < digits[d].values; j++)
            probability[j] =
                exp(log_ratio * (double)j) * expm1(log_ratio) / expm1(log_ratio * (double)digits[d].values);
        stat_assert_fit(digits[d].name, tallies[0].counts[d], probability, digits[d].values, n);
    }
    stat_assert_moments("", exact.mean + tallies[0].sum / (double)n * sqrt(exact.variance),
                        tallies[0].squares / (double)n * exact.variance, exact, n);
}

/* ---- faults must be found ---- */

/* A relative error of 2e-3 for a quarter of a billion samples; one as visible for other numbers. */
static double error_that_shows(uint64_t n) {
    return 2e-3 * sqrt((double)MANY / (double)n);
}

/* Compares n samples by weights[] that are slightly wrong with the probabilities that they should have. */
static struct stat_fit compare_wrong(const double *wrong, const double *right, size_t k, uint64_t n) {
    uh_sampler *sampler = NULL;
    uint64_t counts[K];
    test_good(uh_sampler_create(stat_queue, WEIGHTED(ARRAY(UH_F64, wrong, k)), NULL, &sampler));
    test_good(uh_sampler_count(sampler, 7, 0, n, counts, k));
    uh_sampler_destroy(sampler);
    return stat_compare(counts, right, k, n);
}

UNIT_TEST(one_weight_wrong_by_two_thousandths_is_found) {
    uint64_t n = stat_samples(MANY);
    double right[10], wrong[10];
    for (size_t j = 0; j < 10; j++)
        wrong[j] = right[j] = 0.1;
    wrong[3] *= 1 + error_that_shows(n);
    struct stat_fit fit = compare_wrong(wrong, right, 10, n);
    assert_false(stat_fits(&fit));
    assert_true(fit.chi_high < STAT_LEVEL && fit.g_high < STAT_LEVEL);
}

UNIT_TEST(all_weights_wrong_by_a_few_thousandths_are_found) {
    uint64_t n = stat_samples(MANY / 8);
    double right[K], wrong[K];
    for (size_t j = 0; j < K; j++) {
        right[j] = 1.0 / K;
        wrong[j] = right[j] * (1 + (j % 2 ? 1 : -1) * error_that_shows(n));
    }
    struct stat_fit fit = compare_wrong(wrong, right, K, n);
    assert_true(fit.chi_high < STAT_LEVEL && fit.g_high < STAT_LEVEL);
}

UNIT_TEST(counts_that_fit_too_well_are_found) {
    uint64_t n = MANY, counts[K];
    double right[K];
    for (size_t j = 0; j < K; j++) {
        right[j] = 1.0 / K;
        counts[j] = n / K + (j % 2 ? 50 : (uint64_t)0 - 50); /* a tenth of a standard deviation */
    }
    struct stat_fit fit = stat_compare(counts, right, K, n);
    assert_true(fit.chi_low < STAT_LEVEL && fit.g_low < STAT_LEVEL && fit.chi_high > STAT_LEVEL);
}

UNIT_TEST(one_sample_of_what_cannot_occur_is_found) {
    uint64_t counts[] = {500, 1, 499};
    const double right[] = {0.5, 0, 0.5};
    struct stat_fit fit = stat_compare(counts, right, 3, 1000);
    assert_true(fit.chi_high < STAT_LEVEL && fit.g_high < STAT_LEVEL);
}

UNIT_TEST(a_mean_wrong_by_a_few_hundredths_of_its_deviation_is_found) {
    uint64_t n = stat_samples(MANY / 8);
    double rare = 3.5, wrong = rare + 10 * error_that_shows(n) * sqrt(rare), sum = 0;
    uh_sampler *sampler = NULL;
    uint64_t counts[200];
    test_good(uh_sampler_create(stat_queue, &(uh_discrete)DISCRETE(POISSON, .mean = wrong), NULL, &sampler));
    const uh_sampler_properties properties = test_sampler_properties(sampler);
    size_t size = (size_t)properties.size;
    assert_true(size <= 200);
    test_good(uh_sampler_count(sampler, 8, 0, n, counts, size));
    for (size_t j = 0; j < size; j++)
        sum += (double)counts[j] * (double)(properties.first + (int64_t)j);
    assert_true(stat_sigmas(sum / (double)n, rare, rare, n) > STAT_MAX_SIGMAS);
    uh_sampler_destroy(sampler);
}

UNIT_TEST(false_alarms_are_rarer_than_one_run_in_a_million) {
    stat_assert_rare();
}

TEST_MAIN(test_sample_statistics) {
    uint64_t random = 1;
    for (size_t j = 0; j < K; j++)
        weights[j] = j % 37 == 5 ? 0 : (float)test_random_f64(&random);
    return test_run_units(stat_set_up, stat_tear_down);
}
