/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks of the histogram family: each operation has a few cases, in each of which rivals work on the same data
 * in turns, and some of their rates have a floor and a goal. `unihist-perf OPERATION` runs one operation's cases,
 * `unihist-perf family` all. */
#ifndef PERF_FAMILY_H
#define PERF_FAMILY_H

#include "perf/harness.h"
#include "perf/limit.h"
#include "perf/machine.h"
#include "perf/options.h"
#include "perf/report.h"

#include <unihist/unihist.h>

#define FAMILY_RIVALS_MAX 12

/* Shapes of data that every operation is measured with; what they mean is the operation's. */
enum family_data { FAMILY_USUAL, FAMILY_ONE_BIN, FAMILY_SORTED, FAMILY_DATA_COUNT };

/* A run of the benchmark. */
struct family {
    struct perf_options options;
    struct perf_report *report;
    struct perf_cpus cpus;
    struct perf_machine machine;
    uh_queue *queues[2]; /* the host's, of one thread, and of two where there are so many CPUs, else NULL */
    struct perf_goal goal[64];
    char goal_names[64][PERF_NAME_MAX];
    size_t goal_count;
};

/* One of those that work on a case. Who adds it sets all but `rate`; what stands after `subject` may be left as it is.
 */
struct family_rival {
    const char *name;
    uint32_t threads;
    double items;                /* in one repetition; the same as the others', or as many as it can do in that time */
    struct perf_subject subject; /* zeroed where names are listed */
    int limit, baseline;         /* the others are a part of it; a multiple of it */
    double prepare;              /* seconds of preparation, outside the timing */
    const char *note;            /* how it is done, or NULL; lent */
    double rate;                 /* items a second, by the median */
};

struct family_case {
    const char *operation, *what; /* "bincount", "i32/k:1000" */
    enum family_data data;
    double bytes; /* that an item is read, or stored, as */
    size_t count;
    struct family_rival rivals[FAMILY_RIVALS_MAX];
};

/* The name of a shape of data: "usual", "onebin" or "sorted". Static. */
const char *family_data_name(enum family_data data);

/* Whether names are listed: cases need no data then. */
int family_lists(const struct family *family);

/* Adds a rival to a case. The room is there for FAMILY_RIVALS_MAX. */
struct family_rival *family_add(struct family_case *what, const char *name, uint32_t threads, double items,
                                struct perf_subject subject);

/* Measures a case and reports each rival, or lists their names. */
int family_measure(struct family *family, struct family_case *what, struct perf_error *error);

/* The rate of a rival of a case that has been measured, 0 where it has none such. */
double family_rate(const struct family_case *what, const char *name, uint32_t threads);

/* Notes what `value` of a rival is to reach; `row` and `unit` are lent. It is reported when all cases are through. */
void family_goal(struct family *family, const struct family_case *what, const char *row, const char *name,
                 uint32_t threads, const char *unit, double value, double floor, double goal);

/* Values of the option --n, or `usual`. */
size_t family_length(const struct family *family, size_t usual);

/* perf_fail with the library's last message. */
int family_library_failed(struct perf_error *error);

/* A random number below 2^32 made of its number, the same everywhere. */
uint32_t family_random(uint64_t seed, uint64_t number);

/* ---- the operations: all cases of each --------------------------------------------------------------------------- */

typedef int (*family_cases)(struct family *family, struct perf_error *error);
int family_accumulate(struct family *family, struct perf_error *error);
int family_histogramdd(struct family *family, struct perf_error *error);
int family_bincount(struct family *family, struct perf_error *error);
int family_histo(struct family *family, struct perf_error *error);
int family_random_numbers(struct family *family, struct perf_error *error); /* not of `unihist-perf family` */

/* A benchmark's whole life: its command line, `count` operations' cases, goals and files. `about` is a line of the
 * help. PERF_FAILURE where a floor is missed. */
int family_main(int argc, char **argv, const char *about, const family_cases *operations, size_t count,
                struct perf_error *error);

#endif
