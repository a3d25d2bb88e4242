/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around heat maps. */
#ifndef CLI_HEAT_WORDS_H
#define CLI_HEAT_WORDS_H

#include <stddef.h>

#include "api/cli/display/heat_grid.h"

/* Writes the axis's name, fit to be shown, or "axis 0" where it has none. */
void cli_heat_axis_name(char *text, size_t size, const struct cli_result_dd *result, size_t axis);

/* Writes a line under the map: 0, how many bins and points there are and what lies outside; 1, the flow counters. */
void cli_heat_caption(char *text, size_t size, const struct cli_heat_grid *grid, unsigned number, int utf8);

#endif
