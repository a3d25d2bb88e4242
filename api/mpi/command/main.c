/* SPDX-License-Identifier: Apache-2.0 */
/* unihist-mpi: subcommands of unihist, run by the ranks of an MPI program together (api/cli/group.h). */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unihist/mpi.h>

#include "api/cli/group.h"
#include "api/cli/options.h"

/* ---- the launcher's terminal -------------------------------------------------------------------------------------
 *
 * A launcher reads its ranks' output from pipes. Its own terminal is found through Linux's /proc: from a process whose
 * stderr is a pipe, the search moves to the parent, if that has the same pipe open, and so on. */

enum { MESSAGES = STDERR_FILENO, PATH_SIZE = 64, MAX_PARENTS = 8 };

/* Returns the parent of a process; 0 on failure. */
static long parent_of(long process) {
    char path[PATH_SIZE], line[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const char *name_end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL; /* names may hold anything */
    fclose(file);
    return name_end && strlen(name_end) > 4 ? strtol(name_end + 4, NULL, 10) : 0;
}

/* Stores the target of a process's descriptor, e.g. "pipe:[123]". Returns 0 if unknown. */
static int read_name(long process, const char *descriptor, char name[PATH_SIZE]) {
    char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "/proc/%ld/fd/%.32s", process, descriptor);
    const ssize_t length = readlink(path, name, PATH_SIZE - 1);
    name[length > 0 ? length : 0] = 0;
    return length > 0;
}

static int has_open(long process, const char *name) {
    char path[PATH_SIZE], other[PATH_SIZE];
    int found = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", process);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = read_name(process, entry->d_name, other) && strcmp(name, other) == 0;
    if (folder)
        closedir(folder);
    return found;
}

/* Opens the terminal to which the parents forward this process's messages through pipes. Returns NULL if there is
 * none. */
static FILE *find_terminal(void) {
    char name[PATH_SIZE], path[PATH_SIZE];
    long process = (long)getpid();
    for (int i = 0; i < MAX_PARENTS && read_name(process, "2", name) && strncmp(name, "pipe:", 5) == 0; i++) {
        process = parent_of(process);
        if (process <= 1 || !has_open(process, name))
            return NULL;
    }
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", process, MESSAGES);
    const int descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    FILE *terminal = descriptor >= 0 && isatty(descriptor) ? fdopen(descriptor, "w") : NULL;
    if (!terminal && descriptor >= 0)
        close(descriptor);
    return terminal;
}

/* ---- progress reports from the ranks to rank 0, if the launcher's messages go to a terminal ---------------------- */

/* Maximum number of a rank's messages in flight; further ones are dropped. */
enum { ON_THEIR_WAY = 8, TAG = 1 };

struct watch {
    struct cli_watch watch;
    MPI_Comm comm; /* a copy, to separate its messages from others */
    struct cli_part sent[ON_THEIR_WAY];
    MPI_Request request[ON_THEIR_WAY];
    struct cli_part *parts; /* rank 0 only: one per rank */
    int messages;           /* sent or, by rank 0, received */
};

static void send_report(void *context, const struct cli_part *part) {
    struct watch *watch = context;
    int slot, done = 0;
    (void)MPI_Testany(ON_THEIR_WAY, watch->request, &slot, &done, MPI_STATUS_IGNORE);
    for (slot = 0; slot < ON_THEIR_WAY; slot++)
        if (watch->request[slot] == MPI_REQUEST_NULL) {
            watch->sent[slot] = *part;
            (void)MPI_Isend(&watch->sent[slot], (int)sizeof *part, MPI_BYTE, 0, TAG, watch->comm,
                            &watch->request[slot]);
            watch->messages++;
            return;
        }
}

/* Receives the pending messages. */
static struct cli_part *look(void *context) {
    struct watch *watch = context;
    struct cli_part part;
    MPI_Status status;
    int there = 0;
    while (MPI_Iprobe(MPI_ANY_SOURCE, TAG, watch->comm, &there, &status) == MPI_SUCCESS && there &&
           MPI_Recv(&part, (int)sizeof part, MPI_BYTE, status.MPI_SOURCE, TAG, watch->comm, &status) == MPI_SUCCESS) {
        watch->parts[status.MPI_SOURCE] = part;
        watch->messages++;
    }
    return watch->parts;
}

/* Starts reporting; collective. Returns NULL if there is no terminal. */
static struct cli_watch *watch_open(MPI_Comm comm) {
    struct watch *watch = calloc(1, sizeof *watch);
    int rank = 0, ranks = 1, all = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    struct cli_part *parts = rank == 0 ? calloc((size_t)ranks, sizeof *parts) : NULL;
    FILE *terminal = rank == 0 ? find_terminal() : NULL;
    int mine = watch && (rank > 0 || (terminal && parts));
    if (MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all || !watch ||
        MPI_Comm_dup(comm, &watch->comm) != MPI_SUCCESS) {
        if (terminal)
            fclose(terminal);
        free(parts);
        free(watch);
        return NULL;
    }
    watch->watch = (struct cli_watch){.terminal = terminal, .context = watch, .report = send_report, .look = look};
    watch->parts = parts;
    for (int i = 0; i < ON_THEIR_WAY; i++)
        watch->request[i] = MPI_REQUEST_NULL;
    return &watch->watch;
}

/* Receives pending messages and frees the watch; collective. NULL is allowed. */
static void watch_close(struct cli_watch *opened) {
    if (!opened)
        return;
    struct watch *watch = opened->context;
    MPI_Status statuses[ON_THEIR_WAY];
    int own = watch->parts ? 0 : watch->messages, all = 0;
    (void)MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, watch->comm);
    while (watch->parts && watch->messages < all)
        (void)look(watch);
    (void)MPI_Waitall(ON_THEIR_WAY, watch->request, statuses);
    (void)MPI_Comm_free(&watch->comm);
    if (watch->watch.terminal)
        fclose(watch->watch.terminal);
    free(watch->parts);
    free(watch);
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

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
    check(uh_mpi_exchange_create(MPI_COMM_WORLD, UH_MPI_ALL_RANKS, &exchange));
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
