/* SPDX-License-Identifier: Apache-2.0 */
#include "perf/model/report.h"

#include "perf/model/banks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIGA 1e9

/* Cycles that 16 banks take over 16 lanes with words at random, on average: the fullest of 16 boxes after 16 balls. */
#define RANDOM_CYCLES 3.08
#define RANDOM_LANES  16.

/* The paper's numbers of bins. */
enum { SIZES = 2 };
static const size_t sizes[SIZES] = {100, 1000};

/* What to do for one device. */
typedef int report(const struct model_options *options, const struct model_device *device,
                   const struct model_figures *figures, struct perf_error *error);

/* Which of a device's tables of the paper is asked for, one after the other from `*at` on. Returns 0 behind the last
 * one. */
static int next_table(const struct model_options *options, const struct model_device *device, size_t *at) {
    while (*at < MODEL_TABLES && device->tables[*at] && options->table &&
           strcmp(options->table, device->tables[*at]) != 0)
        ++*at;
    return *at < MODEL_TABLES && device->tables[*at];
}

static int has_table(const struct model_options *options, const struct model_device *device) {
    size_t first = 0;
    return next_table(options, device, &first);
}

/* Of the devices that are asked for; with `of_paper` of those whose tables are. With `headed` each has its head. */
static int each_device(const struct model_options *options, int of_paper, int headed, report *tell,
                       struct perf_error *error) {
    int status = PERF_OK;
    const struct model_device *device;
    for (size_t i = 0; status == PERF_OK && (device = model_device_at(i)); i++) {
        struct model_figures figures;
        if ((options->device && options->device != device) || (of_paper && !has_table(options, device)))
            continue;
        status = model_figures_of(&figures, options->folder, device->code, error);
        if (status == PERF_OK && headed)
            printf("PREDICTED, not measured: %s, %s; compiler %s\n\n", device->name, device->what, figures.compiler);
        if (status == PERF_OK)
            status = tell(options, device, &figures, error);
        if (status == PERF_OK && headed)
            printf("\n");
        model_figures_free(&figures);
    }
    return status;
}

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static void print_rate(double rate) {
    if (isinf(rate))
        printf(" - |");
    else
        printf(" %.*f |", rate < 10 * GIGA ? 1 : 0, rate / GIGA);
}

static int print_case(const struct model_device *device, const struct model_figures *figures,
                      const struct model_case *of, struct perf_error *error) {
    struct model_prediction p;
    const int status = model_predict(device, figures, of, &p, error);
    if (status != PERF_OK)
        return status;
    printf("| %s k %zu %s | %s, %s | %u | %u, %u | %.2f | %.2f | %.2f |",
           model_operation_of(of->operation)->has_bins ? case_bins_name(of->bins) : "all", of->k,
           case_data_name(of->data), p.launch.kernel, p.launch.where, p.launch.copies, p.groups, p.threads, p.slots,
           p.local_messages, p.local_cycles * RANDOM_LANES);
    for (int i = 0; i < MODEL_BOUNDS; i++)
        print_rate(p.rate[i]);
    printf(" %s |\n", model_bound_names[p.binds]);
    return PERF_OK;
}

/* Whether there is such a case: by methods and meshes that are followed, and of data that differ. */
static int is_case(const struct model_case *of) {
    const int has_method = of->method == UH_METHOD_AUTO ||
                           (of->operation == MODEL_HISTOGRAM && (of->method != UH_METHOD_MESH || of->type == UH_F32));
    const int has_data = of->operation != MODEL_DRAW || of->data == CASE_UNIFORM || of->data == CASE_ONEBIN;
    return has_method && has_data;
}

/* Whether the options leave a case out, number `ks` of the sizes and `d` of the data; by themselves they ask for the
 * paper's bins. What has no bins is told once for all families. */
static int is_left_out(const struct model_options *options, const struct model_case *of, size_t ks, size_t d) {
    const int has_bins = model_operation_of(of->operation)->has_bins;
    const int other_bins = !has_bins           ? of->bins != CASE_WORST
                           : options->bins < 0 ? of->bins > CASE_ALMOST
                                               : (int)of->bins != options->bins;
    const int other_method = options->method >= 0 && (int)of->method != options->method;
    return !is_case(of) || other_bins || other_method || (options->k && ks > 0) || (options->data >= 0 && d > 0);
}

