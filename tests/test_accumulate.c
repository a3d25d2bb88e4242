/* SPDX-License-Identifier: Apache-2.0 */
/* What bins keep, against exact numbers of the tests' own (big.h): on the host, or on $UNIHIST_TEST_DEVICE. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accumulate_points.h"

static void check_mean(const struct exact *e, size_t slot, double mean, double m2) {
    const uint64_t n = e->count[slot];
    if (n == 0) {
        assert_true(isnan(mean) && m2 == 0);
        return;
    }
    assert_true(big_is_quotient(&e->sum[slot], n, mean));
    /* n m2 = n Q - S^2 */
    struct big scaled = big_times(e->squares[slot], n), square = big_product(e->sum[slot], e->sum[slot]);
    big_negate(&square);
    big_add(&scaled, &square);
    assert_true(big_is_quotient(&scaled, n, m2));
}

static void check_store(const struct uhi_store *store, const struct exact *e, const char *what) {
    const size_t slots = uhi_store_cells(store) + 1;
    const int is_mean = uhi_store_storage(store) == UH_STORAGE_MEAN;
    for (size_t slot = 0; slot < slots; slot++) {
        double sum = -1, squares = -1, mean = -1, m2 = -1;
        uint64_t count = 77;
        uhi_store_sums(store, slot, 1, &sum, uhi_store_storage(store) == UH_STORAGE_SUM ? NULL : &squares);
        if (!big_is_quotient(&e->sum[slot], 1, sum))
            fail_msg("%s: cell %zu: the sum %a is not the exact one rounded", what, slot, sum);
        if (uhi_store_storage(store) != UH_STORAGE_SUM && !big_is_quotient(&e->squares[slot], 1, squares))
            fail_msg("%s: cell %zu: the sum of squares %a is not the exact one rounded", what, slot, squares);
        if (!is_mean)
            continue;
        uhi_store_means(store, slot, 1, &count, &mean, &m2);
        assert_int_equal(count, e->count[slot]);
        check_mean(e, slot, mean, m2);
    }
}

UNIT_TEST(sums_are_the_exact_ones_rounded_once) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    uint64_t seed = 1;
    for (size_t d = 0; d < 4; d++)
        for (int kind = 0; kind < KINDS_OF_WEIGHTS; kind++)
            for (size_t s = 0; s < 6; s++) {
                /* Many points for the cells, then few. */
                struct points p = acc_points(s < 3 ? 3000 : 300, s < 3 ? 17 : 400, acc_dtypes[d], &seed);
                char what[64];
                for (size_t i = 0; i < p.n; i++)
                    acc_set_weight(&p, i, kind, test_random_u64(&seed));
                struct exact e = acc_exact(&p);
                struct uhi_store *store = acc_store(&p, storages[s % 3], 1);
                snprintf(what, sizeof what, "%s, weights %d, storage %d", uh_dtype_name(p.dtype), kind,
                         (int)storages[s % 3]);
                check_store(store, &e, what);
                uhi_store_destroy(store);
                acc_exact_free(&e);
                acc_points_free(&p);
            }
}

UNIT_TEST(weights_of_several_types_add_up) {
    uint64_t seed = 2;
    struct uhi_store *store = NULL;
    struct exact all = {0};
    acc_works(uhi_store_create("test", 5, UH_STORAGE_MEAN, UH_SUM_EXACT, &store));
    for (size_t d = 0; d < 4; d++) {
        struct points p = acc_points(2000, 5, acc_dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++)
            acc_set_weight(&p, i, d < 2 ? (int)(i % 3) : 0, test_random_u64(&seed));
        struct exact e = acc_exact(&p);
        acc_add(store, &p, 0, 700, 1);
        acc_add(store, &p, 700, p.n, 1);
        for (size_t slot = 0; slot < 6 && d > 0; slot++) {
            big_add(&e.sum[slot], &all.sum[slot]);
            big_add(&e.squares[slot], &all.squares[slot]);
            e.count[slot] += all.count[slot];
        }
        acc_exact_free(&all);
        all = e;
        check_store(store, &all, "mixed");
        acc_points_free(&p);
    }
    acc_exact_free(&all);
    uhi_store_destroy(store);
}

