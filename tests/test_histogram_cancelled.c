/* SPDX-License-Identifier: Apache-2.0 */
/* On the host a call over many values asks in between whether it is to end; then nothing has been counted, and the next
 * call is as if it had not been. */
#include "tests/tested.h"

#include <unihist/unihist.h>

enum { N = 20000000, BINS = 7, THREADS = 2 };

static uint64_t asked, allowed;

static int is_cancelled(void *user) {
    (void)user;
    return asked++ >= allowed;
}

static uh_queue *make_queue(void) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = THREADS, .cancelled = is_cancelled};
    return test_queue_of(test_host(), &options);
}

static float *make_values(void) {
    float *x = test_memory(N * sizeof *x);
    for (size_t i = 0; i < N; i++)
        x[i] = (float)(i % BINS) + 0.5f;
    return x;
}

static void expect_counts(uh_histogram *histogram, uint64_t times) {
    uint64_t counts[BINS];
    test_good(uh_histogram_counts(histogram, counts));
    for (size_t i = 0; i < BINS; i++)
        assert_int_equal(counts[i], times * (uint64_t)(N / BINS + (i < N % BINS ? 1 : 0)));
}

UNIT_TEST(a_call_over_many_values_on_the_host_can_be_cancelled) {
    uh_queue *queue = make_queue();
    uh_histogram *histogram = test_line(queue, test_equal_axis(BINS, 0, BINS));
    float *x = make_values();
    int64_t *index = test_memory(N * sizeof *index);
    double min = -1, max = -1;
    uint64_t nan = 0;
    const uh_array values = uh_array_of(UH_F32, x, N);
    for (allowed = 0; allowed < 3; allowed++) { /* before it begins, and after pieces */
        asked = 0;
        assert_int_equal(uh_histogram_fill(histogram, &values, NULL), UH_ERROR_CANCELLED);
        assert_int_equal(asked, allowed + 1);
        expect_counts(histogram, 0);
        asked = 0;
        assert_int_equal(uh_histogram_digitize(histogram, &values, index), UH_ERROR_CANCELLED);
        asked = 0;
        assert_int_equal(uh_min_max(queue, &values, &min, &max, &nan), UH_ERROR_CANCELLED);
        assert_true(min == -1 && max == -1);
    }
    allowed = UINT64_MAX;
    test_good(uh_histogram_fill(histogram, &values, NULL));
    test_good(uh_histogram_fill(histogram, &values, NULL));
    expect_counts(histogram, 2);
    test_good(uh_histogram_digitize(histogram, &values, index));
    for (size_t i = 0; i < N; i++)
        if (index[i] != (int64_t)(i % BINS) + 1)
            fail_msg("value %zu is in bin %lld", i, (long long)index[i]);
    test_good(uh_min_max(queue, &values, &min, &max, &nan));
    assert_true(min == 0.5 && max == BINS - 0.5);
}

UNIT_TEST(random_numbers_and_samples_on_the_host_can_be_cancelled) {
    static const double weights[] = {1, 0, 3};
    const uh_array of = uh_array_of(UH_F64, weights, 3);
    uh_queue *queue = make_queue();
    uint32_t *out = test_memory(N * sizeof *out);
    allowed = UINT64_MAX;
    uh_sampler *sampler = test_sampler(queue, &of, NULL);
    allowed = 2;
    asked = 0;
    assert_int_equal(uh_sampler_draw(sampler, 1, 0, UH_U32, out, N), UH_ERROR_CANCELLED);
    assert_int_equal(asked, allowed + 1);
    allowed = UINT64_MAX;
    test_good(uh_sampler_draw(sampler, 1, 0, UH_U32, out, N));
    size_t last = 0;
    for (size_t i = 0; i < N; i++) {
        assert_true(out[i] == 0 || out[i] == 2);
        last += out[i] == 2;
    }
    assert_in_range(last, N / 4 * 3 - 20000, N / 4 * 3 + 20000); /* ten standard deviations */
}

TESTED_MAIN(test_histogram_cancelled)
