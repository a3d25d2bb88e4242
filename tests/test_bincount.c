/* SPDX-License-Identifier: Apache-2.0 */
/* Counts and sums by integer, in addition to their description (cases_bincount.c): histograms over an axis that grows,
 * what memory does not hold, and wrong arguments. */
#include "tests/tested.h"

#include <unihist/save.h>

#include "kernels/bincount/bincount_run.h"

static const uh_dtype integers[] = {UH_I8, UH_I16, UH_I32, UH_I64, UH_U8, UH_U16, UH_U32, UH_U64};

/* Ends with the unit test. */
static uh_histogram *make_growing(const uh_histogram_options *options) {
    uh_axis *axis = test_growing_axis();
    return test_histogram_over(tested.queue, &axis, 1, options);
}

/* Fills `round`'s values, counts them by hand as well, and returns how many bins they ask for. */
static size_t fill_round(uh_histogram *histogram, uint64_t round, uint64_t *expected) {
    enum { N = 100003 };
    static uint64_t x[N];
    const uh_dtype dtype = integers[round % 8];
    const size_t size = uh_dtype_size(dtype), n = round % 2 ? N : 500;
    const uint64_t bins = round < 4 ? 100 : size == 1 ? 90 : 2000 * round;
    uint64_t seed = round;
    for (size_t i = 0; i < n; i++) {
        const uint64_t value = i + 1 == n ? bins - 1 : test_random_u64(&seed) % bins;
        memcpy((char *)x + i * size, &value, size); /* little-endian */
        expected[value]++;
    }
    test_good(uh_histogram_fill(histogram, THERE(dtype, x, n), NULL));
    return bins;
}

UNIT_TEST(a_growing_histogram_gathers_over_fills_of_several_types) {
    enum { LENGTH = 22000 };
    static uint64_t expected[LENGTH];
    static double density[LENGTH];
    uh_histogram *histogram = make_growing(NULL);
    uint64_t inside = 0, outside = 0, points = 0;
    size_t cells = 0;
    memset(expected, 0, sizeof expected);
    for (uint64_t round = 0; round < 12; round++) {
        const size_t bins = fill_round(histogram, round, expected);
        cells = bins > cells ? bins : cells;
        assert_int_equal(test_properties(histogram).cells, cells);
        test_assert_counts(histogram, expected, NULL);
    }
    test_good(uh_histogram_density(histogram, density));
    for (size_t v = 0; v < cells; v++)
        points += expected[v];
    test_good(uh_histogram_total(histogram, &inside, &outside));
    assert_true(inside == points && outside == 0);
    for (size_t v = 0; v < cells; v++)
        assert_true(density[v] == (double)expected[v] / (double)points);
}

UNIT_TEST(the_axis_of_a_growing_histogram_has_the_integers_so_far) {
    const uint8_t x[] = {2, 5, 2};
    uh_histogram *histogram = make_growing(NULL);
    uint64_t counts[6];
    uh_flow flow = {1, 1, 1};
    const uh_axis *none = uh_histogram_axis(histogram, 0);
    assert_true(none && test_axis_properties(none).bins == 0 && test_axis_properties(none).edges[0] == 0);
    assert_int_equal(test_properties(histogram).cells, 0);
    test_good(uh_histogram_counts(histogram, counts)); /* all of none */
    test_good(uh_histogram_fill(histogram, THERE(UH_U8, x, 3), NULL));
    uh_axis *fixed = test_integer_axis(0, 5);
    assert_true(uh_axis_equal(uh_histogram_axis(histogram, 0), fixed));
    test_good(uh_histogram_flow(histogram, 0, &flow));
    assert_true(flow.below == 0 && flow.above == 0 && flow.nan == 0);
    /* The returned axis lives on with a histogram that is made of it. */
    uh_axis *had = (uh_axis *)(uintptr_t)uh_histogram_axis(histogram, 0);
    uh_histogram *over = test_line(tested.queue, had);
    test_good(uh_histogram_fill(histogram, THERE(UH_I32, &(int32_t){70}, 1), NULL));
    assert_int_equal(test_axis_properties(uh_histogram_axis(histogram, 0)).bins, 71);
    test_good(uh_histogram_fill(over, THERE(UH_U8, x, 3), NULL));
    test_good(uh_histogram_counts(over, counts));
    assert_true(counts[2] == 2 && counts[5] == 1 && uh_axis_equal(uh_histogram_axis(over, 0), fixed));
    test_good(uh_histogram_reset(histogram));
    assert_int_equal(test_axis_properties(uh_histogram_axis(histogram, 0)).bins, 0);
}

