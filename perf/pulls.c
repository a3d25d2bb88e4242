/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-perf integrate --pulls: the integrands that judge integrators, each integrated with many seeds by every
 * variant of the library and by peers: whether errors are what they are said to be, and how many calls a true error
 * takes. */
#include "perf/bench.h"
#include "perf/integral.h"

#include <stdio.h>
#include <string.h>

/* A difference that is rounding; how far from the integral a converged result is a silent failure, in deviations; the
 * most that a pull counts as. */
#define ROUNDING 1e-12
enum { SILENT = 5, PULL_MAX = 1000000 };

/* Iterations of peers, those of them that do not count, and the calls of one by default. */
enum { ITERATIONS = 20, SKIPPED = 3, CALLS = 50000 };

/* The peer that others are compared with. Others, which may take long, have few seeds. */
#define COMPARED "gsl_vegas"
enum { FEW_SEEDS = 5 };

/* Some integrands are integrated once more to a smaller error, with more calls of an iteration and few seeds: those
 * of the m-CUBES paper, for any set, and smooth ones of five dimensions. */
enum { SMOOTH_DIMS = 5 };
struct part {
    const char *name;
    double tau;
    uint64_t calls; /* how many times as many */
};
static const struct part paper = {"m-CUBES", 1e-4, 4}, smooth = {"smooth", 1e-6, 16};

const char *perf_pulls_part(unsigned index) {
    static const char *const words[] = {[SET_TRAINING] = "training", [SET_TEST] = "test", NULL};
    return words[index];
}

const char *perf_pulls_variant(unsigned index) { return uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, index); }

static void add(struct perf_pulls *pulls, const struct perf_integral_task *task, const struct perf_integral *found) {
    const struct set_integrand f = set_draw(task->row, task->seed);
    const double truth = set_truth(&f), error = found->value - truth;
    const double pull = fabs(error) <= ROUNDING * fabs(truth) ? 0 : error / found->error;
    const double kept = fabs(pull) < PULL_MAX ? pull : error < 0 ? -PULL_MAX : PULL_MAX; /* not a number, too */
    pulls->runs++;
    pulls->converged += found->reached;
    pulls->silent += found->reached && fabs(kept) > SILENT;
    pulls->sum += kept;
    pulls->squares += kept * kept;
    pulls->calls += found->evaluations;
    pulls->errors += error / truth * (error / truth);
    if (perf_interrupted)
        perf_fail("interrupted");
}

/* Integrates by the library as it does by default. Returns 0 if it refuses. */
static int integrate(uh_queue *queue, uh_integrate_variant variant, const struct perf_integral_task *task,
                     struct perf_integral *found) {
    const struct set_integrand f = set_draw(task->row, task->seed);
    const uh_integrand integrand = {
        .struct_size = sizeof integrand, .dims = f.row->dims, .function = set_batch, .context = &f};
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    for (size_t d = 0; d < f.row->dims; d++) {
        lower[d] = f.row->lower;
        upper[d] = f.row->upper;
    }
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .lower = lower,
                                          .upper = upper,
                                          .variant = variant,
                                          .max_calls = task->calls,
                                          .relative_error = task->tau,
                                          .zero_not_finite = 1,
                                          .seed = task->seed};
    uh_integral integral = {.struct_size = sizeof integral};
    const uh_status status = uh_integrate(queue, &integrand, &options, &integral);
    if (status && status != UH_ERROR_UNSUPPORTED && status != UH_ERROR_INVALID_ARGUMENT)
        perf_check(status);
    *found = (struct perf_integral){.value = integral.value,
                                    .error = integral.error,
                                    .evaluations = (double)integral.calls,
                                    .reached = integral.end == UH_INTEGRATE_CONVERGED};
    return !status;
}

/* Whether other seeds give the same: cubature has no random numbers, and the integrand may have none. */
static int is_same(const struct perf_integral_task *task, const char *by) {
    return task->seed > 0 && !task->row->drawn && (strstr(by, "cubature") || strcmp(by, "cuba_cuhre") == 0);
}

