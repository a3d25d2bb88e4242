/* SPDX-License-Identifier: Apache-2.0 */
/* Samplers, in addition to their description (cases_sample.c): plans, what does not fit, what cannot be reached, and
 * what calls say of wrong arguments. */
#include "tests/tested.h"

#include "kernels/sample/sample_run.h"
#include "tests/random_oracle.h"

__extension__ typedef unsigned __int128 u128;

UNIT_TEST(a_choice_among_more_than_memory_holds_needs_no_population) {
    enum { N = 4000 };
    const uint64_t k = 3000000000U;
    uint32_t out[N];
    test_good(uh_choice(tested.queue, &(uh_population){NULL, k, 4, NULL}, 8, 3, out, N));
    for (size_t i = 0; i < N; i++)
        assert_int_equal(out[i], random_oracle_bounded(UH_PHILOX4X32_10, 8, ((uint64_t)1 << 63) + 16, 3 + i, k, 32));
}

UNIT_TEST(uniform_integers_have_no_table_and_no_cumulative) {
    uint64_t c[10];
    size_t used;
    uh_sampler *sampler = test_sampler_of(tested.queue, &(uh_discrete)DISCRETE(UNIFORM, .low = 0, .high = 9), NULL);
    test_assert_failed(uh_sampler_cumulative(sampler, c, &used), UH_ERROR_UNSUPPORTED, "uh_sampler_cumulative");
    const uh_sampler_properties properties = test_sampler_properties(sampler);
    if (tested.on_host)
        assert_string_equal(properties.plan, "uniform integers, no table");
    else
        assert_true(strstr(properties.plan, "uniform integers, no table; on level_zero:") &&
                    strstr(properties.plan, "for counts"));
}

/* By Lemire's method on 32 bits, or on 64 for more outcomes; size 0 is 2^64. */
UNIT_TEST(uniform_integers_are_the_bounded_numbers_of_their_stream) {
    enum { N = 300 };
    static const uint64_t two_32 = UINT64_C(1) << 32, stream = (UINT64_C(1) << 63) + 16, seed = 9;
    static const uint64_t offsets[] = {0, 3, (UINT64_C(1) << 33) + 1};
    const int64_t lows[] = {0, 5, -3, 0, -7, -1, 0, 1, -(INT64_C(1) << 62), INT64_MIN, INT64_MIN};
    const uint64_t sizes[] = {
        1, 2, 10, two_32 / 2 + 1, 3u << 30, ~0u, two_32, two_32 + 1, (UINT64_C(1) << 63) + 1, UINT64_C(5) << 60, 0};
    for (size_t r = 0; r < sizeof sizes / sizeof *sizes; r++) {
        const uint64_t size = sizes[r];
        const int64_t low = lows[r], high = (int64_t)((uint64_t)low + size - 1);
        uh_sampler *sampler =
            test_sampler_of(tested.queue, &(uh_discrete)DISCRETE(UNIFORM, .low = low, .high = high), NULL);
        for (size_t o = 0; o < 3; o++) {
            int64_t drawn[N];
            test_good(uh_sampler_draw(sampler, seed, offsets[o], UH_I64, drawn, N));
            for (size_t i = 0; i < N; i++)
                assert_int_equal((uint64_t)drawn[i] - (uint64_t)low,
                                 random_oracle_bounded(UH_PHILOX4X32_10, seed, stream, offsets[o] + i, size,
                                                       size - 1 < two_32 ? 32 : 64));
        }
    }
}

/* Three digits of 2^16 that are alike, from -7 on. */
static void get_equal(const void *context, size_t from, size_t n, uhi_mass *mass) {
    for (size_t i = 0; i < n; i++)
        mass[i] = 1;
}

