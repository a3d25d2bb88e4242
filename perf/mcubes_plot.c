/* SPDX-License-Identifier: Apache-2.0 */
/* The figures, a panel an integrand: achieved errors, times, and how much faster mcubes1d is. */
#include "perf/mcubes.h"

#include <string.h>

enum { PANEL_WIDTH = 480, PANEL_HEIGHT = 360, COLUMNS = 4 };

/* Figure 3 is of ratios, the others are of logarithms. */
enum figure { ERRORS, TIMES, RATIOS };

static const char *const colours[MCUBES_BYS] = {[MCUBES_OURS] = "blue",
                                                [MCUBES_1D] = "dark-green",
                                                [MCUBES_PLUS] = "dark-violet",
                                                [MCUBES_PLAIN] = "orange",
                                                [MCUBES_GSL] = "red"};

static int is_shown(enum figure figure, enum mcubes_by by) {
    return figure == ERRORS ? by == MCUBES_OURS : (by == MCUBES_1D) == (figure == RATIOS);
}

static int has_panel(const struct mcubes_results *results, enum figure figure, size_t integrand) {
    return figure != RATIOS || mcubes_plots(results, integrand, MCUBES_1D);
}

static double digits_of(double tau) {
    return -log10(tau);
}

/* A point of figures 2 and 3: 0 for none. */
static double drawn(const struct mcubes_results *results, enum figure figure, size_t integrand, enum mcubes_by by,
                    size_t k) {
    const struct mcubes_series *all = results->series[integrand];
    if (figure == ERRORS || !is_shown(figure, by) || k >= all[by].count || !all[by].level[k].reached)
        return 0;
    return figure == TIMES ? 1e3 * all[by].level[k].seconds : mcubes_ratio(&all[MCUBES_OURS], &all[by], k);
}

/* ---- axes: all panels have the same ---- */

struct range {
    double low, high;
};

static void take(struct range *range, double value) {
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* Whole decades, and the digits as far as some integrator was asked for them. */
static void print_ranges(FILE *file, const struct mcubes_results *results, enum figure figure) {
    struct range y = {INFINITY, 0}, digits = {digits_of(mcubes_tau(0)), digits_of(mcubes_tau(0))};
    for (size_t i = 0; i < MCUBES_PLOTTED; i++)
        for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
            const struct mcubes_series *series = &results->series[i][by];
            for (size_t k = 0; is_shown(figure, by) && k < series->count; k++) {
                const struct mcubes_level *level = &series->level[k];
                take(&digits, digits_of(level->task.tau));
                if (figure == ERRORS)
                    take(&y, level->task.tau);
                for (size_t j = 0; figure == ERRORS && j < level->reached; j++)
                    if (level->errors[j] > 0)
                        take(&y, level->errors[j]);
                if (drawn(results, figure, i, by, k) > 0)
                    take(&y, drawn(results, figure, i, by, k));
            }
        }
    fprintf(file, "set xlabel '-log10 of the relative error asked for'\nset xrange [%.4f:%.4f]\n", digits.low - 0.4,
            digits.high + 0.4);
    if (figure == RATIOS)
        fprintf(file, "set yrange [0:%.2f]\n", 1.1 * fmax(y.high, 1));
    else if (y.high > 0)
        fprintf(file, "set logscale y\nset yrange [1e%.0f:1e%.0f]\n", floor(log10(y.low)), floor(log10(y.high)) + 1);
}

/* ---- panels ---- */

/* Of figure 1: achieved errors and the one that was asked for, a block a level. */
static void print_errors(FILE *file, const struct mcubes_series *series, size_t integrand) {
    for (size_t k = 0; k < series->count && series->level[k].reached; k++) {
        fprintf(file, "$data_%zu_%zu << EOD\n", integrand, k);
        for (size_t i = 0; i < series->level[k].reached; i++)
            fprintf(file, "%.6g %.6g\n", series->level[k].errors[i], series->level[k].task.tau);
        fputs("EOD\n", file);
    }
}

/* Of figures 2 and 3: digits, and milliseconds or how many times as fast as mcubes it is; a block an integrator. */
static void print_data(FILE *file, const struct mcubes_results *results, enum figure figure, size_t integrand) {
    for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
        const struct mcubes_series *series = &results->series[integrand][by];
        fprintf(file, "$data_%zu_%u << EOD\n", integrand, (unsigned)by);
        for (size_t k = 0; k < series->count && drawn(results, figure, integrand, by, k) > 0; k++)
            fprintf(file, "%.4f %.6g\n", digits_of(series->level[k].task.tau),
                    drawn(results, figure, integrand, by, k));
        fputs("EOD\n", file);
    }
}

