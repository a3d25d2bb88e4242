/* SPDX-License-Identifier: Apache-2.0 */
/* The options that every benchmark has, and the reading of numbers and lists. */
#ifndef PERF_OPTIONS_H
#define PERF_OPTIONS_H

#include "perf/error.h"

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_LIST_MAX 32

/* The most elements that --n takes: 2^40. */
#define PERF_N_MAX 0x1p40

/* The most threads that --threads takes, those of uh_queue_create. */
#define PERF_THREADS_MAX 4096

/* The numbers of an option such as "--k 100,1000". */
struct perf_numbers {
    size_t count;
    double value[PERF_LIST_MAX];
};

/* What every benchmark can be told. */
struct perf_options {
    size_t n;         /* elements of the array, 0: larger than the last-level cache */
    uint32_t threads; /* 0: as many as the library takes by itself */
    double min_time;  /* seconds a measurement lasts at least */
    const char *json; /* where the JSON goes, or NULL */
    int list;         /* not 0: name the measurements and measure nothing */
    int help;
};

#define PERF_OPTIONS_DEFAULT                                                                                           \
    { .min_time = 1 }

/* Rows for the table of getopt_long, and their lines of the help: those of a benchmark that reads an array, and those
 * of every benchmark, which end the table. A benchmark's own options have values above PERF_OPTION_OWN. */
enum {
    PERF_OPTION_N = 1000,
    PERF_OPTION_THREADS,
    PERF_OPTION_TIME,
    PERF_OPTION_JSON,
    PERF_OPTION_LIST,
    PERF_OPTION_OWN
};
#define PERF_OPTION_ARRAY_ROWS                                                                                         \
    {"n", required_argument, NULL, PERF_OPTION_N}, {                                                                   \
        "threads", required_argument, NULL, PERF_OPTION_THREADS                                                        \
    }
#define PERF_OPTION_ROWS                                                                                               \
    {"min-time", required_argument, NULL, PERF_OPTION_TIME}, {"json", required_argument, NULL, PERF_OPTION_JSON},      \
        {"list", no_argument, NULL, PERF_OPTION_LIST}, {"help", no_argument, NULL, 'h'}, {                             \
        NULL, 0, NULL, 0                                                                                               \
    }
#define PERF_OPTION_ARRAY_HELP                                                                                         \
    "  --n N               elements of the array; default: four times the last-level cache,\n"                         \
    "                      at most a quarter of the memory\n"                                                          \
    "  --threads T         threads; default: OMP_NUM_THREADS, or one a core\n"
#define PERF_OPTION_HELP                                                                                               \
    "  --min-time S        seconds each measurement lasts at least, in at least five\n"                                \
    "                      repetitions; default: 1\n"                                                                  \
    "  --json FILE         also write the results in Google Benchmark's JSON format\n"                                 \
    "  --list              name what would be measured, and measure nothing\n"                                         \
    "  -h, --help          show this help\n"

/* Takes one option that getopt_long returned as `code`. A code that is none of the common ones, a mistake on the
 * command line included, gives PERF_USAGE with one line on what is wrong with argv[optind - 1]. */
int perf_take_option(struct perf_options *options, int code, char **argv, struct perf_error *error);

/* Reads one number, within [low, high] and, where `whole` is not 0, without a fraction ("1e8" is a whole number). */
int perf_parse_number(const char *option, const char *text, double low, double high, int whole, double *value,
                      struct perf_error *error);

/* Reads numbers with commas between them; each as perf_parse_number. */
int perf_parse_numbers(const char *option, const char *text, double low, double high, int whole,
                       struct perf_numbers *numbers, struct perf_error *error);

/* Calls `item` for each part of a list with commas, an empty one included, until it returns other than PERF_OK, and
 * returns that. More than PERF_LIST_MAX parts are PERF_USAGE. */
typedef int (*perf_list_item)(const char *option, const char *text, void *user, struct perf_error *error);
int perf_parse_list(const char *option, const char *text, perf_list_item item, void *user, struct perf_error *error);

#endif
