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

static void list_operations(void) {
    perf_report_operation("", uh_version(), "");
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        perf_report_operation(operations[i]->name, operations[i]->about, operations[i]->options);
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
    char text[1024];
    if (!bench->described)
        perf_report_machine(&bench->machine);
    bench->described = 1;
    for (size_t i = 0; i < bench->device_count; i++) {
        const uh_device_properties *device = &bench->devices[i].properties;
        snprintf(text, sizeof text, "%s, driver %s", device->name, device->driver_version);
        perf_report_fact(device->selector, text);
    }
    if (bench->threads_max) {
        snprintf(text, sizeof text, "%u thread%s at most, %s", (unsigned)bench->threads_max,
                 bench->threads_max > 1 ? "s" : "", perf_pin_threads(&bench->cpus, bench->threads_max));
        perf_report_fact("threads", text);
        write_arrays(bench, text, sizeof text);
        perf_report_fact("arrays", text);
    }
    if (*bench->left_out)
        perf_report_fact("left out", bench->left_out);
}

/* Lists and runs the operations from number `first` to before `last` that are chosen; the tuning if these are 0; on
 * `usual` devices if none is named. */
static void run_some(struct perf_bench *bench, const struct choice *choice, size_t first, size_t last,
                     const char *usual) {
    const int tune = last == 0;
    perf_find_devices(bench, usual);
    for (size_t i = first; i < last; i++)
        if (choice->chosen[i])
            perf_list_cases(bench, operations[i]);
    if (tune)
        perf_tune_list(bench);
    if (bench->case_count == 0)
        perf_usage("%s", *bench->left_out ? bench->left_out : "nothing is to be measured");
    if (bench->options.list) {
        perf_print_names(bench);
    } else {
        print_facts(bench);
        perf_run_cases(bench);
        if (tune)
            perf_tune_show(bench);
    }
    perf_drop_cases(bench);
}

static void run(struct perf_bench *bench, char *list, int argc, char **argv) {
    struct choice choice = {.tune = 0};
    int others = 0;
    perf_note_signals();
    perf_options_read(&bench->options, argc, argv);
    perf_machine_init(&bench->machine);
    perf_cpus_init(&bench->cpus);
    choose(list, &choice);
    for (size_t i = 1; i < OPERATION_COUNT; i++)
        others |= choice.chosen[i];
    if (choice.chosen[0])
        run_some(bench, &choice, 0, 1, "gpu");
    if (others)
        run_some(bench, &choice, 1, OPERATION_COUNT, "cpu");
    if (choice.tune)
        run_some(bench, &choice, 0, 0, "gpu");
    if (choice.experiments)
        perf_experiments(bench);
}

int main(int argc, char **argv) {
    char name[256];
    struct perf_bench *bench = perf_memory(1, sizeof *bench);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a run ends with the program that prints it */
    snprintf(name, sizeof name, "unihist-perf %s", argc > 1 ? argv[1] : "");
    perf_name_program(name);
    if (argc > 1)
        run(bench, argv[1], argc - 2, argv + 2);
    else
        list_operations();
    if (fflush(stdout) || ferror(stdout))
        perf_fail("cannot write to standard output");
    free(bench);
    return 0;
}
