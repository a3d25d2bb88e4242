/* SPDX-License-Identifier: Apache-2.0 */
/* Samples on a device are those of the host, to the bit: for every method and type, at odd offsets, in plain memory and
 * in the device's, with weights that force split cells and ties, and counted. UNIHIST_TEST_DEVICE is the device,
 * "level_zero" by default; where there is none, skipped. */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/registry.h"
#include "kernels/sample/sample_run.h"
#include "tests/fixture.h"
#include "tests/sample_ties.h"

enum { MOST = 60001, GUARD = 8 };

static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};
enum { METHODS = sizeof methods / sizeof *methods };

static uh_device *device;
static uh_queue *queue, *host_queue;

/* ---- weights ---- */

enum weights {
    EQUAL,
    RANDOM,
    WITH_ZEROS,
    TIES,  /* boundaries between many tiny masses share their top words */
    SPLIT, /* most of the mass is in cells with several boundaries */
    STEEP, /* forty decades */
    KINDS
};

static double weight(enum weights kind, size_t k, size_t i, uint64_t *seed) {
    const double u = (double)(test_random_u64(seed) >> 11) * 0x1p-53;
    switch (kind) {
    case EQUAL: return 3;
    case RANDOM: return u;
    case WITH_ZEROS: return i % 3 == 1 || k == 1 ? u + 1e-3 : 0;
    case TIES: return i % 5 == 0 ? 1 : 0x1p-33;
    case SPLIT: return i < k / 2 ? 1.0 / (double)k : i % 64 == 0 ? 50 : 1e-4;
    default: return i % 40 < 39 ? 1.0 / (double)(UINT64_C(1) << i % 40) : 1e-30;
    }
}

static double *make_weights(enum weights kind, size_t k) {
    double *weights = malloc((k + 1) * sizeof *weights);
    uint64_t seed = k + (uint64_t)kind;
    assert_non_null(weights);
    for (size_t i = 0; i < k; i++)
        weights[i] = weight(kind, k, i, &seed);
    if (kind == WITH_ZEROS && k < 3)
        weights[k - 1] = 1;
    return weights;
}

static uh_sampler *make_sampler(uh_queue *on, uh_sample_method method, const double *weights, size_t k) {
    const uh_sampler_options options = {.struct_size = sizeof options, .method = method};
    uh_sampler *sampler = NULL;
    if (uh_sampler_create(on, UH_F64, weights, k, &options, &sampler))
        fail_msg("%s", uh_last_error());
    return sampler;
}

/* ---- draws ---- */

/* Draws on the device to plain memory between guard words, and compares with the host's. */
static void check_draw(uh_sampler *sampler, uh_sampler *on_host, size_t n, uint64_t seed, uint64_t offset,
                       uh_dtype dtype) {
    const size_t size = uh_dtype_size(dtype);
    char *expected = malloc(n * size + 1), *found = malloc(n * size + 2 * GUARD);
    assert_true(expected && found);
    memset(found, 0x5a, n * size + 2 * GUARD);
    if (uh_sampler_draw(on_host, n, seed, offset, dtype, expected) ||
        uh_sampler_draw(sampler, n, seed, offset, dtype, found + GUARD))
        fail_msg("%s", uh_last_error());
    for (size_t i = 0; i < n; i++)
        if (memcmp(found + GUARD + i * size, expected + i * size, size) != 0) {
            int64_t a = 0, b = 0;
            memcpy(&a, found + GUARD + i * size, size);
            memcpy(&b, expected + i * size, size);
            fail_msg("sample %zu of %zu from %llu: %lld, the host's is %lld", i, n, (unsigned long long)offset,
                     (long long)a, (long long)b);
        }
    for (size_t g = 0; g < GUARD; g++)
        assert_true(found[g] == 0x5a && found[GUARD + n * size + g] == 0x5a);
    free(expected);
    free(found);
}

