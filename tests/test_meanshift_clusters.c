/* SPDX-License-Identifier: Apache-2.0 */
/* How moved points become clusters, what moves from seeds, how iterations are watched and ended, and what is said of
 * it. Reductions are the host's work: most points here stay where they are. */
#include "tests/tested.h"

#include "kernels/meanshift/tree.h"
#include "tests/meanshift_fixture.h"

/* Points that do not move. */
#define STAY(...) SHIFT(.radius = 1, .iterations = SIZE_MAX, __VA_ARGS__)

UNIT_TEST(the_centroid_of_a_component_is_the_mean_to_the_last_bits) {
    const double row[] = {1, 0, 0x1p-40, 1 - 0x1p-45};
    const struct oracle_points points = test_points_of(UH_F64, 4, 1, row);
    const uh_clusters_properties found = test_shift(tested.queue, &points, STAY(.delta = 1));
    assert_int_equal(found.clusters, 1);
    assert_true(fabs(found.centroids[0] - (2 + 0x1p-40 - 0x1p-45) / 4) <= 0x1p-52);
}

/* Half-way between rows that lie in any two leaves. */
UNIT_TEST(of_rows_that_are_equally_near_the_first_is_the_nearest) {
    enum { N = 100 };
    double row[N], at[N];
    struct uhi_tree tree;
    for (uint64_t seed = 0; seed < 4; seed++) {
        const size_t *order = test_order(N, seed);
        for (size_t i = 0; i < N; i++) {
            row[i] = (double)order[i];
            at[order[i]] = (double)i;
        }
        assert_true(uhi_tree_make(&tree, row, 1, N));
        for (size_t i = 0; i + 1 < N; i++)
            assert_int_equal(uhi_tree_nearest(&tree, &(double){(double)i + 0.5}), fmin(at[i], at[i + 1]));
        uhi_tree_free(&tree);
    }
}

UNIT_TEST(greedy_centroids_depend_on_the_order_as_published) {
    static const double rows[][4] = {{0, 1.5, 3.25, 1}, {1.5, 0, 3.25, 1}, {3.25, 1, 0, 1.5}};
    static const double centroids[][2] = {{0, 3.25}, {1.5}, {3.25, 1}};
    static const size_t counts[] = {2, 1, 2};
    static const uint32_t labels[][4] = {{0, 0, 1, 0}, {0, 0, 0, 0}, {0, 1, 1, 1}};
    for (size_t i = 0; i < 3; i++) {
        const struct oracle_points points = test_points_of(UH_F32, 4, 1, rows[i]);
        const uh_clusters_properties found =
            test_shift(tested.queue, &points, STAY(.delta = 1.75, .reduction = UH_MEAN_SHIFT_GREEDY));
        assert_int_equal(found.clusters, counts[i]);
        assert_memory_equal(found.centroids, centroids[i], counts[i] * sizeof(double));
        assert_memory_equal(found.labels, labels[i], sizeof labels[i]);
    }
}

UNIT_TEST(points_that_end_early_still_count_as_centroids_of_their_own) {
    /* A pair that has ended in the first iteration, and a group that goes on for many. */
    const double row[] = {100, 100, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    enum { N = sizeof row / sizeof *row };
    for (int reduction = 0; reduction < 3; reduction++) {
        const struct oracle_points points = test_points_of(UH_F32, N, 1, row);
        const uh_clusters_properties found =
            test_shift(tested.queue, &points,
                       SHIFT(.algorithm = UH_MEAN_SHIFT_BLURRING, .sigma = 3, .eps = 1e-4,
                             .reduction = (uh_mean_shift_reduction)reduction));
        assert_int_equal(found.end, UH_MEAN_SHIFT_CONVERGED);
        assert_int_equal(found.clusters, 2);
        assert_int_equal(found.labels[0], found.labels[1]);
        for (size_t i = 2; i < N; i++)
            assert_int_equal(found.labels[i], 1 - found.labels[0]);
    }
}

UNIT_TEST(every_reduction_is_the_oracles_on_a_lattice_with_ties) {
    for (size_t i = 0; i < 27; i++) {
        const size_t dims = 1 + i / 9;
        double rows[160 * 3];
        uint64_t seed = i;
        for (size_t k = 0; k < 160 * dims; k++)
            rows[k] = (double)(test_random_u64(&seed) % (dims == 1 ? 400 : dims == 2 ? 25 : 9));
        const struct oracle_points points = test_points_of(UH_F32, 160, dims, rows);
        const uh_mean_shift_options options =
            *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 9, .squared = 1, .iterations = SIZE_MAX,
                   .delta = (double)(1 + i % 3), .reduction = (uh_mean_shift_reduction)(i / 3 % 3));
        const uh_clusters_properties found = test_shift(tested.queue, &points, &options);
        test_judge_clusters(&points, &options, &found);
        assert_true(found.clusters > 1 && found.clusters < 160);
    }
}

