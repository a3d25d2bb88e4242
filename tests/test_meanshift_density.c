/* SPDX-License-Identifier: Apache-2.0 */
/* Densities and bandwidths: what they are in closed form, and the same bits however they are computed. (Against the
 * oracle: cases_meanshift.c.) */
#include "tests/tested.h"

#include "kernels/meanshift/meanshift.h"
#include "kernels/registry.h"
#include "tests/meanshift_fixture.h"

static const double pi = 3.14159265358979323846;

/* Densities at places that are rows. */
static double *densities_at(uh_queue *queue, const struct oracle_points *points, const struct oracle_points *places,
                            const uh_kde_options *options) {
    uh_array of[UH_MEAN_SHIFT_MAX_DIMS], at[UH_MEAN_SHIFT_MAX_DIMS];
    double *density = test_memory((places->n + 1) * sizeof *density);
    density[places->n] = 17;
    uh_arrays_of_rows(points->dtype, points->rows, points->n, points->dims, of);
    uh_arrays_of_rows(places->dtype, places->rows, places->n, places->dims, at);
    test_good(uh_kde(queue, of, points->dims, at, options, density));
    assert_true(density[places->n] == 17);
    return density;
}

static double bandwidth_of(uh_queue *queue, const struct oracle_points *points, const uh_bandwidth_options *options) {
    uh_array of[UH_MEAN_SHIFT_MAX_DIMS];
    double bandwidth = -1;
    uh_arrays_of_rows(points->dtype, points->rows, points->n, points->dims, of);
    test_good(uh_estimate_bandwidth(queue, of, points->dims, options, &bandwidth));
    return bandwidth;
}

UNIT_TEST(the_density_of_one_point_is_the_kernel_over_its_integral) {
    const double zero[3] = {0}, near[3] = {0.5, 0, 0}, edge[3] = {2, 0, 0}, beyond[3] = {2.125, 0, 0};
    /* Integrals of the kernels of radius 2 over 1, 2 and 3 axes; the Gaussian's sigma is 1. */
    const double cut = erf(sqrt(2)), gauss[] = {sqrt(2 * pi) * cut, 2 * pi * (1 - exp(-2)),
                                                pow(2 * pi, 1.5) * (cut - 2 * sqrt(2 / pi) * exp(-2))};
    const double flat[] = {4, 4 * pi, 32 * pi / 3}, epanechnikov[] = {8 / 3.0, 2 * pi, 64 * pi / 15};
    const double *const integral[] = {gauss, flat, epanechnikov};
    const double at_near[] = {exp(-0.125), 1, 1 - 0.0625}, at_edge[] = {exp(-2), 1, 0};
    for (size_t dims = 1; dims <= 3; dims++)
        for (size_t k = 0; k < 3; k++) {
            double rows[12];
            const double *const from[] = {zero, near, edge, beyond};
            for (size_t i = 0; i < 4; i++)
                memcpy(rows + i * dims, from[i], dims * sizeof *rows);
            const struct oracle_points point = test_points_of(UH_F32, 1, dims, zero),
                                       places = test_points_of(UH_F32, 4, dims, rows);
            const double *density = densities_at(tested.queue, &point, &places,
                                                 DENSITY(.kernel = (uh_density_kernel)k, .radius = 2, .sigma = 1));
            const double one = 1 / integral[k][dims - 1];
            test_near(density[0], one, 1e-13);
            test_near(density[1], at_near[k] * one, 0x1p-21 * one);
            test_near(density[2], at_edge[k] * one, 0x1p-21 * one);
            assert_true(density[3] == 0);
        }
}

UNIT_TEST(places_that_are_far_from_all_points_have_no_density) {
    /* The last cell of both axes has none, nor do its neighbours. */
    static const double rows[] = {0, 50, 1, 51, 50, 0, 51, 1, 2, 49}, far[] = {51, 51, 1e6, 1e6, -1e6, -1e6, 50, 0};
    const struct oracle_points points = test_points_of(UH_F32, 5, 2, rows), places = test_points_of(UH_F32, 4, 2, far);
    for (unsigned method = 0; method < 4; method++) {
        const double *density =
            densities_at(tested.queue, &points, &places, DENSITY(.radius = 1, .method = (uh_mean_shift_method)method));
        assert_true(density[0] == 0 && density[1] == 0 && density[2] == 0 && density[3] > 0);
    }
}

UNIT_TEST(densities_have_the_same_bits_by_every_method_thread_order_and_device) {
    enum { N = 300, PLACES = 150 };
    for (size_t r = 0; r < 8; r++) {
        const uh_dtype dtype = r % 2 && tested.properties.fp64 ? UH_F64 : UH_F32;
        const size_t dims = r < 6 ? 1 + r / 2 : 6;
        const struct oracle_points points = test_box(dtype, N, dims, 8, r),
                                   places = test_box(dtype, PLACES, dims, 9, r);
        const struct oracle_points reordered = test_reordered(&points, test_order(N, r));
        uh_kde_options options =
            *DENSITY(.kernel = (uh_density_kernel)(r % 3), .radius = dims > 3 ? 5 : 2, .method = UH_MEAN_SHIFT_NAIVE);
        const double *on_host = densities_at(test_queue(1, 0), &points, &places, &options);
        for (unsigned method = 0; method < 4; method++)
            for (uint32_t threads = 1; threads <= (tested.on_host ? 8 : 1); threads += 3) {
                uh_queue *queue = tested_queue(threads);
                options.method = (uh_mean_shift_method)method;
                assert_memory_equal(densities_at(queue, &points, &places, &options), on_host, PLACES * sizeof *on_host);
                assert_memory_equal(densities_at(queue, &reordered, &places, &options), on_host,
                                    PLACES * sizeof *on_host);
            }
    }
}

