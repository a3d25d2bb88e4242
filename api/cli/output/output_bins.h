/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes counts or sums by integer to files; the name's extension says which format.
 *
 *   .npy   one array: uint64 counts, or float64 sums
 *   .csv   a line `value,count` or `value,sum` and one line a bin
 *   .json  one object: `counts` or `sums`, `length`, `n`, `weights` (their name, or null), `exact`,
 *          `device`, `dtype`, `seconds`
 *
 * Numbers are written as output.h says; files appear only when whole.
 */
#ifndef CLI_OUTPUT_BINS_H
#define CLI_OUTPUT_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

/* Everything is lent by the caller. */
struct cli_bins_result {
    size_t length;
    const uint64_t *counts; /* one of both is not NULL, unless length is 0 */
    const double *sums;
    uint64_t n; /* values seen */
    const char *weights;
    int fast; /* the sums are not exact */
    const char *device;
    const char *dtype;
    double seconds;
};

/* Returns 0 when such a result can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_output_bins_check(const char *path, struct cli_error *error);

/* Writes the result. Returns 0, or -1 with a line in `error`; no file is left or changed then. */
int cli_output_bins_write(const char *path, const struct cli_bins_result *result, struct cli_error *error);

#endif
