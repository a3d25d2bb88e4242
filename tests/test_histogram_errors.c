/* SPDX-License-Identifier: Apache-2.0 */
/* What histograms refuse, and what their plans say. */
#include "api/histogram.h"
#include "tests/tested.h"

enum { BINS = 7 };
static const double edges[] = {0, 21, 25, 28, 44, 47, 57, 70};
static const double values[] = {-1, 0, 30, 70, 71, NAN};
enum { VALUES = 6 };

static uh_axis *make_axis(void) { return test_axis_of(UH_F64, edges, BINS + 1, UH_CLOSED_LEFT); }

static uh_histogram *make(void) {
    uh_histogram *histogram = test_line(tested.queue, make_axis());
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, values, VALUES), NULL));
    return histogram;
}

/* A histogram over 7 x 3 cells. */
static uh_histogram *make_plane(uh_storage storage) {
    uh_axis *const axes[] = {make_axis(), test_equal_axis(3, 0, 3)};
    return test_histogram_over(tested.queue, axes, 2, OPTIONS(.storage = storage));
}

UNIT_TEST(bad_options_are_refused) {
    static const uh_method methods[] = {(uh_method)9, (uh_method)-1, UH_METHOD_CDF, (uh_method)4};
    enum { SIZE = sizeof(uh_histogram_options) };
    static const struct {
        uh_histogram_options options;
        const char *text;
    } wrong[] = {
        {{.struct_size = 0}, "options->struct_size is 0"},
        {{.struct_size = SIZE + 8}, "options->struct_size is 64, expected 56"},
        {{.struct_size = SIZE, .storage = (uh_storage)6}, "options->storage is 6"},
        {{.struct_size = SIZE, .storage = UH_STORAGE_SUM, .sum = (uh_sum)2}, "options->sum is 2"},
        {{.struct_size = SIZE, .sum = UH_SUM_FAST}, "storage is count"},
        {{.struct_size = SIZE, .storage = UH_STORAGE_U16, .sum = UH_SUM_FAST}, "storage is u16"},
        {{.struct_size = SIZE, .methods = &methods[0]}, "options->methods[0] is 9"},
        {{.struct_size = SIZE, .methods = &methods[1]}, "options->methods[0] is -1"},
        {{.struct_size = SIZE, .methods = &methods[3]}, "options->methods[0] is 4, expected a uh_method, 0 to 3"},
        {{.struct_size = SIZE, .methods = &methods[2]}, "axes[0]: method cdf goes by the distribution"},
        {{.struct_size = SIZE, .leaf_bins = 65}, "options->leaf_bins is 65, expected at most 64"},
    };
    uh_axis *const axis = make_axis();
    uh_histogram *histogram = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_invalid(uh_histogram_create(tested.queue, &axis, 1, &wrong[i].options, &histogram),
                     "uh_histogram_create: ", wrong[i].text);
    test_null_is_refused(
        uh_histogram_create(NAMED(queue, tested.queue), NAMED(axes, &axis), 1, NULL, NAMED(histogram, &histogram)));
    assert_null(histogram);
    (void)test_histogram_over(tested.queue, &axis, 1, OPTIONS(.leaf_bins = 64));
}

UNIT_TEST(more_cells_than_there_may_be_are_refused_by_number) {
    uh_axis *axes[9] = {test_equal_axis(1 << 16, 0, 1)};
    uh_histogram *histogram = NULL;
    for (size_t a = 1; a < 9; a++)
        axes[a] = axes[0];
    test_invalid(uh_histogram_create(tested.queue, axes, 2, NULL, &histogram), "uh_histogram_create", "4294967296",
                 "2147483648");
    test_invalid(uh_histogram_create(tested.queue, axes, 8, NULL, &histogram), "uh_histogram_create", "more than",
                 "2147483648");
    test_invalid(uh_histogram_create(tested.queue, axes, 9, NULL, &histogram), "naxes is 9, expected 1 to 8");
    test_invalid(uh_histogram_create(tested.queue, axes, 0, NULL, &histogram), "naxes is 0, expected 1 to 8");
    axes[1] = NULL;
    test_invalid(uh_histogram_create(tested.queue, axes, 2, NULL, &histogram), "axes[1] is NULL");
    assert_null(histogram);
}

