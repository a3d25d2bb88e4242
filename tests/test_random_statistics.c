/* SPDX-License-Identifier: Apache-2.0 */
/* The generators' numbers by themselves: bits, digits of floats, bounded integers, and whether words that are near each
 * other in stream, stream's number or seed are independent. (dieharder asks more: test_random_dieharder.py.) The seeds
 * are fixed.
 *
 * UNIHIST_TEST_SAMPLES=N: the number of numbers. UNIHIST_TEST_DEVICE=SELECTOR: on that device instead of the host. */
#include <unihist/random.h>

#include "tests/fixture.h"
#include "tests/statistics.h"

enum { NUMBERS = 1 << 26, BLOCK = 1 << 20, DIGIT = 12, VALUES = 1 << DIGIT };
static const uh_generator generators[] = {UH_PHILOX4X32_10, UH_PHILOX4X64_10};
enum { GENERATORS = sizeof generators / sizeof *generators };
static uint64_t a[BLOCK], b[BLOCK];

/* How many numbers a test that takes one part in `parts` of them looks at: whole blocks. */
static uint64_t numbers(uint64_t parts) {
    const uint64_t n = stat_samples(NUMBERS) / parts / BLOCK * BLOCK;
    return n ? n : BLOCK;
}

/* Compares counts in cells that are all alike. */
static int all_alike(const char *name, const uint64_t *counts, size_t cells, uint64_t n) {
    double *probability = malloc(cells * sizeof *probability);
    assert_non_null(probability);
    for (size_t j = 0; j < cells; j++)
        probability[j] = 1 / (double)cells;
    struct stat_fit fit = stat_compare(counts, probability, cells, n);
    printf("  %-34s chi-square %.1f in %zu cells (p = %.3g), G %.1f (p = %.3g)\n", name, fit.chi_square, cells,
           fit.chi_high, fit.g, fit.g_high);
    free(probability);
    return stat_fits(&fit);
}

/* ---- one number at a time ---- */

static void count_digit(uint64_t *counts, unsigned shift) {
    for (size_t i = 0; i < BLOCK; i++)
        counts[a[i] >> shift & (VALUES - 1)]++;
}

/* The digits of 12 bits that are at `shift` and at the even places between. `stuck`: bits that are always set. */
static int digits_fit(uh_generator generator, unsigned bits, uint64_t stuck) {
    uint64_t counts[(64 + DIGIT - 1) / DIGIT][VALUES] = {0}, n = numbers(4);
    int fits = 1;
    for (uint64_t done = 0; done < n; done += BLOCK) {
        if (bits == 24) {
            float *x = (float *)(void *)b;
            test_good(uh_random(stat_queue, &(uh_random_stream){generator, 301, 0, done}, 0, UH_F32, x, BLOCK));
            for (size_t i = 0; i < BLOCK; i++)
                a[i] = (uint64_t)(x[i] * 0x1p24f);
        } else if (bits == 53) {
            double *x = (double *)(void *)b;
            test_good(uh_random(stat_queue, &(uh_random_stream){generator, 301, 0, done}, 0, UH_F64, x, BLOCK));
            for (size_t i = 0; i < BLOCK; i++)
                a[i] = (uint64_t)(x[i] * 0x1p53);
        } else {
            test_good(uh_random(stat_queue, &(uh_random_stream){generator, 301, 0, done}, 0, UH_U64, a, BLOCK));
        }
        for (size_t i = 0; i < BLOCK; i++)
            a[i] |= stuck;
        for (unsigned d = 0; d * DIGIT < bits; d++)
            count_digit(counts[d], (d + 1) * DIGIT <= bits ? d * DIGIT : bits - DIGIT);
    }
    for (unsigned d = 0; d * DIGIT < bits; d++) {
        char name[64];
        snprintf(name, sizeof name, "%s, %u bits, digit %u%s", uh_enum_name(UH_ENUM_GENERATOR, generator), bits, d,
                 stuck ? ", stuck" : "");
        fits &= all_alike(name, counts[d], VALUES, n);
    }
    return fits;
}

UNIT_TEST(every_digit_of_integers_and_floats_is_uniform) {
    for (size_t g = 0; g < GENERATORS; g++) {
        assert_true(digits_fit(generators[g], 64, 0));
        assert_true(digits_fit(generators[g], 53, 0));
        assert_true(digits_fit(generators[g], 24, 0));
    }
}

UNIT_TEST(a_bit_that_is_stuck_is_found) {
    assert_false(digits_fit(UH_PHILOX4X32_10, 64, UINT64_C(1) << 40));
}

