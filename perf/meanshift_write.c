/* SPDX-License-Identifier: Apache-2.0 */
/* The Markdown and the JSON: {"context", "paper", "runs", "iterations", "experiments", "speedups", "extremes"}. An
 * experiment has the seconds of each run; a speed-up names its figure; an extreme has "source", "paper" or "here". */
#include "perf/bench.h"
#include "perf/markdown.h"
#include "perf/meanshift_tables.h"
#include "perf/tables.h"

#include <cjson/cJSON.h>

#include <math.h>

/* "N = 1000, D = 2, T = 8", of a device without T. */
static void write_of(const struct meanshift_times *times, char text[64]) {
    snprintf(text, 64, times->by < MEANSHIFT_DEVICE_NAIVE ? "N = %zu, D = %zu, T = %u" : "N = %zu, D = %zu", times->n,
             times->set->dims, (unsigned)times->threads);
}

/* The largest or the smallest speed-up of a figure here; NULL where it has none. Cells, which do less, are no part of
 * it. */
static const struct meanshift_times *extreme(const struct meanshift_results *results, size_t figure, int most,
                                             double *speedup) {
    const struct meanshift_times *found = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct meanshift_times *times = &results->times[i], *beside = meanshift_beside(results, figure, times);
        if (!beside || times->by == MEANSHIFT_CELLS)
            continue;
        const double s = meanshift_speedup(beside, times).s;
        if (!found || (most ? s > *speedup : s < *speedup)) {
            found = times;
            *speedup = s;
        }
    }
    return found;
}

/* ---- Markdown -----------------------------------------------------------------------------------------------------
 */

static void print_figure1(const struct meanshift_results *results, FILE *file) {
    fprintf(file,
            "\n## Figure 1. Times\n\nThe mean and the deviation of %zu runs. The paper does all iterations; the "
            "library ends where nothing moves any more,\nso that all speed-ups below are those of one iteration. The "
            "paper prints no numbers of this figure.\n",
            results->runs);
    PERF_MARKDOWN_HEAD(file, 1, "by", "D", "N", "T", "ms an iteration", "deviation", "iterations", "ms in all",
                       "clusters");
    for (size_t i = 0; i < results->count; i++) {
        const struct meanshift_times *times = &results->times[i];
        fprintf(file, "| %s | %zu | %zu |", meanshift_by_name(times->by), times->set->dims, times->n);
        if (times->by < MEANSHIFT_DEVICE_NAIVE)
            fprintf(file, " %u |", (unsigned)times->threads);
        else
            fputs(" - |", file);
        fprintf(file, " %.4g | %.2g | %zu | %.4g | %zu |\n", 1e3 * times->mean, 1e3 * sqrt(times->variance),
                times->iterations, 1e3 * times->mean * (double)times->iterations, times->clusters);
    }
}

static void print_extremes(const struct meanshift_results *results, size_t figure, FILE *file) {
    const struct paper_meanshift_figure *of = &paper_meanshift_figures[figure - PAPER_MEANSHIFT_FIRST];
    PERF_MARKDOWN_HEAD(file, 1, "extreme", "paper", "of", "here", "of");
    for (int most = 1; most >= 0; most--) {
        const struct paper_meanshift_extreme *paper = most ? &of->most : &of->least;
        double s = 0;
        const struct meanshift_times *here = extreme(results, figure, most, &s);
        char text[64] = "-";
        fprintf(file, "| %s | %.6g | %s |", most ? "largest" : "smallest", paper->speedup, paper->of);
        if (here) {
            write_of(here, text);
            fprintf(file, " %.4g | %s |\n", s, text);
        } else {
            fputs(" - | - |\n", file);
        }
    }
}

static void print_figure(const struct meanshift_results *results, size_t figure, FILE *file) {
    fprintf(file, "\n## Figure %zu. %s\n", figure, paper_meanshift_figures[figure - PAPER_MEANSHIFT_FIRST].title);
    print_extremes(results, figure, file);
    if (figure > 3 && !results->device) {
        fputs("\nThere is no device here but the host.\n", file);
        return;
    }
    PERF_MARKDOWN_HEAD(file, 1, "by", "D", "N", "T", "speed-up", "deviation");
    for (size_t i = 0; i < results->count; i++) {
        const struct meanshift_times *times = &results->times[i], *beside = meanshift_beside(results, figure, times);
        if (!beside)
            continue;
        const struct meanshift_speedup speedup = meanshift_speedup(beside, times);
        fprintf(file, "| %s | %zu | %zu |", meanshift_by_name(times->by), times->set->dims, times->n);
        if (times->by < MEANSHIFT_DEVICE_NAIVE)
            fprintf(file, " %u |", (unsigned)times->threads);
        else
            fputs(" - |", file);
        fprintf(file, " %.4g | %.2g |\n", speedup.s, sqrt(speedup.variance));
    }
}

