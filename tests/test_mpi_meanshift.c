/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift of points that are divided among ranks: the clusters of one process. */
#include "tests/mpi_fixture.h"

#include "tests/meanshift_fixture.h"

enum { N = 700, DIMS = 2, CLUSTERS = 3 };

/* Points around (0, 0), (10, 10) and (20, 20), in turn. */
static void make_points(float *x, uh_array arrays[DIMS], size_t n) {
    uint64_t state = 11;
    for (size_t i = 0; i < n * DIMS; i++)
        x[i] = (float)(10 * (double)(i / DIMS % CLUSTERS) + test_random_f64(&state));
    uh_arrays_of_rows(UH_F32, x, n, DIMS, arrays);
}

/* What ranks find with their parts of points is what one process finds with all; they are divided in one way after the
 * other. */
static void assert_as_one(const uh_array arrays[DIMS], const uh_mean_shift_options *options, size_t clusters) {
    static unsigned division;
    const size_t before = test_left();
    uh_mean_shift_options together = *options;
    together.exchange = test_mpi.exchange;
    const uh_clusters_properties one = test_clusters(tested.queue, arrays, DIMS, options);
    const size_t size = DIMS * uh_dtype_size(arrays[0].dtype);
    if (clusters > 0)
        assert_int_equal(one.clusters, clusters);
    uh_array mine[DIMS];
    size_t from = test_mpi_part((enum test_mpi_division)(division++ % TEST_MPI_DIVISIONS), arrays, DIMS, mine), moved;
    const uh_clusters_properties all = test_clusters(tested.queue, mine, DIMS, &together);
    assert_int_equal(all.n, mine[0].count);
    assert_int_equal(all.clusters, one.clusters);
    assert_int_equal(all.iterations, one.iterations);
    assert_int_equal(all.end, one.end);
    assert_memory_equal(all.centroids, one.centroids, one.clusters * DIMS * sizeof *one.centroids);
    assert_memory_equal(all.counts, one.counts, one.clusters * sizeof *one.counts);
    assert_memory_equal(all.labels, one.labels + from, all.n * sizeof *all.labels);
    moved = all.n;
    if (options->seed_bins > 0) { /* the first ranks have one more */
        const size_t ranks = (size_t)test_mpi.ranks, rank = (size_t)test_mpi.rank, more = one.moved % ranks;
        from = rank * (one.moved / ranks) + (rank < more ? rank : more);
        moved = one.moved / ranks + (rank < more);
    }
    assert_int_equal(all.moved, moved);
    assert_memory_equal(all.shifted, (const char *)one.shifted + from * size, moved * size);
    test_end_from(before);
}

/* Of loops over cases a coarse run takes each third, of seeds it follows a few iterations (0: the default): with more
 * programs than CPUs every message waits for some. */
#define STEP       (test_is_coarse() ? 3 : 1)
#define FIRST      test_first_of(STEP)
#define ITERATIONS (test_is_coarse() ? 12 : 0)

UNIT_TEST(all_ranks_get_the_clusters_of_one_process) {
    static const uh_mean_shift_method methods[] = {UH_MEAN_SHIFT_AUTO, UH_MEAN_SHIFT_CELLS, UH_MEAN_SHIFT_TILES};
    float x[N * DIMS];
    uh_array arrays[DIMS];
    make_points(x, arrays, N);
    for (size_t m = FIRST; m < 3; m += STEP) {
        assert_as_one(arrays, SHIFT(.sigma = 0.7, .method = methods[m]), CLUSTERS);
        assert_as_one(arrays, SHIFT(.sigma = 0.7, .method = methods[m], .algorithm = UH_MEAN_SHIFT_BLURRING), CLUSTERS);
        assert_as_one(
            arrays,
            SHIFT(.radius = 2, .kernel = UH_KERNEL_FLAT, .method = methods[m], .reduction = UH_MEAN_SHIFT_DENSEST),
            CLUSTERS);
    }
}

