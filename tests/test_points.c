/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes on the device of $UNIHIST_TEST_DEVICE (the host), against an oracle: axes, rules, types,
 * strides and storages of every kind, mixed (nothing else has weights with gaps or backwards); sums as float32, and
 * axes of derived histograms. Refused arguments: test_histogram_errors. */
#include "tests/dd_cases.h"
#include "tests/saved_fixture.h"
#include "tests/tested.h"

enum { CASES = 400, MAX_BINS = 130, PAIRS = 12, PAIR_POINTS = 150000 };

UNIT_TEST(every_cell_flow_and_total_is_the_oracles) {
    uh_queue *queues[3] = {tested_queue(1), tested_queue(2), tested_queue(7)};
    const size_t before = test_left();
    for (uint64_t number = 0; number < (tested.on_host ? CASES : CASES / 4); number++) {
        const struct dd_case *tried = dd_case(number, tested.on_host ? SIZE_MAX : 5000);
        const struct cells *expected = dd_expect(tried);
        uh_histogram *histogram = dd_case_filled(queues[number % 3], tried);
        dd_assert_holds(histogram, expected);
        test_good(uh_histogram_reset(histogram));
        dd_case_fill(histogram, tried, 0, tried->n / 3); /* in two pieces */
        dd_case_fill(histogram, tried, tried->n / 3, tried->n);
        dd_assert_holds(histogram, expected);
        test_end_from(before);
    }
}

/* An axis of float32 edges, some of them equal, zero of either sign, tiny or infinite, and points on and between them;
 * from the middle on nearly all are alike. */
static uh_axis *pair_axis(size_t bins, uint64_t *state, float *x) {
    static const double special[] = {-INFINITY, -0.0, 0.0, 0x1p-149, 0x1p-126, INFINITY};
    double edges[MAX_BINS + 1];
    for (size_t j = 0; j <= bins; j++)
        edges[j] = test_random_u64(state) % bins > 2 ? (double)(float)(test_random_f64(state) * 20 - 10)
                                                     : special[test_random_u64(state) % 6];
    qsort(edges, bins + 1, sizeof *edges, test_ascending);
    for (size_t i = 0; i < PAIR_POINTS; i++) {
        const float edge = (float)edges[test_random_u64(state) % (bins + 1)];
        switch (test_random_u64(state) % (i < PAIR_POINTS / 2 ? 6 : 1000)) {
        case 0: x[i] = NAN; break;
        case 1: x[i] = edge; break;
        case 2: x[i] = nextafterf(edge, INFINITY); break;
        case 3: x[i] = nextafterf(edge, -INFINITY); break;
        case 4: x[i] = edge == 0 ? -edge : -INFINITY; break;
        default: x[i] = i < PAIR_POINTS / 2 ? (float)(test_random_f64(state) * 22 - 11) : (float)edges[bins / 2];
        }
    }
    return test_axis_of(UH_F64, edges, bins + 1, (uh_closed)(test_random_u64(state) % 4));
}

/* A CPU may look float32 up on two axes at once, but never float64. */
UNIT_TEST(float32_on_two_axes_counts_as_the_same_values_in_float64_do) {
    static float x[2][PAIR_POINTS];
    static double wide[2][PAIR_POINTS];
    static const size_t bins[] = {1, 2, 31, 124, 125, 126, MAX_BINS};
    uint64_t seed = 7;
    tested_on_host_only();
    uh_queue *queues[2] = {tested_queue(1), tested_queue(2)};
    const size_t before = test_left();
    for (size_t number = 0; number < PAIRS; number++) {
        const size_t n = PAIR_POINTS - number,
                     step = 1 + number % 2; /* in two halves, the points side by side or not */
        uh_axis *const axes[] = {pair_axis(bins[number % 7], &seed, x[0]), pair_axis(bins[number % 5], &seed, x[1])};
        uh_histogram *narrow = test_histogram_over(queues[number / 2 % 2], axes, 2, NULL);
        uh_histogram *doubled = test_histogram_over(queues[0], axes, 2, NULL);
        uh_array floats[2], doubles[2];
        for (size_t from = 0; from < step; from++) {
            for (size_t a = 0; a < 2; a++) {
                for (size_t i = 0; i < n; i++)
                    wide[a][i] = (double)x[a][i];
                floats[a] = uh_array_of(UH_F32, x[a] + from, (n - from) / step);
                floats[a].stride *= (ptrdiff_t)step;
                doubles[a] = uh_array_of(UH_F64, wide[a] + from, (n - from) / step);
                doubles[a].stride *= (ptrdiff_t)step;
            }
            test_good(uh_histogram_fill(narrow, floats, NULL));
            test_good(uh_histogram_fill(doubled, doubles, NULL));
        }
        test_saved_assert_same(narrow, doubled);
        test_end_from(before);
    }
}

static uh_histogram *make(uh_axis *const *axes, size_t naxes, uh_storage storage) {
    return test_histogram_over(tested.queue, axes, naxes, OPTIONS(.storage = storage));
}

