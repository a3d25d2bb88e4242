/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of unihist-perf-mpi; rank 0 prints them. */
#ifndef PERF_MPI_TABLES_H
#define PERF_MPI_TABLES_H

#include <unihist/mpi.h>

/* Of histograms of n sizes, PERF_MPI_SIZES at most. Returns whether more has been sent than the formulas say. */
enum { PERF_MPI_SIZES = 16 };
int perf_mpi_counts(uh_queue *queue, const size_t *sizes, size_t n);

/* Of mean shift of that many points. */
void perf_mpi_points(uh_queue *queue, size_t n);

#endif