static const uh_distribution normal = {
    .struct_size = sizeof normal, .kind = UH_DISTRIBUTION_NORMAL, .location = 1, .scale = 2};

UNIT_TEST(method_cdf_is_refused_for_an_axis_that_carries_no_distribution) {
    static const uh_method methods[] = {UH_METHOD_CDF, UH_METHOD_CDF};
    uh_axis *plain = test_equal_axis(4, 0, 1), *const axes[] = {test_axis_with(plain, &normal), plain};
    uh_histogram *histogram = NULL;
    test_invalid(uh_histogram_create(tested.queue, axes, 2, OPTIONS(.methods = methods), &histogram),
                 "uh_histogram_create: axes[1]: method cdf goes by the distribution", "carries none");
    assert_null(histogram);
}

UNIT_TEST(bad_arrays_are_refused_by_name_and_nothing_is_counted) {
    static const uh_dtype none[] = {(uh_dtype)99, UH_F64}, second[] = {UH_F64, (uh_dtype)-1};
    static const struct {
        uh_array arrays[2];
        const char *text;
    } wrong[] = {
        {{{(uh_dtype)10, values, 8, 1}, {UH_F64, values, 8, 1}}, "arrays[0].dtype is 10, expected a uh_dtype, 0 to 9"},
        {{{UH_F64, values, 8, 1}, {(uh_dtype)-1, values, 8, 1}}, "arrays[1].dtype is -1"},
        {{{UH_F64, NULL, 8, 3}, {UH_F64, values, 8, 3}}, "arrays[0].data is NULL, expected 3 values"},
        {{{UH_F64, values, 0, 7}, {UH_F64, NULL, 0, 7}}, "arrays[1].data is NULL, expected 7 values"},
        {{{UH_F64, values, 8, 3}, {UH_F64, values, 8, 2}}, "arrays[1].count is 2, expected 3, as of arrays[0]"},
        {{{UH_F64, NULL, 8, 0}, {UH_F64, values, 8, 2}}, "arrays[1].count is 2, expected 0"},
        {{{UH_F64, values, PTRDIFF_MIN, 2}, {UH_F64, values, 8, 2}},
         "arrays[0].count is 2 and stride -9223372036854775808"},
        {{{UH_F64, values, PTRDIFF_MAX, 2}, {UH_F64, values, 8, 2}},
         "arrays[0].count is 2 and stride 9223372036854775807"},
        {{{UH_F64, values, -1, SIZE_MAX}, {UH_F64, values, 8, 2}},
         "arrays[0].count is 18446744073709551615 and stride -1"},
        {{{UH_F64, values, 8, 2}, {UH_F64, values, PTRDIFF_MIN / 2, 2}}, "arrays[1].count is 2 and stride -46"},
    };
    uh_histogram *histograms[] = {make(), make_plane(UH_STORAGE_COUNT)};
    uint64_t before[BINS], after[BINS];
    test_good(uh_histogram_counts(histograms[0], before));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        test_invalid(uh_histogram_fill(histograms[1], wrong[i].arrays, NULL), "uh_histogram_fill: ", wrong[i].text);
        if (strstr(wrong[i].text, "arrays[0]") == wrong[i].text)
            test_invalid(uh_histogram_fill(histograms[0], wrong[i].arrays, NULL), "uh_histogram_fill: ", wrong[i].text);
    }
    for (size_t h = 0; h < 2; h++) {
        test_invalid(uh_histogram_fill(histograms[h], NULL, NULL), "uh_histogram_fill: arrays is NULL");
        test_invalid(uh_histogram_prepare(histograms[h], none), "uh_histogram_prepare: dtypes[0] is 99");
        test_invalid(uh_histogram_prepare(histograms[h], NULL), "uh_histogram_prepare: dtypes is NULL");
        test_null_is_refused(uh_histogram_merge(NAMED(target, histograms[h]), NAMED(source, histograms[h])));
        assert_int_equal(test_total(histograms[h]), h == 0 ? VALUES : 0);
    }
    test_invalid(uh_histogram_prepare(histograms[1], second), "uh_histogram_prepare: dtypes[1] is -1");
    test_invalid(uh_histogram_fill(NULL, wrong->arrays, NULL), "uh_histogram_fill: histogram is NULL");
    test_invalid(uh_histogram_prepare(NULL, none), "uh_histogram_prepare: histogram is NULL");
    test_invalid(uh_histogram_reset(NULL), "uh_histogram_reset: histogram is NULL");
    test_good(uh_histogram_counts(histograms[0], after));
    assert_memory_equal(before, after, sizeof before);
}

