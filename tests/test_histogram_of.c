/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms, indices and ranges in one call: wide integers, and what is refused. What NumPy answers: test_numpy. */
#include "tests/tested.h"

/* Counts over one axis. */
static uh_status count(const uh_array *x, const uh_axis_bins *bins, uint64_t *counts, uh_flow *flow) {
    return uh_histogram_of(tested.queue, x, bins, 1, NULL, CELLS(.counts = counts, .flows = flow));
}

UNIT_TEST(the_datas_own_range_holds_integers_that_float64_rounds) {
    static const int64_t x[] = {9007199254740995, 9007199254741011, 9007199254741001}; /* the ends round inwards */
    static const uint64_t y[] = {UINT64_MAX - 3000, UINT64_MAX};
    static const int64_t same[] = {INT64_MAX, INT64_MAX};
    uint64_t counts[3];
    uh_flow flow;
    test_good(count(ARRAY(UH_I64, x, 3), EQUAL(3, NULL), counts, &flow));
    assert_int_equal(counts[0] + counts[1] + counts[2], 3);
    assert_true(flow.below == 0 && flow.above == 0);
    test_good(count(ARRAY(UH_U64, y, 2), EQUAL(3, NULL), counts, &flow));
    assert_int_equal(counts[0] + counts[1] + counts[2], 2);
    test_good(count(ARRAY(UH_I64, same, 2), EQUAL(1, NULL), counts, &flow));
    assert_int_equal(counts[0], 2);
}

/* No memory is taken for axes, of which these would need 8 * 2^30 edges. */
UNIT_TEST(cells_of_one_call_are_counted_before_there_are_axes) {
    static const double x[] = {0, 1};
    uh_array arrays[UH_MAX_AXES];
    uh_axis_bins bins[UH_MAX_AXES];
    uint64_t one = 7;
    for (size_t a = 0; a < UH_MAX_AXES; a++) {
        arrays[a] = uh_array_of(UH_F64, x, 2);
        bins[a] = (uh_axis_bins){.count = UH_MAX_BINS};
    }
    test_invalid(uh_histogram_of(tested.queue, arrays, bins, UH_MAX_AXES, NULL, CELLS(.counts = &one)),
                 "uh_histogram_of: the axes have more than", "expected at most 2147483648 (UH_MAX_CELLS)");
    assert_int_equal(one, 7);
}

static const double good[] = {0, 1}, falls[] = {2, 1}, to_nan[] = {0, NAN}, huge[] = {-DBL_MAX, DBL_MAX};

