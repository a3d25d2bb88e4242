/* SPDX-License-Identifier: Apache-2.0 */
/* mpirun -n P histogram_mpi: ten million random numbers, drawn and counted by P ranks. The counts are the same for any
 * P, to the bit. */
#include <unihist/mpi.h>

#include "check.h"

enum { BINS = 5, PIECE = 100000 };

int main(int argc, char **argv) {
    const uint64_t n = 10000000, seed = 1;
    static float x[PIECE];
    uint64_t counts[BINS];
    uint32_t threads;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* The rank's own GPU, tile or cores on its machine. */
    uh_device *device;
    uh_queue *queue;
    check(uh_mpi_device(MPI_COMM_WORLD, &device, &threads));
    const uh_queue_options options = {.struct_size = sizeof options, .threads = threads};
    check(uh_queue_create(device, &options, &queue));

    uh_axis *axis;
    uh_histogram *histogram;
    check(uh_axis_create_regular(UH_SPACING_EQUAL, BINS, 0, 1, UH_CLOSED_LEFT, &axis));
    check(uh_histogram_create(queue, &axis, 1, NULL, &histogram));

    /* The rank's part of the numbers, in pieces. */
    const uint64_t begin = n * (uint64_t)rank / (uint64_t)ranks, end = n * (uint64_t)(rank + 1) / (uint64_t)ranks;
    for (uint64_t first = begin; first < end; first += PIECE) {
        const size_t piece = end - first < PIECE ? (size_t)(end - first) : PIECE;
        const uh_array values = uh_array_of(UH_F32, x, piece);
        check(uh_random(queue, &(uh_random_stream){UH_PHILOX4X32_10, seed, 0, first}, 0, UH_F32, x, piece));
        check(uh_histogram_fill(histogram, &values, NULL));
    }

    /* The counts of all ranks, on rank 0. */
    uh_exchange *exchange;
    check(uh_mpi_exchange_create(MPI_COMM_WORLD, 0, &exchange));
    check(uh_histogram_exchange(histogram, exchange));
    check(uh_histogram_counts(histogram, counts));
    for (int j = 0; j < BINS && rank == 0; j++)
        printf("%g to %g: %lu\n", (double)j / BINS, (double)(j + 1) / BINS, (unsigned long)counts[j]);

    uh_mpi_exchange_destroy(exchange);
    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
    uh_queue_destroy(queue);
    MPI_Finalize();
    return 0;
}
