/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of what has too many outcomes to count each, a quarter of a billion integers of each of two wide ranges and a
 * billion geometric ones of a tiny probability: their digits against exact probabilities, and their moments; and that
 * samples near and far from each other, of one seed and of neighbouring ones, are independent. The seeds are fixed.
 *
 * UNIHIST_TEST_SAMPLES=N: so many samples. UNIHIST_TEST_DEVICE=SELECTOR: on that device instead of the host. */
#include "tests/support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "tests/statistics.h"

enum { BILLION = 1000000000, BLOCK = 1 << 20, PARTS = 4 };
static uh_queue *queue;

/* ---- digits of samples ---- */

enum { DIGITS = 3, MOST_VALUES = 1 << 16 };

/* What is left of a sample, less the first outcome, after shifting it to the right and dividing by `values`. */
struct digit {
    const char *name;
    unsigned shift;
    uint64_t values;
};

/* What comes of a block's samples; each part of the block has one of its own. */
struct tally {
    uint64_t counts[DIGITS][MOST_VALUES];
    double sum, squares; /* of samples less the mean, in units of the standard deviation */
};

struct subject {
    const char *name;
    int64_t first;
    struct digit digits[DIGITS];
    struct stat_moments exact;
};

static void tally_part(struct tally *tally, const struct subject *subject, const int64_t *samples, size_t n) {
    double scale = 1 / sqrt(subject->exact.variance), sum = 0, squares = 0;
    double mean = subject->exact.mean - (double)subject->first;
    for (size_t i = 0; i < n; i++) {
        uint64_t outcome = (uint64_t)samples[i] - (uint64_t)subject->first;
        double x = ((double)outcome - mean) * scale;
        sum += x;
        squares += x * x;
        for (size_t d = 0; d < DIGITS; d++) {
            uint64_t values = subject->digits[d].values, shifted = outcome >> subject->digits[d].shift;
            tally->counts[d][(values & (values - 1)) == 0 ? shifted & (values - 1) : shifted % values]++;
        }
    }
    tally->sum += sum;
    tally->squares += squares;
}

/* Draws n samples, and compares digits with `probability` of each value, and moments. Destroys the sampler. */
static void check_draws(uh_sampler *sampler, const struct subject *subject, uint64_t n, uint64_t seed,
                        void (*probabilities)(const struct digit *digit, double *probability)) {
    struct tally *tallies = calloc(PARTS, sizeof *tallies);
    int64_t *samples = malloc(BLOCK * sizeof *samples);
    double *probability = malloc(MOST_VALUES * sizeof *probability);
    assert_non_null(tallies);
    assert_non_null(samples);
    assert_non_null(probability);
    assert_int_equal(uh_sampler_first(sampler), subject->first);

    for (uint64_t done = 0; done < n; done += BLOCK) {
        size_t part = n - done < BLOCK ? (size_t)(n - done) : BLOCK;
        assert_int_equal(uh_sampler_draw(sampler, part, seed, done, UH_I64, samples), UH_SUCCESS);
#pragma omp parallel for schedule(static, 1)
        for (size_t p = 0; p < PARTS; p++)
            tally_part(&tallies[p], subject, samples + part * p / PARTS, part * (p + 1) / PARTS - part * p / PARTS);
    }

    for (size_t p = 1; p < PARTS; p++) {
        tallies[0].sum += tallies[p].sum;
        tallies[0].squares += tallies[p].squares;
        for (size_t d = 0; d < DIGITS; d++)
            for (size_t j = 0; j < MOST_VALUES; j++)
                tallies[0].counts[d][j] += tallies[p].counts[d][j];
    }
    printf("  %s\n", subject->name);
    for (size_t d = 0; d < DIGITS; d++) {
        probabilities(&subject->digits[d], probability);
        stat_assert_fit(subject->digits[d].name, tallies[0].counts[d], probability, subject->digits[d].values, n);
    }
    stat_assert_moments("", subject->exact.mean + tallies[0].sum / (double)n * sqrt(subject->exact.variance),
                        tallies[0].squares / (double)n * subject->exact.variance, subject->exact, n);
    free(probability);
    free(samples);
    free(tallies);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
}

/* ---- integers of a wide range ---- */

static uint64_t range; /* of the integers at work, and the first of them is 0 where digits are concerned */

static void uniform_probabilities(const struct digit *digit, double *probability) {
    uint64_t whole = range >> digit->shift, rest = range & ((UINT64_C(1) << digit->shift) - 1);
    for (uint64_t j = 0; j < digit->values; j++) {
        uint64_t times = whole / digit->values + (j < whole % digit->values);
        probability[j] = (double)times / (double)range * ldexp(1, (int)digit->shift);
        if (j == whole % digit->values)
            probability[j] += (double)rest / (double)range;
    }
}

