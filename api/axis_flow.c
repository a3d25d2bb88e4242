/* SPDX-License-Identifier: Apache-2.0 */
/* Axes with flow bins for values beyond the other bins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/axis.h"
#include "runtime/status.h"

uh_status uh_axis_create_with_flow_bins(const uh_axis *axis, uh_flow_bins which, uh_axis **made) {
    const int below = which & UH_FLOW_BINS_BELOW, above = (which & UH_FLOW_BINS_ABOVE) != 0;
    uh_axis *plain = NULL;
    UHI_NEED(__func__, axis, "an axis");
    UHI_NEED(__func__, made, "where to store the axis");
    if ((unsigned)which > UH_FLOW_BINS_BOTH)
        return uhi_fail_argument(__func__, "which", "is %d, expected a uh_flow_bins, 0 to %d", (int)which,
                                 UH_FLOW_BINS_BOTH);
    if (uhi_axis_grows(axis) || axis->edges.below || axis->edges.above)
        return uhi_fail_argument(__func__, "axis", "%s, expected one with edges and without flow bins",
                                 uhi_axis_grows(axis) ? "grows" : "has flow bins");
    if (axis->edges.order && below)
        return uhi_fail_argument(__func__, "which", "is %s, expected above: axis has categories",
                                 uh_enum_name(UH_ENUM_FLOW_BINS, which));
    if (axis->edges.order) {
        uh_status status = uhi_axis_share(__func__, axis, &plain);
        return status ? status : uhi_axis_complete(__func__, plain, 0, above, NULL, made);
    }
    const size_t n = axis->edges.count + (size_t)below + (size_t)above;
    if (n > UH_MAX_BINS + 1)
        return uhi_fail_argument(__func__, "axis", "would have %zu bins, expected at most %zu", n - 1, UH_MAX_BINS);
    for (size_t j = 0; j < axis->edges.count && axis->edges.dtype != UH_F64; j++)
        if (fabs(axis->as_f64[j]) >= 0x1p53)
            return uhi_fail(UH_ERROR_UNSUPPORTED, __func__, "axis",
                            "has edge %zu at %.17g, expected integers within 2^53 for bins beyond the others", j,
                            axis->as_f64[j]);
    double *edges = malloc(n * sizeof *edges);
    if (!edges)
        return uhi_fail_memory(__func__, "no memory for %zu edges", n);
    memcpy(edges + below, axis->as_f64, axis->edges.count * sizeof *edges);
    if (below)
        edges[0] = -(double)INFINITY;
    if (above)
        edges[n - 1] = (double)INFINITY;
    uh_status status = uhi_axis_of(__func__, UH_F64, edges, n, axis->edges.closed, &plain);
    return status ? status : uhi_axis_complete(__func__, plain, below, above, axis->edges.distribution, made);
}
