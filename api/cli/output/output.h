/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes results to files; the name's extension says which format.
 *
 * Histograms:
 *   .npy   one array: uint64 counts; float64 density or uint64 running sums where the result holds them (density
 * first); of weights, float64 sums and running sums .csv   a line `left,right,count` and one line a bin; `density`,
 * `cumulative` or both instead of `count`; of weights `sum` .json  one object: `edges` (bins + 1), `counts`, `density`
 * and `cumulative` where the result holds them, `below`, `above`, `nan`, `n`, `method`, `plan`, `device`, `dtype` (null
 * where unknown), `seconds`; of weights `sums` and `outside_sum` instead of `counts` .uh    the histogram itself, see
 * unihist-format(5): the counts, also where the result holds densities or sums
 *
 * Counts are written with all their digits, in JSON too (some readers of JSON round numbers beyond 2^53). Other
 * numbers have the fewest digits that read back as the same float64. JSON has no infinities and no NaN: there they
 * are the strings "inf", "-inf" and "nan", which float() and numpy.asarray(..., dtype=float) take. In CSV they are
 * the same words.
 *
 * LC_NUMERIC must be "C", as it is unless setlocale() changes it. Files appear only when whole (api/cli/atomic.h).
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdint.h>

#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* Returns 0 when a histogram can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_output_check(const char *path, struct cli_error *error);

/* Writes a histogram to `path`. Returns 0, or -1 with a line in `error`; no file is left or changed then. */
int cli_output_write(const char *path, const struct cli_result *result, struct cli_error *error);

/* The bytes that cli_output_number needs. */
#define CLI_OUTPUT_NUMBER_SIZE 32

/*
 * Writes the fewest digits that read back as `value`, or "inf", "-inf" or "nan", into `text`. Returns the length.
 */
int cli_output_number(char text[CLI_OUTPUT_NUMBER_SIZE], double value);

#endif
