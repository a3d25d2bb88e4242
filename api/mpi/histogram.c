/* SPDX-License-Identifier: Apache-2.0 */
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
