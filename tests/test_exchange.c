/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms put together by functions of the test: all of its processes are alike, so that what they have together is
 * what each has, times their number. <unihist/mpi.h> is tested with real ones. */
#include <unihist/meanshift.h>

#include "api/histogram.h"
#include "tests/alike.h"
#include "tests/dd_cases.h"
#include "tests/saved_fixture.h"
#include "tests/tested.h"

enum { CASES = 48, POINTS = 600, RANKS = 3 };

/* What a case's histogram is when as many ranks have it. */
static uh_histogram *times(const struct dd_case *tried, size_t ranks) {
    uh_histogram *sum = dd_case_create(tested.queue, tried), *one = dd_case_filled(tested.queue, tried);
    for (size_t i = 0; i < ranks; i++)
        test_good(uh_histogram_merge(sum, one));
    return sum;
}

UNIT_TEST(what_receives_is_what_the_histograms_merged_would_be) {
    unsigned storages = 0;
    for (uint64_t number = 0; number < CASES; number++)
        for (int differs = 0; differs < 2; differs++) { /* they may, and are compared */
            const struct dd_case *tried = dd_case(number, POINTS);
            struct alike alike = {.ranks = RANKS, .differs = differs};
            uh_exchange exchange = exchange_of(&alike);
            uh_histogram *own = dd_case_filled(tested.queue, tried);
            test_good(uh_histogram_exchange(own, &exchange));
            test_saved_assert_same(own, times(tried, RANKS));
            exchange.receives = 0;
            test_good(uh_histogram_exchange(own, &exchange));
            test_saved_assert_same(own, times(tried, RANKS));
            storages |= 1u << tried->storage;
            test_end_from(0);
        }
    assert_int_equal(storages, (2u << UH_STORAGE_U16) - 1);
}

/* What is no number of a sum is said once, however many processes say it. */
UNIT_TEST(infinite_weights_of_all_processes_are_one_infinity) {
    const double x[] = {0.5, 1.5, 2.5}, w[] = {INFINITY, -INFINITY, NAN};
    uh_axis *axis = test_equal_axis(3, 0, 3);
    uh_histogram *own = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = UH_STORAGE_SUM));
    const uh_exchange exchange = exchange_of(&(struct alike){.ranks = RANKS});
    double sums[3] = {0};
    test_good(uh_histogram_fill(own, ARRAY(UH_F64, x, 3), ARRAY(UH_F64, w, 3)));
    test_good(uh_histogram_exchange(own, &exchange));
    test_good(uh_histogram_sums(own, UH_F64, sums, NULL));
    assert_true(sums[0] == (double)INFINITY && sums[1] == -(double)INFINITY && isnan(sums[2]));
}

UNIT_TEST(counts_that_saturate_do_so_over_all_processes) {
    static const struct {
        uh_storage storage;
        size_t points;
        uint64_t most;
    } rows[] = {{UH_STORAGE_U8, 100, UINT8_MAX}, {UH_STORAGE_U16, 30000, UINT16_MAX}};
    const double half = 0.5;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uh_axis *axis = test_equal_axis(1, 0, 1);
        uh_histogram *own = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = rows[i].storage));
        const uh_exchange exchange = exchange_of(&(struct alike){.ranks = RANKS});
        uint64_t count = 0;
        test_good(uh_histogram_fill(own, STRIDED(UH_F64, &half, rows[i].points, 0), NULL));
        test_good(uh_histogram_exchange(own, &exchange));
        test_good(uh_histogram_counts(own, &count));
        assert_int_equal(count, rows[i].most);
    }
}

