/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/statistics.h"

#include "tests/support.h"

#include <gsl/gsl_cdf.h>

static size_t ends_asked;   /* ends of distributions that were compared with STAT_LEVEL */
static size_t sigmas_asked; /* moments that were compared with STAT_MAX_SIGMAS */

/* What one cell, joined or not, adds. */
static void add_cell(struct stat_fit *fit, double count, double expected) {
    fit->chi_square += (count - expected) * (count - expected) / expected;
    if (count > 0) /* count log(count / expected), of which the sum is a small difference */
        fit->g += 2 * (count * log1p((count - expected) / expected) - (count - expected));
    else
        fit->g += 2 * expected;
    fit->cells++;
}

struct stat_fit stat_compare(const uint64_t *counts, const double *probability, size_t cells, uint64_t n) {
    struct stat_fit fit = {0};
    double sum = 0, left = 0;
    int impossible = 0;
    for (size_t j = 0; j < cells; j++) {
        sum += probability[j];
        impossible |= counts[j] > 0 && !(probability[j] > 0);
    }
    assert_true(fabs(sum - 1) < 1e-6);

    /* A cell is closed as soon as it expects enough, unless too little would be left for another one. */
    double count = 0, expected = 0;
    left = (double)n * sum;
    for (size_t j = 0; j < cells; j++) {
        count += (double)counts[j];
        expected += (double)n * probability[j];
        if (expected >= STAT_MIN_EXPECTED && left - expected >= STAT_MIN_EXPECTED) {
            add_cell(&fit, count, expected);
            left -= expected;
            count = expected = 0;
        }
    }
    add_cell(&fit, count, expected);

    assert_true(fit.cells > 1);
    double freedom = (double)(fit.cells - 1);
    fit.chi_low = gsl_cdf_chisq_P(fit.chi_square, freedom);
    fit.chi_high = impossible ? 0 : gsl_cdf_chisq_Q(fit.chi_square, freedom);
    fit.g_low = gsl_cdf_chisq_P(fit.g, freedom);
    fit.g_high = impossible ? 0 : gsl_cdf_chisq_Q(fit.g, freedom);
    return fit;
}

int stat_fits(const struct stat_fit *fit) {
    ends_asked += 4;
    return fit->chi_low >= STAT_LEVEL && fit->chi_high >= STAT_LEVEL && fit->g_low >= STAT_LEVEL &&
           fit->g_high >= STAT_LEVEL;
}

void stat_assert_fit(const char *name, const uint64_t *counts, const double *probability, size_t cells, uint64_t n) {
    struct stat_fit fit = stat_compare(counts, probability, cells, n);
    int fits = stat_fits(&fit);
    printf("  %-34s %7zu cells, chi-square %.1f (p = %.3g), G %.1f (p = %.3g)\n", name, fit.cells, fit.chi_square,
           fit.chi_high, fit.g, fit.g_high);
    if (!fits)
        fail_msg("%s: %" PRIu64 " samples do not fit: chi-square %.9g and G %.9g in %zu cells", name, n, fit.chi_square,
                 fit.g, fit.cells);
}

double stat_sigmas(double found, double mean, double variance, uint64_t n) {
    if (found == mean)
        return 0;
    return (found - mean) / sqrt(variance / (double)n);
}

struct stat_moments stat_moments_of(int64_t first, const double *probability, size_t cells) {
    long double mean = 0, variance = 0, fourth = 0;
    for (size_t j = 0; j < cells; j++)
        mean += (long double)j * (long double)probability[j];
    for (size_t j = 0; j < cells; j++) {
        long double square = ((long double)j - mean) * ((long double)j - mean);
        variance += square * (long double)probability[j];
        fourth += square * square * (long double)probability[j];
    }
    return (struct stat_moments){(double)(mean + (long double)first), (double)variance, (double)fourth};
}

void stat_assert_moments(const char *name, double mean, double mean_square, struct stat_moments exact, uint64_t n) {
    double of_mean = stat_sigmas(mean, exact.mean, exact.variance, n);
    double of_square = stat_sigmas(mean_square, exact.variance, exact.fourth - exact.variance * exact.variance, n);
    sigmas_asked += 2;
    printf("  %-34s mean %.9g (%+.2f sigma), variance %.9g (%+.2f sigma)\n", name, mean, of_mean, mean_square,
           of_square);
    if (!(fabs(of_mean) < STAT_MAX_SIGMAS))
        fail_msg("%s: the mean is %.17g, expected %.17g: %.1f sigma", name, mean, exact.mean, of_mean);
    if (!(fabs(of_square) < STAT_MAX_SIGMAS))
        fail_msg("%s: the variance is %.17g, expected %.17g: %.1f sigma", name, mean_square, exact.variance, of_square);
}

void stat_assert_counted_moments(const char *name, int64_t first, const uint64_t *counts, size_t cells,
                                 struct stat_moments exact, uint64_t n) {
    long double sum = 0, squares = 0;
    for (size_t j = 0; j < cells; j++) {
        long double from_mean = (long double)first + (long double)j - (long double)exact.mean;
        sum += from_mean * (long double)counts[j];
        squares += from_mean * from_mean * (long double)counts[j];
    }
    stat_assert_moments(name, exact.mean + (double)(sum / (long double)n), (double)(squares / (long double)n), exact,
                        n);
}

void stat_assert_rare(void) {
    double level = (double)ends_asked * STAT_LEVEL + (double)sigmas_asked * 2 * gsl_cdf_ugaussian_Q(STAT_MAX_SIGMAS);
    printf("  %zu ends of distributions and %zu moments: a false alarm in at most %.2g of all runs\n", ends_asked,
           sigmas_asked, level);
    assert_true(ends_asked > 0 && level < STAT_RUN_LEVEL);
}

uh_queue *stat_queue;

int stat_set_up(void **state) {
    const char *tested = getenv("UNIHIST_TEST_DEVICE");
    uh_device *device;
    (void)state;
    return uh_device_select(tested ? tested : "host", &device) || uh_queue_create(device, NULL, &stat_queue);
}

int stat_tear_down(void **state) {
    (void)state;
    uh_queue_destroy(stat_queue);
    return 0;
}

uint64_t stat_samples(uint64_t n) {
    const char *wanted = getenv("UNIHIST_TEST_SAMPLES");
#ifdef __OPTIMIZE__
    uint64_t most = n;
#else
    uint64_t most = 10000000;
#endif
    if (wanted)
        return strtoull(wanted, NULL, 10);
    if (getenv("UNIHIST_TEST_DEVICE"))
        most = 10000000;
    if (getenv("UNIHIST_INSTRUMENTED"))
        most = 2000000;
    return n < most ? n : most;
}
