/* SPDX-License-Identifier: Apache-2.0 */
/* Bar charts and maps of characters, in one frame. */
#include <math.h>
#include <string.h>

#include "api/cli/display/frame.h"

#define ROWS     12 /* of bars, about */
#define MIN_ROWS 8  /* of a map */
#define MAX_ROWS 24
#define LEGEND   16 /* characters of the colour scale */
#define LABEL    8  /* minimum columns per label below the axis */
#define NAN_CODE 245

/* State of a chart being printed. */
struct chart {
    const struct cli_terminal *terminal;
    struct cli_frame frame;
    size_t rows;
    int halves; /* a character shows two grid points, one above the other */
};

/* Returns the first mark if the terminal shows UTF-8, otherwise the second. */
static const char *either(const struct chart *chart, const char *utf8, const char *ascii) {
    return chart->terminal->utf8 ? utf8 : ascii;
}

/* Returns the character of a bar. Negative sums hang from zero, which is between two rows. */
static const char *bar_cell(const struct chart *chart, size_t column, size_t row) {
    static const char *const blocks[2][9] = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
                                             {" ", "▔", "▔", "▀", "▀", "▀", "▀", "█", "█"}};
    static const char *const ascii[2][9] = {{" ", ".", ".", ".", ":", ":", ":", ":", "#"},
                                            {" ", "'", "'", "'", "'", "'", "'", "#", "#"}};
    const struct cli_frame *frame = &chart->frame;
    const double value = frame->grid.value[column];
    const double zero = round((double)(frame->high / (frame->high - frame->low)) * (double)chart->rows);
    const int hangs = (double)row >= zero; /* below zero */
    if (frame->grid.state[column] == 2)
        return (double)row == fmax(zero - 1, 0) ? "?" : " ";
    double eighths = round((double)(value / (frame->high - frame->low)) * (double)chart->rows * 8);
    if (value != 0 && fabs(eighths) < 1)
        eighths = copysign(1, value);
    const double before = hangs ? (double)row - zero : zero - 1 - (double)row; /* rows from zero to this one */
    const double filled = fmin(fmax((hangs ? -eighths : eighths) - 8 * before, 0), 8);
    return (chart->terminal->utf8 ? blocks : ascii)[hangs][(int)filled];
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

static unsigned share_code(const struct chart *chart, double share) {
    return cli_terminal_code(cli_grid_rgb(share, chart->frame.grid.diverging));
}

/* Returns the colour of a grid point, 0 if it is empty or below the grid. */
static unsigned point_code(const struct chart *chart, size_t column, size_t row) {
    const struct cli_grid *grid = &chart->frame.grid;
    size_t at = row * grid->width + column;
    if (row >= grid->height || !grid->state[at])
        return 0;
    return grid->state[at] == 2 ? NAN_CODE : share_code(chart, cli_grid_share(grid, grid->value[at]));
}

static const char *shade(const struct chart *chart, double share) {
    static const char *const blocks[] = {"░", "▒", "▓", "█"};
    static const char *const ascii[] = {".", ":", "-", "=", "+", "*", "#", "%", "@"};
    int n = chart->terminal->utf8 ? 4 : 9, level = (int)(share * n);
    return (chart->terminal->utf8 ? blocks : ascii)[level < n ? level : n - 1];
}

static const char *map_cell(const struct chart *chart, size_t column, size_t row, char text[48]) {
    const struct cli_grid *grid = &chart->frame.grid;
    const size_t at = row * grid->width + column;
    if (!chart->halves)
        return !grid->state[at]       ? " "
               : grid->state[at] == 2 ? "?"
                                      : shade(chart, cli_grid_share(grid, grid->value[at]));
    const unsigned top = point_code(chart, column, 2 * row), bottom = point_code(chart, column, 2 * row + 1);
    if (!top && !bottom)
        return " ";
    if (top && bottom)
        snprintf(text, 48, "\033[38;5;%u;48;5;%um▀\033[0m", top, bottom);
    else
        snprintf(text, 48, "\033[38;5;%um%s\033[0m", top ? top : bottom, top ? "▀" : "▄");
    return text;
}

/* Prints the scale of colours or shades: lowest value, all levels, highest value. */
static void print_legend(const struct chart *chart) {
    const struct cli_grid *grid = &chart->frame.grid;
    FILE *out = chart->terminal->out;
    char low[CLI_TEXT_COUNT_SIZE], high[CLI_TEXT_COUNT_SIZE];
    const char *after = grid->logarithmic ? " log" : "";
    const int digits = grid->logarithmic ? 4 : cli_text_digits(fmax(-grid->low, grid->high), grid->high - grid->low, 4);
    cli_text_number(low, grid->low, digits, CLI_TEXT_CONTENT);
    cli_text_number(high, grid->high, digits, CLI_TEXT_CONTENT);
    int room = (int)(chart->terminal->width - strlen(low) - strlen(high) - strlen(after)) - 2;
    int count = room < LEGEND ? room : LEGEND;
    fprintf(out, "%s ", low);
    for (int i = 0; i < count; i++) {
        double share = (i + 0.5) / count;
        if (chart->halves)
            fprintf(out, "\033[48;5;%um \033[0m", share_code(chart, share));
        else
            fputs(shade(chart, share), out);
    }
    fprintf(out, " %s%s\n", high, after);
}

/* ---- frame ------------------------------------------------------------------------------------------------------- */

