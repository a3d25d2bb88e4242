/* SPDX-License-Identifier: Apache-2.0 */
/* What unihist-perf tables measured, and the ways of showing it beside the paper's figures. */
#ifndef PERF_TABLES_H
#define PERF_TABLES_H

#include "perf/folder.h"
#include "perf/harness.h"
#include "perf/machine.h"
#include "perf/paper_tables.h"

#include <unihist/runtime.h>

#include <stdio.h>

/* Our rows. The last one is the limit: reading the array once. */
enum tables_variant { TABLES_NUMPY, TABLES_BINARY, TABLES_UNIHIST, TABLES_AUTO, TABLES_LIMIT, TABLES_VARIANTS };

/* Our rows of table XIII: the library's methods, and what they begin with: as many random words. */
enum tables_sampler { SAMPLER_NUMPY, SAMPLER_UNIHIST, SAMPLER_ALIAS, SAMPLER_BINARY, SAMPLER_WORDS, TABLES_SAMPLERS };

/* NumPy on a device. */
struct tables_numpy {
    char version[64]; /* or "" */
    char why[256];    /* there is none */
};

/* One device, and what was measured on it; a timing of 0 repetitions is none. */
struct tables_device {
    uh_device *device;
    uh_device_properties properties;
    int host;
    size_t n, samples;                 /* values of histograms, samples of table XIII */
    char how[256];                     /* threads or memory */
    struct tables_numpy numpy, choice; /* numpy.histogram, Generator.choice */
    struct perf_timing timing[PAPER_FAMILIES][PAPER_KS][PAPER_HS][TABLES_VARIANTS];
    struct perf_timing sampling[TABLES_SAMPLERS];
};

struct tables {
    const int *wanted; /* not 0 for each of PAPER_TABLES that is wanted */
    struct perf_machine machine;
    size_t count;
    struct tables_device *devices;
    char plot[128]; /* the name of the picture, or why there is none */
    int plotted;
};

/* The name of our row: "NUMPY", "BINARY", "UNIHIST", "AUTO" or "LIMIT". Static. */
const char *perf_tables_variant(enum tables_variant variant);

/* The paper's variant that our row stands beside, or PAPER_VARIANTS. */
enum paper_variant perf_tables_beside(enum tables_variant variant);

/* The same of table XIII: "NUMPY random choice", ..., and its row in paper_samplings, or PAPER_SAMPLINGS. */
const char *perf_tables_sampler(enum tables_sampler sampler);
size_t perf_tables_sampler_beside(enum tables_sampler sampler);

/* The median rate in millions of values a second, 0 where there is none. */
double perf_tables_rate(const struct tables_device *device, const struct perf_timing *timing);

/* The same of samples. */
double perf_tables_sampling_rate(const struct tables_device *device, enum tables_sampler sampler);

/* Median rate of the method unihist as a multiple of another row's, 0 where there is none; the paper's beside NumPy's.
 */
double perf_tables_sampling_ratio(const struct tables_device *device, enum tables_sampler below);
double perf_tables_paper_sampling_ratio(enum paper_device device);

/* Median rate of one variant as a multiple of BINARY's, ours and the paper's; 0 where there is none. */
double perf_tables_ratio(const struct perf_timing timing[TABLES_VARIANTS], enum tables_variant variant);
double perf_tables_paper_ratio(const struct paper_histogram *table, size_t k, size_t h);

/* Not 0 where a wanted table of histograms has these bins. */
int perf_tables_needs(const int *wanted, enum paper_bins bins);

/* Not 0 where any table of histograms is wanted; or table XIII. */
int perf_tables_needs_histograms(const int *wanted);
int perf_tables_needs_sampling(const int *wanted);

/* Writes all tables as Markdown; its columns also line up on a terminal. */
void perf_tables_text(const struct tables *tables, FILE *file);

/* Makes the JSON; the caller frees it with free(). NULL where memory is lacking. */
char *perf_tables_json(const struct tables *tables);

/* Adds tables.gp and, where gnuplot can be had, tables.png to the folder, and notes which in `tables`. Fails where
 * gnuplot does. */
int perf_tables_plot(struct tables *tables, struct perf_folder *folder, struct perf_error *error);

#endif
