/* SPDX-License-Identifier: Apache-2.0 */
/* What bins keep beside their description (cases_accumulate.c), against exact numbers of the tests' own (big.h), and
 * one result whatever the way: threads, order, pieces, merging, saving. On the host, or on $UNIHIST_TEST_DEVICE. */
#include "tests/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/accumulate/accumulate.h"
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

static void check_floats(const struct uhi_store *store, const struct exact *e, size_t slot, const char *what) {
    float sum = -1, squares = -1;
    const int squared = uhi_store_storage(store) != UH_STORAGE_SUM;
    uhi_store_sums_f32(store, slot, 1, &sum, squared ? &squares : NULL);
    if (!big_is_float(&e->sum[slot], sum))
        fail_msg("%s: cell %zu: the sum %a is not the exact one rounded to float32", what, slot, (double)sum);
    if (squared && !big_is_float(&e->squares[slot], squares))
        fail_msg("%s: cell %zu: the sum of squares %a is not the exact one rounded to float32", what, slot,
                 (double)squares);
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
        check_floats(store, e, slot, what);
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

/* The last cell has none but denormals, which need limbs below those that there have been. */
UNIT_TEST(weights_of_several_types_add_up) {
    uint64_t seed = 2;
    struct uhi_store *store = NULL;
    struct exact all = {0};
    test_good(uhi_store_create("test", 5, UH_STORAGE_MEAN, UH_SUM_EXACT, &store));
    for (size_t d = 0; d < 4; d++) {
        struct points p = acc_points(2000, 5, acc_dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++) {
            if (p.cell[i] == 4 && p.dtype != UH_F64)
                p.cell[i] = 0;
            acc_set_weight(&p, i, p.cell[i] == 4 ? 2 : d < 2 ? (int)(i % 3) : 0, test_random_u64(&seed));
        }
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
    test_good(uhi_store_sums_i64("test", store, 0, 2, sums));
    assert_true(sums[0] == INT64_MAX && sums[1] == INT64_MIN && sums[2] == 9);
    assert_int_equal(uhi_store_sums_i64("test", store, 1, 4, sums), UH_ERROR_OVERFLOW);
    assert_non_null(strstr(uh_last_error(), "cell 2"));
    assert_true(sums[0] == INT64_MAX && sums[3] == 9);
    assert_int_equal(uhi_store_sums_i64("test", store, 3, 1, sums), UH_ERROR_OVERFLOW);
    test_good(uhi_store_sums_i64("test", store, 4, 1, sums));
    assert_true(sums[0] == INT64_MIN);
    uhi_store_destroy(store);
    double half = 0.5;
    struct points fraction = {1, 1, cell, UH_F64, &half};
    store = acc_store(&fraction, UH_STORAGE_SUM, 1);
    assert_int_equal(uhi_store_sums_i64("test", store, 0, 1, sums), UH_ERROR_OVERFLOW);
    uhi_store_destroy(store);
    test_good(uhi_store_create("test", 1, UH_STORAGE_SUM, UH_SUM_FAST, &store));
    assert_int_equal(uhi_store_sums_i64("test", store, 0, 1, sums), UH_ERROR_UNSUPPORTED);
    uhi_store_destroy(store);
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

/* ---- the same bits whatever the way ------------------------------------------------------------------------------ */

/* The arrays of a store. */
struct exported {
    struct uhi_store_layout layout[UHI_STORE_ARRAYS];
    size_t size[UHI_STORE_ARRAYS];
    unsigned char *bytes[UHI_STORE_ARRAYS];
};

static struct exported export_store(const struct uhi_store *store) {
    struct exported all = {0};
    for (enum uhi_store_array i = 0; i < UHI_STORE_ARRAYS; i++) {
        struct uhi_store_layout *layout = &all.layout[i];
        *layout = uhi_store_layout(store, i);
        if (!layout->type)
            continue;
        all.size[i] = (uhi_store_cells(store) + 1) * layout->columns * (size_t)(layout->type[2] - '0');
        all.bytes[i] = test_memory(all.size[i]);
        uhi_store_export(store, i, layout, all.bytes[i]);
    }
    return all;
}

static void assert_same(const struct uhi_store *store, const struct exported *all) {
    const size_t before = test_left();
    const struct exported other = export_store(store);
    for (size_t i = 0; i < UHI_STORE_ARRAYS; i++) {
        assert_int_equal(other.size[i], all->size[i]);
        assert_int_equal(other.layout[i].exponent, all->layout[i].exponent);
        if (all->size[i] > 0)
            assert_memory_equal(other.bytes[i], all->bytes[i], all->size[i]);
    }
    test_end_from(before);
}

UNIT_TEST(one_result_for_all_threads_orders_and_pieces) {
    uint64_t seed = 3;
    for (size_t d = 0; d < 4; d++)
        for (size_t cells = 100; cells <= 60000; cells *= 600) { /* in tables of the threads' own, and without */
            struct points p = acc_points(cells == 100 ? 300000 : 100000, cells, acc_dtypes[d], &seed);
            for (size_t i = 0; i < p.n; i++)
                acc_set_weight(&p, i, i % 3 ? 1 : 0, test_random_u64(&seed));
            struct uhi_store *store = acc_store(&p, UH_STORAGE_MEAN, 1);
            const struct exported arrays = export_store(store);
            for (uint32_t threads = 2; threads <= (acc_on_host && cells == 100 ? MOST_THREADS : 2); threads++) {
                uhi_store_clear(store);
                acc_shuffle(&p, &seed);
                for (size_t from = 0, n; from < p.n; from += n) {
                    n = threads % 2 ? p.n : (size_t)(test_random_u64(&seed) % 150000) + 1;
                    n = n < p.n - from ? n : p.n - from;
                    acc_add(store, &p, from, from + n, threads);
                }
                assert_same(store, &arrays);
            }
            uhi_store_destroy(store);
            acc_points_free(&p);
        }
}

UNIT_TEST(parts_merge_to_the_whole) {
    uint64_t seed = 4;
    for (size_t d = 0; d < 4; d++) {
        struct points p = acc_points(20000, 50, acc_dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++)
            acc_set_weight(&p, i, i < 10000 ? 1 : 0, test_random_u64(&seed));
        struct uhi_store *whole = acc_store(&p, UH_STORAGE_WEIGHTED, 1), *sum = NULL, *loaded = NULL, *folded = NULL;
        const struct exported arrays = export_store(whole);
        test_good(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &sum));
        for (size_t from = 0; from < p.n; from += 5000) {
            struct uhi_store *part = NULL;
            test_good(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &part));
            acc_add(part, &p, from, from + 5000, 1);
            test_good(uhi_store_merge("test", sum, part));
            uhi_store_destroy(part);
        }
        assert_same(sum, &arrays);
        test_good(uhi_store_create("test", 50, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &loaded));
        for (enum uhi_store_array i = 0; i < UHI_STORE_ARRAYS; i++)
            if (arrays.layout[i].type)
                test_good(uhi_store_import("test", loaded, i, &arrays.layout[i], arrays.bytes[i]));
        assert_same(loaded, &arrays);
        /* All cells together, in two ways. */
        double a[2], b[2];
        test_good(uhi_store_create("test", 1, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, &folded));
        test_good(uhi_store_reserve("test", folded, loaded));
        for (uint32_t slot = 0; slot <= 50; slot++)
            uhi_store_fold(folded, 0, loaded, slot);
        uhi_store_sums(folded, 0, 1, &a[0], &a[1]);
        test_good(uhi_store_total("test", whole, 51, &b[0], &b[1]));
        assert_memory_equal(a, b, sizeof a);
        for (size_t i = 0; i < p.n; i++)
            p.cell[i] = 0;
        struct exact e = acc_exact(&p);
        assert_true(big_is_quotient(&e.sum[0], 1, a[0]) && big_is_quotient(&e.squares[0], 1, a[1]));
        acc_exact_free(&e);
        uhi_store_destroy(whole);
        uhi_store_destroy(sum);
        uhi_store_destroy(loaded);
        uhi_store_destroy(folded);
        acc_points_free(&p);
    }
}

UNIT_TEST(digits_and_flags_that_cannot_be_are_refused) {
    static const struct {
        int64_t exponent;
        uint64_t digits;
    } bad[] = {{1, 1},         {-UHI_SUM_BIAS - 32, 1}, {INT64_MIN, 1}, {INT64_MAX - 31, 1},
               {INT64_MAX, 1}, {0, UINT64_MAX},         {1088, 2},      {-UHI_SUM_BIAS, UHI_SUM_LIMBS}};
    static const uint8_t flags[] = {0, 7, 8};
    struct uhi_store *store = NULL;
    test_good(uhi_store_create("test", 2, UH_STORAGE_SUM, UH_SUM_EXACT, &store));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct uhi_store_layout layout = {"<u4", bad[i].digits, bad[i].exponent};
        test_invalid(uhi_store_import("test", store, UHI_STORE_SUM_DIGITS, &layout, flags),
                     "expected a multiple of 32");
    }
    const struct uhi_store_layout layout = {"|u1", 1, 0};
    test_invalid(uhi_store_import("test", store, UHI_STORE_FLAGS, &layout, flags), "the flags of cell 2 are 8");
    uhi_store_destroy(store);
}

TEST_MAIN(test_accumulate) {
    const int status = acc_begin();
    if (status)
        return status;
    const int failed = test_run_units(NULL, NULL);
    return acc_end() || failed;
}
