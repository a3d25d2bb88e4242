/* SPDX-License-Identifier: Apache-2.0 */
/* Choice and multinomial, and what calls of samplers say of wrong arguments, on the device that UNIHIST_TEST_DEVICE
 * names (default: the host). */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/sample/sample_run.h"
#include "tests/fixture.h"
#include "tests/sample_oracle.h"

enum { GUARD = 64, CANARY = 0xa5 };

static uh_device *device;

static uh_queue *queue_of(uint32_t threads) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    uh_queue *queue = NULL;
    if (uh_queue_create(device, &options, &queue))
        fail_msg("no queue: %s", uh_last_error());
    return queue;
}

/* ---- choice and multinomial ---- */

static void a_choice_takes_elements_of_any_size(void **state) {
    enum { N = 3000, K = 300 };
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 24};
    static unsigned char population[K * 24], out[N * 24 + GUARD];
    uh_queue *queue = queue_of(2);
    uint64_t state_of = 1, counts[K], expected[K] = {0};
    uint32_t narrow[N];
    uint64_t wide[N];
    (void)state;
    make_weights(HOLES, K, 16000000);
    float *weights = typed_weights(UH_F32, 0);
    for (size_t i = 0; i < sizeof population; i++)
        population[i] = (unsigned char)test_random_u64(&state_of);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        memset(out, CANARY, sizeof out);
        assert_int_equal(uh_choice(queue, population, K, sizes[s], UH_F32, weights, N, 4, 6, out), UH_SUCCESS);
        for (size_t i = 0; i < N; i++)
            assert_memory_equal(out + i * sizes[s], population + oracle_sample(4, 6 + i) * sizes[s], sizes[s]);
        for (size_t i = N * sizes[s]; i < sizeof out; i++)
            assert_int_equal(out[i], CANARY);
    }
    assert_int_equal(uh_choice(queue, NULL, K, 4, UH_F32, weights, N, 4, 6, narrow), UH_SUCCESS);
    assert_int_equal(uh_choice(queue, NULL, K, 8, UH_F32, weights, N, 4, 6, wide), UH_SUCCESS);
    assert_int_equal(uh_multinomial(queue, N, UH_F32, weights, K, 4, 6, counts), UH_SUCCESS);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(narrow[i], oracle_sample(4, 6 + i));
        assert_int_equal(wide[i], narrow[i]);
        expected[narrow[i]]++;
    }
    assert_memory_equal(counts, expected, sizeof counts);
    free(weights);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* Lemire's product of the words of the public header. */
static uint64_t oracle_bounded(uint64_t seed, uint64_t i, uint64_t bound) {
    const uint64_t stream = STREAM + 16, least = (((uint64_t)1 << 32) % bound);
    for (uint64_t t = 0;; t++) {
        const uint64_t product = bound * word(seed, stream ^ t << 32, i);
        if ((uint32_t)product >= least)
            return product >> 32;
    }
}

