/* SPDX-License-Identifier: Apache-2.0 */
/* Integrals of a Gaussian peak over a grid that has settled, beside evaluating it alone. */
#include "perf/bench.h"
#include "perf/loops.h"

#include <math.h>
#include <stdlib.h>

#define SEED  UINT64_C(20261123)
#define WIDTH 0.070898154036220643 /* the integral over one axis: sqrt(pi) / 25 */

enum { SAMPLES = 1 << 22, ITERATIONS = 2, SETTLED = 10, BINS = 500 };

/* How samples are spread, and whether the grid follows. */
enum way { FIXED, MCUBES, MCUBES1D, VEGAS_PLUS };

struct work {
    uh_integrand integrand;
    size_t dims;
    uh_grid *settled, *grid; /* the latter a copy for each run, which changes it */
    double *points;          /* of a batch, one coordinate behind the other, and room for values */
    double value;            /* the last integral */
    double error;
};

static uh_status integrate(const struct work *work, uh_queue *queue, enum way way, size_t n, size_t iterations,
                           size_t adjusting, uh_integral *integral) {
    static const uh_integrate_variant variants[] = {[FIXED] = UH_INTEGRATE_MCUBES,
                                                    [MCUBES] = UH_INTEGRATE_MCUBES,
                                                    [MCUBES1D] = UH_INTEGRATE_MCUBES1D,
                                                    [VEGAS_PLUS] = UH_INTEGRATE_VEGAS_PLUS};
    const uh_integrate_options options = {.struct_size = sizeof options,
                                          .variant = variants[way],
                                          .max_calls = n,
                                          .iterations = iterations,
                                          .adjusting = adjusting,
                                          .skipped = SIZE_MAX,
                                          .relative_error = 1e-15,
                                          .seed = SEED,
                                          .grid = work->grid};
    *integral = (uh_integral){.struct_size = sizeof *integral};
    return uh_integrate(queue, &work->integrand, &options, integral);
}

static void free_grids(struct work *work) {
    (void)uh_grid_destroy(work->settled);
    (void)uh_grid_destroy(work->grid);
    work->settled = work->grid = NULL;
}

static int make(struct perf_case *what, void *shared, struct perf_error *error) {
    struct work *work = shared;
    free_grids(work);
    work->dims = what->k;
    work->integrand = (uh_integrand){.struct_size = sizeof work->integrand,
                                     .dims = what->k,
                                     .function = perf_loops(what->bench->machine.isa)->gaussian,
                                     .context = &work->dims};
    what->n = what->n < 4096 ? 4096 : what->n;
    work->points = perf_array(what, UH_INTEGRATE_BATCH * (what->k + 1) * sizeof *work->points, error);
    if (!work->points)
        return PERF_FAILURE;
    for (size_t i = 0; i < UH_INTEGRATE_BATCH * what->k; i++)
        work->points[i] = 0.45 + 0.1 * (double)perf_random(1, i) * 0x1p-32;
    return PERF_OK;
}

/* The first one has the grid settle. */
static int start(struct perf_subject *subject, struct perf_error *error) {
    struct work *work = subject->work;
    uh_integral integral;
    if (work->settled)
        return PERF_OK;
    if (uh_grid_create(work->dims, BINS, NULL, NULL, NULL, &work->grid) ||
        integrate(work, subject->queue, MCUBES, SAMPLES / 4, SETTLED, SETTLED, &integral))
        return perf_library_failed(error);
    work->settled = work->grid;
    work->grid = NULL;
    return PERF_OK;
}

static int before(struct perf_subject *subject, struct perf_error *error) {
    struct work *work = subject->work;
    uh_grid_properties properties = {.struct_size = sizeof properties};
    (void)uh_grid_destroy(work->grid);
    work->grid = NULL;
    if (uh_grid_get_properties(work->settled, &properties) ||
        uh_grid_create(work->dims, BINS, NULL, NULL, properties.edges, &work->grid))
        return perf_library_failed(error);
    return PERF_OK;
}

