/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's tables as views of results: each row names the case that its figures are taken from. */
#ifndef PERF_TABLES_H
#define PERF_TABLES_H

#include "perf/bench.h"
#include "perf/gnuplot.h"

#include <stdio.h>
#include <string.h>

enum { TABLES_ROWS = 20, TABLES_CELLS = 4 };

/* A row: figures of this machine, and of the paper. 0: there is none. */
struct tables_row {
    char name[32];
    size_t k;
    int ratio, predicted;                         /* not 0: it is one; of the model, for the paper's device */
    const struct perf_result *here[TABLES_CELLS]; /* of a ratio: the upper one */
    double value[TABLES_CELLS], paper[TABLES_CELLS];
    const char *instead[TABLES_CELLS]; /* of a figure of the paper, or NULL */
};

/* Not 0 for a row of what is measured here, or could be. */
static inline int tables_row_is_here(const struct tables_row *row) {
    return strncmp(row->name, "CUPY", 4) != 0 && !row->predicted;
}

/* One table on one device. */
struct tables_view {
    size_t table; /* from 0 for I */
    const struct perf_device *device;
    size_t n;                       /* elements of its cases */
    size_t here_count, paper_count; /* of columns */
    char here[TABLES_CELLS][32], paper[TABLES_CELLS][32];
    size_t row_count;
    struct tables_row rows[TABLES_ROWS];
};

void perf_tables_view(const struct perf_bench *bench, const struct perf_device *device, size_t table,
                      struct tables_view *view);

/* Writes "TITLE" or "TITLE. DEVICE OF THE PAPER". */
void perf_tables_title(size_t table, char *title, size_t size);

/* NumPy's version, or the reason why there is no row of it. Writes which in `text`; returns 1 for a version. */
int perf_tables_numpy(const struct perf_bench *bench, int sampling, char *text, size_t size);

/* Not 0 where a table of histograms is wanted; or table XIII. */
int perf_tables_counts(const struct perf_bench *bench);
int perf_tables_samples(const struct perf_bench *bench);

/* Writes which machine and library the tables are of. */
void perf_tables_machine(const struct perf_machine *machine, FILE *file);

/* Writes all tables as Markdown; its columns also line up on a terminal. `plot` is the picture or why there is none. */
void perf_tables_text(const struct perf_bench *bench, int plotted, const char *plot, FILE *file);

/* Makes the JSON; the caller frees it with free(). NULL where memory is lacking. */
char *perf_tables_json(const struct perf_bench *bench);

/* Draws the picture; the caller frees it by perf_picture_free. */
int perf_tables_plot(const struct perf_bench *bench, struct perf_picture *picture, struct perf_error *error);

/* Writes a file of the folder of --out, or removes it where there is nothing in it. */
int perf_tables_write(const struct perf_bench *bench, const char *name, const void *data, size_t size,
                      struct perf_error *error);

/* Writes tables.json and tables.md, and prints the latter and where they are; `more` is what else there is to say, or
 * NULL. */
int perf_tables_publish(const struct perf_bench *bench, const char *json, const char *text, const char *more,
                        struct perf_error *error);

#endif
