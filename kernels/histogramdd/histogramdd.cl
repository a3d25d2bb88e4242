/* SPDX-License-Identifier: Apache-2.0 */
/* One axis's part in the cells of n points on a device, and in the counters of points that miss it. TYPE and LOOKUP are
 * those of histogram_slot.inc.
 *
 * The first axis begins the cells, the others bring in a digit more. `last` counts the points in no cell. Counters are
 * of 32 bits: the host empties them before one can overflow. */
#define SPACE __global
#include "kernels/histogram/histogram_slot.inc"

#include "kernels/common/counters.inc"
#include "kernels/histogramdd/histogramdd.h"

__kernel void KERNEL(__global const uchar *plan, __global const T *x, uint n, uint first, uint last,
                     __global uint *cells, __global uint *flows, __local uint *counters) {
    const struct uhi_histogram_params params = load_params(plan);
    __global const uchar *tables = plan + params.tables;
    clear_counts(counters, UHI_FLOW_COUNT);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint slot = slot_of(&params, tables, x[i]), bin = slot - 1, old = first ? 0 : cells[i];
        uint cell = UHI_NO_CELL;
        if (bin < params.bins)
            cell = old == UHI_NO_CELL ? old : old * params.bins + bin;
        else
            atomic_inc(counters + (slot == 0 ? UHI_FLOW_BELOW : slot - params.bins));
        if (last && cell == UHI_NO_CELL)
            atomic_inc(counters + UHI_FLOW_OUTSIDE);
        cells[i] = cell;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    add_counts(counters, 0, flows, UHI_FLOW_COUNT);
}