/* The centres of bins with at least `least` points, in no order: returns how many. */
static size_t seeds_of(const struct oracle_points *points, double width, size_t least, double *seeds) {
    const size_t dims = points->dims;
    size_t found = 0;
    for (size_t i = 0; i < points->n; i++) {
        double centre[UH_MEAN_SHIFT_MAX_DIMS];
        size_t inside = 0, first = points->n;
        for (size_t axis = 0; axis < dims; axis++)
            centre[axis] = width * round((double)oracle_coordinate(points, i, axis) / width);
        for (size_t j = 0; j < points->n; j++) {
            size_t axis = 0;
            while (axis < dims && fabs((double)oracle_coordinate(points, j, axis) - centre[axis]) < width / 2)
                axis++;
            inside += axis == dims;
            first = axis == dims && first == points->n ? j : first;
        }
        if (first == i && inside >= least)
            memcpy(seeds + dims * found++, centre, dims * sizeof *centre);
    }
    return found;
}

static int has_row(const double *rows, size_t n, size_t dims, const struct oracle_points *of, size_t i) {
    for (size_t k = 0; k < n; k++) {
        size_t axis = 0;
        while (axis < dims && rows[k * dims + axis] == (double)oracle_coordinate(of, i, axis))
            axis++;
        if (axis == dims)
            return 1;
    }
    return 0;
}

UNIT_TEST(seeds_are_the_centres_of_bins_with_points_enough) {
    enum { N = 400 };
    for (size_t i = 0; i < 12; i++) {
        const size_t dims = 1 + i % 3, least = i % 4;
        const double width = i % 2 ? 0.75 : 2;
        const struct oracle_points points = test_box(UH_F32, N, dims, i % 2 ? 8 : 30, i);
        double *expected = test_memory(N * dims * sizeof *expected);
        const size_t seeds = seeds_of(&points, width, least ? least : 1, expected);
        uh_mean_shift_options options =
            *SHIFT(.radius = 2.5, .seed_bins = width, .seed_points = least, .iterations = SIZE_MAX);
        const uh_clusters_properties still = test_shift(tested.queue, &points, &options);
        const struct oracle_points before = {UH_F32, still.moved, dims, still.shifted};
        assert_int_equal(still.moved, seeds);
        for (size_t k = 0; k < seeds; k++)
            assert_true(has_row(expected, seeds, dims, &before, k));
        options.iterations = 1;
        const uh_clusters_properties once = test_shift(tested.queue, &points, &options);
        const struct oracle_points after = {UH_F32, once.moved, dims, once.shifted};
        struct judged judged = {.points = points, .options = options};
        assert_int_equal(once.moved, seeds);
        if (judge_step(&judged, NULL, &before, &after, 50))
            fail_msg("%s", judged.problem);
        uh_array given[3];
        uh_arrays_of_rows(UH_F32, before.rows, seeds, dims, given);
        options.seeds = given;
        options.seed_bins = 0;
        const uh_clusters_properties same = test_shift(tested.queue, &points, &options);
        test_same_clusters(&same, &once);
    }
}

UNIT_TEST(the_densest_are_those_whose_last_move_had_most_neighbours) {
    static const double rows[] = {0, 0.5, 1, 8, 8.25, 8.5, 8.75, 20}, at[] = {50, 20.5, 9.625, 0.5};
    static const uint32_t labels[] = {1, 1, 1, 0, 0, 0, 0, 2};
    const struct oracle_points points = test_points_of(UH_F64, 8, 1, rows);
    const uh_array seeds = uh_array_of(UH_F64, at, 4), far = uh_array_of(UH_F64, at, 1);
    uh_mean_shift_options options =
        *SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 1, .seeds = &seeds, .reduction = UH_MEAN_SHIFT_DENSEST);
    const uh_clusters_properties found = test_shift(tested.queue, &points, &options);
    assert_int_equal(found.clusters, 3);
    assert_memory_equal(found.labels, labels, sizeof labels);
    options.seeds = &far;
    test_assert_failed(
        uh_mean_shift(tested.queue, &(uh_array){UH_F64, rows, 8, 8}, 1, &options, &(uh_clusters *){NULL}),
        UH_ERROR_NOT_FOUND, "options->radius is 1, expected some point within it of some seed");
}

UNIT_TEST(points_belong_to_the_nearest_of_the_centroids_that_seeds_found) {
    enum { N = 300 };
    for (int reduction = 0; reduction < 3; reduction++) {
        const struct oracle_points points = test_box(UH_F32, N, 2, 30, 6);
        const uh_clusters_properties found = test_shift(tested.queue, &points,
                                                        SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 2, .seed_bins = 2,
                                                              .reduction = (uh_mean_shift_reduction)reduction));
        const struct oracle_points centroids = {UH_F64, found.clusters, 2, found.centroids};
        uint64_t *counts = test_memory(found.clusters * sizeof *counts);
        assert_true(found.clusters > 10 && found.clusters <= found.moved && found.moved < N);
        for (size_t i = 0; i < N; i++) {
            const long double own = oracle_squared_distance(&points, i, &centroids, found.labels[i]);
            for (size_t c = 0; c < found.clusters; c++)
                assert_true(own <= oracle_squared_distance(&points, i, &centroids, c) * (1 + 1e-12L));
            counts[found.labels[i]]++;
        }
        assert_memory_equal(counts, found.counts, found.clusters * sizeof *counts);
    }
}

