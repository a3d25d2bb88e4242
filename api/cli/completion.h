/* SPDX-License-Identifier: Apache-2.0 */
/* What the shells' completion scripts go by, so that they know no command or option themselves. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stdio.h>

#include "api/cli/options.h"

/* Prints a line for a command and one for each of its options, as unihist(1) describes. */
void cli_completion_print(FILE *out, const struct cli_command *command);

#endif
