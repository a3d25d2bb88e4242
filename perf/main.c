/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf OPERATION[,OPERATION...] [OPTION...]: the operations of kernels/registry.def and the runtime, all by the
 * one driver; the tuning of devices; and experiments. */
#include "perf/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/* The runtime goes first, before threads are pinned: those that a driver starts would be too. */
static const struct perf_operation *const operations[] = {
    &uhi_perf_runtime,
#define UH_OPERATION(op) &uhi_perf_##op,
#include "perf_operations.def"
#undef UH_OPERATION
};
enum {
    OPERATION_COUNT = 1
#define UH_OPERATION(op) +1
#include "perf_operations.def"
#undef UH_OPERATION
};

/* What the command line chooses. */
struct choice {
    int chosen[OPERATION_COUNT];
    int experiments, tune;
    unsigned of; /* whose options may be given */
};

static void print_names(FILE *stream, const char *separator) {
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        fprintf(stream, "%s%s", operations[i]->name, separator);
    fprintf(stream, "tune%sexperiments%sall", separator, separator);
}

static int usage_error(const char *problem, const char *what) {
    fprintf(stderr, "unihist-perf: %s%s, expected an operation, or several with commas between: ", problem, what);
    print_names(stderr, ", ");
    fprintf(stderr, "; see --help\n");
    return PERF_USAGE;
}

/* Returns 0 where a part of the list is no name. */
static int choose(const char *list, struct choice *choice) {
    for (const char *end; list; list = *end ? end + 1 : NULL) {
        end = strchr(list, ',');
        end = end ? end : list + strlen(list);
        const size_t length = (size_t)(end - list);
        const int all = length == 3 && strncmp(list, "all", 3) == 0;
        const int experiments = length == 11 && strncmp(list, "experiments", 11) == 0;
        const int tune = length == 4 && strncmp(list, "tune", 4) == 0;
        int found = experiments || tune;
        choice->experiments |= experiments;
        choice->tune |= tune;
        for (size_t i = 0; i < OPERATION_COUNT; i++)
            if (all || (strlen(operations[i]->name) == length && strncmp(operations[i]->name, list, length) == 0))
                choice->chosen[i] = found = 1;
        if (!found)
            return 0;
    }
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        choice->of |= choice->chosen[i] ? operations[i]->of : 0;
    choice->of |= choice->experiments ? PERF_OF_EXPERIMENTS : 0;
    choice->of |= choice->tune ? PERF_OF_TUNE : 0;
    return 1;
}

static int print_help(void) {
    printf("Usage: unihist-perf OPERATION[,OPERATION...] [OPTION...]\n"
           "Measure operations of libunihist on this machine: speed, part of the machine's limit, and every\n"
           "result checked.\n\nOperations:\n  ");
    print_names(stdout, "\n  ");
    printf("\n\nunihist-perf OPERATION --help shows the operation's options.\n"
           "unihist-perf --version shows the version of the library.\n");
    return PERF_OK;
}

static int print_operation_help(const char *name, const struct choice *choice) {
    printf("Usage: unihist-perf %s [OPTION...]\n", name);
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (choice->chosen[i])
            printf("%s\n", operations[i]->about);
    if (choice->experiments)
        puts("experiments: single integrals and runs of mean shift, one for each line of standard input, for the "
             "tables\nand figures of the m-CUBES and the mean shift paper (perf/paper/tables.py).");
    if (choice->tune)
        puts("tune: each operation of a GPU with work-groups of several sizes and several numbers of them, every "
             "result\n"
             "checked. Where one is faster than what the library does now, the library uses it from now on, with this\n"
             "device, driver and version of it: the file \"tuning\" of the user's cache says so.");
    puts("LISTs have commas between their items.\n");
    perf_options_help(choice->of);
    return PERF_OK;
}

/* ---- a run ------------------------------------------------------------------------------------------------------ */

/* The arrays of the cases, each once: "1000 float32, 0.0 MiB; last-level cache 105.0 MiB". */
static void write_arrays(const struct perf_bench *bench, char *text, size_t size) {
    size_t length = 0;
    for (size_t i = 0; i < bench->case_count && length < size; i++) {
        const struct perf_case *what = &bench->cases[i];
        size_t before = 0;
        while (before < i && (bench->cases[before].n != what->n || bench->cases[before].dtype != what->dtype))
            before++;
        if (before == i && what->unit == PERF_RATES)
            length +=
                (size_t)snprintf(text + length, size - length, "%zu %s, %.1f MiB; ", what->n,
                                 uh_enum_name(UH_ENUM_DTYPE, what->dtype), (double)what->n * what->bytes / 0x1p20);
    }
    if (length < size)
        snprintf(text + length, size - length, "last-level cache %.1f MiB",
                 (double)bench->machine.last_level_cache / 0x1p20);
}

