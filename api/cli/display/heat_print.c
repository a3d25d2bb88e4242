/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/cli/display/heat.h"
#include "api/cli/display/terminal.h"
#include "api/cli/display/text.h"

#define MIN_WIDTH  20
#define MAX_WIDTH  512
#define MIN_ROWS   8
#define MAX_ROWS   24
#define LEGEND     16 /* characters of the scale of colours */
#define NAN_COLOUR 245

/* A map in the making. */
struct chart {
    struct cli_terminal bars;
    struct cli_heat_grid grid;
    struct cli_ticks across, up;
    size_t rows, columns, label_width;
};

/* As many characters as the room has, or as many as equal bins divide evenly. */
static size_t even(const struct cli_view *view, size_t room) {
    size_t bins = view->last - view->first;
    return view->equal && bins > 0 && bins <= room ? room - room % bins : room;
}

static int lay_out(struct chart *chart, const struct cli_result *result, enum cli_heat_scale scale) {
    struct cli_view view[2];
    const unsigned flags = chart->bars.utf8 ? CLI_TICKS_UTF8 : 0u;
    size_t width = chart->bars.width, halves = chart->bars.utf8 && chart->bars.colour ? 2 : 1;
    for (size_t a = 0; a < 2; a++)
        cli_view_axis(&view[a], &result->axis[a]);
    size_t rows = width * 3 / 10;
    rows = rows < MIN_ROWS ? MIN_ROWS : rows > MAX_ROWS ? MAX_ROWS : rows;
    size_t points = even(&view[1], rows * halves);
    chart->rows = (points + halves - 1) / halves;
    cli_view_ticks(&view[1], (unsigned)chart->rows / 3, flags, &chart->up);
    for (size_t i = 0; i < chart->up.count; i++) {
        size_t label = cli_text_columns(chart->up.tick[i].label);
        chart->label_width = label > chart->label_width ? label : chart->label_width;
    }
    chart->columns = even(&view[0], width > chart->label_width + 10 ? width - chart->label_width - 2 : 8);
    cli_view_ticks(&view[0], (unsigned)chart->columns / 7, flags, &chart->across);
    return cli_heat_grid_make(&chart->grid, result, chart->columns, points, scale);
}

/* Returns the one of 256 colours that is next to red, green and blue: of the cube of six levels each. */
static unsigned terminal_colour(unsigned rgb) {
    unsigned code = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        unsigned level = rgb >> shift & 255;
        /* The levels are 0, 95, 135, 175, 215, 255. */
        code = code * 6 + (level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40);
    }
    return 16 + code;
}

static unsigned share_colour(const struct chart *chart, double share) {
    return terminal_colour(cli_heat_rgb(share, chart->grid.diverging));
}

/* Returns the colour of a point of the grid, 0 where nothing is or the point is below the grid. */
static unsigned point_colour(const struct chart *chart, size_t column, size_t row) {
    size_t at = row * chart->columns + column;
    if (row >= chart->grid.height || !chart->grid.state[at])
        return 0;
    return chart->grid.state[at] == 2 ? NAN_COLOUR
                                      : share_colour(chart, cli_heat_share(&chart->grid, chart->grid.value[at]));
}

static const char *shade(const struct chart *chart, double share) {
    static const char *const blocks[] = {"░", "▒", "▓", "█"};
    static const char *const ascii[] = {".", ":", "-", "=", "+", "*", "#", "%", "@"};
    int n = chart->bars.utf8 ? 4 : 9, level = (int)(share * n);
    return (chart->bars.utf8 ? blocks : ascii)[level < n ? level : n - 1];
}

/* Two points of the grid, one above the other, in one character. */
static void print_halves(const struct chart *chart, size_t column, size_t row) {
    unsigned top = point_colour(chart, column, 2 * row), bottom = point_colour(chart, column, 2 * row + 1);
    FILE *out = chart->bars.out;
    if (!top && !bottom)
        fputc(' ', out);
    else if (!bottom)
        fprintf(out, "\033[38;5;%um▀\033[0m", top);
    else if (!top)
        fprintf(out, "\033[38;5;%um▄\033[0m", bottom);
    else
        fprintf(out, "\033[38;5;%u;48;5;%um▀\033[0m", top, bottom);
}

