/* SPDX-License-Identifier: Apache-2.0 */
/* The picture: for each device and family of bins the rates measured, and ratios beside the paper's. */
#define _GNU_SOURCE /* memfd_create */
#include "perf/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PICTURE "tables.png"

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
                if (view->rows[i].k == paper_k[k] && strcmp(view->rows[i].name, "CUPY") != 0)
                    print_number(file, view->rows[i].value[h]);
            for (size_t i = 0; i < PAPER_HISTOGRAMS; i++) {
                if (bench->options.tables >> i & 1 && paper_family_of(i) == paper_family_of(view->table))
                    print_number(file,
                                 (double)paper_rates[i][PAPER_UNIHIST][k][h] / paper_rates[i][PAPER_BINARY][k][h]);
            }
            fputc('\n', file);
        }
    for (size_t i = 0; i < view->row_count && view->table == PAPER_HISTOGRAMS; i++)
        if (!view->rows[i].ratio && strncmp(view->rows[i].name, "CUPY", 4) != 0) {
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
        if (row->k != paper_k[0] || strcmp(row->name, "CUPY") == 0)
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

static void print_script(FILE *file, const struct perf_bench *bench) {
    size_t panels = 0;
    char data[32];
    for (size_t i = 0; i < PAPER_TABLES; i++)
        panels += is_panel(bench, i) ? bench->device_count : 0;
    fprintf(file,
            "# unihist-perf tables, %s: gnuplot tables.gp draws " PICTURE "\n"
            "if (!exists('output')) output = '" PICTURE "'\n"
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
            "    set terminal pngcairo noenhanced size %d,%zu\n} else {\n"
            "    set terminal png noenhanced size %d,%zu\n}\n"
            "set output output\nset datafile missing '-'\nset bmargin 4\nset key outside right\n",
            bench->machine.date, 2 * PANEL_WIDTH, panels * PANEL_HEIGHT, 2 * PANEL_WIDTH, panels * PANEL_HEIGHT);
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

/* ---- gnuplot ---------------------------------------------------------------------------------------------------- */

/* Starts gnuplot on the script in one file, quietly; it writes to another. Returns an errno. */
static int start(int script, int picture, pid_t *child) {
    char name[] = "gnuplot", option[] = "-e", output[] = "output = '/dev/stdout'", input[] = "/dev/stdin";
    char *arguments[] = {name, option, output, input, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Waits for the end; a signal ends gnuplot and the run. */
static int finish(pid_t child, struct perf_error *error) {
    int exit_status = 0;
    while (waitpid(child, &exit_status, 0) < 0 && errno == EINTR)
        kill(child, SIGKILL);
    if (perf_interrupted)
        return perf_fail(error, "interrupted");
    if (!WIFEXITED(exit_status) || WEXITSTATUS(exit_status))
        return perf_fail(error, "gnuplot failed on the plot");
    return PERF_OK;
}

static int read_picture(int file, struct tables_plot *plot, struct perf_error *error) {
    const off_t size = lseek(file, 0, SEEK_END);
    plot->picture = size > 0 ? malloc((size_t)size) : NULL;
    if (!plot->picture || pread(file, plot->picture, (size_t)size, 0) != size)
        return perf_fail(error, "gnuplot wrote no picture");
    plot->size = (size_t)size;
    snprintf(plot->text, sizeof plot->text, PICTURE);
    return PERF_OK;
}

static int draw(struct tables_plot *plot, struct perf_error *error) {
    const size_t length = strlen(plot->script);
    const int script = memfd_create("tables.gp", MFD_CLOEXEC), picture = memfd_create(PICTURE, MFD_CLOEXEC);
    pid_t child;
    int status = PERF_OK;
    if (script < 0 || picture < 0 || write(script, plot->script, length) != (ssize_t)length ||
        lseek(script, 0, SEEK_SET) != 0) {
        status = perf_fail(error, "cannot make a file for gnuplot: %s", strerror(errno));
    } else {
        const int failed = start(script, picture, &child);
        if (failed)
            snprintf(plot->text, sizeof plot->text, "no picture: cannot run gnuplot: %s", strerror(failed));
        else if ((status = finish(child, error)) == PERF_OK)
            status = read_picture(picture, plot, error);
    }
    if (script >= 0)
        close(script);
    if (picture >= 0)
        close(picture);
    return status;
}

int perf_tables_plot(const struct perf_bench *bench, struct tables_plot *plot, struct perf_error *error) {
    size_t size = 0;
    FILE *file = open_memstream(&plot->script, &size);
    if (file)
        print_script(file, bench);
    if (!file || fclose(file))
        return perf_fail(error, "out of memory for the plot");
    return draw(plot, error);
}
