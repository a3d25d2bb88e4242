/* SPDX-License-Identifier: Apache-2.0 */
#include <unihist/mpi.h>

#include "api/mpi/group.h"

__extension__ typedef unsigned __int128 uhm_uint_128;

uh_status uh_mpi_sample_part(uint64_t offset, uint64_t n, MPI_Comm comm, uint64_t *first, uint64_t *count) {
    int rank = 0, ranks = 1;
    if (!first || !count)
        return uhm_fail_null(__func__, first ? "count" : "first", "where to store it");
    if (n > UINT64_MAX - offset)
        return uhm_fail(UH_ERROR_INVALID_ARGUMENT, __func__, "n", "n and offset pass 2^64 - 1 together");
    uh_status status = uhm_check_comm(__func__, comm);
    if (!status)
        status = uhm_check(__func__, "MPI_Comm_rank", MPI_Comm_rank(comm, &rank));
    if (!status)
        status = uhm_check(__func__, "MPI_Comm_size", MPI_Comm_size(comm, &ranks));
    if (status)
        return status;
    const uint64_t begin = (uint64_t)((uhm_uint_128)n * (unsigned)rank / (unsigned)ranks),
                   end = (uint64_t)((uhm_uint_128)n * ((unsigned)rank + 1) / (unsigned)ranks);
    *first = offset + begin;
    *count = end - begin;
    return UH_SUCCESS;
}
