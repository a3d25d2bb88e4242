/* SPDX-License-Identifier: Apache-2.0 */
/* Two axes of few cuts, laid out for the CPU's registers. */
#include <math.h>

#include "kernels/histogram/histogram_run.h"

#include "kernels/histogram/tuning.h"
#include "runtime/cpu.h"

/* The path with its bits reversed: the position among the cuts. */
static uint32_t turned(uint32_t path, uint32_t steps) {
    uint32_t place = 0;
    for (uint32_t step = 0; step < steps; step++)
        place |= (path >> step & 1) << (steps - 1 - step);
    return place;
}

static uint32_t slot_of(const struct uhi_histogram_tables *t, uint32_t rank) {
    return t->cut_slot ? t->cut_slot[rank] : rank;
}

static void lay_out(const struct uhi_histogram_tables *t, uint32_t radix, struct uhi_pair_axis *axis) {
    const float *cuts = t->cuts;
    float *cut = axis->cut[0];
    for (uint32_t step = 0; step < UHI_PAIR_STEPS; step++)
        for (uint32_t path = 0; path < 16 || path >> step == 0; path++) {
            const uint32_t width = (UHI_PAIR_NAN + 1) >> step;
            const uint32_t at = turned(path & ((1u << step) - 1), step) * width + width / 2 - 1;
            *cut++ = at < t->cut_count ? cuts[at] : NAN; /* no value reaches NaN */
        }
    for (uint32_t path = 0; path < UHI_PAIR_NAN; path++) {
        const uint32_t rank = turned(path, UHI_PAIR_STEPS);
        axis->digit[path] = (uint16_t)(rank <= t->cut_count ? slot_of(t, rank) * radix : 0);
    }
    axis->digit[UHI_PAIR_NAN] = (uint16_t)(slot_of(t, t->cut_count + 1) * radix);
}

static int fits(const struct uhi_histogram_tables *t) {
    return uhi_finds_ranks(t->on_host) && t->compare == UHI_COMPARE_F32 && t->cut_count <= UHI_PAIR_CUTS;
}

int uhi_histogram_pair(const struct uhi_histogram_filling *filling, size_t padded, struct uhi_pair_axis axes[2]) {
    const struct uhi_histogram_points *points = filling->points;
    if (!UHI_PAIR_IN_REGISTERS || !filling->host->points->count_pair || points->naxes != 2 || padded > UINT16_MAX ||
        !fits(&points->plan[0]->tables) || !fits(&points->plan[1]->tables))
        return 0;
    lay_out(&points->plan[0]->tables, uhi_points_bins(points, 1) + 3, &axes[0]);
    lay_out(&points->plan[1]->tables, 1, &axes[1]);
    return 1;
}
