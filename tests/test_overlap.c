/* SPDX-License-Identifier: Apache-2.0 */
/* One object or memory given twice to a call (base.h): what is written over what is read is what it would be elsewhere,
 * or the call refuses it and names both. On the host, or on $UNIHIST_TEST_DEVICE. That histograms are merged with
 * themselves is tested with what they keep (test_accumulate, test_histogram), that copies are refused in
 * test_runtime_memory. */
#include <unihist/interpolate.h>
#include <unihist/meanshift.h>

#include "tests/alike.h"
#include "tests/tested.h"

enum { N = 3000 };

/* Numbers from 0 to 8, and whole ones. */
static double *numbers(void) {
    double *x = test_memory(N * sizeof *x);
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++)
        x[i] = 8 * test_random_f64(&seed);
    return x;
}

static int64_t *integers(void) {
    int64_t *x = test_memory(N * sizeof *x);
    uint64_t seed = 2;
    for (size_t i = 0; i < N; i++)
        x[i] = (int64_t)(test_random_u64(&seed) % N);
    return x;
}

UNIT_TEST(counts_and_sums_may_lie_where_the_values_were) {
    uint64_t counts[N];
    double sums[N], edges[N + 1], range[2] = {0, 8}, *const x = numbers(), *const w = numbers();
    int64_t *const of_counts = integers();
    test_good(uh_bincount(tested.queue, ARRAY(UH_I64, of_counts, N), counts, N, NULL));
    test_good(uh_bincount(tested.queue, ARRAY(UH_I64, of_counts, N), (uint64_t *)of_counts, N, NULL));
    assert_memory_equal(of_counts, counts, sizeof counts);
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_F64, x, N), EQUAL(N, range), 1, NULL, CELLS(.counts = counts)));
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_F64, x, N), EQUAL(N, range), 1, NULL,
                              CELLS(.counts = (uint64_t *)(void *)x)));
    assert_memory_equal(x, counts, sizeof counts);
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_F64, w, N), EQUAL(10, range), 1, ARRAY(UH_F64, w, N),
                              CELLS(.deviations = sums, .edges = {edges})));
    test_good(uh_histogram_of(tested.queue, ARRAY(UH_F64, w, N), EQUAL(10, range), 1, ARRAY(UH_F64, w, N),
                              CELLS(.deviations = w, .edges = {w + 10})));
    assert_memory_equal(w, sums, 10 * sizeof *w);
    assert_memory_equal(w + 10, edges, 11 * sizeof *w);
}

UNIT_TEST(cells_and_edges_may_lie_where_points_ranges_and_weights_were) {
    double *const x = numbers(), bounds[2][3] = {{0, 8, -1}, {1, 7, -1}}, sums[6], edges[2][4];
    const uh_array arrays[] = {uh_array_of(UH_F64, x, N), uh_array_of(UH_F64, x, N)};
    const uh_axis_bins bins[] = {{.count = 2, .range = bounds[0]}, {.count = 2, .range = bounds[1]}};
    test_good(
        uh_histogram_of(tested.queue, arrays, bins, 2, arrays, CELLS(.sums = sums, .edges = {edges[0], edges[1]})));
    test_good(
        uh_histogram_of(tested.queue, arrays, bins, 2, arrays, CELLS(.sums = x, .edges = {bounds[0], bounds[1]})));
    assert_memory_equal(x, sums, 4 * sizeof *sums);
    assert_memory_equal(bounds[0], edges[0], 3 * sizeof **edges);
    assert_memory_equal(bounds[1], edges[1], 3 * sizeof **edges);
}

UNIT_TEST(indices_over_the_values_are_refused_and_next_to_them_not) {
    enum { FEW = 100 };
    int64_t memory[2 * FEW + 1];
    double x[FEW];
    uh_histogram *histogram = test_line(tested.queue, test_equal_axis(8, 0, 8));
    const double edges[] = {1, 2, 5};
    memcpy(x, numbers(), sizeof x);
    for (size_t at = 0; at <= 2 * FEW; at += FEW / 2) {
        const double *const values = memcpy((double *)(void *)memory + FEW / 2, x, sizeof x);
        const uh_array *array =
            at == FEW ? ARRAY(UH_F64, values, FEW) : STRIDED(UH_F64, values + FEW - 1, FEW, -(ptrdiff_t)sizeof(double));
        if (at + FEW > 2 * FEW)
            break;
        test_invalid(uh_digitize(tested.queue, array, ARRAY(UH_F64, edges, 3), 0, UH_I64, memory + at),
                     "index overlaps x->data");
        test_invalid(uh_histogram_digitize(histogram, array, UH_I64, memory + at), "index overlaps x->data");
        assert_memory_equal(values, x, sizeof x);
    }
    /* Side by side, from either side; and where the edges were. */
    memcpy(memory, x, sizeof x);
    test_good(uh_digitize(tested.queue, ARRAY(UH_F64, memory, FEW), ARRAY(UH_F64, edges, 3), 0, UH_I64, memory + FEW));
    memcpy(memory + FEW, x, sizeof x);
    test_good(uh_histogram_digitize(histogram, ARRAY(UH_F64, memory + FEW, FEW), UH_I64, memory));
    for (size_t i = 0; i < FEW; i++)
        assert_int_equal(memory[i], (int64_t)x[i] + 1);
    double over[FEW] = {1, 2, 5};
    test_good(
        uh_digitize(tested.queue, ARRAY(UH_F64, x, FEW), ARRAY(UH_F64, over, 3), 0, UH_I64, (int64_t *)(void *)over));
    for (size_t i = 0; i < FEW; i++)
        assert_int_equal(((int64_t *)(void *)over)[i], (x[i] >= 1) + (x[i] >= 2) + (x[i] >= 5));
}

