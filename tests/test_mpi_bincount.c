/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of all ranks counted together, against loops over all of them. */
#include "tests/mpi_fixture.h"

#include <unihist/bincount.h>

enum { N = 3000, CELLS = 4096 };

/* The values of all ranks, each below a limit of their place, and weights whose sums float64 holds exactly. */
struct all {
    int32_t x[N];
    double weights[N];
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
    uint64_t *counts = NULL;
    double *sums = NULL;
    size_t length = 0, length_of_sums = 0;
    const size_t own = test_mpi.rank == 0 ? minlength : 0, expected = all->length > minlength ? all->length : minlength;
    test_good(uh_mpi_bincount(tested.queue, x, own, MPI_COMM_WORLD, &counts, &length));
    assert_int_equal(length, expected);
    assert_memory_equal(counts, all->counts, length * sizeof *counts);
    test_good(uh_mpi_bincount_weighted(tested.queue, x, weights, own, MPI_COMM_WORLD, &sums, &length_of_sums));
    assert_int_equal(length_of_sums, expected);
    assert_memory_equal(sums, all->sums, length * sizeof *sums);
    uh_bincount_free(counts);
    uh_bincount_free(sums);
}

UNIT_TEST(each_rank_gets_the_counts_and_sums_of_all_values) {
    static const size_t sizes[] = {N, 1000, 2, 1, 0};
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

/* ---- failures ---- */

UNIT_TEST(a_negative_value_of_one_rank_fails_on_all_with_its_place) {
    int16_t x[] = {3, 2, 1, 0};
    uint64_t untouched = 0, *counts = &untouched;
    size_t length = 77;
    char begin[32];
    const int last = test_mpi.ranks - 1;
    if (test_mpi.rank == last)
        x[2] = -5;
    uh_status status = uh_mpi_bincount(tested.queue, ARRAY(UH_I16, x, 4), 0, MPI_COMM_WORLD, &counts, &length);
    snprintf(begin, sizeof begin, "rank %d: ", last);
    test_mpi_assert_failed(status, UH_ERROR_INVALID_ARGUMENT, "uh_mpi_bincount", begin, "is -5");
    assert_ptr_equal(counts, &untouched);
    assert_int_equal(length, 77);
}

UNIT_TEST(what_is_missing_on_rank_0_fails_on_all) {
    enum { QUEUE, X, COUNTS, LENGTH, WEIGHTS, CASES };
    static const char *const names[] = {"queue is NULL", "x is NULL", "sums is NULL", "length is NULL",
                                        "weights is NULL"};
    const uint8_t x[] = {1};
    const double w[] = {1};
    double *sums = NULL;
    size_t length = 0;
    for (int i = 0; i < CASES; i++) {
        const int lacks = test_mpi.rank == 0 ? i : CASES;
        uh_status status =
            uh_mpi_bincount_weighted(lacks == QUEUE ? NULL : tested.queue, lacks == X ? NULL : ARRAY(UH_U8, x, 1),
                                     lacks == WEIGHTS ? NULL : ARRAY(UH_F64, w, 1), 0, MPI_COMM_WORLD,
                                     lacks == COUNTS ? NULL : &sums, lacks == LENGTH ? NULL : &length);
        test_mpi_assert_failed(status, UH_ERROR_INVALID_ARGUMENT, "uh_mpi_bincount_weighted", "rank 0: ", names[i]);
        assert_null(sums);
    }
}

MPI_TEST_MAIN(test_mpi_bincount)
