/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a member of a container by its name. */
#pragma once

#include <stddef.h>

struct cli_members {
    const char *wanted; /* its name, without ".npy" too, or NULL: the only one */
    size_t n, nfound;
    char *found;
    char list[900];
};

void cli_members_add(struct cli_members *members, const char *name);

/* Stores the name of the member found, which the caller frees. Returns -1 with a message, or if `result` is a failure.
 */
int cli_members_end(struct cli_members *members, const char *file, int result, char **name);
