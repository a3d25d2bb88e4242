/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and figures of the m-CUBES paper, measured here. */
#ifndef PERF_MCUBES_H
#define PERF_MCUBES_H

#include "perf/bench.h"
#include "perf/gnuplot.h"
#include "perf/integral.h"
#include "perf/paper_mcubes.h"

#include <stdio.h>

/* Who integrates: the library's variants, and GSL. */
enum mcubes_by { MCUBES_OURS, MCUBES_1D, MCUBES_PLUS, MCUBES_PLAIN, MCUBES_GSL, MCUBES_BYS };

/* The most runs of a level: those of --seeds. */
#define MCUBES_RUNS_MAX 1000

/* How many times --seconds an integral of the tables may take. */
#define MCUBES_TABLED_TIMES 5

/* One relative error of one integrand. */
struct mcubes_level {
    struct perf_integral_task task; /* with the number of samples that was found enough, or the last that was tried */
    struct perf_integral found;     /* by the first seed */
    size_t runs, reached;           /* how many seeds, and with how many of them the error was reached */
    double *errors;                 /* achieved relative errors of those, ascending */
    double seconds;                 /* their median */
};

/* One integrand by one integrator: levels as far as the error was reached, and the first where it was not. */
struct mcubes_series {
    size_t count;
    struct mcubes_level level[MCUBES_LEVELS];
};

struct mcubes_results {
    struct perf_bench *bench;
    uh_queue *queue;
    struct perf_peers *peers;
    uint32_t threads;
    int has_gsl;
    struct mcubes_series series[MCUBES_PLOTTED][MCUBES_BYS];
    struct mcubes_level tabled[MCUBES_TABLED][MCUBES_BYS];
};

/* Whether a figure or table has that integrator of that integrand. */
int mcubes_plots(const struct mcubes_results *results, size_t integrand, enum mcubes_by by);
int mcubes_tables(const struct mcubes_results *results, enum mcubes_by by);

/* "mcubes", "gsl vegas", ... */
const char *mcubes_by_name(enum mcubes_by by);

/* Writes "f4,8". */
void mcubes_integrand(const struct integrand_of *f, char text[16]);

/* The fastest first level's time divided by another's: 0 where one of them has not reached it. */
double mcubes_ratio(const struct mcubes_series *above, const struct mcubes_series *below, size_t level);

/* Part `part` of 4 of the achieved errors of a level: 0 is the smallest, 2 the median. */
double mcubes_quartile(const struct mcubes_level *level, unsigned part);

/* Measures all. */
int mcubes_measure(struct mcubes_results *results, struct perf_error *error);

/* Writes all as Markdown; `pictures` are those of the figures. */
void mcubes_text(const struct mcubes_results *results, const struct perf_picture *pictures, FILE *file);

/* Makes the JSON; the caller frees it with free(). NULL where memory is lacking. */
char *mcubes_json(const struct mcubes_results *results, const struct perf_picture *pictures);

/* Draws the figures, numbered from 1; the caller frees them by perf_picture_free. */
#define MCUBES_FIGURES 3
int mcubes_plot(const struct mcubes_results *results, struct perf_picture pictures[MCUBES_FIGURES],
                struct perf_error *error);

#endif
