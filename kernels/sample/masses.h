/* SPDX-License-Identifier: Apache-2.0 */
/* Mass functions of distributions, as integers of a common unit.
 *
 * A walk goes from the mode, whose mass is 2^99, outwards on either side: each mass is the previous one times the ratio
 * of neighbours, p(x + 1) / p(x) = mean / (x + 1) for Poisson, etc. The double parameters are taken as exact rational
 * numbers, 1 - p included. Only integers and 1 - p are subtracted, so nothing cancels, and no logarithm or gamma
 * function is needed.
 *
 * Errors. A step multiplies and divides up to 6 numbers with a relative error of 2^-126 each (masses_wide.h). With at
 * most 2^28 steps the relative error of each mass is below 2^28 * 6 * 2^-126 < 2^-95; truncation to the unit adds less
 * than 2^-99 of the mode's mass, so the relative error of the sum of up to 2^28 masses is within 2^-71, and that of
 * every mass divided by the sum within 2^-70. Less than 2^-64 of the whole is left out at either end, which increases
 * every other outcome's share by less than 2^-63 of it. With the table's own 2^-64 (table.h) the total is within 2^-62
 * of the mass function.
 *
 * Tails. If the ratios of neighbours beyond x are at most r < 1, less than p(x) r / (1 - r) lies beyond x; the walk
 * ends when that is below 2^-72 of the mass found. Then outcomes are dropped from either end as long as the total
 * dropped there stays below 2^-64. All these functions are log-concave, so the ratios fall as x goes outwards, except
 * for the negative binomial with r < 1, whose ratios rise towards 1 - p.
 *
 * All functions below return UH_ERROR_OUT_OF_MEMORY or, if more than UH_SAMPLER_MAX_ITEMS outcomes would be kept,
 * UH_ERROR_UNSUPPORTED for the argument `distribution`, naming `call`. The caller has checked the arguments. */
#pragma once

#include "kernels/sample/masses_wide.h"
#include "kernels/sample/table.h"

/* A mode's mass is 2^UHI_MASS_BITS units: the sum of up to UH_SAMPLER_MAX_ITEMS masses is below 2^127. */
#define UHI_MASS_BITS 99

/* One side of a mode: masses of its neighbours, outwards. */
struct uhi_mass_side {
    uhi_mass *mass;
    size_t n, room;
    uhi_mass left_out; /* upper bound of the mass beyond */
};

/* Outcomes first .. first + masses.n - 1. The context of `masses` is this struct, which must not move. */
struct uhi_mass_list {
    struct uhi_masses masses;
    int64_t first;
    struct uhi_mass_side up, down;
    double parameter; /* Bernoulli's p, Zipf's s */
    uint64_t *powers; /* Zipf: masses computed so far, in 9 bytes each */
    uint8_t *places;
};

/* Outcomes 0 and 1, where 1 has probability p. */
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

/* 1 .. n, s >= 0, n <= UH_SAMPLER_MAX_ITEMS: powl(i, -s) truncated to the unit, computed on first use. Two threads must
 * not request the same mass at the same time. */
uh_status uhi_masses_zipf(const char *call, double s, uint64_t n, struct uhi_mass_list *list);

/* Returns the number of digits of UHI_GEOMETRIC_BITS bits for the geometric distribution of 2^-56 <= p <= 1, 1 to
 * UHI_SAMPLE_PARTS: enough that at most 2^UHI_GEOMETRIC_BITS outcomes of the last one are kept. */
#define UHI_GEOMETRIC_BITS 16
unsigned uhi_masses_geometric_digits(double p);

/* Digit `digit`, counted from 0, of the geometric distribution of failures. The digits are independent, and the mass of
 * x in digit d is proportional to (1 - p)^(x 2^(16 d)). A digit that is not the last is 0 .. 65535. The powers take 16
 * d squarings, each of which doubles the relative error, so that of a mass is below x 2^48 ulps. As x times the
 * probability of x is at most 1 here, every probability is within 2^-76. */
uh_status uhi_masses_geometric(const char *call, double p, unsigned digit, int last, struct uhi_mass_list *list);

/* Frees a list's memory; a zeroed list is allowed. */
void uhi_masses_free(struct uhi_mass_list *list);

/* ---- the walk from a mode outwards (masses_walk.c) ---- */

/* A mass function defined by the ratios of neighbours. */
struct uhi_law {
    /* Return the mass of x + 1, or x - 1, given x's mass v; 0 at the end of the support. */
    struct uhi_wide (*up)(const struct uhi_law *law, struct uhi_wide v, uint64_t x);
    struct uhi_wide (*down)(const struct uhi_law *law, struct uhi_wide v, uint64_t x);
    uint64_t mode, n, good, bad; /* outcomes are below 2^63 */
    struct uhi_wide factor;      /* common factor of all ratios of `up`; */
    struct uhi_wide inverse;     /* of `down` */
    struct uhi_wide r;
    /* If ratios rise on the way up: 1 / (1 - their limit). Otherwise 0. */
    double series;
    /* If the total mass above the mode is known: that mass relative to the mode's, relative error below 2^-60.
     * Otherwise 0. */
    long double above;
};

/* Walks up and down, and stores the outcomes that are kept. */
uh_status uhi_masses_walk(const char *call, const struct uhi_law *law, struct uhi_mass_list *list);

/* Returns the error for about `kept` outcomes to keep. */
uh_status uhi_masses_fail_too_many(const char *call, double kept);
