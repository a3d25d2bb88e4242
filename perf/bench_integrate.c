/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals over a grid that has settled, compared with evaluating the integrand alone; and compared with other
 * libraries the rate of evaluations, and the time in which an error is small enough. */
#include "perf/bench.h"
#include "perf/integral.h"
#include "perf/loops.h"

#include "f2_6.c.h"
#include "f4_12.c.h"
#include "f4_3.c.h"
#include "f4_6.c.h"
#include "f5_8.c.h"

/* ---- what experiments and peers use, too (integral.h) ------------------------------------------------------------ */

/* Errors of heavy tails are too small by more than a normal distribution's deviations. */
enum { DEVIATIONS = 10 };

void perf_integral_run(uh_queue *queue, const char *isa, uh_integrate_variant variant,
                       const struct perf_integral_task *task, struct perf_integral *found) {
    double lower[UH_INTEGRATE_MAX_DIMS], upper[UH_INTEGRATE_MAX_DIMS];
    for (size_t d = 0; d < task->f.dims; d++) {
        lower[d] = integrand_lower(&task->f);
        upper[d] = integrand_upper(&task->f);
    }
    const uh_integrand integrand = {.struct_size = sizeof integrand,
                                    .dims = task->f.dims,
                                    .function = perf_loops(isa)->integrands[task->f.name],
                                    .context = &task->f};
    const int settles = variant == UH_INTEGRATE_VEGAS_PLUS && task->tau > 0; /* by the library's own rule */
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .lower = lower,
                                          .upper = upper,
                                          .variant = variant,
                                          .max_calls = task->calls,
                                          .iterations = task->iterations,
                                          .adjusting = task->tau > 0 ? 0 : task->iterations,
                                          .skipped = !task->skipped ? SIZE_MAX
                                                     : settles      ? 0
                                                                    : task->skipped,
                                          .relative_error = task->tau > 0 ? task->tau : 1e-300,
                                          .max_chi2_dof = PERF_INTEGRAL_CHI2,
                                          .seed = task->seed,
                                          .time_limit_ns = (uint64_t)(1e9 * task->seconds)};
    uh_integral integral = {.struct_size = sizeof integral};
    perf_check(uh_integrate(queue, &integrand, &options, &integral));
    *found = (struct perf_integral){.value = integral.value,
                                    .error = integral.error,
                                    .chi2 = integral.chi2_dof,
                                    .evaluations = (double)integral.calls,
                                    .reached = integral.end == UH_INTEGRATE_CONVERGED,
                                    .kernel = 1e-9 * (double)integral.kernel_ns,
                                    .total = 1e-9 * (double)integral.total_ns};
}

void perf_integral_check(const struct perf_integral_task *task, const struct perf_integral *found) {
    const double truth = integrand_true(&task->f);
    if (task->tau > 0 && !found->reached)
        perf_fail("%zu iterations of %llu samples have not reached the relative error %g, but %g +- %g",
                  task->iterations, (unsigned long long)task->calls, task->tau, found->value, found->error);
    if (!(fabs(found->value - truth) < DEVIATIONS * fmax(found->error, task->tau * fabs(truth))))
        perf_fail("wrong: the integral is %.10g +- %g, expected %.10g", found->value, found->error, truth);
}

/* ---- integrals over a grid that has settled ---------------------------------------------------------------------- */

#define SEED UINT64_C(20261123)

enum { SAMPLES = 1 << 22, ITERATIONS = 2, SETTLED = 10, SETTLING = 1 << 18, BINS = 500 };
enum { RATE_ITERATIONS = 12, RATE_SKIPPED = 8, TIME_SKIPPED = 3 };

/* A choice next to the variants: mcubes on a grid that does not follow. */
enum { FIXED = -1 };

/* What a row is of: integrals on the grid that has settled, evaluations compared with peers, or time to an error; and
 * the integrand. */
enum kind { SETTLED_GRID, RATE, TIME };
#define KIND(kind, name) ((kind) + 8 * (name))

/* Samples of an iteration of a row of times, with which its error is 10^-4. With fewer it is larger. */
enum { TIME_SAMPLES = 1000000, TIME_MIN = 1 << 15, TIME_ITERATIONS = 200, RATE_MIN = 1 << 21 };