static void samples_are_those_of_the_host(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 3, 1000, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            double *weights = make_weights((enum weights)kind, sizes[s]);
            for (size_t m = 0; m < METHODS; m++) {
                uh_sampler *sampler = make_sampler(queue, methods[m], weights, sizes[s]);
                uh_sampler *on_host = make_sampler(host_queue, methods[m], weights, sizes[s]);
                check_draw(sampler, on_host, sizes[s] == 1000 ? MOST : 5003, 77 + sizes[s], 5, UH_U32);
                check_draw(sampler, on_host, 1003, 77, 1, UH_U64);
                assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
                assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
            }
            free(weights);
        }
}

static void any_piece_at_any_offset_is_that_of_the_host(void **state) {
    (void)state;
    const uh_dtype dtypes[] = {UH_U32, UH_I32, UH_U64, UH_I64};
    const uint64_t offsets[] = {0, 1, 2, 3, 1001, UINT64_C(0x3fffffffe), UINT64_C(0x7ffffffff00000f1)};
    double *weights = make_weights(RANDOM, 1000);
    for (size_t m = 0; m < METHODS; m++) {
        uh_sampler *sampler = make_sampler(queue, methods[m], weights, 1000);
        uh_sampler *on_host = make_sampler(host_queue, methods[m], weights, 1000);
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
            for (size_t n = 0; n < 12; n++)
                check_draw(sampler, on_host, n, UINT64_C(0xfedcba9876543210), offsets[o], dtypes[n % 4]);
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
            check_draw(sampler, on_host, 4099, 1, offsets[o], dtypes[o % 4]);
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
    }
    free(weights);
}

static void plain_memory_is_filled_in_pieces(void **state) {
    (void)state;
    enum { MANY = 5000003 }; /* of 64 bits, more than a buffer holds */
    double *weights = make_weights(EQUAL, 1000);
    uh_sampler *sampler = make_sampler(queue, UH_SAMPLE_AUTO, weights, 1000);
    uh_sampler *on_host = make_sampler(host_queue, UH_SAMPLE_AUTO, weights, 1000);
    check_draw(sampler, on_host, MANY, 9, 7, UH_I64);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
    free(weights);
}

static void memory_of_the_device_is_written_in_place(void **state) {
    (void)state;
    enum { N = 3001 };
    uint64_t expected[N], found[N + 4];
    uint32_t expected_32[N], found_32[N + 4];
    double *weights = make_weights(WITH_ZEROS, 1000);
    uh_sampler *sampler = make_sampler(queue, UH_SAMPLE_AUTO, weights, 1000);
    uh_sampler *on_host = make_sampler(host_queue, UH_SAMPLE_AUTO, weights, 1000);
    for (int kind = 0; kind < 3; kind++)
        for (size_t shift = 0; shift < 4; shift++) {
            const uint64_t offset = shift * 3 + 2;
            void *memory = NULL;
            const uh_status status = kind == 0   ? uh_malloc_device(device, sizeof found, 0, &memory)
                                     : kind == 1 ? uh_malloc_host(device, sizeof found, 0, &memory)
                                                 : uh_malloc_shared(device, sizeof found, 0, &memory);
            assert_int_equal(status, UH_SUCCESS);
            assert_int_equal(uh_sampler_draw(on_host, N, 3, offset, UH_U64, expected), UH_SUCCESS);
            assert_int_equal(uh_sampler_draw(on_host, N, 3, offset, UH_U32, expected_32), UH_SUCCESS);
            if (uh_sampler_draw(sampler, N, 3, offset, UH_U64, (uint64_t *)memory + shift))
                fail_msg("%s", uh_last_error());
            assert_int_equal(uh_memcpy(queue, found, memory, sizeof found, NULL, 0, NULL), UH_SUCCESS);
            assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
            assert_memory_equal(found + shift, expected, sizeof expected);
            if (uh_sampler_draw(sampler, N, 3, offset, UH_U32, (uint32_t *)memory + shift))
                fail_msg("%s", uh_last_error());
            assert_int_equal(uh_memcpy(queue, found_32, memory, sizeof found_32, NULL, 0, NULL), UH_SUCCESS);
            assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
            assert_memory_equal(found_32 + shift, expected_32, sizeof expected_32);
            assert_int_equal(uh_free(memory), UH_SUCCESS);
        }
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
    free(weights);
}

