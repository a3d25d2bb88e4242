/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes long rows of integers, a piece at a time: bin indices, samples.
 *
 *   .npy         one array of the integers' type
 *   .csv, .txt   one integer a line, as on standard output
 *
 * Files appear only when whole (api/cli/output/atomic.h).
 */
#ifndef CLI_OUTPUT_INTEGERS_H
#define CLI_OUTPUT_INTEGERS_H

#include <stddef.h>

#include <unihist/base.h>

#include "api/cli/error.h"

/* A file in the making, or what goes to standard output. */
struct cli_output_integers;

/* Returns 0 when such a file can be written to `path`: its extension is known and its directory writable; else -1. */
int cli_output_integers_check(const char *path, struct cli_error *error);

/* Begins a file of integers of `dtype`: UH_U32, UH_U64, UH_I32 or UH_I64; standard output where `path` is NULL. Returns
 * NULL with a line in `error`; else the caller ends it with commit or abort. */
struct cli_output_integers *cli_output_integers_open(const char *path, uh_dtype dtype, struct cli_error *error);

/* Appends `n` integers. Returns 0 or -1; after a failure only abort is left to call. */
int cli_output_integers_append(struct cli_output_integers *integers, const void *data, size_t n,
                               struct cli_error *error);

/* Completes the file, or flushes standard output, and frees `integers`. Returns 0, or -1 and no file is left behind. */
int cli_output_integers_commit(struct cli_output_integers *integers, struct cli_error *error);

/* Removes what was written to a file and frees `integers`; NULL is allowed. */
void cli_output_integers_abort(struct cli_output_integers *integers);

#endif
