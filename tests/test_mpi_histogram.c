/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms and bincounts of points that ranks share: what all of them hold is that of one process. */

#include "tests/dd_cases.h"
#include "tests/mpi_fixture.h"
#include "tests/saved_fixture.h"

enum { CASES = 48, FEW_CASES = 8, MAX_POINTS = 2000, FEW_POINTS = 3 };

/* On a device each case has kernels built. */
static uint64_t cases(void) { return test_is_coarse() || !tested.on_host ? FEW_CASES : CASES; }

static uint64_t first_case(void) { return test_first_of(CASES / FEW_CASES) * FEW_CASES; }

/* This rank's part of a case. */
static uh_histogram *part_of(const struct dd_case *tried, enum test_mpi_division division) {
    uh_histogram *part = dd_case_create(tested.queue, tried);
    size_t from, to;
    test_mpi_divide(division, tried->n, &from, &to);
    dd_case_fill(part, tried, from, to);
    return part;
}

UNIT_TEST(all_ranks_get_the_bytes_of_one_process_for_all_axes_and_storages) {
    unsigned storages = 0;
    for (uint64_t number = first_case(); number < first_case() + cases(); number++) {
        const struct dd_case *tried = dd_case(number, number % 4 ? MAX_POINTS : FEW_POINTS);
        const struct saved expected = test_saved(dd_case_filled(tested.queue, tried));
        uh_histogram *part = part_of(tried, (enum test_mpi_division)(number % TEST_MPI_DIVISIONS));
        test_good(uh_histogram_exchange(part, test_mpi.exchange));
        test_saved_assert_holds(part, &expected);
        dd_assert_holds(part, dd_expect(tried));
        storages |= 1u << tried->storage;
        test_end_from(0);
    }
    assert_true(cases() < CASES || storages == (2u << UH_STORAGE_U16) - 1);
}

UNIT_TEST(the_root_gets_them_alone_and_the_others_keep_what_they_have) {
    for (uint64_t number = first_case(); number < first_case() + cases(); number++) {
        const int root = (int)(number % (uint64_t)test_mpi.ranks);
        const struct dd_case *tried = dd_case(number, MAX_POINTS);
        uh_histogram *part = part_of(tried, (enum test_mpi_division)(number % TEST_MPI_DIVISIONS));
        const struct saved expected = test_saved(test_mpi.rank == root ? dd_case_filled(tested.queue, tried) : part);
        test_mpi_exchange(part, root, MPI_COMM_WORLD);
        test_saved_assert_holds(part, &expected);
        test_end_from(0);
    }
}

UNIT_TEST(what_was_summed_can_be_filled_further_and_summed_over_other_communicators) {
    const struct dd_case *tried = dd_case(1, MAX_POINTS);
    uh_histogram *once = dd_case_filled(tested.queue, tried), *again = dd_case_filled(tested.queue, tried);
    MPI_Comm alone, halves;
    MPI_Comm_split(MPI_COMM_WORLD, test_mpi.rank, 0, &alone);
    MPI_Comm_split(MPI_COMM_WORLD, test_mpi.rank % 2, 0, &halves);
    int ranks = 0;
    MPI_Comm_size(halves, &ranks);
    test_mpi_exchange(once, UH_MPI_ALL_RANKS, halves);
    test_mpi_exchange(once, UH_MPI_ALL_RANKS, alone);
    dd_case_fill(once, tried, 0, tried->n);
    for (int i = 0; i < ranks; i++)
        dd_case_fill(again, tried, 0, tried->n);
    const struct saved expected = test_saved(again);
    test_saved_assert_holds(once, &expected);
    MPI_Comm_free(&alone);
    MPI_Comm_free(&halves);
}

/* Each rank adds 10^e for all e, and the last one takes them away again, of each there were; what remains is 10^-30 a
 * rank, which float64 loses next to 10^30. */
