/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes how often outcomes came up in samples; the name's extension says which format.
 *
 *   .npy   one array of uint64
 *   .csv   a line `outcome,count` and one line an outcome
 *   .json  one object: `distribution`, `first` (the outcome of counts[0]), `counts`, `n`, `seed`, `offset`, `method`,
 *          `device`, `seconds`
 *
 * Numbers are written as output.h says; files appear only when whole.
 */
#ifndef CLI_OUTPUT_COUNTS_H
#define CLI_OUTPUT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

/* Everything is lent by the caller. */
struct cli_counts_result {
    int64_t first;
    size_t length;
    const uint64_t *counts; /* of outcomes first, first + 1, ... */
    uint64_t n, seed, offset;
    const char *distribution, *method, *plan, *device;
    double seconds;
};

/* Returns 0 when such a result can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_output_counts_check(const char *path, struct cli_error *error);

/* Writes the result. Returns 0, or -1 with a line in `error`; no file is left or changed then. */
int cli_output_counts_write(const char *path, const struct cli_counts_result *result, struct cli_error *error);

#endif
