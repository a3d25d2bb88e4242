/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows results: of one axis as bars, of two as a map of colours, others in words; on a terminal or as a picture.
 *
 * Bars and cells stand over the true extents of their bins; grid.h says what is shown where bins differ in width, or
 * are narrower than a pixel or a character. Bins with an infinite edge are not drawn, and edges that are not positive
 * count as infinite on a logarithmic axis. What is not zero never looks empty. On a terminal, few bins of equal width
 * have a row each, with edges and exact count, and sums of weights below zero are arrowheads downwards.
 *
 * In maps, where nothing is, there is paper, and sums that are NaN are grey. A bar beside the map tells the colours'
 * values, evenly or by logarithm.
 *
 * Below stand n, the flow counters, and what bins with an infinite edge hold.
 */
#ifndef CLI_DISPLAY_H
#define CLI_DISPLAY_H

#include "api/cli/display/text.h"
#include "api/cli/error.h"
#include "api/cli/output/result.h"

/* Which scale the colours of a map follow; AUTO is logarithmic where most of what is there would be of the palest. */
enum cli_heat_scale { CLI_HEAT_AUTO, CLI_HEAT_LINEAR, CLI_HEAT_LOG };

/* Prints the result. Returns 0, or -1 when memory is short or the terminal takes no more. */
int cli_display_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale);

/* Returns 0 when a picture can be written to `path`: its extension is known, its directory writable, and the command
 * built with cairo; else -1. */
#define CLI_PICTURE_NAMES ".png or .svg"
int cli_display_check(const char *path, struct cli_error *error);

/* Draws a picture of a result over one or two axes: .png, of CLI_PICTURE_SCALE pixels to a unit, or .svg. Returns 0, or
 * -1 with a line in `error`; no file is left or changed then. */
int cli_display_write(const char *path, const struct cli_result *result, enum cli_heat_scale scale,
                      struct cli_error *error);

/* Draws an integral, .png or .svg: the estimates of its iterations, and how dense the grid is along each axis. 0, or -1
 * as before. */
struct cli_integral;
int cli_display_integral(const char *path, const struct cli_integral *found, struct cli_error *error);

/* Draws clusters: points over two coordinates in the colour of their cluster, or how they lie along one, and centroids.
 * 0, or -1 as before. */
struct cli_cloud;
int cli_display_clusters(FILE *file, const char *path, const struct cli_cloud *cloud, struct cli_error *error);

/* Prints clusters on a terminal: such a picture in characters, and a line for each of the largest. 0, or -1 with a
 * message when memory is short. */
struct cli_clusters;
int cli_display_clusters_print(const struct cli_terminal *terminal, const struct cli_clusters *clusters,
                               struct cli_error *error);

/* ---- the parts of it --------------------------------------------------------------------------------------------- */

/* Prints a chart of a result over one or two axes, and the words below. Returns 0, or -1 when memory is short. */
int cli_chart_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale);

/* Pictures: their size in user units, of which a pixel of a .png is the smallest part worth drawing. */
enum { CLI_PICTURE_WIDTH = 800, CLI_PICTURE_HEIGHT = 600, CLI_PICTURE_SCALE = 2 };

/* Their colours: red, green and blue, eight bits each. */
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

#endif
