/* SPDX-License-Identifier: Apache-2.0 */
/* The output: an event a line, as JSON, on standard output. perf/unihist_perf.py prints tables of it, judges goals and
 * writes the JSON file. */
#ifndef PERF_REPORT_H
#define PERF_REPORT_H

#include "perf/error.h"

#include <stdint.h>

struct perf_case;
struct perf_subject;

/* The machine, the compiler and the library that a measurement is of. */
struct perf_machine {
    char cpu[128], isa[32];
    uint64_t memory, last_level_cache; /* bytes, of the whole machine; 0: unknown */
};

/* Asks the library. */
void perf_machine_init(struct perf_machine *machine);

/* Unit of a case's figures. */
enum perf_unit {
    PERF_RATES,      /* millions of elements per second */
    PERF_CALL_TIMES, /* nanoseconds of one call, and the rate of its elements */
    PERF_TIMES       /* nanoseconds of one job, and the difference from the baseline */
};

/* An operation that can be measured, for the help, and the groups of options that it takes. */
void perf_report_operation(const char *name, const char *about, const char *options);

void perf_report_machine(const struct perf_machine *machine);

/* One more fact, such as the size of an array. `key` is its JSON name; several values of a key are joined. */
void perf_report_fact(const char *key, const char *value);

/* Begins a table; `baseline` is the name of multiples of the baseline. */
void perf_report_head(enum perf_unit unit, const char *baseline);

/* A case with the timings of its subjects and its goals. */
void perf_report_case(const struct perf_case *what, const struct perf_subject *subjects, size_t count);

/* Shows, on a terminal only, the present work in place of the last text; NULL clears the line. */
void perf_report_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
