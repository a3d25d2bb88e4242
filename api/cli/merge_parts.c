/* SPDX-License-Identifier: Apache-2.0 */
/* What `unihist merge` asks of axes. */
#include <math.h>
#include <stdio.h>

#include "api/cli/merge.h"
#include "api/cli/output/output.h"

static const char *closed_ends(const uh_axis *axis) {
    static const char *const texts[] = {
        [UH_CLOSED_LEFT] = "hold their left edge, the last one both",
        [UH_CLOSED_RIGHT] = "hold their right edge, the first one both",
        [UH_HALF_OPEN_LEFT] = "hold their left edge",
        [UH_HALF_OPEN_RIGHT] = "hold their right edge",
    };
    return texts[uh_axis_closed(axis)];
}

int cli_merge_check_axes(const char *path_a, const uh_axis *a, const char *path_b, const uh_axis *b, int axis,
                         struct cli_error *error) {
    const double *x = uh_axis_edges(a), *y = uh_axis_edges(b);
    size_t bins = uh_axis_bins(a), j = 0;
    char which[32] = "", left[CLI_OUTPUT_NUMBER_SIZE], right[CLI_OUTPUT_NUMBER_SIZE];
    if (uh_axis_equal(a, b))
        return 0;
    if (axis >= 0)
        snprintf(which, sizeof which, " on axis %d", axis);
    if (bins != uh_axis_bins(b))
        return cli_fail(error, "'%s' and '%s' differ%s: %zu bins and %zu", path_a, path_b, which, bins,
                        uh_axis_bins(b));
    if (uh_axis_closed(a) != uh_axis_closed(b))
        return cli_fail(error, "'%s' and '%s' differ%s: bins %s, and bins %s", path_a, path_b, which, closed_ends(a),
                        closed_ends(b));
    while (j <= bins && x[j] == y[j])
        j++;
    if (j > bins)
        return cli_fail(error, "'%s' and '%s' differ%s: edges that are integers beyond 2^53", path_a, path_b, which);
    cli_output_number(left, x[j]);
    cli_output_number(right, y[j]);
    return cli_fail(error, "'%s' and '%s' differ%s: edge %zu is %s and %s", path_a, path_b, which, j, left, right);
}

/* Each edge is a constant factor above the one before, to what rounding leaves. Equal bins between numbers that are
 * close together look like it, so a factor of two is asked for in all. */
int cli_merge_is_log(const uh_axis *axis) {
    const double *edges = uh_axis_edges(axis);
    size_t bins = uh_axis_bins(axis);
    if (bins < 2 || !(edges[0] > 0) || !isfinite(edges[bins]) || edges[bins] < 2 * edges[0])
        return 0;
    double step = log(edges[bins] / edges[0]) / (double)bins;
    for (size_t j = 0; j < bins; j++)
        if (!(fabs(log(edges[j + 1] / edges[j]) - step) <= 1e-6 * step + 1e-13))
            return 0;
    return 1;
}