/* 2^31 points of each process, half of them in no bin; and three times 2^62. */
UNIT_TEST(more_than_2_32_points_are_counted_and_more_than_2_64_refused) {
    const double x[] = {0.5, 2};
    const uh_array points[] = {uh_array_of(UH_F64, x, 2), uh_array_of(UH_F64, x, 2)};
    for (size_t naxes = 1; naxes <= 2; naxes++) {
        uh_axis *const axes[] = {test_equal_axis(1, 0, 1), test_equal_axis(1, 0, 1)};
        uh_histogram *own = test_histogram_over(tested.queue, axes, naxes, NULL);
        const uh_exchange exchange = exchange_of(&(struct alike){.ranks = RANKS});
        uint64_t count = 0;
        test_good(uh_histogram_fill(own, points, NULL));
        for (int i = 1; i < 31; i++)
            test_good(uh_histogram_merge(own, own));
        test_good(uh_histogram_exchange(own, &exchange));
        test_good(uh_histogram_counts(own, &count));
        assert_int_equal(uhi_histogram_numbers(own).points, RANKS * (UINT64_C(1) << 31));
        assert_int_equal(count, RANKS * (UINT64_C(1) << 30));
        for (int i = 31; i < 62; i++)
            test_good(uh_histogram_merge(own, own));
        test_assert_failed(uh_histogram_exchange(own, &exchange), UH_ERROR_OVERFLOW,
                           "the points of all processes pass 2^64 - 1");
        assert_int_equal(uhi_histogram_numbers(own).points, RANKS * (UINT64_C(1) << 62));
    }
}

UNIT_TEST(another_version_of_the_library_is_refused) {
    struct alike alike = {.ranks = RANKS, .differs = 1, .version = "0.0.9"};
    const uh_exchange exchange = exchange_of(&alike);
    uh_histogram *own = test_line(tested.queue, test_equal_axis(4, 0, 4));
    test_assert_failed(uh_histogram_exchange(own, &exchange), UH_ERROR_INCOMPATIBLE, "uh_histogram_exchange: rank ");
    assert_int_equal(alike.words, 0);
}

UNIT_TEST(a_histogram_is_unchanged_if_any_call_fails) {
    for (uint64_t number = 0; number < CASES / 4; number++) {
        const struct dd_case *tried = dd_case(number, POINTS);
        struct alike alike = {.ranks = RANKS, .differs = number % 2 == 1};
        size_t calls = 1;
        for (size_t fails_at = 1; fails_at <= calls; fails_at++) {
            const uh_exchange exchange = exchange_of(&alike);
            uh_histogram *own = dd_case_filled(tested.queue, tried);
            alike.calls = 0;
            alike.fails_at = 0;
            if (fails_at == 1) { /* how many there are */
                test_good(uh_histogram_exchange(dd_case_filled(tested.queue, tried), &exchange));
                calls = alike.calls;
                alike.calls = 0;
            }
            alike.fails_at = fails_at;
            assert_int_equal(uh_histogram_exchange(own, &exchange), UH_ERROR_IO);
            assert_string_equal(uh_last_error(), "test: the line is dead");
            test_saved_assert_same(own, dd_case_filled(tested.queue, tried));
        }
        assert_true(calls >= 4);
        test_end_from(0);
    }
}

