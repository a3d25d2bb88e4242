/* SPDX-License-Identifier: Apache-2.0 */
/* The state of spectrum.c, also for the program that fills it in. UH_REAL is double in C. */
#ifndef SPECTRUM_H
#define SPECTRUM_H

#include <unihist/integrand.h>

struct spectrum {
    unsigned points;
    float absorbed;                         /* absorption of the light per unit of depth */
    UH_GLOBAL const UH_REAL *energy, *flux; /* `points` values each */
};

#endif
