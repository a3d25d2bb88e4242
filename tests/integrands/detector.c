/* SPDX-License-Identifier: Apache-2.0 */
/* All channels of a detector. */
#include "detector.h"

static void all_channels(const UH_REAL *x, UH_REAL *value, UH_GLOBAL const struct detector *state) {
    value[0] = 0;
    for (int c = 0; c < DETECTOR_CHANNELS; c++)
        value[0] += detector_channel(x, c, state);
}

UH_INTEGRAND(all_channels, DETECTOR_DIMS, 1, struct detector)