static void run_variants(const struct perf_bench *bench, uh_queue *queue, struct perf_integral_task task,
                         const char *part, uint64_t seeds) {
    for (unsigned v = 0; perf_pulls_variant(v); v++) {
        struct perf_pulls pulls = {.row = task.row, .part = part, .by = perf_pulls_variant(v), .tau = task.tau};
        struct perf_integral found = {.value = 0};
        perf_report_progress("%s by %s", task.row->name, pulls.by);
        if (!(bench->options.variants >> v & 1) || (v == UH_INTEGRATE_MCUBES1D && !set_is_symmetric(task.row)))
            continue;
        for (task.seed = 0; task.seed < seeds &&
                            (is_same(&task, pulls.by) || integrate(queue, (uh_integrate_variant)v, &task, &found));
             task.seed++)
            add(&pulls, &task, &found);
        if (pulls.runs > 0)
            perf_report_pulls(&pulls);
        else
            printf("# %s by %s is left out: %s\n", task.row->name, pulls.by, uh_last_error());
    }
}

static void run_peers(struct perf_peers *peers, struct perf_integral_task task, const char *part, uint64_t seeds) {
    struct perf_pulls pulls[PERF_LIST_MAX] = {{.row = NULL}};
    struct perf_integral found[PERF_LIST_MAX] = {{.value = 0}};
    size_t active = 0;
    for (task.seed = 0; task.seed < seeds; task.seed++) {
        const struct perf_peers_case what = {.k = task.row->dims, .n = (size_t)task.calls, .integral = &task};
        active = perf_peers_take_case(peers, &what);
        for (size_t i = 0; i < active; i++) {
            struct perf_subject subject;
            perf_peers_at(peers, i, &subject);
            perf_report_progress("%s by %s, seed %llu", task.row->name, subject.name, (unsigned long long)task.seed);
            if (task.seed >= FEW_SEEDS && strcmp(subject.name, COMPARED) != 0)
                continue;
            if (!is_same(&task, subject.name)) {
                subject.run(&subject);
                found[i] = perf_peers_integral(&subject);
            }
            if (!pulls[i].row)
                pulls[i] = (struct perf_pulls){.row = task.row, .part = part, .by = subject.name, .tau = task.tau};
            add(&pulls[i], &task, &found[i]);
        }
    }
    for (size_t i = 0; i < active; i++)
        perf_report_pulls(&pulls[i]);
}

/* NULL if it is integrated only once. */
static const struct part *fine_part(const struct set_row *row) {
    if (row->name[0] == 'f' && row->name[1] >= '1' && row->name[1] <= '6')
        return &paper;
    return row->dims == SMOOTH_DIMS && strcmp(row->class, "smooth") == 0 ? &smooth : NULL;
}

static void run_part(const struct perf_bench *bench, uh_queue *queue, struct perf_peers *peers,
                     const struct set_row *row, int fine) {
    const struct perf_options *options = &bench->options;
    const struct part usual = {perf_pulls_part(row->part), options->tau, 1};
    const struct part *const part = fine ? fine_part(row) : &usual;
    int asked = options->dims.count == 0;
    for (size_t i = 0; i < options->dims.count; i++)
        asked |= (double)row->dims == options->dims.value[i];
    if (!asked || !part || (part != &paper && !(options->parts >> row->part & 1)))
        return;
    const uint64_t calls = part->calls * (options->n.count ? (uint64_t)options->n.value[0] : CALLS);
    const struct perf_integral_task task = {
        .row = row, .calls = calls, .iterations = ITERATIONS, .skipped = SKIPPED, .tau = part->tau};
    const uint64_t seeds = (uint64_t)(fine ? fmin(FEW_SEEDS, options->seeds) : options->seeds);
    run_variants(bench, queue, task, part->name, seeds);
    if (peers)
        run_peers(peers, task, part->name, seeds);
}

void perf_pulls(struct perf_bench *bench) {
    static const char *const usual[] = {COMPARED, "cuba_vegas",     "cuba_suave",     "cuba_cuhre",
                                        "vegas",  "scipy_cubature", "scipy_qmc_quad", "torchquad_vegas"};
    struct perf_peer_options asked = bench->options.peers;
    for (size_t i = 0; asked.own && i < sizeof usual / sizeof *usual; i++)
        snprintf(asked.name[asked.count++], sizeof asked.name[0], "%s", usual[i]);
    perf_find_device(bench, "cpu");
    perf_report_machine(&bench->machine);
    struct perf_peers *peers = perf_peers_create(&asked);
    uh_queue *queue = perf_queue(&bench->device, 1);
    for (size_t i = 0; i < 2 * (size_t)SET_ROWS; i++)
        run_part(bench, queue, peers, &set_rows[i / 2], i % 2);
    perf_report_progress(NULL);
    perf_peers_destroy(peers);
    perf_close_queues(&bench->device);
}