UNIT_TEST(what_is_counted_in_bytes_or_drawn_over_its_source_is_refused) {
    uint32_t indices[64] = {0};
    char letters[64];
    double weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t drawn[16], one[16];
    memset(letters, 'a', sizeof letters);
    test_invalid(uh_histo(tested.queue, ARRAY(UH_U32, indices, 64), HISTO_TABLE(4, 4), (uint8_t *)(indices + 63), NULL),
                 "out overlaps indices->data");
    test_invalid(uh_choice(tested.queue, &(uh_population){letters, 60, 1, NULL}, 1, 0, letters + 59, 5),
                 "out overlaps from->items");
    test_good(uh_choice(tested.queue, &(uh_population){letters, 60, 1, NULL}, 1, 0, letters + 60, 4));
    /* Weights have been read before. */
    test_good(uh_choice(tested.queue, &(uh_population){NULL, 8, 4, ARRAY(UH_F64, weights, 8)}, 1, 0, one, 16));
    test_good(uh_choice(tested.queue, &(uh_population){NULL, 8, 4, ARRAY(UH_F64, weights, 8)}, 1, 0, weights, 16));
    memcpy(drawn, weights, sizeof drawn);
    assert_memory_equal(drawn, one, sizeof one);
}

UNIT_TEST(quantiles_may_lie_where_the_probabilities_were) {
    enum { FEW = 9 };
    const double x[] = {0.5, 1.5, 1.5, 3.5, 6.5};
    double memory[FEW + 2], separate[FEW];
    uh_histogram *histogram = test_line(tested.queue, test_equal_axis(8, 0, 8));
    test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, 5), NULL));
    for (size_t from = 0; from <= 2; from++)
        for (size_t to = 0; to <= 2; to++) {
            for (size_t i = 0; i < FEW; i++)
                memory[from + i] = (double)i / (FEW - 1);
            test_good(uh_histogram_quantiles(histogram, memory + from, FEW, separate));
            test_good(uh_histogram_quantiles(histogram, memory + from, FEW, memory + to));
            assert_memory_equal(memory + to, separate, sizeof separate);
        }
}

UNIT_TEST(slopes_may_lie_where_the_points_were) {
    double separate[8], x[8] = {0, 1, 2, 4, 5, 7, 8, 9}, y[16];
    for (size_t shift = 0; shift <= 2; shift++) {
        for (size_t i = 0; i < 8; i++)
            y[i] = x[i] * x[i] + (double)(i % 3);
        test_good(uh_spline_slopes(8, x, y, 1, separate));
        test_good(uh_spline_slopes(8, x, y, 1, y + shift));
        assert_memory_equal(y + shift, separate, sizeof separate);
    }
    for (size_t i = 0; i < 8; i++)
        y[i] = x[i] * x[i];
    test_good(uh_spline_slopes(8, x, y, 1, separate));
    test_good(uh_spline_slopes(8, x, y, 1, x));
    assert_memory_equal(x, separate, sizeof separate);
}

UNIT_TEST(densities_may_lie_where_points_and_places_were) {
    enum { FEW = 40 };
    const uh_kde_options options = {.struct_size = sizeof options, .sigma = 1};
    double separate[FEW], *const x = numbers();
    if (!tested.properties.fp64)
        skip_because("the device has no float64");
    test_good(uh_kde(tested.queue, ARRAY(UH_F64, x, FEW), 1, ARRAY(UH_F64, x + 1, FEW), &options, separate));
    test_good(uh_kde(tested.queue, ARRAY(UH_F64, x, FEW), 1, ARRAY(UH_F64, x + 1, FEW), &options, x));
    assert_memory_equal(x, separate, sizeof separate);
}

/* The pattern is read first, and an event may take the place of the one that is waited for. */
UNIT_TEST(memory_is_filled_over_its_own_pattern_and_events_follow_each_other) {
    uint32_t words[64] = {1, 2, 3, 4, 5, 6, 7, 8};
    uh_event *event = NULL, *first;
    test_good(uh_fill(tested.queue, words, words + 3, 16, 16, &(uh_submission){.event = &event}));
    first = event;
    test_good(uh_fill(tested.queue, words + 1, words + 2, 4, 1,
                      &(uh_submission){.deps = &event, .ndeps = 1, .event = &event}));
    test_good(uh_event_wait(event, UINT64_MAX));
    assert_true(first != event);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(words[i], i == 1 ? 6 : 4 + i % 4);
    uh_event_destroy(first);
    uh_event_destroy(event);
}

TESTED_MAIN(test_overlap)
