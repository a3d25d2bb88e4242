/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift gives the same bits however its work is done, moves and ends as it says, and finds the clusters of data
 * whose clusters are known. */
#include "tests/tested.h"

#include "tests/meanshift_fixture.h"

static const uh_mean_shift_method methods[] = {UH_MEAN_SHIFT_NAIVE, UH_MEAN_SHIFT_TILES, UH_MEAN_SHIFT_CELLS,
                                               UH_MEAN_SHIFT_AUTO};
enum { METHODS = sizeof methods / sizeof *methods };

/* Types that the device knows. */
static uh_dtype most_exact(void) { return tested.properties.fp64 ? UH_F64 : UH_F32; }

static const struct row {
    uh_dtype dtype;
    size_t dims;
    uh_mean_shift_algorithm algorithm;
    uh_density_kernel kernel;
} rows[] = {
    {UH_F32, 2, UH_MEAN_SHIFT_BLURRING, UH_KERNEL_GAUSSIAN}, {UH_F32, 3, UH_MEAN_SHIFT_MODES, UH_KERNEL_EPANECHNIKOV},
    {UH_F64, 3, UH_MEAN_SHIFT_BLURRING, UH_KERNEL_GAUSSIAN}, {UH_F64, 1, UH_MEAN_SHIFT_MODES, UH_KERNEL_FLAT},
    {UH_F32, 7, UH_MEAN_SHIFT_MODES, UH_KERNEL_GAUSSIAN},    {UH_F64, 16, UH_MEAN_SHIFT_BLURRING, UH_KERNEL_FLAT},
    {UH_F32, 17, UH_MEAN_SHIFT_MODES, UH_KERNEL_FLAT}};
enum { ROWS = sizeof rows / sizeof *rows, POINTS = 431 };

/* A coarse run compiles the kernels of every other row. */
static int is_left_out(size_t r) {
    return (rows[r].dtype == UH_F64 && !tested.properties.fp64) ||
           (!tested.on_host && test_is_coarse() && (r + test_turn()) % 2);
}

static struct oracle_points points_of(const struct row *row, size_t n) {
    return test_box(row->dtype, n, row->dims, row->dims > 4 ? 6 : 12, row->dims);
}

static uh_mean_shift_options options_of(const struct row *row, uh_mean_shift_method method) {
    return *SHIFT(.algorithm = row->algorithm, .kernel = row->kernel, .radius = row->dims > 9 ? 8 : 3, .iterations = 5,
                  .method = method);
}

UNIT_TEST(methods_threads_and_devices_change_no_bit) {
    for (size_t r = 0; r < ROWS; r++) {
        if (is_left_out(r))
            continue;
        const struct oracle_points points = points_of(&rows[r], POINTS);
        const uh_mean_shift_options first = options_of(&rows[r], UH_MEAN_SHIFT_NAIVE);
        const uh_clusters_properties on_host = test_shift(test_queue(1, 0), &points, &first);
        assert_true(on_host.interactions >= (uint64_t)POINTS * POINTS);
        for (size_t m = 0; m < METHODS; m++)
            for (uint32_t threads = 1; threads <= (tested.on_host ? 8 : 1); threads++) {
                const uh_mean_shift_options now = options_of(&rows[r], methods[m]);
                const uh_clusters_properties found = test_shift(tested_queue(threads), &points, &now);
                test_same_clusters(&on_host, &found);
                assert_true(methods[m] == UH_MEAN_SHIFT_AUTO ? found.method != UH_MEAN_SHIFT_AUTO
                                                             : found.method == methods[m]);
            }
    }
}

/* Fails the test unless what is found of points in another order is the same in that order. */
static void assert_reordered(const uh_clusters_properties *one, const uh_clusters_properties *other,
                             const size_t *order) {
    const size_t row = one->dims * uh_dtype_size(one->dtype);
    assert_int_equal(one->clusters, other->clusters);
    assert_memory_equal(one->counts, other->counts, one->clusters * sizeof *one->counts);
    for (size_t c = 0; c < one->clusters * one->dims; c++)
        assert_true(fabs(one->centroids[c] - other->centroids[c]) <= 1e-12);
    for (size_t i = 0; i < one->n; i++) {
        assert_int_equal(one->labels[order[i]], other->labels[i]);
        assert_memory_equal((const char *)one->shifted + order[i] * row, (const char *)other->shifted + i * row, row);
    }
}

