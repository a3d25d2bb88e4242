/* SPDX-License-Identifier: Apache-2.0 */
/* Trial of the kernel of points, with finite and infinite sides. Integrands' kernels come from users' texts:
 * integrand_trial.c tries them. */
#include <math.h>

#include "kernels/common/trial.h"
#include "kernels/integrate/grid.h"
#include "kernels/integrate/integrate_run.h"

uh_status uhi_integrate_trial(uh_queue *queue, struct uhi_trial *trial) {
    enum { DIMS = 4, BINS = 3, POINTS = 37 };
    static const double lower[DIMS] = {0, -INFINITY, 0.1, -INFINITY}, upper[DIMS] = {1.0 / 3, INFINITY, INFINITY, -7};
    const uint64_t seed = UINT64_C(0xfedcba9876543210), offset = (UINT64_C(1) << 33) - 9; /* its blocks carry */
    double rows[POINTS * (DIMS + 1)] = {0};
    uh_grid *grid = NULL;
    uh_status status = uhi_grid_make(trial->call, "", DIMS, BINS, lower, upper, NULL, &grid);
    if (!status)
        status = uhi_grid_points(queue, trial->call, grid, seed, offset, POINTS, rows);
    uhi_trial_add_all(trial, "the number of place", rows, sizeof rows / sizeof *rows, sizeof *rows);
    uhi_grid_free(grid);
    return status;
}
