/* SPDX-License-Identifier: Apache-2.0 */
/* Whether counts are those of a distribution: chi-square and G tests, tests of moments, and of pairs for independence.
 *
 * Each asks for a probability, that chance alone would give such counts or worse ones, and fails below STAT_LEVEL. Both
 * ends count: agreement that is too good is as wrong as a deviation. All that one program asks is counted, so that
 * stat_assert_rare can prove how seldom a sound generator fails.
 *
 * Source: K. Pearson, Phil. Mag. 50, 1900; R. R. Sokal, F. J. Rohlf, "Biometry" (the G test); the distribution
 * functions are those of the GNU Scientific Library. */
#ifndef TEST_STATISTICS_H
#define TEST_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include <unihist/device.h>

/* A failure is a probability below this, at either end. */
#define STAT_LEVEL 1e-9

/* Of a whole program, how probable a false alarm may be. */
#define STAT_RUN_LEVEL 1e-6

/* Cells with a smaller expectation are joined with their neighbours: the chi-square distribution then holds to the
 * level above. */
#define STAT_MIN_EXPECTED 100.0

/* Deviations of moments, in standard deviations, that fail; the normal distribution gives 7 with 2.6e-12. */
#define STAT_MAX_SIGMAS 7.0

/* How well counts and probabilities agree. */
struct stat_fit {
    size_t cells; /* that were compared, after joining */
    double chi_square, g;
    double chi_low, chi_high; /* the probabilities of a value below, and above, that of chi_square */
    double g_low, g_high;
};

/* Compares counts of n samples in `cells` cells with their probabilities, which must add up to 1 within 1e-6. A count
 * where the probability is 0 gives chi_high and g_high 0. */
struct stat_fit stat_compare(const uint64_t *counts, const double *probability, size_t cells, uint64_t n);

/* Whether such a comparison passes. */
int stat_fits(const struct stat_fit *fit);

/* Compares, prints a line, and fails the test where it does not fit. */
void stat_assert_fit(const char *name, const uint64_t *counts, const double *probability, size_t cells, uint64_t n);

/* How many standard deviations lie between `found`, the mean of n independent numbers of this variance, and `mean`;
 * 0 where both are equal. */
double stat_sigmas(double found, double mean, double variance, uint64_t n);

/* Mean, variance and fourth central moment of a distribution. */
struct stat_moments {
    double mean, variance, fourth;
};

/* Those of outcomes first, first + 1, ... with these probabilities. */
struct stat_moments stat_moments_of(int64_t first, const double *probability, size_t cells);

/* Prints a line, and fails the test where the mean, or the mean square about the exact mean, of n samples is too far
 * from the exact one. */
void stat_assert_moments(const char *name, double mean, double mean_square, struct stat_moments exact, uint64_t n);

/* The same for counts of outcomes first, first + 1, ... */
void stat_assert_counted_moments(const char *name, int64_t first, const uint64_t *counts, size_t cells,
                                 struct stat_moments exact, uint64_t n);

/* Fails the test unless a sound generator passes all that has been asked by this program but with a probability below
 * STAT_RUN_LEVEL. */
void stat_assert_rare(void);

/* A queue of the device that UNIHIST_TEST_DEVICE names, else of the host, while a group of tests runs (TEST_RUN). */
extern uh_queue *stat_queue;
int stat_set_up(void **state);
int stat_tear_down(void **state);

/* How many samples a test takes: `n`, but $UNIHIST_TEST_SAMPLES where that is set, and fewer where the program is
 * instrumented, compiled without optimization or at work on another device. */
uint64_t stat_samples(uint64_t n);

#endif
