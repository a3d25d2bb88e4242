/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/title.h"

#include <stdio.h>

char *cli_title(char *const *paths, size_t npaths) {
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < npaths && (i < 1 || npaths <= 3); i++)
        fprintf(out, "%s%s", i ? ", " : "", paths[i][0] == '-' && !paths[i][1] ? "standard input" : paths[i]);
    if (npaths > 3)
        fprintf(out, " and %zu more", npaths - 1);
    fclose(out);
    return title;
}
