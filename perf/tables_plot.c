/* SPDX-License-Identifier: Apache-2.0 */
/* The picture: for each device and family of bins the rates measured, and ratios beside the paper's. */
#include "perf/tables.h"

#include <math.h>
#include <string.h>

enum { PANEL_WIDTH = 800, PANEL_HEIGHT = 330 };

/* ---- the script ------------------------------------------------------------------------------------------------- */

/* The first table that is wanted of each family, in whose panels the others of the family stand too; table XIII. */
static int is_panel(const struct perf_bench *bench, size_t table) {
    for (size_t i = 0; i < table && table < PAPER_HISTOGRAMS; i++)
        if (bench->options.tables >> i & 1 && paper_family_of(i) == paper_family_of(table))
            return 0;
    return bench->options.tables >> table & 1;
}

static void print_number(FILE *file, double value) {
    if (value > 0)
        fprintf(file, " %.6g", value);
    else
        fputs(" -", file);
}

/* One line for each k and column, and in it a number of each row of that k: first ours, then the paper's ratios of all
 * tables of the family; of table XIII one line a row. */
static void print_data(FILE *file, const struct perf_bench *bench, const struct tables_view *view, const char *data) {
    fprintf(file, "%s << EOD\n", data);
    for (size_t k = 0; k < PAPER_KS && view->table < PAPER_HISTOGRAMS; k++)
        for (size_t h = 0; h < view->here_count; h++) {
            fprintf(file, "\"k=%zu\\nh=%g\"", paper_k[k], paper_h[h]);
            for (size_t i = 0; i < view->row_count; i++)
                if (view->rows[i].k == paper_k[k] && tables_row_is_here(&view->rows[i]))
                    print_number(file, view->rows[i].value[h]);
            for (size_t i = 0; i < PAPER_HISTOGRAMS; i++) {
                if (bench->options.tables >> i & 1 && paper_family_of(i) == paper_family_of(view->table))
                    print_number(file,
                                 (double)paper_rates[i][PAPER_UNIHIST][k][h] / paper_rates[i][PAPER_BINARY][k][h]);
            }
            fputc('\n', file);
        }
    for (size_t i = 0; i < view->row_count && view->table == PAPER_HISTOGRAMS; i++)
        if (!view->rows[i].ratio && tables_row_is_here(&view->rows[i])) {
            fprintf(file, "\"%.*s\"", (int)strcspn(view->rows[i].name, " "), view->rows[i].name);
            print_number(file, view->rows[i].value[0]);
            for (size_t d = 0; d < view->paper_count; d++)
                print_number(file, view->rows[i].paper[d]);
            fputc('\n', file);
        }
    fputs("EOD\n", file);
}

/* The power of ten below all rates, for bars on a logarithmic scale must begin somewhere. */
static double find_base(const struct tables_view *view) {
    double min = INFINITY;
    for (size_t i = 0; i < view->row_count; i++)
        for (size_t h = 0; h < view->here_count && !view->rows[i].ratio; h++)
            min = view->rows[i].value[h] > 0 ? fmin(min, view->rows[i].value[h]) : min;
    return pow(10, ceil(log10(min)) - 1);
}

static void print_bars(FILE *file, const struct tables_view *view, const char *title) {
    fprintf(file,
            "set title '%s, %s'\nset ylabel 'Mpts/s'\nset logscale y\nset yrange [%g:*]\nset offsets 0, 0, 0, 0\n"
            "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.8\nset grid y\n"
            "plot",
            title, view->device->properties.selector, find_base(view));
}

static void print_panels(FILE *file, const struct perf_bench *bench, const struct tables_view *view, const char *data) {
    const char *separator = "", *title = paper_family_of(view->table)->title;
    size_t column = 2, ratios = 0;
    print_bars(file, view, title);
    for (size_t i = 0; i < view->row_count; i++) {
        const struct tables_row *row = &view->rows[i];
        if (row->k != paper_k[0] || !tables_row_is_here(row))
            continue;
        if (row->ratio) {
            ratios = ratios ? ratios : column;
        } else if (row->value[0] > 0) {
            fprintf(file, "%s %s using %zu:xtic(1) title '%s'", separator, data, column, row->name);
            separator = ", \\\n    ";
        }
        column++;
    }
    fprintf(file,
            "\nset title 'times BINARY: %s, and the paper'\nset ylabel 'times BINARY'\nunset logscale y\n"
            "set yrange [0:*]\nset offsets 0.3, 0.3, 0, 0\nset style data linespoints\n"
            "plot %s using 0:%zu:xtic(1) lw 3 title 'UNIHIST here', \\\n     %s using 0:%zu lw 3 title 'AUTO here'",
            view->device->properties.selector, data, ratios, data, ratios + 1);
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (bench->options.tables >> i & 1 && paper_family_of(i) == paper_family_of(view->table))
            fprintf(file, ", \\\n     %s using 0:%zu dashtype 2 title 'paper, UNIHIST, %s'", data, column++,
                    paper_device_of(i)->name);
    fputc('\n', file);
}

static void print_sampling_panels(FILE *file, const struct tables_view *view, const char *data) {
    print_bars(file, view, "RANDOM SAMPLING WITH REPLACEMENT");
    fprintf(file, " %s using 2:xtic(1) title 'k=%d'\n", data, PAPER_SAMPLING_K);
    print_bars(file, view, "RANDOM SAMPLING: the paper beside");
    fprintf(file, " %s using 2:xtic(1) title 'here'", data);
    for (size_t d = 0; d < view->paper_count; d++)
        fprintf(file, ", \\\n     %s using %zu title '%s'", data, 3 + d, view->paper[d]);
    fputc('\n', file);
}

static void print_script(FILE *file, const struct perf_bench *bench, const struct perf_picture *picture) {
    size_t panels = 0;
    char data[32];
    for (size_t i = 0; i < PAPER_TABLES; i++)
        panels += is_panel(bench, i) ? bench->device_count : 0;
    perf_gnuplot_head(file, picture, bench->machine.date, (size_t)2 * PANEL_WIDTH, panels * PANEL_HEIGHT);
    fputs("set bmargin 4\nset key outside right\n", file);
    for (int draws = 0; draws < 2; draws++) {
        if (draws)
            fprintf(file, "set multiplot layout %zu,2\n", panels);
        for (size_t d = 0; d < bench->device_count; d++)
            for (size_t i = 0; i < PAPER_TABLES; i++) {
                struct tables_view view;
                if (!is_panel(bench, i))
                    continue;
                perf_tables_view(bench, &bench->devices[d], i, &view);
                snprintf(data, sizeof data, "$data_%zu_%zu", d, i);
                if (!draws)
                    print_data(file, bench, &view, data);
                else if (i < PAPER_HISTOGRAMS)
                    print_panels(file, bench, &view, data);
                else
                    print_sampling_panels(file, &view, data);
            }
    }
    fputs("unset multiplot\n", file);
}

int perf_tables_plot(const struct perf_bench *bench, struct perf_picture *picture, struct perf_error *error) {
    size_t size = 0;
    picture->name = "tables.png";
    picture->script_name = "tables.gp";
    FILE *file = open_memstream(&picture->script, &size);
    if (file)
        print_script(file, bench, picture);
    if (!file || fclose(file))
        return perf_fail(error, "out of memory for the plot");
    return perf_gnuplot_draw(picture, error);
}
