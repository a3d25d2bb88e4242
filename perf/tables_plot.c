/* SPDX-License-Identifier: Apache-2.0 */
/* The picture: for each device and family of bins the rates measured, and ratios beside the paper's. */
#include "perf/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define SCRIPT  "tables.gp"
#define PICTURE "tables.png"

enum { PANEL_WIDTH = 800, PANEL_HEIGHT = 330 };

extern char **environ;

/* ---- the script ------------------------------------------------------------------------------------------------- */

static void print_number(FILE *file, double value) {
    if (value > 0)
        fprintf(file, " %.6g", value);
    else
        fputs(" -", file);
}

/* Columns: rates of NUMPY, BINARY, UNIHIST, AUTO and LIMIT; ratios of UNIHIST and AUTO; the paper's ratios. */
static void print_data(FILE *file, const struct tables *tables, size_t device_index, enum paper_bins bins) {
    const struct tables_device *device = &tables->devices[device_index];
    fprintf(file, "$data_%zu_%d << EOD\n", device_index, (int)bins);
    for (size_t k = 0; k < PAPER_KS; k++)
        for (size_t h = 0; h < PAPER_HS; h++) {
            const struct perf_timing *timing = device->timing[bins][k][h];
            fprintf(file, "\"k=%zu\\nh=%g\"", paper_k[k], paper_h[h]);
            for (int variant = 0; variant < TABLES_VARIANTS; variant++)
                print_number(file, perf_tables_rate(device, &timing[variant]));
            print_number(file, perf_tables_ratio(timing, TABLES_UNIHIST));
            print_number(file, perf_tables_ratio(timing, TABLES_AUTO));
            for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
                if (paper_histograms[i].bins == bins)
                    print_number(file, tables->wanted[i] ? perf_tables_paper_ratio(&paper_histograms[i], k, h) : 0);
            fputc('\n', file);
        }
    fputs("EOD\n", file);
}

/* The power of ten below all rates, for bars on a logarithmic scale must begin somewhere. */
static double find_base(const struct tables_device *device, enum paper_bins bins) {
    double least = INFINITY;
    for (size_t k = 0; k < PAPER_KS; k++)
        for (size_t h = 0; h < PAPER_HS; h++)
            for (int variant = 0; variant < TABLES_VARIANTS; variant++) {
                double rate = perf_tables_rate(device, &device->timing[bins][k][h][variant]);
                least = rate > 0 ? fmin(least, rate) : least;
            }
    return pow(10, ceil(log10(least)) - 1);
}

/* The same of samples, and of what the paper has beside them. */
static double find_sampling_base(const struct tables_device *device) {
    double least = paper_samplings[perf_tables_sampler_beside(SAMPLER_NUMPY)].rate[PAPER_LAPTOP_CPU];
    for (int sampler = 0; sampler < TABLES_SAMPLERS; sampler++) {
        double rate = perf_tables_sampling_rate(device, (enum tables_sampler)sampler);
        least = rate > 0 ? fmin(least, rate) : least;
    }
    return pow(10, ceil(log10(least)) - 1);
}

static void print_rates(FILE *file, const struct tables_device *device, enum paper_bins bins, const char *data) {
    const char *separator = "";
    fprintf(file,
            "set title '%s, %s'\nset ylabel 'Mpts/s'\nset logscale y\nset yrange [%g:*]\nset offsets 0, 0, 0, 0\n"
            "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.8\n"
            "set grid y\nplot",
            paper_families[bins].title, device->properties.selector, find_base(device, bins));
    for (int variant = 0; variant < TABLES_VARIANTS; variant++)
        if (device->timing[bins][0][0][variant].repetitions) {
            fprintf(file, "%s %s using %d:xtic(1) title '%s'", separator, data, variant + 2,
                    perf_tables_variant((enum tables_variant)variant));
            separator = ", \\\n    ";
        }
    fputc('\n', file);
}

