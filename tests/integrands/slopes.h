/* SPDX-License-Identifier: Apache-2.0 */
/* The state of slopes.c, in both languages. */
#pragma once

#include <unihist/integrand.h>

struct slopes {
    int scale;
    float third; /* of x^2 over (0, 1), rounded to float32 */
    UH_GLOBAL const UH_REAL *start;
};
