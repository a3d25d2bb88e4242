/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/output/title.h"

#include <stdio.h>
#include <string.h>

static const char *name_of(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

char *cli_title(char *const *paths, size_t npaths, const char *values) {
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < npaths && (i < 1 || npaths <= 3); i++)
        fprintf(out, "%s%s", i ? ", " : "", name_of(paths[i]));
    if (npaths > 3)
        fprintf(out, " and %zu more", npaths - 1);
    if (values)
        fprintf(out, " (%s)", name_of(values));
    fclose(out);
    return title;
}
