/* SPDX-License-Identifier: Apache-2.0 */
/* Many values on the host: histograms with enough bins that values go into buckets before they are counted
 * (histogram_buckets.c), and calls that ask in between whether they are to end. */
#include "api/histogram.h"
#include "tests/oracle.h"
#include "tests/tested.h"

#include <unihist/unihist.h>

enum { BINS = 1000000, RANGE = 8000000, N = 2100000 };

enum order { ANY_ORDER, SORTED, REPEATED };

/* Edges are integers, so that a table has the bin of a value by its whole part. */
struct bins {
    double *edges;
    uint32_t *bin_of; /* whole part of a value: its bin */
};

/* Every eighth integer, about, or more of the small ones. */
static struct bins make_bins(int crowded) {
    struct bins bins = {test_memory((BINS + 1) * sizeof *bins.edges), test_memory(RANGE * sizeof *bins.bin_of)};
    uint64_t seed = 5;
    size_t edge = 0;
    for (size_t v = 0; v < RANGE; v++) {
        const double left = (double)(BINS - edge) / (double)(RANGE - v);
        const double part = crowded ? fmin(1, 2 * left * (1 - (double)v / RANGE) + 1e-9) : left;
        const int wanted = v == 0 || (edge < BINS && (test_random_f64(&seed) < part || BINS - edge >= RANGE - v));
        if (wanted)
            bins.edges[edge++] = (double)v;
        bins.bin_of[v] = (uint32_t)edge - 1;
    }
    while (edge <= BINS) { /* beyond all values */
        bins.edges[edge] = RANGE + (double)edge;
        edge++;
    }
    return bins;
}

/* Fills values of a type with a pitch of `step` elements, and compares. Few are below, above and NaN. */
static void check(const struct bins *bins, uh_dtype dtype, enum order order, size_t step, uint32_t threads) {
    const size_t before = test_left(), size = uh_dtype_size(dtype), n = (size_t)N * threads;
    const int floats = dtype == UH_F32 || dtype == UH_F64;
    uh_histogram *histogram =
        test_line(tested_queue(threads), test_axis_of(UH_F64, bins->edges, BINS + 1, UH_CLOSED_LEFT));
    char *x = test_memory(n * step * size);
    uint64_t *expected = test_memory(BINS * sizeof *expected), seed = n;
    uh_flow right = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        double value = order == SORTED     ? floor((double)i / (double)n * RANGE)
                       : order == REPEATED ? floor((double)(i / 3000 % 97) * RANGE / 97)
                                           : floor(test_random_f64(&seed) * RANGE);
        const size_t bin = bins->bin_of[(size_t)value];
        value = floats ? value + 0.25 : value;
        if (i % 50021 == 7 && dtype != UH_U32) {
            value = -1;
            right.below++;
        } else if (i % 50021 == 8) {
            value = 2e9;
            right.above++;
        } else if (i % 50021 == 9 && floats) {
            value = NAN;
            right.nan++;
        } else {
            expected[bin]++;
        }
        (void)oracle_store(dtype, (long double)value, x + i * step * size);
    }
    test_good(uh_histogram_fill(histogram, STRIDED(dtype, x, n, (ptrdiff_t)(step * size)), NULL));
    test_assert_counts(histogram, expected, &right);
    test_end_from(before);
}

UNIT_TEST(values_of_every_type_are_counted_by_buckets) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_U32, UH_I64};
    const struct bins bins = make_bins(0), crowded = make_bins(1);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        check(&bins, dtypes[d], ANY_ORDER, 1, 1);
    check(&crowded, UH_F32, ANY_ORDER, 1, 1);
}

UNIT_TEST(values_in_any_order_and_place_are_counted_by_buckets) {
    const struct bins bins = make_bins(0);
    check(&bins, UH_F32, SORTED, 1, 1);
    check(&bins, UH_F32, REPEATED, 1, 1);
    check(&bins, UH_F64, ANY_ORDER, 3, 1);
    check(&bins, UH_F32, ANY_ORDER, 1, 2);
}

