/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of sampling at work on few values, see test_kernels_histogram.c. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/common/philox.h"
#include "kernels/sample/sample_run.h"
#include "tests/fixture.h"
#include "tests/sample_ties.h"

enum { FEW = 5, MANY = 300, MOST_SAMPLES = 1100 };

static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};
enum { METHODS = sizeof methods / sizeof *methods };

static uh_device *device;
static uh_queue *queue, *host_queue;

/* Of each four one is 0 where `zeros`. */
static uh_sampler *make(uh_queue *on, uh_sample_method method, size_t k, int zeros) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = method};
    uint32_t weights[MANY];
    uh_sampler *sampler = NULL;
    uint64_t seed = k;
    for (size_t i = 0; i < k; i++)
        weights[i] = zeros && i % 4 == 1 ? 0 : (uint32_t)(test_random_u64(&seed) % 1000 + 1);
    if (uh_sampler_create(on, UH_U32, weights, k, &options, &sampler))
        fail_msg("%s", uh_last_error());
    return sampler;
}

/* By the definition where it is one of the cumulative, else by the host. */
static void expect(uh_sampler *on_host, size_t k, uint64_t seed, uint64_t offset, uint32_t *expected, size_t n) {
    uint64_t c[MANY];
    assert_int_equal(uh_sampler_draw(on_host, n, seed, offset, UH_U32, expected), UH_SUCCESS);
    assert_int_equal(uh_sampler_cumulative(on_host, c), UH_SUCCESS);
    for (size_t i = 0; i < n && uh_sampler_method(on_host) != UH_SAMPLE_ALIAS; i++)
        assert_int_equal(expected[i], tie_outcome(c, k, tie_number(seed, offset + i)));
}

/* Draws `n` samples of each width, and counts them. */
static void check(uh_sample_method method, size_t k, int zeros, size_t n, uint64_t offset) {
    uh_sampler *sampler = make(queue, method, k, zeros), *on_host = make(host_queue, method, k, zeros);
    uint32_t expected[MOST_SAMPLES], found[MOST_SAMPLES];
    uint64_t wide[MOST_SAMPLES], counts[MANY], expected_counts[MANY] = {0};
    expect(on_host, k, 3, offset, expected, n);
    if (uh_sampler_draw(sampler, n, 3, offset, UH_U32, found) || uh_sampler_draw(sampler, n, 3, offset, UH_I64, wide) ||
        uh_sampler_count(sampler, n, 3, offset, counts, k))
        fail_msg("%s", uh_last_error());
    assert_memory_equal(found, expected, n * sizeof *found);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(wide[i], expected[i]);
        expected_counts[expected[i]]++;
    }
    assert_memory_equal(counts, expected_counts, k * sizeof *counts);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
}

static void samples_of_each_method_are_right(void **state) {
    (void)state;
    for (size_t m = 0; m < METHODS; m++) {
        check(methods[m], FEW, 1, methods[m] == UH_SAMPLE_UNIHIST ? MOST_SAMPLES : 203, 1); /* as local memory pays */
        check(methods[m], FEW, 0, 30, 8);
        check(methods[m], MANY, 1, 203, 3);
    }
}

static void uniform_integers_are_counted(void **state) {
    (void)state;
    const size_t sizes[] = {FEW, MANY};
    for (size_t s = 0; s < 2; s++) {
        uh_sampler *sampler = NULL, *on_host = NULL;
        uint64_t counts[MANY], expected[MANY];
        if (uh_sampler_create_uniform(queue, 0, (int64_t)sizes[s] - 1, NULL, &sampler) ||
            uh_sampler_create_uniform(host_queue, 0, (int64_t)sizes[s] - 1, NULL, &on_host) ||
            uh_sampler_count(sampler, 203, 3, 5, counts, sizes[s]) ||
            uh_sampler_count(on_host, 203, 3, 5, expected, sizes[s]))
            fail_msg("%s", uh_last_error());
        assert_memory_equal(counts, expected, sizes[s] * sizeof *counts);
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
    }
}

static void ties_are_decided_by_the_second_word(void **state) {
    (void)state;
    for (size_t m = 0; m < METHODS; m++)
        for (uint64_t i = 4; i < 8; i++) { /* each element of a block */
            const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[m]};
            uint64_t weights[TIE_OUTCOMES], c[TIE_OUTCOMES], drawn[9];
            uh_sampler *sampler = NULL;
            tie_weights(tie_number(5, i), weights, c);
            assert_int_equal(uh_sampler_create(queue, UH_U64, weights, TIE_OUTCOMES, &options, &sampler), UH_SUCCESS);
            assert_int_equal(uh_sampler_draw(sampler, 9, 5, 1, UH_U64, drawn), UH_SUCCESS);
            for (size_t s = 0; s < 9 && methods[m] != UH_SAMPLE_ALIAS; s++)
                assert_int_equal(drawn[s], tie_outcome(c, TIE_OUTCOMES, tie_number(5, 1 + s)));
            assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        }
}

static void digits_add_up_and_are_counted(void **state) {
    (void)state;
    enum { LENGTH = 512, N = 77 };
    uh_sampler *low = make(host_queue, UH_SAMPLE_BINARY, FEW, 0), *high = make(host_queue, UH_SAMPLE_BINARY, FEW, 0);
    struct uhi_sampler_form form = {.first = 1, .last = LENGTH, .parts = 2, .shift = {0, 6}};
    uh_sampler *sampler = NULL;
    uint64_t c[FEW], counts[LENGTH], expected[LENGTH] = {0}, wide[N];
    uint32_t found[N];
    const uint64_t stream = (UINT64_C(1) << 63) + 2;
    assert_int_equal(uh_sampler_cumulative(low, c), UH_SUCCESS);
    form.part[0] = low->form.part[0];
    form.part[1] = high->form.part[0];
    low->form.parts = high->form.parts = 0; /* the new sampler has them */
    if (uhi_sampler_make(queue, "test", &form, &sampler) || uh_sampler_draw(sampler, N, 6, 5, UH_U32, found) ||
        uh_sampler_draw(sampler, N, 6, 5, UH_U64, wide) || uh_sampler_count(sampler, N, 6, 5, counts, LENGTH))
        fail_msg("%s", uh_last_error());
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t u = (uint64_t)uhi_philox4x32_u32(6, stream, 5 + i) << 32; /* far from a tie */
        const size_t digits = tie_outcome(c, FEW, tie_number(6, 5 + i)) + (tie_outcome(c, FEW, u) << 6);
        assert_int_equal(found[i], digits + 1);
        assert_int_equal(wide[i], digits + 1);
        expected[digits]++;
    }
    assert_memory_equal(counts, expected, sizeof counts);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(low), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(high), UH_SUCCESS);
}

static int setup(void **state) {
    uh_device *host;
    (void)state;
    return uh_queue_create(device, NULL, &queue) || uh_device_select("host", &host) ||
           uh_queue_create(host, NULL, &host_queue);
}

static int teardown(void **state) {
    (void)state;
    return uh_queue_destroy(queue) || uh_queue_destroy(host_queue);
}

TEST_MAIN(test_kernels_sample) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_each_method_are_right),
        cmocka_unit_test(ties_are_decided_by_the_second_word),
        cmocka_unit_test(digits_add_up_and_are_counted),
        cmocka_unit_test(uniform_integers_are_counted),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, setup, teardown);
}