UNIT_TEST(weights_that_a_storage_does_not_take_are_refused) {
    static const double w[] = {0.5, 1};
    static const uh_array x[] = {{UH_F64, w, 8, 1}, {UH_F64, w, 8, 1}};
    uh_histogram *count = make_plane(UH_STORAGE_COUNT), *sum = make_plane(UH_STORAGE_SUM),
                 *mean = make_plane(UH_STORAGE_MEAN), *line = make();
    double out[3 * BINS];
    uint64_t counts[3 * BINS];
    test_invalid(uh_histogram_fill(count, x, x), "uh_histogram_fill: weights are given, expected NULL", "is count");
    test_invalid(uh_histogram_fill(line, x, x), "uh_histogram_fill: weights are given, expected NULL", "is count");
    test_invalid(uh_histogram_fill(sum, x, ARRAY(UH_U8, w, 1)), "weights->dtype is uint8, expected float32");
    test_invalid(uh_histogram_fill(sum, x, ARRAY((uh_dtype)77, w, 1)), "weights->dtype is 77");
    test_invalid(uh_histogram_fill(sum, x, ARRAY(UH_F64, NULL, 1)), "weights->data is NULL, expected 1 values");
    test_invalid(uh_histogram_fill(sum, x, ARRAY(UH_F64, w, 2)), "weights->count is 2, expected 1");
    test_invalid(uh_histogram_fill(mean, x, NULL), "weights is NULL, expected the sampled values: storage is mean");
    for (size_t h = 0; h < 2; h++)
        test_invalid(uh_histogram_sums(h ? line : count, UH_F64, out, NULL), "storage is count", "sum, weighted");
    test_invalid(uh_histogram_sums(sum, UH_F64, out, out), "storage is sum", "weighted");
    test_invalid(uh_histogram_sums(sum, UH_I32, out, NULL),
                 "dtype is int32, expected float64, float32, int64 or uint64");
    test_invalid(uh_histogram_sums(sum, (uh_dtype)99, out, NULL), "uh_histogram_sums: dtype is 99");
    test_invalid(uh_histogram_sums(make_plane(UH_STORAGE_WEIGHTED), UH_I64, out, out), "sum_squares is given");
    test_invalid(uh_histogram_counts(sum, counts), "storage is sum");
    test_invalid(uh_histogram_means(sum, NULL, NULL, NULL), "storage is sum");
}

UNIT_TEST(bad_arguments_of_digitize_are_refused) {
    uh_histogram *histogram = make(), *plane = make_plane(UH_STORAGE_COUNT);
    const uh_array x = uh_array_of(UH_F64, values, 1);
    int64_t index[] = {7};
    const char *call = "uh_histogram_digitize: ";
    test_null_is_refused(uh_histogram_digitize(NAMED(histogram, histogram), NAMED(x, &x), UH_I64, NAMED(index, index)));
    test_invalid(uh_histogram_digitize(histogram, STRIDED((uh_dtype)11, values, 1, 8), UH_I64, index), call,
                 "dtype is 11");
    test_invalid(uh_histogram_digitize(histogram, ARRAY(UH_F64, NULL, 1), UH_I64, index), call, "x->data is NULL");
    test_invalid(uh_histogram_digitize(plane, &x, UH_I64, index), call, "the histogram has 2 axes, expected 1");
    assert_int_equal(index[0], 7);
}

