/* SPDX-License-Identifier: Apache-2.0 */
/* What mean shift, densities and bandwidths refuse, naming it; nothing is written then. */
#include "tests/tested.h"

#include "tests/meanshift_fixture.h"

enum { N = 6, DIMS = 2 };

/* Two columns of float32 that are right. */
static void good_columns(uh_array *columns) {
    static const float x[] = {0, 1, 2, 3, 4, 5}, y[] = {9, 8, 7, 6, 5, 4};
    columns[0] = uh_array_of(UH_F32, x, N);
    columns[1] = uh_array_of(UH_F32, y, N);
}

/* All three calls refuse the points, with a message that has `text`. */
static void assert_refused(const uh_array *columns, size_t dims, const char *text) {
    uh_clusters *const untouched = (uh_clusters *)&tested;
    uh_clusters *clusters = untouched;
    double density = 17, bandwidth = 17;
    test_invalid(uh_mean_shift(tested.queue, columns, dims, SHIFT(.radius = 1), &clusters), "uh_mean_shift: ", text);
    test_invalid(uh_kde(tested.queue, columns, dims, columns, DENSITY(.radius = 1), &density), "uh_kde: ", text);
    test_invalid(uh_estimate_bandwidth(tested.queue, columns, dims, NULL, &bandwidth), "uh_estimate_bandwidth: ", text);
    assert_ptr_equal(clusters, untouched);
    assert_true(density == 17 && bandwidth == 17);
}

UNIT_TEST(points_that_are_none_are_refused) {
    uh_array columns[UH_MEAN_SHIFT_MAX_DIMS + 1];
    for (size_t i = 0; i <= UH_MEAN_SHIFT_MAX_DIMS; i += DIMS)
        good_columns(columns + (i < UH_MEAN_SHIFT_MAX_DIMS ? i : i - 1));
    assert_refused(columns, 0, "dims is 0, expected 1 to 256");
    assert_refused(columns, 257, "dims is 257, expected 1 to 256");
    assert_refused(NULL, 2, "points is NULL");
    columns[0].count = columns[1].count = 0;
    assert_refused(columns, 2, "points[0].count is 0");
    good_columns(columns);
    columns[1].count = 5;
    assert_refused(columns, 2, "points[1].count is 5, expected 6");
    good_columns(columns);
    columns[1].data = NULL;
    assert_refused(columns, 2, "points[1].data is NULL");
    good_columns(columns);
    columns[0].count = columns[1].count = (size_t)1 << 31;
    assert_refused(columns, 2, "points[0].count is 2147483648");
}

UNIT_TEST(points_of_other_types_are_refused) {
    static const int32_t whole[N] = {0};
    uh_array columns[DIMS];
    for (unsigned dtype = UH_I8; dtype < UH_DTYPE_COUNT; dtype++) {
        columns[0] = columns[1] = (uh_array){(uh_dtype)dtype, whole, 0, N};
        assert_refused(columns, DIMS, "points[0].dtype is ");
    }
    good_columns(columns);
    columns[1] = (uh_array){UH_F64, whole, 0, N};
    assert_refused(columns, DIMS, "points[1].dtype is ");
    columns[1].dtype = (uh_dtype)77;
    assert_refused(columns, DIMS, "points[1].dtype is ");
}

UNIT_TEST(coordinates_that_are_not_finite_are_named_by_their_row) {
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        float y[N] = {1, 2, 3, 4, 5, 6};
        uh_array columns[DIMS];
        y[4] = wrong[i];
        y[5] = NAN;
        good_columns(columns);
        columns[1] = uh_array_of(UH_F32, y, N);
        assert_refused(columns, DIMS, "points[1].data");
        assert_refused(columns, DIMS, "row 4");
        assert_refused(columns, DIMS, i == 0 ? "nan" : "inf");
    }
}

