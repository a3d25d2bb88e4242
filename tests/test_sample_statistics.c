/* SPDX-License-Identifier: Apache-2.0 */
/* A billion samples of each method and distribution against probabilities that are GSL's or a formula's, and against
 * exact moments; and that a distribution which is slightly wrong is found out. The seeds are fixed.
 *
 * UNIHIST_TEST_SAMPLES=N: so many samples. UNIHIST_TEST_DEVICE=SELECTOR: on that device instead of the host. */
#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <unihist/sample.h>

#include <gsl/gsl_randist.h>

#include "tests/statistics.h"

enum { K = 1000, BILLION = 1000000000 };
static uh_queue *queue;
static float weights[K]; /* random, some of them 0 */

/* ---- what is sampled: how to make it, and what is right ---- */

struct subject {
    const char *name;
    uh_status (*make)(const uh_sampler_options *options, uh_sampler **sampler);
    double (*probability)(int64_t outcome); /* or a number in proportion to it, where `mean` is NAN */
    double mean, variance;                  /* NAN: those of the probabilities */
    uh_sample_method method;
};

static uh_status make_weights(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create(queue, UH_F32, weights, K, options, sampler);
}
static double of_weights(int64_t j) {
    return (double)weights[j];
}

#define DICE_LOW  (-3)
#define DICE_HIGH 1000
#define DICE_SIZE ((double)DICE_HIGH - DICE_LOW + 1)
static uh_status make_uniform(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_uniform(queue, DICE_LOW, DICE_HIGH, options, sampler);
}
static double of_uniform(int64_t j) {
    return j >= DICE_LOW && j <= DICE_HIGH ? 1 / DICE_SIZE : 0;
}

#define COIN 0.3
static uh_status make_bernoulli(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_bernoulli(queue, COIN, options, sampler);
}
static double of_bernoulli(int64_t j) {
    return gsl_ran_bernoulli_pdf((unsigned)j, COIN);
}

#define TRIALS 1000
static uh_status make_binomial(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_binomial(queue, TRIALS, COIN, options, sampler);
}
static double of_binomial(int64_t j) {
    return gsl_ran_binomial_pdf((unsigned)j, COIN, TRIALS);
}

#define MANY_TRIALS 1000000000
static uh_status make_large_binomial(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_binomial(queue, MANY_TRIALS, COIN, options, sampler);
}
static double of_large_binomial(int64_t j) {
    return gsl_ran_binomial_pdf((unsigned)j, COIN, MANY_TRIALS);
}

#define RARE 3.5
static uh_status make_poisson(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_poisson(queue, RARE, options, sampler);
}
static double of_poisson(int64_t j) {
    return gsl_ran_poisson_pdf((unsigned)j, RARE);
}

#define OFTEN 1e6
static uh_status make_large_poisson(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_poisson(queue, OFTEN, options, sampler);
}
static double of_large_poisson(int64_t j) {
    return gsl_ran_poisson_pdf((unsigned)j, OFTEN);
}

#define SUCCESS 0.05
static uh_status make_geometric(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_geometric(queue, SUCCESS, options, sampler);
}
static double of_geometric(int64_t j) {
    return gsl_ran_geometric_pdf((unsigned)j, SUCCESS);
}

#define SUCCESSES 7.5
static uh_status make_negative_binomial(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_negative_binomial(queue, SUCCESSES, SUCCESS, options, sampler);
}
static double of_negative_binomial(int64_t j) {
    return gsl_ran_negative_binomial_pdf((unsigned)j, SUCCESS, SUCCESSES);
}

#define GOOD  5000.0
#define BAD   70000.0
#define TAKEN 3000.0
static uh_status make_hypergeometric(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_hypergeometric(queue, (uint64_t)GOOD, (uint64_t)BAD, (uint64_t)TAKEN, options, sampler);
}
static double of_hypergeometric(int64_t j) {
    return gsl_ran_hypergeometric_pdf((unsigned)j, (unsigned)GOOD, (unsigned)BAD, (unsigned)TAKEN);
}

#define EXPONENT 1.2
static uh_status make_zipf(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_zipf(queue, EXPONENT, 100000, options, sampler);
}
static double of_zipf(int64_t j) {
    return pow((double)j, -EXPONENT);
}

static double of_mass(int64_t j) {
    return j % 7 == 0 ? 0 : 2 + sin((double)j / 30);
}
static double mass(int64_t outcome, void *context) {
    (void)context;
    return of_mass(outcome);
}
static uh_status make_mass(const uh_sampler_options *options, uh_sampler **sampler) {
    return uh_sampler_create_mass(queue, mass, NULL, -500, 499, options, sampler);
}

