/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks: uhi_perf_NAME of perf/bench_NAME.c for each operation NAME of kernels/registry.def, that
 * of the runtime, and the paper's tables. */
#ifndef PERF_BENCH_H
#define PERF_BENCH_H

#include "perf/error.h"

/* Runs a benchmark with its own arguments, argv[0] being the operation's name. Returns an exit status; unless it is
 * PERF_OK, `error` has the line for the user. */
typedef int (*perf_benchmark)(int argc, char **argv, struct perf_error *error);

#define UH_OPERATION(op) int uhi_perf_##op(int argc, char **argv, struct perf_error *error);
#include "kernels/registry.def"
#undef UH_OPERATION
int uhi_perf_runtime(int argc, char **argv, struct perf_error *error);
int uhi_perf_tables(int argc, char **argv, struct perf_error *error);
int uhi_perf_family(int argc, char **argv, struct perf_error *error);

#endif
