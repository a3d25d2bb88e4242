/* SPDX-License-Identifier: Apache-2.0 */
/* The state of powers.c, in a folder that INCLUDE_DIRECTORIES names. */
#include <unihist/integrand.h>

struct powers {
    UH_GLOBAL const UH_REAL *factor; /* of each axis */
};