/* By every thread in the result itself, where a table for each would be too large compared with the values; the first
 * ones are too few for buckets. */
UNIT_TEST(values_are_counted_by_buckets_in_one_table) {
    enum { MORE = 2000000, POINTS = 5000000, FIRST = 300007 };
    double *x = test_memory(POINTS * sizeof *x);
    uint64_t *expected = test_memory(MORE * sizeof *expected), seed = 3;
    double *edges = test_memory((MORE + 1) * sizeof *edges);
    for (size_t j = 0; j <= MORE; j++)
        edges[j] = (double)j + (j % 3 == 1 ? 0.5 : 0);
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = test_random_f64(&seed) * MORE;
        size_t bin = (size_t)x[i];
        bin -= bin % 3 == 1 && x[i] < edges[bin];
        expected[bin]++;
    }
    for (uint32_t threads = 1; threads <= 2; threads++) {
        uh_histogram *histogram =
            test_line(tested_queue(threads), test_axis_of(UH_F64, edges, MORE + 1, UH_CLOSED_LEFT));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x, FIRST), NULL));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_F64, x + FIRST, POINTS - FIRST), NULL));
        test_assert_counts(histogram, expected, NULL);
    }
}

/* ---- clusters of edges: most values of a stretch within them, or few ---- */

enum { CLUSTERS = 20, EDGES_EACH = 100, PITCH = 4000000, STEP = 16, STRETCHES = 12, OF_STRETCH = 15000 };

static void check_clusters(uh_axis *axis, uh_dtype dtype) {
    enum { POINTS = STRETCHES * OF_STRETCH, LAST = CLUSTERS * EDGES_EACH - 2 };
    const int floats = dtype == UH_F32 || dtype == UH_F64;
    const size_t before = test_left(), size = uh_dtype_size(dtype);
    uh_histogram *histogram = test_line(tested_queue(1), axis);
    const struct uhi_histogram_plan *plan;
    char *x = test_memory(POINTS * size);
    uint64_t expected[LAST + 1] = {0}, seed = 1;
    uh_flow right = {0, 0, 0};
    for (size_t i = 0; i < POINTS; i++) {
        const size_t cluster = test_random_u64(&seed) % CLUSTERS, within = test_random_u64(&seed) % EDGES_EACH;
        const int between = i / OF_STRETCH % 3 == 2 && i % 8 != 0;
        const size_t bin = cluster * EDGES_EACH + (between ? EDGES_EACH - 1 : within);
        double value = (double)cluster * PITCH + STEP * (double)(between ? 100 * (1 + within) : within);
        value += test_random_u64(&seed) % 2 ? STEP / 2 : 0;
        if (i % 5003 == 7 && floats) {
            value = NAN;
            right.nan++;
        } else if (i % 5003 == 8 && dtype != UH_U32) {
            value = -1;
            right.below++;
        } else if (value <= (CLUSTERS - 1) * (double)PITCH + (EDGES_EACH - 1) * STEP) { /* the last bin has both */
            expected[bin < LAST ? bin : LAST]++;
        } else {
            right.above++;
        }
        (void)oracle_store(dtype, (long double)value, x + i * size);
    }
    test_good(uh_histogram_fill(histogram, ARRAY(dtype, x, POINTS), NULL));
    test_assert_counts(histogram, expected, &right);
    test_good(uhi_histogram_get_plan("test", histogram, 0, dtype, &plan));
    assert_int_equal(plan->tables.on_host, UHI_LOOKUP_PACKED);
    assert_non_null(plan->tables.base); /* the values of crowded cells have cells of their own */
    test_end_from(before);
}

UNIT_TEST(values_within_clusters_of_edges_and_between_them_are_counted) {
    static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_U32, UH_I64};
    double edges[CLUSTERS * EDGES_EACH];
    for (size_t cluster = 0; cluster < CLUSTERS; cluster++)
        for (size_t j = 0; j < EDGES_EACH; j++)
            edges[cluster * EDGES_EACH + j] = (double)(cluster * PITCH + j * STEP);
    uh_axis *axis = test_axis_of(UH_F64, edges, CLUSTERS * EDGES_EACH, UH_CLOSED_LEFT);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        check_clusters(axis, dtypes[d]);
}

