/* SPDX-License-Identifier: Apache-2.0 */
/* What comes out: a table on standard output, and a file in Google Benchmark's JSON format, which its compare.py and
 * others can read. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "perf/harness.h"
#include "perf/machine.h"

#define PERF_LABELS_MAX 8
#define PERF_NAME_MAX   256

/* What one measurement gave. `labels` says what was measured, one text for each of the table's columns. In a table of
 * times the timing is that of one item, and `items` is 1. */
struct perf_result {
    char name[PERF_NAME_MAX]; /* unique, its parts with slashes between: "histogram/random/k:100/..." */
    const char *labels[PERF_LABELS_MAX];
    const char *note; /* how it was done, or NULL */
    uint32_t threads;
    double items, bytes; /* read in one repetition */
    struct perf_timing timing;
    double prepare;    /* seconds of preparation, outside the timing */
    double limit;      /* median rate as a part of the median limit, 0: unknown */
    double baseline;   /* median rate as a multiple of the baseline's, 0: unknown */
    double one_thread; /* median rate as a multiple of one thread's, 0: unknown */
    double times;      /* median time as a multiple of the baseline's, 0: unknown */
    double more;       /* and how many seconds it is longer */
};

/* The first columns of a table and the name of the method that others are compared with. */
struct perf_table {
    int of_times;   /* nanoseconds of one item rather than millions of values a second */
    int of_calls;   /* nanoseconds of one call that reads `items` values, and their rate */
    int of_threads; /* with a column for the multiple of one thread's rate */
    size_t count;
    const char *titles[PERF_LABELS_MAX];
    int widths[PERF_LABELS_MAX]; /* negative: to the left, as in printf */
    const char *baseline;
    const char *limit; /* what the limit is, NULL: reading the array once */
    int quiet;         /* results are recorded, and not printed */
};

struct perf_report;

/* Starts a report; `path`, lent, may be NULL for no JSON. Fails at once where the file cannot be written. The caller
 * destroys it. */
int perf_report_create(const char *path, const struct perf_table *table, struct perf_report **report,
                       struct perf_error *error);

/* Frees a report; NULL is allowed. */
void perf_report_destroy(struct perf_report *report);

/* Records the machine, and prints what it is. */
int perf_report_machine(struct perf_report *report, const struct perf_machine *machine, struct perf_error *error);

/* Records and prints one more fact that holds for all results, such as the size of the array. `key` is its JSON name.
 */
int perf_report_fact(struct perf_report *report, const char *key, const char *value, struct perf_error *error);

/* Begins another table. */
void perf_report_table(struct perf_report *report, const struct perf_table *table);

/* Prints the head of the table. */
void perf_report_head(const struct perf_report *report);

/* Records a result and prints its row. */
int perf_report_add(struct perf_report *report, const struct perf_result *result, struct perf_error *error);

/* What is to be reached, and how it came out. */
struct perf_goal {
    const char *row;  /* what the goal is of, in words */
    const char *name; /* the measurement's, as in its result */
    const char *unit; /* what the numbers are, such as "x binary" or "us" */
    double rate;      /* values a second, 0: not told */
    double value;
    double floor, goal; /* 0: none */
    int at_most;        /* not 0: the value should not be above them, rather than not below */
};

/* Prints the head of the table of goals. */
void perf_report_goals_head(void);

/* Prints a goal as a row, and records it in the array "goals" of the JSON file. Adds one to each number that holds for
 * it: floors[0] met, floors[1] missed, and the same for goals. */
int perf_report_goal(struct perf_report *report, const struct perf_goal *goal, unsigned floors[2], unsigned goals[2],
                     struct perf_error *error);

/* Writes the JSON file, whole or not at all. */
int perf_report_write(struct perf_report *report, struct perf_error *error);

/* Shows, on a terminal only, what is being done, over what was shown before; NULL clears the line. */
void perf_report_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