UNIT_TEST(points_in_another_order_move_alike_and_are_the_same_clusters) {
    for (size_t r = 0; r < ROWS; r++) {
        if (is_left_out(r))
            continue;
        const struct oracle_points points = points_of(&rows[r], POINTS);
        const size_t *order = test_order(POINTS, r);
        const struct oracle_points reordered = test_reordered(&points, order);
        for (size_t m = 0; m < 3; m++) {
            const uh_mean_shift_options options = options_of(&rows[r], methods[m]);
            const uh_clusters_properties one = test_shift(tested.queue, &points, &options),
                                         other = test_shift(tested.queue, &reordered, &options);
            assert_reordered(&one, &other, order);
        }
    }
}

UNIT_TEST(the_clusters_of_three_groups_are_found_by_every_kernel_and_reduction) {
    static const uh_mean_shift_reduction reductions[] = {UH_MEAN_SHIFT_COMPONENTS, UH_MEAN_SHIFT_GREEDY,
                                                         UH_MEAN_SHIFT_DENSEST};
    enum { N = 120 };
    size_t group[N];
    for (size_t i = 0; i < N; i++)
        group[i] = i % 3;
    for (size_t i = 0; i < 36; i++) {
        const uh_dtype dtype = i % 2 ? most_exact() : UH_F32;
        const struct oracle_points points = test_groups(dtype, N, 1 + i % 5, i);
        const uh_mean_shift_options options =
            *SHIFT(.algorithm = (uh_mean_shift_algorithm)(i / 2 % 2), .kernel = (uh_density_kernel)(i / 4 % 3),
                   .reduction = reductions[i / 12], .radius = 4);
        struct judged judged = {.points = points, .options = options};
        const uh_clusters_properties found = test_shift(tested.queue, &points, &options);
        assert_int_equal(found.end, UH_MEAN_SHIFT_CONVERGED);
        if (judge_groups(&judged, &found, group, 3) || judge_clusters(&judged, &found))
            fail_msg("%zu: %s", i, judged.problem);
    }
}

UNIT_TEST(no_iterations_leave_points_where_they_are) {
    const struct oracle_points points = test_box(UH_F32, 200, 3, 5, 8);
    const uh_mean_shift_options *options = SHIFT(.sigma = 0.25, .iterations = SIZE_MAX);
    const uh_clusters_properties found = test_shift(tested.queue, &points, options);
    assert_int_equal(found.iterations, 0);
    assert_int_equal(found.interactions, 0);
    assert_true(found.radius == 0.75 && found.sigma == 0.25 && found.delta == 0.25);
    assert_memory_equal(found.shifted, points.rows, 200 * 3 * sizeof(float));
    test_judge_clusters(&points, options, &found);
}

/* One step moves the points as the oracle says, at `targets` of them. */
static void check_step(const struct oracle_points *points, uh_mean_shift_options options, size_t targets) {
    options.iterations = 1;
    options.eps = -1;
    const uh_clusters_properties found = test_shift(tested.queue, points, &options);
    const struct oracle_points after = {points->dtype, points->n, points->dims, found.shifted};
    struct judged judged = {.points = *points, .options = options};
    assert_true(options.method == UH_MEAN_SHIFT_AUTO || found.method == options.method);
    if (judge_step(&judged, NULL, points, &after, targets))
        fail_msg("radius %g, %zu points: %s", options.radius, points->n, judged.problem);
}