/* Whether two histograms have these contents: of counts or of sums. */
static void assert_cells(uh_histogram *histogram, size_t cells, const double *expected) {
    uint64_t counts[64] = {0};
    double sums[64] = {0};
    assert_int_equal(test_properties(histogram).cells, cells);
    if (test_properties(histogram).storage == UH_STORAGE_SUM)
        test_good(uh_histogram_sums(histogram, UH_F64, sums, NULL));
    else
        test_good(uh_histogram_counts(histogram, counts));
    for (size_t v = 0; v < cells; v++)
        assert_true((test_properties(histogram).storage == UH_STORAGE_SUM ? sums[v] : (double)counts[v]) ==
                    expected[v]);
}

UNIT_TEST(merging_and_saving_a_growing_histogram_keep_all_of_it) {
    static const double one[] = {1, 0, 0, 1}, both[] = {2, 0, 0, 2, 0, 0, 0, 1}, wide[12] = {2, 0, 0, 2, 0, 0, 0, 1};
    const int16_t first[] = {3, 0}, second[] = {7, 0, 3};
    for (size_t i = 0; i < 2; i++) {
        const uh_storage storage = i ? UH_STORAGE_SUM : UH_STORAGE_COUNT;
        uh_histogram *a = make_growing(OPTIONS(.storage = storage));
        uh_histogram *b = make_growing(OPTIONS(.storage = storage));
        uh_histogram *padded = make_growing(OPTIONS(.storage = storage, .minlength = 12));
        uh_histogram *loaded = NULL, *empty = NULL;
        char bytes[8192];
        size_t length = 0;
        uint64_t inside = 0;
        test_good(uh_histogram_save_bytes(a, bytes, sizeof bytes, &length));
        test_good(uh_histogram_load_bytes(tested.queue, bytes, length, &empty));
        test_at_end_first(empty, test_end_histogram);
        assert_int_equal(test_properties(empty).cells, 0);
        test_good(uh_histogram_fill(a, THERE(UH_I16, first, 2), NULL));
        assert_cells(a, 4, one);
        test_good(uh_histogram_fill(b, THERE(UH_I16, second, 3), NULL));
        test_good(uh_histogram_merge(empty, a));
        test_good(uh_histogram_merge(a, b));
        assert_cells(a, 8, both);
        test_good(uh_histogram_merge(padded, a));
        test_good(uh_histogram_save_bytes(padded, bytes, sizeof bytes, &length));
        test_good(uh_histogram_load_bytes(tested.queue, bytes, length, &loaded));
        test_at_end_first(loaded, test_end_histogram);
        assert_cells(loaded, 12, wide);
        test_good(uh_histogram_total(loaded, &inside, NULL));
        assert_int_equal(inside, 5);
        test_good(uh_histogram_fill(loaded, THERE(UH_I16, &(int16_t){20}, 1), NULL));
        assert_int_equal(test_properties(loaded).cells, 21);
        test_good(uh_histogram_reset(loaded));
        assert_int_equal(test_properties(loaded).cells, 12);
        assert_cells(empty, 4, one);
        test_good(uh_histogram_merge(empty, empty));
        assert_cells(empty, 4, (const double[]){2, 0, 0, 2});
    }
}