static void without_weights_all_are_alike(void **state) {
    enum { N = 4000 };
    static const uint64_t bounds[] = {1, 7, 1000, 3000000000u};
    uh_queue *queue = queue_of(2);
    uint32_t narrow[N];
    uint64_t wide[N], counts[1000], expected[1000] = {0};
    uint16_t population[1000], out[N];
    uh_sampler *sampler = NULL;
    (void)state;
    for (size_t b = 0; b < 4; b++) {
        assert_int_equal(uh_choice(queue, NULL, bounds[b], 4, UH_F32, NULL, N, 8, 3, narrow), UH_SUCCESS);
        assert_int_equal(uh_choice(queue, NULL, bounds[b], 8, UH_F32, NULL, N, 8, 3, wide), UH_SUCCESS);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(narrow[i], oracle_bounded(8, 3 + i, bounds[b]));
            assert_int_equal(wide[i], narrow[i]);
        }
    }
    for (size_t j = 0; j < 1000; j++)
        population[j] = (uint16_t)(j * 65);
    assert_int_equal(uh_choice(queue, population, 1000, 2, UH_F32, NULL, N, 8, 3, out), UH_SUCCESS);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(out[i], population[oracle_bounded(8, 3 + i, 1000)]);
        expected[oracle_bounded(8, 3 + i, 1000)]++;
    }
    const struct uhi_sampler_form form = {.first = -5, .last = 994, .uniform = 1};
    assert_int_equal(uhi_sampler_make(queue, "test", &form, &sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_count(sampler, N, 8, 3, counts, 1000), UH_SUCCESS);
    assert_memory_equal(counts, expected, sizeof counts);
    assert_int_equal(uh_sampler_draw(sampler, N, 8, 3, UH_I32, narrow), UH_SUCCESS);
    assert_int_equal((int32_t)narrow[17], (int32_t)oracle_bounded(8, 20, 1000) - 5);
    test_assert_failed(uh_sampler_cumulative(sampler, counts), UH_ERROR_UNSUPPORTED, "uh_sampler_cumulative");
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* Of the last bounds' products some are refused, a quarter of a thousandth. */
static void counts_of_uniform_integers_are_those_of_the_definition_by_any_number_of_threads(void **state) {
    enum { N = 200003, MOST = 3 << 20 };
    static const uint64_t bounds[] = {1, 6, 5000, 100000, MOST - 1, MOST};
    uint64_t *expected = malloc(MOST * sizeof *expected), *counts = malloc(MOST * sizeof *counts);
    (void)state;
    assert_true(expected && counts);
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        memset(expected, 0, MOST * sizeof *expected);
        for (uint64_t i = 0; i < N; i++)
            expected[oracle_bounded(5, 77 + i, bounds[b])]++;
        for (uint32_t threads = 1; threads <= 3; threads++) {
            uh_queue *queue = queue_of(threads);
            uh_sampler *sampler = NULL;
            assert_int_equal(uh_sampler_create_uniform(queue, 10, 9 + (int64_t)bounds[b], NULL, &sampler), UH_SUCCESS);
            assert_int_equal(uh_sampler_count(sampler, N, 5, 77, counts, bounds[b]), UH_SUCCESS);
            assert_memory_equal(counts, expected, bounds[b] * sizeof *counts);
            assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
            assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
        }
    }
    free(expected);
    free(counts);
}

/* ---- errors ---- */