static int cases_of_device(const struct model_options *options, const struct model_device *device,
                           const struct model_figures *figures, struct perf_error *error) {
    static const enum case_data shapes[] = {CASE_UNIFORM, CASE_NARROW, CASE_SORTED, CASE_ONEBIN};
    static const uh_method methods[] = {UH_METHOD_AUTO, UH_METHOD_MESH, UH_METHOD_BINARY};
    const uh_dtype type = model_operation_of(options->operation)->type;
    struct model_case of = {
        .operation = options->operation, .type = options->type < 0 ? type : (uh_dtype)options->type, .h = options->h};
    size_t count = 0;
    int status = PERF_OK;
    if (of.type != type && of.operation != MODEL_HISTOGRAM)
        return perf_usage(error, "--type is of histograms alone");
    printf(
        "| case | kernel, tables | copies | groups, threads a core | slots/pt | messages/pt | cycles/16 pts | issue | "
        "local | cache | atomics | memory | latency | binds |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int bins = CASE_WORST; bins < CASE_BINS_COUNT; bins++)
        for (size_t ks = 0; ks < SIZES; ks++)
            for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
                for (size_t d = 0; status == PERF_OK && d < sizeof shapes / sizeof *shapes; d++) {
                    of.bins = (enum case_bins)bins;
                    of.k = options->k ? options->k : sizes[ks];
                    of.method = methods[m];
                    of.data = options->data < 0 ? shapes[d] : (enum case_data)options->data;
                    if (is_left_out(options, &of, ks, d))
                        continue;
                    status = print_case(device, figures, &of, error);
                    count++;
                }
    return status == PERF_OK && count == 0 ? perf_usage(error, "there is no such case; see --help") : status;
}

int model_report_cases(const struct model_options *options, struct perf_error *error) {
    return each_device(options, 0, 1, cases_of_device, error);
}

/* ---- tables of the paper, for programs ----------------------------------------------------------------------------
 */

static int print_table(const char *number, enum case_bins bins, const struct model_device *device,
                       const struct model_figures *figures, struct perf_error *error) {
    static const uh_method methods[] = {UH_METHOD_MESH, UH_METHOD_AUTO, UH_METHOD_BINARY};
    static const double h[] = {0.1, 0.01, 0.001};
    enum { METHODS = sizeof methods / sizeof *methods, HS = sizeof h / sizeof *h };
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && i < (size_t)METHODS * SIZES * HS; i++) {
        const struct model_case of = {
            MODEL_HISTOGRAM, UH_F32, bins, CASE_UNIFORM, sizes[i / HS % SIZES], h[i % HS], methods[i / HS / SIZES]};
        struct model_prediction p;
        status = model_predict(device, figures, &of, &p, error);
        if (status == PERF_OK)
            printf("%s %s %zu %g %.0f %s\n", number, uh_enum_name(UH_ENUM_METHOD, of.method), of.k, of.h,
                   p.rate[p.binds] * 1e-6, model_bound_names[p.binds]);
    }
    return status;
}

static int tables_of_device(const struct model_options *options, const struct model_device *device,
                            const struct model_figures *figures, struct perf_error *error) {
    static const enum case_bins families[MODEL_TABLES] = {CASE_WORST, CASE_RANDOM, CASE_ALMOST};
    int status = PERF_OK;
    for (size_t i = 0; status == PERF_OK && next_table(options, device, &i); i++)
        status = print_table(device->tables[i], families[i], device, figures, error);
    return status;
}

int model_report_tables(const struct model_options *options, struct perf_error *error) {
    return each_device(options, 1, 0, tables_of_device, error);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static int kernels_of_device(const struct model_options *options, const struct model_device *device,
                             const struct model_figures *figures, struct perf_error *error) {
    (void)options;
    (void)error;
    printf(
        "| kernel | lanes | registers | slots/pt, shortest way to all | local load, atomic, store, block/pt | global "
        "gather, atomic, store, block/pt | issue, Gpts/s | local, lanes at random "
        "|\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < figures->count; i++) {
        const struct model_kernel *kernel = &figures->kernels[i];
        const double *m = kernel->messages, least = kernel->ways ? kernel->way_slots[0] : kernel->slots;
        const double cycles =
            (m[MODEL_LOCAL_LOAD] + m[MODEL_LOCAL_ATOMIC] + m[MODEL_LOCAL_STORE]) * RANDOM_CYCLES + m[MODEL_LOCAL_BLOCK];
        printf("| %s | %u | %u | %.2f to %.2f | %.2g, %.2g, %.2g, %.2g | %.2g, %.2g, %.2g, %.2g |", kernel->name,
               kernel->lanes, kernel->registers, least, kernel->slots, m[MODEL_LOCAL_LOAD], m[MODEL_LOCAL_ATOMIC],
               m[MODEL_LOCAL_STORE], m[MODEL_LOCAL_BLOCK], m[MODEL_GLOBAL_GATHER], m[MODEL_GLOBAL_ATOMIC],
               m[MODEL_GLOBAL_STORE], m[MODEL_GLOBAL_BLOCK]);
        print_rate(device->cores * device->engines * device->clock / kernel->slots);
        print_rate(cycles > 0 ? device->cores * device->clock * RANDOM_LANES / cycles : HUGE_VAL);
        printf("\n");
    }
    return PERF_OK;
}

int model_report_kernels(const struct model_options *options, struct perf_error *error) {
    return each_device(options, 0, 1, kernels_of_device, error);
}

/* ---- banks ------------------------------------------------------------------------------------------------------- */

/* Reads the addresses behind the first word; returns how many, or 0 where something else stands there. */
static size_t read_addresses(char *text, uint32_t *address) {
    size_t lanes = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest), lanes++) {
        char *end;
        const unsigned long value = strtoul(word, &end, 10);
        if (lanes == MODEL_LANES || *end || value % 4 || value > UINT32_MAX)
            return 0;
        address[lanes] = (uint32_t)value;
    }
    return lanes;
}

int model_report_banks(const struct model_options *options, struct perf_error *error) {
    const struct model_device *device = options->device ? options->device : model_device_at(0);
    char line[1024];
    uint32_t address[MODEL_LANES];
    for (size_t number = 1; fgets(line, sizeof line, stdin); number++) {
        const int atomic = strncmp(line, "atomic ", 7) == 0, load = strncmp(line, "load ", 5) == 0;
        const size_t lanes = atomic || load ? read_addresses(strchr(line, ' '), address) : 0;
        if (lanes == 0)
            return perf_fail(error,
                             "line %zu of standard input: expected load or atomic, then 1 to %d multiples of 4: the "
                             "addresses of lanes",
                             number, MODEL_LANES);
        printf("%u\n", model_bank_cycles(address, lanes, 1, atomic, device->banks));
    }
    return PERF_OK;
}
