/* SPDX-License-Identifier: Apache-2.0 */
/* Bar charts, maps and clusters of characters, in one frame. */
#include <math.h>
#include <string.h>

#include "api/cli/display/clusters.h"
#include "api/cli/display/frame.h"

#define ROWS     12 /* of bars, about */
#define MIN_ROWS 8  /* of a map */
#define MAX_ROWS 24
#define LEGEND   16 /* characters of the colour scale */
#define LABEL    8  /* minimum columns per label below the axis */
#define NAN_CODE 245

#define CLUSTER_ROWS 18
#define MIN_CLUSTERS 24 /* columns of clusters with their labels */
#define MAX_CLUSTERS 80

struct chart {
    const struct cli_terminal *terminal;
    struct cli_frame frame;
    size_t width, rows;
    int halves; /* a character shows two grid points, one above the other */
    const struct cli_raster *raster;
    const char *(*cell)(const struct chart *chart, size_t column, size_t row, char text[48]);
};

static const char *either(const struct chart *chart, const char *utf8, const char *ascii) {
    return chart->terminal->utf8 ? utf8 : ascii;
}

/* Returns the character of a bar. Negative sums hang from zero, which is between two rows. */
static const char *bar_cell(const struct chart *chart, size_t column, size_t row,
                            __attribute__((unused)) char text[48]) {
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

static void print_rows(const struct chart *chart) {
    const struct cli_terminal *terminal = chart->terminal;
    char text[48];
    for (size_t row = 0; row < chart->rows; row++) {
        cli_terminal_style(terminal, CLI_DIM);
        print_label(chart, chart->rows - row);
        cli_terminal_style(terminal, chart->cell == bar_cell ? CLI_BAR : CLI_NORMAL);
        int blank = 0;
        for (size_t column = 0; column < chart->width; column++) {
            const char *cell = chart->cell(chart, column, row, text);
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

static void print_axis(const struct chart *chart) {
    const struct cli_terminal *terminal = chart->terminal;
    const struct cli_ticks *across = &chart->frame.across;
    cli_terminal_style(terminal, CLI_DIM);
    print_label(chart, 0);
    fputs(either(chart, is_marked(chart, 0) ? "┼" : "└", "+"), terminal->out);
    for (size_t mark = 1; mark <= chart->width; mark++)
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

static struct cli_paper paper_of(const struct cli_terminal *terminal, size_t width, size_t rows, size_t points) {
    return (struct cli_paper){.width = (double)width,
                              .left = 2, /* a space and the axis */
                              .point = 1,
                              .gap = 1,
                              .rows = rows * points,
                              .characters = 1,
                              .max_up = (unsigned)rows / 3,
                              .max_across = (unsigned)width / LABEL + 2,
                              .flags = terminal->utf8 ? CLI_TICKS_UTF8 : 0u,
                              .measure = cli_text_measure};
}

static void print_chart(const struct chart *chart, const char *title, const char *values, const char *const names[2]) {
    const char *unit = chart->frame.up.unit, *comma = *unit ? ", " : "";
    char label[1200];
    if (!names)
        snprintf(label, sizeof label, *unit ? "%s (%s)" : "%s", values, unit);
    else
        snprintf(label, sizeof label, "%s: %s (up%s%s) %s %s (right)", values, names[1], comma, unit,
                 either(chart, "×", "x"), names[0]);
    cli_terminal_title(chart->terminal, title, label);
    print_rows(chart);
    print_axis(chart);
}

void cli_chart_print(const struct cli_terminal *terminal, const struct cli_result *result, enum cli_heat_scale scale) {
    const int bars = result->naxes == 1;
    struct chart chart = {.terminal = terminal,
                          .halves = !bars && terminal->utf8 && terminal->colour,
                          .cell = bars ? bar_cell : map_cell};
    const size_t room = terminal->width * 3 / 10, rows = room < MIN_ROWS ? MIN_ROWS : room > MAX_ROWS ? MAX_ROWS : room;
    const size_t points = chart.halves ? 2 : 1;
    const struct cli_paper paper = paper_of(terminal, terminal->width, rows, points);
    const struct cli_grid *grid = &chart.frame.grid;
    char name[2][512];
    cli_frame_make(&chart.frame, result, scale, &paper);
    for (size_t a = 0; a < 2 && !bars; a++)
        cli_frame_axis_name(name[a], result, a, terminal->width / 3, terminal->utf8);
    const size_t steps = chart.frame.steps;
    chart.width = grid->width;
    chart.rows = bars ? steps * ((ROWS + steps / 2) / steps) : (grid->height + points - 1) / points;
    print_chart(&chart, bars ? result->title : NULL, grid->label, bars ? NULL : (const char *[]){name[0], name[1]});
    if (!bars)
        print_legend(&chart);
    struct cli_lines lines = cli_terminal_lines(terminal);
    cli_frame_words(&lines, result, grid, terminal->utf8);
    cli_grid_free(&chart.frame.grid);
}

static const char *cluster_cell(const struct chart *chart, size_t column, size_t row, char text[48]) {
    const uint32_t label = chart->raster->winner[row * chart->width + column];
    if (label == CLI_RASTER_EMPTY)
        return " ";
    const char digit = label < CLI_CLUSTER_COLOURS ? (char)('0' + label) : '+';
    snprintf(text, 48, chart->terminal->colour ? "\033[38;5;%um%c\033[0m" : "%.0u%c",
             chart->terminal->colour ? cli_terminal_code(cli_clusters_rgb(label)) : 0, digit);
    return text;
}

void cli_chart_clusters(const struct cli_terminal *terminal, const struct cli_cloud *cloud) {
    const struct cli_clusters *clusters = cloud->clusters;
    const size_t width = terminal->width < MIN_CLUSTERS   ? MIN_CLUSTERS
                         : terminal->width < MAX_CLUSTERS ? terminal->width
                                                          : MAX_CLUSTERS;
    const struct cli_paper paper = paper_of(terminal, width, CLUSTER_ROWS, 1);
    struct cli_raster raster;
    struct chart chart = {.terminal = terminal, .rows = CLUSTER_ROWS, .raster = &raster, .cell = cluster_cell};
    char name[2][128];
    cli_frame_axes(&chart.frame, cloud->low, cloud->high, &paper);
    chart.width = (size_t)(chart.frame.right - chart.frame.left);
    cli_raster_make(&raster, cloud, chart.width, CLUSTER_ROWS, 0);
    for (size_t i = 0; i < 2; i++)
        cli_text_clean(name[i], sizeof name[i], clusters->points->names[clusters->shown[i]], terminal->width / 3,
                       terminal->utf8);
    print_chart(&chart, NULL, "clusters", (const char *[]){name[0], name[1]});
    cli_raster_free(&raster);
}
