/* SPDX-License-Identifier: Apache-2.0 */
/* mpirun -n P unihist-perf-mpi [K...]: for 1, 2, 4, ... P ranks and histograms of K counts, the time of
 * uh_histogram_exchange.
 * mpirun -n P unihist-perf-mpi --points N: what an iteration of uh_mean_shift of N points takes, and a rank holds. */
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

/* The ranks of a row of a table. */
struct group {
    MPI_Comm comm;
    int rank, ranks;
};

/* ---- histograms ------------------------------------------------------------------------------------------------- */

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

/* The least time of some trials, of the slowest rank. */
static void measure_histogram(uh_queue *queue, size_t k, struct group group) {
    double least = HUGE_VAL;
    uh_exchange *connection;
    perf_check(uh_mpi_exchange_create(group.comm, UH_MPI_ALL_RANKS, &connection));
    for (int trial = 0; trial < TRIALS; trial++) {
        uh_histogram *part = make_histogram(queue, k); /* anew, as it becomes the sum */
        MPI_Barrier(group.comm);
        const double start = MPI_Wtime();
        perf_check(uh_histogram_exchange(part, connection));
        double took = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, group.comm);
        least = fmin(least, took);
        uh_histogram_destroy(part);
    }
    uh_mpi_exchange_destroy(connection);
    if (group.rank == 0)
        printf("| %d | %zu | %.3f |\n", group.ranks, k, 1e3 * least);
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
    perf_check(uh_mean_shift(queue, arrays, DIMS, &options, &clusters));
    perf_check(uh_clusters_get_properties(clusters, &found));
    double held = perf_peak_memory(0) - before; /* by a rank, its points among it */
    uh_clusters_destroy(clusters);
    uh_mpi_exchange_destroy(connection);
    free(x);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, group.comm);
    MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_DOUBLE, MPI_MAX, group.comm);
    if (rank == 0)
        printf("| %s | %zu | %.3f | %.0f | %zu |\n", is_dense ? "dense corner" : "uniform", ranks, seconds, 1e-6 * held,
               found.clusters);
    fflush(stdout);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* What the command line asks for: sizes of histograms, or one number of points. */
struct request {
    int points;
    size_t sizes[SIZES_MAX], count;
};

static void print_head(const struct request *request) {
    printf("%ld CPUs; each rank has one thread; ", sysconf(_SC_NPROCESSORS_ONLN));
    if (request->points)
        printf("%zu points of %d float32, %d iterations by modes\n\n"
               "| points | ranks | an iteration, s | memory of a rank, MB | clusters |\n"
               "|---|---|---|---|---|\n",
               request->sizes[0], DIMS, ITERATIONS);
    else
        printf("the least of %d\n\n| ranks | counts | ms |\n|---|---|---|\n", TRIALS);
}

static void measure(uh_queue *queue, const struct request *request, struct group group) {
    for (int is_dense = 0; request->points && is_dense < 2; is_dense++)
        measure_points(queue, request->sizes[0], is_dense, group);
    for (size_t i = 0; !request->points && i < request->count; i++)
        measure_histogram(queue, request->sizes[i], group);
}

/* Waits for all ranks without taking a CPU from those that work. */
static void wait_for_all(void) {
    const struct timespec pause = {0, 1000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
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
