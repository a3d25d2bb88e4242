/* SPDX-License-Identifier: Apache-2.0 */
/* The state of spectrum.c, for that and for the program that fills it in. UH_REAL is double in C. */
#ifndef SPECTRUM_H
#define SPECTRUM_H

#include <unihist/integrand.h>

struct spectrum {
    unsigned points;
    float absorbed;                         /* of the light, a unit of depth */
    UH_GLOBAL const UH_REAL *energy, *flux; /* so many points of each */
};

#endif
