/* SPDX-License-Identifier: Apache-2.0 */
/* An area of a picture with axes around it. */
#ifndef CLI_PANEL_H
#define CLI_PANEL_H

#include "api/cli/display/canvas.h"

#ifdef UNIHIST_CAIRO

#define CLI_PANEL_LEFT 110.0 /* room for the longest labels of the vertical axis */
#define CLI_PANEL_SIDE 64.0  /* for short labels and the labels below */

/* Converts coordinates to positions. */
struct cli_panel {
    cairo_t *canvas;
    double left, right, top, bottom;
    double from, to;  /* across */
    double low, high; /* upwards */
};

double cli_panel_across(const struct cli_panel *panel, double x);
double cli_panel_upwards(const struct cli_panel *panel, double y);

/* Draws lines with at most the given numbers of labels, a frame, and the title below. */
void cli_panel_axes(const struct cli_panel *panel, unsigned max_across, unsigned max_up, const char *title);

#endif
#endif