UNIT_TEST(an_exchange_that_is_none_is_refused) {
    const uh_exchange good = exchange_of(&(struct alike){.ranks = RANKS});
    uh_exchange bad[] = {good, good, good, good, good, good, good, good};
    static const char *const texts[] = {"exchange->struct_size is 1,",  "exchange->rank is 3 of 3",
                                        "exchange->rank is 0 of 0",     "exchange->rank is 0 of 1073741825",
                                        "exchange->maximum is NULL,",   "exchange->combine is NULL,",
                                        "exchange->broadcast is NULL,", "exchange->trade is NULL,"};
    uh_histogram *own = test_line(tested.queue, test_equal_axis(4, 0, 4));
    bad[0].struct_size = 1;
    bad[1].rank = RANKS;
    bad[2].ranks = 0;
    bad[3].ranks = ((size_t)1 << 30) + 1;
    bad[4].maximum = NULL;
    bad[5].combine = NULL;
    bad[6].broadcast = NULL;
    bad[7].trade = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        test_invalid(uh_histogram_exchange(own, &bad[i]), texts[i]);
        assert_int_equal(uh_exchange_agree(&bad[i], UH_SUCCESS), UH_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(uh_histogram_exchange(own, NULL), UH_ERROR_INVALID_ARGUMENT);
    assert_int_equal(uh_histogram_exchange(NULL, &good), UH_ERROR_INVALID_ARGUMENT);
    assert_string_equal(uh_last_error(), "uh_histogram_exchange: rank 0: histogram is NULL, expected a histogram");
}

UNIT_TEST(a_bandwidth_is_found_or_unchanged_if_any_call_fails) {
    enum { N = 4 };
    /* Of processes that are alike each distance from the first point comes RANKS times: the tenth is the largest. */
    const double x[N] = {0, 1, 3, 7};
    double bandwidth = 9;
    struct alike alike = {.ranks = RANKS};
    uh_exchange exchange = exchange_of(&alike);
    test_good(uh_estimate_bandwidth(tested.queue, ARRAY(UH_F64, x, N), 1,
                                    BANDWIDTH(.quantile = 0.75, .samples = 1, .exchange = &exchange), &bandwidth));
    assert_true(bandwidth == 3);
    test_good(uh_estimate_bandwidth(tested.queue, ARRAY(UH_F64, x, N), 1,
                                    BANDWIDTH(.quantile = 0.9, .samples = 1, .exchange = &exchange), &bandwidth));
    assert_true(bandwidth == 7);
    const size_t calls = alike.calls / 2;
    assert_true(calls >= 6);
    bandwidth = 9;
    for (alike.fails_at = 1; alike.fails_at <= calls; alike.fails_at++) {
        alike.calls = 0;
        assert_int_equal(uh_estimate_bandwidth(tested.queue, ARRAY(UH_F64, x, N), 1,
                                               BANDWIDTH(.quantile = 0.9, .samples = 1, .exchange = &exchange),
                                               &bandwidth),
                         UH_ERROR_IO);
        assert_string_equal(uh_last_error(), "test: the line is dead");
        assert_true(bandwidth == 9);
    }
    alike.fails_at = 0;
    exchange.receives = 0;
    test_invalid(uh_estimate_bandwidth(tested.queue, ARRAY(UH_F64, x, N), 1,
                                       BANDWIDTH(.quantile = 0.9, .samples = 1, .exchange = &exchange), &bandwidth),
                 "options->exchange->receives is 0");
    exchange.rank = RANKS;
    test_invalid(
        uh_estimate_bandwidth(tested.queue, ARRAY(UH_F64, x, N), 1, BANDWIDTH(.exchange = &exchange), &bandwidth),
        "options->exchange->rank is 3 of 3");
}

UNIT_TEST(clusters_are_found_or_none_if_any_call_fails) {
    enum { N = 12 };
    static const float x[N] = {0, 1, 2, 10, 11, 12, 20, 21, 22, 23, 11, 1};
    struct alike alike = {.ranks = 1};
    const uh_exchange exchange = exchange_of(&alike);
    uh_clusters *clusters = NULL;
    for (int i = 0; i < 3; i++) {
        const uh_mean_shift_options options = {.struct_size = sizeof options,
                                               .sigma = 1,
                                               .iterations = 2,
                                               .reduction = (uh_mean_shift_reduction)i,
                                               .algorithm = i % 2 ? UH_MEAN_SHIFT_BLURRING : UH_MEAN_SHIFT_MODES,
                                               .seed_bins = i < 2 ? 0 : 1,
                                               .exchange = &exchange};
        alike.calls = alike.fails_at = 0;
        test_good(uh_mean_shift(tested.queue, ARRAY(UH_F32, x, N), 1, &options, &clusters));
        uh_clusters_destroy(clusters);
        clusters = NULL;
        const size_t calls = alike.calls;
        assert_true(calls >= 40);
        for (alike.fails_at = 1; alike.fails_at <= calls; alike.fails_at++) {
            alike.calls = 0;
            assert_int_equal(uh_mean_shift(tested.queue, ARRAY(UH_F32, x, N), 1, &options, &clusters), UH_ERROR_IO);
            assert_string_equal(uh_last_error(), "test: the line is dead");
            assert_int_equal(alike.calls, alike.fails_at); /* and nothing is said any more */
            assert_null(clusters);
        }
    }
}

UNIT_TEST(who_fails_tells_all_and_who_does_not_goes_on) {
    uh_exchange exchange = exchange_of(&(struct alike){.ranks = RANKS});
    exchange.call = "a_program";
    test_good(uh_exchange_agree(&exchange, UH_SUCCESS));
    const uh_error_info failed = {UH_ERROR_NOT_FOUND, "reading", "file", UH_NO_INDEX, "file 'a' is not there"};
    assert_int_equal(uh_exchange_agree(&exchange, uh_set_last_error(&failed)), UH_ERROR_NOT_FOUND);
    assert_string_equal(uh_last_error(), "a_program: rank 0: file 'a' is not there");
}

TESTED_MAIN(test_exchange)
