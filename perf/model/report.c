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

/* What to do for one device. */
typedef int report(const struct model_options *options, const struct model_device *device,
                   const struct model_figures *figures, struct perf_error *error);

/* Whether a table is of a device, and one that is asked for. */
static int is_of_device(const struct model_options *options, size_t table, const struct model_device *device) {
    return paper_device_of(table) == &paper_devices[device->paper] &&
           (options->table < 0 || (size_t)options->table == table);
}

static int has_table(const struct model_options *options, const struct model_device *device) {
    int found = 0;
    for (size_t table = 0; table < PAPER_HISTOGRAMS; table++)
        found |= is_of_device(options, table, device);
    return found;
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
        status = model_figures_of(&figures, options->folder, device->name, error);
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
        for (size_t ks = 0; ks < PAPER_KS; ks++)
            for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
                for (size_t d = 0; status == PERF_OK && d < sizeof shapes / sizeof *shapes; d++) {
                    of.bins = (enum case_bins)bins;
                    of.k = options->k ? options->k : paper_k[ks];
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

/* ---- the paper --------------------------------------------------------------------------------------------------- */

static struct model_case case_of_table(size_t table, size_t k, size_t h, uh_method method) {
    return (struct model_case){MODEL_HISTOGRAM, UH_F32, paper_family_of(table)->bins, CASE_UNIFORM, paper_k[k],
                               paper_h[h],      method};
}

/* Quotients of bounds and of what the paper measured. */
struct errors {
    double sum, sum_of_squares; /* of logarithms */
    double least, most;
    size_t count;
};

static void add_error(struct errors *errors, double quotient) {
    errors->sum += log(quotient);
    errors->sum_of_squares += log(quotient) * log(quotient);
    errors->least = errors->count == 0 || quotient < errors->least ? quotient : errors->least;
    errors->most = quotient > errors->most ? quotient : errors->most;
    errors->count++;
}

static void print_errors(const char *of, const struct errors *errors) {
    const double mean = errors->sum / (double)errors->count;
    const double variance = errors->sum_of_squares / (double)errors->count - mean * mean;
    printf(
        "The error for %s: the bound is %.2f times what the paper measured in the geometric mean, %.2f to %.2f times; "
        "beside\nthat factor a figure is off by a factor of %.2f (standard deviation).\n",
        of, exp(mean), errors->least, errors->most, exp(sqrt(fmax(0, variance))));
}

/* The paper's algorithms as this library has them. */
static const struct {
    uh_method method;
    enum paper_variant variant;
} paper_methods[] = {{UH_METHOD_MESH, PAPER_UNIHIST}, {UH_METHOD_BINARY, PAPER_BINARY}};
enum { PAPER_METHODS = sizeof paper_methods / sizeof *paper_methods };

static int print_paper_case(size_t table, size_t k, size_t h, const struct model_device *device,
                            const struct model_figures *figures, struct errors *errors, struct perf_error *error) {
    struct model_case of = case_of_table(table, k, h, UH_METHOD_AUTO);
    struct model_prediction p;
    int status = model_predict(device, figures, &of, &p, error);
    if (status != PERF_OK)
        return status;
    printf("| %s, %s | %zu | %g | %.1f (%s) |", paper_number(table), case_bins_name(of.bins), of.k, of.h,
           p.rate[p.binds] / GIGA, model_bound_names[p.binds]);
    for (size_t m = 0; status == PERF_OK && m < PAPER_METHODS; m++) {
        of.method = paper_methods[m].method;
        status = model_predict(device, figures, &of, &p, error);
        if (status != PERF_OK)
            return status;
        const double measured = paper_rates[table][paper_methods[m].variant][k][h] * 1e6;
        add_error(&errors[m], p.rate[p.binds] / measured);
        printf(" %.1f (%s) | %.1f | %.2f |", p.rate[p.binds] / GIGA, model_bound_names[p.binds], measured / GIGA,
               p.rate[p.binds] / measured);
    }
    printf("\n");
    return PERF_OK;
}

static int paper_of_device(const struct model_options *options, const struct model_device *device,
                           const struct model_figures *figures, struct perf_error *error) {
    struct errors errors[PAPER_METHODS] = {{.count = 0}};
    int status = PERF_OK;
    printf("Gpts/s; PREDICTED are bounds, beside what the paper measured with programs of its own\n\n"
           "| table, bins | k | h | auto PREDICTED | mesh PREDICTED | UNIHIST measured | quotient | binary PREDICTED | "
           "BINARY measured | quotient |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t table = 0; table < PAPER_HISTOGRAMS; table++)
        for (size_t k = 0; k < PAPER_KS; k++)
            for (size_t h = 0; status == PERF_OK && h < PAPER_HS; h++)
                if (is_of_device(options, table, device))
                    status = print_paper_case(table, k, h, device, figures, errors, error);
    if (status != PERF_OK)
        return status;
    printf("\n");
    print_errors("the paper's own algorithm (mesh, UNIHIST)", &errors[0]);
    print_errors("its binary search", &errors[1]);
    return PERF_OK;
}

int model_report_paper(const struct model_options *options, struct perf_error *error) {
    return each_device(options, 1, 1, paper_of_device, error);
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

static int lines_of_device(const struct model_options *options, const struct model_device *device,
                           const struct model_figures *figures, struct perf_error *error) {
    static const uh_method methods[] = {UH_METHOD_MESH, UH_METHOD_AUTO};
    int status = PERF_OK;
    for (size_t table = 0; table < PAPER_HISTOGRAMS; table++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods * PAPER_KS * PAPER_HS; i++) {
            const size_t h = i % PAPER_HS, k = i / PAPER_HS % PAPER_KS;
            const struct model_case of = case_of_table(table, k, h, methods[i / PAPER_HS / PAPER_KS]);
            struct model_prediction p;
            if (!is_of_device(options, table, device))
                continue;
            status = model_predict(device, figures, &of, &p, error);
            if (status != PERF_OK)
                return status;
            printf("%s %s %zu %g %.0f %s\n", paper_number(table), uh_enum_name(UH_ENUM_METHOD, of.method), of.k, of.h,
                   p.rate[p.binds] * 1e-6, model_bound_names[p.binds]);
        }
    return status;
}

int model_report_tables(const struct model_options *options, struct perf_error *error) {
    return each_device(options, 1, 0, lines_of_device, error);
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
