/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers against Random123 and plain loops, whatever the place, the piece and the number of threads.
 * UNIHIST_TEST_DEVICE chooses the device, the host by default. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Random123/philox.h>
#include <unihist/random.h>

#include "kernels/random/random_run.h"
#include "kernels/registry.h"
#include "tests/fixture.h"
#include "tests/random_oracle.h"

enum { MOST = 6000, GUARDS = 64, GUARD = 0x5a };

static const uint64_t SEED = UINT64_C(0x1234567890abcdef), STREAM = UINT64_C(0xfedcba9876543210);

static uh_queue *queue;
static uh_device *device;
static int on_host;

/* ---- what comes ---- */

static uh_status make(uh_queue *on, enum uhi_random_kind kind, uh_generator generator, uint64_t stream, uint64_t offset,
                      uint64_t bound, void *out, size_t n) {
    return random_make(on, kind, generator, SEED, stream, offset, bound, out, n);
}

/* Elements of the stream, some bytes behind an aligned place, and nothing beside them. */
static void check(enum uhi_random_kind kind, uh_generator generator, uint64_t stream, uint64_t offset, uint64_t bound,
                  size_t shift, size_t n) {
    static _Alignas(64) char out[GUARDS + MOST * 8 + GUARDS], expected[sizeof out];
    const size_t size = uhi_random_size(kind), from = shift * size;
    assert_true(from <= GUARDS && n <= MOST);
    memset(out, GUARD, sizeof out);
    memset(expected, GUARD, sizeof expected);
    for (size_t j = 0; j < n; j++)
        random_oracle_store(kind, generator, SEED, stream, offset + j, bound, expected + from + j * size);
    if (make(queue, kind, generator, stream, offset, bound, out + from, n))
        fail_msg("%s", uh_last_error());
    for (size_t b = 0; b < sizeof out; b++) {
        if (out[b] != expected[b])
            fail_msg("kind %d of %s, offset %llu, n %zu: byte %zu of element %zu is wrong", (int)kind,
                     uh_generator_name(generator), (unsigned long long)offset, n, (b - from) % size, (b - from) / size);
    }
}

static const enum uhi_random_kind plain[] = {UHI_RANDOM_U32, UHI_RANDOM_U64, UHI_RANDOM_F32, UHI_RANDOM_F64};
enum { PLAIN = sizeof plain / sizeof *plain, GENERATORS = 2 };

/* ---- tests ---- */

