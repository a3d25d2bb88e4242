/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift: 1 to 3 iterations and the clusters after them, densities and bandwidths, of 1 to 16 axes. Points lie as
 * they come, in clusters, on a lattice (where distances are exactly the radius), on top of each other, or in two groups
 * at a distance; in rows, in columns, backwards and at odd addresses. */
#include "tests/description.h"
#include "tests/meanshift_oracle.h"
#include "tests/splitmix.h"
#include "tests/support.h"

enum data { UNIFORM, CLUSTERED, LATTICE, DUPLICATES, DISTANT, DATA };
static const char *const data_names[] = {"uniform", "clustered", "lattice", "duplicates", "two distant groups"};

/* Where coordinates lie: in blocks that each go to the use's place. */
enum layout { ROWS, PADDED_ROWS, COLUMNS, BACKWARDS, LAYOUTS };

/* Axes; the radius; the side of the box that points lie in, or of the lattice, and there the radius's square. */
static const struct space {
    size_t dims;
    double radius, side;
    int lattice, lattice_radius;
} spaces[] = {{2, 3, 20, 6, 4}, {1, 1.5, 20, 30, 4}, {3, 4, 20, 4, 5},
              {5, 6, 16, 3, 3}, {4, 5, 18, 3, 4},    {16, 14, 8, 2, 6}};

enum {
    SPACES = sizeof spaces / sizeof *spaces,
    KERNELS = 3,
    CASES = SPACES * 2 * KERNELS,
    FEW = 33,
    MAX = 600,        /* points: every one meets every other */
    MAX_JUDGED = 200, /* by reductions */
    ITERATIONS = 3,
    TARGETS = 16,
    PLACES_TRIED = 12
};

struct shifting {
    struct space space;
    enum data data;
    struct judged judged; /* the points as rows, and the options */
    enum layout layout;
    size_t blocks, block_bytes, first; /* and where an array begins in its block */
    ptrdiff_t stride;
    char *block[UH_MEAN_SHIFT_MAX_DIMS];
    char *rows, *at; /* at: places of densities */
    size_t lines;    /* of a grid on each axis, or 0 */
    size_t places, iterations;
    double *density, *density_slack;
    double quantile, bandwidth; /* 0: not asked for */
};

static uh_dtype dtype_of(size_t number) { return number / SPACES % 2 ? UH_F64 : UH_F32; }

static enum data data_of(size_t number) { return (enum data)((number + number / SPACES) % DATA); }

static uh_mean_shift_algorithm algorithm_of(size_t number) {
    return (number + number / SPACES + number / SPACES / 2) % 2 ? UH_MEAN_SHIFT_BLURRING : UH_MEAN_SHIFT_MODES;
}

static uh_density_kernel kernel_of(size_t number) { return (uh_density_kernel)(number / SPACES / 2 % KERNELS); }

static int describe(size_t number, struct tried *tried) {
    if (number >= CASES)
        return -1;
    snprintf(tried->name, sizeof tried->name, "%s %s of %s points of %zu axes, %s",
             uh_enum_name(UH_ENUM_DENSITY_KERNEL, kernel_of(number)),
             uh_enum_name(UH_ENUM_MEAN_SHIFT_ALGORITHM, algorithm_of(number)), data_names[data_of(number)],
             spaces[number % SPACES].dims, uh_enum_name(UH_ENUM_DTYPE, dtype_of(number)));
    tried->fp64 = dtype_of(number) == UH_F64;
    tried->exact = 500;
    /* An interpreter has time for few axes; Epanechnikov's code is the flat kernel's. */
    tried->few = kernel_of(number) == UH_KERNEL_EPANECHNIKOV ? 0 : spaces[number % SPACES].dims > 4 ? 17 : FEW;
    tried->in_faults = number == 0 || number == SPACES + 4 ? 200 : 0;
    tried->in_null = 300;
    return 0;
}

/* ---- what is made ------------------------------------------------------------------------------------------------ */

