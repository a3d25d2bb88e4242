/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, in addition to their description (cases_random.c): published answers, elements far after an offset,
 * and wrong arguments. */
#include "tests/tested.h"

#include "kernels/common/philox.h"
#include "kernels/registry.h"
#include "tests/random_oracle.h"

static const uint64_t SEED = UINT64_C(0x1234567890abcdef), STREAM = UINT64_C(0xfedcba9876543210);

/* Known answers of Random123's own tests (kat_vectors): counter and key all zeros, all ones, digits of pi. */
UNIT_TEST(published_blocks_come) {
    static const struct {
        uint64_t seed, stream, block;
        uint32_t words[4];
    } known[] = {{0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                 {UINT64_MAX, UINT64_MAX, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                 {UINT64_C(0x299f31d0a4093822),
                  UINT64_C(0x0370734413198a2e),
                  UINT64_C(0x85a308d3243f6a88),
                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    static const uint64_t known_64[] = {UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc),
                                        UINT64_C(0xd7e772cee186176b), UINT64_C(0x7e68b68aec7ba23b)};
    uint32_t out[4];
    uint64_t out_64[4];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_memory_equal(uhi_philox4x32(known[i].seed, known[i].stream, known[i].block).v, known[i].words,
                            sizeof known[i].words);
    test_good(uh_random(tested.queue, &(uh_random_stream){UH_PHILOX4X32_10, 0, 0, 0}, 0, UH_U32, out, 4));
    assert_memory_equal(out, known[0].words, sizeof out);
    test_good(uh_random(tested.queue, &(uh_random_stream){UH_PHILOX4X64_10, 0, 0, 0}, 0, UH_U64, out_64, 4));
    assert_memory_equal(out_64, known_64, sizeof out_64);
}

UNIT_TEST(elements_far_after_the_offset_are_reached) {
    const uint64_t from = (UINT64_C(5) << 32) + 3;
    for (int g = 0; g < 2; g++) {
        uint32_t out[100];
        const struct uhi_random_job job = {
            .generator = (uh_generator)g, .kind = UHI_RANDOM_U32, .seed = SEED, .stream = STREAM, .offset = 11};
        uhi_random_host()->fill(&job, from, 100, out);
        for (size_t j = 0; j < 100; j++)
            assert_int_equal(out[j], random_oracle_32((uh_generator)g, SEED, STREAM, 11 + from + j));
    }
}

UNIT_TEST(a_stream_has_no_more_than_its_last_element) {
    for (int k = 0; k < 2 * (UHI_RANDOM_F64 + 1); k++) {
        struct uhi_random_job job = {.kind = (enum uhi_random_kind)(k / 2), .generator = (uh_generator)(k % 2)};
        const int half = job.generator == UH_PHILOX4X32_10 && uhi_random_from_64(job.kind);
        uint64_t out = 77;
        job.offset = half ? INT64_MAX : UINT64_MAX;
        test_invalid(random_make(tested.queue, &job, &out, 2), "offset is", half ? "2^63" : "2^64");
        assert_int_equal(out, 77);
    }
    test_invalid(uh_random(tested.queue, &(uh_random_stream){UH_PHILOX4X32_10, 0, 0, (UINT64_C(1) << 63) + 1}, 0,
                           UH_U64, NULL, 0),
                 "uh_random: offset is 9223372036854775809");
    test_good(
        uh_random(tested.queue, &(uh_random_stream){UH_PHILOX4X32_10, 0, 0, UINT64_C(1) << 63}, 0, UH_U64, NULL, 0));
}

UNIT_TEST(wrong_arguments_are_named) {
    _Alignas(8) char out[32] = {0};
    static const char untouched[sizeof out];
    for (int k = UHI_RANDOM_U32; k <= UHI_RANDOM_BOUNDED_64; k++) {
        struct uhi_random_job job = {.kind = (enum uhi_random_kind)k, .bound = 5};
        test_good(random_make(tested.queue, &job, NULL, 0));
        test_invalid(random_make(NULL, &job, out, 1), "queue");
        test_invalid(random_make(tested.queue, &job, NULL, 1), "out is NULL");
        test_invalid(random_make(tested.queue, &job, out + 1, 1), "out is", "a multiple of");
        test_invalid(random_make(tested.queue, &job, out, SIZE_MAX / 4), "out");
        job.generator = (uh_generator)2;
        test_invalid(random_make(tested.queue, &job, out, 1), "generator is 2");
    }
    assert_memory_equal(out, untouched, sizeof out);
}

UNIT_TEST(other_types_and_bounds_of_floats_are_refused) {
    const uh_random_stream from = {UH_PHILOX4X32_10, 1, 2, 3};
    uint64_t out = 77;
    for (int d = 0; d <= UH_DTYPE_COUNT; d++) {
        const uh_dtype dtype = (uh_dtype)d;
        const char *name = uh_enum_name(UH_ENUM_DTYPE, dtype);
        char is[32];
        snprintf(is, sizeof is, "dtype is %s,", name ? name : "invalid");
        if (dtype == UH_F32 || dtype == UH_F64)
            test_invalid(uh_random(tested.queue, &from, 4, dtype, &out, 1), "uh_random: bound is 4, expected 0 for ",
                         name);
        else if (dtype != UH_U32 && dtype != UH_U64)
            test_invalid(uh_random(tested.queue, &from, 0, dtype, &out, 1), "uh_random: ", is, "uint64, float32");
    }
    test_invalid(uh_random(tested.queue, NULL, 0, UH_U32, &out, 1), "uh_random: from is NULL");
    assert_int_equal(out, 77);
}

UNIT_TEST(a_bound_may_be_all_that_the_type_holds_and_no_more) {
    const uh_random_stream from = {UH_PHILOX4X32_10, SEED, STREAM, 5};
    const uint64_t all = UINT64_C(1) << 32;
    uint32_t words[9], below[9];
    test_good(uh_random(tested.queue, &from, 0, UH_U32, words, 9));
    test_good(uh_random(tested.queue, &from, all, UH_U32, below, 9));
    assert_memory_equal(below, words, sizeof words);
    test_invalid(uh_random(tested.queue, &from, all + 1, UH_U32, below, 9), "bound is 4294967297", "2^32");
    assert_memory_equal(below, words, sizeof words);
}

/* By a program of the definition's steps in Python. */
UNIT_TEST(scrambled_points_are_those_of_the_definition) {
    static const uint32_t known[2][2][3] = {
        {{0x9d58c1f6, 0x01f1ff5e, 0xeae4a436}, {0xe7ab578c, 0xcafb0b26, 0x49250e4d}},  /* owen */
        {{0xa372c753, 0x872498f0, 0xe806347c}, {0xe372c753, 0x472498f0, 0x2806347c}}}; /* shift */
    for (int scramble = UH_SCRAMBLE_OWEN; scramble <= UH_SCRAMBLE_SHIFT; scramble++) {
        uint32_t out[2][3];
        test_good(
            uh_random_sobol(tested.queue, &(uh_sobol){3, (uh_scramble)scramble, SEED, STREAM, 5}, UH_U32, out, 2));
        assert_memory_equal(out, known[scramble], sizeof out);
    }
}

/* Of 2^10 points, from a multiple on, each elementary interval of the first two axes has one, however they are
 * scrambled; and so has each of 2^10 equal parts of every axis. */
UNIT_TEST(sobol_points_are_in_all_elementary_intervals) {
    enum { BITS = 10, POINTS = 1 << BITS };
    static uint32_t points[POINTS][UH_SOBOL_MAX_DIMS];
    for (int row = 0; row < 9; row++) {
        const uh_sobol from = {.dims = UH_SOBOL_MAX_DIMS,
                               .scramble = (uh_scramble)(row % 3),
                               .seed = SEED,
                               .stream = (uint64_t)row,
                               .offset = (uint64_t)row * 3 * POINTS};
        test_good(uh_random_sobol(tested.queue, &from, UH_U32, points[0], POINTS));
        for (uint32_t a = 0; a <= UH_SOBOL_MAX_DIMS + BITS; a++) {
            const unsigned bits = a < BITS ? a : BITS; /* of one axis; the others are of the second */
            uint8_t seen[POINTS] = {0};
            for (size_t i = 0; i < POINTS; i++) {
                const uint64_t x = points[i][a < BITS ? 0 : (a - BITS) % UH_SOBOL_MAX_DIMS], y = points[i][1];
                const uint64_t interval = x >> (32 - bits) << (BITS - bits) | y >> (32 - BITS + bits);
                assert_int_equal(seen[interval]++, 0);
            }
        }
    }
}

UNIT_TEST(wrong_positions_in_sobols_sequence_are_named) {
    static const struct {
        uh_sobol from;
        uh_dtype dtype;
        size_t n;
        const char *message;
    } rows[] = {
        {{.dims = 0}, UH_U32, 1, "from->dims is 0, expected 1 to 1024"},
        {{.dims = 1025}, UH_U32, 1, "from->dims is 1025, expected 1 to 1024"},
        {{.dims = 1, .scramble = (uh_scramble)3}, UH_U32, 1, "from->scramble is 3"},
        {{.dims = 1, .offset = UINT32_MAX}, UH_F64, 2, "from->offset is 4294967295 and n is 2, expected points"},
        {{.dims = 1}, UH_U64, 1, "dtype is uint64, expected uint32, float32 or float64"}};
    uint64_t out = 77;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        test_invalid(uh_random_sobol(tested.queue, &rows[i].from, rows[i].dtype, &out, rows[i].n), rows[i].message);
    test_invalid(uh_random_sobol(tested.queue, NULL, UH_U32, &out, 1), "from is NULL");
    test_invalid(uh_random_sobol(tested.queue, &(uh_sobol){.dims = 1}, UH_F64, NULL, 1), "out is NULL");
    assert_int_equal(out, 77);
}

TESTED_MAIN(test_random)