UNIT_TEST(sums_over_sixty_decades_are_exact) {
    enum { DECADES = 61 };
    double weights[DECADES], taken[DECADES];
    const double x[DECADES] = {0}, rest = 0x1.4484bfeebc29fp-100;
    const int last = test_mpi_is_last();
    uh_axis *axis = test_equal_axis(3, -1, 2);
    for (int s = UH_STORAGE_SUM; s <= UH_STORAGE_WEIGHTED; s++) {
        uh_histogram *part = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = (uh_storage)s));
        for (int i = 0; i < DECADES; i++)
            weights[i] = pow(10, i - 30);
        test_good(uh_histogram_fill(part, ARRAY(UH_F64, x, DECADES), ARRAY(UH_F64, weights, DECADES)));
        for (int i = 0; i < DECADES; i++)
            taken[i] = -weights[i];
        for (int r = 0; r < test_mpi.ranks && last; r++)
            test_good(uh_histogram_fill(part, ARRAY(UH_F64, x, DECADES), ARRAY(UH_F64, taken, DECADES)));
        test_good(uh_histogram_fill(part, ARRAY(UH_F64, x, 1), ARRAY(UH_F64, &rest, 1)));
        test_good(uh_histogram_exchange(part, test_mpi.exchange));
        double sums[3];
        test_good(uh_histogram_sums(part, UH_F64, sums, NULL));
        assert_true(sums[1] == (double)((long double)rest * test_mpi.ranks));
    }
}

UNIT_TEST(what_is_not_a_number_or_infinite_on_one_rank_is_so_in_the_sum) {
    const double x[] = {0, 1, 2, 3}, weights[] = {NAN, INFINITY, test_mpi.rank == 0 ? INFINITY : -INFINITY, 1};
    uh_axis *axis = test_equal_axis(4, 0, 4);
    uh_histogram *part = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = UH_STORAGE_SUM));
    double sums[4];
    if (test_mpi.rank == 0 || test_mpi.rank + 1 == test_mpi.ranks)
        test_good(uh_histogram_fill(part, ARRAY(UH_F64, x, 4), ARRAY(UH_F64, weights, 4)));
    test_good(uh_histogram_exchange(part, test_mpi.exchange));
    test_good(uh_histogram_sums(part, UH_F64, sums, NULL));
    assert_true(isnan(sums[0]));
    assert_true(sums[1] == (double)INFINITY);
    assert_true(test_mpi.ranks == 1 ? sums[2] == (double)INFINITY : isnan(sums[2]));
    assert_true(sums[3] == (test_mpi.ranks == 1 ? 1 : 2));
}

UNIT_TEST(fast_sums_are_the_same_on_all_ranks) {
    enum { N = 1000, BINS = 10 };
    double x[N], weights[N], sums[BINS], squares[BINS], total = 0, of_all = 0;
    uint64_t random = 1 + (uint64_t)test_mpi.rank;
    for (size_t i = 0; i < N; i++) {
        x[i] = test_random_f64(&random);
        total += weights[i] = test_random_f64(&random) - 0.25;
    }
    uh_axis *axis = test_equal_axis(BINS, 0, 1);
    uh_histogram *part =
        test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = UH_STORAGE_WEIGHTED, .sum = UH_SUM_FAST));
    test_good(uh_histogram_fill(part, ARRAY(UH_F64, x, N), ARRAY(UH_F64, weights, N)));
    test_good(uh_histogram_exchange(part, test_mpi.exchange));
    test_good(uh_histogram_sums(part, UH_F64, sums, squares));
    test_mpi_assert_same(sums, sizeof sums);
    test_mpi_assert_same(squares, sizeof squares);
    for (size_t j = 0; j < BINS; j++)
        of_all += sums[j];
    PMPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    assert_true(fabs(of_all - total) < 1e-9);
}

enum { COUNTED = 3000, CELLS = 4096 };

/* The values of all ranks, each below a limit of their place, and weights whose sums float64 holds exactly. */
struct all {
    int32_t x[COUNTED];
    double weights[COUNTED];
    uint64_t counts[CELLS];
    double sums[CELLS];
    size_t length;
};

static const struct all *all_of(size_t n) {
    struct all *all = test_memory(sizeof *all);
    uint64_t state = 3;
    for (size_t i = 0; i < n; i++) {
        all->x[i] = (int32_t)(test_random_u64(&state) % (1 + i));
        all->weights[i] = (double)(int64_t)(test_random_u64(&state) % 1000) / 8 - 20;
        all->counts[all->x[i]]++;
        all->sums[all->x[i]] += all->weights[i];
        all->length = (size_t)all->x[i] >= all->length ? (size_t)all->x[i] + 1 : all->length;
    }
    return all;
}

