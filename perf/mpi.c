/* SPDX-License-Identifier: Apache-2.0 */
/* mpirun -n P unihist-perf-mpi [K...]: for 1, 2, 4, ... P ranks and histograms of K counts, the time of
 * uh_histogram_exchange, compared with what the formulas of perf/README.md say.
 * mpirun -n P unihist-perf-mpi --points N: what an iteration of uh_mean_shift of N points takes, sends and holds. */
#include "perf/error.h"
#include "tests/splitmix.h"

#include <unihist/mpi.h>
#include <unihist/unihist.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

enum { TRIALS = 15, SIZES_MAX = 16 };

static void abort_all(void) { MPI_Abort(MPI_COMM_WORLD, PERF_FAILURE); }

/* ---- the network ------------------------------------------------------------------------------------------------ */

enum { SHORT_EXCHANGES = 100, LONG_EXCHANGES = 8, LONG_BYTES = 1 << 20 };

/* Bytes that this rank has sent, as seen between the library and MPI. */
static uint64_t sent;

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
    int size = 0;
    PMPI_Type_size(sendtype, &size);
    if (dest != MPI_PROC_NULL)
        sent += (uint64_t)sendcount * (uint64_t)size;
    return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                         comm, status);
}

/* The ranks of a row of a table. */
struct group {
    MPI_Comm comm;
    int rank, ranks;
};

/* Seconds of one exchange of all ranks, the least of some trials: each sends to the next one. */
static double exchange(struct group group, int bytes, int times) {
    static char out[LONG_BYTES], in[LONG_BYTES];
    const int next = (group.rank + 1) % group.ranks, before = (group.rank + group.ranks - 1) % group.ranks;
    double least = HUGE_VAL;
    for (int trial = 0; trial < TRIALS; trial++) {
        PMPI_Barrier(group.comm);
        const double start = PMPI_Wtime();
        for (int i = 0; i < times; i++)
            PMPI_Sendrecv(out, bytes, MPI_BYTE, next, 0, in, bytes, MPI_BYTE, before, 0, group.comm, MPI_STATUS_IGNORE);
        double took = (PMPI_Wtime() - start) / times;
        PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, group.comm);
        least = fmin(least, took);
    }
    return least;
}

struct network {
    double latency;   /* seconds of an exchange of 8 bytes; 0 of one rank alone */
    double bandwidth; /* bytes per second that a rank sends in an exchange of 1 MiB, without its latency */
};

static struct network measure_network(struct group group) {
    if (group.ranks == 1)
        return (struct network){0, HUGE_VAL};
    const double latency = exchange(group, 8, SHORT_EXCHANGES);
    return (struct network){latency, LONG_BYTES / (exchange(group, LONG_BYTES, LONG_EXCHANGES) - latency)};
}

/* ---- histograms ------------------------------------------------------------------------------------------------- */

enum { PIECE = 1 << 18, COLLECTIVES = 2 };

static uh_histogram *make_histogram(uh_queue *queue, size_t k) {
    uint32_t *x = perf_memory(k, sizeof *x);
    uh_axis *axis;
    uh_histogram *made;
    for (size_t i = 0; i < k; i++)
        x[i] = (uint32_t)i;
    const uh_array values = uh_array_of(UH_U32, x, k);
    perf_check(uh_axis_create_regular(UH_SPACING_EQUAL, k, 0, (double)k, UH_CLOSED_LEFT, &axis));
    perf_check(uh_histogram_create(queue, &axis, 1, NULL, &made));
    perf_check(uh_histogram_fill(made, &values, NULL));
    uh_axis_destroy(axis);
    free(x);
    return made;
}

/* Seconds: the least of some trials, of the slowest rank. */
static double measure_histogram(uh_queue *queue, size_t k, MPI_Comm comm) {
    double least = HUGE_VAL;
    uh_exchange *connection;
    perf_check(uh_mpi_exchange_create(comm, UH_MPI_ALL_RANKS, &connection));
    for (int trial = 0; trial < TRIALS; trial++) {
        uh_histogram *part = make_histogram(queue, k); /* anew, as it becomes the sum */
        PMPI_Barrier(comm);
        const double start = PMPI_Wtime();
        perf_check(uh_histogram_exchange(part, connection));
        double took = PMPI_Wtime() - start;
        PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
        least = fmin(least, took);
        uh_histogram_destroy(part);
    }
    uh_mpi_exchange_destroy(connection);
    return least;
}

static void print_row(int ranks, size_t k, struct network network, double alone, double measured) {
    const double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), p = ranks;
    const size_t pieces = (k + PIECE - 1) / PIECE;
    const double rounds = ceil(log2(p)),
                 latency = (2 * rounds * ((double)pieces + 1) + COLLECTIVES * rounds) * network.latency,
                 transfer = 16 * (double)k * (p - 1) / p / network.bandwidth, own = alone * (p > cpus ? p / cpus : 1),
                 model = latency + transfer + own;
    printf("| %d | %zu | %.1f | %.2f | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f |\n", ranks, k, 1e6 * network.latency,
           ranks > 1 ? 1e-9 * network.bandwidth : 0, 1e3 * latency, 1e3 * transfer, 1e3 * own, 1e3 * model,
           1e3 * measured, measured / model);
    fflush(stdout);
}

/* ---- mean shift ------------------------------------------------------------------------------------------------- */

enum { DIMS = 3, ITERATIONS = 4 };

/* Keeps the least time but that of the first iteration, before which the cost of places is unknown. */
static int take_iteration(const uh_mean_shift_iteration *iteration, void *context) {
    double *seconds = context;
    if (iteration->number > 0)
        *seconds = fmin(*seconds, 1e-9 * (double)iteration->total_ns);
    return 0;
}

