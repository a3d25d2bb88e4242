/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of calls with an exchange fails once: all are told, and what there is stays as it was. Linked with
 * --wrap, so that the library's calls of malloc and its kin come here. */
#include <unihist/exchange.h>
#include <unihist/save.h>

#include "tests/arrays.h"
#include "tests/failing_malloc.h"

enum { MOST_ALLOCATIONS = 200, MOST_BYTES = 4096 };

/* A group of one process. */
static uh_status maximum(void *context, uint64_t *numbers, size_t n) {
    const int *differs = context;
    if (*differs && n > 2)
        numbers[1] ^= 1; /* hashes, behind what tells of a failure */
    return UH_SUCCESS;
}

static uh_status combine(void *context, uh_combine how, uint64_t *words, size_t n) {
    (void)context;
    (void)how;
    (void)words;
    (void)n;
    return UH_SUCCESS;
}

static uh_status broadcast(void *context, size_t from, void *bytes, size_t size) {
    (void)context;
    (void)from;
    (void)bytes;
    (void)size;
    return UH_SUCCESS;
}

static uh_status trade(void *context, const void *const *out, const size_t *sent, void *const *in,
                       const size_t *received) {
    (void)context;
    assert_int_equal(sent[0], received[0]);
    if (sent[0] > 0)
        memcpy(in[0], out[0], sent[0]);
    return UH_SUCCESS;
}

static size_t saved(uh_histogram *histogram, unsigned char bytes[MOST_BYTES]) {
    size_t length = 0;
    test_good(uh_histogram_save_bytes(histogram, bytes, MOST_BYTES, &length));
    return length;
}

static uh_exchange exchange_of(int *differs) {
    return (uh_exchange){.struct_size = sizeof(uh_exchange),
                         .context = differs,
                         .ranks = 1,
                         .receives = 1,
                         .maximum = maximum,
                         .combine = combine,
                         .broadcast = broadcast,
                         .trade = trade};
}

static void fail_each(uh_histogram *histogram, int differs, size_t least) {
    const uh_exchange exchange = exchange_of(&differs);
    unsigned char before[MOST_BYTES], after[MOST_BYTES];
    const size_t length = saved(histogram, before);
    size_t allocations;
    for (allocations = 0; allocations < MOST_ALLOCATIONS; allocations++) {
        seen = 0;
        fails_at = allocations + 1;
        uh_status status = uh_histogram_exchange(histogram, &exchange);
        fails_at = 0;
        assert_int_equal(saved(histogram, after), length);
        assert_memory_equal(before, after, length);
        if (seen <= allocations) {
            test_good(status);
            break;
        }
        test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "rank 0: ");
    }
    assert_in_range(allocations, least, MOST_ALLOCATIONS - 1);
}

UNIT_TEST(every_failed_allocation_is_told_and_changes_nothing) {
    static const uint8_t x[] = {0, 1, 2};
    static const double weights[] = {1e-300, 2, 1e300};
    uh_queue *queue = test_queue(1, 0);
    uh_axis *growing = NULL, *fixed = test_equal_axis(2, 0, 2);
    test_good(uh_axis_create_growing(&growing));
    test_at_end(growing, test_end_axis);
    for (int i = 0; i < 8; i++) { /* counts and sums, of bins that grow and others, that may differ or do not */
        const int weighted = i & 1, differs = i & 4;
        uh_histogram *histogram = test_histogram_over(queue, i & 2 ? &growing : &fixed, 1,
                                                      OPTIONS(.storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_U8, x, 3), weighted ? ARRAY(UH_F64, weights, 3) : NULL));
        const size_t least = i & 3 ? 3 : 1; /* counts of bins that do not grow are one array */
        fail_each(histogram, differs, differs ? least + 7 : least);
    }
}

UNIT_TEST(every_failed_allocation_of_a_bandwidth_is_told_and_changes_nothing) {
    static const float x[] = {0, 1, 3, 7};
    int differs = 0;
    const uh_exchange exchange = exchange_of(&differs);
    uh_queue *queue = test_queue(1, 0);
    size_t allocations;
    for (allocations = 0; allocations < MOST_ALLOCATIONS; allocations++) {
        double bandwidth = -1;
        seen = 0;
        fails_at = allocations + 1;
        uh_status status = uh_estimate_bandwidth_exchange(queue, ARRAY(UH_F32, x, 4), 1, 0.5, 0, &exchange, &bandwidth);
        fails_at = 0;
        if (seen <= allocations) {
            test_good(status);
            assert_true(bandwidth == 2); /* (1 + 1 + 2 + 4) / 4 */
            break;
        }
        test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "rank 0: ");
        assert_true(bandwidth == -1);
    }
    assert_in_range(allocations, 9, MOST_ALLOCATIONS - 1); /* points, their numbers, and what is sought */
}

/* Fails each allocation, and compares what comes of none with what one process finds that has no exchange. */
static void fail_each_of_clusters(uh_queue *queue, const uh_array points[2], const uh_mean_shift_options *options) {
    int differs = 0;
    const uh_exchange exchange = exchange_of(&differs);
    uh_clusters *expected = NULL, *clusters = NULL;
    uh_clusters_properties alone = {.struct_size = sizeof alone}, found = {.struct_size = sizeof found};
    size_t allocations;
    test_good(uh_mean_shift(queue, points, 2, options, &expected));
    for (allocations = 0; allocations < 10 * MOST_ALLOCATIONS && !clusters; allocations++) {
        seen = 0;
        fails_at = allocations + 1;
        uh_status status = uh_mean_shift_exchange(queue, points, 2, options, &exchange, &clusters);
        fails_at = 0;
        if (status) {
            test_assert_failed(status, UH_ERROR_OUT_OF_MEMORY, "rank 0: ");
            assert_null(clusters);
        }
    }
    assert_in_range(allocations, 60, 10 * MOST_ALLOCATIONS - 1);
    test_good(uh_clusters_get_properties(expected, &alone));
    test_good(uh_clusters_get_properties(clusters, &found));
    assert_int_equal(found.iterations, alone.iterations);
    assert_int_equal(found.clusters, alone.clusters);
    assert_memory_equal(found.centroids, alone.centroids, alone.clusters * 2 * sizeof(double));
    assert_memory_equal(found.labels, alone.labels, alone.n * sizeof *alone.labels);
    assert_memory_equal(found.shifted, alone.shifted, alone.moved * 2 * sizeof(float));
    test_good(uh_clusters_destroy(expected));
    test_good(uh_clusters_destroy(clusters));
}

UNIT_TEST(every_failed_allocation_of_mean_shift_is_told) {
    enum { N = 40 };
    float x[2 * N];
    uh_queue *queue = test_queue(1, 0);
    for (size_t i = 0; i < 2 * N; i++)
        x[i] = (float)((i * 7 + i / 2 * 5) % 23);
    const uh_array points[] = {{.dtype = UH_F32, .data = x, .stride = 8, .count = N},
                               {.dtype = UH_F32, .data = x + 1, .stride = 8, .count = N}};
    for (int i = 0; i < 6; i++) {
        const uh_mean_shift_options options = {.struct_size = sizeof options,
                                               .sigma = 1,
                                               .iterations = 2,
                                               .reduction = (uh_mean_shift_reduction)(i % 3),
                                               .algorithm = i < 3 ? UH_MEAN_SHIFT_BLURRING : UH_MEAN_SHIFT_MODES,
                                               .seed_bins = i < 3 ? 0 : 2};
        fail_each_of_clusters(queue, points, &options);
    }
}
