/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/mpi.h>

#include "api/mpi/group.h"

uh_status uh_mpi_mean_shift(uh_queue *queue, const uh_array *points, size_t dims, const uh_mean_shift_options *options,
                            MPI_Comm comm, uh_clusters **clusters) {
    struct uhm_group group;
    uh_status status = uhm_open(__func__, comm, NULL, &group);
    if (!status)
        status = uh_mean_shift_exchange(queue, points, dims, options, &group.exchange, clusters);
    uhm_close(&group);
    return status;
}

uh_status uh_mpi_estimate_bandwidth(uh_queue *queue, const uh_array *points, size_t dims, double quantile,
                                    size_t samples, MPI_Comm comm, double *bandwidth) {
    struct uhm_group group;
    uh_status status = uhm_open(__func__, comm, NULL, &group);
    if (!status)
        status = uh_estimate_bandwidth_exchange(queue, points, dims, quantile, samples, &group.exchange, bandwidth);
    uhm_close(&group);
    return status;
}
