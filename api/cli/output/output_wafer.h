/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the counts of `unihist histo`: as the picture that Parboil writes, and as an array. */
#ifndef CLI_OUTPUT_WAFER_H
#define CLI_OUTPUT_WAFER_H

#include <stddef.h>
#include <stdint.h>

#include "api/cli/error.h"

/* Returns 0 when the files can be written: their names end in .bmp and .npy, their directories are writable, and the
 * picture is small enough for its format. Either path may be NULL. Else -1 with a line in `error`. The sizes may be 0
 * for not known yet. */
int cli_wafer_check(const char *bmp, const char *npy, size_t width, size_t height, struct cli_error *error);

/* Writes height rows of width counts. Either path may be NULL. Returns 0, or -1 with a line in `error`; then no file is
 * left half-written. */
int cli_wafer_write(const char *bmp, const char *npy, const uint8_t *counts, size_t width, size_t height,
                    struct cli_error *error);

/* The red of a count in Parboil's picture; green and blue are 0. */
uint8_t cli_wafer_red(uint8_t count);

#endif