static void assert_counted(const struct all *all, const uh_array *x, const uh_array *weights, size_t minlength) {
    const size_t own = test_mpi.rank == 0 ? minlength : 0, expected = all->length > minlength ? all->length : minlength;
    uh_axis *axis = test_growing_axis();
    uint64_t counts[CELLS];
    double sums[CELLS];
    for (int weighted = 0; weighted < 2; weighted++) {
        uh_histogram *histogram = test_histogram_over(
            tested.queue, &axis, 1, OPTIONS(.storage = weighted ? UH_STORAGE_SUM : UH_STORAGE_COUNT, .minlength = own));
        test_good(uh_histogram_fill(histogram, x, weighted ? weights : NULL));
        test_good(uh_histogram_exchange(histogram, test_mpi.exchange));
        assert_int_equal(test_properties(histogram).cells, expected);
        test_good(weighted ? uh_histogram_sums(histogram, UH_F64, sums, NULL) : uh_histogram_counts(histogram, counts));
        test_good(uh_histogram_fill(histogram, ARRAY(UH_U16, &(uint16_t){CELLS}, 1), NULL)); /* it goes on to grow */
        assert_int_equal(test_properties(histogram).cells, CELLS + 1);
    }
    assert_memory_equal(counts, all->counts, expected * sizeof *counts);
    assert_memory_equal(sums, all->sums, expected * sizeof *sums);
}

UNIT_TEST(each_rank_gets_the_counts_and_sums_of_all_values) {
    static const size_t sizes[] = {COUNTED, 1000, 2, 1, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int division = 0; division < TEST_MPI_DIVISIONS; division++) {
            const struct all *all = all_of(sizes[i]);
            size_t from, to;
            test_mpi_divide((enum test_mpi_division)division, sizes[i], &from, &to);
            const uh_array x = uh_array_of(UH_I32, all->x + from, to - from),
                           weights = uh_array_of(UH_F64, all->weights + from, to - from);
            assert_counted(all, &x, &weights, 0);
            assert_counted(all, &x, &weights, CELLS);
        }
}

/* ---- failures: of one rank, reported to all before anything is summed ---- */

static uh_histogram *over(uh_axis *axis, uh_storage storage, uh_sum sum) {
    const double x[] = {1, 2, 3}, weights[] = {1, 1, 1};
    uh_histogram *made = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.storage = storage, .sum = sum));
    const int weighted = storage == UH_STORAGE_SUM || storage == UH_STORAGE_MEAN;
    test_good(uh_histogram_fill(made, ARRAY(UH_F64, x, 3), weighted ? ARRAY(UH_F64, weights, 3) : NULL));
    return made;
}

/* The last rank has one histogram, the others another one. */
static void assert_incompatible(uh_histogram *of_last, uh_histogram *of_others, const char *text) {
    uh_histogram *own = test_mpi_is_last() ? of_last : of_others;
    const struct saved before = test_saved(own);
    if (test_mpi.ranks == 1)
        return;
    TEST_MPI_FAILS(uh_histogram_exchange(own, test_mpi.exchange), INCOMPATIBLE, "LAST: compared with that of rank 0",
                   text);
    test_saved_assert_holds(own, &before);
}

UNIT_TEST(histograms_that_differ_are_named_and_stay_as_they_are) {
    static const double edges[] = {0, 1, 2, 5}, others[] = {0, 1, 3, 5};
    uh_axis *axis = test_axis_of(UH_F64, edges, 4, UH_CLOSED_LEFT);
    uh_histogram *usual = over(axis, UH_STORAGE_COUNT, UH_SUM_EXACT);
    const uint8_t x[] = {1, 2};
    assert_incompatible(over(test_axis_of(UH_F64, others, 4, UH_CLOSED_LEFT), UH_STORAGE_COUNT, UH_SUM_EXACT), usual,
                        "axis 0: edge 2 is 3 and 2");
    assert_incompatible(over(test_axis_of(UH_F64, edges, 3, UH_CLOSED_LEFT), UH_STORAGE_COUNT, UH_SUM_EXACT), usual,
                        "axis 0");
    assert_incompatible(over(test_axis_of(UH_F64, edges, 4, UH_CLOSED_RIGHT), UH_STORAGE_COUNT, UH_SUM_EXACT), usual,
                        "axis 0");
    assert_incompatible(over(axis, UH_STORAGE_U16, UH_SUM_EXACT), usual, "storage u16 and count");
    assert_incompatible(over(axis, UH_STORAGE_SUM, UH_SUM_FAST), over(axis, UH_STORAGE_SUM, UH_SUM_EXACT),
                        "fast and exact sums");
    uh_histogram *grows = test_line(tested.queue, test_growing_axis()),
                 *fixed = test_line(tested.queue, test_integer_axis(0, 2));
    test_good(uh_histogram_fill(grows, ARRAY(UH_U8, x, 2), NULL));
    test_good(uh_histogram_fill(fixed, ARRAY(UH_U8, x, 2), NULL));
    assert_incompatible(fixed, grows, "fixed bins, and bins that grow");
    assert_incompatible(grows, fixed, "fixed bins, and bins that grow");
}