/* By the definition, not by the host, whose search could be wrong in the same way. */
static void ties_are_decided_by_the_second_word(void **state) {
    (void)state;
    enum { N = 64 };
    for (size_t m = 0; m < METHODS; m++)
        for (uint64_t i = 0; i < N; i++) {
            const uh_sampler_options options = {.struct_size = sizeof options, .method = methods[m]};
            const uint64_t u = tie_number(12, i);
            uint64_t weights[TIE_OUTCOMES], c[TIE_OUTCOMES], drawn[N];
            uh_sampler *sampler = NULL, *coin = NULL;
            tie_weights(u, weights, c);
            if (uh_sampler_create(queue, UH_U64, weights, TIE_OUTCOMES, &options, &sampler) ||
                uh_sampler_draw(sampler, N, 12, 0, UH_U64, drawn))
                fail_msg("%s", uh_last_error());
            for (size_t s = 0; s < N && methods[m] != UH_SAMPLE_ALIAS; s++)
                assert_int_equal(drawn[s], tie_outcome(c, TIE_OUTCOMES, tie_number(12, s)));
            assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
            /* Of two outcomes the first has mass u or u + 1: of alias's table that is the threshold, below 2^63. */
            for (uint64_t more = 0; more < 2 && u < UINT64_C(1) << 63; more++) {
                const uint64_t two[] = {u + more, 0 - u - more};
                uint32_t side = 7;
                assert_int_equal(uh_sampler_create(queue, UH_U64, two, 2, &options, &coin), UH_SUCCESS);
                assert_int_equal(uh_sampler_draw(coin, 1, 12, i, UH_U32, &side), UH_SUCCESS);
                assert_int_equal(side, more ? 0 : 1);
                assert_int_equal(uh_sampler_destroy(coin), UH_SUCCESS);
            }
        }
}

/* ---- counts ---- */

/* The histogram of what the host draws. */
static void check_count(uh_sampler *sampler, uh_sampler *on_host, size_t k, size_t n, uint64_t offset) {
    uint64_t *expected = calloc(k, sizeof *expected), *found = malloc(k * sizeof *found);
    uint32_t *drawn = malloc(n * sizeof *drawn + 1);
    assert_true(expected && found && drawn);
    memset(found, 0x5a, k * sizeof *found);
    assert_int_equal(uh_sampler_draw(on_host, n, 5, offset, UH_U32, drawn), UH_SUCCESS);
    for (size_t i = 0; i < n; i++)
        expected[drawn[i]]++;
    if (uh_sampler_count(sampler, n, 5, offset, found, k))
        fail_msg("%s", uh_last_error());
    assert_memory_equal(found, expected, k * sizeof *found);
    free(expected);
    free(found);
    free(drawn);
}

static void counts_are_the_histogram_of_the_samples(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 70, 1000, 100000};
    const enum weights kinds[] = {RANDOM, WITH_ZEROS, TIES, SPLIT};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
            for (size_t m = 0; m < METHODS; m++) {
                double *weights = make_weights(kinds[kind], sizes[s]);
                uh_sampler *sampler = make_sampler(queue, methods[m], weights, sizes[s]);
                uh_sampler *on_host = make_sampler(host_queue, methods[m], weights, sizes[s]);
                check_count(sampler, on_host, sizes[s], sizes[s] == 1000 ? MOST : 3001, UINT64_C(0x3fffffff1));
                check_count(sampler, on_host, sizes[s], 2, 3);
                check_count(sampler, on_host, sizes[s], 0, 3);
                assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
                assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
                free(weights);
            }
}

