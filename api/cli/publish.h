/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a finished result: -o, -p and standard output. Files come first: where one cannot be written, nothing
 * has been shown yet. */
#ifndef CLI_PUBLISH_H
#define CLI_PUBLISH_H

#include "api/cli/display/display.h"
#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* `output` and `plot` are what -o and -p name, or NULL. All return 0, or -1 with a message. */

/* Whether files of these names can be written, before any work; `saves`: a .uh file too. */
int cli_publish_check(const char *output, int saves, const char *plot, struct cli_error *error);

/* Returns whether something is printed: unless it goes to a file and standard output is no terminal. */
int cli_publish_prints(const char *output);

/* Prints the result. */
int cli_publish_print(const struct cli_result *result, enum cli_heat_scale scale, struct cli_error *error);

/* Writes, draws and prints it. */
int cli_publish(const char *output, const char *plot, enum cli_heat_scale scale, const struct cli_result *result,
                struct cli_error *error);

/* Draws counts of integers, each bin from its integer to the next, to `plot` and with `chart` to standard output;
 * `nothing` is what is said where there are no bins. */
int cli_publish_integers(const char *plot, int chart, const struct cli_result *result, const char *nothing,
                         struct cli_error *error);

/* Returns the inputs' names as a title: "a.npy", "a.npy, b.npy", "a.npy and 7 more", and the name of the weights or
 * samples behind them in brackets, unless `values` is NULL. The caller frees it; NULL when out of memory. */
char *cli_publish_title(char *const *paths, size_t npaths, const char *values);

#endif