struct work {
    uh_integrand integrand;
    struct integrand_of f;
    struct perf_integral_task task; /* of the first kind only the integrand */
    struct perf_integral found;
    uh_grid *settled, *grid; /* the latter a copy for each run, which changes it */
    double *points;          /* of a batch, one coordinate after the other, and room for values */
};

/* Integrates over work->grid, which the first iterations adjust. */
static void integrate(struct work *work, uh_queue *queue, int choice, size_t n, size_t iterations, size_t adjusting) {
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .variant =
                                              choice == FIXED ? UH_INTEGRATE_MCUBES : (uh_integrate_variant)choice,
                                          .max_calls = n,
                                          .iterations = iterations,
                                          .adjusting = adjusting,
                                          .skipped = SIZE_MAX,
                                          .relative_error = 1e-15,
                                          .seed = SEED,
                                          .grid = work->grid};
    uh_integral integral = {.struct_size = sizeof integral};
    perf_check(uh_integrate(queue, &work->integrand, &options, &integral));
    work->found = (struct perf_integral){.value = integral.value, .error = integral.error};
}

static void free_grids(void *shared) {
    struct work *work = shared;
    uh_grid_destroy(work->settled);
    uh_grid_destroy(work->grid);
    work->settled = work->grid = NULL;
}

/* The grid is adjusted by the first iterations of both, which do not count. */
static void make_task(struct perf_case *what, struct work *work) {
    const int rate = what->row->kind % 8 == RATE;
    const size_t least = rate ? RATE_MIN : TIME_MIN;
    what->n = what->n < least ? least : what->n;
    work->task = (struct perf_integral_task){.f = work->f,
                                             .calls = rate ? what->n / RATE_ITERATIONS : what->n,
                                             .iterations = rate ? RATE_ITERATIONS : TIME_ITERATIONS,
                                             .skipped = rate ? RATE_SKIPPED : TIME_SKIPPED,
                                             .tau = rate ? 0 : fmax(1e-4, 1e-4 * TIME_SAMPLES / (double)what->n),
                                             .seed = SEED};
    work->task.tau = fmin(work->task.tau, 0.01);
    what->shared = (struct perf_peers_case){.k = what->k, .integral = &work->task};
}

/* The integrand of a grid that has settled as a text. */
static const uh_integrand_code *text_of(const struct integrand_of *f) {
    if (f->name == F2)
        return &uh_integrand_f2_6;
    if (f->name == F5)
        return &uh_integrand_f5_8;
    return f->dims == 3 ? &uh_integrand_f4_3 : f->dims == 6 ? &uh_integrand_f4_6 : &uh_integrand_f4_12;
}

static void make(struct perf_case *what, void *shared) {
    struct work *work = shared;
    free_grids(work);
    work->f = (struct integrand_of){(enum integrand_name)(what->row->kind / 8), what->k};
    work->task = (struct perf_integral_task){.f = work->f};
    if (what->row->kind % 8 != SETTLED_GRID) {
        make_task(what, work);
        return;
    }
    work->integrand = (uh_integrand){.struct_size = sizeof work->integrand,
                                     .dims = what->k,
                                     .function = perf_loops(what->bench->machine.isa)->integrands[work->f.name],
                                     .context = &work->f};
    if (!what->device->host) /* which takes no functions */
        work->integrand = (uh_integrand){.struct_size = sizeof work->integrand, .code = text_of(&work->f)};
    what->n = what->n < 4096 ? 4096 : what->n;
    work->points = perf_array(what, UH_INTEGRATE_BATCH * (what->k + 1) * sizeof *work->points);
    for (size_t i = 0; i < UH_INTEGRATE_BATCH * what->k; i++)
        work->points[i] = 0.45 + 0.1 * (double)perf_random(1, i) * 0x1p-32;
}

/* The first one has the grid settle. */
static void start(struct perf_subject *subject) {
    struct work *work = subject->work;
    if (work->settled)
        return;
    perf_check(uh_grid_create(work->f.dims, BINS, NULL, NULL, NULL, &work->grid));
    integrate(work, subject->queue, UH_INTEGRATE_MCUBES, subject->n < SETTLING ? SETTLING : SAMPLES / 4, SETTLED,
              SETTLED);
    work->settled = work->grid;
    work->grid = NULL;
}

