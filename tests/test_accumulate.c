/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of bins, in addition to their description (cases_accumulate.c), against exact numbers of the tests' own
 * (big.h), and one result in every way: threads, order, pieces, merging, saving. On the host, or on
 * $UNIHIST_TEST_DEVICE. */
#include "tests/tested.h"

#include "tests/big.h"
#include "tests/oracle.h"
#include "tests/saved_fixture.h"

enum { MAX_THREADS = 8, KINDS_OF_WEIGHTS = 7 };

static const uh_dtype dtypes[] = {UH_F32, UH_F64, UH_I32, UH_I64, UH_U64}; /* the last one on the host alone */

struct points {
    size_t n, cells;
    uint32_t *cell; /* coordinates of an integer axis; beyond it where they are outside */
    uh_dtype dtype;
    void *w;
};

/* n points in random cells, a few outside, with room for weights. */
static struct points make_points(size_t n, size_t cells, uh_dtype dtype, uint64_t *seed) {
    struct points p = {n, cells, test_memory(n * sizeof *p.cell), dtype, test_memory(n * uh_dtype_size(dtype))};
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = test_random_u64(seed);
        p.cell[i] = r % 50 == 0 ? UINT32_MAX : (uint32_t)((r >> 8) % cells);
    }
    return p;
}

static char *place_of(const struct points *p, size_t i) { return (char *)p->w + i * uh_dtype_size(p->dtype); }

/* Weight i, exactly. */
static struct big weight(const struct points *p, size_t i) {
    const long double w = oracle_value(p->dtype, place_of(p, i));
    if (p->dtype == UH_U64)
        return big_times(big_i64(1), (uint64_t)w);
    return p->dtype <= UH_F64 ? big_double((double)w) : big_i64((int64_t)w);
}

/* Makes weight i of a kind from a random number: any finite bits (0), values of one size, denormals, what cancels,
 * zeros, the ends of the range of either sign, and of one. Integers of other kinds than the last two are any. */
static void set_weight(struct points *p, size_t i, int kind, uint64_t r) {
    const size_t size = uh_dtype_size(p->dtype);
    const int is_float = p->dtype <= UH_F64, is_f32 = p->dtype == UH_F32, is_high = kind == 5 ? r % 2 == 1 : is_float;
    const double unit = (double)(int64_t)(r >> 11) * 0x1p-52 - 1, most = is_f32 ? FLT_MAX : DBL_MAX;
    char *to = place_of(p, i);
    if (kind == 0 || (!is_float && kind < 5)) {
        memcpy(to, (const char *)(&r + 1) - size, size);
        if (!isfinite(oracle_value(p->dtype, to)))
            to[size - 1] ^= 1; /* of the exponent */
        return;
    }
    const double x = kind == 1   ? fabs(unit)
                     : kind == 2 ? ldexp(unit, is_f32 ? -130 : -1050)
                     : kind == 3 ? ldexp(i % 2 ? 1 : -1, (int)(r % 90))
                     : kind == 4 ? (i % 3 ? 0.0 : -0.0)
                                 : (is_high ? most : -most);
    (void)oracle_store(p->dtype, (long double)x, to); /* of integers, the nearest that there is */
}

static struct points shuffled(const struct points *p, uint64_t seed) {
    const size_t size = uh_dtype_size(p->dtype), *order = test_order(p->n, seed);
    struct points to = {p->n, p->cells, test_memory(p->n * sizeof *p->cell), p->dtype, test_memory(p->n * size)};
    for (size_t i = 0; i < p->n; i++) {
        to.cell[i] = p->cell[order[i]];
        memcpy((char *)to.w + i * size, (const char *)p->w + order[i] * size, size);
    }
    return to;
}

static uh_histogram *make(size_t cells, uh_storage storage, uh_sum sum, uint32_t threads) {
    uh_axis *axis = test_integer_axis(0, (int64_t)cells - 1);
    return test_histogram_over(tested_queue(threads), &axis, 1, OPTIONS(.storage = storage, .sum = sum));
}

/* Adds points [from, to). */
static void add(uh_histogram *histogram, const struct points *p, size_t from, size_t to) {
    const uh_array values = uh_array_of(p->dtype, (char *)p->w + from * uh_dtype_size(p->dtype), to - from);
    test_good(uh_histogram_fill(histogram, ARRAY(UH_U32, p->cell + from, to - from), &values));
}

