/* SPDX-License-Identifier: Apache-2.0 */
/* An integral to a relative error is tried with ever more samples an iteration, until the error is reached or --seconds
 * have passed, of the tables several times as long: the paper's took a GPU about a second. The next level begins with
 * as many as the one before needed. */
#include "perf/mcubes.h"

#include <stdlib.h>
#include <string.h>

#define SEED UINT64_C(20261123)

/* Samples of the first iterations, and how many more there are with each try. */
enum { FIRST_CALLS = 1000000, MORE_CALLS = 4, ITERATIONS = 20, SKIPPED = 3 };

/* Runs whose median time counts where achieved errors are not shown. */
enum { TIMED_RUNS = 3 };

static const uh_integrate_variant variants[MCUBES_BYS] = {[MCUBES_OURS] = UH_INTEGRATE_MCUBES,
                                                          [MCUBES_1D] = UH_INTEGRATE_MCUBES1D,
                                                          [MCUBES_PLUS] = UH_INTEGRATE_VEGAS_PLUS,
                                                          [MCUBES_PLAIN] = UH_INTEGRATE_PLAIN};

const char *mcubes_by_name(enum mcubes_by by) {
    return by == MCUBES_GSL ? "gsl vegas" : uh_enum_name(UH_ENUM_INTEGRATE_VARIANT, variants[by]);
}

void mcubes_integrand(const struct integrand_of *f, char text[16]) {
    snprintf(text, 16, "%s,%zu", perf_integrand_name(f->name), f->dims);
}

int mcubes_tables(const struct mcubes_results *results, enum mcubes_by by) {
    return by == MCUBES_OURS || by == MCUBES_PLUS || (by == MCUBES_GSL && results->has_gsl);
}

int mcubes_plots(const struct mcubes_results *results, size_t integrand, enum mcubes_by by) {
    return by == MCUBES_PLAIN || (by == MCUBES_1D && mcubes_plotted[integrand].symmetric) || mcubes_tables(results, by);
}

double mcubes_ratio(const struct mcubes_series *above, const struct mcubes_series *below, size_t level) {
    if (level >= above->count || level >= below->count || !above->level[level].reached || !below->level[level].reached)
        return 0;
    return above->level[level].seconds / below->level[level].seconds;
}

double mcubes_quartile(const struct mcubes_level *level, unsigned part) {
    const double at = (double)(level->reached - 1) * part / 4;
    const size_t below = (size_t)at, above = below + (below + 1 < level->reached);
    return level->errors[below] + (at - (double)below) * (level->errors[above] - level->errors[below]);
}

/* ---- one integral ---- */

static int integrate_by_gsl(struct mcubes_results *results, const struct perf_integral_task *task,
                            struct perf_integral *found, struct perf_error *error) {
    const struct perf_peers_case what = {.k = task->f.dims, .n = (size_t)task->calls, .integral = task};
    struct perf_subject subject;
    size_t count = 0;
    int status = perf_peers_take_case(results->peers, &what, &count, error);
    if (status == PERF_OK && count == 0)
        status = perf_fail(error, "the peer gsl_vegas does not integrate %s", perf_integrand_name(task->f.name));
    if (status != PERF_OK)
        return status;
    perf_peers_at(results->peers, 0, &subject);
    status = subject.run(&subject, error);
    return status == PERF_OK ? perf_peers_integral(&subject, found, error) : status;
}

static int integrate(struct mcubes_results *results, enum mcubes_by by, const struct perf_integral_task *task,
                     struct perf_integral *found, struct perf_error *error) {
    char name[16];
    if (perf_interrupted)
        return perf_fail(error, "interrupted");
    mcubes_integrand(&task->f, name);
    perf_report_progress("%s to %.3g by %s", name, task->tau, mcubes_by_name(by));
    const int status = by == MCUBES_GSL ? integrate_by_gsl(results, task, found, error)
                                        : perf_integral_run(results->queue, results->bench->machine.isa, variants[by],
                                                            task, found, error);
    perf_report_progress(NULL);
    return status;
}

/* ---- a level ---- */

/* With ever more samples until the error is reached: not where two iterations that count would take longer than is
 * left.
 */
