/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/mpi.h>

#include "api/mpi/group.h"

uh_status uh_mpi_integrate(uh_queue *queue, const uh_integrand *integrand, const uh_integrate_options *options,
                           MPI_Comm comm, uh_integral *integral) {
    struct uhm_group group;
    uh_status status = uhm_open(__func__, comm, NULL, &group);
    if (!status)
        status = uh_integrate_exchange(queue, integrand, options, &group.exchange, integral);
    uhm_close(&group);
    return status;
}