UNIT_TEST(outcomes_beyond_a_type_or_a_count_are_refused) {
    enum { BITS = 16 };
    const struct uhi_masses masses = {get_equal, NULL, 1 << BITS};
    struct uhi_sampler_form form = {
        .first = -7, .last = -7 + ((int64_t)1 << 48) - 1, .shift = {0, BITS, 2 * BITS}, .parts = 3};
    uh_sampler *sampler = NULL;
    uint64_t out[5];
    for (size_t d = 0; d < 3; d++)
        test_good(uhi_sample_table_create(tested.queue, "test", &masses, UH_SAMPLE_UNIHIST, &form.part[d]));
    test_good(uhi_sampler_make(tested.queue, "test", &form, &sampler));
    test_good(uh_sampler_draw(sampler, 21, 2, UH_I64, out, 5));
    for (size_t i = 0; i < 5; i++) {
        uint64_t expected = (uint64_t)-7;
        for (unsigned d = 0; d < 3; d++) /* 2^16 alike: the top bits */
            expected += (uint64_t)(random_oracle_32(UH_PHILOX4X32_10, 21, ((uint64_t)1 << 63) + 2 * d, 2 + i) >> BITS)
                        << d * BITS;
        assert_true(out[i] == expected);
    }
    test_invalid(uh_sampler_draw(sampler, 21, 2, UH_U64, out, 5), "uint64", "-7");
    test_assert_failed(uh_sampler_count(sampler, 21, 2, 5, out, 5), UH_ERROR_UNSUPPORTED, "2^31");
    uh_sampler_destroy(sampler);
}

UNIT_TEST(what_the_host_must_reach_is_not_in_the_devices_memory) {
    const double weights[10] = {1, 2, 3};
    uint64_t here[10];
    void *there = NULL;
    tested_on_devices_only();
    uh_queue *const queues[] = {tested.queue, test_queue(1, 0)}; /* a queue of the host cannot reach it either */
    uh_sampler *sampler = test_sampler(tested.queue, ARRAY(UH_F64, weights, 10), NULL);
    uh_sampler *even = test_sampler_of(tested.queue, &(uh_discrete)DISCRETE(UNIFORM, .low = 0, .high = 9), NULL);
    test_good(uh_malloc(tested.device, UH_MEMORY_DEVICE, sizeof here, 0, &there));
    test_invalid(uh_sampler_count(sampler, 1, 0, 5, there, 10), "uh_sampler_count: counts is in a device's memory");
    test_invalid(uh_sampler_count(even, 1, 0, 5, there, 10), "counts is in a device");
    for (int i = 0; i < 2; i++) {
        test_invalid(uh_choice(queues[i], &(uh_population){there, 10, 8, ARRAY(UH_F64, weights, 10)}, 1, 0, here, 10),
                     "uh_choice: from->items is");
        test_invalid(uh_choice(queues[i], &(uh_population){here, 10, 8, ARRAY(UH_F64, weights, 10)}, 1, 0, there, 10),
                     "uh_choice: out is");
    }
    test_good(uh_free(there));
}

UNIT_TEST(one_weight_again_and_again_makes_all_alike) {
    enum { K = 24 };
    const double weight = 0.3;
    const void *there = test_to_device(tested.queue, &weight, sizeof weight);
    const uh_array arrays[] = {{UH_F64, &weight, 0, K}, {UH_F64, there, 0, K}};
    for (size_t a = 0; a < 2; a++) {
        uint64_t c[K];
        size_t used = 0;
        uh_sampler *sampler = test_sampler(tested.queue, &arrays[a], NULL);
        test_good(uh_sampler_cumulative(sampler, c, &used));
        assert_int_equal(used, K);
        for (uint64_t j = 0; j < K; j++)
            assert_true(c[j] == (uint64_t)(((u128)j << 64) / K));
    }
}

UNIT_TEST(tables_that_do_not_fit_are_refused) {
    tested_on_devices_only();
    if (tested.properties.memory == 0 || tested.properties.memory > (uint64_t)64 << 20) {
        skip_because("the device has more than 64 MiB");
        return; /* for static analysis, which does not know that a test ends there */
    }
    const size_t k = (size_t)tested.properties.memory / sizeof(uint32_t) / 2;
    uint8_t *weights = test_memory(k);
    uh_sampler *sampler = NULL;
    memset(weights, 3, k);
    test_assert_failed(uh_sampler_create(tested.queue, WEIGHTED(ARRAY(UH_U8, weights, k)), NULL, &sampler),
                       UH_ERROR_OUT_OF_DEVICE_MEMORY, "uh_sampler_create: a table of", "does not fit");
    assert_null(sampler);
}

