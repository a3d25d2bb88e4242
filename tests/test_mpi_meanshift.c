/* SPDX-License-Identifier: Apache-2.0 */
/* Mean shift whose sums all ranks share: the clusters of one process. */
#include "tests/mpi_fixture.h"

#include <stdio.h>
#include <string.h>

#include <unihist/meanshift.h>

#define MEAN_SHIFT(...) (&(const uh_mean_shift_options){.struct_size = sizeof(uh_mean_shift_options), __VA_ARGS__})

enum { N = 700, DIMS = 2, CLUSTERS = 3 };

/* Points around (0, 0), (10, 10) and (20, 20), in turn. */
static void make_points(float *x, uh_array arrays[DIMS], size_t n) {
    uint64_t state = 11;
    for (size_t i = 0; i < n * DIMS; i++)
        x[i] = (float)(10 * (double)(i / DIMS % CLUSTERS) + test_random_f64(&state));
    for (size_t a = 0; a < DIMS; a++)
        arrays[a] = (uh_array){.dtype = UH_F32, .data = x + a, .stride = DIMS * sizeof *x, .count = n};
}

static uh_clusters_properties found(uh_clusters *clusters) {
    uh_clusters_properties properties = {.struct_size = sizeof properties};
    test_good(uh_clusters_get_properties(clusters, &properties));
    return properties;
}

static void assert_as_one(const uh_array arrays[DIMS], const uh_mean_shift_options *options, size_t clusters) {
    uh_clusters *of_one = NULL, *of_all = NULL;
    test_good(uh_mean_shift(tested.queue, arrays, DIMS, options, &of_one));
    test_good(uh_mpi_mean_shift(tested.queue, arrays, DIMS, options, MPI_COMM_WORLD, &of_all));
    const uh_clusters_properties one = found(of_one), all = found(of_all);
    assert_int_equal(all.clusters, clusters);
    assert_int_equal(all.iterations, one.iterations);
    assert_int_equal(all.end, one.end);
    assert_int_equal(all.clusters, one.clusters);
    assert_memory_equal(all.labels, one.labels, all.n * sizeof *all.labels);
    assert_memory_equal(all.counts, one.counts, all.clusters * sizeof *all.counts);
    assert_memory_equal(all.shifted, one.shifted, all.moved * DIMS * sizeof(float));
    for (size_t i = 0; i < all.n; i++)
        assert_true((all.labels[i] == all.labels[0]) == (i % CLUSTERS == 0));
    test_good(uh_clusters_destroy(of_one));
    test_good(uh_clusters_destroy(of_all));
}

UNIT_TEST(all_ranks_get_the_clusters_of_one_process) {
    static const uh_mean_shift_method methods[] = {UH_MEAN_SHIFT_CELLS, UH_MEAN_SHIFT_TILES};
    float x[N * DIMS];
    uh_array arrays[DIMS];
    make_points(x, arrays, N);
    for (size_t m = 0; m < 2; m++) {
        assert_as_one(arrays, MEAN_SHIFT(.sigma = 0.7, .method = methods[m]), CLUSTERS);
        assert_as_one(arrays, MEAN_SHIFT(.sigma = 0.7, .method = methods[m], .algorithm = UH_MEAN_SHIFT_BLURRING),
                      CLUSTERS);
        assert_as_one(
            arrays,
            MEAN_SHIFT(.radius = 2, .kernel = UH_KERNEL_FLAT, .method = methods[m], .reduction = UH_MEAN_SHIFT_DENSEST),
            CLUSTERS);
    }
}

UNIT_TEST(points_may_be_fewer_than_ranks) {
    float x[CLUSTERS * DIMS];
    uh_array arrays[DIMS];
    make_points(x, arrays, CLUSTERS);
    assert_as_one(arrays, MEAN_SHIFT(.sigma = 0.7), CLUSTERS);
    make_points(x, arrays, 1);
    assert_as_one(arrays, MEAN_SHIFT(.sigma = 0.7), 1);
}

/* ---- ends and failures ---- */

static int stop(const uh_mean_shift_iteration *iteration, void *context) {
    return *(const int *)context && iteration->number == 1;
}

UNIT_TEST(what_stops_one_rank_stops_all) {
    float x[N * DIMS];
    int last = test_mpi.rank + 1 == test_mpi.ranks;
    uh_array arrays[DIMS];
    uh_clusters *clusters = NULL;
    make_points(x, arrays, N);
    test_good(uh_mpi_mean_shift(tested.queue, arrays, DIMS,
                                MEAN_SHIFT(.sigma = 0.7, .report = stop, .report_context = &last), MPI_COMM_WORLD,
                                &clusters));
    assert_int_equal(found(clusters).end, UH_MEAN_SHIFT_STOPPED);
    assert_int_equal(found(clusters).iterations, 2);
    test_good(uh_clusters_destroy(clusters));
}

UNIT_TEST(what_is_wrong_on_one_rank_fails_on_all) {
    static const char call[] = "uh_mpi_mean_shift";
    float x[N * DIMS];
    const int last = test_mpi.rank + 1 == test_mpi.ranks;
    uh_array arrays[DIMS];
    uh_clusters *clusters = NULL;
    char rank[32];
    make_points(x, arrays, N);
    snprintf(rank, sizeof rank, "rank %d: ", test_mpi.ranks - 1);
    test_mpi_assert_failed(
        uh_mpi_mean_shift(tested.queue, arrays, DIMS, MEAN_SHIFT(.sigma = last ? -1 : 1), MPI_COMM_WORLD, &clusters),
        UH_ERROR_INVALID_ARGUMENT, call, rank, "options->sigma");
    if (test_mpi.ranks > 1)
        test_mpi_assert_failed(
            uh_mpi_mean_shift(tested.queue, arrays, DIMS, MEAN_SHIFT(.sigma = last ? 2 : 1), MPI_COMM_WORLD, &clusters),
            UH_ERROR_INCOMPATIBLE, call, "points or options", "differ");
    x[5] += last ? 1.0f : 0.0f;
    if (test_mpi.ranks > 1)
        test_mpi_assert_failed(
            uh_mpi_mean_shift(tested.queue, arrays, DIMS, MEAN_SHIFT(.sigma = 1), MPI_COMM_WORLD, &clusters),
            UH_ERROR_INCOMPATIBLE, call, "points or options", "differ");
    assert_null(clusters);
}

MPI_TEST_MAIN(test_mpi_meanshift)