static void what_the_host_must_reach_is_not_in_the_devices_memory(void **state) {
    (void)state;
    double *weights = make_weights(RANDOM, 10);
    uh_sampler *sampler = make_sampler(queue, UH_SAMPLE_AUTO, weights, 10), *even = NULL;
    uint64_t here[10];
    void *there = NULL;
    assert_int_equal(uh_malloc_device(device, sizeof here, 0, &there), UH_SUCCESS);
    test_assert_failed(uh_sampler_count(sampler, 5, 1, 0, there, 10), UH_ERROR_INVALID_ARGUMENT,
                       "uh_sampler_count: counts is in a device's memory");
    assert_int_equal(uh_sampler_create_uniform(queue, 0, 9, NULL, &even), UH_SUCCESS);
    test_assert_failed(uh_sampler_count(even, 5, 1, 0, there, 10), UH_ERROR_INVALID_ARGUMENT, "counts is in a device");
    test_assert_failed(uh_multinomial(queue, 5, UH_F64, weights, 10, 1, 0, there), UH_ERROR_INVALID_ARGUMENT,
                       "uh_multinomial: counts is in a device");
    for (int i = 0; i < 2; i++) { /* a queue of the host cannot reach it either */
        uh_queue *on = i ? host_queue : queue;
        test_assert_failed(uh_choice(on, there, 10, 8, UH_F64, weights, 10, 1, 0, here), UH_ERROR_INVALID_ARGUMENT,
                           "uh_choice: population is");
        test_assert_failed(uh_choice(on, here, 10, 8, UH_F64, weights, 10, 1, 0, there), UH_ERROR_INVALID_ARGUMENT,
                           "uh_choice: out is");
    }
    assert_int_equal(uh_free(there), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(even), UH_SUCCESS);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    free(weights);
}

static void counts_of_uniform_integers_are_those_of_the_host(void **state) {
    (void)state;
    const size_t sizes[] = {1, 6, 1000, 3 << 20}; /* of the last one some products are refused */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uh_sampler *sampler = NULL, *on_host = NULL;
        const int64_t last = (int64_t)sizes[s] - 1;
        if (uh_sampler_create_uniform(queue, 0, last, NULL, &sampler) ||
            uh_sampler_create_uniform(host_queue, 0, last, NULL, &on_host))
            fail_msg("%s", uh_last_error());
        check_count(sampler, on_host, sizes[s], MOST, UINT64_C(0x3fffffff1));
        check_count(sampler, on_host, sizes[s], 3, 2);
        char text[256];
        size_t length = 0;
        assert_int_equal(uh_sampler_plan_text(sampler, text, sizeof text, &length), UH_SUCCESS);
        assert_int_equal(length, strlen(text));
        assert_non_null(strstr(text, "uniform integers, no table; on level_zero:"));
        assert_non_null(strstr(text, "for counts"));
        assert_int_equal(uh_sampler_plan_text(on_host, text, sizeof text, &length), UH_SUCCESS);
        assert_string_equal(text, "uniform integers, no table");
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
    }
}

static void counters_are_emptied_before_they_overflow(void **state) {
    (void)state;
    enum { K = 300, N = 2003 };
    double *weights = make_weights(WITH_ZEROS, K);
    for (size_t m = 0; m < METHODS; m++) {
        uint64_t expected[K] = {0}, found[K];
        uint32_t drawn[N];
        uh_sampler *on_host = make_sampler(host_queue, methods[m], weights, K);
        uh_sampler *sampler = make_sampler(queue, methods[m], weights, K);
        assert_int_equal(uh_sampler_draw(on_host, N, 8, 6, UH_U32, drawn), UH_SUCCESS);
        for (size_t i = 0; i < N; i++)
            expected[drawn[i]]++;
        sampler->counters.max_pending = 100;
        for (size_t times = 0; times < 2; times++) {
            memset(found, 0xa5, sizeof found); /* what was there is forgotten */
            if (uh_sampler_count(sampler, N, 8, 6, found, K))
                fail_msg("%s", uh_last_error());
            assert_memory_equal(found, expected, sizeof found);
        }
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        assert_int_equal(uh_sampler_destroy(on_host), UH_SUCCESS);
    }
    free(weights);
}

/* ---- several parts ---- */

/* A table by itself: the sampler that it is made with leaves it behind. */
static struct uhi_sample_table *make_table(uh_sample_method method, const double *weights, size_t k) {
    uh_sampler *sampler = make_sampler(host_queue, method, weights, k);
    struct uhi_sample_table *table = sampler->form.part[0];
    sampler->form.parts = 0;
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    return table;
}

