/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/publish.h"

#include <stdio.h>
#include <string.h>

#include "api/cli/output/output.h"

int cli_publish_check(const char *output, int saves, const char *plot, struct cli_error *error) {
    return (output && cli_output_check(output, saves, error)) || (plot && cli_display_check(plot, error)) ? -1 : 0;
}

int cli_publish_prints(const char *output) {
    return !output || cli_terminal_look().is_terminal;
}

int cli_publish_print(const struct cli_result *result, enum cli_heat_scale scale, struct cli_error *error) {
    const struct cli_terminal terminal = cli_terminal_look();
    return cli_display_print(&terminal, result, scale) ? cli_fail(error, "cannot print the chart to standard output")
                                                       : 0;
}

int cli_publish(const char *output, const char *plot, enum cli_heat_scale scale, const struct cli_result *result,
                struct cli_error *error) {
    if ((output && cli_output_write(output, result, error)) || (plot && cli_display_write(plot, result, scale, error)))
        return -1;
    return cli_publish_prints(output) ? cli_publish_print(result, scale, error) : 0;
}

static const char *name_of(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

char *cli_publish_title(char *const *paths, size_t npaths, const char *values) {
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
