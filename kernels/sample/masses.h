/* SPDX-License-Identifier: Apache-2.0 */
/* Mass functions of distributions, as integers of a common unit.
 *
 * From the mode, whose mass stands for 2^99, a walk goes outwards on either side: each mass is the one before times the
 * ratio of neighbours, p(x + 1) / p(x) = mean / (x + 1) for Poisson and the like, where the double parameters are the
 * rational numbers that they are, 1 - p included. Nothing is subtracted but integers and 1 - p, so nothing cancels, and
 * no logarithm or gamma function is asked for.
 *
 * Errors. A step multiplies and divides up to 6 numbers that are within an ulp of 2^-126 each (masses_wide.h). With at
 * most 2^28 steps the relative error of each mass is below 2^28 * 6 * 2^-126 < 2^-95; cutting off to the unit adds less
 * than 2^-99 of the mode's mass, so the sum of up to 2^28 masses is within 2^-71 of itself, and so is every mass
 * divided by the sum within 2^-70. Left out at either end is less than 2^-64 of the whole, which makes the part of each
 * other outcome larger by less than 2^-63 of it. With the table's own 2^-64 (table.h) that is within 2^-62 of the mass
 * function.
 *
 * Tails. Beyond x, where the ratios of neighbours are at most r < 1, lies less than p(x) r / (1 - r); the walk ends
 * where that is below 2^-72 of what was found, and then outcomes are left out from either end as long as all that is
 * left out there stays below 2^-64. All these functions are log-concave, so the ratios fall as x goes outwards, but for
 * the negative binomial of r < 1, whose ratios rise towards 1 - p.
 *
 * All below return UH_ERROR_OUT_OF_MEMORY or, where more than UH_SAMPLER_MAX_ITEMS outcomes would be kept,
 * UH_ERROR_UNSUPPORTED of the argument `distribution`, naming `call`; arguments have been checked. */
#ifndef UHI_SAMPLE_MASSES_H
#define UHI_SAMPLE_MASSES_H

#include "kernels/sample/masses_wide.h"
#include "kernels/sample/table.h"

/* A mode's mass is 2^UHI_MASS_BITS units: with up to UH_SAMPLER_MAX_ITEMS masses the sum is below 2^127. */
#define UHI_MASS_BITS 99

/* One side of a mode: masses of its neighbours, outwards. */
struct uhi_mass_side {
    uhi_mass *mass;
    size_t n, room;
    uhi_mass left_out; /* at least what all beyond have */
};

/* Outcomes first .. first + masses.n - 1. Its masses' context is this struct, which must not move. */
struct uhi_mass_list {
    struct uhi_masses masses;
    int64_t first;
    struct uhi_mass_side up, down;
    double parameter; /* Bernoulli's p, Zipf's s */
    uint64_t *powers; /* Zipf's masses that have been computed, in 9 bytes each */
    uint8_t *places;
};

/* 0 and 1, of which 1 has p. */
void uhi_masses_bernoulli(double p, struct uhi_mass_list *list);

/* 0 <= p <= 1, n <= 2^62. */
uh_status uhi_masses_binomial(const char *call, uint64_t n, double p, struct uhi_mass_list *list);

/* 0 <= mean <= 2^40. */
uh_status uhi_masses_poisson(const char *call, double mean, struct uhi_mass_list *list);

/* r > 0, 0 < p <= 1. */
uh_status uhi_masses_negative_binomial(const char *call, double r, double p, struct uhi_mass_list *list);

/* draws <= good + bad <= 2^62. */
uh_status uhi_masses_hypergeometric(const char *call, uint64_t good, uint64_t bad, uint64_t draws,
                                    struct uhi_mass_list *list);

/* 1 .. n, s >= 0, n <= UH_SAMPLER_MAX_ITEMS: powl(i, -s) cut off to the unit, computed when it is first asked for. Two
 * threads may not ask for the same one at the same time. */
uh_status uhi_masses_zipf(const char *call, double s, uint64_t n, struct uhi_mass_list *list);

/* How many digits of UHI_GEOMETRIC_BITS bits the geometric distribution of 2^-56 <= p <= 1 has, 1 to UHI_SAMPLE_PARTS:
 * so many that of the last one no more than 2^UHI_GEOMETRIC_BITS outcomes are kept. */
#define UHI_GEOMETRIC_BITS 16
unsigned uhi_masses_geometric_digits(double p);

/* A digit of the geometric distribution, counted from 0, of failures: the digits are independent, and x of digit d has
 * a mass in proportion to (1 - p)^(x 2^(16 d)). A digit that is not the last is 0 .. 65535. The powers are made by 16 d
 * squarings, each of which doubles the relative error, so that of a mass is below x 2^48 ulps. As x times the
 * probability of x is at most 1 here, every part of the whole is within 2^-76. */
uh_status uhi_masses_geometric(const char *call, double p, unsigned digit, int last, struct uhi_mass_list *list);

/* Frees what a list owns; a zeroed one may be freed. */
void uhi_masses_free(struct uhi_mass_list *list);

#endif
