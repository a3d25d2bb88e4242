/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf histogram --goals: the cases that have a floor and a goal, and whether they are met. */
#ifndef PERF_HISTOGRAM_GOALS_H
#define PERF_HISTOGRAM_GOALS_H

#include "perf/histogram_rivals.h"

/* Lists the cases. */
int histogram_goals_list(struct histogram_bench *bench, struct perf_error *error);

/* Prints and records each goal, after the cases have been measured. `*missed` is how many floors were missed. */
int histogram_goals_report(struct histogram_bench *bench, unsigned *missed, struct perf_error *error);

/* What another process with another level of x86-64 reached. */
struct histogram_other {
    size_t count;
    struct {
        char name[PERF_NAME_MAX];
        double rate;
    } result[16];
};

/* Measures f32 values, uniform, in k = 100 and 1000 bins of the paper's families at h, by the method auto on one
 * thread, in a process of its own with UNIHIST_ISA=`isa`. */
int histogram_other_run(const struct histogram_bench *bench, const char *isa, size_t n, double h,
                        struct histogram_other *other, struct perf_error *error);

#endif