/* Paper's figures of a device are in the column of their table among those of the same bins, after ours. */
static void print_ratios(FILE *file, const struct tables *tables, const struct tables_device *device,
                         enum paper_bins bins, const char *data) {
    size_t column = 2 + TABLES_VARIANTS;
    fprintf(file,
            "set title 'times BINARY: %s, and the paper'\nset ylabel 'times BINARY'\nunset logscale y\n"
            "set yrange [0:*]\nset offsets 0.3, 0.3, 0, 0\nset style data linespoints\n"
            "plot %s using 0:%zu:xtic(1) lw 3 title 'UNIHIST here', \\\n"
            "     %s using 0:%zu lw 3 title 'AUTO here'",
            device->properties.selector, data, column, data, column + 1);
    column += 2;
    for (size_t i = 0; i < PAPER_HISTOGRAMS; i++)
        if (paper_histograms[i].bins == bins) {
            if (tables->wanted[i])
                fprintf(file, ", \\\n     %s using 0:%zu dashtype 2 title 'paper, UNIHIST, %s'", data, column,
                        paper_devices[paper_histograms[i].device].name);
            column++;
        }
    fputc('\n', file);
}

static void print_panels(FILE *file, const struct tables *tables, size_t device_index, enum paper_bins bins) {
    const struct tables_device *device = &tables->devices[device_index];
    char data[64];
    snprintf(data, sizeof data, "$data_%zu_%d", device_index, (int)bins);
    print_rates(file, device, bins, data);
    print_ratios(file, tables, device, bins, data);
}

/* ---- table XIII ------------------------------------------------------------------------------------------------- */

/* Two blocks: our rates, a row each; then UNIHIST and NUMPY of this device and of the paper's. */
static void print_sampling_data(FILE *file, const struct tables *tables, size_t device_index) {
    const struct tables_device *device = &tables->devices[device_index];
    const size_t unihist = perf_tables_sampler_beside(SAMPLER_UNIHIST);
    const size_t numpy = perf_tables_sampler_beside(SAMPLER_NUMPY);
    fprintf(file, "$sampling_%zu << EOD\n", device_index);
    for (int sampler = 0; sampler < TABLES_SAMPLERS; sampler++) {
        const char *name = perf_tables_sampler((enum tables_sampler)sampler);
        fprintf(file, "\"%.*s\"", (int)strcspn(name, " "), name);
        print_number(file, perf_tables_sampling_rate(device, (enum tables_sampler)sampler));
        fputc('\n', file);
    }
    fprintf(file, "EOD\n$beside_%zu << EOD\n\"%s\"", device_index, device->properties.selector);
    print_number(file, perf_tables_sampling_rate(device, SAMPLER_UNIHIST));
    print_number(file, perf_tables_sampling_rate(device, SAMPLER_NUMPY));
    for (size_t i = 0; i < PAPER_DEVICES; i++) {
        const char *name = paper_devices[i].name, *kind = strchr(name, ' ');
        fprintf(file, "\n\"paper:\\n%.*s\\n%s\"", (int)(kind - name), name, kind + 1);
        print_number(file, paper_samplings[unihist].rate[i]);
        print_number(file, paper_samplings[numpy].rate[i]);
    }
    fputs("\nEOD\n", file);
}