/* Digits of 4, 5 and 7 values, the last of them shifted by 7; first is -3. */
static void digits_add_up_as_on_the_host(void **state) {
    (void)state;
    enum { PARTS = 3, LENGTH = 1 << 10, N = 5007 };
    static const size_t sizes[PARTS] = {4, 5, 7};
    for (size_t m = 0; m < METHODS; m++) {
        struct uhi_sampler_form form = {.first = -3, .last = -3 + LENGTH - 1, .parts = PARTS};
        uint64_t expected[LENGTH] = {0}, found[LENGTH];
        uh_sampler *sampler = NULL;
        int64_t drawn[N];
        int32_t narrow[N];
        for (size_t d = 0; d < PARTS; d++) {
            double *weights = make_weights(d == 1 ? WITH_ZEROS : RANDOM, sizes[d]);
            form.part[d] = make_table(methods[m], weights, sizes[d]);
            form.shift[d] = d == 0 ? 0 : d == 1 ? 3 : 7;
            free(weights);
        }
        if (uhi_sampler_make(queue, "test", &form, &sampler) || uh_sampler_draw(sampler, N, 4, 5, UH_I64, drawn) ||
            uh_sampler_draw(sampler, N, 4, 5, UH_I32, narrow) || uh_sampler_count(sampler, N, 4, 5, found, LENGTH))
            fail_msg("%s", uh_last_error());
        const struct uhi_sample_host *host = uhi_sample_host();
        struct uhi_sample_look look = {.parts = PARTS, .first = (uint64_t)form.first, .seed = 4};
        int64_t right[N];
        for (size_t d = 0; d < PARTS; d++) {
            look.part[d] = form.part[d];
            look.shift[d] = form.shift[d];
        }
        host->draw(&look, 5, N, 1, right);
        assert_memory_equal(drawn, right, sizeof drawn);
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(narrow[i], right[i]);
            expected[right[i] + 3]++;
        }
        assert_memory_equal(found, expected, sizeof found);
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    }
}

/* ---- memory ---- */

static void tables_that_do_not_fit_are_refused(void **state) {
    (void)state;
    uh_device_properties properties = {.struct_size = sizeof properties};
    assert_int_equal(uh_device_get_properties(device, &properties), UH_SUCCESS);
    if (properties.memory == 0 || properties.memory > (uint64_t)64 << 20) {
        printf("skipped: the device holds any table\n");
        skip();
    }
    const size_t k = (size_t)properties.memory / sizeof(uint32_t) / 2;
    double *weights = make_weights(EQUAL, k);
    uh_sampler *sampler = NULL;
    test_assert_failed(uh_sampler_create(queue, UH_F64, weights, k, NULL, &sampler), UH_ERROR_OUT_OF_DEVICE_MEMORY,
                       "uh_sampler_create: a table of", "does not fit");
    assert_null(sampler);
    free(weights);
}

TEST_MAIN(test_sample_device) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_those_of_the_host),
        cmocka_unit_test(any_piece_at_any_offset_is_that_of_the_host),
        cmocka_unit_test(plain_memory_is_filled_in_pieces),
        cmocka_unit_test(memory_of_the_device_is_written_in_place),
        cmocka_unit_test(ties_are_decided_by_the_second_word),
        cmocka_unit_test(counts_are_the_histogram_of_the_samples),
        cmocka_unit_test(what_the_host_must_reach_is_not_in_the_devices_memory),
        cmocka_unit_test(counts_of_uniform_integers_are_those_of_the_host),
        cmocka_unit_test(counters_are_emptied_before_they_overflow),
        cmocka_unit_test(digits_add_up_as_on_the_host),
        cmocka_unit_test(tables_that_do_not_fit_are_refused),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    uh_device *host;
    if (uh_device_select(selector ? selector : "level_zero", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_queue_create(device, NULL, &queue) || uh_device_select("host", &host) ||
        uh_queue_create(host, NULL, &host_queue)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    return uh_queue_destroy(queue) || uh_queue_destroy(host_queue) || result ? 1 : 0;
}
