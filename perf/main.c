/* SPDX-License-Identifier: Apache-2.0 */
/* The harness that unihist_perf.py runs: OPERATION[,OPERATION...] [OPTION=VALUE...]. It measures operations and the
 * runtime, all by the one driver, tunes devices, and does experiments. Without arguments it names what it has. */
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

/* Choices of the command line. */
struct choice {
    int chosen[OPERATION_COUNT];
    int experiments, tune;
};

/* Chooses those of the list, which unihist_perf.py has checked. */
static void choose(char *list, struct choice *choice) {
    char *rest = NULL;
    for (const char *name = strtok_r(list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        choice->experiments |= strcmp(name, "experiments") == 0;
        choice->tune |= strcmp(name, "tune") == 0;
        for (size_t i = 0; i < OPERATION_COUNT; i++)
            choice->chosen[i] |= strcmp(name, "all") == 0 || strcmp(name, operations[i]->name) == 0;
    }
}

static int list_operations(void) {
    perf_report_operation("", uh_version(), "");
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        perf_report_operation(operations[i]->name, operations[i]->about, operations[i]->options);
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

static int run(char *list, int argc, char **argv, struct perf_error *error) {
    struct choice choice = {.tune = 0};
    struct perf_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return perf_fail(error, "out of memory");
    perf_note_signals();
    int status = perf_options_read(&bench->options, argc, argv, error);
    if (status == PERF_OK)
        status = perf_machine_init(&bench->machine, error);
    if (status == PERF_OK) {
        choose(list, &choice);
        perf_cpus_init(&bench->cpus);
        status = run_chosen(bench, &choice, error);
    }
    free(bench);
    return status;
}

int main(int argc, char **argv) {
    struct perf_error error = {""};
    char name[256] = "";
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a run ends with the program that prints it */
    if (argc > 1)
        snprintf(name, sizeof name, "%s", argv[1]);
    int status = argc > 1 ? run(argv[1], argc - 2, argv + 2, &error) : list_operations();
    if (status == PERF_OK && (fflush(stdout) || ferror(stdout)))
        status = perf_fail(&error, "cannot write to standard output");
    if (status == PERF_FAILURE && perf_interrupted)
        status = perf_fail(&error, "interrupted");
    if (status != PERF_OK)
        fprintf(stderr, "unihist-perf %s: %s\n", name, error.text);
    return status;
}