static void check_uniform(int64_t low, int64_t high, const struct digit *digits, uint64_t n, uint64_t seed) {
    range = (uint64_t)high - (uint64_t)low + 1;
    double r = (double)range;
    struct subject subject = {.name = "integers, all alike",
                              .first = low,
                              .exact = {.mean = (double)low + (r - 1) / 2,
                                        .variance = (r * r - 1) / 12,
                                        .fourth = (r * r - 1) * (3 * r * r - 7) / 240}};
    memcpy(subject.digits, digits, sizeof subject.digits);
    uh_sampler *sampler = NULL;
    assert_int_equal(uh_sampler_create_uniform(queue, low, high, NULL, &sampler), UH_SUCCESS);
    check_draws(sampler, &subject, n, seed, uniform_probabilities);
}

/* 2^32 words over 3 * 2^30 outcomes: without rejection every third outcome would come up twice as often. */
static void integers_of_a_range_of_32_bits_are_all_alike(void **state) {
    (void)state;
    const struct digit digits[] = {{"modulo 3 * 256", 0, 768}, {"above bit 22", 22, 768}, {"bits 11 to 22", 11, 2048}};
    check_uniform(-5, -5 + 3 * (INT64_C(1) << 30) - 1, digits, stat_samples(BILLION / 4), 201);
}

/* 2^64 words over 5 * 2^60 outcomes: without rejection every fifth one would come up 4 times instead of 3. */
static void integers_of_a_range_of_63_bits_are_all_alike(void **state) {
    (void)state;
    const struct digit digits[] = {{"modulo 5 * 128", 0, 640}, {"above bit 53", 53, 640}, {"bits 30 to 45", 30, 65536}};
    check_uniform(-3 * (INT64_C(1) << 60), 2 * (INT64_C(1) << 60) - 1, digits, stat_samples(BILLION / 4), 202);
}

/* ---- geometric samples of a tiny probability ---- */

#define TINY 0x1p-40

/* Failures have q^2^shift for the ratio of neighbouring digits of that place: a geometric series, cut and normalised.
 */
static void geometric_probabilities(const struct digit *digit, double *probability) {
    double log_ratio = ldexp(log1p(-TINY), (int)digit->shift);
    for (uint64_t j = 0; j < digit->values; j++)
        probability[j] = exp(log_ratio * (double)j) * expm1(log_ratio) / expm1(log_ratio * (double)digit->values);
}

static void geometric_samples_of_2_to_the_minus_40_have_their_probabilities(void **state) {
    (void)state;
    const double q = 1 - TINY, p2 = TINY * TINY;
    const struct subject subject = {
        .name = "geometric, p = 2^-40",
        .first = 1,
        .digits = {{"bits 0 to 15", 0, 65536}, {"bits 20 to 31", 20, 4096}, {"above bit 35", 36, 4096}},
        .exact = {.mean = 1 / TINY, .variance = q / p2, .fourth = q * (9 * q + p2) / (p2 * p2)}};
    uh_sampler *sampler = NULL;
    assert_int_equal(uh_sampler_create_geometric(queue, TINY, NULL, &sampler), UH_SUCCESS);
    check_draws(sampler, &subject, stat_samples(BILLION), 203, geometric_probabilities);
}

/* ---- independence ---- */

enum { FACES = 16, PAIRS = 1 << 26 };
static const uint8_t faces[FACES] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

/* Counts pairs (a[i], b[i]). */
static void count_pairs(const uint32_t *a, const uint32_t *b, size_t n, uint64_t *counts) {
    for (size_t i = 0; i < n; i++)
        counts[a[i] * FACES + b[i]]++;
}

/* Compares the counts of n pairs with those of independent faces; whether they fit. */
static int pairs_fit(const char *name, const uint64_t *counts, uint64_t n) {
    double probability[FACES * FACES], sum = 0;
    for (size_t j = 0; j < FACES; j++)
        sum += faces[j];
    for (size_t j = 0; j < FACES * FACES; j++) {
        const size_t first = j / FACES, second = j % FACES;
        probability[j] = faces[first] * faces[second] / (sum * sum);
    }
    struct stat_fit fit = stat_compare(counts, probability, FACES * FACES, n);
    printf("  %-34s chi-square %.1f (p = %.3g), G %.1f (p = %.3g)\n", name, fit.chi_square, fit.chi_high, fit.g,
           fit.g_high);
    return stat_fits(&fit);
}

static uh_sampler *make_die(uh_sample_method method) {
    uh_sampler_options options = {.struct_size = sizeof options, .method = method};
    uh_sampler *sampler = NULL;
    assert_int_equal(uh_sampler_create(queue, UH_U8, faces, FACES, &options, &sampler), UH_SUCCESS);
    return sampler;
}