static void print_cell(const struct chart *chart, size_t column, size_t row) {
    size_t at = row * chart->columns + column;
    const struct cli_heat_grid *grid = &chart->grid;
    FILE *out = chart->bars.out;
    if (chart->bars.utf8 && chart->bars.colour)
        print_halves(chart, column, row);
    else if (!grid->state[at])
        fputc(' ', out);
    else if (chart->bars.colour)
        fprintf(out, "\033[48;5;%um \033[0m", point_colour(chart, column, row));
    else
        fputs(grid->state[at] == 2 ? "?" : shade(chart, cli_heat_share(grid, grid->value[at])), out);
}

static void print_rows(const struct chart *chart) {
    const struct cli_terminal *bars = &chart->bars;
    for (size_t row = 0; row < chart->rows; row++) {
        const char *label = "";
        for (size_t i = 0; i < chart->up.count; i++)
            if (chart->up.tick[i].major && fmin(floor((1 - chart->up.tick[i].position) * (double)chart->rows),
                                                (double)chart->rows - 1) == (double)row)
                label = chart->up.tick[i].label;
        cli_terminal_style(bars, CLI_DIM);
        cli_terminal_repeat(bars, " ", chart->label_width - cli_text_columns(label));
        fprintf(bars->out, "%s%s", label, bars->utf8 ? *label ? "┤" : "│" : *label ? "+" : "|");
        cli_terminal_style(bars, CLI_NORMAL);
        for (size_t column = 0; column < chart->columns; column++)
            print_cell(chart, column, row);
        fputc('\n', bars->out);
    }
}

/* The axis under the map, and its labels where they stand apart. */
static void print_axis(const struct chart *chart) {
    const struct cli_terminal *bars = &chart->bars;
    size_t used = 0, room = chart->label_width + 1 + chart->columns;
    cli_terminal_style(bars, CLI_DIM);
    cli_terminal_repeat(bars, " ", chart->label_width);
    fputs(bars->utf8 ? "└" : "+", bars->out);
    cli_terminal_repeat(bars, bars->utf8 ? "─" : "-", chart->columns);
    fputc('\n', bars->out);
    for (size_t i = 0; i < chart->across.count; i++) {
        const struct cli_tick *tick = &chart->across.tick[i];
        size_t width = cli_text_columns(tick->label);
        double middle = (double)chart->label_width + 1 + tick->position * (double)chart->columns;
        double left = fmax(floor(middle - (double)width / 2), 0);
        left = fmin(left, (double)(room > width ? room - width : 0));
        if (!width || (used && left < (double)used + 1))
            continue;
        cli_terminal_repeat(bars, " ", (size_t)left - used);
        fputs(tick->label, bars->out);
        used = (size_t)left + width;
    }
    fputc('\n', bars->out);
    cli_terminal_style(bars, CLI_NORMAL);
}

/* What the colours or shades mean: lowest, all of them, highest. */
static void print_legend(const struct chart *chart) {
    const struct cli_heat_grid *grid = &chart->grid;
    const struct cli_terminal *bars = &chart->bars;
    char low[40], high[64];
    int numbers = snprintf(low, sizeof low, "%.4g ", grid->low);
    numbers += snprintf(high, sizeof high, " %.4g%s", grid->high, grid->logarithmic ? " log" : "");
    int room = (int)bars->width - numbers, count = room < LEGEND ? room : LEGEND;
    fputs(low, bars->out);
    for (int i = 0; i < count; i++) {
        double share = (i + 0.5) / count;
        if (bars->colour)
            fprintf(bars->out, "\033[48;5;%um \033[0m", share_colour(chart, share));
        else
            fputs(shade(chart, share), bars->out);
    }
    fprintf(bars->out, "%s\n", high);
}

int cli_heat_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale) {
    struct chart chart = {.bars = cli_terminal_within(terminal, MIN_WIDTH, MAX_WIDTH)};
    char name[2][200], text[1024];
    int status = lay_out(&chart, result, scale);
    if (status == 0) {
        for (size_t a = 0; a < 2; a++)
            cli_heat_axis_name(name[a], sizeof name[a], result, a);
        snprintf(text, sizeof text, "%s: %s (up) %s %s (right)", chart.grid.label, name[1], terminal->utf8 ? "×" : "x",
                 name[0]);
        cli_terminal_line(&chart.bars, text);
        print_rows(&chart);
        print_axis(&chart);
        print_legend(&chart);
        for (unsigned line = 0; line < 2; line++) {
            cli_heat_caption(text, sizeof text, &chart.grid, line, terminal->utf8);
            cli_terminal_line(&chart.bars, text);
        }
    }
    cli_heat_grid_free(&chart.grid);
    return status || ferror(terminal->out) ? -1 : 0;
}