static const struct subject subjects[] = {
    {"weights_by_unihist", make_weights, of_weights, NAN, NAN, UH_SAMPLE_UNIHIST},
    {"weights_by_alias", make_weights, of_weights, NAN, NAN, UH_SAMPLE_ALIAS},
    {"weights_by_binary", make_weights, of_weights, NAN, NAN, UH_SAMPLE_BINARY},
    {"uniform", make_uniform, of_uniform, (DICE_LOW + DICE_HIGH) / 2.0, (DICE_SIZE * DICE_SIZE - 1) / 12,
     UH_SAMPLE_AUTO},
    {"bernoulli", make_bernoulli, of_bernoulli, COIN, COIN *(1 - COIN), UH_SAMPLE_AUTO},
    {"binomial", make_binomial, of_binomial, TRIALS *COIN, TRIALS *COIN *(1 - COIN), UH_SAMPLE_AUTO},
    {"binomial_of_a_billion", make_large_binomial, of_large_binomial, MANY_TRIALS *COIN, MANY_TRIALS *COIN *(1 - COIN),
     UH_SAMPLE_AUTO},
    {"poisson", make_poisson, of_poisson, RARE, RARE, UH_SAMPLE_AUTO},
    {"poisson_of_a_million", make_large_poisson, of_large_poisson, OFTEN, OFTEN, UH_SAMPLE_AUTO},
    {"geometric", make_geometric, of_geometric, 1 / SUCCESS, (1 - SUCCESS) / (SUCCESS * SUCCESS), UH_SAMPLE_AUTO},
    {"negative_binomial", make_negative_binomial, of_negative_binomial, SUCCESSES *(1 - SUCCESS) / SUCCESS,
     SUCCESSES *(1 - SUCCESS) / (SUCCESS * SUCCESS), UH_SAMPLE_AUTO},
    {"hypergeometric", make_hypergeometric, of_hypergeometric, TAKEN *GOOD / (GOOD + BAD),
     TAKEN *GOOD *BAD / (GOOD + BAD) / (GOOD + BAD) * (GOOD + BAD - TAKEN) / (GOOD + BAD - 1), UH_SAMPLE_AUTO},
    {"zipf", make_zipf, of_zipf, NAN, NAN, UH_SAMPLE_AUTO},
    {"mass_function", make_mass, of_mass, NAN, NAN, UH_SAMPLE_AUTO},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void samples_have_their_probabilities_and_moments(void **state) {
    const struct subject *subject = *state;
    uh_sampler_options options = {.struct_size = sizeof options, .method = subject->method};
    uint64_t n = stat_samples(BILLION), seed = 100 + (uint64_t)(subject - subjects);
    uh_sampler *sampler = NULL;
    assert_int_equal(subject->make(&options, &sampler), UH_SUCCESS);
    if (subject->method != UH_SAMPLE_AUTO)
        assert_int_equal(uh_sampler_method(sampler), subject->method);

    size_t size = (size_t)uh_sampler_size(sampler);
    int64_t first = uh_sampler_first(sampler);
    double *probability = malloc(size * sizeof *probability), sum = 0;
    uint64_t *counts = malloc(size * sizeof *counts), samples = 0;
    assert_non_null(probability);
    assert_non_null(counts);
    for (size_t j = 0; j < size; j++)
        sum += probability[j] = subject->probability(first + (int64_t)j);
    for (size_t j = 0; isnan(subject->mean) && j < size; j++)
        probability[j] /= sum;

    assert_int_equal(uh_sampler_count(sampler, n, seed, 0, counts, size), UH_SUCCESS);
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
    free(counts);
    free(probability);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
}

/* ---- faults must be found ---- */

/* A relative error of 1e-3 where there are a billion samples; as visible a one where there are fewer. */
static double error_that_shows(uint64_t n) {
    return 1e-3 * sqrt((double)BILLION / (double)n);
}

/* Compares n samples by weights[] that are slightly wrong with the probabilities that they should have. */
static struct stat_fit compare_wrong(const double *wrong, const double *right, size_t k, uint64_t n) {
    uh_sampler *sampler = NULL;
    uint64_t counts[K];
    assert_int_equal(uh_sampler_create(queue, UH_F64, wrong, k, NULL, &sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_count(sampler, n, 7, 0, counts, k), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    return stat_compare(counts, right, k, n);
}

static void one_weight_wrong_by_a_thousandth_is_found(void **state) {
    (void)state;
    uint64_t n = stat_samples(BILLION);
    double right[10], wrong[10];
    for (size_t j = 0; j < 10; j++)
        wrong[j] = right[j] = 0.1;
    wrong[3] *= 1 + error_that_shows(n);
    struct stat_fit fit = compare_wrong(wrong, right, 10, n);
    assert_false(stat_fits(&fit));
    assert_true(fit.chi_high < STAT_LEVEL && fit.g_high < STAT_LEVEL);
}

static void all_weights_wrong_by_a_few_thousandths_are_found(void **state) {
    (void)state;
    uint64_t n = stat_samples(BILLION / 8);
    double right[K], wrong[K];
    for (size_t j = 0; j < K; j++) {
        right[j] = 1.0 / K;
        wrong[j] = right[j] * (1 + (j % 2 ? 1 : -1) * error_that_shows(n));
    }
    struct stat_fit fit = compare_wrong(wrong, right, K, n);
    assert_true(fit.chi_high < STAT_LEVEL && fit.g_high < STAT_LEVEL);
}

static void counts_that_fit_too_well_are_found(void **state) {
    (void)state;
    uint64_t n = BILLION, counts[K];
    double right[K];
    for (size_t j = 0; j < K; j++) {
        right[j] = 1.0 / K;
        counts[j] = n / K + (j % 2 ? 100 : (uint64_t)0 - 100); /* a tenth of a standard deviation */
    }
    struct stat_fit fit = stat_compare(counts, right, K, n);
    assert_true(fit.chi_low < STAT_LEVEL && fit.g_low < STAT_LEVEL && fit.chi_high > STAT_LEVEL);
}

static void one_sample_of_what_cannot_occur_is_found(void **state) {
    (void)state;
    uint64_t counts[] = {500, 1, 499};
    const double right[] = {0.5, 0, 0.5};
    struct stat_fit fit = stat_compare(counts, right, 3, 1000);
    assert_true(fit.chi_high < STAT_LEVEL && fit.g_high < STAT_LEVEL);
}

static void a_mean_wrong_by_a_few_hundredths_of_its_deviation_is_found(void **state) {
    (void)state;
    uint64_t n = stat_samples(BILLION / 8);
    double wrong = RARE + 10 * error_that_shows(n) * sqrt(RARE), sum = 0;
    uh_sampler *sampler = NULL;
    uint64_t counts[200];
    assert_int_equal(uh_sampler_create_poisson(queue, wrong, NULL, &sampler), UH_SUCCESS);
    size_t size = (size_t)uh_sampler_size(sampler);
    assert_true(size <= 200);
    assert_int_equal(uh_sampler_count(sampler, n, 8, 0, counts, size), UH_SUCCESS);
    for (size_t j = 0; j < size; j++)
        sum += (double)counts[j] * (double)(uh_sampler_first(sampler) + (int64_t)j);
    assert_true(stat_sigmas(sum / (double)n, RARE, RARE, n) > STAT_MOST_SIGMAS);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
}

static void false_alarms_are_rarer_than_one_run_in_a_million(void **state) {
    (void)state;
    stat_assert_rare();
}

static int set_up(void **state) {
    (void)state;
    uint64_t random = 1;
    for (size_t j = 0; j < K; j++)
        weights[j] = j % 37 == 5 ? 0 : (float)test_random_f64(&random);
    return stat_create_queue(&queue) != UH_SUCCESS;
}

static int tear_down(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_sample_statistics) {
    static char names[SUBJECTS][96];
    const struct CMUnitTest faults[] = {
        cmocka_unit_test(one_weight_wrong_by_a_thousandth_is_found),
        cmocka_unit_test(all_weights_wrong_by_a_few_thousandths_are_found),
        cmocka_unit_test(counts_that_fit_too_well_are_found),
        cmocka_unit_test(one_sample_of_what_cannot_occur_is_found),
        cmocka_unit_test(a_mean_wrong_by_a_few_hundredths_of_its_deviation_is_found),
        cmocka_unit_test(false_alarms_are_rarer_than_one_run_in_a_million),
    };
    enum { FAULTS = sizeof faults / sizeof *faults };
    struct CMUnitTest tests[SUBJECTS + FAULTS];
    for (size_t i = 0; i < SUBJECTS; i++) {
        snprintf(names[i], sizeof names[i], "samples_of_%s_have_their_probabilities_and_moments", subjects[i].name);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = samples_have_their_probabilities_and_moments,
                                       .initial_state = (void *)(uintptr_t)&subjects[i]};
    }
    for (size_t i = 0; i < FAULTS; i++)
        tests[SUBJECTS + i] = faults[i];
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
