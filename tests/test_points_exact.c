/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms over several axes against an oracle: axes, rules, types, strides and storages of every kind, mixed, on the
 * device of $UNIHIST_TEST_DEVICE (the host). Nothing else has weights with gaps or backwards. */
#include "tests/dd_cases.h"
#include "tests/tested.h"

enum { CASES = 400, MAX_BINS = 130, PAIRS = 12, PAIR_POINTS = 150000 };

UNIT_TEST(every_cell_flow_and_total_is_the_oracles) {
    uh_queue *queues[3] = {tested_queue(1), tested_queue(2), tested_queue(7)};
    const size_t before = test_left();
    for (uint64_t number = 0; number < (tested.on_host ? CASES : CASES / 4); number++) {
        const struct dd_case *tried = dd_case(number, tested.on_host ? SIZE_MAX : 5000);
        const struct dd_expected *expected = dd_expect(tried);
        uh_histogram *histogram = dd_case_filled(queues[number % 3], tried);
        dd_assert_holds(histogram, expected);
        test_good(uh_histogram_reset(histogram));
        dd_case_fill(histogram, tried, 0, tried->n / 3); /* in two pieces */
        dd_case_fill(histogram, tried, tried->n / 3, tried->n);
        dd_assert_holds(histogram, expected);
        test_end_from(before);
    }
}

UNIT_TEST(two_halves_merge_into_the_whole) {
    uh_queue *queue = tested_queue(2);
    const size_t before = test_left();
    for (uint64_t number = 1000; number < 1000 + CASES / 10; number++) {
        const struct dd_case *tried = dd_case(number, 5000);
        uh_histogram *first = dd_case_create(queue, tried), *second = dd_case_create(queue, tried);
        dd_case_fill(first, tried, 0, tried->n / 2);
        dd_case_fill(second, tried, tried->n / 2, tried->n);
        test_good(uh_histogram_merge(first, second));
        dd_assert_holds(first, dd_expect(tried));
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
        dd_assert_same_cells(narrow, doubled);
        for (size_t a = 0; a < 2; a++)
            dd_assert_same_flow(narrow, a, doubled, a);
        test_end_from(before);
    }
}

TESTED_MAIN(test_points_exact)