UNIT_TEST(histograms_that_differ_do_not_merge) {
    uh_histogram *count = make_plane(UH_STORAGE_COUNT), *sum = make_plane(UH_STORAGE_SUM), *line = make();
    test_assert_failed(uh_histogram_merge(count, sum), UH_ERROR_INCOMPATIBLE, "differ: cells of storage count and sum");
    test_assert_failed(uh_histogram_merge(count, line), UH_ERROR_INCOMPATIBLE, "differ: 2 axes and 1");
    test_assert_failed(uh_histogram_merge(line, sum), UH_ERROR_INCOMPATIBLE, "differ: 1 axes and 2");
}

UNIT_TEST(bad_arguments_of_readers_are_refused) {
    uh_histogram *histogram = make(), *plane = make_plane(UH_STORAGE_COUNT);
    uint64_t counts[3 * BINS] = {0};
    double density[BINS] = {0};
    uh_flow flow;
    test_null_is_refused(uh_histogram_counts(NAMED(histogram, histogram), NAMED(counts, counts)));
    test_null_is_refused(uh_histogram_flow(NAMED(histogram, histogram), 0, NAMED(flow, &flow)));
    test_invalid(uh_histogram_flow(histogram, 1, &flow), "uh_histogram_flow: axis is 1, expected 0 to 0");
    test_invalid(uh_histogram_flow(plane, 2, &flow), "uh_histogram_flow: axis is 2, expected 0 to 1");
    test_invalid(uh_histogram_total(NULL, counts, NULL), "uh_histogram_total: histogram is NULL");
    test_null_is_refused(uh_histogram_density(NAMED(histogram, histogram), NAMED(density, density)));
    uh_moments moments = {.struct_size = sizeof moments}, unknown = {.struct_size = 1};
    test_null_is_refused(uh_histogram_moments(NAMED(histogram, histogram), 0, NAMED(moments, &moments)));
    test_invalid(uh_histogram_moments(plane, 2, &moments), "uh_histogram_moments: axis is 2, expected 0 to 1");
    test_invalid(uh_histogram_moments(plane, 0, &unknown), "moments->struct_size is 1");
    uh_histogram_properties properties = {.struct_size = 1};
    test_null_is_refused(uh_histogram_get_properties(NAMED(histogram, plane), NAMED(properties, &properties)));
    test_invalid(uh_histogram_get_properties(plane, &properties), "properties->struct_size is 1");
    assert_null(uh_histogram_axis(plane, 2));
}

UNIT_TEST(quantiles_that_there_are_not_are_refused_and_nothing_is_stored) {
    static const double x[] = {0.5, 1.5}, wrong[] = {0, 1.5, 1}, nan[] = {NAN}, half[] = {0.5};
    static const double weights[][2] = {{1, -2}, {1, NAN}, {INFINITY, 1}};
    uh_axis *axis = test_equal_axis(2, 0, 2);
    uh_histogram *line = make(), *plane = make_plane(UH_STORAGE_COUNT),
                 *sum = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = UH_STORAGE_SUM));
    double stored[3] = {7, 7, 7};
    const char *call = "uh_histogram_quantiles: ";
    test_null_is_refused(
        uh_histogram_quantiles(NAMED(histogram, line), NAMED(probabilities, half), 1, NAMED(values, stored)));
    test_invalid(uh_histogram_quantiles(plane, half, 1, stored), call, "the histogram has 2 axes, expected 1");
    test_invalid(uh_histogram_quantiles(line, wrong, 3, stored), call, "probabilities[1] is 1.5, expected 0 to 1");
    test_invalid(uh_histogram_quantiles(line, nan, 1, stored), call, "probabilities[0] is nan");
    for (size_t i = 0; i < 3; i++) {
        test_good(uh_histogram_reset(sum));
        test_good(uh_histogram_fill(sum, ARRAY(UH_F64, x, 2), ARRAY(UH_F64, weights[i], 2)));
        test_invalid(uh_histogram_quantiles(sum, half, 1, stored), call, i == 2 ? "bin 0 is inf" : "the sum of bin 1");
    }
    assert_true(stored[0] == 7 && stored[1] == 7 && stored[2] == 7);
}