static void before(struct perf_subject *subject) {
    struct work *work = subject->work;
    uh_grid_properties properties = {.struct_size = sizeof properties};
    uh_grid_destroy(work->grid);
    work->grid = NULL;
    perf_check(uh_grid_get_properties(work->settled, &properties) ||
               uh_grid_create(work->f.dims, BINS, NULL, NULL, properties.edges, &work->grid));
}

static void run(struct perf_subject *subject) {
    integrate(subject->work, subject->queue, subject->choice, subject->n / ITERATIONS, ITERATIONS,
              subject->choice == FIXED ? SIZE_MAX : ITERATIONS);
}

static void check(struct perf_subject *subject) {
    const struct work *work = subject->work;
    perf_integral_check(&work->task, &work->found);
}

/* Points that are there already, as many as are sampled. */
static void evaluate(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const double *x[UH_INTEGRATE_MAX_DIMS];
    double *const value = work->points + UH_INTEGRATE_BATCH * work->f.dims;
    for (size_t d = 0; d < work->f.dims; d++)
        x[d] = work->points + UH_INTEGRATE_BATCH * d;
    for (size_t i = 0; i < subject->n; i += UH_INTEGRATE_BATCH)
        work->integrand.function(UH_INTEGRATE_BATCH, x, &value, work->integrand.context);
}

/* ---- with peers ------------------------------------------------------------------------------------------------- */

static void run_task(struct perf_subject *subject) {
    struct work *work = subject->work;
    perf_integral_run(subject->queue, subject->what->bench->machine.isa, (uh_integrate_variant)subject->choice,
                      &work->task, &work->found);
}

