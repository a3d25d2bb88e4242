/* SPDX-License-Identifier: Apache-2.0 */
/* Samples against their definition, word by word with Random123's own function and a search through the exact
 * cumulative, on the device that UNIHIST_TEST_DEVICE names (default: the host). */
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/sample/sample_run.h"
#include "tests/fixture.h"
#include "tests/sample_oracle.h"

enum { GUARD = 64, CANARY = 0xa5 };

static const uh_sample_method methods[] = {UH_SAMPLE_UNIHIST, UH_SAMPLE_ALIAS, UH_SAMPLE_BINARY};

static uh_device *device;
static int on_host;

static uh_queue *queue_of(uint32_t threads) {
    const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    uh_queue *queue = NULL;
    if (uh_queue_create(device, &options, &queue))
        fail_msg("no queue: %s", uh_last_error());
    return queue;
}

static uint64_t expected_sample(const uh_sampler *sampler, uint64_t seed, uint64_t i) {
    return uh_sampler_method(sampler) == UH_SAMPLE_ALIAS ? sample_oracle_alias(sampler, seed, i)
                                                         : oracle_sample(seed, i);
}

static uh_sampler *sampler_of(uh_queue *queue, uh_dtype dtype, uh_sample_method method) {
    const uh_sampler_options options = {sizeof options, method};
    const int odd = dtype == UH_F64;
    uh_sampler *sampler = NULL;
    char *weights = typed_weights(dtype, odd);
    if (uh_sampler_create(queue, dtype, weights + odd, oracle.k, &options, &sampler))
        fail_msg("%s", uh_last_error());
    free(weights);
    assert_int_equal(uh_sampler_first(sampler), 0);
    assert_int_equal(uh_sampler_last(sampler), oracle.k - 1);
    assert_int_equal(uh_sampler_size(sampler), oracle.k);
    assert_int_equal(uh_sampler_method(sampler), method);
    return sampler;
}

/* ---- draws and counts ---- */

static uint64_t element(const char *out, uh_dtype dtype, size_t i) {
    const size_t size = uh_dtype_size(dtype);
    uint64_t value = 0;
    memcpy(&value, out + i * size, size);
    return value;
}

/* Draws between guards, and counts, and compares both with the oracle. */
static void check(uh_sampler *sampler, size_t n, uint64_t seed, uint64_t offset, uh_dtype dtype) {
    const size_t size = n * uh_dtype_size(dtype);
    uint64_t *counts = malloc(oracle.k * sizeof *counts), *expected = calloc(oracle.k, sizeof *expected);
    char *out = malloc(size + 2 * GUARD);
    assert_true(out && counts && expected);
    memset(out, CANARY, size + 2 * GUARD);
    memset(counts, CANARY, oracle.k * sizeof *counts);
    if (uh_sampler_draw(sampler, n, seed, offset, dtype, n ? out + GUARD : NULL))
        fail_msg("%s", uh_last_error());
    if (uh_sampler_count(sampler, n, seed, offset, counts, oracle.k))
        fail_msg("%s", uh_last_error());
    for (size_t i = 0; i < n; i++) {
        const uint64_t sample = expected_sample(sampler, seed, offset + i), got = element(out + GUARD, dtype, i);
        if (got != sample)
            fail_msg("%s of %zu, seed %llu, sample %llu: %llu, expected %llu",
                     uh_sample_method_name(uh_sampler_method(sampler)), oracle.k, (unsigned long long)seed,
                     (unsigned long long)(offset + i), (unsigned long long)got, (unsigned long long)sample);
        expected[sample]++;
    }
    for (size_t j = 0; j < oracle.k; j++)
        if (counts[j] != expected[j])
            fail_msg("%zu samples, outcome %zu: counted %llu, expected %llu", n, j, (unsigned long long)counts[j],
                     (unsigned long long)expected[j]);
    for (size_t i = 0; i < GUARD; i++)
        assert_true(out[i] == (char)CANARY && out[GUARD + size + i] == (char)CANARY);
    free(out);
    free(counts);
    free(expected);
}