static void wrong_weights_are_named_with_index_and_value(void **state) {
    uh_queue *queue = queue_of(2);
    uh_sampler *sampler = NULL;
    (void)state;
    static const struct {
        double value;
        const char *text;
    } wrong[] = {{-0.5, "is -0.5"}, {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}};
    for (size_t i = 0; i < 4; i++) {
        double *weights = calloc(200000, sizeof *weights);
        assert_non_null(weights);
        weights[3] = 1;
        weights[17] = weights[150000] = wrong[i].value;
        test_assert_failed(uh_sampler_create(queue, UH_F64, weights, 200000, NULL, &sampler), UH_ERROR_INVALID_ARGUMENT,
                           "uh_sampler_create", "weights[17]", wrong[i].text);
        float narrow[2] = {1, (float)wrong[i].value};
        uint64_t counts[2];
        test_assert_failed(uh_multinomial(queue, 1, UH_F32, narrow, 2, 0, 0, counts), UH_ERROR_INVALID_ARGUMENT,
                           "uh_multinomial", "weights[1]", wrong[i].text);
        free(weights);
    }
    const int16_t negative[] = {5, 0, -3};
    test_assert_failed(uh_sampler_create(queue, UH_I16, negative, 3, NULL, &sampler), UH_ERROR_INVALID_ARGUMENT,
                       "weights[2] is -3");
    const uint8_t none[1000] = {0};
    test_assert_failed(uh_sampler_create(queue, UH_U8, none, 1000, NULL, &sampler), UH_ERROR_INVALID_ARGUMENT,
                       "all 1000 are 0");
    test_assert_failed(uh_sampler_create(queue, UH_U8, none, 0, NULL, &sampler), UH_ERROR_INVALID_ARGUMENT, "k is 0");
    test_assert_failed(uh_sampler_create(queue, UH_U8, none, UH_SAMPLER_MAX_ITEMS + 1, NULL, &sampler),
                       UH_ERROR_INVALID_ARGUMENT, "k is 134217729");
    test_assert_failed(uh_sampler_create(queue, UH_U8, NULL, 5, NULL, &sampler), UH_ERROR_INVALID_ARGUMENT,
                       "weights is NULL");
    test_assert_failed(uh_sampler_create(queue, (uh_dtype)77, none, 5, NULL, &sampler), UH_ERROR_INVALID_ARGUMENT,
                       "dtype is 77");
    const uh_sampler_options unknown = {sizeof unknown, (uh_sample_method)9}, unsized = {3, UH_SAMPLE_AUTO};
    test_assert_failed(uh_sampler_create(queue, UH_I16, negative, 2, &unknown, &sampler), UH_ERROR_INVALID_ARGUMENT,
                       "method is 9");
    test_assert_failed(uh_sampler_create(queue, UH_I16, negative, 2, &unsized, &sampler), UH_ERROR_INVALID_ARGUMENT,
                       "struct_size is 3");
    assert_null(sampler);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void wrong_draws_are_named_and_nothing_is_written(void **state) {
    uh_queue *queue = queue_of(1);
    uint64_t out[4] = {1, 2, 3, 4}, counts[3] = {5, 6, 7};
    const uint64_t before[4] = {1, 2, 3, 4};
    const float weights[3] = {1, 2, 3};
    uh_sampler *sampler = NULL;
    char text[400];
    size_t length = 0;
    (void)state;
    assert_int_equal(uh_sampler_create(queue, UH_F32, weights, 3, NULL, &sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_method(sampler), UH_SAMPLE_UNIHIST);
    test_assert_failed(uh_queue_destroy(queue), UH_ERROR_IN_USE, "queue");
    test_assert_failed(uh_sampler_draw(sampler, 4, 0, (uint64_t)1 << 63, UH_U64, out), UH_ERROR_INVALID_ARGUMENT,
                       "offset is 9223372036854775808 and n is 4");
    test_assert_failed(uh_sampler_draw(sampler, 4, 0, 0, UH_F32, out), UH_ERROR_INVALID_ARGUMENT, "dtype is float32");
    test_assert_failed(uh_sampler_draw(sampler, 4, 0, 0, UH_U64, NULL), UH_ERROR_INVALID_ARGUMENT, "out is NULL");
    test_assert_failed(uh_sampler_draw(sampler, 1, 0, 0, UH_U64, (char *)out + 4), UH_ERROR_INVALID_ARGUMENT, "out is",
                       "a multiple of 8");
    test_assert_failed(uh_sampler_draw(sampler, 1, 0, 0, UH_I32, (char *)out + 2), UH_ERROR_INVALID_ARGUMENT,
                       "a multiple of 4");
    test_assert_failed(uh_sampler_draw(NULL, 4, 0, 0, UH_U64, out), UH_ERROR_INVALID_ARGUMENT, "sampler is NULL");
    test_assert_failed(uh_sampler_count(sampler, 4, 0, 0, counts, 4), UH_ERROR_INVALID_ARGUMENT, "length is 4",
                       "size, 3");
    test_assert_failed(uh_choice(queue, NULL, 3, 5, UH_F32, weights, 1, 0, 0, out), UH_ERROR_INVALID_ARGUMENT,
                       "item_size is 5");
    test_assert_failed(uh_choice(queue, weights, 3, 0, UH_F32, weights, 1, 0, 0, out), UH_ERROR_INVALID_ARGUMENT,
                       "item_size is 0");
    test_assert_failed(uh_choice(queue, weights, 0, 4, UH_F32, weights, 1, 0, 0, out), UH_ERROR_INVALID_ARGUMENT,
                       "k is 0");
    test_assert_failed(uh_choice(queue, NULL, ((size_t)1 << 32) + 1, 4, UH_F32, NULL, 1, 0, 0, out),
                       UH_ERROR_INVALID_ARGUMENT, "item_size is 4");
    assert_memory_equal(out, before, sizeof out);
    assert_true(counts[0] == 5 && counts[1] == 6 && counts[2] == 7);
    assert_int_equal(uh_sampler_plan_text(sampler, text, sizeof text, &length), UH_SUCCESS);
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "unihist: 3 outcomes"));
    assert_int_equal(uh_sampler_plan_text(sampler, NULL, 0, &length), UH_SUCCESS);
    assert_int_equal(length, strlen(text));
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(NULL), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void methods_have_names(void **state) {
    uh_sample_method method = UH_SAMPLE_AUTO;
    (void)state;
    for (int m = UH_SAMPLE_AUTO; m <= UH_SAMPLE_BINARY; m++) {
        assert_int_equal(uh_sample_method_parse(uh_sample_method_name((uh_sample_method)m), &method), UH_SUCCESS);
        assert_int_equal((int)method, m);
    }
    assert_null(uh_sample_method_name((uh_sample_method)4));
    test_assert_failed(uh_sample_method_parse("vose", &method), UH_ERROR_INVALID_ARGUMENT, "'vose'", "alias");
}

TEST_MAIN(test_sample_choice) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_takes_elements_of_any_size),
        cmocka_unit_test(without_weights_all_are_alike),
        cmocka_unit_test(counts_of_uniform_integers_are_those_of_the_definition_by_any_number_of_threads),
        cmocka_unit_test(wrong_weights_are_named_with_index_and_value),
        cmocka_unit_test(wrong_draws_are_named_and_nothing_is_written),
        cmocka_unit_test(methods_have_names),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
