/* SPDX-License-Identifier: Apache-2.0 */
/* Several inputs read in step: coordinates of points, an axis an input or all axes of one input's rows, and a value for
 * each point. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include <unihist/histogramdd.h>

#include "api/cli/error.h"
#include "api/cli/input/inputs.h"

/* Where points come from. The inputs are lent; those of several axes may be one. */
struct cli_points {
    size_t naxes;
    struct {
        struct cli_inputs *inputs;
        size_t element; /* of a row */
    } axis[UH_MAX_AXES];
    struct cli_inputs *values; /* or NULL: one value a point */
};

/* Takes the next points; `values` is NULL where there are none. Values are float32, float64, int32 or int64: other
 * integers were widened. Returns 0, or -1 with a message, which ends the pass. */
typedef int (*cli_points_each)(void *context, const uh_array *coordinates, size_t n, const uh_array *values,
                               struct cli_error *error);

/* -1 with a message that names both where two inputs are known to hold different numbers of points; else 0. */
int cli_points_check(const struct cli_points *points, struct cli_error *error);

/* Calls `each` for all points, some at a time. `label` is what the progress bar calls the pass. Where one input ends
 * before another it fails with a message that names both. 0, or -1. */
int cli_points_pass(const struct cli_points *points, const char *label, cli_points_each each, void *context,
                    struct cli_error *error);

#endif
