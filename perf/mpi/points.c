/* SPDX-License-Identifier: Apache-2.0 */
/* For 1, 2, 4, ... P ranks, what an iteration of uh_mean_shift takes, sends and holds. Points fill a cube, or are
 * denser and denser towards one of its corners. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <unihist/unihist.h>

#include "perf/machine.h"
#include "perf/mpi/network.h"
#include "tests/splitmix.h"

enum { DIMS = 3, ITERATIONS = 4 };

struct iterations {
    double seconds; /* the least of all but the first, before which nothing is known of what places cost */
};

static int take_iteration(const uh_mean_shift_iteration *iteration, void *context) {
    struct iterations *iterations = context;
    const double took = 1e-9 * (double)iteration->total_ns;
    if (iteration->number > 0 && took < iterations->seconds)
        iterations->seconds = took;
    return 0;
}

struct row {
    double seconds;         /* of an iteration, by the slowest rank */
    uint64_t bytes, memory; /* sent by all, and held at most by a rank beyond what it did before, its points among it */
    uint64_t clusters;
};

static struct row measure(uh_queue *queue, size_t n, int is_dense, MPI_Comm comm) {
    int rank, ranks;
    uh_array arrays[DIMS];
    uh_clusters *clusters = NULL;
    uh_clusters_properties found = {.struct_size = sizeof found};
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const uint64_t begin = (uint64_t)n * (uint64_t)rank / (uint64_t)ranks,
                   end = (uint64_t)n * ((uint64_t)rank + 1) / (uint64_t)ranks, before = (uint64_t)perf_peak_memory(1);
    float *x = malloc(((size_t)(end - begin) * DIMS + 1) * sizeof *x);
    if (!x) {
        PMPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    for (uint64_t i = begin * DIMS; i < end * DIMS; i++) {
        const double at = (double)(splitmix_at(0, i) >> 11) * 0x1p-53;
        x[i - begin * DIMS] = (float)(100 * (is_dense ? at * at * at : at));
    }
    uh_arrays_of_rows(UH_F32, x, (size_t)(end - begin), DIMS, arrays);
    uh_exchange *exchange;
    perf_mpi_check(uh_mpi_exchange_create(comm, &exchange));
    struct iterations iterations = {1e300};
    const uh_mean_shift_options options = {.struct_size = sizeof options,
                                           .sigma = 1,
                                           .iterations = ITERATIONS,
                                           .report = take_iteration,
                                           .report_context = &iterations,
                                           .exchange = exchange};
    perf_sent = (struct perf_sent){0, 0};
    perf_mpi_check(uh_mean_shift(queue, arrays, DIMS, &options, &clusters));
    perf_mpi_check(uh_clusters_get_properties(clusters, &found));
    struct row row = {iterations.seconds, perf_sent.bytes, (uint64_t)perf_peak_memory(0) - before, found.clusters};
    uh_clusters_destroy(clusters);
    uh_mpi_exchange_destroy(exchange);
    free(x);
    PMPI_Allreduce(MPI_IN_PLACE, &row.seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    PMPI_Allreduce(MPI_IN_PLACE, &row.bytes, 1, MPI_UINT64_T, MPI_SUM, comm);
    PMPI_Allreduce(MPI_IN_PLACE, &row.memory, 1, MPI_UINT64_T, MPI_MAX, comm);
    return row;
}

void perf_mpi_points(uh_queue *queue, size_t n) {
    int rank, all;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    if (rank == 0)
        printf("%ld CPUs; each rank has one thread; %zu points of %d float32, %d iterations by modes\n\n"
               "| points | ranks | an iteration, s | sent by all, MB | memory of a rank, MB | clusters |\n"
               "|---|---|---|---|---|---|\n",
               sysconf(_SC_NPROCESSORS_ONLN), n, DIMS, ITERATIONS);
    for (int ranks = 1; ranks <= all; ranks *= 2)
        for (int is_dense = 0; is_dense < 2; is_dense++) {
            MPI_Comm comm;
            MPI_Comm_split(MPI_COMM_WORLD, rank < ranks, rank, &comm);
            if (rank < ranks) {
                const struct row row = measure(queue, n, is_dense, comm);
                if (rank == 0)
                    printf("| %s | %d | %.3f | %.1f | %.0f | %" PRIu64 " |\n", is_dense ? "dense corner" : "uniform",
                           ranks, row.seconds, 1e-6 * (double)row.bytes, 1e-6 * (double)row.memory, row.clusters);
                fflush(stdout);
            }
            perf_network_wait(MPI_COMM_WORLD);
            MPI_Comm_free(&comm);
        }
}
