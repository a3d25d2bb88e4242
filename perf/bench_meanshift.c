/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift: compared with scikit-learn, by one thread and by two, by cells compared with tiles, tiles compared with
 * the vector operations that interactions take, and a million points. */
#include "perf/bench.h"
#include "perf/loops.h"
#include "perf/meanshift_points.h"

#define SEED UINT64_C(20261123)

/* Points whose moves are compared with those of the plain loop, spread over all of them. */
enum { COMPARED = 64 };

/* What a row is of, what its data are, and how many axes there are. */
enum kind { LIKE_SKLEARN, BLURRING, CELLS, TILE, MILLION, SHAPES, KINDS };
#define KIND(kind, data, dims) ((kind) + 8 * (data) + 64 * (dims))

/* A radius of 0 is that of the paper's data. */
static const struct settings {
    uh_mean_shift_algorithm algorithm;
    uh_density_kernel kernel;
    uh_mean_shift_reduction reduction;
    double radius, neighbours;
    double eps; /* 0: that of the library; below: none */
    size_t iterations;
} settings[KINDS] = {
    [LIKE_SKLEARN] = {UH_MEAN_SHIFT_MODES, UH_KERNEL_FLAT, UH_MEAN_SHIFT_DENSEST, 2.5, 0, 0, 300},
    [BLURRING] = {UH_MEAN_SHIFT_BLURRING, UH_KERNEL_GAUSSIAN, UH_MEAN_SHIFT_GREEDY, 0, 0, -1, 3},
    [CELLS] = {UH_MEAN_SHIFT_BLURRING, UH_KERNEL_GAUSSIAN, UH_MEAN_SHIFT_COMPONENTS, 1, 50, -1, 1},
    [TILE] = {UH_MEAN_SHIFT_BLURRING, UH_KERNEL_GAUSSIAN, UH_MEAN_SHIFT_GREEDY, 0, 0, -1, 3},
    [MILLION] = {UH_MEAN_SHIFT_MODES, UH_KERNEL_GAUSSIAN, UH_MEAN_SHIFT_COMPONENTS, 1, 30, -1, 10},
    [SHAPES] = {UH_MEAN_SHIFT_BLURRING, UH_KERNEL_GAUSSIAN, UH_MEAN_SHIFT_COMPONENTS, 1, 50, -1, 2},
};

/* Vector operations of an interaction by the rule of kernels/meanshift/meanshift.h; perf/README.md counts them. Those
 * of exp are of a polynomial of degree 5, or of 9 for float64. */
static struct perf_operations operations_of(uh_dtype dtype, unsigned dims) {
    const unsigned degree = dtype == UH_F32 ? 5 : 9;
    return (struct perf_operations){
        .integers = dims + 4, .multiplications = 2 * dims + 3 + degree, .additions = 3 * dims + 6 + degree};
}

/* Memory that a call may take: so much for each coordinate, and what does not grow with them. */
#define PEAK_OF_COORDINATE 256.0
#define PEAK_OF_CALL       (64.0 * 0x1p20)

struct work {
    enum kind kind;
    struct oracle_points points;
    double radius, sigma;
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    size_t compared;
    double right[COMPARED * UH_MEAN_SHIFT_MAX_DIMS]; /* where those have moved: room for rows of any type */
    uint64_t counts[16];                             /* of clusters that never meet */
    struct perf_shift_task task;
    char cpus[64];
    uh_clusters *clusters; /* of the last run */
    double limit, resident;
    double iterations; /* seconds of those of the last run, without the reduction */
};

/* ---- a case ----------------------------------------------------------------------------------------------------- */

/* The peer is handed the same, with as many CPUs as our threads have at most. */
static void make_task(struct perf_case *what, struct work *work) {
    const struct perf_cpus *cpus = &what->bench->cpus;
    const size_t n = work->points.n, clusters = meanshift_separate(n);
    for (size_t i = 0; i < clusters; i++)
        work->counts[i] = n / clusters + (i < n % clusters);
    if (cpus->count < 2)
        return;
    snprintf(work->cpus, sizeof work->cpus, "%zu,%zu", cpus->cpu[0], cpus->cpu[1]);
    work->task = (struct perf_shift_task){.dims = work->points.dims,
                                          .radius = work->radius,
                                          .iterations = settings[LIKE_SKLEARN].iterations,
                                          .clusters = clusters,
                                          .counts = work->counts,
                                          .cpus = work->cpus};
    what->shared = (struct perf_peers_case){.x = work->points.rows, .k = clusters, .shift = &work->task};
}