UNIT_TEST(axes_and_bins_that_are_none_are_refused) {
    uh_histogram *h = make_plane(UH_STORAGE_COUNT), *part = NULL;
    const uh_axis *axis = test_equal_axis(2, 0, 1);
    const size_t twice[] = {1, 1}, far[] = {2}, to[] = {1, 2, UH_NO_INDEX};
    test_invalid(uh_histogram_project(h, twice, 2, &part), "axes[0] and axes[1] are both 1");
    test_invalid(uh_histogram_project(h, far, 1, &part), "axes[0] is 2, expected 0 to 1");
    test_invalid(uh_histogram_project(h, twice, 3, &part), "naxes is 3, expected 1 to 2");
    test_invalid(uh_histogram_rebin(h, 2, axis, to, &part), "axis is 2");
    test_invalid(uh_histogram_rebin(h, 1, axis, to, &part), "to[1] is 2, expected 0 to 1, or UH_NO_INDEX");
    test_null_is_refused(
        uh_histogram_rebin(NAMED(histogram, h), 1, NAMED(bins, axis), NAMED(to, to), NAMED(rebinned, &part)));
    assert_null(part);
}

UNIT_TEST(the_plan_is_one_line_that_names_map_cells_levels_bytes_and_comparisons) {
    uh_axis *const with = test_axis_with(make_axis(), &normal);
    for (int by = 0; by < UHI_LOOKUP_DIRECT; by++)
        for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++) {
            uh_histogram *histogram = test_histogram_over(tested.queue, &with, 1, NULL);
            uhi_histogram_want(histogram, 0, (enum uhi_lookup)by);
            char text[1000];
            size_t length = 0;
            static const char *const words[] = {"map", "cell", "level", "bytes", "look-up", "comparison"};
            test_good(uh_histogram_plan_text(histogram, 0, (uh_dtype)dtype, text, sizeof text, &length));
            assert_int_equal(strstr(text, "cdf: normal, map ") == text, by == UHI_LOOKUP_CDF);
            assert_int_equal(length, strlen(text));
            assert_null(strchr(text, '\n'));
            assert_ptr_equal(strstr(text, uhi_lookup_name((enum uhi_lookup)by)), text);
            for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (!strstr(text, words[i]))
                    fail_msg("'%s' does not say %s", text, words[i]);
        }
}

UNIT_TEST(the_plans_line_is_cut_as_by_snprintf) {
    char whole[1000], part[1000];
    size_t length, again;
    uh_histogram *histogram = make();
    const char *call = "uh_histogram_plan_text: ";
    test_good(uh_histogram_plan_text(histogram, 0, UH_F32, whole, sizeof whole, &length));
    for (size_t size = 0; size <= length + 2; size++) {
        memset(part, 'x', sizeof part);
        again = 0;
        test_good(uh_histogram_plan_text(histogram, 0, UH_F32, size ? part : NULL, size, &again));
        assert_int_equal(again, length);
        size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_memory_equal(part, whole, kept);
        if (size)
            assert_int_equal(part[kept], 0);
        assert_int_equal(part[size ? kept + 1 : 0], 'x');
    }
    test_good(uh_histogram_plan_text(histogram, 0, UH_F32, part, sizeof part, NULL));
    assert_string_equal(part, whole);
    test_null_is_refused(uh_histogram_plan_text(NAMED(histogram, histogram), 0, UH_F32, NAMED(text, part), 10, NULL));
    test_invalid(uh_histogram_plan_text(histogram, 0, (uh_dtype)10, part, 10, NULL), call, "dtype is 10");
}

TESTED_MAIN(test_histogram_errors)
