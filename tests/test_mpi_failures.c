/* SPDX-License-Identifier: Apache-2.0 */
/* An error of one rank is reported to all, before anything is summed. */
#include "tests/mpi_fixture.h"

#include "tests/saved_fixture.h"

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
    TEST_MPI_FAILS(uh_mpi_histogram_allreduce(own, MPI_COMM_WORLD), INCOMPATIBLE, "LAST: compared with that of rank 0",
                   text);
    const struct saved after = test_saved(own);
    test_saved_assert_equal(&before, &after);
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
    uh_axis *growing = test_growing_axis();
    uh_axis *integers = test_integer_axis(0, 2);
    uh_histogram *grows = test_line(tested.queue, growing), *fixed = test_line(tested.queue, integers);
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
    test_good(uh_mpi_histogram_allreduce(part, MPI_COMM_WORLD));
    test_good(uh_histogram_counts(part, counts));
    assert_int_equal(counts[0], 0);
    assert_int_equal(counts[1], 3 * test_mpi.ranks);
}

UNIT_TEST(more_points_than_can_be_counted_are_an_overflow) {
    uh_axis *axis = test_equal_axis(4, 0, 4);
    uh_histogram *part = test_line(tested.queue, axis);
    const double x = 1;
    test_good(uh_histogram_fill(part, ARRAY(UH_F64, &x, 1), NULL));
    for (int i = 0; i < 63; i++)
        test_good(uh_histogram_merge(part, part));
    const struct saved before = test_saved(part);
    if (test_mpi.ranks > 1)
        TEST_MPI_FAILS(uh_mpi_histogram_reduce(part, 1, MPI_COMM_WORLD), OVERFLOW, "rank 1: ", "pass 2^64 - 1");
    const struct saved after = test_saved(part);
    test_saved_assert_equal(&before, &after);
}

UNIT_TEST(more_cells_than_a_rank_may_have_fail_on_all) {
    uh_axis *axis = NULL;
    const uint8_t x[] = {9};
    test_good(uh_axis_create_growing(&axis));
    test_at_end(axis, test_end_axis);
    uh_histogram *part = test_histogram_over(tested.queue, &axis, 1, OPTIONS(.maxlength = test_mpi_is_last() ? 5 : 10));
    if (test_mpi.ranks == 1)
        return;
    if (!test_mpi_is_last())
        test_good(uh_histogram_fill(part, ARRAY(UH_U8, x, 1), NULL));
    TEST_MPI_FAILS(uh_mpi_histogram_allreduce(part, MPI_COMM_WORLD), INCOMPATIBLE, "rank ",
                   "has 10 cells, expected at most 5");
    assert_int_equal(test_properties(part).cells, test_mpi_is_last() ? 0 : 10);
    test_good(uh_mpi_histogram_reduce(part, 0, MPI_COMM_WORLD)); /* where that rank gets nothing it may stay short */
    assert_int_equal(test_properties(part).cells, test_mpi_is_last() ? 0 : 10);
}

UNIT_TEST(arguments_that_are_none_are_named) {
    uh_histogram *part = test_line(tested.queue, test_equal_axis(4, 0, 4));
    MPI_Comm inter = MPI_COMM_NULL, half;
    char begin[64];
    TEST_MPI_FAILS(uh_mpi_histogram_allreduce(test_mpi_is_last() ? NULL : part, MPI_COMM_WORLD), INVALID_ARGUMENT,
                   "LAST: histogram is NULL", "expected a histogram");
    snprintf(begin, sizeof begin, "rank 0: root is %d, expected 0 to %d", test_mpi.ranks, test_mpi.ranks - 1);
    TEST_MPI_FAILS(uh_mpi_histogram_reduce(part, test_mpi.ranks, MPI_COMM_WORLD), INVALID_ARGUMENT, begin);
    TEST_MPI_FAILS(uh_mpi_histogram_reduce(part, -1, MPI_COMM_WORLD), INVALID_ARGUMENT, "rank 0: root is -1");
    TEST_MPI_FAILS(uh_mpi_histogram_allreduce(part, MPI_COMM_NULL), INVALID_ARGUMENT, "comm is MPI_COMM_NULL");
    if (test_mpi.ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, test_mpi.rank > 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, test_mpi.rank > 0 ? 0 : 1, 0, &inter);
    TEST_MPI_FAILS(uh_mpi_histogram_allreduce(part, inter), INVALID_ARGUMENT, "comm is an intercommunicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

MPI_TEST_MAIN(test_mpi_failures)
