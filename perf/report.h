/* SPDX-License-Identifier: Apache-2.0 */
/* What comes out: a table on standard output, and a file in Google Benchmark's JSON format, which its compare.py and
 * others can read. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "perf/harness.h"
#include "perf/machine.h"

/* What the figures of a case are of. */
enum perf_unit {
    PERF_RATES,      /* millions of elements a second */
    PERF_CALL_TIMES, /* nanoseconds of one call, and the rate of its elements */
    PERF_TIMES       /* nanoseconds of one thing, and how many more than the baseline */
};

/* What one subject gave in a case. The timing is that of one call. */
struct perf_result {
    char name[PERF_NAME_MAX];  /* unique, its parts with slashes between: "histogram/random/k:100/..." */
    char place[PERF_NAME_MAX]; /* of its case, in the table */
    enum perf_unit unit;
    char title[96], note[512]; /* in the table, and how it was done; may be empty */
    uint32_t threads;
    double items, bytes; /* of one call */
    struct perf_timing timing;
    double prepare;                     /* seconds of preparation, outside the timing */
    double evaluations;                 /* of an integrand, in one call; 0: it has none */
    double limit, baseline, one_thread; /* median rate as a part of the limit's, as a multiple of the baseline's and of
                                         * one thread's; 0: there is none */
    double baseline_best;               /* shortest time as a multiple of the baseline's */
    double more, more_best;             /* and how many seconds median and shortest time are longer */
};

struct perf_report;

/* Starts a report; `path`, lent, may be NULL for no JSON. Fails at once where the file cannot be written. The
 * caller destroys it. */
int perf_report_create(const char *path, struct perf_report **report, struct perf_error *error);

/* Frees a report; NULL is allowed. */
void perf_report_destroy(struct perf_report *report);

/* Records the machine, and prints what it is. */
int perf_report_machine(struct perf_report *report, const struct perf_machine *machine, struct perf_error *error);

/* Records and prints one more fact, such as the size of an array. `key` is its JSON name; what was said under it before
 * stays. */
int perf_report_fact(struct perf_report *report, const char *key, const char *value, struct perf_error *error);

/* Lends what was said under that key; NULL: nothing. */
const char *perf_report_said(const struct perf_report *report, const char *key);

/* Prints the head of a table of such figures. `width` is that of its first column, `baseline` what multiples of the
 * baseline are called. */
void perf_report_head(struct perf_report *report, enum perf_unit unit, int width, const char *baseline);

/* Records a result, in place of one of the same name; and prints the row of one. */
int perf_report_record(struct perf_report *report, const struct perf_result *result, struct perf_error *error);
void perf_report_row(const struct perf_report *report, const char *name);

/* Lends the result of that name, until the next is recorded; or NULL. */
const struct perf_result *perf_report_find(const struct perf_report *report, const char *name);

/* How a goal came out. */
struct perf_verdict {
    const char *row;  /* what the goal is of, in words */
    const char *name; /* of the result */
    const char *unit;
    double rate; /* elements a second, 0: not told */
    double value, floor, goal;
    double good_enough; /* a value below this meets any bound; 0: none does */
    int at_most;        /* not 0: the value should not be above, rather than not below */
};

/* 1 where a bound is met or there is none. */
int perf_verdict_met(const struct perf_verdict *verdict, double bound);

/* Prints the head of the table of goals. */
void perf_report_goals_head(void);

/* Prints a goal as a row, and records it in the array "goals" of the JSON file. Adds one to each number that holds for
 * it: floors[0] met, floors[1] missed, and the same for goals. */
int perf_report_goal(struct perf_report *report, const struct perf_verdict *goal, unsigned floors[2], unsigned goals[2],
                     struct perf_error *error);

/* Writes the JSON file, whole or not at all. */
int perf_report_write(struct perf_report *report, struct perf_error *error);

/* Shows, on a terminal only, what is being done, over what was shown before; NULL clears the line. */
void perf_report_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
