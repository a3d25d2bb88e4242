/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: one table of options, of which each operation takes those that mean something to it. */
#ifndef PERF_OPTIONS_H
#define PERF_OPTIONS_H

#include "perf/error.h"

#include <unihist/histogram.h>

#include <stddef.h>
#include <stdint.h>

#define PERF_LIST_MAX      32
#define PERF_PEER_NAME_MAX 32

/* The most elements that --n takes: 2^40. */
#define PERF_N_MAX 0x1p40

/* What --n may have instead of a number. */
#define PERF_N_LARGE 0.0  /* four times the last-level cache */
#define PERF_N_CACHE -1.0 /* a quarter of the last-level cache */

/* The numbers of an option such as "--k 100,1000". */
struct perf_numbers {
    size_t count;
    double value[PERF_LIST_MAX];
};

/* What is timed of a case of histograms. */
enum perf_measured {
    PERF_FILL,  /* filling from an array: values a second */
    PERF_CALLS, /* one small fill with a ready plan, compared with a plain loop in C */
    PERF_PLAN   /* making the plan */
};

/* Whose an option is, as bits. */
enum {
    PERF_OF_ROWS = 1, /* operations whose cases are a table */
    PERF_OF_HISTOGRAM = 2,
    PERF_OF_RUNTIME = 4,
    PERF_OF_SAMPLE = 8,
    PERF_OF_TUNE = 16,
    PERF_OF_EXPERIMENTS = 32,
    PERF_OF_ALL = 63
};

/* What was given, as bits. */
enum perf_given {
    PERF_GIVEN_N = 1,
    PERF_GIVEN_K = 2,
    PERF_GIVEN_H = 4,
    PERF_GIVEN_BINS = 8,
    PERF_GIVEN_DATA = 16,
    PERF_GIVEN_DTYPE = 32,
    PERF_GIVEN_METHODS = 64,
    PERF_GIVEN_THREADS = 128,
    PERF_GIVEN_PEERS = 256,
    PERF_GIVEN_DEVICE = 512,
    PERF_GIVEN_MIN_TIME = 1024,
    PERF_GIVEN_JSON = 2048
};

struct perf_options {
    unsigned given;              /* of enum perf_given */
    struct perf_numbers k, h, n; /* n: none given, 0 of them */
    struct perf_numbers threads; /* 0: as many as the library takes by itself */
    unsigned bins, data, dtypes; /* of histograms, as bits by their enums */
    unsigned methods;            /* the same */
    enum perf_measured measured;
    struct {
        int all;
        size_t count;
        char name[PERF_LIST_MAX][PERF_PEER_NAME_MAX];
    } peers;
    double peer_timeout;
    unsigned jobs;       /* of the runtime, as bits by enum perf_job */
    double batch;        /* a whole number */
    const char *device;  /* NULL: the operation's own */
    unsigned operations; /* of tune, as bits */
    double min_time;
    const char *json; /* or NULL */
    int paper, goals, list, help;
};

/* Reads the arguments behind the operation's name; what they do not say is as the help tells. `of` says whose options
 * may be given. A mistake gives PERF_USAGE. */
int perf_options_read(struct perf_options *options, unsigned of, int argc, char **argv, struct perf_error *error);

/* Prints a line or more for each option of those. */
void perf_options_help(unsigned of);

#endif
