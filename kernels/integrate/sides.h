/* SPDX-License-Identifier: Apache-2.0 */
/* Infinite sides, in host code of each x86-64 level; map_sides of coordinates.inc for devices. */
#pragma once

#include "kernels/integrate/integrate.h"

/* Maps a batch of t in (0, 1) to coordinates, and adapts the weights. */
static inline void uhi_map_sides(const struct uhi_sides *sides, double *restrict x, double *restrict weight) {
    const int kind = sides->kind % UHI_SIDES_POWER, k = sides->kind / UHI_SIDES_POWER;
    const double at = sides->at, sign = kind == UHI_SIDES_BELOW ? -1 : 1, part = 1 / (double)(2 * k + 1);
    const double least = kind == UHI_SIDES_NONE ? 0x1p-53 : 0;
    for (size_t i = 0; i < UH_INTEGRATE_BATCH; i++) {
        const double u = x[i] > least ? x[i] : least, t = u < 1 - 0x1p-53 ? u : 1 - 0x1p-53, left = 1 - t,
                     both = t * left;
        const double r = kind == UHI_SIDES_NONE ? (t + t - 1) / (4 * both) : t / left;
        const double slope = kind == UHI_SIDES_NONE ? (1 - both - both) / (4 * both * both) : 1 / (left * left);
        const double z = (r * part) * (r * part);
        double power = 1, lower = 1;
        for (int j = 0; j < k; j++) {
            lower = power;
            power *= 1 + z;
        }
        x[i] = at + sign * (r * power);
        weight[i] *= slope * (k > 0 ? lower * ((1 + z) + (double)(2 * k) * z) : 1);
    }
}