/* About normal, of deviation 1. */
static double bell(uint64_t *seed) {
    double sum = -2;
    for (int i = 0; i < 4; i++)
        sum += test_random_f64(seed);
    return sum * 1.7320508;
}

static double coordinate(const struct shifting *in, size_t i, size_t axis, uint64_t *seed) {
    const struct space *space = &in->space;
    uint64_t centre = (i % 3 * UH_MEAN_SHIFT_MAX_DIMS + axis) * 77;
    const double uniform = (test_random_f64(seed) - 0.5) * space->side;
    switch (in->data) {
    case CLUSTERED: return (test_random_f64(&centre) - 0.5) * space->side + bell(seed) * space->radius / 3;
    case LATTICE: return (double)(test_random_u64(seed) % (uint64_t)space->lattice);
    case DISTANT: return (i % 2 ? 1000 : -300) * space->radius + bell(seed) * space->radius / 2;
    default: return uniform;
    }
}

static void make_points(struct shifting *in, uint64_t *seed) {
    const struct oracle_points *points = &in->judged.points;
    const size_t size = uh_dtype_size(points->dtype), dims = points->dims;
    for (size_t i = 0; i < points->n; i++)
        for (size_t axis = 0; axis < dims; axis++) {
            char *to = in->rows + (i * dims + axis) * size;
            const double x = coordinate(in, i, axis, seed);
            if (in->data == DUPLICATES && i % 7 > 0)
                memcpy(to, to - i % 7 * dims * size, size);
            else
                (void)oracle_store(points->dtype, (long double)x, to);
        }
}

/* Each driver that takes few points gives the number as the seed: these are then of every kernel for devices. */
static uh_mean_shift_method method_of(size_t number, uint64_t turn) {
    static const uh_mean_shift_method methods[SPACES] = {UH_MEAN_SHIFT_TILES, UH_MEAN_SHIFT_NAIVE, UH_MEAN_SHIFT_TILES,
                                                         UH_MEAN_SHIFT_TILES, UH_MEAN_SHIFT_CELLS, UH_MEAN_SHIFT_NAIVE};
    return (uh_mean_shift_method)((methods[number % SPACES] + turn) % 4);
}

/* The radius alone, sigma alone, both, or the radius's square; on a lattice a radius whose square is exact. */
static void choose_options(struct shifting *in, uint64_t seed) {
    seed = splitmix_at(seed, 0);
    static const uh_mean_shift_reduction reductions[] = {UH_MEAN_SHIFT_COMPONENTS, UH_MEAN_SHIFT_GREEDY,
                                                         UH_MEAN_SHIFT_DENSEST};
    uh_mean_shift_options *o = &in->judged.options;
    const int gaussian = o->kernel == UH_KERNEL_GAUSSIAN;
    const uint64_t form = in->data == LATTICE ? 3 : gaussian ? seed % 4 : seed % 2 * 3;
    const double radius = in->data == LATTICE ? sqrt(in->space.lattice_radius) : in->space.radius;
    o->struct_size = sizeof *o;
    o->squared = form == 3;
    o->radius = form == 1 ? 0 : form == 3 ? radius * radius : radius;
    if (in->data == LATTICE)
        o->radius = in->space.lattice_radius;
    o->sigma = form == 1 ? radius / 3 : form == 2 ? radius / 2.25 : 0;
    const double epses[] = {-1, 0, 0.05 * radius, 0.2 * radius};
    o->eps = epses[seed / 4 % 4];
    o->reduction = reductions[seed / 16 % 3];
    const double deltas[] = {0, 0.5 * radius, 1.1 * radius};
    const double delta = deltas[seed / 64 % 3];
    o->delta = o->squared ? delta * delta : delta;
}

