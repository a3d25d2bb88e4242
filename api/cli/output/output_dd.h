/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes histograms over several axes to files; the name's extension says which format.
 *
 *   .npy   one array of the shape (bins of the first axis, bins of the second, ...): uint64 counts, uint8 or uint16
 *          ones of the saturating storages, float64 sums; of `weighted` and `mean` a structured array of the fields
 *          sum, sum_squares (float64) and count (uint64), mean, m2 (float64); float64 densities where the result
 *          holds them
 *   .csv   a line of names and one line a cell: left0, right0, left1, right1, ... for the axes; then count; or sum; or
 *          sum, sum_squares; or count, mean, m2; or density
 *   .json  one object: `axes` (of each `edges`, `below`, `above`, `nan`, `name`, `dtype`, `method`, `plan`), `shape`,
 *          `storage`, `exact` (the sums are), `inside`, `outside` (numbers of points), `device`, `values`,
 *          `values_dtype`, `seconds`; then lists as deep as there are axes: `counts`; `sums` and `sum_squares`;
 *          `means` and `m2`; `density` where the result holds it. With sums also `outside_sum` and
 *          `outside_sum_squares`. What the storage does not keep is not there.
 *   .uh    the histogram itself, see unihist-format(5)
 *
 * Numbers are written as output.h says; files appear only when whole.
 */
#ifndef CLI_OUTPUT_DD_H
#define CLI_OUTPUT_DD_H

#include "api/cli/error.h"
#include "api/cli/output/result_dd.h"

/* Writes a histogram to `path`, whose name cli_output_check takes. Returns 0, or -1 with a line in `error`; no file is
 * left or changed then. */
int cli_output_write_dd(const char *path, const struct cli_result_dd *result, struct cli_error *error);

#endif
