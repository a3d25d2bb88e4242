/* SPDX-License-Identifier: Apache-2.0 */
/* What comes of a run: files, pictures and what is printed. Files come first: where one cannot be written, nothing has
 * been shown yet. */
#ifndef CLI_PUBLISH_H
#define CLI_PUBLISH_H

#include "api/cli/display/heat_grid.h"
#include "api/cli/error.h"
#include "api/cli/output/result.h"
#include "api/cli/output/result_dd.h"

/* `output` and `plot` are what -o and -p name, or NULL. All return 0, or -1 with a message. */

/* Whether files of these names can be written, before any work. */
int cli_publish_check(const char *output, const char *plot, struct cli_error *error);

/* Returns whether something is printed: unless it goes to a file and standard output is no terminal. */
int cli_publish_prints(const char *output);

/* Prints the bar chart. */
int cli_publish_chart(const struct cli_result *result, struct cli_error *error);

/* Write, draw and print a histogram over one axis; over several. */
int cli_publish(const char *output, const char *plot, const struct cli_result *result, struct cli_error *error);
int cli_publish_dd(const char *output, const char *plot, enum cli_heat_scale scale, const struct cli_result_dd *result,
                   struct cli_error *error);

#endif