static void samples_are_what_the_words_and_the_cumulative_say(void **state) {
    static const size_t sizes[] = {1, 2, 3, 16, 31, 257, 1000, MOST_K};
    static const uh_dtype dtypes[] = {UH_U32, UH_I64, UH_I32, UH_U64};
    uh_queue *queue = queue_of(2);
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t m = 0; m < 3; m++) {
                const uh_dtype weights = (uh_dtype)((s * KINDS + (size_t)kind + m) % UH_DTYPE_COUNT);
                make_weights((enum kind)kind, sizes[s], most_of(weights));
                uh_sampler *sampler = sampler_of(queue, weights, methods[m]);
                check(sampler, on_host ? 20000 : 3000, s * 1234567 + 1, s % 2 ? 0 : 5, dtypes[((size_t)kind + s) % 4]);
                assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
            }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void any_number_from_any_offset_is_right(void **state) {
    static const size_t numbers[] = {0, 1, 2, 3, 5, 63, 64, 65, 1023, 1024, 1025, 2049};
    uh_queue *queue = queue_of(3);
    (void)state;
    make_weights(RANDOM, 1000, 16000000);
    for (size_t m = 0; m < 3; m++) {
        uh_sampler *sampler = sampler_of(queue, UH_F32, methods[m]);
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            for (uint64_t odd = 0; odd < 5; odd++)
                check(sampler, numbers[i], UINT64_MAX - odd, odd + i, odd % 2 ? UH_U32 : UH_U64);
        /* About the carry into the upper half of the block's number, and at the end of what there is. */
        check(sampler, 5000, 7, ((uint64_t)1 << 34) - 2501, UH_U32);
        check(sampler, 3, 7, ((uint64_t)1 << 63) - 3, UH_U32);
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void get_oracle(const void *context, size_t from, size_t n, uhi_mass *mass) {
    const struct oracle *o = context;
    for (size_t i = 0; i < n; i++)
        mass[i] = o->c[from + i + 1] - o->c[from + i];
}

static int compare_u128(const void *a, const void *b) {
    const u128 x = *(const u128 *)a, y = *(const u128 *)b;
    return x < y ? -1 : x > y;
}

/* Boundaries at the very words that are drawn, where none but the second word, or nothing but equality, decides. */
static void ties_are_decided_by_the_second_word(void **state) {
    enum { N = 700, BOTH, LOW, SAME, ALL };
    static const uint64_t seed = 99;
    uh_queue *queue = queue_of(1);
    (void)state;
    for (int where = BOTH; where <= ALL; where++)
        for (size_t m = 0; m < 3; m++) {
            struct uhi_sampler_form form = {.parts = 1};
            struct uhi_masses masses = {get_oracle, &oracle, 0};
            uh_sampler *sampler = NULL;
            size_t k = 1;
            oracle.c[0] = 0;
            for (uint64_t i = 0; i < N; i++) {
                const u128 u = both_words(seed, i);
                if (where == BOTH || where == ALL)
                    oracle.c[k++] = u;
                if (where == LOW || where == ALL)
                    oracle.c[k++] = u + 1;
                if (where == SAME || where == ALL)
                    oracle.c[k++] = u >> 32 << 32;
                if (where == ALL)
                    oracle.c[k++] = u - 1;
            }
            oracle.k = masses.n = k;
            oracle.c[k] = (u128)1 << 64;
            qsort(oracle.c, k, sizeof *oracle.c, compare_u128);
            assert_int_equal(uhi_sample_table_create(queue, "test", &masses, methods[m], &form.part[0]), UH_SUCCESS);
            form.last = (int64_t)k - 1;
            assert_int_equal(uhi_sampler_make(queue, "test", &form, &sampler), UH_SUCCESS);
            check(sampler, N, seed, 0, UH_U32);
            assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void threads_and_pieces_do_not_matter(void **state) {
    enum { N = 400000 };
    uint32_t *whole = malloc(N * sizeof *whole), *pieces = malloc(N * sizeof *pieces);
    uint64_t counts[1000], piece[1000], sums[1000];
    (void)state;
    assert_true(whole && pieces);
    make_weights(STEEP, 1000, 16000000);
    for (size_t m = 0; m < 3; m++)
        for (uint32_t threads = 1; threads <= 8; threads += threads > 4 ? 3 : 1) {
            uh_queue *queue = queue_of(threads);
            uh_sampler *sampler = sampler_of(queue, UH_F64, methods[m]);
            memset(sums, 0, sizeof sums);
            assert_int_equal(uh_sampler_draw(sampler, N, 3, 11, UH_U32, threads == 1 ? whole : pieces), UH_SUCCESS);
            if (threads > 1)
                assert_memory_equal(whole, pieces, N * sizeof *whole);
            for (size_t at = 0, n = 1; at < N; at += n, n = n * 3 + 1) {
                n = n < N - at ? n : N - at;
                assert_int_equal(uh_sampler_draw(sampler, n, 3, 11 + at, UH_U32, pieces + at), UH_SUCCESS);
                assert_int_equal(uh_sampler_count(sampler, n, 3, 11 + at, piece, 1000), UH_SUCCESS);
                for (size_t j = 0; j < 1000; j++)
                    sums[j] += piece[j];
            }
            assert_memory_equal(whole, pieces, N * sizeof *whole);
            assert_int_equal(uh_sampler_count(sampler, N, 3, 11, counts, 1000), UH_SUCCESS);
            assert_memory_equal(counts, sums, sizeof counts);
            assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
            assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
        }
    free(whole);
    free(pieces);
}

static void a_hundred_million_samples_are_their_pieces(void **state) {
    enum { N = 100000000, PIECE = 1000003, K = 1000 };
    uint64_t counts[K], expected[K] = {0};
    (void)state;
    if (!on_host)
        skip(); /* it would take minutes */
    uint32_t *piece = malloc(PIECE * sizeof *piece);
    assert_non_null(piece);
    uh_queue *queue = queue_of(2);
    make_weights(RANDOM, K, 16000000);
    uh_sampler *sampler = sampler_of(queue, UH_F32, UH_SAMPLE_UNIHIST);
    for (size_t at = 0, n; at < N; at += n) {
        n = N - at < PIECE ? N - at : PIECE;
        assert_int_equal(uh_sampler_draw(sampler, n, 6, 3 + at, UH_U32, piece), UH_SUCCESS);
        for (size_t i = 0; i < n; i++)
            expected[piece[i]]++;
        assert_int_equal(piece[n - 1], oracle_sample(6, 3 + at + n - 1));
    }
    assert_int_equal(uh_sampler_count(sampler, N, 6, 3, counts, K), UH_SUCCESS);
    assert_memory_equal(counts, expected, sizeof counts);
    free(piece);
    assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

static void weights_and_samples_may_lie_in_any_memory(void **state) {
    enum { N = 5000 };
    typedef uh_status allocate(uh_device *, size_t, size_t, void **);
    static allocate *const make[] = {uh_malloc_device, uh_malloc_host, uh_malloc_shared};
    uh_queue *queue = queue_of(2);
    uint64_t got[N];
    (void)state;
    make_weights(RANDOM, 500, 16000000);
    float *weights = typed_weights(UH_F32, 0);
    for (size_t i = 0; i < 3; i++) {
        void *usm_weights = NULL, *usm = NULL;
        uh_sampler *sampler = NULL;
        assert_int_equal(make[i](device, 500 * sizeof *weights, 0, &usm_weights), UH_SUCCESS);
        assert_int_equal(make[i](device, sizeof got, 0, &usm), UH_SUCCESS);
        assert_int_equal(uh_memcpy(queue, usm_weights, weights, 500 * sizeof *weights, NULL, 0, NULL), UH_SUCCESS);
        assert_int_equal(uh_sampler_create(queue, UH_F32, usm_weights, 500, NULL, &sampler), UH_SUCCESS);
        assert_int_equal(uh_sampler_draw(sampler, N, 5, 9, UH_U64, usm), UH_SUCCESS);
        assert_int_equal(uh_memcpy(queue, got, usm, sizeof got, NULL, 0, NULL), UH_SUCCESS);
        assert_int_equal(uh_queue_wait(queue), UH_SUCCESS);
        for (size_t s = 0; s < N; s++)
            assert_int_equal(got[s], oracle_sample(5, 9 + s));
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
        assert_int_equal(uh_free(usm), UH_SUCCESS);
        assert_int_equal(uh_free(usm_weights), UH_SUCCESS);
    }
    free(weights);
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

/* ---- parts and their first ---- */

static void get_equal(const void *context, size_t from, size_t n, uhi_mass *mass) {
    (void)context;
    (void)from;
    for (size_t i = 0; i < n; i++)
        mass[i] = 1;
}

static uh_status equal_masses(uh_queue *queue, size_t k, uh_sample_method method, struct uhi_sample_table **table) {
    const struct uhi_masses masses = {get_equal, NULL, k};
    return uhi_sample_table_create(queue, "test", &masses, method, table);
}

static void digits_are_drawn_from_streams_of_their_own(void **state) {
    enum { N = 5000, BITS = 16 };
    uh_queue *queue = queue_of(2);
    int64_t out[N];
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        struct uhi_sampler_form form = {
            .first = -7, .last = -7 + ((int64_t)1 << 48) - 1, .shift = {0, BITS, 2 * BITS}, .parts = 3};
        uh_sampler *sampler = NULL;
        for (size_t d = 0; d < 3; d++)
            assert_int_equal(equal_masses(queue, 1 << BITS, methods[m], &form.part[d]), UH_SUCCESS);
        assert_int_equal(uhi_sampler_make(queue, "test", &form, &sampler), UH_SUCCESS);
        assert_int_equal(uh_sampler_draw(sampler, N, 21, 2, UH_I64, out), UH_SUCCESS);
        for (size_t i = 0; i < N; i++) {
            int64_t expected = -7;
            for (unsigned d = 0; d < 3; d++) /* 2^16 alike: the top bits */
                expected += (int64_t)(word(21, STREAM + 2 * d, 2 + i) >> (32 - BITS)) << (d * BITS);
            assert_int_equal(out[i], expected);
        }
        test_assert_failed(uh_sampler_draw(sampler, N, 21, 2, UH_U64, out), UH_ERROR_INVALID_ARGUMENT, "uint64", "-7");
        test_assert_failed(uh_sampler_count(sampler, N, 21, 2, (uint64_t *)out, N), UH_ERROR_UNSUPPORTED, "2^31");
        assert_int_equal(uh_sampler_destroy(sampler), UH_SUCCESS);
    }
    assert_int_equal(uh_queue_destroy(queue), UH_SUCCESS);
}

TEST_MAIN(test_sample) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_what_the_words_and_the_cumulative_say),
        cmocka_unit_test(any_number_from_any_offset_is_right),
        cmocka_unit_test(ties_are_decided_by_the_second_word),
        cmocka_unit_test(threads_and_pieces_do_not_matter),
        cmocka_unit_test(a_hundred_million_samples_are_their_pieces),
        cmocka_unit_test(weights_and_samples_may_lie_in_any_memory),
        cmocka_unit_test(digits_are_drawn_from_streams_of_their_own),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    if (uh_device_select(selector ? selector : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    uh_device_properties properties = {.struct_size = sizeof properties};
    on_host = uh_device_get_properties(device, &properties) == UH_SUCCESS && strcmp(properties.backend, "host") == 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
