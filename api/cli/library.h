/* SPDX-License-Identifier: Apache-2.0 */
/* What the library said, as the command says it. */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include "api/cli/error.h"

/* Lends the library's last message without the name of the call in front of it. */
const char *cli_library_message(void);

/* Stores that message and returns -1. */
int cli_fail_library(struct cli_error *error);

#endif