/* The arrays of points, where blocks lie at `block`. */
static void arrays_of(const struct shifting *in, const char *const *block, uh_array *arrays) {
    const struct oracle_points *points = &in->judged.points;
    const size_t size = uh_dtype_size(points->dtype);
    for (size_t axis = 0; axis < points->dims; axis++) {
        const size_t before = in->layout == COLUMNS     ? 0
                              : in->layout == BACKWARDS ? axis * points->n * size
                                                        : axis * size;
        const char *at = block[in->layout == COLUMNS ? axis : 0];
        arrays[axis] = (uh_array){points->dtype, at ? at + in->first + before : NULL, in->stride, points->n};
    }
}

/* Copies the rows to blocks as the layout has them. */
static void lay_out(struct shifting *in, uint64_t seed) {
    const struct oracle_points *points = &in->judged.points;
    const size_t size = uh_dtype_size(points->dtype), dims = points->dims, n = points->n;
    uh_array arrays[UH_MEAN_SHIFT_MAX_DIMS];
    in->layout = (enum layout)(seed % LAYOUTS);
    const size_t step = in->layout == ROWS ? dims * size : in->layout == PADDED_ROWS ? dims * size + 3 : size;
    in->stride = in->layout == BACKWARDS ? -(ptrdiff_t)step : (ptrdiff_t)step;
    in->blocks = in->layout == COLUMNS ? dims : 1;
    in->block_bytes = in->layout == BACKWARDS ? n * size * dims : n * step;
    in->first = in->layout == BACKWARDS && n ? (n - 1) * size : 0;
    for (size_t b = 0; b < in->blocks; b++)
        in->block[b] = case_array(in, in->block_bytes, 1);
    arrays_of(in, (const char *const *)in->block, arrays);
    for (size_t i = 0; i < n; i++)
        for (size_t axis = 0; axis < dims; axis++)
            memcpy(case_element(&arrays[axis], i), in->rows + (i * dims + axis) * size, size);
}

/* Some points, and places between; or the crossings of lines. */
static void make_density(struct shifting *in, uint64_t *seed) {
    const struct oracle_points *points = &in->judged.points;
    const uh_mean_shift_options *o = &in->judged.options;
    const struct oracle_kernel kernel = oracle_kernel_of(o->kernel, o->radius, o->sigma, o->squared);
    const size_t size = uh_dtype_size(points->dtype), dims = points->dims;
    in->lines = dims <= 2 && *seed % 2 ? 4 : 0;
    in->places = in->lines ? (dims == 1 ? 4 : 16) : PLACES_TRIED;
    in->at = case_array(in, PLACES_TRIED * dims, size);
    in->density = case_array(in, in->places, sizeof *in->density);
    in->density_slack = case_array(in, in->places, sizeof *in->density);
    for (size_t i = 0; i < PLACES_TRIED; i++)
        for (size_t axis = 0; axis < dims; axis++)
            (void)oracle_store(points->dtype, (long double)coordinate(in, i, axis, seed),
                               in->at + (i * dims + axis) * size);
    for (size_t i = 0; i < PLACES_TRIED && i < points->n; i += 2)
        memcpy(in->at + i * dims * size, in->rows + i * dims * size, dims * size);
    const long double integral = oracle_kernel_integral(&kernel, dims);
    for (size_t i = 0; i < in->places; i++) {
        char crossing[2 * sizeof(double)];
        struct oracle_points place = {points->dtype, 1, dims, in->at + i * dims * size};
        if (in->lines) { /* line number j of an axis has the coordinate of place j */
            const size_t lines[] = {dims == 2 ? i / in->lines : i, i % in->lines};
            for (size_t axis = 0; axis < dims && axis < 2; axis++)
                memcpy(crossing + axis * size, in->at + (lines[axis] * dims + axis) * size, size);
            place.rows = crossing;
        }
        const struct oracle_bounded density = oracle_density(&kernel, integral, points, &place, 0);
        in->density[i] = (double)density.value;
        in->density_slack[i] = (double)density.slack;
    }
}

