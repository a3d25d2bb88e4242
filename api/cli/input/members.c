/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/input/container.h"

#include <stdlib.h>
#include <string.h>

void cli_members_add(struct cli_members *members, const char *name) {
    const char *end = strrchr(name, '.');
    const size_t bare = end && strcmp(end, ".npy") == 0 ? (size_t)(end - name) : strlen(name);
    const char *wanted = members->wanted;
    if (!wanted || strcmp(name, wanted) == 0 || (strlen(wanted) == bare && strncmp(name, wanted, bare) == 0)) {
        free(members->found);
        members->found = strdup(name);
        members->nfound++;
    }
    if (members->n++ < 20)
        cli_append(members->list, sizeof members->list, ", ", "'%.40s'", name);
}

int cli_members_end(struct cli_members *members, const char *file, int result, char **name) {
    const char *more = members->n > 20 ? ", ..." : "";
    if (result == 0 && members->nfound == 1 && members->found) {
        *name = members->found;
        return 0;
    }
    free(members->found);
    if (result == 0 && members->n == 0)
        cli_fail("%s: has no data in it", file);
    else if (result == 0 && members->wanted)
        cli_fail("%s: has no '%.100s' in it, expected one of %s%s", file, members->wanted, members->list, more);
    else if (result == 0)
        cli_fail("%s: has %zu members, expected %s:NAME with one of %s%s", file, members->n, file, members->list, more);
    return -1;
}