static int climb(struct mcubes_results *results, enum mcubes_by by, double seconds, struct mcubes_level *level,
                 struct perf_error *error) {
    const double begun = perf_now();
    struct perf_integral_task *task = &level->task;
    int status = PERF_OK;
    for (double left = seconds; status == PERF_OK; task->calls *= MORE_CALLS) {
        task->seconds = left;
        status = integrate(results, by, task, &level->found, error);
        left = seconds - (perf_now() - begun);
        const double rate = level->found.evaluations / level->found.total;
        const double next = (double)(task->skipped + 2) * MORE_CALLS * (double)task->calls / rate;
        if (level->found.reached || !(next < left))
            break;
    }
    level->seconds = level->found.total;
    return status;
}

/* The same with other seeds, as long as there is time. */
static int repeat(struct mcubes_results *results, enum mcubes_by by, size_t runs, struct mcubes_level *level,
                  struct perf_error *error) {
    const double begun = perf_now(), truth = integrand_true(&level->task.f);
    double times[MCUBES_RUNS_MAX];
    struct perf_integral_task task = level->task;
    struct perf_integral found = level->found;
    int status = PERF_OK;
    level->errors = malloc(runs * sizeof *level->errors);
    if (!level->errors)
        return perf_fail(error, "out of memory for %zu errors", runs);
    for (;;) {
        if (found.reached) {
            times[level->reached] = found.total;
            level->errors[level->reached++] = fabs(found.value / truth - 1);
        }
        task.seed++;
        if (++level->runs == runs || perf_now() - begun > results->bench->options.seconds)
            break;
        status = integrate(results, by, &task, &found, error);
        if (status != PERF_OK)
            return status;
    }
    qsort(times, level->reached, sizeof *times, perf_compare);
    qsort(level->errors, level->reached, sizeof *level->errors, perf_compare);
    level->seconds = (times[(level->reached - 1) / 2] + times[level->reached / 2]) / 2;
    return PERF_OK;
}

static int measure_level(struct mcubes_results *results, enum mcubes_by by, double seconds, size_t runs,
                         struct mcubes_level *level, struct perf_error *error) {
    level->task.skipped = by == MCUBES_PLAIN ? 0 : SKIPPED;
    level->task.seed = SEED;
    const int status = climb(results, by, seconds, level, error);
    return status == PERF_OK && level->found.reached ? repeat(results, by, runs, level, error) : status;
}

static int measure_series(struct mcubes_results *results, const struct integrand_of *f, enum mcubes_by by,
                          struct mcubes_series *series, struct perf_error *error) {
    const size_t seeds = (size_t)results->bench->options.seeds, timed = seeds < TIMED_RUNS ? seeds : TIMED_RUNS;
    uint64_t calls = FIRST_CALLS;
    int status = PERF_OK, reached = 1;
    while (status == PERF_OK && reached && series->count < MCUBES_LEVELS) {
        struct mcubes_level *level = &series->level[series->count];
        level->task = (struct perf_integral_task){
            .f = *f, .calls = calls, .iterations = ITERATIONS, .tau = mcubes_tau(series->count)};
        status = measure_level(results, by, results->bench->options.seconds, by == MCUBES_OURS ? seeds : timed, level,
                               error);
        calls = level->task.calls;
        reached = level->found.reached;
        series->count++;
    }
    return status;
}

int mcubes_measure(struct mcubes_results *results, struct perf_error *error) {
    const double seconds = MCUBES_TABLED_TIMES * results->bench->options.seconds;
    int status = PERF_OK;
    for (enum mcubes_by by = 0; by < MCUBES_BYS; by++) {
        for (size_t i = 0; status == PERF_OK && i < MCUBES_TABLED; i++) {
            struct mcubes_level *level = &results->tabled[i][by];
            level->task = (struct perf_integral_task){.f = mcubes_tabled[i].f,
                                                      .calls = FIRST_CALLS,
                                                      .iterations = mcubes_tabled[i].iterations,
                                                      .tau = MCUBES_TABLED_TAU};
            if (mcubes_tables(results, by))
                status = measure_level(results, by, seconds, 1, level, error);
        }
        for (size_t i = 0; status == PERF_OK && i < MCUBES_PLOTTED; i++)
            if (mcubes_plots(results, i, by))
                status = measure_series(results, &mcubes_plotted[i].f, by, &results->series[i][by], error);
    }
    return status;
}
