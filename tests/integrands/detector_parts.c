/* SPDX-License-Identifier: Apache-2.0 */
/* detector.c's integrand, a part a channel. */
#include "detector.h"

static void one_channel(const UH_REAL *x, int part, UH_REAL *value, UH_GLOBAL const struct detector *state) {
    value[0] = detector_channel(x, part, state);
}

static void sum_of_channels(const UH_REAL *terms, UH_REAL *value) {
    value[0] = 0;
    for (int c = 0; c < DETECTOR_CHANNELS; c++)
        value[0] += terms[c];
}

UH_INTEGRAND_IN_PARTS(one_channel, sum_of_channels, DETECTOR_DIMS, 1, struct detector, DETECTOR_CHANNELS)