UNIT_TEST(what_is_made_of_a_growing_histogram_has_its_values) {
    const uint32_t x[] = {1, 4, 4, 5};
    const size_t axis = 0;
    for (size_t i = 0; i < 2; i++) {
        uh_histogram *histogram = make_growing(OPTIONS(.storage = i ? UH_STORAGE_SUM : UH_STORAGE_COUNT));
        uh_histogram *made = NULL;
        uh_moments moments = {.struct_size = sizeof moments};
        double median = 0;
        test_good(uh_histogram_moments(histogram, 0, &moments));
        test_good(uh_histogram_quantiles(histogram, &(double){0.5}, 1, &median));
        assert_true(moments.total == 0 && isnan(moments.mean) && isnan(median));
        test_good(uh_histogram_fill(histogram, THERE(UH_U32, x, 4), NULL));
        const size_t to[] = {0, 0, 0, UH_NO_INDEX, 1, 1};
        assert_cells(test_rebinned(histogram, 0, test_integer_axis(0, 1), to), 2, (const double[]){1, 3});
        test_invalid(uh_histogram_rebin(histogram, 0, test_growing_axis(), to, &made), "bins is an axis that grows");
        test_good(uh_histogram_project(histogram, &axis, 1, &made));
        test_good(uh_histogram_fill(made, THERE(UH_U32, &(uint32_t){6}, 1), NULL));
        assert_cells(made, 7, (const double[]){0, 1, 0, 0, 2, 1, 1});
        uh_histogram_destroy(made);
        test_good(uh_histogram_moments(histogram, 0, &moments));
        test_good(uh_histogram_quantiles(histogram, &(double){0.5}, 1, &median));
        assert_true(moments.total == 4 && moments.mean == 3.5 && moments.variance == 2.25 && median == 4);
        test_invalid(uh_histogram_digitize(histogram, THERE(UH_U32, x, 4), UH_I64, (int64_t[4]){0}),
                     "uh_histogram_digitize: the histogram's axis grows");
        test_invalid(uh_histogram_plan_text(histogram, 0, UH_U32, NULL, 0, NULL), "axis grows");
        test_invalid(uh_histogram_prepare(histogram, &(uh_dtype){UH_F32}), "dtypes[0] is float32");
        test_good(uh_histogram_prepare(histogram, &(uh_dtype){UH_I8}));
    }
}

