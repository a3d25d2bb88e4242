/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/publish.h"

#include <stdio.h>

#include "api/cli/display/bars.h"
#include "api/cli/display/heat.h"
#include "api/cli/display/plot.h"
#include "api/cli/display/table.h"
#include "api/cli/display/terminal.h"
#include "api/cli/output/output.h"
#include "api/cli/output/output_dd.h"

int cli_publish_check(const char *output, const char *plot, struct cli_error *error) {
    return (output && cli_output_check(output, error)) || (plot && cli_plot_check(plot, error)) ? -1 : 0;
}

int cli_publish_prints(const char *output) {
    return !output || cli_terminal_look().is_terminal;
}

static int cannot_print(struct cli_error *error) {
    return cli_fail(error, "cannot print the chart to standard output");
}

int cli_publish_chart(const struct cli_result *result, struct cli_error *error) {
    const struct cli_terminal terminal = cli_terminal_look();
    return cli_bars_print(stdout, terminal.width, terminal.utf8, terminal.colour, result) ? cannot_print(error) : 0;
}

int cli_publish(const char *output, const char *plot, const struct cli_result *result, struct cli_error *error) {
    if ((output && cli_output_write(output, result, error)) || (plot && cli_plot_write(plot, result, error)))
        return -1;
    return cli_publish_prints(output) ? cli_publish_chart(result, error) : 0;
}

int cli_publish_dd(const char *output, const char *plot, enum cli_heat_scale scale, const struct cli_result_dd *result,
                   struct cli_error *error) {
    const struct cli_terminal terminal = cli_terminal_look();
    int failed;
    if ((output && cli_output_write_dd(output, result, error)) || (plot && cli_heat_write(plot, result, scale, error)))
        return -1;
    if (!cli_publish_prints(output))
        return 0;
    if (result->naxes == 2)
        failed = cli_heat_print(stdout, terminal.width, terminal.utf8, terminal.colour, result, scale);
    else
        failed = cli_table_print(stdout, terminal.width, terminal.utf8, result);
    return failed ? cannot_print(error) : 0;
}