static void *make(size_t number, size_t n, uint64_t seed) {
    struct shifting *in = case_new(sizeof *in);
    in->space = spaces[number % SPACES];
    in->data = data_of(number);
    in->judged.points = (struct oracle_points){dtype_of(number), n < MAX ? n : MAX, in->space.dims, NULL};
    in->judged.options.kernel = kernel_of(number);
    in->judged.options.algorithm = algorithm_of(number);
    in->rows = case_array(in, in->judged.points.n * in->space.dims, uh_dtype_size(in->judged.points.dtype));
    in->judged.points.rows = in->rows;
    in->judged.options.method = method_of(number, seed / CASES);
    in->iterations = n <= FEW && seed < CASES ? 1 : (seed / CASES + 1) % ITERATIONS + 1;
    choose_options(in, seed);
    make_points(in, &seed);
    lay_out(in, seed);
    if (in->judged.points.n == 0)
        return in;
    make_density(in, &seed);
    if (seed % 4 == 0 && n <= MAX_JUDGED) {
        in->quantile = seed / 4 % 2 ? 0.3 : 1;
        in->bandwidth = (double)oracle_bandwidth(&in->judged.points, in->quantile, 1);
    }
    return in;
}

/* ---- a use ------------------------------------------------------------------------------------------------------- */

/* Where the points have moved to after a number of iterations; NULL if that failed. */
static const void *shift(struct use *use, const struct shifting *in, const uh_array *points, size_t iterations,
                         uh_clusters **clusters, uh_clusters_properties *found) {
    uh_mean_shift_options options = in->judged.options;
    uh_clusters **made = use_output_plain(use, 1, sizeof(void *));
    options.iterations = iterations;
    const uh_status status = uh_mean_shift(use->queue, points, in->judged.points.dims, &options, made);
    *clusters = status ? NULL : *made;
    *found = (uh_clusters_properties){.struct_size = sizeof *found};
    if (!use->computes && !use_data_call(use, "uh_mean_shift", status))
        return NULL;
    if (use->computes && !use_written(use, "uh_mean_shift", status, made, clusters, USE_WHOLE))
        return NULL;
    return use_call(use, "uh_clusters_get_properties", uh_clusters_get_properties(*clusters, found)) ? found->shifted
                                                                                                     : NULL;
}

/* Points of two distant groups are never of one cluster. */
static int mixes_groups(const uh_clusters_properties *found) {
    char of[2][MAX] = {{0}};
    for (size_t i = 0; i < found->n; i++)
        of[i % 2][found->labels[i]] = 1;
    for (size_t c = 0; c < found->clusters; c++)
        if (of[0][c] && of[1][c])
            return 1;
    return 0;
}

/* Each iteration from where the one before has left the points; then the clusters. */
static void run_shift(struct use *use, const struct shifting *in, const uh_array *points) {
    struct judged judged = in->judged;
    struct oracle_points where[ITERATIONS + 1];
    uh_clusters *clusters[ITERATIONS + 1] = {NULL};
    const size_t last = in->iterations, first = use->faulty || !use->computes ? last : 1;
    where[0] = judged.points;
    for (size_t k = first; k <= last; k++) {
        uh_clusters_properties found;
        where[k] = judged.points;
        where[k].rows = shift(use, in, points, k, &clusters[k], &found);
        if (!where[k].rows)
            break;
        use_expect(use, found.iterations <= k && (found.iterations == k || found.end == UH_MEAN_SHIFT_CONVERGED),
                   "%zu iterations of %zu, end %d", found.iterations, k, (int)found.end);
        const struct oracle_points *earlier = k > 1 ? &where[k - 2] : NULL;
        if (first == 1 && use->computes)
            use_expect(use,
                       (found.iterations == k ? judge_step(&judged, earlier, &where[k - 1], &where[k], TARGETS)
                                              : judge_end(&judged, earlier, &where[k - 1], &where[k])) == 0,
                       "iteration %zu: %s", k, judged.problem);
        if (k == last && use->computes && in->judged.points.n <= MAX_JUDGED)
            use_expect(use, judge_clusters(&judged, &found) == 0, "%s", judged.problem);
        use_expect(use, in->data != DISTANT || !mixes_groups(&found), "a cluster has points of both groups");
    }
    for (size_t k = first; k <= last; k++)
        uh_clusters_destroy(clusters[k]);
}

