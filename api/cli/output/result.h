/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a subcommand that counts, for output and drawing: columns of numbers over the cells of its axes. */
#pragma once

#include <unihist/unihist.h>

#include "api/cli/display/text.h"
#include "api/cli/input/calendar.h"
#include "api/cli/input/inputs.h"

/* One axis. Everything is borrowed from the caller; texts may be NULL. */
struct cli_axis {
    size_t bins;
    const double *edges;      /* bins + 1, non-decreasing; infinities allowed. NULL: it cannot be drawn */
    const double *categories; /* value of each bin, instead of edges; a bin for all other values may follow */
    size_t ncategories;
    int integers; /* bin i is the integer `first` + i, written as a column of the axis's name */
    int64_t first;
    uh_closed closed; /* of bins between edges or of categories, */
    uh_flow_bins flow_bins;
    uh_flow flow;     /* points on this axis, regardless of the others */
    const char *name; /* of the coordinate: a file, a column */
    const char *dtype;
    const char *method;
    const char *plan;
    int log;  /* draw it logarithmically */
    int time; /* the values are times in seconds, shown as dates (calendar.h) */
};

extern const char *const cli_closed_names[4];

struct cli_fact {
    const char *key;
    enum { CLI_FACT_INTEGER, CLI_FACT_NUMBER, CLI_FACT_TEXT, CLI_FACT_TRUTH } kind;
    union {
        uint64_t integer; /* also of CLI_FACT_TRUTH */
        double number;
        const char *text; /* or NULL */
    };
};

#define CLI_INTEGER(key, value) ((struct cli_fact){(key), CLI_FACT_INTEGER, {.integer = (value)}})
#define CLI_NUMBER(key, value)  ((struct cli_fact){(key), CLI_FACT_NUMBER, {.number = (value)}})
#define CLI_TEXT(key, value)    ((struct cli_fact){(key), CLI_FACT_TEXT, {.text = (value)}})
#define CLI_TRUTH(key, value)   ((struct cli_fact){(key), CLI_FACT_TRUTH, {.integer = (value)}})

/* An array of facts as arguments: the array and its length. */
#define CLI_FACTS(facts) (facts), sizeof(facts) / sizeof *(facts)

/* Estimates from the bins of one axis: mean and standard deviation of the values in them, and quantiles at
 * cli_quantile_parts. NaN if unknown. */
enum { CLI_QUANTILES = 5 };
extern const double cli_quantile_parts[CLI_QUANTILES];

struct cli_estimates {
    double mean, deviation;
    double quantile[CLI_QUANTILES];
};

/* Everything is borrowed from the caller; texts may be NULL. Cells are row-major, the last axis fastest. A column is
 * NULL if the storage does not keep it: COUNT, U8 and U16 have `counts`; SUM `sums`; WEIGHTED `sums` and `squares`;
 * MEAN `counts`, `means` and `deviations`. */
struct cli_result {
    size_t naxes; /* 1 to UH_MAX_AXES */
    struct cli_axis axis[UH_MAX_AXES];
    uh_storage storage;
    uh_sum sum;
    uint64_t *counts;
    double *sums, *squares;     /* may be any number */
    double *means, *deviations; /* NaN and 0 without points; `deviations`: the sum of their squares */
    uint64_t *cumulative;       /* NULL, or running counts of one axis: written and drawn instead of counts, */
    double *running;            /* or running sums instead of sums */
    double *density;            /* NULL, or written and drawn instead of counts or sums; may hold NaN */
    const struct cli_estimates *estimates; /* NULL, or shown on a terminal */
    uint64_t n, outside;                   /* points, and points in no cell */
    double outside_sum, outside_squares;
    const char *device;
    const char *values; /* name of the weights or samples */
    const char *values_dtype;
    const char *title; /* names of the input */
    double seconds;
    const struct cli_text_report *text; /* NULL, or how texts were read */
    const struct cli_fact *facts;       /* NULL, or further properties */
    size_t nfacts;
    uh_histogram *histogram; /* contents of a .uh file */
};

static inline size_t cli_result_cells(const struct cli_result *result) {
    size_t cells = 1;
    for (size_t a = 0; a < result->naxes; a++)
        cells *= result->axis[a].bins;
    return cells;
}

/* Return the contents of a bin, and their running sum. */
static inline double cli_result_value(const struct cli_result *result, size_t bin) {
    return result->sums ? result->sums[bin] : (double)result->counts[bin];
}

static inline double cli_result_running(const struct cli_result *result, size_t bin) {
    return result->sums ? result->running[bin] : (double)result->cumulative[bin];
}

static inline int cli_result_is_cumulative(const struct cli_result *result) {
    return result->cumulative || result->running;
}

/* ---- results of integrals, all borrowed (integral.c) ------------------------------------------------------------- */

struct cli_integral {
    const char *expression, *file; /* one is NULL */
    const uh_integrate_options *options;
    const uh_integral *integral; /* with values and covariance */
    size_t values;
    const uh_iteration *iteration; /* integral->iterations entries */
    const uh_grid_properties *grid;
    size_t axes; /* whose bins are known: none if the variant was left to the library */
    const char *device;
    uint32_t threads; /* of the host, 0 on a device */
    double seconds;
};

/* Writes the result, a struct cli_integral, as JSON, for cli_atomic_write; unihist-format(5) names the members. */
int cli_integral_json(FILE *file, const void *what);

/* Prints a line of the table of iterations, before the first one its header. */
void cli_integral_print_iteration(const uh_iteration *one);

/* Prints one line per integral, for a terminal or for programs. */
void cli_integral_print(const struct cli_terminal *terminal, const struct cli_integral *found);
void cli_integral_print_words(const struct cli_integral *found);

/* ---- results of mean shift (clusters.c). Everything is borrowed. Each process has only its own points,
 * labels and moved points; the rest is the same on all. */

struct cli_arguments; /* options.h */
struct cli_clusters {
    const char *title; /* names of the inputs */
    const struct cli_rows *points;
    uint64_t moved; /* rows of found->shifted on all processes */
    const uh_mean_shift_options *options;
    double quantile; /* for the estimated bandwidth, 0 if that was given */
    const uh_clusters_properties *found;
    const uh_mean_shift_iteration *iteration; /* found->iterations entries */
    const char *device;
    uint32_t threads; /* of the host, 0 on a device */
    double seconds;
    size_t shown[2], nshown; /* coordinates shown in a picture */
};

#define CLI_CLUSTERS_TABLES ".npy or .csv"

/* Writes all files of the options, or none if one cannot be written. Of several processes all call it together, each
 * with its part of the points, and the first one writes. */
int cli_clusters_write(const struct cli_arguments *arguments, const struct cli_clusters *clusters);

/* Prints the result as JSON; unihist-format(5) names the members. */
void cli_clusters_json(FILE *file, const struct cli_clusters *clusters);