UNIT_TEST(what_does_not_fit_a_growing_histogram_is_named) {
    uh_axis *axis[] = {test_growing_axis(), test_integer_axis(1, 5), test_integer_axis(0, 5)};
    uh_histogram *none = NULL, *histogram = make_growing(NULL);
    const struct {
        size_t first, naxes;
        uh_histogram_options options;
        uh_status status;
        const char *text;
    } refused[] = {
        {0, 2, {.storage = UH_STORAGE_COUNT}, UH_ERROR_INVALID_ARGUMENT, "naxes is 2, expected 1"},
        {0, 1, {.storage = UH_STORAGE_MEAN}, UH_ERROR_INVALID_ARGUMENT, "storage is mean, expected count or sum"},
        {0, 1, {.maxlength = SIZE_MAX}, UH_ERROR_OUT_OF_MEMORY, "maxlength is 1844674407370955"},
        {0, 1, {.minlength = SIZE_MAX}, UH_ERROR_OUT_OF_MEMORY, "minlength is 1844674407370955"},
        {1, 1, {.minlength = 5}, UH_ERROR_INVALID_ARGUMENT, "minlength is 5"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        uh_histogram_options options = refused[i].options;
        options.struct_size = sizeof options;
        test_assert_failed(
            uh_histogram_create(tested.queue, axis + refused[i].first, refused[i].naxes, &options, &none),
            refused[i].status, "uh_histogram_create", refused[i].text);
    }
    uh_histogram *from_1 = test_line(tested.queue, axis[1]), *from_0 = test_line(tested.queue, axis[2]);
    uh_histogram *few = make_growing(OPTIONS(.maxlength = 3));
    test_assert_failed(uh_histogram_merge(from_0, histogram), UH_ERROR_INCOMPATIBLE, "fixed bins, and bins that grow");
    test_assert_failed(uh_histogram_merge(histogram, from_1), UH_ERROR_INCOMPATIBLE, "the integers from 0");
    test_assert_failed(uh_histogram_merge(few, from_0), UH_ERROR_INCOMPATIBLE, "6 cells, expected at most 3");
    test_good(uh_histogram_fill(from_0, THERE(UH_I8, ((int8_t[]){5, 3}), 2), NULL));
    test_good(uh_histogram_merge(histogram, from_0));
    assert_cells(histogram, 6, (const double[]){0, 0, 0, 1, 0, 1});
    test_good(uh_histogram_fill(from_0, THERE(UH_I8, &(int8_t){9}, 1), NULL));
    test_assert_failed(uh_histogram_merge(histogram, from_0), UH_ERROR_INCOMPATIBLE, "1 points in no cell");
    test_invalid(uh_histogram_fill(histogram, THERE(UH_F32, &(float){1}, 1), NULL), "arrays[0].dtype is float32");
    test_invalid(uh_histogram_fill(histogram, THERE(UH_I8, &(int8_t){1}, 1), THERE(UH_F32, &(float){1}, 1)),
                 "storage is count");
    assert_cells(histogram, 6, (const double[]){0, 0, 0, 1, 0, 1});
}

UNIT_TEST(a_result_larger_than_memory_is_refused_before_it_is_allocated) {
    enum { MANY = 100003 };
    static uint64_t x[MANY];
    static const struct {
        size_t n;
        uint64_t value;
        const char *text;
    } rows[] = {{10, UINT64_MAX, "[5] is 18446744073709551615"},
                {10, (uint64_t)1 << 62, "[5] is 4611686018427387904"},
                {MANY, UINT64_MAX, "[50001] is 18446744073709551615"},
                {MANY, (uint64_t)1 << 62, "[50001] is 4611686018427387904"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = 99;
        uh_histogram *histogram = make_growing(NULL);
        x[rows[i].n / 2] = rows[i].value;
        test_assert_failed(uh_bincount(tested.queue, THERE(UH_U64, x, rows[i].n), NULL, 0, &length),
                           UH_ERROR_OUT_OF_MEMORY, ": x", rows[i].text, "memory holds");
        assert_int_equal(length, 99);
        test_good(uh_histogram_fill(histogram, THERE(UH_U64, x, 1), NULL));
        test_assert_failed(uh_histogram_fill(histogram, THERE(UH_U64, x, rows[i].n), NULL), UH_ERROR_OUT_OF_MEMORY,
                           ": arrays[0]", rows[i].text);
        assert_cells(histogram, 1, (const double[]){1});
        x[rows[i].n / 2] = 0;
    }
}

UNIT_TEST(more_bins_than_a_device_numbers_are_refused) {
    const uint64_t x[] = {(uint64_t)1 << 31};
    uh_histogram *histogram = make_growing(NULL);
    tested_on_devices_only();
    if (uhi_bincount_room() <= x[0])
        skip_because("this machine's memory holds fewer bins");
    test_assert_failed(uh_histogram_fill(histogram, THERE(UH_U64, x, 1), NULL), UH_ERROR_UNSUPPORTED, "2147483648",
                       "the host counts more");
}

UNIT_TEST(wrong_arguments_are_named) {
    const float f = 1;
    const int32_t i = 1;
    const uh_array x = uh_array_of(UH_I32, &i, 1), w = uh_array_of(UH_F32, &f, 1), none = uh_array_of(UH_I32, NULL, 0);
    uh_queue *const queue = tested.queue;
    uint64_t counts[4] = {7, 7, 7, 7};
    size_t length = 7;
    test_invalid(uh_bincount(queue, &w, counts, 4, &length), "x->dtype is float32", "integers");
    test_invalid(uh_bincount(queue, ARRAY(UH_F64, NULL, 0), counts, 4, &length), "x->dtype is float64");
    test_invalid(uh_bincount(queue, STRIDED((uh_dtype)77, &i, 1, 4), counts, 4, &length), "dtype is 77");
    test_invalid(uh_bincount(queue, ARRAY(UH_I32, NULL, 1), counts, 4, &length), "x->data is NULL");
    test_null_is_refused(uh_bincount(NAMED(queue, queue), NAMED(x, &x), NAMED(counts, counts), 4, &length));
    test_null_is_refused(uh_bincount(NAMED(queue, queue), NAMED(x, &x), NULL, 0, NAMED(length, &length)));
    test_assert_failed(uh_bincount(queue, &x, counts, SIZE_MAX, &length), UH_ERROR_OUT_OF_MEMORY, "bins is");
    test_invalid(uh_bincount(queue, &x, counts, 0, &length), "bins is 0, expected at least 1 for 1 values");
    test_invalid(uh_bincount(queue, &x, counts, 1, &length), "uh_bincount", "x[0] is 1", "at most 0");
    assert_true(counts[0] == 7 && counts[3] == 7 && length == 7);
    test_good(uh_bincount(queue, &none, counts, 4, &length));
    assert_true(length == 0 && counts[0] == 0 && counts[3] == 0);
}

UNIT_TEST(weighted_fills_gather_and_a_refused_one_adds_nothing) {
    for (int given = 0; given < 2; given++) {
        const int16_t x[] = {3, 0, 3}, bad[] = {2, 900, -1};
        const float w[] = {1.5F, 2, 4};
        const uh_array weights = uh_array_of(UH_F32, w, 3);
        const char *text = given ? "arrays[0][1] is 900" : "arrays[0][2] is -1";
        double sums[1000] = {0};
        int64_t whole[1000];
        uh_histogram *histogram = make_growing(OPTIONS(.storage = UH_STORAGE_SUM, .maxlength = given ? 900 : 0));
        test_invalid(uh_histogram_fill(histogram, THERE(UH_I16, bad, 3), &weights), text);
        assert_int_equal(test_properties(histogram).cells, 0);
        test_good(uh_histogram_fill(histogram, THERE(UH_I16, x, 3), &weights));
        test_invalid(uh_histogram_fill(histogram, THERE(UH_I16, bad, 3), &weights), text);
        assert_int_equal(test_properties(histogram).cells, 4);
        const uint32_t far[] = {given ? 899 : 999};
        test_good(uh_histogram_fill(histogram, THERE(UH_U32, far, 1), NULL)); /* weight 1 */
        assert_int_equal(test_properties(histogram).cells, far[0] + 1);
        test_good(uh_histogram_sums(histogram, UH_F64, sums, NULL));
        assert_true(sums[0] == 2 && sums[1] == 0 && sums[2] == 0 && sums[3] == 5.5 && sums[far[0]] == 1);
        test_assert_failed(uh_histogram_sums(histogram, UH_I64, whole, NULL), UH_ERROR_OVERFLOW, "uh_histogram_sums");
    }
}

UNIT_TEST(scattered_values_add_to_their_elements) {
    enum { N = 5003, CELLS = 90 };
    static uint16_t index[N];
    static float values[N];
    static double sums[CELLS], wide[CELLS];
    static float narrow[CELLS];
    uint64_t random = 3;
    for (size_t j = 0; j < CELLS; j++) {
        sums[j] = wide[j] = (double)j * 0x1p-30;
        narrow[j] = (float)wide[j];
    }
    for (size_t i = 0; i < N; i++) {
        index[i] = (uint16_t)(test_random_u64(&random) % (CELLS - 1)); /* none adds to the last */
        values[i] = (float)(test_random_f64(&random) - 0.5);
        sums[index[i]] += (double)values[i]; /* exact: multiples of 2^-30 below 2^13 */
    }
    test_good(uh_scatter_add(tested.queue, THERE(UH_U16, index, N), THERE(UH_F32, values, N), UH_F64, wide, CELLS));
    test_good(uh_scatter_add(tested.queue, THERE(UH_U16, index, N), THERE(UH_F32, values, N), UH_F32, narrow, CELLS));
    for (size_t j = 0; j < CELLS; j++)
        assert_true(wide[j] == sums[j] && narrow[j] == (float)sums[j]);
    double once[2] = {0.5, 7};
    test_good(uh_scatter_add(tested.queue, THERE(UH_I8, ((int8_t[]){0, 0, 0}), 3),
                             THERE(UH_F64, ((double[]){1e30, 1, -1e30}), 3), UH_F64, once, 2));
    assert_true(once[0] == 1.5 && once[1] == 7);
    int64_t whole[2] = {INT64_MAX - 1, 5};
    const uh_array *to_0 = THERE(UH_I8, ((int8_t[]){0, 0}), 2);
    test_good(uh_scatter_add(tested.queue, to_0, THERE(UH_I64, ((int64_t[]){-1, 2}), 2), UH_I64, whole, 2));
    assert_true(whole[0] == INT64_MAX && whole[1] == 5);
    test_assert_failed(uh_scatter_add(tested.queue, to_0, THERE(UH_I32, ((int32_t[]){1, 1}), 2), UH_I64, whole, 2),
                       UH_ERROR_OVERFLOW, "uh_scatter_add: ");
    assert_true(whole[0] == INT64_MAX);
}

UNIT_TEST(wrong_arguments_of_scattered_values_are_named) {
    uh_queue *const queue = tested.queue;
    const int8_t to[] = {0, 2};
    double out[3] = {1, 2, 3};
    const uh_array index = uh_array_of(UH_I8, to, 2), *values = ARRAY(UH_F64, ((double[]){1, 1}), 2);
    test_null_is_refused(
        uh_scatter_add(NAMED(queue, queue), NAMED(index, &index), NAMED(values, values), UH_F64, NAMED(out, out), 3));
    test_invalid(uh_scatter_add(queue, values, values, UH_F64, out, 3), "index->dtype is float64", "integers");
    test_invalid(uh_scatter_add(queue, &index, ARRAY(UH_F64, out, 1), UH_F64, out, 3),
                 "values->count is 1, expected 2");
    test_invalid(uh_scatter_add(queue, &index, ARRAY(UH_I8, to, 2), UH_F64, out, 3), "values->dtype is int8");
    test_invalid(uh_scatter_add(queue, &index, values, UH_I8, out, 3), "dtype is int8, expected float32");
    test_invalid(uh_scatter_add(queue, &index, values, (uh_dtype)77, out, 3), "dtype is 77");
    test_invalid(uh_scatter_add(queue, &index, values, UH_F64, out, 0), "n is 0, expected where to add 2 values");
    test_invalid(uh_scatter_add(queue, &index, ARRAY(UH_F64, out + 1, 2), UH_F64, out, 3), "out overlaps values->data");
    test_invalid(uh_scatter_add(queue, &index, values, UH_F64, out, 2), "index[1] is 2", "at most 1");
    test_good(uh_scatter_add(queue, ARRAY(UH_I8, NULL, 0), ARRAY(UH_F64, NULL, 0), UH_F64, NULL, 0));
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 3);
}

UNIT_TEST(infinities_are_the_smallest_and_the_largest_and_nan_is_neither) {
    const float x[] = {1, -INFINITY, NAN, INFINITY, 2}, nothing[] = {NAN, -NAN, NAN}, zeros[] = {-0.0F, NAN, 0.0F};
    const double y[] = {1, -(double)INFINITY, NAN, (double)INFINITY, 2}, most = (double)INFINITY;
    const struct {
        const uh_array *x;
        double low, high;
        uint64_t nan;
    } rows[] = {{THERE(UH_F32, x, 5), -most, most, 1},
                {THERE(UH_F64, y, 5), -most, most, 1},
                {THERE(UH_F32, nothing, 3), most, -most, 3},
                {THERE(UH_F32, zeros, 3), 0, 0, 1}};
    for (size_t i = 0; i < 4; i++) {
        double low = 7, high = 7;
        uint64_t nan = 7;
        struct soft_gpu gpu;
        const int is_soft = !tested.on_host && soft_gpu_find(&gpu) == 0;
        const uint64_t launches = is_soft ? gpu.calls("zeCommandListAppendLaunchKernel") : 0;
        test_good(uh_min_max(tested.queue, rows[i].x, &low, &high, &nan));
        assert_true(!is_soft || gpu.calls("zeCommandListAppendLaunchKernel") > launches);
        assert_true(low == rows[i].low && high == rows[i].high && nan == rows[i].nan);
        assert_true(low != 0 || (!signbit(low) && !signbit(high)));
    }
}

TESTED_MAIN(test_bincount)
