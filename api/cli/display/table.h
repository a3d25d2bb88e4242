/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram over any number of axes in a few lines: its axes, its totals and its fullest cells. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stdio.h>

#include "api/cli/output/result_dd.h"

/* Prints lines of at most `width` characters (0 is 80), in UTF-8 or ASCII. Returns 0, or -1 when `out` takes no more.
 */
int cli_table_print(FILE *out, unsigned width, int utf8, const struct cli_result_dd *result);

#endif