UNIT_TEST(differences_whose_squares_overflow_are_refused) {
    static const float wide[] = {-2e19F, 2e19F}, near[] = {0, 1.2e19F};
    static const double far[] = {-1e300, 1e300};
    uh_clusters *clusters = NULL;
    const uh_array column = uh_array_of(UH_F32, wide, 2), doubles = uh_array_of(UH_F64, far, 2),
                   held = uh_array_of(UH_F32, near, 2);
    test_invalid(uh_mean_shift(tested.queue, &column, 1, SHIFT(.radius = 1), &clusters),
                 "points[0].data is from -2e+19 to 2e+19, expected differences whose squares float32 holds");
    if (tested.properties.fp64)
        test_invalid(uh_mean_shift(tested.queue, &doubles, 1, SHIFT(.radius = 1), &clusters),
                     "points[0].data is from -1e+300 to 1e+300, expected differences whose squares float64 holds");
    test_invalid(uh_mean_shift(tested.queue, &held, 1, SHIFT(.radius = 1e-30), &clusters),
                 "options->radius is 1e-30, expected a distance whose square float32 holds");
    test_invalid(uh_mean_shift(tested.queue, &held, 1, SHIFT(.radius = 1e30), &clusters),
                 "options->radius is 1e+30, expected a distance whose square float32 holds");
    test_invalid(uh_mean_shift(tested.queue, &held, 1, SHIFT(.radius = 1, .sigma = 1e-30), &clusters),
                 "options->sigma is 1e-30, expected a number whose square float32 holds");
    test_good(uh_mean_shift(tested.queue, &held, 1, SHIFT(.radius = 1), &clusters));
    uh_clusters_destroy(clusters);
}

UNIT_TEST(numbers_that_fit_nothing_are_refused) {
    enum { SIZE = sizeof(uh_mean_shift_options) };
    static const float x[] = {0, 1, 2};
    static const uh_array seeds[DIMS] = {{UH_F32, x, 4, 2}, {UH_F32, x, 4, 3}};
    static const struct {
        uh_mean_shift_options options;
        const char *text;
    } wrong[] = {
        {{.struct_size = 0}, "options->struct_size is 0"},
        {{.struct_size = SIZE}, "options->radius is 0"},
        {{.struct_size = SIZE, .radius = -1}, "options->radius is -1"},
        {{.struct_size = SIZE, .radius = NAN}, "options->radius is nan"},
        {{.struct_size = SIZE, .radius = INFINITY}, "options->radius is inf"},
        {{.struct_size = SIZE, .radius = 1, .sigma = -1}, "options->sigma is -1"},
        {{.struct_size = SIZE, .sigma = NAN}, "options->sigma is nan"},
        {{.struct_size = SIZE, .sigma = INFINITY}, "options->sigma is inf"},
        {{.struct_size = SIZE, .radius = 1, .delta = -2}, "options->delta is -2"},
        {{.struct_size = SIZE, .radius = 1, .delta = NAN}, "options->delta is nan"},
        {{.struct_size = SIZE, .radius = 1, .eps = NAN}, "options->eps is nan"},
        {{.struct_size = SIZE, .radius = 1, .seed_bins = -1}, "options->seed_bins is -1"},
        {{.struct_size = SIZE, .radius = 1, .seed_bins = NAN}, "options->seed_bins is nan"},
        {{.struct_size = SIZE, .radius = 1, .seed_bins = 1, .algorithm = UH_MEAN_SHIFT_BLURRING}, "options->seed_bins"},
        {{.struct_size = SIZE, .radius = 1, .seed_bins = 0.5, .seed_points = 2}, "options->seed_points is 2"},
        {{.struct_size = SIZE, .radius = 1, .seed_bins = 1e-30},
         "options->seed_bins is 1e-30, expected a width of which all coordinates are less than"},
        {{.struct_size = SIZE, .radius = 1, .seeds = seeds, .seed_bins = 1}, "options->seeds is given"},
        {{.struct_size = SIZE, .radius = 1, .seeds = seeds, .algorithm = UH_MEAN_SHIFT_BLURRING}, "options->seeds"},
        {{.struct_size = SIZE, .radius = 1, .seeds = seeds}, "options->seeds[1].count is 3, expected 2"},
        {{.struct_size = SIZE, .radius = 1, .algorithm = (uh_mean_shift_algorithm)2}, "options->algorithm is 2"},
        {{.struct_size = SIZE, .radius = 1, .kernel = (uh_density_kernel)3}, "options->kernel is 3"},
        {{.struct_size = SIZE, .radius = 1, .method = (uh_mean_shift_method)4}, "options->method is 4"},
        {{.struct_size = SIZE, .radius = 1, .reduction = (uh_mean_shift_reduction)-1}, "options->reduction is -1"},
    };
    uh_array columns[DIMS];
    uh_clusters *clusters = NULL;
    good_columns(columns);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_invalid(uh_mean_shift(tested.queue, columns, DIMS, &wrong[i].options, &clusters),
                     "uh_mean_shift: ", wrong[i].text);
    assert_null(clusters);
}

