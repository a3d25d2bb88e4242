/* SPDX-License-Identifier: Apache-2.0 */
/* The harness that unihist_perf.py runs: OPERATION[,OPERATION...] [OPTION=VALUE...]. It measures operations and the
 * runtime, all by the one driver, tunes devices, and does experiments. Without arguments it names what it has. */
#include "perf/bench.h"

#include <sys/prctl.h>

/* The runtime goes first, before threads are pinned: those that a driver starts would be too. */
static const struct perf_operation *const operations[] = {
    &uhi_perf_runtime,
#define UH_OPERATION(op) &uhi_perf_##op,
#include "perf_operations.def"
#undef UH_OPERATION
};
enum { OPERATION_COUNT = sizeof operations / sizeof operations[0] };

/* Whether a list, which unihist_perf.py has checked, has a name. */
static int is_chosen(const char *list, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = list; at; at = (at = strchr(at, ',')) ? at + 1 : NULL)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return 1;
    return 0;
}

static void list_operations(void) {
    perf_report_operation("", uh_version(), "");
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        perf_report_operation(operations[i]->name, operations[i]->about, operations[i]->options);
}

static void print_arrays(const struct perf_bench *bench) {
    char text[128];
    for (size_t i = 0; i < bench->case_count; i++) {
        const struct perf_case *what = &bench->cases[i];
        if (what->unit != PERF_RATES || (i > 0 && what[-1].n == what->n && what[-1].dtype == what->dtype))
            continue;
        snprintf(text, sizeof text, "%zu %s, %.1f MiB", what->n, uh_enum_name(UH_ENUM_DTYPE, what->dtype),
                 (double)what->n * what->bytes / 0x1p20);
        perf_report_fact("arrays", text);
    }
}

static void print_facts(struct perf_bench *bench) {
    const uh_device_properties *device = &bench->device.properties;
    char text[1024];
    if (!bench->described)
        perf_report_machine(&bench->machine);
    bench->described = 1;
    snprintf(text, sizeof text, "%s, driver %s", device->name, device->driver_version);
    perf_report_fact(device->selector, text);
    if (bench->threads_max) {
        snprintf(text, sizeof text, "%u thread%s at most, %s", (unsigned)bench->threads_max,
                 bench->threads_max > 1 ? "s" : "", perf_pin_threads(&bench->cpus, bench->threads_max));
        perf_report_fact("threads", text);
        snprintf(text, sizeof text, "last-level cache %.1f MiB", (double)bench->machine.last_level_cache / 0x1p20);
        perf_report_fact("caches", text);
        print_arrays(bench);
    }
    if (*bench->left_out)
        perf_report_fact("left out", bench->left_out);
}

/* Lists and runs the operations of the list from number `first` to before `last`; the tuning if these are 0; on `usual`
 * devices if none is named. */
static void run_some(struct perf_bench *bench, const char *list, size_t first, size_t last, const char *usual) {
    const int tune = last == 0, all = is_chosen(list, "all");
    perf_find_device(bench, usual);
    for (size_t i = first; i < last; i++)
        if (all || is_chosen(list, operations[i]->name))
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

static void run(struct perf_bench *bench, const char *list, int argc, char **argv) {
    int others = 0;
    perf_note_signals();
    perf_options_read(&bench->options, argc, argv);
    perf_machine_init(&bench->machine);
    perf_cpus_init(&bench->cpus);
    if (bench->options.pulls) {
        if (strcmp(list, "integrate") != 0)
            perf_usage("--pulls is given for %s, expected integrate alone", list);
        perf_pulls(bench);
        return;
    }
    for (size_t i = 1; i < OPERATION_COUNT; i++)
        others |= is_chosen(list, operations[i]->name);
    const int all = is_chosen(list, "all");
    if (all || is_chosen(list, operations[0]->name))
        run_some(bench, list, 0, 1, "gpu");
    if (all || others)
        run_some(bench, list, 1, OPERATION_COUNT, "cpu");
    if (is_chosen(list, "tune"))
        run_some(bench, list, 0, 0, "gpu");
    if (is_chosen(list, "experiments"))
        perf_experiments(bench);
}

int main(int argc, char **argv) {
    static char name[256];
    struct perf_bench *bench = perf_memory(1, sizeof *bench);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* a run ends with the program that prints it */
    snprintf(name, sizeof name, "unihist-perf %s", argc > 1 ? argv[1] : "");
    perf_program = name;
    if (argc > 1)
        run(bench, argv[1], argc - 2, argv + 2);
    else
        list_operations();
    if (fflush(stdout) || ferror(stdout))
        perf_fail("cannot write to standard output");
    free(bench);
    return 0;
}
