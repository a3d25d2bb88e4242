/* SPDX-License-Identifier: Apache-2.0 */
/* What the drivers of descriptions share. */
#pragma once

#include "tests/support.h"

#include "tests/description.h"

/* Describes a case; -1 after the last one. */
int described_case(const struct description *description, size_t number, struct tried *tried);

/* The operation that the arguments name, or NULL for all; ends the program if no operation has the name. */
const struct description *described_operation(int argc, char **argv);

/* Runs cmocka tests once for the operation, or for each (NULL): *state is its description, and the tests' names begin
 * with the operation's. Returns what main returns. */
int described_run(const struct CMUnitTest *tests, size_t n, const struct description *operation);