static uh_histogram *make_filled(const struct points *p, uh_storage storage, uint32_t threads) {
    uh_histogram *histogram = make(p->cells, storage, UH_SUM_EXACT, threads);
    add(histogram, p, 0, p->n);
    return histogram;
}

/* What it must hold: of each cell, and at last outside. */
struct exact {
    struct big *sum, *squares;
    uint64_t *count;
};

static struct exact add_up(const struct points *p) {
    const size_t slots = p->cells + 1;
    struct exact e = {test_memory(slots * sizeof *e.sum), test_memory(slots * sizeof *e.squares),
                      test_memory(slots * sizeof *e.count)};
    for (size_t i = 0; i < p->n; i++) {
        const size_t slot = p->cell[i] < p->cells ? p->cell[i] : p->cells;
        const struct big w = weight(p, i), square = big_product(w, w);
        big_add(&e.sum[slot], &w);
        big_add(&e.squares[slot], &square);
        e.count[slot]++;
    }
    return e;
}

static void check_means(uh_histogram *histogram, const struct exact *e, size_t cells) {
    uint64_t *count = test_memory(cells * sizeof *count);
    double *mean = test_memory(cells * sizeof *mean), *m2 = test_memory(cells * sizeof *m2);
    test_good(uh_histogram_means(histogram, count, mean, m2));
    for (size_t c = 0; c < cells; c++) {
        const uint64_t n = e->count[c];
        assert_int_equal(count[c], n);
        assert_true(n > 0 || (isnan(mean[c]) && m2[c] == 0));
        if (n == 0)
            continue;
        assert_true(big_is_quotient(&e->sum[c], n, mean[c]));
        /* n m2 = n Q - S^2 */
        struct big scaled = big_times(e->squares[c], n), square = big_product(e->sum[c], e->sum[c]);
        big_negate(&square);
        big_add(&scaled, &square);
        assert_true(big_is_quotient(&scaled, n, m2[c]));
    }
}

/* Whether a histogram holds this: its means; or its sums as float64, then as float32, which there are not outside. */
static void check(uh_histogram *histogram, const struct exact *e, size_t cells, const char *what) {
    const uh_storage storage = test_properties(histogram).storage;
    const int squares = storage == UH_STORAGE_WEIGHTED;
    if (storage == UH_STORAGE_MEAN) {
        check_means(histogram, e, cells);
        return;
    }
    double *sums[2] = {test_memory((cells + 1) * sizeof(double)), test_memory((cells + 1) * sizeof(double))};
    float *sums32[2] = {test_memory(cells * sizeof(float)), test_memory(cells * sizeof(float))};
    test_good(uh_histogram_sums(histogram, UH_F64, sums[0], squares ? sums[1] : NULL));
    test_good(uh_histogram_outside(histogram, &sums[0][cells], squares ? &sums[1][cells] : NULL));
    test_good(uh_histogram_sums(histogram, UH_F32, sums32[0], squares ? sums32[1] : NULL));
    for (size_t c = 0; c <= cells; c++)
        for (int k = 0; k <= squares; k++) {
            const struct big *exact = k ? &e->squares[c] : &e->sum[c];
            if (!big_is_quotient(exact, 1, sums[k][c]) || (c < cells && !big_is_float(exact, sums32[k][c])))
                fail_msg("%s, %s of cell %zu: %a is not the exact one rounded, or its float32", what,
                         k ? "squares" : "sum", c, sums[k][c]);
        }
}

UNIT_TEST(sums_are_the_exact_ones_rounded_once) {
    static const uh_storage storages[] = {UH_STORAGE_SUM, UH_STORAGE_WEIGHTED, UH_STORAGE_MEAN};
    uint64_t seed = 1;
    for (size_t d = 0; d < 4 + (size_t)tested.on_host; d++)
        for (int kind = 0; kind < KINDS_OF_WEIGHTS; kind++)
            for (size_t s = 0; s < 6; s++) {
                const size_t before = test_left();
                const uh_storage storage = storages[s % 3];
                /* Many points for the cells, then few. */
                struct points p = make_points(s < 3 ? 3000 : 300, s < 3 ? 17 : 400, dtypes[d], &seed);
                char what[64];
                for (size_t i = 0; i < p.n; i++)
                    set_weight(&p, i, kind, test_random_u64(&seed));
                const struct exact e = add_up(&p);
                snprintf(what, sizeof what, "%s, weights %d, %s", uh_enum_name(UH_ENUM_DTYPE, p.dtype), kind,
                         uh_enum_name(UH_ENUM_STORAGE, storage));
                check(make_filled(&p, storage, 1), &e, p.cells, what);
                test_end_from(before);
            }
}