/* ---- what is no number ------------------------------------------------------------------------------------------- */

UNIT_TEST(nan_and_infinities_give_what_the_sum_is) {
    static const double odd[][3] = {
        {NAN, 0, 1},        {INFINITY, 1, 2}, {-INFINITY, 1, 2},      {INFINITY, -INFINITY, 0},
        {INFINITY, NAN, 0}, {1, 2, 3},        {INFINITY, INFINITY, 1}};
    enum { CELLS = 7, EACH = 10000, N = CELLS * EACH };
    uint64_t seed = 6;
    for (size_t d = 0; d < 2; d++) {
        struct points p = acc_points(N, CELLS, acc_dtypes[d], &seed);
        for (size_t i = 0; i < N; i++) {
            const uint32_t cell = (uint32_t)(i % CELLS);
            const size_t which = i / CELLS == 17 ? 0 : i / CELLS == 9000 ? 1 : 2;
            const double x = which == 2 ? 0.5 : odd[cell][which];
            p.cell[i] = cell;
            if (d == 0)
                ((float *)p.w)[i] = (float)x;
            else
                ((double *)p.w)[i] = x;
        }
        struct uhi_store *store = acc_store(&p, UH_STORAGE_MEAN, acc_on_host ? 2 : 1);
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            double sum, squares, mean, m2;
            const double expected = odd[cell][0] + odd[cell][1] + 0.5 * (EACH - 2);
            uhi_store_sums(store, cell, 1, &sum, &squares);
            uhi_store_means(store, cell, 1, NULL, &mean, &m2);
            assert_true(isnan(expected) ? isnan(sum) && isnan(mean) : sum == expected);
            assert_true(isfinite(expected) || isnan(m2));
            assert_true(!isinf(expected) || (mean == expected && isinf(squares)));
            assert_true(isfinite(expected) == isfinite(squares));
        }
        int64_t untouched = 5;
        assert_int_equal(uhi_store_sums_i64("test", store, 0, 1, &untouched), UH_ERROR_OVERFLOW);
        assert_int_equal(untouched, 5);
        uhi_store_destroy(store);
        acc_points_free(&p);
    }
}

