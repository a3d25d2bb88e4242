/* SPDX-License-Identifier: Apache-2.0 */
/* Expectation values under a density, by ratios of integrals and by points of it, and their histograms, on a device. */
#include "moments.c.h"
#include "tests/tested.h"

enum { AXES = 2, VALUES = 3, WIDTH = AXES + 1 + VALUES };

static const double pi = 3.14159265358979323846;
static const uh_integrand moments = {.struct_size = sizeof moments, .code = &uh_integrand_moments};

/* A grid of the bump's half plane, adapted to it. */
static uh_grid *adapted_grid(uint64_t seed, uh_integral *integral) {
    const double lower[] = {0, -HUGE_VAL}, upper[] = {HUGE_VAL, HUGE_VAL};
    uh_grid *grid = NULL;
    test_good(uh_grid_create(AXES, 50, lower, upper, NULL, &grid));
    const uh_integrate_options options = {
        .struct_size = sizeof options, .grid = grid, .max_calls = 20000, .seed = seed, .relative_error = 1e-4};
    test_good(uh_integrate(test_queue(1, 0), &moments, &options, integral));
    return grid;
}

/* Moments 0, 2 and 1 of x are as 1, 1 and 2 / pi; those of many seeds scatter as the errors say. */
UNIT_TEST(ratios_of_integrals_are_expectation_values_with_the_errors_of_their_covariance) {
    static const double expected[VALUES] = {1.5707963267948966, 1.5707963267948966, 1};
    enum { SEEDS = 40, BY = 2 };
    double values[VALUES], covariance[VALUES * VALUES], r[VALUES], c[VALUES * VALUES], squares[BY] = {0};
    uh_integral integral = {.struct_size = sizeof integral, .values = values, .covariance = covariance};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uh_grid_destroy(adapted_grid(seed, &integral));
        test_good(uh_integral_ratios(&integral, VALUES, BY, r, c));
        assert_true(r[BY] == 1 && c[BY * VALUES + BY] == 0 && c[1] == c[VALUES]);
        for (size_t k = 0; k < BY; k++)
            squares[k] += pow(r[k] - expected[k], 2) / c[k * VALUES + k];
    }
    for (size_t k = 0; k < BY; k++)
        test_near(sqrt(squares[k] / SEEDS), 1, 0.35);
    test_invalid(uh_integral_ratios(&integral, VALUES, 3, r, c), "by is 3, expected 0 to 2");
    values[1] = 0;
    test_invalid(uh_integral_ratios(&integral, VALUES, 1, r, c), "integral->values[1] is 0, expected a divisor");
    integral.covariance = NULL;
    test_invalid(uh_integral_ratios(&integral, VALUES, 0, r, c), "integral->covariance is NULL");
}

/* Sums of the weights, and of their squares, of points with x in tenths of [0, 1), drawn and counted on a device. */
static void count_points(uh_device *device, uh_queue *queue, const uh_grid *grid, size_t n, double sums[2][10]) {
    const size_t stride = WIDTH * sizeof(double);
    void *rows = NULL;
    uh_axis *axis = NULL;
    uh_histogram *histogram = NULL;
    test_good(uh_malloc(device, UH_MEMORY_DEVICE, n * stride, 0, &rows));
    test_good(uh_axis_create_regular(UH_SPACING_EQUAL, 10, 0, 1, UH_CLOSED_LEFT, &axis));
    const uh_histogram_options options = {.struct_size = sizeof options, .storage = UH_STORAGE_WEIGHTED};
    test_good(uh_histogram_create(queue, &axis, 1, &options, &histogram));
    test_good(uh_grid_points(queue, grid, &(uh_points){&moments, 3, 1000, n}, rows));
    const uh_array x = {UH_F64, rows, (ptrdiff_t)stride, n},
                   weights = {UH_F64, (double *)rows + AXES, (ptrdiff_t)stride, n};
    test_good(uh_histogram_fill(histogram, &x, &weights));
    test_good(uh_histogram_sums(histogram, UH_F64, sums[0], sums[1]));
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
    uh_free(rows);
}

UNIT_TEST(points_of_a_density_fill_a_histogram_on_their_device) {
    enum { N = 50000 };
    double there[2][10], here[2][10], sum = 0, squares = 0;
    uh_integral integral = {.struct_size = sizeof integral};
    uh_device *host = NULL;
    if (!tested.properties.fp64)
        skip_because("the device has no float64");
    uh_grid *grid = adapted_grid(1, &integral);
    count_points(tested.device, tested.queue, grid, N, there);
    test_good(uh_device_select("host", &host));
    count_points(host, test_queue(2, 0), grid, N, here);
    assert_memory_equal(there, here, sizeof here);
    for (size_t i = 0; i < 10; i++) {
        sum += here[0][i] / N;
        squares += here[1][i] / N;
    }
    test_near(sum, pi * (pi / 8 + 0.25), 4.5 * sqrt((squares - sum * sum) / N));
    uh_grid_destroy(grid);
}

UNIT_TEST(accepted_points_have_the_distribution_of_the_density) {
    enum { N = 40000, FIRST = 1001 };
    static double all[N * WIDTH], half[N * WIDTH];
    uh_integral integral = {.struct_size = sizeof integral};
    uh_grid *grid = adapted_grid(2, &integral);
    for (int i = 0; i < 2; i++) { /* by the largest weight; and by a third of the mean: then some weights are above 1 */
        const uh_points points = {&moments, 7, 5, N}, begin = {&moments, 7, 5, FIRST};
        double maximum = i * integral.value / 3, sum = 0, mean = 0;
        size_t n, first;
        test_good(uh_grid_points(test_queue(2, 0), grid, &points, all));
        memcpy(half, all, sizeof all);
        test_good(uh_points_unweight(grid, &points, all, &maximum, &n));
        for (size_t j = 0; j < n; j++) {
            sum += all[j * WIDTH + AXES];
            mean += all[j * WIDTH + AXES] * all[j * WIDTH];
        }
        assert_true(i == 0 ? sum == (double)n : sum > (double)n);
        test_near(maximum * sum / N, integral.value, 6 * maximum / sqrt(N));
        test_near(mean / sum, 2 / pi, 6 / sqrt((double)n)); /* the variance of x is less than 1 */
        test_good(uh_points_unweight(grid, &begin, half, &maximum, &first));
        assert_memory_equal(half, all, first * WIDTH * sizeof *all);
    }
    double maximum = -1, row[AXES + 1] = {[AXES] = (double)NAN};
    size_t n = 0;
    test_invalid(uh_points_unweight(grid, &(uh_points){.n = 1}, row, &maximum, &n), "maximum is -1");
    maximum = 1;
    test_invalid(uh_points_unweight(grid, &(uh_points){.n = 1}, row, &maximum, &n), "rows[0] has weight nan");
    uh_grid_destroy(grid);
}

TESTED_MAIN(test_integrate_points)
