/* SPDX-License-Identifier: Apache-2.0 */
/* Axes with bins for what lies beyond the others. */
#include <math.h>
#include <stdlib.h>

#include "api/axis.h"
#include "runtime/status.h"

/* Copies edges, whatever their type, to n float64, between infinities where `below` and `above` say so. */
static uh_status widen_edges(const char *call, const uh_axis *axis, int below, int above, double *edges) {
    const size_t count = axis->edges.count;
    for (size_t j = 0; j < count; j++) {
        const double edge = axis->as_f64[j];
        if (axis->edges.dtype != UH_F64 && fabs(edge) >= 0x1p53)
            return uhi_fail(UH_ERROR_UNSUPPORTED, call, "axis",
                            "has edge %zu at %.17g, expected integers within 2^53 for bins beyond the others", j, edge);
        edges[(size_t)below + j] = edge;
    }
    if (below)
        edges[0] = -(double)INFINITY;
    if (above)
        edges[(size_t)below + count] = (double)INFINITY;
    return UH_SUCCESS;
}

uh_status uh_axis_create_with_flow_bins(const uh_axis *axis, uh_flow_bins which, uh_axis **made) {
    const int below = which & UH_FLOW_BINS_BELOW, above = (which & UH_FLOW_BINS_ABOVE) != 0;
    uh_axis *plain = NULL;
    if (!axis)
        return uhi_fail_null(__func__, "axis", "an axis");
    if (!made)
        return uhi_fail_null(__func__, "made", "where to store the axis");
    if ((unsigned)which > UH_FLOW_BINS_BOTH)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "which", "is %d, expected a uh_flow_bins, 0 to %d",
                        (int)which, UH_FLOW_BINS_BOTH);
    if (uhi_axis_grows(axis) || axis->edges.below || axis->edges.above)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "axis",
                        "%s, expected one with edges and without flow bins",
                        uhi_axis_grows(axis) ? "grows" : "has flow bins");
    if (axis->edges.order && below)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "which", "is %s, expected above: axis has categories",
                        uhi_flow_bins_names[which]);
    if (axis->edges.order) {
        uh_status status = uhi_axis_share(__func__, axis, made);
        if (!status)
            (*made)->edges.above = above;
        return status;
    }
    const size_t n = axis->edges.count + (size_t)below + (size_t)above;
    if (n > UH_MAX_BINS + 1)
        return uhi_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "axis", "would have %zu bins, expected at most %zu", n - 1,
                        UH_MAX_BINS);
    double *edges = malloc(n * sizeof *edges);
    if (!edges)
        return uhi_fail(UH_ERROR_OUT_OF_MEMORY, __func__, NULL, "no memory for %zu edges", n);
    uh_status status = widen_edges(__func__, axis, below, above, edges);
    if (status) {
        free(edges);
        return status;
    }
    status = uhi_axis_of(__func__, UH_F64, edges, n, axis->edges.closed, &plain);
    return status ? status : uhi_axis_complete(__func__, plain, below, above, axis->edges.distribution, made);
}
