/* SPDX-License-Identifier: Apache-2.0 */
/* Choice of a rank's device on a machine shared with other ranks. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "api/mpi/group.h"

/* Whole GPUs; and the tiles (or GPUs without tiles) that are distributed if there are more ranks. */
enum kind { CARDS, UNITS };

/* Whether a listed device is of this kind. `next` is its successor in the list, NULL at the end: a card is followed by
 * its tiles, "level_zero:0.1". */
static int is_one(enum kind kind, const uh_device_properties *device, const uh_device_properties *next) {
    const int is_tile = strchr(device->selector, '.') != NULL;
    if (device->kind != UH_DEVICE_GPU)
        return 0;
    if (kind == CARDS)
        return !is_tile;
    return is_tile || !next || !strchr(next->selector, '.');
}

/* Counts the devices of a kind and returns number `wanted`, if it exists, in *device. */
static uh_status find(enum kind kind, size_t wanted, size_t *count, uh_device **device) {
    uh_device_properties properties[2] = {{.struct_size = sizeof *properties}, {.struct_size = sizeof *properties}};
    size_t listed = 0;
    uh_device *found = NULL;
    uh_status status = uh_device_count(&listed);
    *count = 0;
    for (size_t i = 0; i < listed && !status; i++) {
        uh_device *here = NULL, *next = NULL;
        status = uh_device_get(i, &here);
        if (!status)
            status = uh_device_get_properties(here, &properties[0]);
        if (!status && i + 1 < listed)
            status = uh_device_get(i + 1, &next);
        if (!status && next)
            status = uh_device_get_properties(next, &properties[1]);
        if (!status && is_one(kind, &properties[0], next ? &properties[1] : NULL) && (*count)++ == wanted)
            found = here;
    }
    if (found)
        *device = found;
    return status;
}

static uh_status choose(size_t rank, size_t ranks, uh_device **device) {
    size_t count = 0;
    uh_status status = find(CARDS, rank, &count, device);
    if (status || ranks <= count)
        return status;
    if (count == 0)
        return uh_device_select("host", device);
    status = find(UNITS, rank, &count, device);
    if (!status && ranks > count)
        status = find(UNITS, rank * count / ranks, &count, device);
    return status;
}

/* Computes the rank's share of the CPUs: each CPU it may run on is divided equally among the ranks that may use it. */
static uh_status share_cpus(const char *call, MPI_Comm machine, uint32_t *threads) {
    int ranks_on[CPU_SETSIZE] = {0};
    double share = 0;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0) /* more CPUs than in the set: use the library's default */
        CPU_ZERO(&own);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        ranks_on[i] = CPU_ISSET(i, &own) != 0;
    uh_status status = UHM_CALL(call, MPI_Allreduce, MPI_IN_PLACE, ranks_on, CPU_SETSIZE, MPI_INT, MPI_SUM, machine);
    for (size_t i = 0; i < CPU_SETSIZE && !status; i++)
        share += CPU_ISSET(i, &own) ? 1.0 / ranks_on[i] : 0;
    *threads = share < 1 ? 1 : (uint32_t)(share + 1e-6); /* thirds sum to slightly less than 1 */
    return status;
}

/* Returns a hash of the name of this boot of the machine, the same in all its containers; elsewhere of its name. */
static uint64_t hash_machine(void) {
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(name, sizeof name, file))
        (void)MPI_Get_processor_name(name, &length);
    if (file)
        (void)fclose(file);
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    return hash;
}

/* Makes a communicator of the ranks on this machine: of those whose hashes are equal in 31 upper and 31 lower bits, as
 * a colour has. MPI_COMM_TYPE_SHARED is another question: MPICH 5 over UCX, which shares no memory, answers it with
 * single ranks. */
static uh_status split_by_machine(const struct uhm_group *group, MPI_Comm *machine) {
    const uint64_t hash = hash_machine();
    MPI_Comm half = MPI_COMM_NULL;
    uh_status status = UHM_CALL(group->call, MPI_Comm_split, group->comm, (int)(hash >> 33), group->rank, &half);
    if (!status)
        status = UHM_CALL(group->call, MPI_Comm_split, half, (int)(hash & 0x7fffffff), group->rank, machine);
    if (half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
    return status;
}

/* Searches no device if `device` is NULL. */
static uh_status find_own(const struct uhm_group *group, uh_device **device, uint32_t *threads) {
    MPI_Comm machine = MPI_COMM_NULL;
    int rank = 0, ranks = 1;
    uh_status status = split_by_machine(group, &machine);
    if (!status)
        status = UHM_CALL(group->call, MPI_Comm_rank, machine, &rank);
    if (!status)
        status = UHM_CALL(group->call, MPI_Comm_size, machine, &ranks);
    if (!status)
        status = share_cpus(group->call, machine, threads);
    if (machine != MPI_COMM_NULL)
        MPI_Comm_free(&machine);
    return status || !device ? status : choose((size_t)rank, (size_t)ranks, device);
}

uh_status uh_mpi_device(MPI_Comm comm, uh_device **device, uint32_t *threads) {
    struct uhm_group group;
    uh_device *found = NULL;
    uint32_t share = 0;
    uh_status status = uhm_open(__func__, comm, UH_MPI_ALL_RANKS, &group);
    if (!status) {
        uh_status mine = find_own(&group, device ? &found : NULL, &share);
        if (!mine && !threads)
            mine = uhm_fail_null(__func__, "threads", "where to store the number");
        status = uh_exchange_agree(&group.exchange, mine);
    }
    if (!status && device)
        *device = found;
    if (!status && threads) /* never NULL after the agreement */
        *threads = share;
    uhm_close(&group);
    return status;
}
