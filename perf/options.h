/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a run, which perf/unihist_perf_options.py has checked. */
#pragma once

#include "perf/error.h"

#include <unihist/histogram.h>

#include <stddef.h>

#define PERF_LIST_MAX      32
#define PERF_PEER_NAME_MAX 32

/* Numbers of elements that depend on the machine. */
#define PERF_N_LARGE 0.0  /* four times the last-level cache */
#define PERF_N_CACHE -1.0 /* a quarter of the last-level cache */

struct perf_numbers {
    size_t count;
    double value[PERF_LIST_MAX];
};

/* What is timed of a case of histograms. */
enum perf_measured {
    PERF_FILL,  /* filling from an array: values per second */
    PERF_CALLS, /* one small fill with a ready plan, compared with a plain loop in C */
    PERF_PLAN   /* making the plan */
};

/* Peers by name: `all` with those of histograms. */
struct perf_peer_options {
    const char *folder;
    double timeout; /* seconds that each may take for an answer */
    int own;        /* not 0: those of the operation */
    int all;
    size_t count;
    char name[PERF_LIST_MAX][PERF_PEER_NAME_MAX];
};

struct perf_options {
    struct perf_numbers k, h, n;          /* n: none given, 0 of them */
    struct perf_numbers threads;          /* 0: as many as the library takes by itself */
    unsigned bins, data, dtypes, methods; /* of histograms, as bits by their enums */
    enum perf_measured measured;
    struct perf_peer_options peers;
    unsigned jobs;       /* of the runtime, as bits in the order of perf_job_word */
    double batch;        /* a whole number */
    const char *device;  /* NULL: the operation's own */
    unsigned operations; /* of tune, as bits */
    double min_time;
    unsigned parts, variants; /* of pulls, as bits */
    struct perf_numbers dims; /* of their integrands; none given: all */
    double seeds, tau;        /* the former a whole number */
    int equal_integers;       /* not 0: integers have equal bins alone */
    int calls, plan, goals, list, pulls;
};

/* Reads words NAME=VALUE into zeroed options; a value is a list with commas, or missing for a flag. Of words for one
 * option the last counts. */
void perf_options_read(struct perf_options *options, int argc, char **argv);
