/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that run as the ranks of an MPI program: all of them run the same unit tests, and one that fails ends the rest.
 */
#pragma once

#include <unihist/mpi.h>

#include "tests/tested.h"

extern struct test_mpi {
    int rank, ranks;
    uh_exchange *exchange; /* of MPI_COMM_WORLD */
    /* What this rank has sent since the last test_mpi_count_anew: by messages between two, and in collective calls. */
    uint64_t messages, bytes, collectives;
} test_mpi;

/* The TEST_MAIN of such a file. */
int test_mpi_run(void);
#define MPI_TEST_MAIN(name)                                                                                            \
    TEST_MAIN(name) { return test_mpi_run(); }

void test_mpi_count_anew(void);

/* uh_histogram_exchange over a communicator. */
void test_mpi_exchange(uh_histogram *part, int root, MPI_Comm comm);

/* How n values are divided among the ranks. */
enum test_mpi_division { TEST_MPI_EVEN, TEST_MPI_ALL_ON_LAST, TEST_MPI_NONE_ON_FIRST, TEST_MPI_DIVISIONS };

/* Values [*from, *to) are this rank's. */
void test_mpi_divide(enum test_mpi_division division, size_t n, size_t *from, size_t *to);

/* This rank's part of points; returns where it begins. */
size_t test_mpi_part(enum test_mpi_division division, const uh_array *all, size_t dims, uh_array *part);

/* Asserts that all ranks have the same bytes. */
void test_mpi_assert_same(const void *bytes, size_t size);

/* Asserts that the call failed with this status and a text that begins as given and has the other, if any, in it. LAST
 * at the beginning is the last rank: "rank 2" of three. */
void test_mpi_assert_failed(uh_status status, uh_status expected, const char *call, const char *const text[2]);
#define TEST_MPI_FAILS(call, expected, ...)                                                                            \
    test_mpi_assert_failed(call, UH_ERROR_##expected, #call, (const char *const[2]){__VA_ARGS__})

/* In how many rounds all ranks have heard of one, by the logarithm of their number. */
static inline uint64_t test_mpi_rounds(void) {
    uint64_t rounds = 0;
    for (int p = 1; p < test_mpi.ranks; p *= 2)
        rounds++;
    return rounds;
}

static inline int test_mpi_is_last(void) { return test_mpi.rank + 1 == test_mpi.ranks; }
