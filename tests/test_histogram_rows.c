/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of points for many histograms at once, against a histogram of each row. */
#include "tests/tested.h"

enum { ROWS = 23, BINS = 7, FIRST = 2, BEFORE = 3 }; /* rows of the axis, of which the first two get no points */

#define FILL(histogram, ...) uh_histogram_fill_rows(histogram, &(uh_rows){.struct_size = sizeof(uh_rows), __VA_ARGS__})

static const double edges[BINS + 1] = {-1, -0.3, 0, 0.1, 0.1, 0.4, 0.7, 0.9};

static uh_histogram *over_rows(uh_queue *queue, uh_axis *axis, uh_axis *other, const uh_histogram_options *options) {
    uh_axis *const axes[] = {test_integer_axis(BEFORE, BEFORE + ROWS + FIRST - 1), axis, other};
    return test_histogram_over(queue, axes, other ? 3 : 2, options);
}

static float value(uint64_t *random) {
    const double u = test_random_f64(random);
    return u < 0.02 ? NAN : (float)(2.5 * u - 1.2);
}

static void read_cells(uh_histogram *histogram, uh_storage storage, size_t rows, uint64_t *counts, double *sums) {
    if (storage == UH_STORAGE_SUM)
        test_good(uh_histogram_sums(histogram, UH_F64, sums, NULL));
    else if (storage == UH_STORAGE_MEAN)
        test_good(uh_histogram_means(histogram, counts, sums, NULL));
    else
        test_good(uh_histogram_counts(histogram, counts));
    for (size_t i = 0; i < rows * BINS && storage == UH_STORAGE_MEAN; i++)
        sums[i] = counts[i] ? sums[i] : -1; /* NaN */
}

UNIT_TEST(rows_are_histograms_of_their_own) {
    static const size_t lengths[] = {1, 5, 1000, 9000};
    static const uh_storage storages[] = {UH_STORAGE_COUNT, UH_STORAGE_SUM, UH_STORAGE_MEAN, UH_STORAGE_U8};
    uh_axis *const axis = test_axis_of(UH_F64, edges, BINS + 1, UH_CLOSED_LEFT);
    const size_t longest = (lengths[3] + 3) * ROWS;
    float *x = test_memory(2 * longest * sizeof *x), *weights = test_memory(longest * sizeof *weights);
    uint64_t random = 5;
    for (size_t i = 0; i < 2 * longest; i++) {
        x[i] = value(&random);
        weights[i / 2] = (float)(i % 13) / 4;
    }
    for (int way = 0; way < 16; way++, test_end_from(4)) { /* lengths; dense, or with gaps and backwards */
        const size_t n = lengths[way / 4];
        const uh_storage storage = storages[way % 4];
        const ptrdiff_t size = sizeof *x, gap = way % 2 ? (ptrdiff_t)(2 * n + 5) * size : (ptrdiff_t)n * size;
        const int weighted = storage == UH_STORAGE_SUM || storage == UH_STORAGE_MEAN;
        const uh_histogram_options *options = OPTIONS(.storage = storage);
        uh_histogram *const all = over_rows(tested.queue, axis, NULL, options);
        const uh_array *first = way % 2 ? STRIDED(UH_F32, x + 2 * (n - 1), n, -2 * size) : ARRAY(UH_F32, x, n);
        const uh_array *with = weighted ? ARRAY(UH_F32, weights, n) : NULL;
        for (int half = 0; half < 2; half++) {
            const size_t from = half ? ROWS / 2 : 0, count = half ? ROWS - ROWS / 2 : ROWS / 2;
            uh_array at = *first, weight = with ? *with : at;
            at.data = (const char *)at.data + (ptrdiff_t)from * gap;
            weight.data = weights + from * n;
            test_good(FILL(all, .first = FIRST + from, .count = count, .arrays = &at, .pitches = &gap,
                           .weights = with ? &weight : NULL, .weights_pitch = (ptrdiff_t)n * size));
        }
        uint64_t counts[(ROWS + FIRST) * BINS] = {0}, of_row[BINS], points = 0, missed = 0, inside, outside;
        double sums[(ROWS + FIRST) * BINS] = {0}, row_sums[BINS];
        uh_flow flow = {0, 0, 0}, found;
        read_cells(all, storage, ROWS + FIRST, counts, sums);
        for (size_t r = 0; r < ROWS; r++) {
            uh_histogram *const one = test_histogram_over(tested.queue, &axis, 1, options);
            uh_array at = *first, weight = with ? *with : at;
            at.data = (const char *)at.data + (ptrdiff_t)r * gap;
            weight.data = weights + r * n;
            test_good(uh_histogram_fill(one, &at, with ? &weight : NULL));
            memset(of_row, 0, sizeof of_row);
            memset(row_sums, 0, sizeof row_sums);
            read_cells(one, storage, 1, of_row, row_sums);
            assert_memory_equal(counts + (FIRST + r) * BINS, of_row, sizeof of_row);
            assert_memory_equal(sums + (FIRST + r) * BINS, row_sums, sizeof row_sums);
            test_good(uh_histogram_flow(one, 0, &found));
            test_good(uh_histogram_total(one, &inside, &outside));
            flow = (uh_flow){flow.below + found.below, flow.above + found.above, flow.nan + found.nan};
            points += inside + outside;
            missed += outside;
        }
        test_good(uh_histogram_flow(all, 1, &found));
        assert_memory_equal(&found, &flow, sizeof flow);
        test_good(uh_histogram_total(all, &inside, &outside));
        assert_true(inside + outside == points && outside == missed);
        for (size_t i = 0; i < FIRST * BINS; i++)
            assert_true(counts[i] == 0);
    }
}