/* Weights of a size that changes from block to block: what is added by float64 while that is exact fits for long, for a
 * few blocks or not at all. In the second half all but the smallest are taken away again, so that what a rounding had
 * lost would be missing. */
UNIT_TEST(sums_are_exact_where_sizes_change_from_block_to_block) {
    enum { HALF = 60000, BLOCK = 700, SIZES = 5 };
    static const size_t cells_tried[] = {1, 3, 1000};
    static const int distances[] = {0, 1, 4, 5, 30};
    uint64_t seed = 8;
    for (size_t c = 0; c < 3; c++)
        for (size_t a = 0; a < sizeof distances / sizeof *distances; a++) {
            const size_t before = test_left();
            struct points p = make_points((size_t)2 * HALF, cells_tried[c], UH_F32, &seed);
            float *w = p.w;
            char what[64];
            for (size_t i = 0; i < HALF; i++) {
                const uint64_t r = test_random_u64(&seed);
                const int size = (int)(i / BLOCK % SIZES);
                w[i] = ldexpf((float)(int32_t)((r & 0x7fffff) | 0x800001), distances[a] * size - 30) *
                       (r >> 63 && c == 1 ? -1 : 1);
                w[HALF + i] = size > 0 ? -w[i] : 0;
                p.cell[HALF + i] = p.cell[i];
            }
            const struct exact e = add_up(&p);
            snprintf(what, sizeof what, "%zu cells, factors of 2^%d", p.cells, distances[a]);
            for (uint32_t threads = 1; threads <= 2; threads++)
                check(make_filled(&p, UH_STORAGE_SUM, threads), &e, p.cells, what);
            test_end_from(before);
        }
}

/* The last cell has none but denormals, which need limbs below those that there have been. */
UNIT_TEST(weights_of_several_types_add_up) {
    uint64_t seed = 2;
    uh_histogram *means = make(5, UH_STORAGE_MEAN, UH_SUM_EXACT, 1);
    uh_histogram *sums = make(5, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, 1);
    struct exact all = {NULL, NULL, NULL};
    for (size_t d = 0; d < 4; d++) {
        struct points p = make_points(2000, 5, dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++) {
            if (p.cell[i] == 4 && p.dtype != UH_F64)
                p.cell[i] = 0;
            set_weight(&p, i, p.cell[i] == 4 ? 2 : d < 2 ? (int)(i % 3) : 0, test_random_u64(&seed));
        }
        const struct exact e = add_up(&p);
        add(means, &p, 0, 700);
        add(means, &p, 700, p.n);
        add(sums, &p, 0, p.n);
        for (size_t slot = 0; slot < 6 && d > 0; slot++) {
            big_add(&e.sum[slot], &all.sum[slot]);
            big_add(&e.squares[slot], &all.squares[slot]);
            e.count[slot] += all.count[slot];
        }
        all = e;
        check(means, &all, 5, "mixed");
        check(sums, &all, 5, "mixed");
    }
}

UNIT_TEST(nan_and_infinities_give_what_the_sum_is) {
    static const double odd[][3] = {
        {NAN, 0, 1},        {INFINITY, 1, 2}, {-INFINITY, 1, 2},      {INFINITY, -INFINITY, 0},
        {INFINITY, NAN, 0}, {1, 2, 3},        {INFINITY, INFINITY, 1}};
    enum { CELLS = 7, EACH = 10000, N = CELLS * EACH };
    uint64_t seed = 6;
    for (size_t d = 0; d < 2; d++) {
        struct points p = make_points(N, CELLS, dtypes[d], &seed);
        for (size_t i = 0; i < N; i++) {
            const uint32_t cell = (uint32_t)(i % CELLS);
            const size_t which = i / CELLS == 17 ? 0 : i / CELLS == 9000 ? 1 : 2;
            p.cell[i] = cell;
            (void)oracle_store(p.dtype, which == 2 ? 0.5 : odd[cell][which], (char *)p.w + i * uh_dtype_size(p.dtype));
        }
        double sum[CELLS], squares[CELLS], mean[CELLS], m2[CELLS];
        uh_histogram *sums = make_filled(&p, UH_STORAGE_WEIGHTED, 2);
        test_good(uh_histogram_sums(sums, UH_F64, sum, squares));
        test_good(uh_histogram_means(make_filled(&p, UH_STORAGE_MEAN, 2), NULL, mean, m2));
        for (size_t c = 0; c < CELLS; c++) {
            const double expected = odd[c][0] + odd[c][1] + 0.5 * (EACH - 2);
            assert_true(isnan(expected) ? isnan(sum[c]) && isnan(mean[c]) : sum[c] == expected);
            assert_true(isfinite(expected) == isfinite(squares[c]) && (isfinite(expected) || isnan(m2[c])));
            assert_true(!isinf(expected) || (mean[c] == expected && isinf(squares[c])));
        }
        int64_t untouched[CELLS] = {5};
        test_assert_failed(uh_histogram_sums(sums, UH_I64, untouched, NULL), UH_ERROR_OVERFLOW, "cell 0");
        assert_int_equal(untouched[0], 5);
    }
}

