/* SPDX-License-Identifier: Apache-2.0 */
/* Axes of categories by value, on the device of $UNIHIST_TEST_DEVICE (the host): every type of categories and of
 * values, by every look-up, compared with plain equality. What several axes, storages, merging, parts and files make of
 * them is shown with the other axes (dd_cases.h). */
#include "api/histogram.h"
#include "tests/oracle.h"
#include "tests/tested.h"

enum { MAX = 24, REPEATED = 3000 };

/* What categories and values are made of: as near to each other as types can tell, and where one type ends. */
static const long double numbers[] = {7,         -1,          0.5L,       0,        1,           -2,       3,
                                      100,       127,         128,        -128,     255,         32768,    65535,
                                      0x1p24L,   0x1p24L + 1, 0x1p31L,    -0x1p31L, 0x1p32L - 1, 0x1p53L,  0x1p53L + 1,
                                      0x1p62L,   0x1p63L - 1, -0x1p63L,   0x1p63L,  0x1p64L - 1, INFINITY, -INFINITY,
                                      0x1p-149L, -0x1p-149L,  0x1p-1074L, 0.1L,     1e30L};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* An axis of every `step`-th of those numbers that the type holds exactly, and the same for the oracle. */
static uh_axis *make_axis(uh_dtype dtype, size_t step, int other, struct oracle_axis *oracle) {
    char values[MAX * 8];
    const size_t size = uh_dtype_size(dtype);
    size_t n = 0;
    for (size_t i = 0; i < NUMBERS && n < MAX; i += step)
        n += oracle_store(dtype, numbers[i], values + n * size) == numbers[i];
    uh_axis *axis = test_categories(dtype, values, n);
    *oracle = oracle_axis_of(dtype, values, n, UH_CLOSED_LEFT);
    test_at_end(oracle->memory, free);
    oracle->categories = 1;
    oracle->above = other;
    memset(values, 0x77, sizeof values);
    return other ? test_axis_with_flow(axis, UH_FLOW_BINS_ABOVE) : axis;
}

/* All those numbers and their neighbours as the type has them, and NaN where it has that, again and again. */
static size_t make_values(uh_dtype dtype, char *values) {
    const size_t size = uh_dtype_size(dtype);
    size_t n = 0;
    for (; n < REPEATED; n++) {
        const long double near = oracle_store(dtype, numbers[n / 4 % NUMBERS], values + n * size);
        if (n % 4 < 2)
            (void)oracle_store(dtype, oracle_neighbour(dtype, near, n % 4 ? 1 : -1), values + n * size);
        else if (n % 67 == 2)
            (void)oracle_store(dtype, NAN, values + n * size);
    }
    return n;
}

static void check(uh_axis *axis, const struct oracle_axis *oracle, uh_dtype dtype, enum uhi_lookup by) {
    static char values[REPEATED * 8];
    static int64_t index[REPEATED];
    const size_t n = make_values(dtype, values), bins = oracle_bins(oracle);
    uint64_t expected[MAX + 4] = {0};
    uh_histogram *histogram = test_histogram_over(tested.queue, &axis, 1, NULL);
    uhi_histogram_want(histogram, 0, by);
    test_good(uh_histogram_fill(histogram, ARRAY(dtype, values, n), NULL));
    test_good(uh_histogram_digitize(histogram, ARRAY(dtype, values, n), UH_I64, index));
    for (size_t i = 0; i < n; i++) {
        const long double x = oracle_value(dtype, values + i * uh_dtype_size(dtype));
        expected[oracle_slot(oracle, x)]++;
        if (index[i] != oracle_index(oracle, x))
            fail_msg("%s, look-up %d: %Lg has index %lld, expected %lld", uh_enum_name(UH_ENUM_DTYPE, dtype), (int)by,
                     x, (long long)index[i], (long long)oracle_index(oracle, x));
    }
    assert_int_equal(test_properties(histogram).cells, bins);
    test_assert_counts(histogram, expected + 1, &(uh_flow){0, expected[bins + 1], expected[bins + 2]});
}

UNIT_TEST(a_category_holds_values_equal_to_it_for_all_types) {
    for (int from = 0; from < UH_DTYPE_COUNT; from++)
        for (int to = 0; to < UH_DTYPE_COUNT; to++)
            for (int by = UHI_LOOKUP_AUTO; by < UHI_LOOKUP_DIRECT; by++) {
                const size_t turn = (size_t)from + (size_t)to + (size_t)by;
                struct oracle_axis oracle;
                if (by == UHI_LOOKUP_CDF || (!tested.on_host && turn % 3 > 0)) /* which take longer */
                    continue;
                uh_axis *axis = make_axis((uh_dtype)from, turn % 5 ? 1 + turn % 3 : NUMBERS, turn % 2 == 0, &oracle);
                check(axis, &oracle, (uh_dtype)to, (enum uhi_lookup)by);
                test_end_from(0);
            }
}

