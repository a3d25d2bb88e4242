/* SPDX-License-Identifier: Apache-2.0 */
/* Axes that carry the distribution of values. */
#include "api/bins_values.h"
#include "runtime/status.h"

enum { POINTS = 4096 }; /* more make no better groups (kernels/plan/plan_groups.c) */

uh_status uh_axis_create_with_data(const uh_axis *axis, uh_bins *bins, uh_axis **made) {
    double x[POINTS + 1], f[POINTS + 1];
    const uh_distribution table = {
        .struct_size = sizeof table, .kind = UH_DISTRIBUTION_TABLE, .x = x, .f = f, .points = POINTS + 1};
    struct uhi_counted values;
    UHI_NEED(__func__, bins, "values");
    UHI_TRY(uhi_bins_count(__func__, bins, &values));
    const double total = values.before[values.n];
    for (size_t p = 0, i = 0; p <= POINTS; p++) {
        f[p] = (double)p / POINTS;
        while (i + 1 < values.n && values.before[i + 1] < f[p] * total)
            i++;
        x[p] = values.x[i];
    }
    uhi_counted_free(&values);
    return uhi_axis_carrying(__func__, axis, &table, made);
}
