/* SPDX-License-Identifier: Apache-2.0 */
/* For 1, 2, 4, ... P ranks and histograms of K counts, what uh_mpi_histogram_allreduce takes and sends, compared with
 * what the formulas of perf/README.md say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf/mpi/network.h"

enum { TRIALS = 15, PIECE = 1 << 18, POINT_NUMBERS = 6, COLLECTIVES = 3 };

/* Makes a histogram with a count in each bin. */
static uh_histogram *counted(uh_queue *queue, size_t k) {
    uint32_t *x = malloc(k * sizeof *x);
    uh_axis *axis;
    uh_histogram *made;
    if (!x) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    for (size_t i = 0; i < k; i++)
        x[i] = (uint32_t)i;
    const uh_array values = uh_array_of(UH_U32, x, k);
    perf_mpi_check(uh_axis_create_regular(UH_SPACING_EQUAL, k, 0, (double)k, UH_CLOSED_LEFT, &axis));
    perf_mpi_check(uh_histogram_create(queue, &axis, 1, NULL, &made));
    perf_mpi_check(uh_histogram_fill(made, &values, NULL));
    uh_axis_destroy(axis);
    free(x);
    return made;
}

struct measured {
    double seconds;           /* the least of some trials, of the slowest rank */
    uint64_t messages, bytes; /* of the rank that sends most; of all together */
};

static struct measured measure(uh_queue *queue, size_t k, MPI_Comm comm) {
    struct measured measured = {.seconds = 1e300};
    for (int trial = 0; trial < TRIALS; trial++) {
        uh_histogram *part = counted(queue, k); /* anew, as it becomes the sum */
        PMPI_Barrier(comm);
        perf_sent = (struct perf_sent){0, 0};
        const double start = PMPI_Wtime();
        perf_mpi_check(uh_mpi_histogram_allreduce(part, comm));
        double took = PMPI_Wtime() - start;
        PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
        measured.seconds = took < measured.seconds ? took : measured.seconds;
        uh_histogram_destroy(part);
    }
    PMPI_Allreduce(&perf_sent.messages, &measured.messages, 1, MPI_UINT64_T, MPI_MAX, comm);
    PMPI_Allreduce(&perf_sent.bytes, &measured.bytes, 1, MPI_UINT64_T, MPI_SUM, comm);
    return measured;
}

/* Prints a row. Returns whether more has been sent than the formulas say. */
static int tell(int ranks, size_t k, struct perf_network network, double alone, struct measured measured) {
    const double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), p = ranks;
    const uint64_t pieces = (k + PIECE - 1) / PIECE, least = 16 * (uint64_t)k * ((uint64_t)ranks - 1);
    uint64_t rounds = 0;
    for (int r = 1; r < ranks; r *= 2)
        rounds++;
    const uint64_t most = 2 * rounds * (pieces + 1), bytes = least + ((uint64_t)ranks - 1) * 16 * POINT_NUMBERS;
    const double latency = (double)(most + COLLECTIVES * rounds) * network.latency,
                 transfer = (double)least / p / network.bandwidth, own = alone * (p > cpus ? p / cpus : 1),
                 model = latency + transfer + own;
    printf("| %d | %zu | %.1f | %.2f | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f | %" PRIu64 " of %" PRIu64 " | %" PRIu64
           " of %" PRIu64 " |\n",
           ranks, k, 1e6 * network.latency, ranks > 1 ? 1e-9 * network.bandwidth : 0, 1e3 * latency, 1e3 * transfer,
           1e3 * own, 1e3 * model, 1e3 * measured.seconds, measured.seconds / model, measured.messages, most,
           measured.bytes, bytes);
    fflush(stdout);
    return measured.messages > most || measured.bytes > bytes;
}

int perf_mpi_counts(uh_queue *queue, const size_t *sizes, size_t n) {
    double alone[PERF_MPI_SIZES] = {0};
    int rank, all, more = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &all);
    if (rank == 0)
        printf(
            "%ld CPUs; each rank has one thread; the least of %d\n\n"
            "| ranks | counts | a, us | b, GB/s | a's part, ms | b's, ms | own work, ms | model, ms | measured, ms | "
            "measured / model | messages of a rank | bytes of all "
            "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
            sysconf(_SC_NPROCESSORS_ONLN), TRIALS);
    for (int ranks = 1; ranks <= all; ranks *= 2) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < ranks, rank, &comm);
        if (rank < ranks) {
            const struct perf_network network = perf_network_measure(comm);
            for (size_t i = 0; i < n; i++) {
                const struct measured measured = measure(queue, sizes[i], comm);
                alone[i] = ranks == 1 ? measured.seconds : alone[i];
                if (rank == 0)
                    more |= tell(ranks, sizes[i], network, alone[i], measured);
            }
        }
        perf_network_wait(MPI_COMM_WORLD);
        MPI_Comm_free(&comm);
    }
    if (more)
        fprintf(stderr, "unihist-perf-mpi: more was sent than the formulas say\n");
    return more;
}