static void print_sampling_panels(FILE *file, const struct tables *tables, size_t device_index) {
    const struct tables_device *device = &tables->devices[device_index];
    const char *selector = device->properties.selector;
    fprintf(file,
            "set title 'RANDOM SAMPLING WITH REPLACEMENT, %s'\n"
            "set ylabel 'Mpts/s'\nset logscale y\nset yrange [%g:*]\nset offsets 0, 0, 0, 0\n"
            "set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.8\nset grid y\n"
            "plot $sampling_%zu using 2:xtic(1) title 'k=%d'\n"
            "set title 'RANDOM SAMPLING WITH REPLACEMENT: %s, and the paper'\n"
            "plot $beside_%zu using 2:xtic(1) title 'UNIHIST', \\\n     $beside_%zu using 3 title 'NUMPY'\n",
            selector, find_sampling_base(device), device_index, PAPER_SAMPLING_K, selector, device_index, device_index);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static size_t count_rows(const struct tables *tables) {
    size_t rows = perf_tables_needs_sampling(tables->wanted) ? tables->count : 0;
    for (int bins = 0; bins < PAPER_FAMILIES; bins++)
        rows += perf_tables_needs(tables->wanted, (enum paper_bins)bins) ? tables->count : 0;
    return rows;
}

static void print_script(FILE *file, const struct tables *tables) {
    size_t rows = count_rows(tables);
    fprintf(file,
            "# unihist-perf tables, %s: gnuplot " SCRIPT " draws " PICTURE "\n"
            "if (!exists('output')) output = '" PICTURE "'\n"
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
            "    set terminal pngcairo noenhanced size %d,%zu\n} else {\n"
            "    set terminal png noenhanced size %d,%zu\n}\n"
            "set output output\nset datafile missing '-'\nset bmargin 4\nset key outside right\n",
            tables->machine.date, 2 * PANEL_WIDTH, rows * PANEL_HEIGHT, 2 * PANEL_WIDTH, rows * PANEL_HEIGHT);
    for (size_t i = 0; i < tables->count; i++)
        for (int bins = 0; bins < PAPER_FAMILIES; bins++)
            if (perf_tables_needs(tables->wanted, (enum paper_bins)bins))
                print_data(file, tables, i, (enum paper_bins)bins);
    for (size_t i = 0; i < tables->count && perf_tables_needs_sampling(tables->wanted); i++)
        print_sampling_data(file, tables, i);
    fprintf(file, "set multiplot layout %zu,2\n", rows);
    for (size_t i = 0; i < tables->count; i++)
        for (int bins = 0; bins < PAPER_FAMILIES; bins++)
            if (perf_tables_needs(tables->wanted, (enum paper_bins)bins))
                print_panels(file, tables, i, (enum paper_bins)bins);
    for (size_t i = 0; i < tables->count && perf_tables_needs_sampling(tables->wanted); i++)
        print_sampling_panels(file, tables, i);
    fputs("unset multiplot\n", file);
}

/* ---- gnuplot ---------------------------------------------------------------------------------------------------- */

/* "output = '...'" with the quotes inside doubled, as gnuplot wants them. NULL where memory is lacking. */
static char *make_assignment(const char *path) {
    char *text = malloc(2 * strlen(path) + sizeof "output = ''"), *next = text;
    if (!text)
        return NULL;
    next += sprintf(next, "output = '");
    for (; *path; path++) {
        if (*path == '\'')
            *next++ = '\'';
        *next++ = *path;
    }
    strcpy(next, "'");
    return text;
}

/* Starts gnuplot, quietly. Returns an errno. */
static int start(char *assignment, char *script, pid_t *child) {
    char name[] = "gnuplot", option[] = "-e";
    char *arguments[] = {name, option, assignment, script, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    for (int descriptor = 0; !failed && descriptor <= 2; descriptor++)
        failed =
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", descriptor ? O_WRONLY : O_RDONLY, 0);
    if (!failed)
        failed = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Waits for the end; a signal, which the handlers of unihist-perf only note, ends gnuplot and the run. */
static int finish(pid_t child, struct perf_error *error) {
    int exit_status = 0, interrupted = 0;
    while (waitpid(child, &exit_status, 0) < 0 && errno == EINTR) {
        interrupted = 1;
        kill(child, SIGKILL);
    }
    if (interrupted)
        return perf_fail(error, "interrupted");
    if (!WIFEXITED(exit_status) || WEXITSTATUS(exit_status))
        return perf_fail(error, "gnuplot failed on the plot");
    return PERF_OK;
}

/* Draws the script in the file `script` into the folder. */
static int draw(struct tables *tables, struct perf_folder *folder, const char *script, struct perf_error *error) {
    const char *picture;
    pid_t child;
    int status = perf_folder_add(folder, PICTURE, &picture, error);
    if (status != PERF_OK)
        return status;
    char *assignment = make_assignment(picture), *copy = strdup(script);
    int failed = assignment && copy ? start(assignment, copy, &child) : ENOMEM;
    free(assignment);
    free(copy);
    if (failed) {
        perf_folder_drop(folder);
        snprintf(tables->plot, sizeof tables->plot, "no picture: cannot run gnuplot: %s", strerror(failed));
        return perf_folder_remove(folder, PICTURE, error);
    }
    status = finish(child, error);
    tables->plotted = status == PERF_OK;
    snprintf(tables->plot, sizeof tables->plot, PICTURE);
    return status;
}

int perf_tables_plot(struct tables *tables, struct perf_folder *folder, struct perf_error *error) {
    char *text = NULL;
    const char *path;
    size_t size = 0;
    if (count_rows(tables) == 0) {
        snprintf(tables->plot, sizeof tables->plot, "no picture: nothing is measured");
        int status = perf_folder_remove(folder, SCRIPT, error);
        return status == PERF_OK ? perf_folder_remove(folder, PICTURE, error) : status;
    }
    FILE *file = open_memstream(&text, &size);
    if (file)
        print_script(file, tables);
    if (!file || fclose(file)) {
        free(text);
        return perf_fail(error, "out of memory for the plot");
    }
    int status = perf_folder_write(folder, SCRIPT, text, &path, error);
    free(text);
    return status == PERF_OK ? draw(tables, folder, path, error) : status;
}
