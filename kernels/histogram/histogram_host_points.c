/* SPDX-License-Identifier: Apache-2.0 */
/* Cells from slots on the CPU, compiled once per x86-64 level. The histogram over one axis finds the slots. */
#include "kernels/histogram/histogram_host.h"
#if defined(__AVX512BW__)
#include "kernels/histogram/pair_v4.h"
#else
#define count_pair NULL
#endif

/* Lanes are below 2^32, because n is. */
static size_t sum_of(uhi_x32 lanes) {
    uint32_t each[UHI_LANES_32];
    size_t sum = 0;
    uhi_x32_store(each, lanes);
    for (size_t i = 0; i < UHI_LANES_32; i++)
        sum += each[i];
    return sum;
}

static size_t combine(const uint32_t *slot, size_t n, uint32_t bins, int first, uint32_t none, uint32_t *cell) {
    const uhi_x32 no_cell = uhi_x32_set(UHI_NO_CELL), left_out = uhi_x32_set(none), top = uhi_x32_set(bins - 1),
                  radix = uhi_x32_set(bins);
    uhi_x32 hits = uhi_x32_set(0);
    size_t i = 0, missed;
    for (; i + UHI_LANES_32 <= n; i += UHI_LANES_32) {
        const uhi_x32 bin = uhi_x32_add(uhi_x32_load(slot + i), uhi_x32_set(UINT32_MAX));
        const uhi_x32 old = first ? uhi_x32_set(0) : uhi_x32_load(cell + i);
        const uhi_m32 hit = uhi_x32_le(bin, top);
        const uhi_x32 sum = uhi_x32_add(uhi_x32_mul(old, radix), bin);
        hits = uhi_x32_increment(hit, hits);
        uhi_x32_store(cell + i, uhi_x32_select(uhi_x32_le(no_cell, old), left_out, uhi_x32_select(hit, sum, left_out)));
    }
    missed = i - sum_of(hits);
    for (; i < n; i++) {
        const uint32_t bin = slot[i] - 1, old = first ? 0 : cell[i];
        cell[i] = bin < bins && old != UHI_NO_CELL ? old * bins + bin : none;
        missed += bin >= bins;
    }
    return missed;
}

static void flow(const uint32_t *slot, size_t n, uint32_t bins, uint64_t *flow) {
    const uhi_x32 zero = uhi_x32_set(0), last = uhi_x32_set(bins), above = uhi_x32_set(bins + 1);
    uhi_x32 at_zero = zero, up_to_last = zero, up_to_above = zero;
    size_t i = 0, below = 0, not_above = 0, not_nan = 0;
    for (; i + UHI_LANES_32 <= n; i += UHI_LANES_32) {
        const uhi_x32 s = uhi_x32_load(slot + i);
        at_zero = uhi_x32_increment(uhi_x32_le(s, zero), at_zero);
        up_to_last = uhi_x32_increment(uhi_x32_le(s, last), up_to_last);
        up_to_above = uhi_x32_increment(uhi_x32_le(s, above), up_to_above);
    }
    for (; i < n; i++) {
        below += slot[i] == 0;
        not_above += slot[i] <= bins;
        not_nan += slot[i] <= bins + 1;
    }
    below += sum_of(at_zero);
    not_above += sum_of(up_to_last);
    not_nan += sum_of(up_to_above);
    flow[UHI_FLOW_BELOW] += below;
    flow[UHI_FLOW_ABOVE] += not_nan - not_above;
    flow[UHI_FLOW_NAN] += n - not_nan;
}

static size_t outside(const uint32_t *cell, size_t n, uint32_t none) {
    const uhi_x32 no_cell = uhi_x32_set(none);
    uhi_x32 lanes = uhi_x32_set(0);
    size_t i = 0, count = 0;
    for (; i + UHI_LANES_32 <= n; i += UHI_LANES_32)
        lanes = uhi_x32_increment(uhi_x32_le(no_cell, uhi_x32_load(cell + i)), lanes);
    for (; i < n; i++)
        count += cell[i] == none;
    return count + sum_of(lanes);
}

static void widen(uint16_t *narrow, size_t n, uint32_t *wide) {
    for (size_t i = 0; i < n; i++) {
        wide[i] += narrow[i];
        narrow[i] = 0;
    }
}

const struct uhi_points_host UHI_POINTS_HOST = {combine, flow, outside, widen, count_pair};
