/* SPDX-License-Identifier: Apache-2.0 */
/* mpirun -n P unihist-perf-mpi [K...]: what histograms of K counts take and send that are put together.
 * mpirun -n P unihist-perf-mpi --points N: what mean shift of N points takes, sends and holds. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf/mpi/network.h"

/* 1 to 2^31 - 1; 0 if the text says none of them. */
static size_t number_of(const char *text) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    return *text < '0' || *text > '9' || *end || errno || number >= 1ULL << 31 ? 0 : (size_t)number;
}

static int refuse(int rank, const char *text) {
    if (rank == 0)
        fprintf(stderr,
                "unihist-perf-mpi: '%s': expected --points N, or up to %d numbers of counts, each 1 to 2^31 - 1\n",
                text, PERF_MPI_SIZES);
    MPI_Finalize();
    return 2;
}

int main(int argc, char **argv) {
    size_t sizes[PERF_MPI_SIZES] = {1000, 100000, 1000000}, n = 3;
    int rank, result = 0;
    uh_device *host = NULL;
    uh_queue *queue = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int points = argc == 3 && strcmp(argv[1], "--points") == 0;
    for (int i = points ? 2 : 1; i < argc; i++) {
        n = points ? 1 : (size_t)i;
        if (i > PERF_MPI_SIZES || !(sizes[n - 1] = number_of(argv[i])))
            return refuse(rank, argv[i]);
    }
    perf_mpi_check(uh_device_select("host", &host));
    perf_mpi_check(
        uh_queue_create(host, &(uh_queue_options){.struct_size = sizeof(uh_queue_options), .threads = 1}, &queue));
    if (points)
        perf_mpi_points(queue, sizes[0]);
    else
        result = perf_mpi_counts(queue, sizes, n);
    uh_queue_destroy(queue);
    MPI_Finalize();
    return result;
}