struct watched {
    size_t calls, last;
    uint64_t interactions, kernel_ns, total_ns;
    size_t moved, moving;
};

static int watch(const uh_mean_shift_iteration *iteration, void *context) {
    struct watched *watched = context;
    assert_int_equal(iteration->struct_size, sizeof *iteration);
    assert_int_equal(iteration->number, watched->calls++);
    assert_true(iteration->moving <= iteration->moved && iteration->largest >= 0);
    assert_true(watched->calls == 1 || iteration->moved == watched->moving);
    assert_true(iteration->kernel_ns <= iteration->total_ns);
    watched->interactions += iteration->interactions;
    watched->kernel_ns += iteration->kernel_ns;
    watched->moved = iteration->moved;
    watched->moving = iteration->moving;
    return watched->calls == watched->last;
}

UNIT_TEST(each_iteration_is_reported_and_the_sums_are_those_of_all) {
    enum { N = 200 };
    const struct oracle_points points = test_groups(UH_F32, N, 2, 1);
    struct watched watched = {.last = SIZE_MAX};
    const uh_clusters_properties found =
        test_shift(tested.queue, &points, SHIFT(.radius = 3, .report = watch, .report_context = &watched));
    assert_int_equal(found.end, UH_MEAN_SHIFT_CONVERGED);
    assert_int_equal(watched.calls, found.iterations);
    assert_int_equal(watched.moving, 0);
    assert_int_equal(watched.interactions, found.interactions);
    assert_int_equal(watched.kernel_ns, found.kernel_ns);
    assert_true(found.kernel_ns <= found.total_ns);
}

UNIT_TEST(a_report_ends_iterations_and_what_was_done_is_the_result) {
    const struct oracle_points points = test_groups(UH_F32, 200, 2, 1);
    struct watched watched = {.last = 2};
    const uh_clusters_properties stopped =
        test_shift(tested.queue, &points, SHIFT(.radius = 3, .eps = -1, .report = watch, .report_context = &watched));
    uh_clusters_properties two = test_shift(tested.queue, &points, SHIFT(.radius = 3, .eps = -1, .iterations = 2));
    assert_int_equal(stopped.end, UH_MEAN_SHIFT_STOPPED);
    assert_int_equal(stopped.iterations, 2);
    assert_int_equal(two.end, UH_MEAN_SHIFT_ITERATIONS);
    two.end = UH_MEAN_SHIFT_STOPPED;
    test_same_clusters(&stopped, &two);
}

struct progressed {
    size_t calls;
    uint64_t done, all;
};

static int stop_at_once(uint64_t done, uint64_t interactions, void *context) {
    struct progressed *progressed = context;
    progressed->calls++;
    progressed->done = done;
    progressed->all = interactions;
    return 1;
}

UNIT_TEST(progress_stops_within_an_iteration_which_is_not_in_the_result) {
    enum { N = 24000 }; /* pairs that are some more than a piece */
    if (getenv("UNIHIST_INSTRUMENTED"))
        skip_because("pairs of 24000 points take minutes in an instrumented build");
    struct progressed progressed = {.calls = 0};
    const struct oracle_points points = test_box(UH_F32, N, 1, 1000, 2);
    const uh_clusters_properties found =
        test_shift(tested.queue, &points,
                   SHIFT(.kernel = UH_KERNEL_FLAT, .radius = 0.01, .method = UH_MEAN_SHIFT_TILES,
                         .progress = stop_at_once, .progress_context = &progressed));
    assert_int_equal(progressed.calls, 1);
    assert_int_equal(progressed.all, (uint64_t)N * N);
    assert_true(progressed.done > 0 && progressed.done < progressed.all);
    assert_int_equal(found.end, UH_MEAN_SHIFT_STOPPED);
    assert_int_equal(found.iterations, 0);
    assert_memory_equal(found.shifted, points.rows, N * sizeof(float));
}

UNIT_TEST(the_plan_names_the_method) {
    static const uh_mean_shift_method methods[] = {UH_MEAN_SHIFT_CELLS, UH_MEAN_SHIFT_TILES, UH_MEAN_SHIFT_NAIVE,
                                                   UH_MEAN_SHIFT_AUTO};
    const struct oracle_points points = test_box(UH_F32, 200, 2, 9, 1);
    for (size_t m = 0; m < 4; m++) {
        const uh_clusters_properties found =
            test_shift(tested.queue, &points, SHIFT(.radius = 1, .method = methods[m], .iterations = 2));
        assert_non_null(strstr(found.plan, uh_enum_name(UH_ENUM_MEAN_SHIFT_METHOD, found.method)));
    }
}

TESTED_MAIN(test_meanshift_clusters)