UNIT_TEST(equal_edges_of_other_types_are_no_difference) {
    static const int64_t of_integers[] = {0, 1, 4};
    static const double of_floats[] = {-0.0, 1, 4};
    uint64_t counts[2];
    uh_axis *axis = test_mpi_is_last() ? test_axis_of(UH_I64, of_integers, 3, UH_CLOSED_LEFT)
                                       : test_axis_of(UH_F64, of_floats, 3, UH_CLOSED_LEFT);
    uh_histogram *part = over(axis, UH_STORAGE_COUNT, UH_SUM_EXACT);
    test_good(uh_histogram_exchange(part, test_mpi.exchange));
    test_good(uh_histogram_counts(part, counts));
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 3 * test_mpi.ranks);
}

UNIT_TEST(more_cells_than_a_rank_may_have_fail_on_all) {
    uh_axis *axis = test_growing_axis();
    const uint8_t x[] = {9};
    uh_histogram *part = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.maxlength = test_mpi_is_last() ? 5 : 10));
    if (test_mpi.ranks == 1)
        return;
    if (!test_mpi_is_last())
        test_good(uh_histogram_fill(part, ARRAY(UH_U8, x, 1), NULL));
    TEST_MPI_FAILS(uh_histogram_exchange(part, test_mpi.exchange), INCOMPATIBLE, "rank ",
                   "has 10 cells, expected at most 5");
    assert_int_equal(test_properties(part).cells, test_mpi_is_last() ? 0 : 10);
    test_mpi_exchange(part, 0, MPI_COMM_WORLD); /* where that rank gets nothing it may stay short */
    assert_int_equal(test_properties(part).cells, test_mpi_is_last() ? 0 : 10);
}

UNIT_TEST(arguments_that_are_none_are_named) {
    uh_histogram *part = test_line(tested.queue, test_equal_axis(4, 0, 4));
    uh_exchange *made = NULL;
    MPI_Comm inter = MPI_COMM_NULL, half;
    char begin[64];
    TEST_MPI_FAILS(uh_histogram_exchange(test_mpi_is_last() ? NULL : part, test_mpi.exchange), INVALID_ARGUMENT,
                   "LAST: histogram is NULL", "expected a histogram");
    snprintf(begin, sizeof begin, "rank 0: root is %d, expected 0 to %d", test_mpi.ranks, test_mpi.ranks - 1);
    TEST_MPI_FAILS(uh_mpi_exchange_create(MPI_COMM_WORLD, test_mpi.ranks, &made), INVALID_ARGUMENT, begin);
    TEST_MPI_FAILS(uh_mpi_exchange_create(MPI_COMM_WORLD, -2, &made), INVALID_ARGUMENT, "rank 0: root is -2");
    TEST_MPI_FAILS(uh_mpi_exchange_create(MPI_COMM_WORLD, 0, test_mpi_is_last() ? NULL : &made), INVALID_ARGUMENT,
                   "LAST: exchange is NULL");
    TEST_MPI_FAILS(uh_mpi_exchange_create(MPI_COMM_NULL, 0, &made), INVALID_ARGUMENT, "comm is MPI_COMM_NULL");
    if (test_mpi.ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, test_mpi.rank > 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, test_mpi.rank > 0 ? 0 : 1, 0, &inter);
    TEST_MPI_FAILS(uh_mpi_exchange_create(inter, 0, &made), INVALID_ARGUMENT, "comm is an intercommunicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    assert_null(made);
}

MPI_TEST_MAIN(test_mpi_histogram)
