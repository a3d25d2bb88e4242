/* SPDX-License-Identifier: Apache-2.0 */
/* The Markdown. What the paper prints is marked so; it prints no numbers of its figures. */
#include "perf/markdown.h"
#include "perf/mcubes.h"
#include "perf/tables.h"

/* ---- cells ---- */

/* A number with so many significant digits, or a dash. */
static void print_number(FILE *file, double value, int digits) {
    if (isfinite(value) && (value < 0 || value > 0))
        fprintf(file, " %.*g |", digits, value);
    else
        fputs(" - |", file);
}

static void print_start(FILE *file, const struct integrand_of *f, const char *by) {
    char name[16];
    mcubes_integrand(f, name);
    fprintf(file, "| %s | %s |", name, by);
}

static void print_picture(FILE *file, size_t number, const char *title, const struct perf_picture *picture) {
    fprintf(file, "\n## Figure %zu. %s\n\n", number, title);
    if (picture->size)
        fprintf(file, "![%s](%s)\n", title, picture->name);
    else
        fprintf(file, "%s\n", picture->text);
}

/* ---- tables ---- */

static void print_table1(const struct mcubes_results *results, FILE *file) {
    fprintf(file,
            "\n## Table 1. Beside ZMCintegral\n\nTo a relative error of %g, by at most %zu and %zu iterations, within "
            "%g s. "
            "The paper's own, of a V100, does not\nreach it for fA either.\n",
            MCUBES_TABLED_TAU, mcubes_tabled[0].iterations, mcubes_tabled[1].iterations,
            MCUBES_TABLED_TIMES * results->bench->options.seconds);
    PERF_MARKDOWN_HEAD(file, 2, "integrand", "by", "true value", "estimate", "error", "ms", "evaluations", "reached");
    for (size_t i = 0; i < MCUBES_TABLED; i++) {
        const struct mcubes_tabled *of = &mcubes_tabled[i];
        for (size_t j = 0; j < MCUBES_TABLE1; j++) {
            char by[32];
            snprintf(by, sizeof by, "paper: %s", mcubes_table1[j].by);
            print_start(file, &of->f, by);
            print_number(file, of->truth, 8);
            print_number(file, mcubes_table1[j].estimate[i], 7);
            print_number(file, mcubes_table1[j].error[i], 6);
            print_number(file, mcubes_table1[j].milliseconds[i], 6);
            fputs(" - | - |\n", file);
        }
        for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
            const struct perf_integral *found = &results->tabled[i][by].found;
            if (!mcubes_tables(results, by))
                continue;
            print_start(file, &of->f, mcubes_by_name(by));
            print_number(file, integrand_true(&of->f), 8);
            print_number(file, found->value, 7);
            print_number(file, found->error, 3);
            print_number(file, 1e3 * found->total, 4);
            print_number(file, found->evaluations, 4);
            fputs(found->reached ? " yes |\n" : " no |\n", file);
        }
    }
}

static void print_table2(const struct mcubes_results *results, FILE *file) {
    fputs("\n## Table 2. Times in kernels and in all\n\nThe paper's are of a V100; ours is the integral of table 1 by "
          "mcubes, sampling and all of it.\n",
          file);
    PERF_MARKDOWN_HEAD(file, 2, "integrand", "by", "kernel ms", "total ms", "reached");
    for (size_t i = 0; i < MCUBES_TABLED; i++) {
        const struct perf_integral *found = &results->tabled[i][MCUBES_OURS].found;
        for (size_t j = 0; j < MCUBES_TABLE2; j++) {
            char by[32];
            snprintf(by, sizeof by, "paper: %s", mcubes_table2[j].by);
            print_start(file, &mcubes_tabled[i].f, by);
            fprintf(file, " %.3f | %.3f | - |\n", mcubes_table2[j].kernel[i], mcubes_table2[j].total[i]);
        }
        print_start(file, &mcubes_tabled[i].f, mcubes_by_name(MCUBES_OURS));
        fprintf(file, " %.3f | %.3f | %s |\n", 1e3 * found->kernel, 1e3 * found->total, found->reached ? "yes" : "no");
    }
}

/* ---- figures ---- */

static void print_figure1(const struct mcubes_results *results, const struct perf_picture *picture, FILE *file) {
    print_picture(file, 1, "Achieved relative errors beside the one that was asked for", picture);
    fprintf(
        file,
        "\nBy mcubes: 10^-3, divided by 5 until it is not reached; %.0f seeds each, or as many as %g s allow; those "
        "that "
        "reached\nit, and how far they were from the closed form. Fewer than five are drawn as points. The paper has "
        "100 runs a box and\nprints no numbers of them; f1 is not in its plots, as no VEGAS evaluated it well.\n",
        results->bench->options.seeds, results->bench->options.seconds);
    PERF_MARKDOWN_HEAD(file, 1, "integrand", "asked for", "samples an iteration", "reached", "least", "first quartile",
                       "median", "third quartile", "largest");
    for (size_t i = 0; i < MCUBES_PLOTTED; i++) {
        const struct mcubes_series *series = &results->series[i][MCUBES_OURS];
        char name[16];
        mcubes_integrand(&mcubes_plotted[i].f, name);
        for (size_t k = 0; k < series->count; k++) {
            const struct mcubes_level *level = &series->level[k];
            fprintf(file, "| %s | %.3g | %.0f |", name, level->task.tau, (double)level->task.calls);
            if (!level->reached) {
                fputs(" not in time | - | - | - | - | - |\n", file);
                continue;
            }
            fprintf(file, " %zu of %zu |", level->reached, level->runs);
            for (unsigned part = 0; part <= 4; part++)
                print_number(file, mcubes_quartile(level, part), 3);
            fputc('\n', file);
        }
    }
}