void meanshift_text(const struct meanshift_results *results, FILE *file) {
    const struct perf_bench *bench = results->bench;
    fputs("# Figures of the mean shift paper\n\n"
          "Points of three Gaussian clusters move by blurring with the Gaussian kernel; a speed-up is the quotient of "
          "mean\ntimes, its deviation that of the paper's equation 6. `sequential` is the paper's program in C (one "
          "thread, -O3,\nthe C library's exp), `tiles` and `cells` are the library's methods, `tiles` with T threads "
          "in place of the paper's\nOpenMP, `device naive` and `device tiles` those of a device in place of its CUDA, "
          "without and with local memory.\nEach run finds the clusters of the sequential program. The columns `paper` "
          "are the paper's, of its own machine:\n" PAPER_MEANSHIFT_MACHINE ".\n\n",
          file);
    perf_tables_machine(&bench->machine, file);
    fprintf(file,
            "- %s\n- device: %s\n- %zu iterations at most, without eps; %zu runs; sigma 3, R 30 (D = 2) and sigma 4, "
            "R 60 (D = 3)\n",
            perf_report_said(bench->report, "threads"),
            results->device ? results->device->properties.name : "none but the host", results->iterations,
            results->runs);
    print_figure1(results, file);
    for (size_t i = 0; i < PAPER_MEANSHIFT_SPEEDUPS; i++)
        print_figure(results, PAPER_MEANSHIFT_FIRST + i, file);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------
 */

/* cJSON's functions take NULL and give NULL, so that a lack of memory shows in the end: each of these returns 0 then.
 */
static cJSON *add_experiment(cJSON *rows, const struct meanshift_times *times) {
    cJSON *row = cJSON_CreateObject();
    const int ok = cJSON_AddStringToObject(row, "by", meanshift_by_name(times->by)) &&
                   cJSON_AddNumberToObject(row, "dims", (double)times->set->dims) &&
                   cJSON_AddNumberToObject(row, "n", (double)times->n) &&
                   cJSON_AddNumberToObject(row, "threads", times->threads);
    return cJSON_AddItemToArray(rows, row) && ok ? row : NULL;
}

static int add_experiments(cJSON *root, const struct meanshift_results *results) {
    cJSON *rows = cJSON_AddArrayToObject(root, "experiments");
    int ok = rows != NULL;
    for (size_t i = 0; i < results->count; i++) {
        const struct meanshift_times *times = &results->times[i];
        cJSON *row = add_experiment(rows, times);
        cJSON *seconds = cJSON_CreateDoubleArray(times->seconds, (int)results->runs);
        ok = ok && cJSON_AddNumberToObject(row, "iterations", (double)times->iterations) &&
             cJSON_AddNumberToObject(row, "clusters", (double)times->clusters) &&
             cJSON_AddNumberToObject(row, "milliseconds_per_iteration", 1e3 * times->mean) &&
             cJSON_AddItemToObject(row, "seconds", seconds);
    }
    return ok;
}

static int add_speedups(cJSON *root, const struct meanshift_results *results) {
    cJSON *rows = cJSON_AddArrayToObject(root, "speedups");
    int ok = rows != NULL;
    for (size_t figure = PAPER_MEANSHIFT_FIRST; figure < PAPER_MEANSHIFT_FIRST + PAPER_MEANSHIFT_SPEEDUPS; figure++)
        for (size_t i = 0; i < results->count; i++) {
            const struct meanshift_times *times = &results->times[i],
                                         *beside = meanshift_beside(results, figure, times);
            if (!beside)
                continue;
            const struct meanshift_speedup speedup = meanshift_speedup(beside, times);
            cJSON *row = add_experiment(rows, times);
            ok = ok && cJSON_AddNumberToObject(row, "figure", (double)figure) &&
                 cJSON_AddNumberToObject(row, "speedup", speedup.s) &&
                 cJSON_AddNumberToObject(row, "variance", speedup.variance);
        }
    return ok;
}

static int add_extreme(cJSON *rows, const char *source, size_t figure, int most, double speedup, const char *of) {
    cJSON *row = cJSON_CreateObject();
    const int ok = cJSON_AddStringToObject(row, "source", source) &&
                   cJSON_AddNumberToObject(row, "figure", (double)figure) &&
                   cJSON_AddStringToObject(row, "extreme", most ? "largest" : "smallest") &&
                   cJSON_AddNumberToObject(row, "speedup", speedup) && cJSON_AddStringToObject(row, "of", of);
    return cJSON_AddItemToArray(rows, row) && ok;
}

static int add_extremes(cJSON *root, const struct meanshift_results *results) {
    cJSON *rows = cJSON_AddArrayToObject(root, "extremes");
    int ok = rows != NULL;
    for (size_t i = 0; i < PAPER_MEANSHIFT_SPEEDUPS; i++)
        for (int most = 1; most >= 0; most--) {
            const struct paper_meanshift_figure *of = &paper_meanshift_figures[i];
            const struct paper_meanshift_extreme *paper = most ? &of->most : &of->least;
            const size_t figure = PAPER_MEANSHIFT_FIRST + i;
            double s = 0;
            const struct meanshift_times *here = extreme(results, figure, most, &s);
            char text[64];
            ok = ok && add_extreme(rows, "paper", figure, most, paper->speedup, paper->of);
            if (here) {
                write_of(here, text);
                ok = ok && add_extreme(rows, "here", figure, most, s, text);
            }
        }
    return ok;
}

char *meanshift_json(const struct meanshift_results *results) {
    cJSON *root = cJSON_CreateObject();
    const int ok = perf_report_add_context(results->bench->report, root) &&
                   cJSON_AddStringToObject(root, "paper", "meanshift") &&
                   cJSON_AddNumberToObject(root, "runs", (double)results->runs) &&
                   cJSON_AddNumberToObject(root, "iterations", (double)results->iterations) &&
                   add_experiments(root, results) && add_speedups(root, results) && add_extremes(root, results);
    char *text = ok ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    return text;
}