static void check_task(struct perf_subject *subject) {
    const struct work *work = subject->work;
    subject->evaluations = work->found.evaluations;
    if (!(work->task.tau > 0)) /* whole cubes make fewer than the task has */
        subject->n = (size_t)work->found.evaluations;
    snprintf(subject->note, sizeof subject->note, "%.10g evaluations, %.10g +- %.2g", work->found.evaluations,
             work->found.value, work->found.error);
    perf_integral_check(&work->task, &work->found);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define WAY_ROW(way_)                                                                                                  \
    .kinds = 1 << SETTLED_GRID, .choice = (way_), .start = start, .before = before, .run = run, .check = check
#define TASK_ROW(variant_)                                                                                             \
    .kinds = 1 << RATE | 1 << TIME, .threads = 1, .choice = (variant_), .run = run_task, .check = check_task

static const struct perf_subject subjects[] = {
    {.name = "evaluate", .kinds = 1 << SETTLED_GRID, .role = PERF_LIMIT, .host = 1, .threads = 1, .run = evaluate},
    {WAY_ROW(FIXED), .name = "fixed", .title = "mcubes, no adjusting", .threads = 1},
    {WAY_ROW(UH_INTEGRATE_MCUBES), .name = "mcubes"},
    {WAY_ROW(UH_INTEGRATE_MCUBES1D), .name = "mcubes1d", .threads = 1},
    {WAY_ROW(UH_INTEGRATE_VEGAS_PLUS), .name = "vegas_plus", .threads = 1},
    {TASK_ROW(UH_INTEGRATE_MCUBES), .name = "mcubes"},
    {TASK_ROW(UH_INTEGRATE_VEGAS_PLUS), .name = "vegas_plus"}};

#define ONE_GRID_GOAL                                                                                                  \
    { PERF_GOAL_SUBJECT, "x mcubes", "mcubes1d", "mcubes", 1, 1, .floor = 1.05, .goal = 1.2 }
#define TIME_GOAL                                                                                                      \
    { PERF_GOAL_SUBJECT, "x gsl", "vegas_plus", "gsl", 1, 1, .floor = 4, .goal = 10 }
#define CALLS_GOAL                                                                                                     \
    { PERF_GOAL_CALLS, "x calls", "vegas_plus", "mcubes", 1, 1, .floor = 1, .goal = 0.5 }
static const struct perf_goal goals[] = {
    {PERF_GOAL_SUBJECT, "of evaluating", "fixed", "evaluate", 1, 1, .floor = 0.4, .goal = 0.7},
    {PERF_GOAL_SUBJECT, "of no adjusting", "mcubes", "fixed", 1, 1, .floor = 0.7, .goal = 0.87},
    ONE_GRID_GOAL,
    {PERF_GOAL_SUBJECT, "x one thread", "mcubes", "mcubes", 2, 1, .floor = 1.8, .goal = 1.95},
    {.unit = NULL}};

#define ROW(k_)  .dtype = UH_F64, .shapes = PERF_USUAL_ONLY, .k = (k_)
#define GAUSSIAN .n = SAMPLES, .alone = 1, .kind = KIND(SETTLED_GRID, F4)
#define TO_ERROR .n = TIME_SAMPLES, .unit = PERF_TIMES, .host = 1 /* by functions, compared with other libraries */
static const struct perf_row rows[] = {
    {"f64/d:6/gaussian", ROW(6), GAUSSIAN, .title = "integrate d=6", .goals = goals},
    {"f64/d:3/gaussian", ROW(3), GAUSSIAN},
    {"f64/d:12/gaussian", ROW(12), GAUSSIAN},
    {"f64/d:6/f2", ROW(6), .n = SAMPLES, .alone = 1, .kind = KIND(SETTLED_GRID, F2), .title = "integrate f2 d=6",
     PERF_GOALS(ONE_GRID_GOAL)},
    {"f64/d:8/f5", ROW(8), .n = SAMPLES, .alone = 1, .kind = KIND(SETTLED_GRID, F5), .title = "integrate f5 d=8",
     PERF_GOALS(ONE_GRID_GOAL)},
    {"f64/d:6/f4", ROW(6), .n = SAMPLES, .host = 1, .kind = KIND(RATE, F4), .title = "integrate f4 d=6",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x gsl", "mcubes", "gsl", 1, 1, .floor = 6, .goal = 12},
                {PERF_GOAL_SUBJECT, "x cuba", "mcubes", "cuba", 1, 1, .floor = 4, .goal = 8})},
    {"f64/d:3/f1/error", ROW(3), TO_ERROR, .kind = KIND(TIME, F1), .title = "integrate f1 d=3 to 1e-4",
     PERF_GOALS(TIME_GOAL)},
    {"f64/d:8/f2/error", ROW(8), TO_ERROR, .kind = KIND(TIME, F2), .title = "integrate f2 d=8 to 1e-4",
     PERF_GOALS(TIME_GOAL, CALLS_GOAL)},
    {"f64/d:3/f3/error", ROW(3), TO_ERROR, .kind = KIND(TIME, F3), .title = "integrate f3 d=3 to 1e-4",
     PERF_GOALS(TIME_GOAL)},
    {"f64/d:8/f4/error", ROW(8), TO_ERROR, .kind = KIND(TIME, F4), .title = "integrate f4 d=8 to 1e-4",
     PERF_GOALS(TIME_GOAL, CALLS_GOAL)},
    {"f64/d:8/f5/error", ROW(8), TO_ERROR, .kind = KIND(TIME, F5), .title = "integrate f5 d=8 to 1e-4",
     PERF_GOALS(TIME_GOAL)},
    {"f64/d:6/f6/error", ROW(6), TO_ERROR, .kind = KIND(TIME, F6), .title = "integrate f6 d=6 to 1e-4",
     PERF_GOALS(TIME_GOAL)}};

const struct perf_operation uhi_perf_integrate = {
    .name = "integrate",
    .about =
        "integrate: VEGAS over a Gaussian peak, and two other integrands of the m-CUBES paper, on a grid that has\n"
        "settled, compared with evaluating them alone; and the paper's integrands compared with the VEGAS of GSL and\n"
        "of Cuba (one thread).",
    .options = "rows integrate",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x gsl",
    .peers = {{"gsl_vegas", "gsl", PERF_BASELINE}, {"cuba_vegas", "cuba", PERF_COMPARED}},
    .work_size = sizeof(struct work),
    .make = make,
    .end = free_grids};