/* Known answers of Random123's own tests (kat_vectors): counter and key all zeros, all ones, digits of pi. */
static void published_blocks_come(void **state) {
    (void)state;
    static const uint32_t counters_32[3][4] = {
        {0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    static const uint32_t keys_32[3][2] = {{0}, {~0u, ~0u}, {0xa4093822, 0x299f31d0}};
    static const uint32_t blocks_32[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                             {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    static const uint64_t blocks_64[2][4] = {{UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc),
                                              UINT64_C(0xd7e772cee186176b), UINT64_C(0x7e68b68aec7ba23b)},
                                             {UINT64_C(0x87b092c3013fe90b), UINT64_C(0x438c3c67be8d0224),
                                              UINT64_C(0x9cc7d7c69cd777b6), UINT64_C(0xa09caebf594f0ba0)}};
    uint32_t out_32[4];
    uint64_t out_64[4];
    for (size_t i = 0; i < 3; i++) {
        philox4x32_ctr_t counter;
        philox4x32_key_t key;
        memcpy(counter.v, counters_32[i], sizeof counter.v);
        memcpy(key.v, keys_32[i], sizeof key.v);
        const philox4x32_ctr_t oracle = philox4x32(counter, key);
        assert_memory_equal(oracle.v, blocks_32[i], sizeof oracle.v);
        const uint64_t seed = (uint64_t)key.v[1] << 32 | key.v[0], stream = (uint64_t)counter.v[3] << 32 | counter.v[2],
                       block = (uint64_t)counter.v[1] << 32 | counter.v[0];
        if (block >> 62) /* no block of a stream */
            continue;
        assert_int_equal(uh_random_u32(queue, UH_PHILOX4X32_10, seed, stream, 4 * block, out_32, 4), UH_SUCCESS);
        assert_memory_equal(out_32, blocks_32[i], sizeof out_32);
    }
    const philox4x64_ctr_t counters_64[2] = {{{0}}, {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}}};
    const philox4x64_key_t keys_64[2] = {{{0}}, {{UINT64_MAX, UINT64_MAX}}};
    for (size_t i = 0; i < 2; i++)
        assert_memory_equal(philox4x64(counters_64[i], keys_64[i]).v, blocks_64[i], sizeof out_64);
    assert_int_equal(uh_random_u64(queue, UH_PHILOX4X64_10, 0, 0, 0, out_64, 4), UH_SUCCESS);
    assert_memory_equal(out_64, blocks_64[0], sizeof out_64);
}

static void every_length_from_every_offset_gives_the_streams_elements(void **state) {
    (void)state;
    static const size_t lengths[] = {0, 1, 2, 3, 4, 5, 8, 15, 31, 33, 64, 97, 129, 200};
    for (int g = 0; g < GENERATORS; g++)
        for (size_t k = 0; k < PLAIN; k++)
            for (uint64_t offset = 0; offset < 9; offset++)
                for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
                    check(plain[k], (uh_generator)g, STREAM, offset, 0, (size_t)offset % 5, lengths[l]);
    for (int g = 0; g < GENERATORS; g++)
        for (size_t k = 0; k < PLAIN; k++)
            check(plain[k], (uh_generator)g, STREAM, 3, 0, 1, MOST - 3);
}

/* The block's number carries at 2^32, which for elements is at 2^33, 2^34 or 2^35. */
static void carries_of_the_counter_are_not_lost(void **state) {
    (void)state;
    for (int g = 0; g < GENERATORS; g++)
        for (size_t k = 0; k < PLAIN; k++)
            for (unsigned power = 31; power < 64; power += power == 35 ? 27 : 1) {
                const uint64_t at = UINT64_C(1) << power;
                for (uint64_t before = 150; before < 750; before += 149)
                    check(plain[k], (uh_generator)g, STREAM, at - before, 0, 0,
                          power == 63 && plain[k] != UHI_RANDOM_U32 && plain[k] != UHI_RANDOM_F32 && !g ? (size_t)before
                                                                                                        : 700);
            }
}

static void the_last_element_of_a_stream_is_there(void **state) {
    (void)state;
    for (int g = 0; g < GENERATORS; g++)
        for (size_t k = 0; k < PLAIN; k++) {
            const int half = g == UH_PHILOX4X32_10 && uhi_random_from_64(plain[k]);
            const uint64_t last = half ? INT64_MAX : UINT64_MAX;
            check(plain[k], (uh_generator)g, STREAM, last, 0, 0, 1);
            check(plain[k], (uh_generator)g, STREAM, last - 99, 0, 0, 100);
            uint64_t out = GUARD;
            test_assert_failed(make(queue, plain[k], (uh_generator)g, STREAM, last, 0, &out, 2),
                               UH_ERROR_INVALID_ARGUMENT, "offset is", half ? "2^63" : "2^64");
            assert_int_equal(out, GUARD);
        }
}

static void bounded_numbers_are_those_of_a_plain_loop(void **state) {
    (void)state;
    static const uint64_t bounds[] = {1, 2, 3, 1000, 65536, UINT64_C(3) << 30, (UINT64_C(1) << 31) + 1, UINT32_MAX, 0};
    static const uint64_t wide_bounds[] = {UINT64_C(1) << 32, UINT64_C(1000000000039), UINT64_C(3) << 62,
                                           (UINT64_C(1) << 63) + 1, UINT64_MAX};
    for (int g = 0; g < GENERATORS; g++) {
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
            for (int kind = UHI_RANDOM_BOUNDED_32; kind <= UHI_RANDOM_BOUNDED_64; kind++) {
                check((enum uhi_random_kind)kind, (uh_generator)g, STREAM, 5, bounds[b], 1, 3000);
                check((enum uhi_random_kind)kind, (uh_generator)g, 7, (UINT64_C(1) << 34) - 100, bounds[b], 0, 211);
            }
        for (size_t b = 0; b < sizeof wide_bounds / sizeof *wide_bounds; b++)
            check(UHI_RANDOM_BOUNDED_64, (uh_generator)g, STREAM, 5, wide_bounds[b], 1, 3000);
    }
}

/* Of 2^31 + 1, all but a half of the elements are refused, so that some are often. */
static void a_number_is_added_to_bounded_ones_in_their_width(void **state) {
    (void)state;
    enum { N = 500 };
    uint32_t low[N], low_plus[N];
    uint64_t high[N], high_plus[N], wide_plus[N];
    const uint64_t bound = (UINT64_C(1) << 31) + 1;
    for (int g = 0; g < GENERATORS; g++) {
        const uh_generator generator = (uh_generator)g;
        assert_int_equal(make(queue, UHI_RANDOM_BOUNDED_32, generator, 1, 0, bound, low, N), UH_SUCCESS);
        assert_int_equal(make(queue, UHI_RANDOM_BOUNDED_64, generator, 1, 0, bound, high, N), UH_SUCCESS);
        assert_int_equal(
            uhi_random_fill(queue, "test", generator, UHI_RANDOM_BOUNDED_32, SEED, 1, 0, bound, -1000, low_plus, N),
            UH_SUCCESS);
        assert_int_equal(uhi_random_fill(queue, "test", generator, UHI_RANDOM_BOUNDED_32_WIDE, SEED, 1, 0, bound, -1000,
                                         wide_plus, N),
                         UH_SUCCESS);
        assert_int_equal(
            uhi_random_fill(queue, "test", generator, UHI_RANDOM_BOUNDED_64, SEED, 1, 0, bound, -1000, high_plus, N),
            UH_SUCCESS);
        for (size_t j = 0; j < N; j++) {
            assert_true(low_plus[j] == low[j] - 1000);
            assert_true(wide_plus[j] == (uint64_t)low[j] - 1000);
            assert_true(high_plus[j] == high[j] - 1000);
        }
    }
}

static void pieces_do_not_change_a_number(void **state) {
    (void)state;
    enum { N = 300007 };
    uint64_t *whole = malloc(N * sizeof *whole), *parts = malloc(N * sizeof *parts), random = 1;
    assert_true(whole && parts);
    for (int g = 0; g < GENERATORS; g++)
        for (int kind = UHI_RANDOM_U32; kind <= UHI_RANDOM_BOUNDED_64; kind++) {
            const size_t size = uhi_random_size((enum uhi_random_kind)kind);
            const uint64_t offset = (UINT64_C(1) << 34) - N / 2, bound = UINT64_C(3) << 30;
            assert_int_equal(make(queue, (enum uhi_random_kind)kind, (uh_generator)g, STREAM, offset, bound, whole, N),
                             UH_SUCCESS);
            for (size_t from = 0, n; from < N; from += n) {
                n = test_random_u64(&random) % 70000;
                n = n < N - from ? n : N - from;
                assert_int_equal(make(queue, (enum uhi_random_kind)kind, (uh_generator)g, STREAM, offset + from, bound,
                                      (char *)parts + from * size, n),
                                 UH_SUCCESS);
            }
            assert_memory_equal(parts, whole, N * size);
            for (size_t j = 0; j < N; j += 9973) {
                uint64_t one = 0, found = 0;
                random_oracle_store((enum uhi_random_kind)kind, (uh_generator)g, SEED, STREAM, offset + j, bound, &one);
                memcpy(&found, (char *)whole + j * size, size);
                assert_int_equal(found, one);
            }
        }
    free(whole);
    free(parts);
}

static void elements_far_behind_the_offset_are_reached(void **state) {
    (void)state;
    const uint64_t from = (UINT64_C(5) << 32) + 3;
    for (int g = 0; g < GENERATORS; g++) {
        uint32_t out[100];
        const struct uhi_random_job job = {
            .generator = (uh_generator)g, .kind = UHI_RANDOM_U32, .seed = SEED, .stream = STREAM, .offset = 11};
        uhi_random_host()->fill(&job, from, 100, out);
        for (size_t j = 0; j < 100; j++)
            assert_int_equal(out[j], random_oracle_32((uh_generator)g, SEED, STREAM, 11 + from + j));
    }
}

/* More than all buffers of the way back hold. */
static void many_numbers_come_in_pieces(void **state) {
    (void)state;
    const size_t n = getenv("UNIHIST_INSTRUMENTED") ? 100000 : ((size_t)17 << 20) + 5;
    uint32_t *out = malloc(n * sizeof *out);
    assert_non_null(out);
    assert_int_equal(uh_random_u32(queue, UH_PHILOX4X32_10, SEED, 3, 1, out, n), UH_SUCCESS);
    for (size_t j = 0; j < n; j++)
        if (out[j] != random_oracle_32(UH_PHILOX4X32_10, SEED, 3, 1 + j))
            fail_msg("element %zu is wrong", j);
    free(out);
}

static void generators_have_names(void **state) {
    (void)state;
    uh_generator generator = UH_PHILOX4X64_10;
    assert_string_equal(uh_generator_name(UH_PHILOX4X32_10), "philox4x32");
    assert_string_equal(uh_generator_name(UH_PHILOX4X64_10), "philox4x64");
    assert_null(uh_generator_name((uh_generator)2));
    assert_null(uh_generator_name((uh_generator)-1));
    assert_int_equal(uh_generator_parse("philox4x32", &generator), UH_SUCCESS);
    assert_int_equal(generator, UH_PHILOX4X32_10);
    test_assert_failed(uh_generator_parse("mt19937", &generator), UH_ERROR_INVALID_ARGUMENT, "mt19937", "philox4x64");
    test_assert_failed(uh_generator_parse(NULL, &generator), UH_ERROR_INVALID_ARGUMENT, "name");
    test_assert_failed(uh_generator_parse("philox4x64", NULL), UH_ERROR_INVALID_ARGUMENT, "generator");
    assert_int_equal(generator, UH_PHILOX4X32_10);
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    _Alignas(8) char out[32];
    memset(out, GUARD, sizeof out);
    for (int k = UHI_RANDOM_U32; k <= UHI_RANDOM_BOUNDED_64; k++) {
        const enum uhi_random_kind kind = (enum uhi_random_kind)k;
        assert_int_equal(make(queue, kind, UH_PHILOX4X32_10, 0, 0, 5, NULL, 0), UH_SUCCESS);
        test_assert_failed(make(NULL, kind, UH_PHILOX4X32_10, 0, 0, 5, out, 1), UH_ERROR_INVALID_ARGUMENT, "queue");
        test_assert_failed(make(queue, kind, (uh_generator)2, 0, 0, 5, out, 1), UH_ERROR_INVALID_ARGUMENT,
                           "generator is 2");
        test_assert_failed(make(queue, kind, UH_PHILOX4X32_10, 0, 0, 5, NULL, 1), UH_ERROR_INVALID_ARGUMENT,
                           "out is NULL");
        test_assert_failed(make(queue, kind, UH_PHILOX4X32_10, 0, 0, 5, out + 1, 1), UH_ERROR_INVALID_ARGUMENT,
                           "out is", "a multiple of");
        test_assert_failed(make(queue, kind, UH_PHILOX4X32_10, 0, 0, 5, out, SIZE_MAX / 4), UH_ERROR_INVALID_ARGUMENT,
                           "out");
    }
    test_assert_failed(uh_random_u64(queue, UH_PHILOX4X32_10, 0, 0, (UINT64_C(1) << 63) + 1, NULL, 0),
                       UH_ERROR_INVALID_ARGUMENT, "uh_random_u64: offset is 9223372036854775809");
    assert_int_equal(uh_random_u64(queue, UH_PHILOX4X32_10, 0, 0, UINT64_C(1) << 63, NULL, 0), UH_SUCCESS);
    for (size_t b = 0; b < sizeof out; b++)
        assert_int_equal(out[b], GUARD);
}

TEST_MAIN(test_random) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_blocks_come),
        cmocka_unit_test(every_length_from_every_offset_gives_the_streams_elements),
        cmocka_unit_test(carries_of_the_counter_are_not_lost),
        cmocka_unit_test(the_last_element_of_a_stream_is_there),
        cmocka_unit_test(bounded_numbers_are_those_of_a_plain_loop),
        cmocka_unit_test(a_number_is_added_to_bounded_ones_in_their_width),
        cmocka_unit_test(pieces_do_not_change_a_number),
        cmocka_unit_test(elements_far_behind_the_offset_are_reached),
        cmocka_unit_test(many_numbers_come_in_pieces),
        cmocka_unit_test(generators_have_names),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    const char *selector = getenv("UNIHIST_TEST_DEVICE");
    uh_device_properties properties = {.struct_size = sizeof properties};
    if (uh_device_select(selector ? selector : "host", &device)) {
        printf("skipped: %s\n", uh_last_error());
        return 77;
    }
    if (uh_device_get_properties(device, &properties) || uh_queue_create(device, NULL, &queue)) {
        printf("%s\n", uh_last_error());
        return 1;
    }
    on_host = strcmp(properties.backend, "host") == 0;
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    return uh_queue_destroy(queue) || result ? 1 : 0;
}
