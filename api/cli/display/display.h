/* SPDX-License-Identifier: Apache-2.0 */
/* Shows results: one axis as bars, two as a colour map, more as text; on a terminal or as a picture, as
 * unihist-histogram(1) and frame.h describe. */
#pragma once

#include "api/cli/output/result.h"

/* Colour scale of a map; AUTO is logarithmic if most non-empty points would otherwise have the palest colours. */
enum cli_heat_scale { CLI_HEAT_AUTO, CLI_HEAT_LINEAR, CLI_HEAT_LOG };

/* Prints the result. Returns 0, or -1 if writing to the terminal fails. */
int cli_display_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale);

/* Checks that a picture can be written to `path`, as cli_output_check, and the command is built with cairo. */
#define CLI_PICTURE_NAMES ".png or .svg"
int cli_display_check(const char *path);

/* Draws a result over one or two axes, as .png of CLI_PICTURE_SCALE pixels per unit or as .svg. */
int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale);

/* Draws an integral as .png or .svg: the estimates of its iterations, and the density of the grid along each axis. */
int cli_display_integral(const char *path, const struct cli_integral *found);

/* Draws clusters: points over two coordinates in their cluster's colour, or their distribution along one. */
struct cli_cloud; /* clusters.h */
int cli_display_clusters(FILE *file, const char *path, const struct cli_cloud *cloud);

/* Prints clusters on a terminal: the same picture in characters, and a line for each of the largest. */
int cli_display_clusters_print(const struct cli_terminal *terminal, const struct cli_clusters *clusters);

/* Prints a chart of a result over one or two axes, and the text below it. */
void cli_chart_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale);
void cli_chart_clusters(const struct cli_terminal *terminal, const struct cli_cloud *cloud);

/* Size of pictures in user units; a pixel of a .png is the smallest detail worth drawing. */
enum { CLI_PICTURE_WIDTH = 800, CLI_PICTURE_HEIGHT = 600, CLI_PICTURE_SCALE = 2 };

/* Colours of pictures: red, green and blue, eight bits each. */
enum {
    CLI_RGB_PAPER = 0xffffff,
    CLI_RGB_FILL = 0x8db4d8,
    CLI_RGB_OUTLINE = 0x3b6a97,
    CLI_RGB_AXIS = 0x4a4f55,
    CLI_RGB_TEXT = 0x24292e,
    CLI_RGB_PALE_TEXT = 0x626a73,
    CLI_RGB_GRID = 0xdde1e5,
    CLI_RGB_NAN = 0x9aa0a6
};