/* Points are counted some at a time: of what is left at the end any number may be. */
UNIT_TEST(any_number_of_points_is_counted_to_the_last) {
    enum { MIN = 8000, ALIKE = 130, BINS = 8 };
    static float x[MIN + ALIKE], y[MIN + ALIKE];
    uh_axis *const axes[] = {test_equal_axis(BINS, 0, BINS), test_equal_axis(BINS, 0, BINS)};
    uint64_t wanted[BINS * BINS] = {0};
    tested_on_host_only();
    for (size_t i = 0; i < MIN + ALIKE; i++) {
        const size_t cell = i * 37 % (BINS * BINS), row = cell / BINS;
        x[i] = (float)row + 0.5F;
        y[i] = (float)(cell % BINS) + 0.25F;
    }
    for (size_t n = 0; n < MIN + ALIKE; n++) {
        if (n >= MIN) {
            uh_histogram *histogram = make(axes, 2, UH_STORAGE_COUNT);
            const uh_array points[] = {uh_array_of(UH_F32, x, n), uh_array_of(UH_F32, y, n)};
            test_good(uh_histogram_fill(histogram, points, NULL));
            test_assert_counts(histogram, wanted, NULL);
        }
        wanted[n * 37 % (BINS * BINS)]++;
    }
}

/* By way of float64 the first three would be ties by mistake, or miss being one. */
UNIT_TEST(sums_as_float32_are_rounded_once) {
    static const struct {
        double weights[2];
        float sum;
    } rows[] = {
        {{1 + 0x1p-24, 0x1p-60}, 1 + 0x1p-23F},            /* float64: 1 + 2^-24, which goes to the even 1 */
        {{1 + 0x1p-23 + 0x1p-24, -0x1p-60}, 1 + 0x1p-23F}, /* float64: a tie that goes up to 1 + 2^-22 */
        {{0x1p-150, 0x1p-1000}, 0x1p-149F},                /* the smallest denormal; float64: a tie with 0 */
        {{1, 0x1p-24}, 1},                                 /* ties */
        {{1 + 0x1p-23, 0x1p-24}, 1 + 0x1p-22F},
        {{0x1.fffffep127, 0x1p103 - 0x1p50}, 0x1.fffffep127F},
        {{0x1.fffffep127, 0x1p103}, INFINITY}, /* as far as the next one would be */
        {{-0x1.fffffep127, -0x1p103}, -INFINITY},
        {{1e300, -1e300}, 0},
        {{1, NAN}, NAN},
        {{1, -INFINITY}, -INFINITY},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    float sum[ROWS], squares[ROWS];
    uh_axis *axis = test_equal_axis(ROWS, 0, ROWS);
    uh_histogram *histogram = make(&axis, 1, UH_STORAGE_WEIGHTED);
    for (size_t i = 0; i < ROWS; i++) {
        const double x[] = {(double)i, (double)i};
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, 2), ARRAY(UH_F64, rows[i].weights, 2)));
    }
    test_good(uh_histogram_sums(histogram, UH_F32, sum, squares));
    for (size_t i = 0; i < ROWS; i++)
        assert_true(isnan(rows[i].sum) ? isnan(sum[i]) : sum[i] == rows[i].sum);
    assert_true(squares[3] == 1 && squares[5] == INFINITY && squares[8] == INFINITY);
}

UNIT_TEST(cells_are_where_their_bins_are_mapped_and_lost_points_are_below_or_above) {
    static const uint8_t x[] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4};
    static const size_t to[] = {UH_NO_INDEX, 1, UH_NO_INDEX, 0, 1};
    for (int categories = 0; categories < 2; categories++) {
        uh_axis *axis =
            categories ? test_categories(UH_U8, (const uint8_t[]){0, 1, 2, 3, 4}, 5) : test_integer_axis(0, 4);
        uh_histogram *histogram = test_line(tested.queue, axis);
        uint64_t counts[2], inside, outside;
        uh_flow flow;
        test_good(uh_histogram_fill(histogram, ARRAY(UH_U8, x, 15), NULL));
        uh_histogram *made = test_rebinned(histogram, 0, test_integer_axis(2, 3), to);
        test_good(uh_histogram_flow(made, 0, &flow));
        test_good(uh_histogram_total(made, &inside, &outside));
        assert_true(inside == 11 && outside == 4);
        assert_true(flow.below == (categories ? 0 : 1) && flow.above == (categories ? 4 : 3) && flow.nan == 0);
        test_good(uh_histogram_fill(made, ARRAY(UH_U8, x, 15), NULL)); /* goes on by the new axis */
        test_good(uh_histogram_counts(made, counts));
        assert_true(counts[0] == 4 + 3 && counts[1] == 2 + 5 + 4);
    }
}

UNIT_TEST(axes_that_can_have_no_bins_beyond_the_others_are_refused) {
    const int64_t wide[] = {0, (INT64_C(1) << 53) + 1};
    uh_axis *made = NULL, *equal = test_equal_axis(3, 0, 1), *grows = test_growing_axis(),
            *both = test_axis_with_flow(equal, UH_FLOW_BINS_BOTH);
    test_invalid(uh_axis_create_with_flow_bins(grows, UH_FLOW_BINS_BOTH, &made), "axis grows");
    test_invalid(uh_axis_create_with_flow_bins(both, UH_FLOW_BINS_BELOW, &made), "has flow bins");
    test_invalid(uh_axis_create_with_flow_bins(equal, (uh_flow_bins)4, &made), "which is 4");
    test_null_is_refused(uh_axis_create_with_flow_bins(NAMED(axis, equal), UH_FLOW_BINS_BOTH, NAMED(made, &made)));
    test_assert_failed(
        uh_axis_create_with_flow_bins(test_axis_of(UH_I64, wide, 2, UH_CLOSED_LEFT), UH_FLOW_BINS_BOTH, &made),
        UH_ERROR_UNSUPPORTED, "edge 1 at", "within 2^53");
    test_assert_failed(
        uh_histogram_merge(test_line(tested.queue, both),
                           test_line(tested.queue, test_axis_of(UH_F64, test_axis_properties(both).edges, 6, 0))),
        UH_ERROR_INCOMPATIBLE, "flow bins both, and none");
}

TESTED_MAIN(test_points)