/* Prints the label `height` rows above the axis, if any, and the axis. */
static void print_label(const struct chart *chart, size_t height) {
    const struct cli_ticks *up = &chart->frame.up;
    const char *label = "";
    for (size_t i = 0; i < up->count; i++)
        if (up->tick[i].major && round(up->tick[i].position * (double)chart->rows) == (double)height)
            label = up->tick[i].label;
    const size_t room = (size_t)chart->frame.left - 2, width = cli_text_columns(label);
    fprintf(chart->terminal->out, "%*s%s ", room > width ? (int)(room - width) : 0, "", label);
    if (height > 0)
        fputs(*label ? either(chart, "┤", "+") : either(chart, "│", "|"), chart->terminal->out);
}

static void print_rows(const struct chart *chart, int bars) {
    const struct cli_terminal *terminal = chart->terminal;
    char text[48];
    for (size_t row = 0; row < chart->rows; row++) {
        cli_terminal_style(terminal, CLI_DIM);
        print_label(chart, chart->rows - row);
        cli_terminal_style(terminal, bars ? CLI_BAR : CLI_NORMAL);
        int blank = 0;
        for (size_t column = 0; column < chart->frame.grid.width; column++) {
            const char *cell = bars ? bar_cell(chart, column, row) : map_cell(chart, column, row, text);
            if (*cell != ' ')
                fprintf(terminal->out, "%*s%s", blank, "", cell);
            blank = *cell == ' ' ? blank + 1 : 0;
        }
        cli_terminal_end(terminal);
    }
}

static int is_marked(const struct chart *chart, size_t mark) {
    const struct cli_ticks *across = &chart->frame.across;
    for (size_t i = 0; i < across->count; i++)
        if (across->tick[i].label[0] && across->tick[i].mark == chart->frame.left + (double)mark)
            return 1;
    return 0;
}

/* Prints the axis below and its labels. */
static void print_axis(const struct chart *chart) {
    const struct cli_terminal *terminal = chart->terminal;
    const struct cli_ticks *across = &chart->frame.across;
    cli_terminal_style(terminal, CLI_DIM);
    print_label(chart, 0);
    fputs(either(chart, is_marked(chart, 0) ? "┼" : "└", "+"), terminal->out);
    for (size_t mark = 1; mark <= chart->frame.grid.width; mark++)
        fputs(is_marked(chart, mark) ? either(chart, "┬", "+") : either(chart, "─", "-"), terminal->out);
    cli_terminal_end(terminal);
    cli_terminal_style(terminal, CLI_DIM);
    int used = 0;
    for (const struct cli_tick *tick = across->tick; tick < across->tick + across->count; tick++)
        if (*tick->label) {
            fprintf(terminal->out, "%*s%s", (int)tick->begin - used, "", tick->label);
            used = (int)tick->begin + (int)cli_text_columns(tick->label);
        }
    cli_terminal_end(terminal);
    if (!*across->unit)
        return;
    const int room = (int)(chart->frame.right - (double)cli_text_columns(across->unit));
    cli_terminal_style(terminal, CLI_DIM);
    fprintf(terminal->out, "%*s%s", room > 0 ? room : 0, "", across->unit);
    cli_terminal_end(terminal);
}

int cli_chart_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale) {
    const int bars = result->naxes == 1;
    struct chart chart = {.terminal = terminal, .halves = !bars && terminal->utf8 && terminal->colour};
    const size_t room = terminal->width * 3 / 10, rows = room < MIN_ROWS ? MIN_ROWS : room > MAX_ROWS ? MAX_ROWS : room;
    const size_t points = chart.halves ? 2 : 1;
    const struct cli_paper paper = {.width = (double)terminal->width,
                                    .left = 2, /* a space and the axis */
                                    .point = 1,
                                    .gap = 1,
                                    .rows = rows * points,
                                    .characters = 1,
                                    .max_up = (unsigned)rows / 3,
                                    .max_across = (unsigned)terminal->width / LABEL + 2,
                                    .flags = terminal->utf8 ? CLI_TICKS_UTF8 : 0u,
                                    .measure = cli_text_measure};
    const struct cli_grid *grid = &chart.frame.grid;
    char name[2][512], label[1200];
    int status = cli_frame_make(&chart.frame, result, scale, &paper);
    if (status == 0) {
        for (size_t a = 0; a < 2 && !bars; a++)
            cli_frame_axis_name(name[a], result, a, CLI_NAME, terminal->utf8);
        const char *unit = chart.frame.up.unit, *comma = *unit ? ", " : "";
        if (bars)
            snprintf(label, sizeof label, *unit ? "%s (%s)" : "%s", grid->label, unit);
        else
            snprintf(label, sizeof label, "%s: %s (up%s%s) %s %s (right)", grid->label, name[1], comma, unit,
                     either(&chart, "×", "x"), name[0]);
        const size_t steps = chart.frame.steps;
        chart.rows = bars ? steps * ((ROWS + steps / 2) / steps) : (grid->height + points - 1) / points;
        cli_terminal_title(terminal, bars ? result->title : NULL, label);
        print_rows(&chart, bars);
        print_axis(&chart);
        if (!bars)
            print_legend(&chart);
        struct cli_lines lines = cli_terminal_lines(terminal);
        cli_frame_words(&lines, result, grid, terminal->utf8);
    }
    cli_grid_free(&chart.frame.grid);
    return status;
}
