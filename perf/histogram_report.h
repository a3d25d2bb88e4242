/* SPDX-License-Identifier: Apache-2.0 */
/* What a case of `unihist-perf histogram` gave: its rows, and what the goals need of them. */
#ifndef PERF_HISTOGRAM_REPORT_H
#define PERF_HISTOGRAM_REPORT_H

#include "perf/histogram_rivals.h"

/* Begins the table of a kind of measurement, and prints its head. The first `count` cases are those of the table. */
void histogram_report_head(struct histogram_bench *bench, const struct histogram_case *cases, size_t count);

/* Reports the rivals of one case, and keeps their outcomes. `timings` are theirs, in their order. */
int histogram_report_case(struct histogram_bench *bench, const struct histogram_rivals *rivals,
                          const struct perf_timing *timings, struct perf_error *error);

/* Lends what `method` with `threads` threads gave in a case of the same measure, bins, values and length; NULL where
 * it was not measured. */
const struct histogram_outcome *histogram_outcome_find(const struct histogram_bench *bench,
                                                       const struct histogram_case *what, const char *method,
                                                       uint32_t threads);

#endif