static void run_density(struct use *use, const struct shifting *in, const uh_array *points) {
    const uh_mean_shift_options *o = &in->judged.options;
    const struct oracle_points *of = &in->judged.points;
    const size_t size = uh_dtype_size(of->dtype), count = in->lines ? in->lines : PLACES_TRIED;
    const uh_kde_options options = {.struct_size = sizeof options,
                                    .kernel = o->kernel,
                                    .method = o->method,
                                    .radius = o->radius,
                                    .sigma = o->sigma,
                                    .squared = o->squared,
                                    .grid = in->lines > 0};
    const char *where = use_input(use, in->at, PLACES_TRIED * of->dims * size);
    double *density = use_output_plain(use, in->places, sizeof *density);
    uh_array at[UH_MEAN_SHIFT_MAX_DIMS];
    if (!where)
        return;
    for (size_t axis = 0; axis < of->dims; axis++)
        at[axis] = (uh_array){of->dtype, where + axis * size, (ptrdiff_t)(of->dims * size), count};
    const uh_status status = uh_kde(use->queue, points, of->dims, at, &options, density);
    if (!use->computes) {
        (void)use_data_call(use, "uh_kde", status);
        return;
    }
    double *same = use_scratch(use, in->places * sizeof *same);
    memcpy(same, density, in->places * sizeof *same);
    if (use_written(use, "uh_kde", status, density, same, USE_WHOLE))
        for (size_t i = 0; i < in->places; i++)
            use_expect(use, fabs(density[i] - in->density[i]) <= in->density_slack[i],
                       "density %zu of %zu is %.17g, expected %.17g +- %.2g", i, in->places, density[i], in->density[i],
                       in->density_slack[i]);
}

static void run_bandwidth(struct use *use, const struct shifting *in, const uh_array *points) {
    const double slack = in->judged.points.dtype == UH_F32 ? 1e-6 : 1e-14;
    double *bandwidth = use_output_plain(use, 1, sizeof *bandwidth), same;
    const uh_bandwidth_options options = {.struct_size = sizeof options, .quantile = in->quantile};
    const uh_status status = uh_estimate_bandwidth(use->queue, points, in->judged.points.dims, &options, bandwidth);
    memcpy(&same, bandwidth, sizeof same);
    if (use_written(use, "uh_estimate_bandwidth", status, bandwidth, &same, USE_WHOLE))
        use_expect(use, fabs(same - in->bandwidth) <= slack * in->bandwidth, "the bandwidth is %.17g, expected %.17g",
                   same, in->bandwidth);
}

/* No points are refused. */
static void run_none(struct use *use, const struct shifting *in, const uh_array *points) {
    uh_clusters **made = use_output_plain(use, 1, sizeof(void *));
    use_refused(use, "uh_mean_shift",
                uh_mean_shift(use->queue, points, in->judged.points.dims, &in->judged.options, made), made, "points");
}

static void run(struct use *use, const void *made) {
    const struct shifting *in = made;
    const char *block[UH_MEAN_SHIFT_MAX_DIMS] = {NULL};
    uh_array points[UH_MEAN_SHIFT_MAX_DIMS];
    for (size_t b = 0; b < in->blocks; b++)
        if (!(block[b] = use_input(use, in->block[b], in->block_bytes)))
            return;
    arrays_of(in, block, points);
    if (in->judged.points.n == 0) {
        run_none(use, in, points);
        return;
    }
    run_shift(use, in, points);
    run_density(use, in, points);
    if (in->quantile > 0 && use->computes)
        run_bandwidth(use, in, points);
}

const struct description describe_meanshift = {"meanshift", describe, make, run, case_free};
