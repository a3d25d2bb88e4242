/* SPDX-License-Identifier: Apache-2.0 */
/* numpy.histogram and numpy.bincount as rivals: a Python process that is handed the values once, in shared memory, and
 * then counts them as often as it is told. It measures its own time, so that neither its start nor the way to it is in
 * the figures. */
#ifndef PERF_NUMPY_H
#define PERF_NUMPY_H

#include "perf/error.h"

#include <unihist/base.h>

#include <stddef.h>
#include <stdint.h>

struct perf_numpy;

/* Starts $PYTHON, or /usr/bin/python3, and hands it n values, which it copies. Where there is no Python or no
 * NumPy, stores NULL and writes one line that says so into `why`. The process runs on the CPUs of the calling thread.
 * The caller destroys it. */
int perf_numpy_create(uh_dtype dtype, const void *x, size_t n, struct perf_numpy **numpy, char *why, size_t why_size,
                      struct perf_error *error);

/* Ends the process; NULL is allowed. */
void perf_numpy_destroy(struct perf_numpy *numpy);

/* Lends NumPy's version, such as "1.24.2". */
const char *perf_numpy_version(const struct perf_numpy *numpy);

/* Sets the k+1 edges. */
int perf_numpy_edges(struct perf_numpy *numpy, const double *edges, size_t k, struct perf_error *error);

/* Counts once, and stores the seconds that numpy.histogram took, by the clock and of processor time. */
int perf_numpy_run(struct perf_numpy *numpy, double *seconds, double *cpu, struct perf_error *error);

/* The same for numpy.bincount. */
int perf_numpy_bincount(struct perf_numpy *numpy, double *seconds, double *cpu, struct perf_error *error);

/* Fetches the k counts of the last run. */
int perf_numpy_counts(struct perf_numpy *numpy, uint64_t *counts, size_t k, struct perf_error *error);

#endif