UNIT_TEST(an_integer_that_overflows_is_an_error) {
    static int64_t fits[][2] = {{INT64_MAX, 0}, {INT64_MIN, 0}, {-1, 0}}, /* the last ones as uint64 */
        overflows[][2] = {{INT64_MAX, 1}, {INT64_MIN, -1}, {-1, 1}};
    uint32_t cell[] = {1, 1};
    double half = 0.5;
    int64_t sums[2];
    for (size_t i = 0; i < 2 + (size_t)tested.on_host; i++) {
        struct points p = {2, 2, cell, i == 2 ? UH_U64 : UH_I64, fits[i]};
        test_good(uh_histogram_sums(make_filled(&p, UH_STORAGE_SUM, 1), p.dtype, sums, NULL));
        assert_true(sums[0] == 0 && sums[1] == fits[i][0]);
        p.w = overflows[i];
        test_assert_failed(uh_histogram_sums(make_filled(&p, UH_STORAGE_SUM, 1), p.dtype, sums, NULL),
                           UH_ERROR_OVERFLOW, "cell 1");
        assert_true(sums[0] == 0 && sums[1] == fits[i][0]);
    }
    const struct points fraction = {1, 2, cell, UH_F64, &half}, minus = {1, 2, cell, UH_I64, fits[2]};
    uh_histogram *fast = make(1, UH_STORAGE_SUM, UH_SUM_FAST, 1);
    test_assert_failed(uh_histogram_sums(make_filled(&fraction, UH_STORAGE_SUM, 1), UH_I64, sums, NULL),
                       UH_ERROR_OVERFLOW, "cell 1");
    test_assert_failed(uh_histogram_sums(make_filled(&minus, UH_STORAGE_SUM, 1), UH_U64, sums, NULL), UH_ERROR_OVERFLOW,
                       "cell 1");
    test_invalid(uh_histogram_sums(fast, UH_I64, sums, NULL), "expected UH_SUM_EXACT");
}

UNIT_TEST(tables_are_emptied_before_they_overflow) {
    enum { N = 20 << 20 };
    uint64_t seed = 11;
    if (!tested.on_host || getenv("UNIHIST_INSTRUMENTED"))
        skip_because("of the host's tables, and an instrumented build takes minutes");
    struct points p = make_points(N, 2, UH_F32, &seed);
    for (size_t i = 0; i < N; i++) {
        p.cell[i] = 1;
        ((float *)p.w)[i] = -0x1.fffffep6f; /* the largest integers that a window is given */
    }
    const struct big w = big_double(-0x1.fffffep6), sum = big_times(w, N), squares = big_times(big_product(w, w), N);
    double got[2][2];
    test_good(uh_histogram_sums(make_filled(&p, UH_STORAGE_WEIGHTED, 1), UH_F64, got[0], got[1]));
    assert_true(big_is_quotient(&sum, 1, got[0][1]) && big_is_quotient(&squares, 1, got[1][1]));
}

