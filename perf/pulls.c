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

/* How smooth integrands of five dimensions are integrated once more by the library, to a small error. */
#define FINE_TAU 1e-6
enum { FINE_DIMS = 5, FINE_CALLS = 16, FINE_SEEDS = 5 };

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

static void run_variants(const struct perf_bench *bench, uh_queue *queue, struct perf_integral_task task, int fine,
                         uint64_t seeds) {
    for (unsigned v = 0; perf_pulls_variant(v); v++) {
        struct perf_pulls pulls = {
            .row = task.row, .part = perf_pulls_part(task.row->part), .by = perf_pulls_variant(v), .fine = fine};
        struct perf_integral found;
        perf_report_progress("%s by %s", task.row->name, pulls.by);
        if (!(bench->options.variants >> v & 1) || (v == UH_INTEGRATE_MCUBES1D && !set_is_symmetric(task.row)))
            continue;
        for (task.seed = 0; task.seed < seeds && integrate(queue, (uh_integrate_variant)v, &task, &found); task.seed++)
            add(&pulls, &task, &found);
        if (pulls.runs > 0)
            perf_report_pulls(&pulls);
        else
            printf("# %s by %s is left out: %s\n", task.row->name, pulls.by, uh_last_error());
    }
}

static void run_peers(struct perf_peers *peers, struct perf_integral_task task, uint64_t seeds) {
    struct perf_pulls pulls[PERF_LIST_MAX] = {{.row = NULL}};
    size_t active = 0;
    for (task.seed = 0; task.seed < seeds; task.seed++) {
        const struct perf_peers_case what = {.k = task.row->dims, .n = (size_t)task.calls, .integral = &task};
        active = perf_peers_take_case(peers, &what);
        for (size_t i = 0; i < active; i++) {
            struct perf_subject subject;
            perf_peers_at(peers, i, &subject);
            perf_report_progress("%s by %s, seed %llu", task.row->name, subject.name, (unsigned long long)task.seed);
            subject.run(&subject);
            const struct perf_integral found = perf_peers_integral(&subject);
            pulls[i].row = task.row;
            pulls[i].part = perf_pulls_part(task.row->part);
            pulls[i].by = subject.name;
            add(&pulls[i], &task, &found);
        }
    }
    for (size_t i = 0; i < active; i++)
        perf_report_pulls(&pulls[i]);
}

static int is_asked(const struct perf_options *options, const struct set_row *row) {
    int asked = options->dims.count == 0;
    for (size_t i = 0; i < options->dims.count; i++)
        asked |= (double)row->dims == options->dims.value[i];
    return asked && options->parts >> row->part & 1;
}

void perf_pulls(struct perf_bench *bench) {
    static const char *const usual[] = {"gsl_vegas", "cuba_vegas", "vegas", "scipy_cubature", "scipy_qmc_quad"};
    const struct perf_options *options = &bench->options;
    struct perf_peer_options asked = options->peers;
    for (size_t i = 0; asked.own && i < sizeof usual / sizeof *usual; i++)
        snprintf(asked.name[asked.count++], sizeof asked.name[0], "%s", usual[i]);
    perf_find_device(bench, "cpu");
    perf_report_machine(&bench->machine);
    struct perf_peers *peers = perf_peers_create(&asked);
    uh_queue *queue = perf_queue(&bench->device, 1);
    for (const struct set_row *row = set_rows; row < set_rows + SET_ROWS; row++) {
        struct perf_integral_task task = {.row = row,
                                          .calls = options->n.count ? (uint64_t)options->n.value[0] : CALLS,
                                          .iterations = ITERATIONS,
                                          .skipped = SKIPPED,
                                          .tau = options->tau};
        if (!is_asked(options, row))
            continue;
        run_variants(bench, queue, task, 0, (uint64_t)options->seeds);
        if (peers)
            run_peers(peers, task, (uint64_t)options->seeds);
        task.calls *= FINE_CALLS;
        task.tau = FINE_TAU;
        if (row->dims == FINE_DIMS && strcmp(row->class, "smooth") == 0)
            run_variants(bench, queue, task, 1, (uint64_t)fmin(FINE_SEEDS, options->seeds));
    }
    perf_report_progress(NULL);
    perf_peers_destroy(peers);
    perf_close_queues(&bench->device);
}
