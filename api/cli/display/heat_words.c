/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/heat_words.h"

#include <stdio.h>

#include "api/cli/display/plot_text.h"

void cli_heat_axis_name(char *text, size_t size, const struct cli_result_dd *result, size_t axis) {
    const char *name = result->axis[axis].name;
    if (name && *name)
        cli_text_clean(text, size, name, size - 1, 1);
    else
        snprintf(text, size, "axis %zu", axis);
}

static void write_totals(struct cli_line *line, const struct cli_heat_grid *grid, int utf8) {
    const struct cli_result_dd *result = grid->result;
    const char *dot = utf8 ? "  ·  " : " | ";
    char number[40];
    cli_line_count(line, "", result->axis[0].bins);
    cli_line_count(line, utf8 ? " × " : " x ", result->axis[1].bins);
    cli_line_add(line, " bins", dot);
    cli_line_count(line, "n ", result->inside + result->outside);
    cli_line_add(line, dot, "");
    cli_line_count(line, "outside ", result->outside);
    if (result->sums) {
        snprintf(number, sizeof number, "%.6g", result->outside_sum);
        cli_line_add(line, ", of weight ", number);
    }
    if (grid->has_beyond) {
        snprintf(number, sizeof number, "%.15g", grid->beyond);
        cli_line_add(line, dot, "in bins without end ");
        cli_line_add(line, number, "");
    }
}

void cli_heat_caption(char *text, size_t size, const struct cli_heat_grid *grid, unsigned number, int utf8) {
    struct cli_line line = {text, size, 0};
    char name[256], clean[64];
    text[0] = 0;
    if (number == 0) {
        write_totals(&line, grid, utf8);
        return;
    }
    for (size_t a = 0; a < 2; a++) {
        const uh_flow *flow = &grid->result->axis[a].flow;
        cli_heat_axis_name(name, sizeof name, grid->result, a);
        cli_text_clean(clean, sizeof clean, name, 24, utf8);
        cli_line_add(&line, a ? utf8 ? "  ·  " : " | " : "", clean);
        cli_line_count(&line, ": below ", flow->below);
        cli_line_count(&line, ", above ", flow->above);
        cli_line_count(&line, ", NaN ", flow->nan);
    }
}