/* Coordinates all over a square, so that slabs have neighbours on both sides and clusters lie across them. */
static void scatter(uh_dtype dtype, uh_array arrays[DIMS], double extent, uint64_t seed) {
    double rows[N * DIMS];
    for (size_t i = 0; i < N * DIMS; i++)
        rows[i] = extent * test_random_f64(&seed);
    uh_arrays_of_rows(dtype, test_points_of(dtype, N, DIMS, rows).rows, N, DIMS, arrays);
}

UNIT_TEST(clusters_may_lie_across_slabs) {
    static const uh_mean_shift_reduction reductions[] = {UH_MEAN_SHIFT_COMPONENTS, UH_MEAN_SHIFT_GREEDY,
                                                         UH_MEAN_SHIFT_DENSEST};
    uh_array arrays[DIMS];
    for (size_t i = FIRST; i < 12; i += STEP) {
        scatter(i % 2 ? UH_F32 : UH_F64, arrays, i < 6 ? 30 : 8, i);
        assert_as_one(arrays,
                      SHIFT(.radius = i % 2 ? 1 : 2.5, .delta = i % 3 ? 0 : 0.4, .kernel = (uh_density_kernel)(i % 3),
                            .algorithm = (uh_mean_shift_algorithm)(i / 3 % 2),
                            .iterations = i % 4 == 3 ? SIZE_MAX : 5 + i, .reduction = reductions[i % 3]),
                      0);
    }
}

UNIT_TEST(blurring_goes_on_around_cells_that_points_of_any_rank_have_reached) {
    uh_array arrays[DIMS];
    uh_arrays_of_rows(UH_F32, test_reached().rows, TEST_REACHED_POINTS, DIMS, arrays);
    for (int i = 0; i < TEST_MPI_DIVISIONS; i++)
        assert_as_one(arrays, SHIFT(TEST_REACHED_OPTIONS), 0);
}

UNIT_TEST(seeds_are_those_of_all_points) {
    uh_array arrays[DIMS];
    scatter(UH_F32, arrays, 30, 5);
    for (size_t r = FIRST; r < 3; r += STEP)
        assert_as_one(arrays,
                      SHIFT(.sigma = 0.7, .seed_bins = 3, .seed_points = 5, .iterations = ITERATIONS,
                            .reduction = (uh_mean_shift_reduction)r),
                      0);
    assert_as_one(arrays, SHIFT(.sigma = 4, .seed_bins = 40, .iterations = ITERATIONS), 0);
}

UNIT_TEST(points_may_be_fewer_than_ranks) {
    float x[CLUSTERS * DIMS];
    uh_array arrays[DIMS];
    make_points(x, arrays, CLUSTERS);
    for (size_t r = FIRST; r < 3; r += STEP)
        assert_as_one(arrays, SHIFT(.sigma = 0.7, .reduction = (uh_mean_shift_reduction)r), CLUSTERS);
    make_points(x, arrays, 1);
    assert_as_one(arrays, SHIFT(.sigma = 0.7), 1);
    assert_as_one(arrays, SHIFT(.sigma = 0.7, .algorithm = UH_MEAN_SHIFT_BLURRING), 1);
}

/* All in one place, and some at the same distance: order and rounding may not matter. */
UNIT_TEST(points_may_coincide) {
    double x[N * DIMS];
    uh_array arrays[DIMS];
    for (size_t i = 0; i < N * DIMS; i++)
        x[i] = (double)(i / DIMS % 4) * 3;
    uh_arrays_of_rows(UH_F64, x, N, DIMS, arrays);
    for (size_t r = FIRST; r < 3; r += STEP) {
        assert_as_one(arrays, SHIFT(.sigma = 0.7, .reduction = (uh_mean_shift_reduction)r), 4);
        assert_as_one(arrays, SHIFT(.radius = 4.5, .reduction = (uh_mean_shift_reduction)r), 0);
    }
}