UNIT_TEST(one_result_for_all_threads_orders_and_pieces) {
    uint64_t seed = 3;
    for (size_t d = 0; d < 4; d++)
        for (size_t cells = 100; cells <= 60000; cells *= 600) { /* in tables of the threads' own, and without */
            const size_t before = test_left();
            struct points p = make_points(cells == 100 ? 300000 : 100000, cells, dtypes[d], &seed);
            for (size_t i = 0; i < p.n; i++)
                set_weight(&p, i, i % 3 ? 1 : 0, test_random_u64(&seed));
            const struct saved saved = test_saved(make_filled(&p, UH_STORAGE_MEAN, 1));
            for (uint32_t threads = 2; threads <= (tested.on_host && cells == 100 ? MAX_THREADS : 2); threads++) {
                uh_histogram *histogram = make(cells, UH_STORAGE_MEAN, UH_SUM_EXACT, threads);
                p = shuffled(&p, seed);
                for (size_t from = 0, n; from < p.n; from += n) {
                    n = threads % 2 ? p.n : (size_t)(test_random_u64(&seed) % 150000) + 1;
                    n = n < p.n - from ? n : p.n - from;
                    add(histogram, &p, from, from + n);
                }
                test_saved_assert_holds(histogram, &saved);
            }
            test_end_from(before);
        }
}

UNIT_TEST(parts_merge_to_the_whole) {
    enum { CELLS = 50 };
    uint64_t seed = 4;
    for (size_t d = 0; d < 4; d++) {
        struct points p = make_points(20000, CELLS, dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++)
            set_weight(&p, i, i < 10000 ? 1 : 0, test_random_u64(&seed));
        uh_histogram *whole = make_filled(&p, UH_STORAGE_WEIGHTED, 1);
        uh_histogram *merged = make(CELLS, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, 1);
        const struct saved saved = test_saved(whole);
        for (size_t from = 0; from < p.n; from += 5000) {
            uh_histogram *part = make(CELLS, UH_STORAGE_WEIGHTED, UH_SUM_EXACT, 1);
            add(part, &p, from, from + 5000);
            test_good(uh_histogram_merge(merged, part));
        }
        test_saved_assert_holds(merged, &saved);
        test_saved_assert_holds(test_saved_load(&saved), &saved);
        /* All cells together, in two ways: in one, and as what densities are parts of. */
        double sums[CELLS], density[CELLS], sum, squares;
        uh_histogram *folded = test_rebinned(whole, 0, test_equal_axis(1, 0, CELLS), (const size_t[CELLS]){0});
        test_good(uh_histogram_sums(folded, UH_F64, &sum, &squares));
        test_good(uh_histogram_sums(whole, UH_F64, sums, NULL));
        test_good(uh_histogram_density(whole, density));
        for (size_t i = 0; i < p.n; i++)
            p.cell[i] = p.cell[i] < CELLS ? 0 : UINT32_MAX;
        const struct exact e = add_up(&p);
        assert_true(big_is_quotient(&e.sum[0], 1, sum) && big_is_quotient(&e.squares[0], 1, squares));
        for (size_t c = 0; c < CELLS; c++)
            assert_true(density[c] == sums[c] / sum);
    }
}

/* 1000 cells of 64 weights, merged with itself twice: each limb of a sum is read after others have been written. */
static void check_doubled(uh_histogram *histogram, const struct points *p) {
    struct exact e = add_up(p);
    add(histogram, p, 0, p->n);
    for (int times = 1; times <= 2; times++) {
        for (size_t c = 0; c <= p->cells; c++) {
            e.sum[c] = big_times(e.sum[c], 2);
            e.squares[c] = big_times(e.squares[c], 2);
            e.count[c] *= 2;
        }
        test_good(uh_histogram_merge(histogram, histogram));
        check(histogram, &e, p->cells, "merged with itself");
    }
}

UNIT_TEST(merged_with_itself_all_is_doubled) {
    enum { CELLS = 1000, EACH = 64 };
    uint64_t seed = 12;
    uh_axis *growing = test_growing_axis();
    for (size_t d = 0; d < 4; d++) {
        const size_t before = test_left();
        struct points p = make_points((size_t)CELLS * EACH, CELLS, dtypes[d], &seed);
        for (size_t i = 0; i < p.n; i++) {
            p.cell[i] = (uint32_t)(i / EACH);
            set_weight(&p, i, i % 2 ? 1 : (int)(i / EACH % KINDS_OF_WEIGHTS), test_random_u64(&seed));
        }
        for (int storage = UH_STORAGE_SUM; storage <= UH_STORAGE_MEAN; storage++)
            check_doubled(make(CELLS, (uh_storage)storage, UH_SUM_EXACT, 1), &p);
        check_doubled(test_histogram_over(tested_queue(1), &growing, 1, OPTIONS(.storage = UH_STORAGE_SUM)), &p);
        test_end_from(before);
    }
}

TESTED_MAIN(test_accumulate)
