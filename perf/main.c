/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf OPERATION [OPTION...]: one benchmark for each row of kernels/registry.def, in perf/bench_OPERATION.c,
 * that of the runtime, and the tables of the paper. */
#include "perf/bench.h"

#include <unihist/base.h>

#include <stdio.h>
#include <string.h>

struct benchmark {
    const char *name;
    perf_benchmark run;
};

static const struct benchmark benchmarks[] = {
#define UH_OPERATION(op) {#op, uhi_perf_##op},
#include "kernels/registry.def"
#undef UH_OPERATION
    {"runtime", uhi_perf_runtime},
    {"tables", uhi_perf_tables},
    {"family", uhi_perf_family},
};

#define BENCHMARK_COUNT (sizeof benchmarks / sizeof *benchmarks)

static void print_names(FILE *stream, const char *separator) {
    for (size_t i = 0; i < BENCHMARK_COUNT; i++)
        fprintf(stream, "%s%s", i ? separator : "", benchmarks[i].name);
}

static int print_help(void) {
    printf("Usage: unihist-perf OPERATION [OPTION...]\n"
           "Measure an operation of libunihist on this machine: speed, part of the machine's limit,\n"
           "and every result checked.\n\nOperations:\n  ");
    print_names(stdout, "\n  ");
    printf("\n\nunihist-perf OPERATION --help shows the operation's options.\n"
           "unihist-perf --version shows the version of the library.\n");
    return PERF_OK;
}

static int print_version(void) {
    printf("unihist-perf %s\n", uh_version());
    return PERF_OK;
}

static int usage_error(const char *problem, const char *what) {
    fprintf(stderr, "unihist-perf: %s%s, expected an operation: ", problem, what);
    print_names(stderr, ", ");
    fprintf(stderr, "; see --help\n");
    return PERF_USAGE;
}

static int run_benchmark(const struct benchmark *benchmark, int argc, char **argv) {
    struct perf_error error = {""};
    int status = benchmark->run(argc, argv, &error);
    if (status == PERF_OK && (fflush(stdout) || ferror(stdout)))
        status = perf_fail(&error, "cannot write to standard output");
    if (status != PERF_OK)
        fprintf(stderr, "unihist-perf %s: %s\n", benchmark->name, error.text);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return usage_error("nothing is given", "");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    for (size_t i = 0; i < BENCHMARK_COUNT; i++)
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return run_benchmark(&benchmarks[i], argc - 1, argv + 1);
    return usage_error("no operation is called ", argv[1]);
}
