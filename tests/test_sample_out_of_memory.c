/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a sampler's life fails once: the call says so or does without, nothing is lost, and what is
 * stored then is right. */
#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "tests/failing_malloc.h"
#include "tests/fixture.h"

enum { K = 5000, N = 100000, MOST = 100 };

static float weights[K];
static uint64_t counts[K], expected[K];
static uint32_t population[K], out[N];

/* Fails at allocation `at` of the call that follows; tells whether there were so many. */
#define WITH_FAILURE(at, call) (fails_at = (at), seen = 0, status = (call), fails_at = 0, status != UH_SUCCESS)

static void a_sampler_that_finds_no_memory_is_not_made(void **state) {
    uh_queue *queue = test_queue(2, 0);
    uh_status status;
    (void)state;
    for (int m = UH_SAMPLE_UNIHIST; m <= UH_SAMPLE_BINARY; m++) {
        const uh_sampler_options options = {sizeof options, (uh_sample_method)m};
        uh_sampler *sampler = NULL;
        size_t at = 1;
        for (; WITH_FAILURE(at, uh_sampler_create(queue, UH_F32, weights, K, &options, &sampler)); at++) {
            assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
            assert_non_null(strstr(uh_last_error(), "uh_sampler_create: no memory"));
            assert_null(sampler);
            assert_true(at < MOST);
        }
        assert_in_range(at, 6, MOST);
        assert_int_equal(uh_sampler_count(sampler, N, 1, 2, expected, K), UH_SUCCESS);
        for (at = 1; at < 4; at++) { /* without tables of their own threads count in the result */
            memset(counts, 0, sizeof counts);
            (void)WITH_FAILURE(at, uh_sampler_count(sampler, N, 1, 2, counts, K));
            assert_int_equal(status, UH_SUCCESS);
            assert_memory_equal(counts, expected, sizeof counts);
        }
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void calls_that_make_a_sampler_leave_the_results_alone(void **state) {
    uh_queue *queue = test_queue(2, 0);
    uh_status status;
    size_t at = 1;
    (void)state;
    memset(out, 0xa5, sizeof out);
    for (; WITH_FAILURE(at, uh_choice(queue, population, K, sizeof *population, UH_F32, weights, N, 1, 2, out)); at++) {
        assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(uh_last_error(), "uh_choice: no memory"));
        for (size_t i = 0; i < N; i++)
            assert_int_equal(out[i], 0xa5a5a5a5);
        assert_true(at < MOST);
    }
    assert_in_range(at, 7, MOST);
    memset(counts, 0xa5, sizeof counts);
    for (at = 1; WITH_FAILURE(at, uh_multinomial(queue, N, UH_F32, weights, K, 1, 2, counts)); at++) {
        assert_int_equal(status, UH_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(uh_last_error(), "uh_multinomial: no memory"));
        for (size_t j = 0; j < K; j++)
            assert_true(counts[j] == 0xa5a5a5a5a5a5a5a5u);
        assert_true(at < MOST);
    }
    assert_in_range(at, 6, MOST);
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < N; i++)
        expected[out[i] - 7]++;
    assert_memory_equal(counts, expected, sizeof counts);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_sample_out_of_memory) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampler_that_finds_no_memory_is_not_made),
        cmocka_unit_test(calls_that_make_a_sampler_leave_the_results_alone),
    };
    uint64_t state = 1;
    for (size_t j = 0; j < K; j++) { /* every fifth of no mass: there is a map */
        weights[j] = j % 5 ? (float)test_random_f64(&state) : 0;
        population[j] = (uint32_t)j + 7;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
