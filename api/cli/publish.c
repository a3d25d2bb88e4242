/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/publish.h"

#include <stdio.h>
#include <stdlib.h>
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

/* Edges of more than 2^53 are no longer all float64. */
#define MAX_DRAWN ((int64_t)1 << 53)

int cli_publish_integers(const char *plot, int chart, const struct cli_result *result, const char *nothing,
                         struct cli_error *error) {
    struct cli_result drawn = *result;
    struct cli_axis *axis = &drawn.axis[0];
    const int beyond = axis->first < -MAX_DRAWN || axis->first > MAX_DRAWN - (int64_t)axis->bins;
    const char *why = axis->bins == 0 ? nothing : beyond ? "outcomes beyond 2^53" : NULL;
    if (why && chart)
        printf("%s\n", why);
    if (why)
        return plot ? cli_fail(error, "cannot draw to '%.200s': %s", plot, why) : 0;
    double *edges = malloc((axis->bins + 1) * sizeof *edges);
    if (!edges)
        return cli_fail(error, "out of memory for a chart of %zu bins", axis->bins);
    for (size_t i = 0; i <= axis->bins; i++)
        edges[i] = (double)(axis->first + (int64_t)i);
    axis->edges = edges;
    int status = plot ? cli_display_write(plot, &drawn, CLI_HEAT_AUTO, error) : 0;
    if (status == 0 && chart)
        status = cli_publish_print(&drawn, CLI_HEAT_AUTO, error);
    free(edges);
    return status;
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