UNIT_TEST(lone_crowded_and_distant_points_move_and_end_by_every_method) {
    enum { CROWD = 2001, EQUAL = 100 };
    const double one[] = {3.5, -1e30, 2}, far[] = {-3e18, 3e18, -3e18, 0, 1e-18, 2e-18, 5, 3e18},
                 wide[] = {-3e153, 0, 1e-150, 2e-150, 3e153}, tiny[] = {0, 1e-30, 3e-30, 1e-20, 1e-10, 1, 1e10, 1e15};
    static double crowd[CROWD] = {[CROWD - 1] = 0.5}, equal[2 * EQUAL];
    for (size_t i = 0; i < 2 * EQUAL; i++)
        equal[i] = i % 2 ? 0.1 : -7.3;
    const struct oracle_points same = test_points_of(UH_F32, EQUAL, 2, equal);
    const struct {
        struct oracle_points points;
        uh_mean_shift_options options;
        size_t clusters, count; /* points of the first one */
        int stays;
    } cases[] = {
        {test_points_of(UH_F32, 1, 3, one), *SHIFT(.sigma = 0.25), 1, 1, 1},
        {test_box(UH_F32, 300, 3, 1000, 4), *SHIFT(.radius = 1e-3), 300, 1, 1},
        {same, *SHIFT(.radius = 0.5), 1, EQUAL, 1},
        {same, *SHIFT(.radius = 0.5, .algorithm = UH_MEAN_SHIFT_BLURRING), 1, EQUAL, 1},
        /* Each of them is a full weight: their sum would be too large for the intermediate bits. */
        {test_points_of(UH_F32, CROWD, 1, crowd), *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 1), 1, CROWD, 0},
        /* A radius that holds all. */
        {test_box(UH_F32, 150, 2, 2, 9), *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 1e4, .delta = 0.1), 1, 150, 0},
        /* Of points so distant that no integer counts the cells between, those near each other are still neighbours. */
        {test_points_of(UH_F32, 8, 1, far), *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 1.5e-18), 4, 3, 0},
        {test_points_of(UH_F32, 8, 1, tiny), *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 1e-15), 5, 4, 0},
        {test_points_of(UH_F64, 5, 1, wide), *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 1.5e-150), 3, 3, 0},
    };
    for (size_t i = 0; i < METHODS * (sizeof cases / sizeof *cases); i++) {
        const struct oracle_points *points = &cases[i / METHODS].points;
        uh_mean_shift_options options = cases[i / METHODS].options;
        options.method = methods[i % METHODS];
        if (points->dtype == UH_F64 && !tested.properties.fp64)
            continue;
        check_step(points, options, 100);
        const uh_clusters_properties found = test_shift(tested.queue, points, &options);
        test_judge_clusters(points, &options, &found);
        assert_int_equal(found.end, UH_MEAN_SHIFT_CONVERGED);
        assert_int_equal(found.clusters, cases[i / METHODS].clusters);
        assert_int_equal(found.counts[0], cases[i / METHODS].count);
        if (cases[i / METHODS].stays) {
            assert_int_equal(found.iterations, 1);
            assert_memory_equal(found.shifted, points->rows, points->n * points->dims * uh_dtype_size(points->dtype));
        }
    }
}

/* ---- the data of Bindi's report, with its parameters: each true centroid is found, and nothing else ---- */

static void assert_three(const uh_clusters_properties *found, const struct oracle_points *truth) {
    const struct oracle_points centroids = {UH_F64, found->clusters, found->dims, found->centroids};
    assert_int_equal(found->clusters, 3);
    for (size_t t = 0; t < 3; t++) {
        size_t near = 0;
        for (size_t c = 0; c < 3; c++)
            near += oracle_squared_distance(truth, t, &centroids, c) <= 10;
        assert_int_equal(near, 1);
    }
}

static void find_published(size_t dims, size_t n, uh_dtype dtype) {
    char name[64];
    snprintf(name, sizeof name, "%zud/%zu/data.csv", dims, n);
    const struct oracle_points points = test_read_points(dtype, dims, name);
    snprintf(name, sizeof name, "%zud/%zu/centroids.csv", dims, n);
    const struct oracle_points truth = test_read_points(UH_F64, dims, name);
    uh_mean_shift_options options =
        *SHIFT(.algorithm = UH_MEAN_SHIFT_BLURRING, .reduction = UH_MEAN_SHIFT_GREEDY, .sigma = dims == 2 ? 3 : 4,
               .radius = dims == 2 ? 30 : 60, .delta = 60, .squared = 1, .iterations = 50);
    assert_int_equal(points.n, n);
    const uh_clusters_properties greedy = test_shift(tested.queue, &points, &options);
    assert_three(&greedy, &truth);
    options.eps = -1;
    const uh_clusters_properties published = test_shift(tested.queue, &points, &options);
    assert_true(published.iterations == 50 || published.end == UH_MEAN_SHIFT_CONVERGED);
    assert_three(&published, &truth);
    options = *SHIFT(.sigma = options.sigma, .radius = options.radius, .squared = 1);
    const uh_clusters_properties modes = test_shift(tested.queue, &points, &options);
    assert_three(&modes, &truth);
}

/* By cells, of a squared radius. */
#define BY_CELLS(square)                                                                                               \
    *SHIFT(.kernel = UH_KERNEL_FLAT, .squared = 1, .radius = (square), .method = UH_MEAN_SHIFT_CELLS)