/* ---- cancelled calls: nothing is counted, and the next call is as if they had not been ---- */

enum { MANY = 20000000, FEW_BINS = 7, THREADS = 2 };

static uh_queue *make_queue(void) {
    return test_queue_of(test_host(), QUEUE_OPTIONS(.threads = THREADS, .cancelled = test_is_cancelled));
}

static float *make_values(void) {
    float *x = test_memory(MANY * sizeof *x);
    for (size_t i = 0; i < MANY; i++)
        x[i] = (float)(i % FEW_BINS) + 0.5f;
    return x;
}

static void expect_counts(uh_histogram *histogram, uint64_t times) {
    uint64_t counts[FEW_BINS];
    for (size_t i = 0; i < FEW_BINS; i++)
        counts[i] = times * (uint64_t)(MANY / FEW_BINS + (i < MANY % FEW_BINS ? 1 : 0));
    test_assert_counts(histogram, counts, NULL);
}

UNIT_TEST(a_call_over_many_values_on_the_host_can_be_cancelled) {
    uh_queue *queue = make_queue();
    uh_histogram *histogram = test_line(queue, test_equal_axis(FEW_BINS, 0, FEW_BINS));
    float *x = make_values();
    int64_t *index = test_memory(MANY * sizeof *index);
    double min = -1, max = -1;
    uint64_t nan = 0;
    const uh_array values = uh_array_of(UH_F32, x, MANY);
    for (test_allowed = 0; test_allowed < 3; test_allowed++) { /* before it begins, and after pieces */
        test_asked = 0;
        assert_int_equal(uh_histogram_fill(histogram, &values, NULL), UH_ERROR_CANCELLED);
        assert_int_equal(test_asked, test_allowed + 1);
        expect_counts(histogram, 0);
        test_asked = 0;
        assert_int_equal(uh_histogram_digitize(histogram, &values, UH_I64, index), UH_ERROR_CANCELLED);
        test_asked = 0;
        assert_int_equal(uh_min_max(queue, &values, &min, &max, &nan), UH_ERROR_CANCELLED);
        assert_true(min == -1 && max == -1);
    }
    test_allowed = UINT64_MAX;
    test_good(uh_histogram_fill(histogram, &values, NULL));
    test_good(uh_histogram_fill(histogram, &values, NULL));
    expect_counts(histogram, 2);
    test_good(uh_histogram_digitize(histogram, &values, UH_I64, index));
    for (size_t i = 0; i < MANY; i++)
        if (index[i] != (int64_t)(i % FEW_BINS) + 1)
            fail_msg("value %zu is in bin %lld", i, (long long)index[i]);
    test_good(uh_min_max(queue, &values, &min, &max, &nan));
    assert_true(min == 0.5 && max == FEW_BINS - 0.5);
}

UNIT_TEST(random_numbers_and_samples_on_the_host_can_be_cancelled) {
    static const double weights[] = {1, 0, 3};
    const uh_array of = uh_array_of(UH_F64, weights, 3);
    uh_queue *queue = make_queue();
    uint32_t *out = test_memory(MANY * sizeof *out);
    test_allowed = UINT64_MAX;
    uh_sampler *sampler = test_sampler(queue, &of, NULL);
    test_allowed = 2;
    test_asked = 0;
    assert_int_equal(uh_sampler_draw(sampler, 1, 0, UH_U32, out, MANY), UH_ERROR_CANCELLED);
    assert_int_equal(test_asked, test_allowed + 1);
    test_allowed = UINT64_MAX;
    test_good(uh_sampler_draw(sampler, 1, 0, UH_U32, out, MANY));
    size_t last = 0;
    for (size_t i = 0; i < MANY; i++) {
        assert_true(out[i] == 0 || out[i] == 2);
        last += out[i] == 2;
    }
    assert_in_range(last, MANY / 4 * 3 - 20000, MANY / 4 * 3 + 20000); /* ten standard deviations */
}

TESTED_MAIN(test_histogram_many)