/* Boxes, and a cross for the level that was not reached. */
static void print_boxes(FILE *file, const struct mcubes_series *series, size_t integrand) {
    for (size_t k = 0; k < series->count; k++) {
        const double x = digits_of(series->level[k].task.tau);
        fputs(k ? ", \\\n    " : "plot ", file);
        if (series->level[k].reached)
            fprintf(file,
                    "$data_%zu_%zu using (%.4f):1:(0.4) with boxplot lc 'blue' pt 6 notitle, \\\n"
                    "    $data_%zu_%zu using (%.4f):2 with points pt 7 ps 1.2 lc 'orange' %s",
                    integrand, k, x, integrand, k, x, k ? "notitle" : "title 'asked for'");
        else
            fprintf(file, "'+' using (%.4f):(%.6g) every ::0::0 with points pt 2 ps 1.5 lc 'red' title 'not reached'",
                    x, series->level[k].task.tau);
    }
    fputc('\n', file);
}

static void print_lines(FILE *file, const struct mcubes_results *results, enum figure figure, size_t integrand) {
    const char *separator = "plot ";
    for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
        if (!(drawn(results, figure, integrand, by, 0) > 0))
            continue;
        fprintf(file, "%s$data_%zu_%u using 1:2 with linespoints lw 2 pt 7 lc '%s' title '%s'", separator, integrand,
                (unsigned)by, colours[by], mcubes_by_name(by));
        separator = ", \\\n    ";
    }
    if (strcmp(separator, "plot ") == 0)
        fputs("set label 1 'not reached' at graph 0.5,0.5 center\nplot 1 with lines lc 'white' notitle\nunset label 1",
              file);
    else if (figure == RATIOS)
        fputs(", \\\n    1 with lines dashtype 2 lc 'black' notitle", file);
    fputc('\n', file);
}

static void print_figure(FILE *file, const struct mcubes_results *results, enum figure figure,
                         const struct perf_picture *picture) {
    static const char *const labels[] = {"achieved relative error", "ms", "times as fast as mcubes"};
    size_t panels = 0;
    char name[16];
    for (size_t i = 0; i < MCUBES_PLOTTED; i++)
        panels += (size_t)has_panel(results, figure, i);
    const size_t lines = (panels + COLUMNS - 1) / COLUMNS;
    perf_gnuplot_head(file, picture, results->bench->machine.date, (size_t)COLUMNS * PANEL_WIDTH, lines * PANEL_HEIGHT);
    fprintf(file, "set ylabel '%s'\n", labels[figure]);
    print_ranges(file, results, figure);
    fputs("set key tmargin center horizontal samplen 1.5\nset format y '%g'\nset grid y\nset style boxplot range 1.5\n"
          "set style fill solid 0.3\n",
          file);
    for (size_t i = 0; i < MCUBES_PLOTTED; i++)
        if (figure == ERRORS)
            print_errors(file, &results->series[i][MCUBES_OURS], i);
        else if (has_panel(results, figure, i))
            print_data(file, results, figure, i);
    fprintf(file, "set multiplot layout %zu,%d\n", lines, COLUMNS);
    for (size_t i = 0; i < MCUBES_PLOTTED; i++) {
        if (!has_panel(results, figure, i))
            continue;
        mcubes_integrand(&mcubes_plotted[i].f, name);
        fprintf(file, "set title '%s'\n", name);
        if (figure == ERRORS)
            print_boxes(file, &results->series[i][MCUBES_OURS], i);
        else
            print_lines(file, results, figure, i);
    }
    fputs("unset multiplot\n", file);
}

int mcubes_plot(const struct mcubes_results *results, struct perf_picture pictures[MCUBES_FIGURES],
                struct perf_error *error) {
    static const char *const names[MCUBES_FIGURES][2] = {
        {"figure1.png", "figure1.gp"}, {"figure2.png", "figure2.gp"}, {"figure3.png", "figure3.gp"}};
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < MCUBES_FIGURES; i++) {
        struct perf_picture *picture = &pictures[i];
        size_t size = 0;
        picture->name = names[i][0];
        picture->script_name = names[i][1];
        FILE *file = open_memstream(&picture->script, &size);
        if (file)
            print_figure(file, results, (enum figure)i, picture);
        if (!file || fclose(file))
            return perf_fail(error, "out of memory for the figures");
        status = perf_gnuplot_draw(picture, error);
    }
    return status;
}
