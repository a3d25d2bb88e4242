/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/mpi.h>

#include "api/mpi/group.h"

uh_status uh_mpi_quantiles(uh_queue *queue, const uh_array *x, const double *q, size_t nq, MPI_Comm comm,
                           double *values) {
    struct uhm_group group;
    uh_status status = uhm_open(__func__, comm, NULL, &group);
    if (!status)
        status = uh_quantiles_exchange(queue, x, q, nq, &group.exchange, values);
    uhm_close(&group);
    return status;
}