static void print_facts(struct perf_bench *bench) {
    char text[1024], pinning[128];
    if (!bench->described)
        perf_report_machine(&bench->machine);
    bench->described = 1;
    for (size_t i = 0; i < bench->device_count; i++) {
        const uh_device_properties *device = &bench->devices[i].properties;
        snprintf(text, sizeof text, "%s, driver %s", device->name, device->driver_version);
        perf_report_fact(device->selector, text);
    }
    if (bench->threads_max) {
        perf_pin_threads(&bench->cpus, bench->threads_max, pinning, sizeof pinning);
        snprintf(text, sizeof text, "%u thread%s at most, %s", (unsigned)bench->threads_max,
                 bench->threads_max > 1 ? "s" : "", pinning);
        perf_report_fact("threads", text);
        write_arrays(bench, text, sizeof text);
        perf_report_fact("arrays", text);
    }
    if (bench->left_out)
        perf_report_fact("left out", bench->left_out);
}

/* Lists and runs the operations from number `first` to before `last` that are chosen; the tuning where these are 0; on
 * `usual` devices where none is named. */
static int run_some(struct perf_bench *bench, const struct choice *choice, size_t first, size_t last, const char *usual,
                    struct perf_error *error) {
    const int tune = last == 0;
    int status = perf_find_devices(bench, usual, error);
    for (size_t i = first; status == PERF_OK && i < last; i++)
        if (choice->chosen[i])
            status = perf_list_cases(bench, operations[i], error);
    if (status == PERF_OK && tune)
        status = perf_tune_list(bench, error);
    if (status == PERF_OK && bench->case_count == 0)
        status = perf_usage(error, "%s", bench->left_out ? bench->left_out : "nothing is to be measured");
    if (status != PERF_OK || bench->options.list) {
        status = status == PERF_OK ? perf_print_names(bench, error) : status;
        goto out;
    }
    print_facts(bench);
    status = perf_run_cases(bench, error);
    if (status == PERF_OK && tune)
        status = perf_tune_show(bench, error);
out:
    perf_forget_cases(bench);
    return status;
}

static int run_chosen(struct perf_bench *bench, const struct choice *choice, struct perf_error *error) {
    int others = 0, status = PERF_OK;
    for (size_t i = 1; i < OPERATION_COUNT; i++)
        others |= choice->chosen[i];
    if (choice->chosen[0])
        status = run_some(bench, choice, 0, 1, "gpu", error);
    if (status == PERF_OK && others)
        status = run_some(bench, choice, 1, OPERATION_COUNT, "cpu", error);
    if (status == PERF_OK && choice->tune)
        status = run_some(bench, choice, 0, 0, "gpu", error);
    if (status == PERF_OK && choice->experiments)
        status = perf_experiments(bench, error);
    return status;
}

static int run(const char *name, const struct choice *choice, int argc, char **argv, struct perf_error *error) {
    struct perf_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    int status = perf_options_read(&bench->options, choice->of, argc, argv, error);
    if (status == PERF_OK && bench->options.help) {
        status = print_operation_help(name, choice);
        goto out;
    }
    perf_note_signals();
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    if (status != PERF_OK)
        goto out;
    perf_cpus_init(&bench->cpus);
    if (!bench->options.list)
        perf_report_begin(name, bench->options.json, bench->options.goals);
    status = run_chosen(bench, choice, error);
out:
    free(bench);
    return status;
}

int main(int argc, char **argv) {
    struct choice choice = {.tune = 0};
    struct perf_error error = {""};
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a run ends with the program that prints it */
    if (argc < 2)
        return usage_error("nothing is given", "");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help();
    if (strcmp(argv[1], "--version") == 0) {
        printf("unihist-perf %s\n", uh_version());
        return PERF_OK;
    }
    if (!choose(argv[1], &choice))
        return usage_error("no operation is called ", argv[1]);
    int status = run(argv[1], &choice, argc - 2, argv + 2, &error);
    if (status == PERF_OK && (fflush(stdout) || ferror(stdout)))
        status = perf_fail(&error, "cannot write to standard output");
    if (status == PERF_FAILURE && perf_interrupted)
        status = perf_fail(&error, "interrupted");
    if (status != PERF_OK)
        fprintf(stderr, "unihist-perf %s: %s\n", argv[1], error.text);
    return status;
}