/* By blurring, a point rests while nothing around it moves. The one at (0, 0) rests in the first iteration, in which
 * another one comes near, over the corner of a cell: from a cell that is not adjacent to that of the first. */
UNIT_TEST(what_has_come_near_moves_a_point_that_rests) {
    enum { HEAVY = 10, POINTS = HEAVY + 4 };
    double x[POINTS * DIMS] = {0, 0, -0.96875, -0.96875, 1.046875, 0.5625, -0.671875, 1.40625};
    const uh_mean_shift_options *options =
        SHIFT(.radius = 1, .kernel = UH_KERNEL_FLAT, .algorithm = UH_MEAN_SHIFT_BLURRING, .method = UH_MEAN_SHIFT_CELLS,
              .iterations = 2);
    uh_array arrays[DIMS];
    for (size_t i = 4; i < POINTS; i++) {
        x[2 * i] = 0.1875;
        x[2 * i + 1] = 0.984375;
    }
    uh_arrays_of_rows(UH_F64, x, POINTS, DIMS, arrays);
    assert_true(*(const double *)test_clusters(tested.queue, arrays, DIMS, options).shifted > 0.01);
    for (int d = 0; d < TEST_MPI_DIVISIONS; d++)
        assert_as_one(arrays, options, 0);
}

static int end_at_last(const uh_mean_shift_iteration *iteration, void *context) {
    return *(const int *)context && iteration->number == 1;
}

UNIT_TEST(what_stops_one_rank_stops_all) {
    float x[N * DIMS];
    int last = test_mpi_is_last();
    uh_array arrays[DIMS];
    make_points(x, arrays, N);
    const uh_clusters_properties found = test_clusters(
        tested.queue, arrays, DIMS,
        SHIFT(.sigma = 0.7, .report = end_at_last, .report_context = &last, .exchange = test_mpi.exchange));
    assert_int_equal(found.end, UH_MEAN_SHIFT_STOPPED);
    assert_int_equal(found.iterations, 2);
}

#define SHIFT_FAILS(dims, sigma_, expected, ...)                                                                       \
    TEST_MPI_FAILS(                                                                                                    \
        uh_mean_shift(tested.queue, arrays, dims, SHIFT(.sigma = (sigma_), .exchange = test_mpi.exchange), &clusters), \
        expected, __VA_ARGS__)

UNIT_TEST(what_is_wrong_on_one_rank_fails_on_all) {
    float x[N * DIMS];
    const int last = test_mpi_is_last();
    uh_array arrays[DIMS];
    uh_clusters *clusters = NULL;
    make_points(x, arrays, N);
    SHIFT_FAILS(DIMS, last ? -1 : 1, INVALID_ARGUMENT, "LAST: ", "options->sigma");
    if (test_mpi.ranks > 1) {
        SHIFT_FAILS(DIMS, last ? 2 : 1, INCOMPATIBLE, "options, dims or types", "differ");
        SHIFT_FAILS(last ? 1 : 2, 1, INCOMPATIBLE, "options, dims or types", "differ");
    }
    x[4] = last ? NAN : x[4];
    SHIFT_FAILS(DIMS, 1, INVALID_ARGUMENT, "LAST: ", "points[0].data is nan in row 2,");
    arrays[0].count = arrays[1].count = 0;
    SHIFT_FAILS(DIMS, 1, INVALID_ARGUMENT, "points[0].count is 0 on all");
    x[0] = x[1] = last ? 3e19F : -3e19F;
    arrays[0].count = arrays[1].count = 1;
    if (test_mpi.ranks > 1)
        SHIFT_FAILS(DIMS, 1, INVALID_ARGUMENT, "points[0].data is from -3e+19 to 3e+19", "float32");
    assert_null(clusters);
}

MPI_TEST_MAIN(test_mpi_meanshift)