/* Keys of cells are sorted by eleven bits at a time: as many cells as take a bit more, and half as many. */
UNIT_TEST(any_number_of_cells_has_the_same_bits) {
    enum { N = 400 };
    static const double sides[] = {1000, 2000, 3000, 5000, 4e6};
    for (size_t r = 0; r < sizeof sides / sizeof *sides; r++) {
        const struct oracle_points points = test_box(UH_F32, N, 1, sides[r], r);
        const double *all =
            densities_at(tested.queue, &points, &points, DENSITY(.radius = 1, .method = UH_MEAN_SHIFT_NAIVE));
        const double *near =
            densities_at(tested.queue, &points, &points, DENSITY(.radius = 1, .method = UH_MEAN_SHIFT_CELLS));
        assert_memory_equal(near, all, N * sizeof *all);
    }
}

UNIT_TEST(a_grid_is_all_crossings_of_its_lines_the_last_axis_fastest) {
    static const float x[] = {-1, 0.5F, 2}, y[] = {3, -2}, z[] = {0, 1, 0.25F, -4};
    const uh_array lines[] = {uh_array_of(UH_F32, x, 3), uh_array_of(UH_F32, y, 2), uh_array_of(UH_F32, z, 4)};
    const struct oracle_points points = test_box(UH_F32, 60, 3, 8, 5);
    double crossings[24 * 3], grid[25];
    uh_array of[3];
    for (size_t i = 0; i < 24; i++) {
        crossings[3 * i] = (double)x[i / 8];
        crossings[3 * i + 1] = (double)y[i / 4 % 2];
        crossings[3 * i + 2] = (double)z[i % 4];
    }
    const struct oracle_points places = test_points_of(UH_F32, 24, 3, crossings);
    uh_arrays_of_rows(points.dtype, points.rows, points.n, 3, of);
    grid[24] = 17;
    test_good(uh_kde(tested.queue, of, 3, lines, DENSITY(.sigma = 1.5, .grid = 1), grid));
    assert_memory_equal(grid, densities_at(tested.queue, &points, &places, DENSITY(.sigma = 1.5)), 24 * sizeof *grid);
    assert_true(grid[24] == 17);
}

UNIT_TEST(a_bandwidth_is_the_mean_distance_to_the_kth_neighbour) {
    const double row[] = {0, 1, 3, 7};
    static const double quantiles[] = {0.1, 0.25, 0.5, 0.75, 0.9, 1};
    static const double expected[] = {
        0, 0, (1 + 1 + 2 + 4) / 4.0, (3 + 2 + 3 + 6) / 4.0, (3 + 2 + 3 + 6) / 4.0, (7 + 6 + 4 + 7) / 4.0};
    const struct oracle_points points = test_points_of(UH_F32, 4, 1, row);
    for (size_t i = 0; i < 6; i++)
        test_near(bandwidth_of(tested.queue, &points, BANDWIDTH(.quantile = quantiles[i])), expected[i], 1e-15);
}

/* Most distances are a millionth of a millionth of the largest, and less. */
UNIT_TEST(a_bandwidth_may_be_far_below_the_largest_distance) {
    enum { N = 60 };
    double row[N];
    for (size_t i = 0; i < N; i++)
        row[i] = i == 17 ? 1000 : 1e-9 * (double)(i * i);
    const struct oracle_points points = test_points_of(UH_F64, N, 1, row);
    static const double quantiles[] = {0.05, 0.25, 0.45, 0.65, 0.85};
    for (size_t q = 0; q < sizeof quantiles / sizeof *quantiles; q++) {
        const double expected = (double)oracle_bandwidth(&points, quantiles[q], 1);
        test_near(bandwidth_of(tested.queue, &points, BANDWIDTH(.quantile = quantiles[q])), expected, 1e-14 * expected);
    }
}

UNIT_TEST(samples_of_points_give_a_bandwidth_near_that_of_all) {
    enum { N = 600 };
    const struct oracle_points points = test_box(UH_F32, N, 2, 10, 1);
    const double all = bandwidth_of(tested.queue, &points, NULL),
                 some = bandwidth_of(tested.queue, &points, BANDWIDTH(.samples = N / 4));
    assert_true(bandwidth_of(tested.queue, &points, BANDWIDTH(.samples = N)) == all);
    test_near(some, all, 0.05 * all);
    assert_true(some != all);
}

/* One run of candidates, and as many runs as candidates: more weights of 1 than a sum of 32 bits holds. */
UNIT_TEST(sums_do_not_depend_on_how_long_runs_are) {
    enum { N = 3000 };
    static const float place[] = {0.25F};
    float *points = test_memory((N + UHI_MEANSHIFT_PAD) * sizeof *points);
    struct uhi_candidates *each = test_memory(N * sizeof *each), whole = {0, N};
    const double scale = 1 << UHI_WEIGHT_BITS_F32;
    int64_t sums[2][2];
    tested_on_host_only();
    for (uint32_t i = 0; i < N; i++)
        each[i] = (struct uhi_candidates){i, i + 1};
    for (size_t k = 0; k < 2; k++) {
        const struct uhi_summing summing = {.rule = {.number = {[UHI_RULE_LIMIT] = 1, [UHI_RULE_SCALE] = scale}},
                                            .dims = 1,
                                            .runs = k ? N : 1,
                                            .points = N,
                                            .places = 1,
                                            .point = points,
                                            .place = place,
                                            .candidates = k ? each : &whole,
                                            .sums = sums[k]};
        uhi_meanshift_host()->sum_f32(&summing, 0, 1);
        assert_int_equal(sums[k][0], (int64_t)N << UHI_WEIGHT_BITS_F32);
        assert_int_equal(sums[k][1], 0);
    }
}

TESTED_MAIN(test_meanshift_density)