/* Each sample is in one pair only, so that pairs are independent where samples are. */
static void samples_at_any_distance_are_independent(void **state) {
    (void)state;
    static const size_t distances[] = {1, 4, 2048, 65536};
    enum { DISTANCES = sizeof distances / sizeof *distances };
    uint64_t n = stat_samples(PAIRS) / BLOCK * BLOCK;
    n = n ? n : BLOCK;
    uint32_t *samples = malloc(BLOCK * sizeof *samples);
    assert_non_null(samples);
    for (uh_sample_method method = UH_SAMPLE_UNIHIST; method <= UH_SAMPLE_ALIAS; method++) {
        uint64_t counts[DISTANCES][FACES * FACES] = {0};
        uh_sampler *sampler = make_die(method);
        for (uint64_t done = 0; done < n; done += BLOCK) {
            assert_int_equal(uh_sampler_draw(sampler, BLOCK, 204, done, UH_U32, samples), UH_SUCCESS);
            for (size_t d = 0; d < DISTANCES; d++)
                for (size_t i = 0; i < BLOCK; i += 2 * distances[d])
                    count_pairs(samples + i, samples + i + distances[d], distances[d], counts[d]);
        }
        for (size_t d = 0; d < DISTANCES; d++) {
            char name[64];
            snprintf(name, sizeof name, "%s, %zu apart", uh_sample_method_name(method), distances[d]);
            if (!pairs_fit(name, counts[d], n / 2))
                fail_msg("samples that are %zu apart depend on each other, by %s", distances[d],
                         uh_sample_method_name(method));
        }
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    }
    free(samples);
}

/* Samples of two seeds, `offset` apart, as pairs; whether they are independent. */
static int seeds_fit(const char *name, uint64_t seed, uint64_t other, uint64_t offset) {
    uint64_t n = stat_samples(PAIRS) / 2, counts[FACES * FACES] = {0};
    uint32_t *a = malloc(BLOCK * sizeof *a), *b = malloc(BLOCK * sizeof *b);
    assert_non_null(a);
    assert_non_null(b);
    uh_sampler *sampler = make_die(UH_SAMPLE_AUTO);
    for (uint64_t done = 0; done < n; done += BLOCK) {
        size_t part = n - done < BLOCK ? (size_t)(n - done) : BLOCK;
        assert_int_equal(uh_sampler_draw(sampler, part, seed, done, UH_U32, a), UH_SUCCESS);
        assert_int_equal(uh_sampler_draw(sampler, part, other, done + offset, UH_U32, b), UH_SUCCESS);
        count_pairs(a, b, part, counts);
    }
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    free(b);
    free(a);
    return pairs_fit(name, counts, n);
}

static void seeds_that_differ_in_a_bit_are_independent(void **state) {
    (void)state;
    assert_true(seeds_fit("seeds 204 and 205", 204, 205, 0));
    assert_true(seeds_fit("seeds 204 and 204 + 2^32", 204, 204 + (UINT64_C(1) << 32), 0));
    assert_true(seeds_fit("seeds 0 and 2^63", 0, UINT64_C(1) << 63, 0));
}

static void samples_far_from_each_other_are_independent(void **state) {
    (void)state;
    assert_true(seeds_fit("2^34 apart", 204, 204, UINT64_C(1) << 34));
    assert_true(seeds_fit("2^62 apart", 204, 204, UINT64_C(1) << 62));
}

static void samples_paired_with_themselves_are_found(void **state) {
    (void)state;
    assert_false(seeds_fit("seed 204 and itself", 204, 204, 0));
}

static void false_alarms_are_rarer_than_one_run_in_a_million(void **state) {
    (void)state;
    stat_assert_rare();
}

static int set_up(void **state) {
    (void)state;
    return stat_create_queue(&queue) != UH_SUCCESS;
}

static int tear_down(void **state) {
    (void)state;
    return uh_queue_destroy(queue) != UH_SUCCESS;
}

TEST_MAIN(test_sample_draw_statistics) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_a_range_of_32_bits_are_all_alike),
        cmocka_unit_test(integers_of_a_range_of_63_bits_are_all_alike),
        cmocka_unit_test(geometric_samples_of_2_to_the_minus_40_have_their_probabilities),
        cmocka_unit_test(samples_at_any_distance_are_independent),
        cmocka_unit_test(seeds_that_differ_in_a_bit_are_independent),
        cmocka_unit_test(samples_far_from_each_other_are_independent),
        cmocka_unit_test(samples_paired_with_themselves_are_found),
        cmocka_unit_test(false_alarms_are_rarer_than_one_run_in_a_million),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