static void find_right(struct work *work) {
    const struct settings *of = &settings[work->kind];
    const struct oracle_kernel kernel = oracle_kernel_of(of->kernel, work->radius, work->sigma, 0);
    work->compared = work->points.n < COMPARED ? work->points.n : COMPARED;
    if (of->algorithm == UH_MEAN_SHIFT_BLURRING)
        meanshift_blurred(&work->points, &kernel, of->iterations, work->compared, work->right);
    else
        meanshift_modes(&work->points, &kernel, of->iterations, of->eps < 0 ? -1 : 1e-3L * work->radius, work->compared,
                        work->right);
}

static void make(struct perf_case *what, void *shared) {
    struct work *work = shared;
    const unsigned kind = (unsigned)what->row->kind;
    const size_t dims = kind / 64;
    const struct settings *of = &settings[kind % 8];
    void *rows = perf_array(what, what->n * dims * uh_dtype_size(what->dtype));
    work->kind = (enum kind)(kind % 8);
    work->points = (struct oracle_points){what->dtype, what->n, dims, rows};
    work->radius = of->radius > 0 ? of->radius : sqrt(dims == 2 ? 30 : 60);
    work->sigma = of->radius > 0 ? of->radius / 3 : dims == 2 ? 3 : 4;
    meanshift_points((enum meanshift_data)(kind / 8 % 8), SEED, what->n, dims, of->neighbours, what->dtype, rows);
    uh_arrays_of_rows(what->dtype, rows, what->n, dims, work->arrays);
    if (work->kind == LIKE_SKLEARN)
        make_task(what, work);
    perf_report_progress("%s: by the oracle", what->name);
    find_right(work);
}

static void drop_clusters(void *shared) {
    struct work *work = shared;
    uh_clusters_destroy(work->clusters);
    work->clusters = NULL;
}

/* ---- the library ------------------------------------------------------------------------------------------------ */

/* Items are pairs of points, whether or not they are looked at, but for what others count by points. */
static void start(struct perf_subject *subject) {
    const struct work *work = subject->work;
    if (work->kind != LIKE_SKLEARN && work->kind != MILLION)
        subject->n = work->points.n * work->points.n * settings[work->kind].iterations;
}

static void before(struct perf_subject *subject) {
    struct work *work = subject->work;
    if (work->kind == MILLION)
        work->resident = perf_peak_memory(1);
}

static int add_iteration(const uh_mean_shift_iteration *iteration, void *context) {
    struct work *work = context;
    work->iterations += 1e-9 * (double)iteration->total_ns;
    return 0;
}

/* Of cells compared with tiles the reduction, which is the same for both, is no part of the time. */
static void tell_times(const struct perf_subject *subject, double *seconds, double *cpu) {
    const struct work *work = subject->work;
    if (work->kind == CELLS) {
        *cpu *= work->iterations / *seconds;
        *seconds = work->iterations;
    }
}

static void run(struct perf_subject *subject) {
    struct work *work = subject->work;
    const struct settings *of = &settings[work->kind];
    const uh_mean_shift_options options = {.struct_size = sizeof options,
                                           .algorithm = of->algorithm,
                                           .kernel = of->kernel,
                                           .method = (uh_mean_shift_method)subject->choice,
                                           .reduction = of->reduction,
                                           .radius = work->radius,
                                           .sigma = of->kernel == UH_KERNEL_GAUSSIAN ? work->sigma : 0,
                                           .eps = of->eps,
                                           .iterations = of->iterations,
                                           .report = add_iteration,
                                           .report_context = work};
    drop_clusters(work);
    work->iterations = 0;
    perf_check(uh_mean_shift(subject->queue, work->arrays, work->points.dims, &options, &work->clusters));
}

/* ---- checks ----------------------------------------------------------------------------------------------------- */

/* By how much a coordinate may be another: rounding, and neighbours at the radius that are in or out by it. */
static double tolerance(const struct work *work, double x) {
    const double radius = work->radius;
    return work->points.dtype == UH_F32 ? 1e-3 * radius + 8 * 0x1p-23 * fabs(x) : 1e-7 * radius + 8 * 0x1p-52 * fabs(x);
}

