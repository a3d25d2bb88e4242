/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of all ranks, and the range of all values for their bins. */
#include <unihist/mpi.h>

#include "api/mpi/group.h"

static uh_status reduce(const char *call, uh_histogram *histogram, const int *root, MPI_Comm comm) {
    struct uhm_group group;
    uh_status status = uhm_open(call, comm, root, &group);
    if (!status)
        status = uh_histogram_exchange(histogram, &group.exchange);
    uhm_close(&group);
    return status;
}

uh_status uh_mpi_histogram_allreduce(uh_histogram *histogram, MPI_Comm comm) {
    return reduce(__func__, histogram, NULL, comm);
}

uh_status uh_mpi_histogram_reduce(uh_histogram *histogram, int root, MPI_Comm comm) {
    return reduce(__func__, histogram, &root, comm);
}

/* Finds the extent and the number of NaN of the rank's own values. */
static uh_status look(const char *call, uh_queue *queue, const uh_array *x, const double *min, const double *max,
                      const uint64_t *nan, double extent[2], uint64_t *own_nan) {
    if (!min || !max || !nan)
        return uhm_fail_null(call, !min ? "min" : !max ? "max" : "nan", "where to store it");
    uh_status status = uh_min_max(queue, x, &extent[0], &extent[1], own_nan);
    extent[0] = -extent[0]; /* min(x) = -max(-x) */
    return status;
}

uh_status uh_mpi_min_max(uh_queue *queue, const uh_array *x, MPI_Comm comm, double *min, double *max, uint64_t *nan) {
    struct uhm_group group;
    double extent[2];
    uint64_t all_nan = 0;
    uh_status status = uhm_open(__func__, comm, NULL, &group);
    if (!status)
        status = uh_exchange_agree(&group.exchange, look(__func__, queue, x, min, max, nan, extent, &all_nan));
    if (!status)
        status = UHM_CALL(__func__, MPI_Allreduce, MPI_IN_PLACE, extent, 2, MPI_DOUBLE, MPI_MAX, group.comm);
    if (!status)
        status = UHM_CALL(__func__, MPI_Allreduce, MPI_IN_PLACE, &all_nan, 1, MPI_UINT64_T, MPI_SUM, group.comm);
    if (!status) {
        *min = -extent[0] + 0.0; /* turns -0 into +0 */
        *max = extent[1];
        *nan = all_nan;
    }
    uhm_close(&group);
    return status;
}