UNIT_TEST(wrong_weights_are_named_with_index_and_value) {
    uh_queue *const queue = tested.queue;
    uh_sampler *sampler = NULL;
    static const struct {
        double value;
        const char *text;
    } wrong[] = {{-0.5, "is -0.5"}, {(double)NAN, "nan"}, {(double)INFINITY, "inf"}, {-(double)INFINITY, "-inf"}};
    for (size_t i = 0; i < 4; i++) {
        double *weights = test_memory(200000 * sizeof *weights);
        weights[3] = 1;
        weights[17] = weights[150000] = wrong[i].value;
        test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_F64, weights, 200000)), NULL, &sampler),
                     "uh_sampler_create", "weights[17]", wrong[i].text);
        float narrow[2] = {1, (float)wrong[i].value};
        test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_F32, narrow, 2)), NULL, &sampler), "weights[1]",
                     wrong[i].text);
    }
    const int16_t negative[] = {5, 0, -3};
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_I16, negative, 3)), NULL, &sampler), "weights[2] is -3");
    const uint8_t none[1000] = {0};
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_U8, none, 1000)), NULL, &sampler), "all 1000 are 0");
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_U8, none, 0)), NULL, &sampler), "weights->count is 0");
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_U8, none, UH_SAMPLER_MAX_ITEMS + 1)), NULL, &sampler),
                 "weights->count is 134217729");
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_U8, NULL, 5)), NULL, &sampler), "weights->data is NULL");
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY((uh_dtype)77, none, 5)), NULL, &sampler),
                 "weights->dtype is 77");
    const uh_sampler_options unknown = {sizeof unknown, (uh_sample_method)9}, unsized = {3, UH_SAMPLE_AUTO};
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_I16, negative, 2)), &unknown, &sampler), "method is 9");
    test_invalid(uh_sampler_create(queue, WEIGHTED(ARRAY(UH_I16, negative, 2)), &unsized, &sampler),
                 "struct_size is 3");
    assert_null(sampler);
}

UNIT_TEST(wrong_draws_are_named_and_nothing_is_written) {
    uh_queue *const queue = tested.queue;
    uint64_t out[4] = {1, 2, 3, 4}, counts[3] = {5, 6, 7};
    const uint64_t before[4] = {1, 2, 3, 4};
    const float weights[3] = {1, 2, 3};
    uh_sampler *sampler = test_sampler(queue, ARRAY(UH_F32, weights, 3), NULL);
    const uh_sampler_properties properties = test_sampler_properties(sampler);
    assert_int_equal(properties.method, UH_SAMPLE_UNIHIST);
    assert_true(properties.first == 0 && properties.last == 2 && properties.size == 3);
    assert_ptr_equal(strstr(properties.plan, "unihist: 3 outcomes"), properties.plan);
    test_invalid(uh_sampler_draw(sampler, 0, (uint64_t)1 << 63, UH_U64, out, 4),
                 "offset is 9223372036854775808 and n is 4");
    test_invalid(uh_sampler_draw(sampler, 0, 0, UH_F32, out, 4), "dtype is float32");
    test_null_is_refused(uh_sampler_draw(NAMED(sampler, sampler), 0, 0, UH_U64, NAMED(out, out), 4));
    test_invalid(uh_sampler_draw(sampler, 0, 0, UH_U64, (char *)out + 4, 1), "out is", "a multiple of 8");
    test_invalid(uh_sampler_draw(sampler, 0, 0, UH_I32, (char *)out + 2, 1), "a multiple of 4");
    test_invalid(uh_sampler_count(sampler, 0, 0, 4, counts, 4), "length is 4", "size, 3");
    const struct {
        uh_population from;
        const char *says;
    } wrong[] = {{{NULL, 3, 5, ARRAY(UH_F32, weights, 3)}, "item_size is 5"},
                 {{weights, 3, 0, ARRAY(UH_F32, weights, 3)}, "item_size is 0"},
                 {{weights, 0, 4, ARRAY(UH_F32, weights, 0)}, "count is 0"},
                 {{weights, 2, 4, ARRAY(UH_F32, weights, 3)}, "weights->count is 3 and count is 2"},
                 {{NULL, ((size_t)1 << 32) + 1, 4, NULL}, "item_size is 4"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_invalid(uh_choice(queue, &wrong[i].from, 0, 0, out, 1), wrong[i].says);
    test_invalid(uh_choice(queue, NULL, 0, 0, out, 1), "from is NULL");
    assert_memory_equal(out, before, sizeof out);
    assert_true(counts[0] == 5 && counts[1] == 6 && counts[2] == 7);
    uh_sampler_properties unsized = {.struct_size = 3};
    test_invalid(uh_sampler_get_properties(sampler, &unsized), "struct_size is 3");
    test_null_is_refused(uh_sampler_get_properties(NAMED(sampler, sampler), NAMED(properties, &unsized)));
    test_good(uh_sampler_draw(sampler, 0, 0, UH_U64, NULL, 0));
    uh_sampler_destroy(NULL);
}

TESTED_MAIN(test_sample)
