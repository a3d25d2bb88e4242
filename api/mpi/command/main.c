/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-mpi: subcommands of unihist, run by the ranks of an MPI program together (api/cli/group.h). */
#include <stdio.h>
#include <stdlib.h>

#include <unihist/mpi.h>

#include "api/cli/group.h"
#include "api/cli/options.h"
#include "api/mpi/command/watch.h"

static const struct cli_command *const commands[] = {&cli_histogram_command, &cli_bincount_command,
                                                     &cli_sample_command,    &cli_integrate_command,
                                                     &cli_meanshift_command, NULL};

/* Without an exchange, each rank reports errors by itself. */
static void stop(const char *why) {
    fprintf(stderr, "%s: %s\n", cli_program, why);
    MPI_Abort(MPI_COMM_WORLD, CLI_FAILURE);
    exit(CLI_FAILURE);
}

static void check(uh_status status) {
    if (status)
        stop(uh_last_error_info()->text);
}

/* Finds this rank's device and number of threads; `chooses`: the user has not selected a device. */
static void find_device(struct cli_group *group, int chooses) {
    static uh_device_properties properties = {.struct_size = sizeof properties};
    uh_device *device = NULL;
    check(uh_mpi_device(MPI_COMM_WORLD, chooses ? &device : NULL, &group->threads));
    if (device)
        check(uh_device_get_properties(device, &properties));
    group->device = properties.selector;
    if (getenv("OMP_NUM_THREADS"))
        group->threads = 0;
}

int main(int argc, char **argv) {
    struct cli_group group = {.exchange = NULL};
    uh_exchange *exchange;
    cli_program = "unihist-mpi";
    cli_commands = commands;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return CLI_FAILURE;
    check(uh_mpi_exchange_create(MPI_COMM_WORLD, &exchange));
    if (exchange->rank > 0 && !freopen("/dev/null", "w", stdout)) /* only rank 0 prints */
        stop("cannot open /dev/null");
    cli_try_drivers();
    find_device(&group, cli_chooses_device(argc, argv));
    struct cli_watch *watch = watch_open(MPI_COMM_WORLD);
    group.exchange = exchange;
    group.watch = watch;
    cli_group = &group;
    const int result = cli_main(argc, argv);
    watch_close(watch);
    uh_mpi_exchange_destroy(exchange);
    MPI_Finalize();
    return result;
}
