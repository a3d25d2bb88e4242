/* SPDX-License-Identifier: Apache-2.0 */
/* Axes: their edges (equal and logarithmic ones compared with NumPy's by Python: test_random_axes.py), and refusals. */
#include "tests/arrays.h"
#include "tests/oracle.h"

static uh_axis *make(uh_dtype dtype, const void *edges, size_t nedges) {
    return test_axis_of(dtype, edges, nedges, UH_CLOSED_LEFT);
}

/* The edges do not decrease, and the ends are these. */
static void assert_in_order(const uh_axis *axis, double lo, double hi) {
    const double *edges = test_axis_properties(axis).edges;
    size_t bins = test_axis_properties(axis).bins;
    assert_true(edges[0] == lo && edges[bins] == hi);
    for (size_t j = 1; j <= bins; j++)
        assert_true(edges[j] >= edges[j - 1]);
}

UNIT_TEST(both_ends_are_exact_and_edges_never_decrease) {
    static const struct {
        double lo, hi;
        size_t bins;
    } cases[] = {{0, 1, 1},
                 {-DBL_MAX / 2, DBL_MAX / 2, 1},
                 {-DBL_MAX / 2, DBL_MAX / 2, 77},
                 {1, 1 + DBL_EPSILON, 1000},
                 {1 - DBL_EPSILON / 2, 1 + DBL_EPSILON, 999},
                 {0, DBL_TRUE_MIN, 100},
                 {-3 * DBL_TRUE_MIN, 5 * DBL_TRUE_MIN, 100},
                 {DBL_MIN, 2 * DBL_MIN, 12345},
                 {-0.1, 0.3, 10},
                 {1e16, 1e16 + 4, 1000},
                 {3.7, 3.7000000000000006, 6}, /* 10 to the logarithm of either is less */
                 {123.456, 123.45600000000002, 6},
                 {-1e16 - 4, -1e16, 1000},
                 {0.1, 0.7, (1 << 24) + 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uh_axis *axis = test_equal_axis(cases[i].bins, cases[i].lo, cases[i].hi);
        assert_int_equal(test_axis_properties(axis).bins, cases[i].bins);
        assert_in_order(axis, cases[i].lo, cases[i].hi);
        if (cases[i].lo > 0)
            assert_in_order(test_regular_axis(UH_SPACING_LOG, cases[i].bins, cases[i].lo, cases[i].hi, UH_CLOSED_LEFT),
                            cases[i].lo, cases[i].hi);
        test_end_from(0);
    }
}

/* As numpy.linspace has them. */
UNIT_TEST(edges_of_bins_narrower_than_any_number_are_the_nearest_numbers) {
    static const double multiples[] = {0, 0, 1, 2, 2, 2, 3, 4, 4};
    const double *edges = test_axis_properties(test_equal_axis(8, 0, 4 * DBL_TRUE_MIN)).edges;
    for (size_t j = 0; j <= 8; j++)
        assert_true(edges[j] == multiples[j] * DBL_TRUE_MIN);
}

UNIT_TEST(bins_of_no_range_are_refused) {
    static const struct {
        uh_spacing spacing;
        size_t bins;
        double lo, hi;
        uh_closed closed;
        const char *argument, *value;
    } rows[] = {
        {UH_SPACING_EQUAL, 0, 0, 1, UH_CLOSED_LEFT, "bins", "0"},
        {UH_SPACING_EQUAL, UH_MAX_BINS + 1, 0, 1, UH_CLOSED_LEFT, "bins", "1073741825"},
        {UH_SPACING_EQUAL, 1, (double)NAN, 1, UH_CLOSED_LEFT, "lo", "nan"},
        {UH_SPACING_EQUAL, 1, -(double)INFINITY, 1, UH_CLOSED_LEFT, "lo", "-inf"},
        {UH_SPACING_EQUAL, 1, 0, (double)INFINITY, UH_CLOSED_LEFT, "hi", "inf"},
        {UH_SPACING_EQUAL, 1, 0, (double)NAN, UH_CLOSED_LEFT, "hi", "nan"},
        {UH_SPACING_EQUAL, 1, 3, 3, UH_CLOSED_LEFT, "lo", "3"},
        {UH_SPACING_EQUAL, 1, 3, -4.5, UH_CLOSED_LEFT, "hi", "-4.5"},
        {UH_SPACING_EQUAL, 1, -0.0, 0.0, UH_CLOSED_LEFT, "lo", "0"},
        {UH_SPACING_EQUAL, 1, -DBL_MAX, DBL_MAX, UH_CLOSED_LEFT, "hi", "overflow"},
        {UH_SPACING_EQUAL, 1, 0, 1, (uh_closed)4, "closed", "4"},
        {UH_SPACING_EQUAL, 1, 0, 1, (uh_closed)-1, "closed", "-1"},
        {UH_SPACING_LOG, 3, 0, 1, UH_CLOSED_LEFT, "lo", "0"},
        {UH_SPACING_LOG, 3, -1, 1, UH_CLOSED_LEFT, "lo", "-1"},
        {UH_SPACING_LOG, 0, 1, 2, UH_CLOSED_LEFT, "bins", "0"},
        {UH_SPACING_LOG, 3, 2, 1, UH_CLOSED_LEFT, "hi", "1"},
        {UH_SPACING_LOG, 3, 1, (double)INFINITY, UH_CLOSED_LEFT, "hi", "inf"},
        {UH_SPACING_LOG, 3, 1, 2, (uh_closed)77, "closed", "77"},
    };
    uh_axis *axis = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_invalid(
            uh_axis_create_regular(rows[i].spacing, rows[i].bins, rows[i].lo, rows[i].hi, rows[i].closed, &axis),
            "uh_axis_create_regular: ", rows[i].argument, rows[i].value);
    test_invalid(uh_axis_create_regular((uh_spacing)2, 1, 0, 1, UH_CLOSED_LEFT, &axis), "spacing is 2");
    test_invalid(uh_axis_create_regular(UH_SPACING_EQUAL, 1, 0, 1, UH_CLOSED_LEFT, NULL),
                 "uh_axis_create_regular: axis is NULL");
    assert_null(axis);
}

UNIT_TEST(edges_of_every_type_are_copied_from_any_alignment) {
    static const long double numbers[] = {-100, -7, 0, 1, 100};
    for (int dtype = 0; dtype < UH_DTYPE_COUNT; dtype++) {
        char memory[5 * 8 + 1];
        long double stored[5];
        size_t size = uh_dtype_size((uh_dtype)dtype);
        for (size_t j = 0; j < 5; j++)
            stored[j] = oracle_store((uh_dtype)dtype, numbers[j], memory + 1 + j * size);
        uh_axis *axis = test_axis_of((uh_dtype)dtype, memory + 1, 5, UH_HALF_OPEN_RIGHT);
        memset(memory, 0x77, sizeof memory);
        assert_int_equal(test_axis_properties(axis).bins, 4);
        assert_int_equal(test_axis_properties(axis).closed, UH_HALF_OPEN_RIGHT);
        for (size_t j = 0; j < 5; j++)
            assert_true(test_axis_properties(axis).edges[j] == stored[j]);
    }
    uh_axis_destroy(NULL);
    uh_axis_properties properties = {.struct_size = sizeof properties - 1};
    test_null_is_refused(uh_axis_get_properties(NAMED(axis, test_equal_axis(1, 0, 1)), NAMED(properties, &properties)));
    test_invalid(uh_axis_get_properties(test_equal_axis(1, 0, 1), &properties), "properties->struct_size is");
}

UNIT_TEST(edges_that_are_none_are_refused_and_the_first_bad_one_named) {
    static const double nan_first[] = {NAN, 1, 2}, nan_last[] = {0, 1, -NAN}, decreasing[] = {0, 1, 0.5, 0.25};
    static const double infinite[] = {0, INFINITY, 5}, good[] = {0, 1};
    static const float floats[] = {3, 4, NAN};
    static const int8_t bytes[] = {0, 1, -1};
    static const int64_t wide[] = {INT64_MAX, INT64_MIN};
    static const uint64_t large[] = {0, UINT64_MAX, UINT64_MAX - 1};
    static const struct {
        uh_dtype dtype;
        const void *edges;
        size_t nedges;
        uh_closed closed;
        const char *argument, *value;
    } rows[] = {
        {UH_F64, nan_first, 3, UH_CLOSED_LEFT, "edges[0]", "NaN"},
        {UH_F64, nan_last, 3, UH_CLOSED_LEFT, "edges[2]", "NaN"},
        {UH_F64, decreasing, 4, UH_CLOSED_LEFT, "edges[2]", "0.5"},
        {UH_F64, infinite, 3, UH_CLOSED_LEFT, "edges[2]", "5"},
        {UH_F32, floats, 3, UH_CLOSED_LEFT, "edges[2]", "NaN"},
        {UH_I8, bytes, 3, UH_CLOSED_LEFT, "edges[2]", "-1"},
        {UH_I64, wide, 2, UH_CLOSED_LEFT, "edges[1]", "-9223372036854775808"},
        {UH_U64, large, 3, UH_CLOSED_LEFT, "edges[2]", "18446744073709551614"},
        {UH_F64, NULL, 2, UH_CLOSED_LEFT, "edges", "NULL"},
        {UH_F64, good, 0, UH_CLOSED_LEFT, "edges", "0"},
        {UH_F64, good, 1, UH_CLOSED_LEFT, "edges", "1"},
        {UH_F64, good, UH_MAX_BINS + 2, UH_CLOSED_LEFT, "edges", "1073741826"},
        {(uh_dtype)10, good, 2, UH_CLOSED_LEFT, "dtype", "10"},
        {(uh_dtype)-1, good, 2, UH_CLOSED_LEFT, "dtype", "-1"},
        {UH_F64, good, 2, (uh_closed)9, "closed", "9"},
    };
    uh_axis *axis = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_invalid(uh_axis_create_edges(rows[i].dtype, rows[i].edges, rows[i].nedges, rows[i].closed, &axis),
                     "uh_axis_create_edges", rows[i].argument, rows[i].value);
    test_invalid(uh_axis_create_edges(UH_F64, good, 2, UH_CLOSED_LEFT, NULL), "uh_axis_create_edges: axis is NULL");
    assert_null(axis);
}

static void assert_equality(uh_axis *a, uh_axis *b, int equal) {
    assert_int_equal(uh_axis_equal(a, b), equal);
    assert_int_equal(uh_axis_equal(b, a), equal);
}

UNIT_TEST(axes_of_any_types_are_equal_when_their_numbers_are) {
    static const long double numbers[] = {0, 1, 100, 127};
    for (int a = 0; a < UH_DTYPE_COUNT; a++)
        for (int b = 0; b < UH_DTYPE_COUNT; b++) {
            char first[32], second[32], other[32];
            for (size_t j = 0; j < 4; j++) {
                oracle_store((uh_dtype)a, numbers[j], first + j * uh_dtype_size((uh_dtype)a));
                oracle_store((uh_dtype)b, numbers[j], second + j * uh_dtype_size((uh_dtype)b));
                oracle_store((uh_dtype)b, numbers[j] - (j == 3), other + j * uh_dtype_size((uh_dtype)b));
            }
            assert_equality(make((uh_dtype)a, first, 4), make((uh_dtype)b, second, 4), 1);
            assert_equality(make((uh_dtype)a, first, 4), make((uh_dtype)b, other, 4), 0);
        }
}

UNIT_TEST(numbers_that_only_rounding_makes_equal_differ) {
    static const int64_t i53[] = {0, 9007199254740993}, i63[] = {0, INT64_MAX}, minus[] = {-1, 5},
                         least[] = {INT64_MIN, 0};
    static const double d53[] = {0, 0x1p53}, d63[] = {0, 0x1p63}, d64[] = {0, 0x1p64}, dleast[] = {-0x1p63, 0};
    static const uint64_t u64[] = {0, UINT64_MAX}, wrapped[] = {UINT64_MAX, UINT64_MAX}, u63[] = {0, INT64_MAX};
    static const int64_t minus_ones[] = {-1, -1};
    assert_equality(make(UH_I64, i53, 2), make(UH_F64, d53, 2), 0);
    assert_equality(make(UH_I64, i63, 2), make(UH_F64, d63, 2), 0);
    assert_equality(make(UH_U64, u64, 2), make(UH_F64, d64, 2), 0);
    assert_equality(make(UH_U64, wrapped, 2), make(UH_I64, minus_ones, 2), 0);
    assert_equality(make(UH_I64, least, 2), make(UH_F64, dleast, 2), 1);
    assert_equality(make(UH_I64, i63, 2), make(UH_U64, u63, 2), 1);
    assert_equality(make(UH_I64, minus, 2), make(UH_U64, u64, 2), 0);
}

UNIT_TEST(zeros_of_both_signs_and_infinities_are_equal) {
    static const double plus[] = {-INFINITY, 0.0, INFINITY}, minus[] = {-INFINITY, -0.0, INFINITY};
    assert_equality(make(UH_F64, plus, 3), make(UH_F64, minus, 3), 1);
}

UNIT_TEST(other_ends_lengths_or_none_are_not_equal) {
    static const double edges[] = {0, 1, 2};
    uh_axis *axis = make(UH_F64, edges, 3);
    assert_equality(make(UH_F64, edges, 3), test_axis_of(UH_F64, edges, 3, UH_HALF_OPEN_LEFT), 0);
    assert_equality(make(UH_F64, edges, 3), make(UH_F64, edges, 2), 0);
    assert_int_equal(uh_axis_equal(axis, axis), 1);
    assert_int_equal(uh_axis_equal(axis, NULL), 0);
    assert_int_equal(uh_axis_equal(NULL, axis), 0);
}