UNIT_TEST(null_pointers_are_named) {
    uh_array columns[DIMS];
    uh_clusters *clusters = NULL;
    uh_clusters_properties properties = {.struct_size = sizeof properties};
    double density[N] = {0}, bandwidth;
    good_columns(columns);
    test_null_is_refused(
        uh_mean_shift(NAMED(queue, tested.queue), columns, DIMS, SHIFT(.radius = 1), NAMED(clusters, &clusters)));
    test_invalid(uh_mean_shift(tested.queue, columns, DIMS, NULL, &clusters), "uh_mean_shift: options->radius is 0");
    test_invalid(uh_clusters_get_properties(NULL, &properties), "clusters is NULL");
    uh_clusters_destroy(NULL);
    test_null_is_refused(uh_kde(NAMED(queue, tested.queue), columns, DIMS, NAMED(at, columns), DENSITY(.radius = 1),
                                NAMED(density, density)));
    test_invalid(uh_kde(tested.queue, columns, DIMS, columns, NULL, density), "options->radius is 0");
    test_null_is_refused(
        uh_estimate_bandwidth(NAMED(queue, tested.queue), columns, DIMS, NULL, NAMED(bandwidth, &bandwidth)));
}

UNIT_TEST(densities_refuse_places_and_numbers_that_fit_nothing) {
    static const float wrong[] = {0, 1, NAN, 3, 4, 5};
    static const double doubles[N] = {0};
    uh_array columns[DIMS], at[DIMS];
    double density[N] = {17};
    good_columns(columns);
    good_columns(at);
    at[1] = uh_array_of(UH_F32, wrong, N);
    test_invalid(uh_kde(tested.queue, columns, DIMS, at, DENSITY(.radius = 1), density), "uh_kde: at[1].data", "row 2");
    at[1] = uh_array_of(UH_F64, doubles, N);
    test_invalid(uh_kde(tested.queue, columns, DIMS, at, DENSITY(.radius = 1), density), "uh_kde: at[1].dtype is ");
    good_columns(at);
    at[1].count = 3;
    test_invalid(uh_kde(tested.queue, columns, DIMS, at, DENSITY(.radius = 1), density),
                 "uh_kde: at[1].count is 3, expected 6");
    good_columns(at);
    test_invalid(uh_kde(tested.queue, columns, DIMS, at, DENSITY(.radius = 0), density), "options->radius is 0");
    test_invalid(uh_kde(tested.queue, columns, DIMS, at, DENSITY(.sigma = -1), density), "options->sigma is -1");
    test_invalid(uh_kde(tested.queue, columns, DIMS, at, DENSITY(.radius = 1, .kernel = (uh_density_kernel)3), density),
                 "options->kernel is 3");
    test_invalid(
        uh_kde(tested.queue, columns, DIMS, at, DENSITY(.radius = 1, .method = (uh_mean_shift_method)7), density),
        "options->method is 7");
    assert_true(density[0] == 17);
}

UNIT_TEST(a_bandwidth_needs_a_quantile_and_samples_that_there_are) {
    static const double wrong[] = {-0.5, 1.5, NAN};
    uh_array columns[DIMS];
    double bandwidth = 17;
    good_columns(columns);
    for (size_t i = 0; i < 3; i++)
        test_invalid(uh_estimate_bandwidth(tested.queue, columns, DIMS, BANDWIDTH(.quantile = wrong[i]), &bandwidth),
                     "uh_estimate_bandwidth: options->quantile is ");
    assert_true(bandwidth == 17);
}

UNIT_TEST(a_device_without_float64_refuses_it) {
    const struct oracle_points points = test_box(UH_F64, 50, 2, 4, 1);
    uh_array columns[DIMS];
    uh_clusters *clusters = NULL;
    double density[50];
    if (tested.properties.fp64)
        skip_because("the device has float64");
    uh_arrays_of_rows(UH_F64, points.rows, points.n, DIMS, columns);
    test_assert_failed(uh_mean_shift(tested.queue, columns, DIMS, SHIFT(.radius = 1), &clusters), UH_ERROR_UNSUPPORTED,
                       "uh_mean_shift", "float64");
    test_assert_failed(uh_kde(tested.queue, columns, DIMS, columns, DENSITY(.radius = 1), density),
                       UH_ERROR_UNSUPPORTED, "uh_kde", "float64");
    assert_null(clusters);
}

TESTED_MAIN(test_meanshift_errors)
