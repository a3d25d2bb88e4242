/* SPDX-License-Identifier: Apache-2.0 */
/* mpirun -n P histogram_mpi: ten million random numbers, drawn and counted by P ranks. The counts are the same for any
 * P, to the bit. */
#include <unihist/mpi.h>

#include "check.h"

enum { BINS = 5, PIECE = 100000 };

int main(int argc, char **argv) {
    const uint64_t n = 10000000, seed = 1;
    static float x[PIECE];
    uint64_t first, count, counts[BINS];
    uint32_t threads;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

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
    check(uh_mpi_sample_part(0, n, MPI_COMM_WORLD, &first, &count));
    while (count > 0) {
        const size_t piece = count < PIECE ? (size_t)count : PIECE;
        const uh_array values = uh_array_of(UH_F32, x, piece);
        check(uh_random(queue, &(uh_random_stream){UH_PHILOX4X32_10, seed, 0, first}, 0, UH_F32, x, piece));
        check(uh_histogram_fill(histogram, &values, NULL));
        first += piece;
        count -= piece;
    }

    /* The counts of all ranks, on rank 0. */
    check(uh_mpi_histogram_reduce(histogram, 0, MPI_COMM_WORLD));
    check(uh_histogram_counts(histogram, counts));
    for (int j = 0; j < BINS && rank == 0; j++)
        printf("%g to %g: %lu\n", (double)j / BINS, (double)(j + 1) / BINS, (unsigned long)counts[j]);

    uh_histogram_destroy(histogram);
    uh_axis_destroy(axis);
    uh_queue_destroy(queue);
    MPI_Finalize();
    return 0;
}