UNIT_TEST(bounded_integers_are_all_alike) {
    /* A quarter of all words is rejected; without that every third outcome would come up twice as often. */
    enum { CELLS = 3 * 256 };
    for (size_t g = 0; g < GENERATORS; g++) {
        uint64_t counts[2][CELLS] = {0}, n = numbers(4);
        uint32_t *x = (uint32_t *)(void *)b;
        for (uint64_t done = 0; done < n; done += BLOCK) {
            assert_int_equal(uh_random(stat_queue, &(uh_random_stream){generators[g], 302, 0, done}, UINT32_C(3) << 30,
                                       UH_U32, x, BLOCK),
                             UH_SUCCESS);
            for (size_t i = 0; i < BLOCK; i++)
                counts[0][x[i] % CELLS]++;
            assert_int_equal(uh_random(stat_queue, &(uh_random_stream){generators[g], 302, 1, done}, UINT64_C(3) << 62,
                                       UH_U64, a, BLOCK),
                             UH_SUCCESS);
            for (size_t i = 0; i < BLOCK; i++)
                counts[1][a[i] % CELLS]++;
        }
        assert_true(all_alike("below 3 * 2^30", counts[0], CELLS, n));
        assert_true(all_alike("below 3 * 2^62", counts[1], CELLS, n));
    }
}

/* ---- pairs ---- */

/* Whether elements of two places are independent: the pairs of the top and of the low 6 bits of uint64 elements. */
static int pairs_fit(const char *name, uh_generator generator, const uint64_t seed[2], const uint64_t stream[2],
                     uint64_t distance) {
    uint64_t top[VALUES] = {0}, low[VALUES] = {0}, n = numbers(8);
    for (uint64_t done = 0; done < n; done += BLOCK) {
        test_good(uh_random(stat_queue, &(uh_random_stream){generator, seed[0], stream[0], done}, 0, UH_U64, a, BLOCK));
        test_good(uh_random(stat_queue, &(uh_random_stream){generator, seed[1], stream[1], done + distance}, 0, UH_U64,
                            b, BLOCK));
        for (size_t i = 0; i < BLOCK; i++) {
            top[a[i] >> 58 << 6 | b[i] >> 58]++;
            low[(a[i] & 63) << 6 | (b[i] & 63)]++;
        }
    }
    char text[96];
    snprintf(text, sizeof text, "%s, %s", uh_enum_name(UH_ENUM_GENERATOR, generator), name);
    int fits = all_alike(text, top, VALUES, n);
    return all_alike("", low, VALUES, n) && fits;
}

UNIT_TEST(streams_and_seeds_that_differ_in_a_bit_are_independent) {
    for (size_t g = 0; g < GENERATORS; g++) {
        for (unsigned bit = 0; bit < 64; bit += 31) {
            const uint64_t other[2] = {303, UINT64_C(303) ^ UINT64_C(1) << bit}, same[2] = {303, 303};
            assert_true(pairs_fit("seeds", generators[g], other, same, 0));
            assert_true(pairs_fit("streams", generators[g], same, other, 0));
            assert_true(pairs_fit("seed and stream", generators[g], other, other, 0));
        }
    }
}

UNIT_TEST(elements_far_from_each_other_are_independent) {
    const uint64_t same[2] = {303, 303};
    for (size_t g = 0; g < GENERATORS; g++) {
        assert_true(pairs_fit("distance 2^34", generators[g], same, same, UINT64_C(1) << 34));
        assert_true(pairs_fit("distance 2^31", generators[g], same, same, UINT64_C(1) << 31));
        assert_true(pairs_fit("distance 2^61", generators[g], same, same, UINT64_C(1) << 61));
    }
}

/* Words of one block, of the next one, and of what other threads make: pairs in which each word comes up once. */
UNIT_TEST(words_near_each_other_are_independent) {
    static const size_t distances[] = {1, 2, 4, 8, 16, 2048, 65536};
    uint64_t n = numbers(2);
    for (size_t g = 0; g < GENERATORS; g++) {
        for (size_t d = 0; d < sizeof distances / sizeof *distances; d++) {
            const size_t distance = distances[d];
            uint64_t counts[VALUES] = {0};
            uint32_t *x = (uint32_t *)(void *)a;
            for (uint64_t done = 0; done < n; done += BLOCK) {
                test_good(uh_random(stat_queue, &(uh_random_stream){generators[g], 304, 0, done}, 0, UH_U32, x, BLOCK));
                for (size_t i = 0; i < BLOCK; i++)
                    if ((i & distance) == 0)
                        counts[x[i] >> 26 << 6 | x[i + distance] >> 26]++;
            }
            char name[96];
            snprintf(name, sizeof name, "%s, distance %zu", uh_enum_name(UH_ENUM_GENERATOR, generators[g]), distance);
            assert_true(all_alike(name, counts, VALUES, n / 2));
        }
    }
}

UNIT_TEST(elements_paired_with_themselves_are_found) {
    const uint64_t same[2] = {303, 303};
    assert_false(pairs_fit("with itself", UH_PHILOX4X32_10, same, same, 0));
}

UNIT_TEST(false_alarms_are_rarer_than_one_run_in_a_million) {
    stat_assert_rare();
}

TEST_AROUND(test_random_statistics, stat_set_up, stat_tear_down)
