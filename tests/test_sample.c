/* SPDX-License-Identifier: Apache-2.0 */
/* Samples against their definition, word by word with Random123's own function and a search through the exact
 * cumulative, on the device that UNIHIST_TEST_DEVICE names (default: the host). */
#include "tests/support.h"

#include <Random123/philox.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unihist/sample.h>

#include "kernels/sample/sample_run.h"
#include "tests/fixture.h"

__extension__ typedef unsigned __int128 u128;

enum { GUARD = 64, CANARY = 0xa5, MOST_K = 3000 };

static const uint64_t STREAM = (uint64_t)1 << 63;
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

/* ---- the oracle: weights are integers, so that everything is exact ------------------------------------------------
 */

struct oracle {
    size_t k;
    uint32_t weight[MOST_K];
    u128 c[MOST_K + 1];
};

static struct oracle oracle;

static void oracle_sum(void) {
    u128 total = 0, sum = 0;
    for (size_t j = 0; j < oracle.k; j++)
        total += oracle.weight[j];
    for (size_t j = 0; j <= oracle.k; j++) {
        oracle.c[j] = (sum << 64) / total;
        sum += j < oracle.k ? oracle.weight[j] : 0;
    }
}

static uint32_t word(uint64_t seed, uint64_t stream, uint64_t i) {
    const philox4x32_ctr_t counter = {
        {(uint32_t)(i / 4), (uint32_t)(i / 4 >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    return philox4x32_R(10, counter, key).v[i % 4];
}

static uint64_t both_words(uint64_t seed, uint64_t i) {
    return (uint64_t)word(seed, STREAM, i) << 32 | word(seed, STREAM + 1, i);
}

static uint64_t oracle_sample(uint64_t seed, uint64_t i) {
    const uint64_t u = both_words(seed, i);
    size_t low = 0, high = oracle.k; /* C[low] <= u < C[high] */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(oracle.c[middle] <= u ? &low : &high) = middle;
    }
    return low;
}

/* The column of the alias table as sample.h describes it; what the columns add up to is test_sample_table's. */
static uint64_t oracle_alias(const struct uhi_sample_table *t, uint64_t seed, uint64_t i) {
    const uint64_t u = both_words(seed, i), column = u >> (64 - t->bits);
    const uint64_t own = (uint64_t)t->threshold[column] << 32 | t->rest[column];
    return (u & (((uint64_t)1 << (64 - t->bits)) - 1)) < own ? column : t->alias[column];
}

static uint64_t expected_sample(const uh_sampler *sampler, uint64_t seed, uint64_t i) {
    return uh_sampler_method(sampler) == UH_SAMPLE_ALIAS ? oracle_alias(uhi_sampler_get_form(sampler)->part[0], seed, i)
                                                         : oracle_sample(seed, i);
}

/* ---- weights ------------------------------------------------------------------------------------------------------
 */

enum kind { EQUAL, RANDOM, STEEP, HOLES, ONE_OF_MANY, TINY_AMONG_HUGE, KINDS };

/* `most` limits the weights of small types. */
static void make_weights(enum kind kind, size_t k, uint32_t most) {
    uint64_t state = k * 10 + kind;
    oracle.k = k;
    for (size_t j = 0; j < k; j++) {
        const uint32_t r = (uint32_t)(test_random_u64(&state) >> 32);
        switch (kind) {
        case EQUAL: oracle.weight[j] = most; break;
        case RANDOM: oracle.weight[j] = r % most + 1; break;
        case STEEP: oracle.weight[j] = most / (uint32_t)(j + 1) + 1; break;
        case HOLES: oracle.weight[j] = r % 3 ? 0 : r / 3 % most + (r / 3 % most == 0); break;
        case ONE_OF_MANY: oracle.weight[j] = j == k / 2 ? most : 0; break;
        default: oracle.weight[j] = j % 7 == 3 ? most : 1; break;
        }
    }
    oracle.weight[k / 3] += oracle.weight[k / 3] == 0 && kind != ONE_OF_MANY;
    oracle_sum();
}

static uint32_t most_of(uh_dtype dtype) {
    switch (dtype) {
    case UH_I8: return 100;
    case UH_U8: return 200;
    case UH_I16: return 30000;
    case UH_U16: return 60000;
    default: return 16000000; /* what a float32 holds */
    }
}

/* The oracle's weights as an array of a type, at an odd address where `odd`. */
static void *typed_weights(uh_dtype dtype, int odd) {
    char *array = malloc(oracle.k * 8 + 1);
    assert_non_null(array);
    for (size_t j = 0; j < oracle.k; j++) {
        const uint32_t w = oracle.weight[j];
        char *at = array + odd + j * uh_dtype_size(dtype);
        switch (dtype) {
#define STORE(T, value)                                                                                                \
    do {                                                                                                               \
        const T typed = (T)(value);                                                                                    \
        memcpy(at, &typed, sizeof typed);                                                                              \
    } while (0)
        case UH_F32: STORE(float, (double)w / 1024); break;
        case UH_F64: STORE(double, (double)w * 0x1p990); break;
        case UH_I8: STORE(int8_t, w); break;
        case UH_U8: STORE(uint8_t, w); break;
        case UH_I16: STORE(int16_t, w); break;
        case UH_U16: STORE(uint16_t, w); break;
        case UH_I32: STORE(int32_t, w); break;
        case UH_U32: STORE(uint32_t, w); break;
        case UH_I64: STORE(int64_t, (uint64_t)w << 38); break;
        case UH_U64: STORE(uint64_t, (uint64_t)w << 39); break;
        }
    }
    return array;
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

/* ---- draws and counts ---------------------------------------------------------------------------------------------
 */

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

static void weights_and_samples_may_lie_in_any_memory(void **state) {
    enum { N = 5000 };
    uh_status (*const make[])(uh_device *, size_t, size_t, void **) = {uh_malloc_device, uh_malloc_host,
                                                                       uh_malloc_shared};
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

/* ---- choice and multinomial ---------------------------------------------------------------------------------------
 */

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

/* ---- parts and their first ----------------------------------------------------------------------------------------
 */

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

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

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
        test_assert_failed(uh_multinomial(queue, 1, UH_F32, narrow, 2, 0, 0, (uint64_t *)weights),
                           UH_ERROR_INVALID_ARGUMENT, "uh_multinomial", "weights[1]", wrong[i].text);
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
    char text[200];
    size_t length = 0;
    (void)state;
    assert_int_equal(uh_sampler_create(queue, UH_F32, weights, 3, NULL, &sampler), UH_SUCCESS);
    assert_int_equal(uh_sampler_method(sampler), UH_SAMPLE_UNIHIST);
    test_assert_failed(uh_queue_destroy(queue), UH_ERROR_IN_USE, "queue");
    test_assert_failed(uh_sampler_draw(sampler, 4, 0, (uint64_t)1 << 63, UH_U64, out), UH_ERROR_INVALID_ARGUMENT,
                       "offset is 9223372036854775808 and n is 4");
    test_assert_failed(uh_sampler_draw(sampler, 4, 0, 0, UH_F32, out), UH_ERROR_INVALID_ARGUMENT, "dtype is float32");
    test_assert_failed(uh_sampler_draw(sampler, 4, 0, 0, UH_U64, NULL), UH_ERROR_INVALID_ARGUMENT, "out is NULL");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_what_the_words_and_the_cumulative_say),
        cmocka_unit_test(any_number_from_any_offset_is_right),
        cmocka_unit_test(ties_are_decided_by_the_second_word),
        cmocka_unit_test(threads_and_pieces_do_not_matter),
        cmocka_unit_test(weights_and_samples_may_lie_in_any_memory),
        cmocka_unit_test(a_choice_takes_elements_of_any_size),
        cmocka_unit_test(without_weights_all_are_alike),
        cmocka_unit_test(digits_are_drawn_from_streams_of_their_own),
        cmocka_unit_test(wrong_weights_are_named_with_index_and_value),
        cmocka_unit_test(wrong_draws_are_named_and_nothing_is_written),
        cmocka_unit_test(methods_have_names),
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