/* Points fill a cube, or are denser and denser towards one of its corners. */
static void measure_points(uh_queue *queue, size_t n, int is_dense, struct group group) {
    uh_array arrays[DIMS];
    uh_exchange *connection;
    uh_clusters *clusters = NULL;
    uh_clusters_properties found = {.struct_size = sizeof found};
    double seconds = HUGE_VAL;
    const size_t rank = (size_t)group.rank, ranks = (size_t)group.ranks;
    const size_t begin = n * rank / ranks, end = n * (rank + 1) / ranks;
    const double before = perf_peak_memory(1);
    float *x = perf_memory((end - begin) * DIMS, sizeof *x);
    for (size_t i = begin * DIMS; i < end * DIMS; i++) {
        const double at = (double)(splitmix_at(0, i) >> 11) * 0x1p-53;
        x[i - begin * DIMS] = (float)(100 * (is_dense ? at * at * at : at));
    }
    uh_arrays_of_rows(UH_F32, x, end - begin, DIMS, arrays);
    perf_check(uh_mpi_exchange_create(group.comm, UH_MPI_ALL_RANKS, &connection));
    const uh_mean_shift_options options = {.struct_size = sizeof options,
                                           .sigma = 1,
                                           .iterations = ITERATIONS,
                                           .report = take_iteration,
                                           .report_context = &seconds,
                                           .exchange = connection};
    sent = 0;
    perf_check(uh_mean_shift(queue, arrays, DIMS, &options, &clusters));
    perf_check(uh_clusters_get_properties(clusters, &found));
    double held = perf_peak_memory(0) - before; /* by a rank, its points among it */
    uint64_t bytes = sent;
    uh_clusters_destroy(clusters);
    uh_mpi_exchange_destroy(connection);
    free(x);
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, group.comm);
    PMPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_SUM, group.comm);
    PMPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_MAX, group.comm);
    if (rank == 0)
        printf("| %s | %zu | %.3f | %.1f | %.0f | %zu |\n", is_dense ? "dense corner" : "uniform", ranks, seconds,
               1e-6 * (double)bytes, 1e-6 * held, found.clusters);
    fflush(stdout);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* What the command line asks for: sizes of histograms, or one number of points. */
struct request {
    int points;
    size_t sizes[SIZES_MAX], count;
    double alone[SIZES_MAX]; /* seconds of one rank */
};

static void print_head(const struct request *request) {
    printf("%ld CPUs; each rank has one thread; ", sysconf(_SC_NPROCESSORS_ONLN));
    if (request->points)
        printf("%zu points of %d float32, %d iterations by modes\n\n"
               "| points | ranks | an iteration, s | sent by all, MB | memory of a rank, MB | clusters |\n"
               "|---|---|---|---|---|---|\n",
               request->sizes[0], DIMS, ITERATIONS);
    else
        printf(
            "the least of %d\n\n"
            "| ranks | counts | a, us | b, GB/s | a's part, ms | b's, ms | own work, ms | model, ms | measured, ms | "
            "measured / model |\n"
            "|---|---|---|---|---|---|---|---|---|---|\n",
            TRIALS);
}

static void measure(uh_queue *queue, struct request *request, struct group group) {
    for (int is_dense = 0; request->points && is_dense < 2; is_dense++)
        measure_points(queue, request->sizes[0], is_dense, group);
    if (request->points)
        return;
    const struct network network = measure_network(group);
    for (size_t i = 0; i < request->count; i++) {
        const double seconds = measure_histogram(queue, request->sizes[i], group.comm);
        request->alone[i] = group.ranks == 1 ? seconds : request->alone[i];
        if (group.rank == 0)
            print_row(group.ranks, request->sizes[i], network, request->alone[i], seconds);
    }
}

/* Waits for all ranks without taking a CPU from those that work. */
static void wait_for_all(void) {
    const struct timespec pause = {0, 1000000};
    MPI_Request request;
    int done = 0;
    PMPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&pause, NULL);
    }
}

/* 1 to 2^31 - 1; 0 if the text says none of them. */
static size_t number_of(const char *text) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    return *text < '0' || *text > '9' || *end || errno || number >= 1ULL << 31 ? 0 : (size_t)number;
}

/* Returns the argument that is wrong, or NULL. */
static const char *read_request(int argc, char **argv, struct request *request) {
    request->points = argc == 3 && strcmp(argv[1], "--points") == 0;
    for (int i = request->points ? 2 : 1; i < argc; i++) {
        request->count = request->points ? 1 : (size_t)i;
        if (i > SIZES_MAX || !(request->sizes[request->count - 1] = number_of(argv[i])))
            return argv[i];
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct request request = {.sizes = {1000, 100000, 1000000}, .count = 3};
    int rank, all;
    uh_device *host = NULL;
    uh_queue *queue = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    perf_program = "unihist-perf-mpi";
    perf_before_end = abort_all;
    const char *wrong = read_request(argc, argv, &request);
    if (wrong && rank == 0)
        fprintf(stderr,
                "unihist-perf-mpi: '%s': expected --points N, or up to %d numbers of counts, each 1 to 2^31 - 1\n",
                wrong, SIZES_MAX);
    if (wrong) {
        MPI_Finalize();
        return 2;
    }
    perf_check(uh_device_select("host", &host));
    perf_check(
        uh_queue_create(host, &(uh_queue_options){.struct_size = sizeof(uh_queue_options), .threads = 1}, &queue));
    if (rank == 0)
        print_head(&request);
    for (int ranks = 1; ranks <= all; ranks *= 2) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks, rank, &comm);
        if (rank < ranks)
            measure(queue, &request, (struct group){comm, rank, ranks});
        wait_for_all();
        MPI_Comm_free(&comm);
    }
    uh_queue_destroy(queue);
    MPI_Finalize();
    return 0;
}