UNIT_TEST(rows_have_flows_and_several_axes) {
    enum { N = 500 };
    static float x[ROWS * N];
    static int8_t y[ROWS * N];
    uint64_t counts[(ROWS + FIRST) * 12], alone[12], random = 2; /* 4 bins, with those beyond, by 3 */
    uh_axis *const flows =
        test_axis_with_flow(test_axis_of(UH_F64, (double[]){-0.3, 0, 0.4}, 3, UH_CLOSED_LEFT), UH_FLOW_BINS_BOTH);
    uh_axis *const small = test_integer_axis(0, 2);
    for (size_t i = 0; i < ROWS * N; i++) {
        x[i] = value(&random);
        y[i] = (int8_t)(test_random_u64(&random) % 4);
    }
    uh_histogram *const all = over_rows(tested.queue, flows, small, NULL);
    const uh_array arrays[] = {*THERE(UH_F32, x, ROWS * N), *THERE(UH_I8, y, ROWS * N)};
    const uh_array first[] = {uh_array_of(UH_F32, arrays[0].data, N), uh_array_of(UH_I8, arrays[1].data, N)};
    const ptrdiff_t pitches[] = {N * sizeof *x, N};
    test_good(FILL(all, .first = FIRST, .count = ROWS, .arrays = first, .pitches = pitches));
    test_good(uh_histogram_counts(all, counts));
    for (size_t r = 0; r < ROWS; r++) {
        uh_axis *const axes[] = {flows, small};
        uh_histogram *const one = test_histogram_over(tested.queue, axes, 2, NULL);
        test_good(uh_histogram_fill(
            one, (uh_array[]){uh_array_of(UH_F32, x + r * N, N), uh_array_of(UH_I8, y + r * N, N)}, NULL));
        test_good(uh_histogram_counts(one, alone));
        assert_memory_equal(counts + (FIRST + r) * 12, alone, sizeof alone);
    }
}

UNIT_TEST(wrong_rows_are_named) {
    uh_axis *const axis = test_axis_of(UH_F64, edges, BINS + 1, UH_CLOSED_LEFT), *const whole = test_integer_axis(0, 4),
                   *const wide = test_axis_of(UH_I64, ((int64_t[]){0, 2, 5}), 3, UH_CLOSED_LEFT);
    uh_axis *const of_rows[] = {whole, axis}, *const of_others[] = {wide, axis};
    uh_histogram *const good = test_histogram_over(tested.queue, of_rows, 2, NULL);
    static const float x[6] = {0};
    const uh_array two = uh_array_of(UH_F32, x, 2), other = uh_array_of(UH_I8, x, 3);
    const ptrdiff_t pitch = 8;
    test_null_is_refused(uh_histogram_fill_rows(NAMED(histogram, good), NAMED(rows, &(uh_rows){.struct_size = 0})));
    test_invalid(FILL(test_line(tested.queue, whole), .count = 1, .arrays = &two, .pitches = &pitch),
                 "histogram has one axis, expected several, the first of integers");
    test_invalid(
        FILL(test_histogram_over(tested.queue, of_others, 2, NULL), .count = 1, .arrays = &two, .pitches = &pitch),
        "histogram has another first axis");
    test_invalid(FILL(good, .first = 3, .count = 3, .arrays = &two, .pitches = &pitch),
                 "rows has first 3 and count 3, expected rows of the axis's 5 bins");
    test_invalid(FILL(good, .count = 1, .pitches = &pitch), "rows->arrays");
    test_invalid(FILL(good, .count = 1, .arrays = &two), "rows->pitches");
    test_invalid(FILL(good, .count = 1, .arrays = &two, .pitches = &pitch, .weights = &other), "storage is count");
    uh_histogram *const sums = test_histogram_over(tested.queue, of_rows, 2, OPTIONS(.storage = UH_STORAGE_SUM));
    test_invalid(FILL(sums, .count = 1, .arrays = &two, .pitches = &pitch, .weights = &other),
                 "weights->dtype is int8");
    test_good(FILL(good, .count = 0, .arrays = &two, .pitches = &pitch));
    uint64_t inside = 1, outside = 1;
    test_good(uh_histogram_total(good, &inside, &outside));
    assert_true(inside == 0 && outside == 0);
}

TESTED_MAIN(test_histogram_rows)
