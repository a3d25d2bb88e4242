/* SPDX-License-Identifier: Apache-2.0 */
/* The walk from a mode outwards (masses.h has its error and where it ends). */
#ifndef UHI_SAMPLE_MASSES_WALK_H
#define UHI_SAMPLE_MASSES_WALK_H

#include "kernels/sample/masses.h"

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

#endif
