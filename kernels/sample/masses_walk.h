/* SPDX-License-Identifier: Apache-2.0 */
/* The walk from a mode outwards (masses.h says with what error, and where it ends). */
#ifndef UHI_SAMPLE_MASSES_WALK_H
#define UHI_SAMPLE_MASSES_WALK_H

#include "kernels/sample/masses.h"

/* A mass function by the ratios of neighbours. */
struct uhi_law {
    /* The mass of x + 1, or of x - 1, from x's mass v; 0 where the support ends. */
    struct uhi_wide (*up)(const struct uhi_law *law, struct uhi_wide v, uint64_t x);
    struct uhi_wide (*down)(const struct uhi_law *law, struct uhi_wide v, uint64_t x);
    uint64_t mode, n, good, bad; /* outcomes are below 2^63 */
    struct uhi_wide factor;      /* what all ratios of `up` have in common; */
    struct uhi_wide inverse;     /* of `down` */
    struct uhi_wide r;
    /* Where ratios rise on the way up: 1 / (1 - what they stay below). Else 0. */
    double series;
    /* Where all above the mode together are known: their mass, the mode's being 1, relative errors below 2^-60. Else 0.
     */
    long double above;
};

/* Walks up and down and makes a list of what is kept. */
uh_status uhi_masses_walk(const char *call, const struct uhi_law *law, struct uhi_mass_list *list);

/* The error where about `kept` outcomes would be kept. */
uh_status uhi_masses_too_many(const char *call, double kept);

#endif