UNIT_TEST(cells_have_all_neighbours_of_a_lattice) {
    enum { N = 1200 };
    static const double radii[] = {0.1, 1.0 / 3, 0.7, 1e-3};
    double *x = test_memory(N * sizeof *x);
    for (size_t r = 0; r < sizeof radii / sizeof *radii; r++)
        for (uh_dtype dtype = UH_F32; dtype <= most_exact(); dtype++) {
            for (size_t i = 0; i < N; i++)
                x[i] = (double)i * radii[r];
            const struct oracle_points points = test_points_of(dtype, N, 1, x);
            check_step(&points, BY_CELLS(radii[r] * radii[r]), N);
        }
}

/* Points of float32 have a distance of STEP, whose square is rounded down: at a radius of which that is the square they
 * are neighbours, though their distance exceeds the radius. The first point sets the cells so that one point lies just
 * below a cell's end and the next one at the begin of the cell after the next. */
UNIT_TEST(cells_have_neighbours_that_are_near_by_rounding) {
    enum { N = 1200, STEP = 8191 };
    const double square = (float)((double)STEP * STEP), gap = STEP - sqrt(square);
    double *x = test_memory(N * sizeof *x);
    assert_true(gap > 0);
    for (size_t at = 1; at < N; at = 3 * at + 1) {
        x[0] = ((double)at + 0.5) * gap;
        for (size_t i = 1; i < N; i++)
            x[i] = (double)(i * STEP);
        const struct oracle_points points = test_points_of(UH_F32, N, 1, x);
        check_step(&points, BY_CELLS(square), N);
    }
}

UNIT_TEST(blurring_goes_on_around_cells_that_points_have_reached) {
    const struct oracle_points points = test_reached();
    const float *from = points.rows;
    for (size_t method = 0; method < METHODS; method++) {
        const uh_clusters_properties found =
            test_shift(tested.queue, &points, SHIFT(TEST_REACHED_OPTIONS, .method = methods[method]));
        const float *to = found.shifted;
        for (size_t i = 0; i < points.n; i++)
            assert_true(to[2 * i] == from[i < TEST_REACHED_CORNER ? 0 : 2 * i]);
    }
}

/* Of a CPU with `lanes` lanes of float32: about as many neighbours of weight 1 as a vector of sums holds, in one column
 * of cells along an axis, and some in each of the eight columns around it, fewer than a turn of the loop over vectors
 * takes, off to one side, so that the place moves. Two points keep the cells where they are. */
static void crowd(size_t lanes, size_t vectors, size_t along) {
    enum { FEW_VECTORS = 4, AROUND = 8, CORNERS = 2, DIMS = 3 };
    const size_t few = FEW_VECTORS * lanes - 1, middle = lanes * vectors + few, n = middle + AROUND * few + CORNERS;
    double *x = test_memory(DIMS * n * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        const size_t around = i < middle ? 0 : (i - middle) / few, place = around < 4 ? around : around + 1;
        const size_t column = place % 3, row = place / 3;
        const double side[] = {0, i < middle ? 0 : (double)column - 1, i < middle ? 0 : (double)row - 1};
        for (size_t axis = 0; axis < DIMS; axis++)
            x[DIMS * i + axis] = i + CORNERS < n
                                     ? 1.5 + 0.6 * side[(axis + DIMS - along) % DIMS] + (i < middle ? 0 : 0.05)
                                 : i + 1 < n ? 0
                                             : 3.2;
    }
    const struct oracle_points points = test_points_of(UH_F32, n, DIMS, x);
    check_step(&points, BY_CELLS(1), 3);
}

UNIT_TEST(neighbours_that_fill_sums_overflow_none) {
    static const size_t vectors[] = {488, 492, 500, 504, 508, 1100}; /* around 512, and more than 32 bits hold */
    for (size_t lanes = 4; lanes <= 16; lanes *= 2)
        for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
            for (size_t along = 0; along < 3; along++)
                crowd(lanes, vectors[v], along);
}

UNIT_TEST(the_published_data_have_their_three_centroids) {
    for (size_t dims = 2; dims <= 3; dims++)
        for (size_t n = 500; n <= (tested.on_host && !test_is_coarse() ? 2000 : 500); n *= 2)
            find_published(dims, n, (n == 1000) == (dims == 2) ? most_exact() : UH_F32);
}

TESTED_MAIN(test_meanshift)