UNIT_TEST(an_axis_tells_its_categories) {
    const int64_t large[] = {((int64_t)1 << 53) + 1, -3, INT64_MAX};
    struct oracle_axis oracle;
    const uh_axis_properties known = test_axis_properties(test_categories(UH_I64, large, 3));
    assert_true(known.bins == 3 && known.flow_bins == UH_FLOW_BINS_NONE && !known.edges && !known.distribution);
    assert_true(known.categories[0] == 0x1p53 && known.categories[1] == -3 && known.categories[2] == 0x1p63);
    const uh_axis_properties other = test_axis_properties(make_axis(UH_I8, 1, 1, &oracle));
    assert_true(other.bins == oracle.nedges + 1 && other.flow_bins == UH_FLOW_BINS_ABOVE);
    uh_axis *same = test_categories(UH_F64, (const double[]){1, -0.0}, 2);
    const uint8_t bytes[][2] = {{1, 0}, {0, 1}, {1, 2}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(uh_axis_equal(test_categories(UH_U8, bytes[i], 2), same), i == 0);
}

UNIT_TEST(categories_that_are_none_are_refused) {
    uh_axis *axis = NULL;
    const double twice[] = {3, 0, -1, -0.0}, nan[] = {1, (double)NAN};
    const uint64_t large[] = {UINT64_MAX, 5, UINT64_MAX};
    test_invalid(uh_axis_create_categories(UH_F64, twice, 4, &axis), "values[3] is -0, as values[1], expected each");
    test_invalid(uh_axis_create_categories(UH_U64, large, 3, &axis), "values[2] is 18446744073709551615, as values[0]");
    test_invalid(uh_axis_create_categories(UH_F64, nan, 2, &axis), "values[1] is NaN");
    test_invalid(uh_axis_create_categories(UH_F64, twice, 0, &axis), "values has 0 numbers, expected 1 to");
    test_null_is_refused(uh_axis_create_categories(UH_F64, NAMED(values, twice), 1, NAMED(axis, &axis)));
    test_invalid(uh_axis_create_categories((uh_dtype)10, twice, 1, &axis), "dtype is 10");
    assert_null(axis);
}

UNIT_TEST(what_categories_have_not_is_refused) {
    static const uh_distribution normal = {sizeof normal, UH_DISTRIBUTION_NORMAL, 1, 2, NULL, NULL, 0};
    struct oracle_axis oracle;
    uh_axis *axis = make_axis(UH_I16, 2, 0, &oracle), *made = NULL, *other = make_axis(UH_I16, 2, 1, &oracle);
    uh_axis *edges = test_equal_axis(oracle.nedges, 0, 1);
    uh_histogram *histogram = test_line(tested.queue, axis);
    uh_moments moments = {.struct_size = sizeof moments};
    double median = 0;
    test_invalid(uh_axis_create_with_flow_bins(axis, UH_FLOW_BINS_BOTH, &made), "which is both", "categories");
    test_invalid(uh_axis_create_with_flow_bins(other, UH_FLOW_BINS_ABOVE, &made), "has flow bins");
    test_invalid(uh_axis_create_with_distribution(axis, &normal, &made), "axis has categories");
    test_invalid(uh_histogram_quantiles(histogram, &(double){0.5}, 1, &median), "axis 0 has categories");
    test_invalid(uh_histogram_moments(histogram, 0, &moments), "axis 0 has categories");
    test_assert_failed(uh_histogram_merge(histogram, test_line(tested.queue, edges)), UH_ERROR_INCOMPATIBLE,
                       "axis 0: categories and bins between edges");
    assert_null(made);
}

UNIT_TEST(a_category_is_one_wide) {
    const int32_t values[] = {5, -5}, x[] = {5, 5, -5, 7, 5};
    uh_axis *const axes[] = {test_categories(UH_I32, values, 2), test_equal_axis(2, 0, 8)};
    double density[4];
    uh_histogram *histogram = test_histogram_over(tested.queue, axes, 2, NULL);
    const uh_array both[] = {uh_array_of(UH_I32, x, 5), uh_array_of(UH_I32, (const int32_t[]){1, 2, 3, 4, 5}, 5)};
    test_good(uh_histogram_fill(histogram, both, NULL));
    test_good(uh_histogram_density(histogram, density));
    assert_true(density[0] == 2. / 4 / 4 && density[1] == 1. / 4 / 4 && density[2] == 1. / 4 / 4 && density[3] == 0);
}

TESTED_MAIN(test_histogram_categories)
