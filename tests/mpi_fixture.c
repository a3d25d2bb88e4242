/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/mpi_fixture.h"

#include <time.h>

/* What MPI keeps is no leak of ours. At the end it closes its modules, whose memory would then be nobody's, and some it
 * closes at once: so leaks are looked for before the end, and not among what it allocates as it begins. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define LEAKS(call) __lsan_##call()
/* Requests of PMIx, by which Open MPI's ranks find each other; and Open MPI's texts, by a function of
 * glibc's that nothing here calls. */
const char *__lsan_default_suppressions(void) { return "leak:libpmix.so\nleak:__vasprintf_internal\n"; }
#endif
#endif
#ifndef LEAKS
#define LEAKS(call) (void)0
#endif

struct test_mpi test_mpi;

/* ---- the tests are between the library and MPI: what is sent, and how one waits ---- */

/* Ranks are more than CPUs: one that waits sleeps, which MPI's own waiting does not. Where other programs run, too, the
 * kernel gives a rank that only yields its CPU about as much of it as one that works. */
static int wait_for(int code, int n, MPI_Request *requests, MPI_Status *first) {
    MPI_Status statuses[2];
    int done = 0;
    while (code == MPI_SUCCESS && !done) {
        code = PMPI_Testall(n, requests, &done, statuses);
        if (!done)
            (void)nanosleep(&(struct timespec){0, 20000}, NULL);
    }
    *first = statuses[0];
    return code;
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    int size = 0;
    PMPI_Type_size(sendtype, &size);
    if (dest != MPI_PROC_NULL) {
        test_mpi.messages++;
        test_mpi.bytes += (uint64_t)sendcount * (uint64_t)size;
    }
    MPI_Request requests[2];
    int code = PMPI_Irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &requests[0]);
    if (code == MPI_SUCCESS)
        code = PMPI_Isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, &requests[1]);
    return wait_for(code, 2, requests, status);
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
    test_mpi.collectives++;
    MPI_Request request;
    MPI_Status status;
    return wait_for(PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, &request), 1, &request, &status);
}

static int broadcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    MPI_Request request;
    MPI_Status status;
    return wait_for(PMPI_Ibcast(buffer, count, datatype, root, comm, &request), 1, &request, &status);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
    test_mpi.collectives++;
    return broadcast(buffer, count, datatype, root, comm);
}

void test_mpi_count_anew(void) { test_mpi.messages = test_mpi.bytes = test_mpi.collectives = 0; }

/* ---- the ranks ---- */

int test_mpi_run(void) {
    /* A rank that fails aborts, for which MPI ends the others: they would wait for it. */
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    LEAKS(disable);
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return 1;
    LEAKS(enable);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_mpi.ranks);
    if (uh_mpi_exchange_create(MPI_COMM_WORLD, UH_MPI_ALL_RANKS, &test_mpi.exchange))
        return 1;
    const int result = tested_run();
    uh_mpi_exchange_destroy(test_mpi.exchange);
    LEAKS(do_leak_check);
    MPI_Finalize();
    return result;
}

void test_mpi_exchange(uh_histogram *part, int root, MPI_Comm comm) {
    uh_exchange *exchange = NULL;
    test_good(uh_mpi_exchange_create(comm, root, &exchange));
    test_good(uh_histogram_exchange(part, exchange));
    uh_mpi_exchange_destroy(exchange);
}

void test_mpi_divide(enum test_mpi_division division, size_t n, size_t *from, size_t *to) {
    size_t rank = (size_t)test_mpi.rank, ranks = (size_t)test_mpi.ranks;
    *from = *to = 0;
    if (division == TEST_MPI_ALL_ON_LAST) {
        *to = rank + 1 == ranks ? n : 0;
        return;
    }
    if (division == TEST_MPI_NONE_ON_FIRST && ranks > 1) {
        if (rank-- == 0)
            return;
        ranks--;
    }
    *from = rank * n / ranks;
    *to = (rank + 1) * n / ranks;
}

size_t test_mpi_part(enum test_mpi_division division, const uh_array *all, size_t dims, uh_array *part) {
    size_t from, to;
    test_mpi_divide(division, all->count, &from, &to);
    for (size_t a = 0; a < dims; a++)
        part[a] = (uh_array){all[a].dtype, (const char *)all[a].data + (ptrdiff_t)from * all[a].stride, all[a].stride,
                             to - from};
    return from;
}

void test_mpi_assert_same(const void *bytes, size_t size) {
    void *of_first = test_memory(size + 1);
    memcpy(of_first, bytes, size);
    assert_int_equal(broadcast(of_first, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    assert_memory_equal(bytes, of_first, size);
}

void test_mpi_assert_failed(uh_status status, uh_status expected, const char *call, const char *const text[2]) {
    const uh_error_info *failed = uh_last_error_info();
    const size_t name = strcspn(call, "(");
    char begin[128];
    if (strncmp(text[0], "LAST", 4) == 0)
        snprintf(begin, sizeof begin, "rank %d%s", test_mpi.ranks - 1, text[0] + 4);
    else
        snprintf(begin, sizeof begin, "%s", text[0]);
    assert_int_equal(status, expected);
    assert_int_equal(failed->status, expected);
    assert_int_equal(strlen(failed->call), name);
    assert_memory_equal(failed->call, call, name);
    if (strncmp(failed->text, begin, strlen(begin)) != 0 || (text[1] && !strstr(failed->text, text[1])))
        fail_msg("'%s', expected '%s ... %s'", failed->text, begin, text[1] ? text[1] : "");
}
