/* SPDX-License-Identifier: Apache-2.0 */
#include "api/cli/display/panel.h"

#ifdef UNIHIST_CAIRO

#include "api/cli/display/ticks.h"

#define TICK 3.0

double cli_panel_across(const struct cli_panel *panel, double x) {
    return panel->left + (x - panel->from) / (panel->to - panel->from) * (panel->right - panel->left);
}

double cli_panel_upwards(const struct cli_panel *panel, double y) {
    return panel->bottom - (y - panel->low) / (panel->high - panel->low) * (panel->bottom - panel->top);
}

void cli_panel_axes(const struct cli_panel *panel, unsigned max_across, unsigned max_up, const char *title) {
    cairo_t *canvas = panel->canvas;
    struct cli_ticks ticks;
    cairo_set_line_width(canvas, CLI_PIXEL);
    cli_ticks_make(&ticks, panel->low, panel->high, 0, max_up, CLI_TICKS_UTF8);
    for (const struct cli_tick *tick = ticks.tick; tick < ticks.tick + ticks.count; tick++) {
        const double y = panel->bottom - tick->position * (panel->bottom - panel->top);
        if (!tick->major)
            continue;
        cli_canvas_colour(canvas, CLI_RGB_GRID);
        cli_canvas_line(canvas, panel->left, y, panel->right, y);
        cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(canvas, panel->left - 2 * TICK, y + 0.35 * CLI_TICK_SIZE, 1, CLI_PANEL_LEFT, tick->label);
    }
    cli_ticks_make(&ticks, panel->from, panel->to, 0, max_across, CLI_TICKS_UTF8);
    for (const struct cli_tick *tick = ticks.tick; tick < ticks.tick + ticks.count; tick++) {
        const double x = panel->left + tick->position * (panel->right - panel->left);
        if (!tick->major)
            continue;
        cli_canvas_colour(canvas, CLI_RGB_AXIS);
        cli_canvas_line(canvas, x, panel->bottom, x, panel->bottom + TICK);
        cli_canvas_font(canvas, CLI_TICK_SIZE, CLI_RGB_TEXT);
        cli_canvas_text(canvas, x, panel->bottom + 2 * TICK + 0.8 * CLI_TICK_SIZE, 0.5, CLI_PANEL_SIDE, tick->label);
    }
    cli_canvas_colour(canvas, CLI_RGB_AXIS);
    cairo_set_line_width(canvas, CLI_LINE);
    cairo_rectangle(canvas, panel->left, panel->top, panel->right - panel->left, panel->bottom - panel->top);
    cairo_stroke(canvas);
    cli_canvas_font(canvas, CLI_LABEL_SIZE, CLI_RGB_TEXT);
    cli_canvas_text(canvas, (panel->left + panel->right) / 2, panel->bottom + 2 * TICK + 2.2 * CLI_TICK_SIZE, 0.5,
                    panel->right - panel->left, title);
}

#endif