static size_t most_levels(const struct mcubes_results *results, size_t integrand) {
    size_t most = 0;
    for (enum mcubes_by by = 0; by < MCUBES_BYS; by++)
        if (results->series[integrand][by].count > most)
            most = results->series[integrand][by].count;
    return most;
}

static void print_figure2(const struct mcubes_results *results, const struct perf_picture *picture, FILE *file) {
    static const enum mcubes_by shown[] = {MCUBES_OURS, MCUBES_PLUS, MCUBES_GSL, MCUBES_PLAIN};
    print_picture(file, 2, "Times beside other integrators", picture);
    fputs(
        "\nMilliseconds to the relative error; a dash where it was not reached in time. The paper's figure has gVEGAS "
        "on a V100\nbeside it and prints no numbers (its text: m-CUBES can be more than ten times as fast); gVEGAS, "
        "which needs a GPU\nof NVIDIA's, is not run here.\n",
        file);
    PERF_MARKDOWN_HEAD(file, 1, "integrand", "asked for", mcubes_by_name(MCUBES_OURS), mcubes_by_name(MCUBES_PLUS),
                       mcubes_by_name(MCUBES_GSL), mcubes_by_name(MCUBES_PLAIN), "gsl vegas / vegas_plus");
    for (size_t i = 0; i < MCUBES_PLOTTED; i++) {
        const struct mcubes_series *series = results->series[i];
        char name[16];
        mcubes_integrand(&mcubes_plotted[i].f, name);
        for (size_t k = 0; k < most_levels(results, i); k++) {
            fprintf(file, "| %s | %.3g |", name, mcubes_tau(k));
            for (size_t j = 0; j < sizeof shown / sizeof *shown; j++) {
                const struct mcubes_series *of = &series[shown[j]];
                print_number(file, k < of->count && of->level[k].reached ? 1e3 * of->level[k].seconds : 0, 4);
            }
            print_number(file, mcubes_ratio(&series[MCUBES_GSL], &series[MCUBES_PLUS], k), 3);
            fputc('\n', file);
        }
    }
}

static void print_figure3(const struct mcubes_results *results, const struct perf_picture *picture, FILE *file) {
    print_picture(file, 3, "How much faster mcubes1d is where coordinates may be exchanged", picture);
    fputs(
        "\nMilliseconds to the relative error; a dash where it was not reached in time. The paper prints no numbers of "
        "it.\n",
        file);
    PERF_MARKDOWN_HEAD(file, 1, "integrand", "asked for", mcubes_by_name(MCUBES_OURS), mcubes_by_name(MCUBES_1D),
                       "times");
    for (size_t i = 0; i < MCUBES_PLOTTED; i++) {
        const struct mcubes_series *series = results->series[i];
        char name[16];
        mcubes_integrand(&mcubes_plotted[i].f, name);
        for (size_t k = 0; k < series[MCUBES_1D].count; k++) {
            fprintf(file, "| %s | %.3g |", name, mcubes_tau(k));
            for (enum mcubes_by by = MCUBES_OURS; by <= MCUBES_1D; by++)
                print_number(
                    file, k < series[by].count && series[by].level[k].reached ? 1e3 * series[by].level[k].seconds : 0,
                    4);
            print_number(file, mcubes_ratio(&series[MCUBES_OURS], &series[MCUBES_1D], k), 3);
            fputc('\n', file);
        }
    }
}

void mcubes_text(const struct mcubes_results *results, const struct perf_picture *pictures, FILE *file) {
    const struct perf_bench *bench = results->bench;
    const char *peers = perf_report_said(bench->report, "peers");
    const char *left_out = perf_report_said(bench->report, "peers_left_out");
    fputs(
        "# Tables and figures of the m-CUBES paper\n\n"
        "mcubes, mcubes1d, vegas_plus and plain are the library's variants, gsl vegas is GSL's VEGAS. An integral has "
        "reached\nits relative error where its standard deviation says so and chi-square is at most 1.5 a degree of "
        "freedom. Rows\nmarked `paper` are figures of the paper, of its own machine.\n\n",
        file);
    perf_tables_machine(&bench->machine, file);
    fprintf(file, "- %s; GSL: %s\n", perf_report_said(bench->report, "threads"),
            peers      ? peers
            : left_out ? left_out
                       : "left out by --peers");
    fprintf(file,
            "- 20 iterations at most (table 1: as it says), of which the first 3 only adjust the grid (of vegas_plus "
            "those\n"
            "  of its warm-up); 10^6 samples an iteration, then four times as many, until the error is reached or %g s "
            "have\n"
            "  passed\n",
            bench->options.seconds);
    print_table1(results, file);
    print_table2(results, file);
    print_figure1(results, &pictures[0], file);
    print_figure2(results, &pictures[1], file);
    print_figure3(results, &pictures[2], file);
}