static void check_moved(const struct work *work, const uh_clusters_properties *found) {
    const size_t dims = work->points.dims;
    struct oracle_points shifted = work->points, right = work->points;
    shifted.rows = found->shifted;
    right.rows = work->right;
    for (size_t i = 0; i < work->compared * dims; i++) {
        const size_t number = meanshift_spread(work->points.n, work->compared, i / dims);
        const double x = (double)oracle_coordinate(&shifted, number, i % dims),
                     expected = (double)oracle_coordinate(&right, i / dims, i % dims);
        if (!(fabs(x - expected) <= tolerance(work, expected)))
            perf_fail("wrong: coordinate %zu of point %zu has moved to %.9g, expected %.9g", i % dims, number, x,
                      expected);
    }
}

static int compare_counts(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

static void check_clusters(const struct work *work, const uh_clusters_properties *found) {
    const size_t expected = meanshift_separate(work->points.n);
    uint64_t counts[16];
    if (found->clusters != expected)
        perf_fail("wrong: there are %zu clusters, expected %zu", found->clusters, expected);
    memcpy(counts, found->counts, expected * sizeof *counts);
    qsort(counts, expected, sizeof *counts, compare_counts);
    perf_same_counts("cluster", counts, work->counts, expected);
    for (size_t i = 0; i < work->points.n; i++)
        if (found->labels[i] != found->labels[i % expected])
            perf_fail("wrong: point %zu is in cluster %u, expected %u", i, (unsigned)found->labels[i],
                      (unsigned)found->labels[i % expected]);
}

/* Memory has to be in proportion to the points. */
static void check_peak(struct perf_subject *subject) {
    const struct work *work = subject->work;
    const double peak = perf_peak_memory(0) - work->resident,
                 coordinates = (double)(work->points.n * work->points.dims);
    const size_t length = strlen(subject->note);
    snprintf(subject->note + length, sizeof subject->note - length, "; %.0f MiB at most", peak / 0x1p20);
    if (peak > PEAK_OF_COORDINATE * coordinates + PEAK_OF_CALL)
        perf_fail("the call took %.0f bytes a coordinate, expected %.0f at most", peak / coordinates,
                  PEAK_OF_COORDINATE);
}

static void check(struct perf_subject *subject) {
    struct work *work = subject->work;
    uh_clusters_properties found = {.struct_size = sizeof found};
    const struct settings *of = &settings[work->kind];
    perf_check(uh_clusters_get_properties(work->clusters, &found));
    snprintf(subject->note, sizeof subject->note - 128, "%s", found.plan);
    if (of->eps < 0 && found.iterations != of->iterations && found.end != UH_MEAN_SHIFT_CONVERGED)
        perf_fail("%zu iterations were done, expected %zu", found.iterations, of->iterations);
    const size_t length = strlen(subject->note);
    snprintf(subject->note + length, sizeof subject->note - length, "; %.3g ms, of which sums %.3g and iterations %.3g",
             1e-6 * (double)found.total_ns, 1e-6 * (double)found.kernel_ns, 1e3 * work->iterations);
    check_moved(work, &found);
    if (work->kind == LIKE_SKLEARN)
        check_clusters(work, &found);
    if (work->kind == MILLION)
        check_peak(subject);
    drop_clusters(work);
}

/* ---- the limit -------------------------------------------------------------------------------------------------- */

static void run_limit(struct perf_subject *subject) {
    struct work *work = subject->work;
    const struct perf_loops *loops = perf_loops(subject->what->bench->machine.isa);
    const uh_dtype dtype = work->points.dtype;
    work->limit = (dtype == UH_F32 ? loops->interact_f32 : loops->interact_f64)(
        subject->n, operations_of(dtype, (unsigned)work->points.dims));
}

static void check_limit(struct perf_subject *subject) {
    const struct work *work = subject->work;
    if (!(fabs(work->limit - 1) < 1e-9))
        perf_fail("wrong: the limit's numbers are %g, expected 1", work->limit);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define BY(method_, name_)                                                                                             \
    .name = (name_), .choice = UH_MEAN_SHIFT_##method_, .start = start, .before = before, .run = run, .check = check,  \
    .times = tell_times

#define LIMIT_ROW .name = "limit", .role = PERF_LIMIT, .host = 1, .start = start, .run = run_limit, .check = check_limit

static const struct perf_subject subjects[] = {
    {LIMIT_ROW, .kinds = 1 << TILE, .threads = 1},
    {BY(TILES, "tiles"), .kinds = 1 << TILE, .threads = 1},
    {BY(TILES, "tiles"), .kinds = 1 << CELLS | 1 << SHAPES, .role = PERF_BASELINE, .threads = 1},
    {BY(CELLS, "cells"), .kinds = 1 << CELLS | 1 << SHAPES, .threads = 1},
    {BY(TILES, "tiles"), .kinds = 1 << BLURRING},
    {BY(AUTO, "auto"), .kinds = 1 << MILLION, .threads = 2},
    {BY(AUTO, "auto"), .kinds = 1 << LIKE_SKLEARN | 1 << BLURRING | 1 << SHAPES},
};

#define ROW(type, n_) .dtype = (type), .n = (n_), .k = 1, .shapes = PERF_USUAL_ONLY
#define TILE_ROW(text, type, dims)                                                                                     \
    {                                                                                                                  \
        text "/tile", ROW(type, 4096),                                                                                 \
            .alone = 1, .kind = KIND(TILE, MEANSHIFT_PAPER, dims), .title = "mean shift, tiles, " text,                \
            PERF_GOALS({PERF_GOAL_SUBJECT, "of limit", "tiles", "limit", 1, 1, .floor = 0.3, .goal = 0.6})             \
    }
#define SHAPE_ROW(text, type, dims, data)                                                                              \
    { text, ROW(type, 8192), .alone = 1, .kind = KIND(SHAPES, data, dims) }
#define SHAPES_OF(text, type, dims)                                                                                    \
    SHAPE_ROW(text "/uniform", type, dims, MEANSHIFT_UNIFORM),                                                         \
        SHAPE_ROW(text "/clustered", type, dims, MEANSHIFT_CLUSTERED),                                                 \
        SHAPE_ROW(text "/far", type, dims, MEANSHIFT_FAR)

static const struct perf_row rows[] = {
    {"f64/d:2/flat", ROW(UH_F64, 10000), .kind = KIND(LIKE_SKLEARN, MEANSHIFT_SEPARATE, 2),
     .title = "mean shift, flat kernel",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x sklearn", "auto", "sklearn", 2, 2, .floor = 30, .goal = 100})},
    {"f32/d:2/blurring", ROW(UH_F32, 5000), .alone = 1, .kind = KIND(BLURRING, MEANSHIFT_PAPER, 2),
     .title = "mean shift, two threads",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x one thread", "tiles", "tiles", 2, 1, .floor = 1.8, .goal = 1.95})},
    {"f32/d:2/cells", ROW(UH_F32, 100000), .alone = 1, .kind = KIND(CELLS, MEANSHIFT_UNIFORM, 2),
     .title = "mean shift, cells",
     PERF_GOALS({PERF_GOAL_SUBJECT, "x tiles", "cells", "tiles", 1, 1, .floor = 50, .goal = 200})},
    TILE_ROW("f32/d:2", UH_F32, 2),
    TILE_ROW("f32/d:3", UH_F32, 3),
    TILE_ROW("f64/d:2", UH_F64, 2),
    TILE_ROW("f64/d:3", UH_F64, 3),
    SHAPES_OF("f32/d:2", UH_F32, 2),
    SHAPES_OF("f32/d:3", UH_F32, 3),
    SHAPES_OF("f32/d:8", UH_F32, 8),
    SHAPES_OF("f64/d:2", UH_F64, 2),
    SHAPES_OF("f64/d:3", UH_F64, 3),
    SHAPES_OF("f64/d:8", UH_F64, 8),
    {"f32/d:3/million", ROW(UH_F32, 1000000), .alone = 1, .kind = KIND(MILLION, MEANSHIFT_UNIFORM, 3),
     .title = "mean shift, a million points", PERF_GOALS({PERF_GOAL_TIME, "us", "auto", NULL, 2, 2, .goal = 20e6}),
     .unit = PERF_TIMES}};

const struct perf_operation uhi_perf_meanshift = {
    .name = "meanshift",
    .about =
        "meanshift: points compared with scikit-learn's MeanShift, by cells compared with tiles, tiles compared with\n"
        "the vector operations of their interactions, a million points, and other shapes of data. Columns count pairs\n"
        "of points, looked at or not; compared with scikit-learn, which has two CPUs, points.",
    .options = "rows",
    PERF_ROWS(rows),
    PERF_SUBJECTS(subjects),
    .baseline = "x base",
    .peers = {{"sklearn_mean_shift", "sklearn", PERF_BASELINE}},
    .peer_threads = 2,
    .work_size = sizeof(struct work),
    .make = make,
    .end = drop_clusters};
