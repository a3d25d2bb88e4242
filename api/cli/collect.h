/* SPDX-License-Identifier: Apache-2.0 */
/* Brings what a histogram holds into the form that writers and drawers take. */
#ifndef CLI_COLLECT_H
#define CLI_COLLECT_H

#include <unihist/histogram.h>

#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* The arrays that a result borrows; zero it before. */
struct cli_cells {
    uint64_t *counts;
    double *sums, *squares, *means, *deviations, *density;
    uint64_t *cumulative;
    double *running;
    struct cli_estimates estimates;
};

/* Checks that a histogram over so many axes can be shown as it is asked for: `plot` is what -p names, or NULL, and
 * `subject` begins what is said of the axes ("'a.uh' has"). 0, or CLI_USAGE with a message. */
int cli_collect_check(size_t naxes, uh_storage storage, int cumulative, const char *plot, const char *subject,
                      struct cli_error *error);

/* Fills the parts of `result` that the histogram knows: axes, cells, what they keep, flows and totals, of a flat
 * one estimates; densities where `density`. Names, plans and the like are left as they are. The histogram must outlive
 * the result; the arrays are freed by cli_cells_free, also after a failure. 0, or -1 with a message; 1 where it is the
 * library that failed, with its message. */
int cli_collect(uh_histogram *histogram, int density, struct cli_cells *cells, struct cli_result *result,
                struct cli_error *error);

/* Adds the running counts or sums of a histogram over one axis. 0, or -1 with a message. */
int cli_collect_running(struct cli_cells *cells, struct cli_result *result, struct cli_error *error);

void cli_cells_free(struct cli_cells *cells);

#endif
