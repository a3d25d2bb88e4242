/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <unihist/mpi.h>

#include "api/mpi/group.h"

uh_status uh_mpi_exchange_create(MPI_Comm comm, uh_exchange **exchange) {
    struct uhm_group group, *made = NULL;
    uh_status status = uhm_open(__func__, comm, NULL, &group);
    if (!status) {
        uh_status mine = UH_SUCCESS;
        if (!exchange)
            mine = uhm_fail_null(__func__, "exchange", "where to store it");
        else if (!(made = malloc(sizeof *made)))
            mine = uhm_fail(UH_ERROR_OUT_OF_MEMORY, __func__, "", "no memory for an exchange");
        status = uh_exchange_agree(&group.exchange, mine);
    }
    if (status || !made || !exchange) {
        free(made);
        uhm_close(&group);
        return status;
    }
    *made = group;
    made->exchange.context = made;
    made->exchange.call = NULL; /* messages then name the calling function */
    *exchange = &made->exchange;
    return UH_SUCCESS;
}

void uh_mpi_exchange_destroy(uh_exchange *exchange) {
    if (exchange) {
        struct uhm_group *group = exchange->context;
        uhm_close(group);
        free(group);
    }
}