UNIT_TEST(an_int64_that_overflows_is_an_error) {
    int64_t w[] = {INT64_MAX, INT64_MIN, INT64_MAX, 1, INT64_MIN, -1, INT64_MIN, 0};
    uint32_t cell[] = {0, 1, 2, 2, 3, 3, 4, 4};
    int64_t sums[5] = {9, 9, 9, 9, 9};
    struct points p = {8, 5, cell, UH_I64, w};
    struct uhi_store *store = acc_store(&p, UH_STORAGE_SUM, 1);
    acc_works(uhi_store_sums_i64("test", store, 0, 2, sums));
    assert_true(sums[0] == INT64_MAX && sums[1] == INT64_MIN && sums[2] == 9);
    assert_int_equal(uhi_store_sums_i64("test", store, 1, 4, sums), UH_ERROR_OVERFLOW);
    assert_non_null(strstr(uh_last_error(), "cell 2"));
    assert_true(sums[0] == INT64_MAX && sums[3] == 9);
    assert_int_equal(uhi_store_sums_i64("test", store, 3, 1, sums), UH_ERROR_OVERFLOW);
    acc_works(uhi_store_sums_i64("test", store, 4, 1, sums));
    assert_true(sums[0] == INT64_MIN);
    uhi_store_destroy(store);
    double half = 0.5;
    struct points fraction = {1, 1, cell, UH_F64, &half};
    store = acc_store(&fraction, UH_STORAGE_SUM, 1);
    assert_int_equal(uhi_store_sums_i64("test", store, 0, 1, sums), UH_ERROR_OVERFLOW);
    uhi_store_destroy(store);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

UNIT_TEST(saturating_counts_are_exactly_the_smaller) {
    static const size_t hits[] = {0, 1, 253, 254, 255, 256, 257, 65533, 65534, 65535, 65536, 65537, 200000};
    enum { CELLS = sizeof hits / sizeof *hits };
    uint64_t seed = 7;
    size_t n = 0;
    for (size_t i = 0; i < CELLS; i++)
        n += hits[i];
    struct points p = acc_points(n, CELLS, UH_F32, &seed);
    for (size_t i = 0, at = 0; i < CELLS; i++)
        for (size_t j = 0; j < hits[i]; j++)
            p.cell[at++] = (uint32_t)i;
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        if (shuffled)
            acc_shuffle(&p, &seed);
        for (uint32_t threads = 1; threads <= (acc_on_host ? MOST_THREADS : 1);
             threads += threads < 3 || getenv("UNIHIST_TEST_ALL") ? 1 : MOST_THREADS - 3) /* 1, 2, 3, 8 */
            for (int pieces = 1; pieces <= 7; pieces += 3)
                for (int wide = 0; wide < 2; wide++) {
                    struct uhi_store *store = NULL;
                    uint8_t u8[CELLS];
                    uint16_t u16[CELLS];
                    uint64_t u64[CELLS];
                    struct points q = p;
                    q.w = NULL;
                    q.cells = wide ? 1000000 : CELLS; /* without tables of the threads' own */
                    for (int storage = 0; storage < 3; storage++) {
                        static const uh_storage storages[] = {UH_STORAGE_U8, UH_STORAGE_U16, UH_STORAGE_COUNT};
                        acc_works(uhi_store_create("test", q.cells, storages[storage], UH_SUM_EXACT, &store));
                        for (int i = 0; i < pieces; i++)
                            acc_add(store, &q, n * (size_t)i / (size_t)pieces, n * ((size_t)i + 1) / (size_t)pieces,
                                    threads);
                        if (storage == 0)
                            uhi_store_saturated(store, 0, CELLS, u8);
                        if (storage == 1)
                            uhi_store_saturated(store, 0, CELLS, u16);
                        uhi_store_counts(store, 0, CELLS, u64);
                        const uint64_t max = storage == 0 ? 255 : storage == 1 ? 65535 : UINT64_MAX;
                        for (size_t i = 0; i < CELLS; i++) {
                            const uint64_t expected = hits[i] < max ? hits[i] : max;
                            assert_int_equal(u64[i], expected);
                            assert_true(storage != 0 || u8[i] == expected);
                            assert_true(storage != 1 || u16[i] == expected);
                        }
                        uhi_store_destroy(store);
                    }
                }
    }
    acc_points_free(&p);
}

UNIT_TEST(tables_are_emptied_before_they_overflow) {
    enum { N = 20 << 20 };
    uint64_t seed = 11;
    if (!acc_on_host || getenv("UNIHIST_INSTRUMENTED"))
        skip();
    struct points p = acc_points(N, 2, UH_F32, &seed);
    for (size_t i = 0; i < N; i++) {
        p.cell[i] = 1;
        ((float *)p.w)[i] = -0x1.fffffep6f; /* the largest integers that a window is given */
    }
    struct uhi_store *store = acc_store(&p, UH_STORAGE_MEAN, 1);
    const struct big w = big_double(-0x1.fffffep6), sum = big_times(w, N), squares = big_times(big_product(w, w), N);
    double got[2];
    uhi_store_sums(store, 1, 1, &got[0], &got[1]);
    assert_true(big_is_quotient(&sum, 1, got[0]) && big_is_quotient(&squares, 1, got[1]));
    uhi_store_destroy(store);
    acc_points_free(&p);
}

TEST_MAIN(test_accumulate) {
    const int status = acc_begin();
    if (status)
        return status;
    const int failed = TEST_RUN(NULL, NULL);
    return acc_end() || failed;
}