/* The second of two axes is the wrong one. */
UNIT_TEST(bins_that_data_do_not_have_are_refused_by_name_and_nothing_is_stored) {
    static const double nan[] = {0, NAN, 1, -NAN}, infinite[] = {0, 1, -INFINITY, 1}, far[] = {1e17, 1e17, 1e17, 1e17};
    static const double ends[] = {1e17, 1e17}, decreasing[] = {0, 2, 1}, numbers[] = {0, 1, 0, 1};
    static const uh_array descends = {UH_F64, decreasing, 8, 3}, at_nan = {UH_F64, to_nan, 8, 2},
                          one = {UH_F64, good, 8, 1}, none = {UH_F64, NULL, 8, 2},
                          typeless = {(uh_dtype)12, good, 8, 2}, spaced = {UH_F64, decreasing, 16, 2},
                          fine = {UH_F64, good, 8, 2};
    static const struct {
        uh_array y;
        uh_axis_bins bins;
        const char *text, *value;
    } wrong[] = {
        {{UH_F64, nan, 8, 4}, {.count = 2}, "arrays[1] has 2 NaN", "expected none"},
        {{UH_F64, infinite, 8, 4}, {.count = 2}, "arrays[1] reaches from -inf to 1", "give"},
        {{UH_F64, huge, 0, 4}, {.count = 2}, "arrays[1] reaches from -1.79", "give a range"},
        {{UH_F64, far, 8, 4}, {.count = 2}, "arrays[1] reaches from 1e+17 to 1e+17", "too large"},
        {{UH_F64, far, 8, 4}, {.count = 2, .range = ends}, "bins[1].range is 1", "expected lo <= hi"},
        {{UH_F64, numbers, 8, 4}, {.count = 2, .range = huge}, "bins[1].range is -1.79", "difference"},
        {{UH_F64, numbers, 8, 4}, {.count = 2, .range = falls}, "bins[1].range is 2 to 1", "expected lo <= hi"},
        {{UH_F64, numbers, 8, 4}, {.count = 2, .range = to_nan}, "bins[1].range is 0 to nan", ""},
        {{UH_F64, numbers, 8, 4}, {.count = 0}, "bins[1].count is 0, expected 1 to", ""},
        {{UH_F64, numbers, 8, 4}, {.count = UH_MAX_BINS + 1}, "bins[1].count is 1073741825", ""},
        {{UH_F64, numbers, 8, 4}, {.count = 1, .edges = &fine}, "bins[1].count is given", "one of them"},
        {{UH_F64, numbers, 8, 4}, {.range = good, .edges = &fine}, "bins[1].range is given", "one of them"},
        {{UH_F64, numbers, 8, 4}, {.edges = &descends}, "bins[1].edges[2] is 1", ""},
        {{UH_F64, numbers, 8, 4}, {.edges = &at_nan}, "bins[1].edges[1] is NaN", ""},
        {{UH_F64, numbers, 8, 4}, {.edges = &one}, "bins[1].edges", "1"},
        {{UH_F64, numbers, 8, 4}, {.edges = &none}, "bins[1].edges->data is NULL", ""},
        {{UH_F64, numbers, 8, 4}, {.edges = &typeless}, "bins[1].edges->dtype is 12", ""},
        {{UH_F64, numbers, 8, 4}, {.edges = &spaced}, "bins[1].edges->stride is 16, expected 8", ""},
        {{UH_F64, NULL, 8, 4}, {.count = 2}, "arrays[1].data is NULL", ""},
        {{(uh_dtype)33, numbers, 8, 4}, {.count = 2}, "arrays[1].dtype is 33", ""},
        {{UH_F64, numbers, 8, 3}, {.count = 2}, "arrays[1].count is 3, expected 4", ""},
    };
    uint64_t counts[4] = {7, 7, 7, 7};
    double out[2][3] = {{7, 7, 7}, {7, 7, 7}};
    uh_flow flows[2] = {{7, 7, 7}, {7, 7, 7}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const uh_array arrays[] = {{UH_F64, numbers, 8, 4}, wrong[i].y};
        const uh_axis_bins bins[] = {{.count = 2}, wrong[i].bins};
        test_invalid(uh_histogram_of(tested.queue, arrays, bins, 2, NULL,
                                     CELLS(.counts = counts, .edges = {out[0], out[1]}, .flows = flows)),
                     "uh_histogram_of: ", wrong[i].text, wrong[i].value);
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(counts[i] == 7 && out[i / 3][i % 3] == 7 && flows[i / 2].below == 7 && flows[i / 2].nan == 7);
    test_good(count(ARRAY(UH_F64, NULL, 0), EQUAL(4, NULL), counts, NULL));
    assert_true(counts[0] == 0 && counts[3] == 0);
}

UNIT_TEST(results_and_weights_that_do_not_fit_are_refused_by_name_and_nothing_is_stored) {
    static const uh_array x = {UH_F64, good, 8, 2}, w = {UH_I32, "abcdefgh", 4, 2}, bytes = {UH_U8, "ab", 1, 2},
                          no_data = {UH_I32, NULL, 4, 2}, three = {UH_I32, "abcdefghijkl", 4, 3};
    uint64_t counts[2] = {7, 7};
    double cells[2] = {7, 7};
    uh_cells unsized = {.struct_size = 1, .counts = counts};
    const struct {
        size_t naxes;
        const uh_array *weights;
        const uh_cells *cells;
        const char *text;
    } wrong[] = {
        {0, NULL, CELLS(.counts = counts), "naxes is 0, expected 1 to 8"},
        {9, NULL, CELLS(.counts = counts), "naxes is 9"},
        {1, NULL, CELLS(.flows = NULL), "cells->counts is NULL, expected where to store counts, or sums"},
        {1, &w, CELLS(.counts = counts), "weights are given, expected NULL for counts"},
        {1, NULL, CELLS(.sums = cells), "weights is NULL"},
        {1, NULL, CELLS(.counts = counts, .means = cells), "weights is NULL"},
        {1, &bytes, CELLS(.deviations = cells), "weights->dtype is uint8"},
        {1, &no_data, CELLS(.sums = cells), "weights->data is NULL"},
        {1, &three, CELLS(.sums = cells), "weights->count is 3, expected 2"},
        {1, NULL, &unsized, "cells->struct_size is 1"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_invalid(
            uh_histogram_of(tested.queue, &x, EQUAL(2, NULL), wrong[i].naxes, wrong[i].weights, wrong[i].cells),
            "uh_histogram_of: ", wrong[i].text);
    test_null_is_refused(uh_histogram_of(NAMED(queue, tested.queue), NAMED(arrays, &x), NAMED(bins, EQUAL(2, NULL)), 1,
                                         NULL, NAMED(cells, CELLS(.counts = counts))));
    assert_true(counts[0] == 7 && counts[1] == 7 && cells[0] == 7 && cells[1] == 7);
}

UNIT_TEST(all_results_of_one_call_are_those_of_calls_for_each_and_of_a_histogram) {
    enum { N = 300, X = 4, Y = 3, CELLS_ = X * Y };
    float x[N], w[N];
    int16_t y[N];
    uint64_t seed = 11, counts[2][CELLS_];
    double sums[2][CELLS_], means[2][CELLS_], deviations[2][CELLS_], found[X + 1], m2[CELLS_];
    for (size_t i = 0; i < N; i++) {
        x[i] = (float)test_random_f64(&seed);
        y[i] = (int16_t)(test_random_u64(&seed) % 7);
        w[i] = (float)(test_random_f64(&seed) - 0.5);
    }
    static const int64_t edges[] = {0, 1, 4, 5};
    const uh_array arrays[] = {uh_array_of(UH_F32, x, N), uh_array_of(UH_I16, y, N)};
    const uh_array *weights = ARRAY(UH_F32, w, N);
    const uh_axis_bins bins[] = {{.count = X}, {.edges = ARRAY(UH_I64, edges, Y + 1)}};
    enum { CASES = 5 };
    const uh_cells *const each[CASES] = {
        CELLS(.counts = counts[0]), CELLS(.sums = sums[0]), CELLS(.means = means[0]),
        CELLS(.deviations = deviations[0]),
        CELLS(.counts = counts[1], .sums = sums[1], .means = means[1], .deviations = deviations[1])};
    for (size_t i = 0; i < CASES; i++)
        test_good(uh_histogram_of(tested.queue, arrays, bins, 2, i ? weights : NULL, each[i]));
    assert_memory_equal(counts[1], counts[0], sizeof *counts);
    assert_memory_equal(sums[1], sums[0], sizeof *sums);
    assert_memory_equal(means[1], means[0], sizeof *means);
    assert_memory_equal(deviations[1], deviations[0], sizeof *deviations);
    test_good(uh_histogram_of(tested.queue, arrays, bins, 2, NULL, CELLS(.counts = counts[1], .edges[0] = found)));
    uh_axis *const axes[] = {test_axis_of(UH_F64, found, X + 1, UH_CLOSED_LEFT),
                             test_axis_of(UH_I64, edges, Y + 1, UH_CLOSED_LEFT)};
    uh_histogram *histogram = test_histogram_over(tested.queue, axes, 2, OPTIONS(.storage = UH_STORAGE_MEAN));
    test_good(uh_histogram_fill(histogram, arrays, weights));
    test_good(uh_histogram_means(histogram, counts[1], means[1], m2));
    for (size_t c = 0; c < CELLS_; c++) {
        assert_true(counts[1][c] > 1 && counts[1][c] == counts[0][c] && means[1][c] == means[0][c]);
        assert_true(deviations[0][c] == sqrt(m2[c] / (double)counts[1][c]));
        test_near(sums[0][c], means[1][c] * (double)counts[1][c], 1e-15 * (double)counts[1][c]);
    }
}

UNIT_TEST(torch_histc_is_one_axis) {
    static const float x[] = {1, 2, 1}, with_nan[] = {0.5F, NAN, -1, 7, 2, 2.5F};
    static const int32_t whole[] = {4, 4, 4};
    static const double three[] = {0, 3}, two[] = {0, 2};
    uint64_t counts[4];
    /* torch.histc(torch.tensor([1., 2, 1]), bins=4, min=0, max=3): the documentation's own example */
    test_good(count(THERE(UH_F32, x, 3), EQUAL(4, three), counts, NULL));
    assert_true(counts[0] == 0 && counts[1] == 2 && counts[2] == 1 && counts[3] == 0);
    test_good(count(THERE(UH_F32, with_nan, 6), EQUAL(2, two), counts, NULL));
    assert_true(counts[0] == 1 && counts[1] == 1); /* 2 is max, and included */
    test_good(count(THERE(UH_F32, x, 3), EQUAL(4, NULL), counts, NULL));
    assert_true(counts[0] == 2 && counts[1] == 0 && counts[2] == 0 && counts[3] == 1);
    test_good(count(THERE(UH_I32, whole, 3), EQUAL(4, NULL), counts, NULL)); /* 3.5 to 4.5 */
    assert_true(counts[0] == 0 && counts[1] == 0 && counts[2] == 3 && counts[3] == 0);
}

UNIT_TEST(edges_of_digitize_are_refused_and_nothing_is_stored) {
    static const double decreasing[] = {0, 2, 1}, nan[] = {0, NAN}, x[] = {1};
    static const struct {
        uh_array x;
        uh_dtype dtype;
        const double *edges;
        size_t nedges;
        const char *text, *value;
    } wrong[] = {
        {{UH_F64, x, 8, 1}, UH_F64, decreasing, 3, "edges[2]", "1"},
        {{UH_F64, x, 8, 1}, UH_F64, nan, 2, "edges[1]", "NaN"},
        {{UH_F64, x, 8, 1}, UH_F64, decreasing, 0, "edges", "0"},
        {{UH_F64, x, 8, 1}, UH_F64, NULL, 2, "edges", "NULL"},
        {{UH_F64, x, 8, 1}, (uh_dtype)12, decreasing, 2, "dtype", "12"},
        {{(uh_dtype)-3, x, 8, 1}, UH_F64, decreasing, 2, "dtype", "-3"},
        {{UH_F64, NULL, 8, 1}, UH_F64, decreasing, 2, "x", "NULL"},
    };
    int64_t index[] = {7};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_invalid(uh_digitize(tested.queue, &wrong[i].x, ARRAY(wrong[i].dtype, wrong[i].edges, wrong[i].nedges), 0,
                                 UH_I64, index),
                     "uh_digitize: ", wrong[i].text, wrong[i].value);
    test_null_is_refused(uh_digitize(NAMED(queue, tested.queue), ARRAY(UH_F64, x, 1),
                                     NAMED(edges, ARRAY(UH_F64, decreasing, 2)), 0, UH_I64, NAMED(index, index)));
    assert_int_equal(index[0], 7);
}

/* ---- codes ---- */

static int64_t number_at(uh_dtype dtype, const void *at) {
    return dtype == UH_U8    ? *(const uint8_t *)at
           : dtype == UH_U16 ? *(const uint16_t *)at
           : dtype == UH_I32 ? *(const int32_t *)at
                             : *(const int64_t *)at;
}

static const uh_dtype of_codes[] = {UH_U8, UH_U16, UH_I32, UH_I64};

UNIT_TEST(indices_are_the_same_in_all_types) {
    static const double edges[] = {-1, 0, 0, 2.5};
    const float x[] = {-2, -1, -0.5F, 0, 2.5F, 3, NAN, INFINITY};
    static const int64_t expected[] = {0, 1, 1, 3, 4, 4, 4, 4};
    char index[sizeof expected + 8];
    for (size_t d = 0; d < 4; d++) {
        const size_t size = uh_dtype_size(of_codes[d]);
        memset(index, 99, sizeof index);
        test_good(uh_digitize(tested.queue, THERE(UH_F32, x, 8), ARRAY(UH_F64, edges, 4), 0, of_codes[d], index));
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(number_at(of_codes[d], index + i * size), expected[i]);
        assert_int_equal(index[8 * size], 99);
    }
    uh_histogram *many = test_line(tested.queue, test_equal_axis(255, 0, 1));
    test_invalid(uh_histogram_digitize(many, THERE(UH_F32, x, 8), UH_U8, index),
                 "dtype is uint8, which holds numbers up to 255, expected one for 256");
    test_invalid(uh_digitize(tested.queue, THERE(UH_F32, x, 8), ARRAY(UH_F64, edges, 4), 0, UH_F32, index),
                 "dtype is float32, expected uint8, uint16, int32 or int64");
}

/* The bin of a value in half-open bins, of which the outer ones have no ends; the number of bins for NaN. */
static int64_t code_of(double x, const double *edges, size_t bins) {
    size_t code = 0;
    while (code + 1 < bins && x >= edges[code + 1])
        code++;
    return (int64_t)(isnan(x) ? bins : code);
}

UNIT_TEST(codes_of_columns_are_bins_without_outer_ends) {
    enum { N = 3001, COLUMNS = 3 };
    static const double edges[COLUMNS][5] = {{0.1, 0.2, 0.7}, {-3, 0, 4, 90, 91}, {0.5, 0.75}};
    static const size_t bins[] = {2, 4, 1};
    static float single[N];
    static int8_t small[N];
    static double wide[2 * N];
    uh_axis *axes[COLUMNS];
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++) {
        single[i] = i % 50 == 0 ? NAN : (float)test_random_f64(&random);
        small[i] = (int8_t)(test_random_u64(&random) & 255);
        wide[2 * i] = i % 70 == 3 ? (i % 2 ? NAN : -(double)INFINITY) : test_random_f64(&random);
    }
    for (size_t c = 0; c < COLUMNS; c++)
        axes[c] = test_axis_of(UH_F64, edges[c], bins[c] + 1, c == 1 ? UH_CLOSED_LEFT : UH_HALF_OPEN_LEFT);
    const uh_array columns[] = {*THERE(UH_F32, single, N), *THERE(UH_I8, small, N),
                                *STRIDED(UH_F64, wide, N, 2 * sizeof *wide)};
    for (size_t way = 0; way < 12; way++) { /* types; by rows, by columns, or backwards with gaps */
        const uh_dtype dtype = of_codes[way % 4];
        const ptrdiff_t size = (ptrdiff_t)uh_dtype_size(dtype);
        const ptrdiff_t row = way < 4 ? size * COLUMNS : way < 8 ? size : -size * 5, column = way < 4 ? size : size * N;
        char *memory = test_memory((size_t)size * N * 8), *first = way < 8 ? memory : memory - row * (N - 1);
        const uh_codes codes = {dtype, first, row, way < 8 ? column : size};
        test_good(uh_digitize_columns(tested.queue, columns, axes, COLUMNS, &codes));
        for (size_t i = 0; i < N; i++)
            for (size_t c = 0; c < COLUMNS; c++) {
                const double x = c == 0 ? (double)single[i] : c == 1 ? (double)small[i] : wide[2 * i];
                assert_int_equal(
                    number_at(dtype, first + (ptrdiff_t)i * codes.row_stride + (ptrdiff_t)c * codes.column_stride),
                    code_of(x, edges[c], bins[c]));
            }
    }
}

UNIT_TEST(bad_tables_of_columns_are_refused) {
    static const double one[] = {1, 2}, edges[] = {0, 1};
    uint8_t code[4] = {7, 7, 7, 7};
    uh_axis *axes[] = {test_axis_of(UH_F64, edges, 2, UH_CLOSED_LEFT), NULL};
    uh_axis *const growing = test_growing_axis(), *const categories = test_categories(UH_F64, edges, 2),
                   *const many = test_equal_axis(256, 0, 1);
    const uh_array x[] = {uh_array_of(UH_F64, one, 2), uh_array_of(UH_F64, one, 1)};
    const uh_codes to = {UH_U8, code, 1, 2}, over = {UH_U8, (void *)(uintptr_t)one, 1, 2}, no = {UH_U8, NULL, 1, 2};
    uh_queue *const queue = tested.queue;
    test_null_is_refused(
        uh_digitize_columns(NAMED(queue, queue), NAMED(columns, x), NAMED(axes, axes), 1, NAMED(codes, &to)));
    test_invalid(uh_digitize_columns(queue, x, axes, 0, &to), "ncolumns is 0");
    test_invalid(uh_digitize_columns(queue, x + 1, axes + 1, 1, &to), "axes[0] is NULL, expected one with edges");
    axes[1] = axes[0];
    test_invalid(uh_digitize_columns(queue, x, axes, 2, &to), "columns[1].count is 1, expected 2");
    test_invalid(uh_digitize_columns(queue, x, &growing, 1, &to), "axes[0] is an axis that grows");
    test_invalid(uh_digitize_columns(queue, x, &categories, 1, &to), "axes[0] is an axis of categories");
    test_invalid(uh_digitize_columns(queue, x, &many, 1, &to), "codes->dtype is uint8, which holds numbers up to 255");
    test_invalid(uh_digitize_columns(queue, x, axes, 1, &over), "codes->data overlaps columns");
    test_invalid(uh_digitize_columns(queue, x, axes, 1, &no), "codes->data is NULL, expected where to store 2 rows");
    assert_true(code[0] == 7 && code[3] == 7);
}

UNIT_TEST(bad_arguments_of_min_max_are_refused) {
    static const double one[] = {1};
    const uh_array *x = ARRAY(UH_F64, one, 1);
    double min = 7, max = 7;
    uint64_t nan = 7;
    test_null_is_refused(
        uh_min_max(NAMED(queue, tested.queue), x, NAMED(min, &min), NAMED(max, &max), NAMED(nan, &nan)));
    test_invalid(uh_min_max(tested.queue, ARRAY((uh_dtype)10, one, 1), &min, &max, &nan), "dtype is 10");
    test_invalid(uh_min_max(tested.queue, ARRAY(UH_F64, NULL, 1), &min, &max, &nan), "uh_min_max: x->data is NULL");
    assert_true(min == 7 && max == 7 && nan == 7);
}

TESTED_MAIN(test_histogram_of)