static int run(struct perf_subject *subject, struct perf_error *error) {
    struct work *work = subject->work;
    const enum way way = (enum way)subject->choice;
    uh_integral integral;
    if (integrate(work, subject->queue, way, subject->n / ITERATIONS, ITERATIONS, way == FIXED ? SIZE_MAX : ITERATIONS,
                  &integral))
        return perf_library_failed(error);
    work->value = integral.value;
    work->error = integral.error;
    return PERF_OK;
}

static int check(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    const double truth = pow(WIDTH, (double)work->dims);
    if (fabs(work->value - truth) < 8 * work->error)
        return PERF_OK;
    return perf_fail(error, "wrong: the integral is %g +- %g, expected %g", work->value, work->error, truth);
}

/* Points that are there already, as many as are sampled. */
static int evaluate(struct perf_subject *subject, struct perf_error *error) {
    const struct work *work = subject->work;
    const double *x[UH_INTEGRATE_MAX_DIMS];
    double *const value = work->points + UH_INTEGRATE_BATCH * work->dims;
    (void)error;
    for (size_t d = 0; d < work->dims; d++)
        x[d] = work->points + UH_INTEGRATE_BATCH * d;
    for (size_t i = 0; i < subject->n; i += UH_INTEGRATE_BATCH)
        work->integrand.function(UH_INTEGRATE_BATCH, x, &value, work->integrand.context);
    return PERF_OK;
}

static const struct perf_subject subjects[] = {
    {.name = "evaluate", .role = PERF_LIMIT, .threads = 1, .run = evaluate},
    {.name = "fixed",
     .title = "mcubes, no adjusting",
     .threads = 1,
     .choice = FIXED,
     .start = start,
     .before = before,
     .run = run,
     .check = check},
    {.name = "mcubes", .threads = 1, .choice = MCUBES, .start = start, .before = before, .run = run, .check = check},
    {.name = "mcubes1d",
     .threads = 1,
     .choice = MCUBES1D,
     .start = start,
     .before = before,
     .run = run,
     .check = check},
    {.name = "vegas_plus",
     .threads = 1,
     .choice = VEGAS_PLUS,
     .start = start,
     .before = before,
     .run = run,
     .check = check},
    {.name = "mcubes", .threads = 2, .choice = MCUBES, .start = start, .before = before, .run = run, .check = check}};

static const struct perf_goal goals[] = {
    {PERF_BESIDE, "of evaluating", "fixed", "evaluate", 1, 1, .floor = 0.4, .goal = 0.7},
    {PERF_BESIDE, "of no adjusting", "mcubes", "fixed", 1, 1, .floor = 0.7, .goal = 0.87},
    {PERF_BESIDE, "x mcubes", "mcubes1d", "mcubes", 1, 1, .floor = 1.05, .goal = 1.2},
    {PERF_BESIDE, "x one thread", "mcubes", "mcubes", 2, 1, .floor = 1.8, .goal = 1.95},
    {.unit = NULL}};

static const struct perf_row rows[] = {
    {"f64/d:6/gaussian", .dtype = UH_F64, .shapes = PERF_USUAL_ONLY, .n = SAMPLES, .k = 6, .title = "integrate d=6",
     .goals = goals},
    {"f64/d:3/gaussian", .dtype = UH_F64, .shapes = PERF_USUAL_ONLY, .n = SAMPLES, .k = 3},
    {"f64/d:12/gaussian", .dtype = UH_F64, .shapes = PERF_USUAL_ONLY, .n = SAMPLES, .k = 12}};

static void end(void *work) {
    free_grids(work);
}

const struct perf_operation uhi_perf_integrate = {
    .name = "integrate",
    .about = "integrate: VEGAS over a Gaussian peak, on a grid that has settled, beside evaluating it alone.",
    .of = PERF_OF_ROWS,
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .work_size = sizeof(struct work),
    .make = make,
    .end = end};
