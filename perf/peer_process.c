/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "perf/peer_process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the child -------------------------------------------------------------------------------------------------- */

#define CHILD_FILES 6

/* Puts files[i] on descriptor i, by way of high ones, so that none is overwritten before it has been moved. */
static int place_files(const int files[CHILD_FILES]) {
    int high[CHILD_FILES];
    for (int i = 0; i < CHILD_FILES; i++)
        if ((high[i] = fcntl(files[i], F_DUPFD_CLOEXEC, CHILD_FILES)) < 0)
            return -1;
    for (int i = 0; i < CHILD_FILES; i++)
        if (dup2(high[i], i) < 0)
            return -1;
    return 0;
}

/* One thread, by the variables that set it in OpenMP and the linear algebra libraries. */
static _Noreturn void become(const char *path, const int files[CHILD_FILES], pid_t parent) {
    /* The parent may have ended before this call. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && place_files(files) == 0)
        execlp("env", "env", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1",
               "NUMEXPR_NUM_THREADS=1", path, (char *)NULL);
    _exit(127);
}

static void start_child(struct peer_process *process, const char *path, const int shared[3]) {
    int ends[2];
    pid_t parent = getpid();
    process->log = memfd_create("unihist-perf-peer-log", MFD_CLOEXEC);
    if (process->log < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        perf_fail("peer %s: %s", process->name, strerror(errno));
    const struct timeval patience = {(time_t)process->patience, (suseconds_t)(1e6 * fmod(process->patience, 1))};
    process->connection = fdopen(ends[0], "r"); /* what is sent goes past its buffer */
    if (!process->connection || setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience))
        perf_fail("peer %s: %s", process->name, strerror(errno));
    const int files[CHILD_FILES] = {ends[1], ends[1], process->log, shared[0], shared[1], shared[2]};
    process->pid = fork();
    if (process->pid == 0)
        become(path, files, parent);
    if (process->pid < 0)
        perf_fail("peer %s: fork: %s", process->name, strerror(errno));
    close(ends[1]);
}

/* Waits for its end for a second. Returns 1 with its status, or 0. */
static int ends_by_itself(struct peer_process *process, int *status) {
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int i = 0; i < 200; i++) {
        if (waitpid(process->pid, status, WNOHANG) == process->pid) {
            process->pid = 0;
            return 1;
        }
        nanosleep(&pause, NULL);
    }
    return 0;
}

void peer_process_kill(struct peer_process *process) {
    if (process->pid > 0) {
        kill(process->pid, SIGKILL);
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    process->pid = 0;
}

void peer_process_end(struct peer_process *process) {
    int status;
    if (process->connection)
        fclose(process->connection);
    if (process->pid > 0 && !ends_by_itself(process, &status))
        peer_process_kill(process);
    if (process->log >= 0)
        close(process->log);
    process->connection = NULL;
    process->log = -1;
}

/* ---- talking ---------------------------------------------------------------------------------------------------- */

static void blank_controls(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

/* The last line that the peer wrote to standard error; empty if it wrote nothing. */
static void last_words(const struct peer_process *process, char *text, size_t size) {
    off_t end = lseek(process->log, 0, SEEK_END);
    off_t start = end > (off_t)size - 1 ? end - (off_t)size + 1 : 0;
    ssize_t length = end > 0 ? pread(process->log, text, size - 1, start) : 0;
    text[length > 0 ? length : 0] = '\0';
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *line = strrchr(text, '\n');
    if (line)
        memmove(text, line + 1, strlen(line));
    blank_controls(text);
}

/* It has closed the connection, so it is ending, or is to end now. */
static _Noreturn void report_end(struct peer_process *process) {
    char words[200], how[64] = "has closed its connection";
    int status = 0, ended = ends_by_itself(process, &status);
    if (ended && WIFEXITED(status))
        snprintf(how, sizeof how, "has ended with exit status %d", WEXITSTATUS(status));
    else if (ended && WIFSIGNALED(status))
        snprintf(how, sizeof how, "has been ended by signal %d", WTERMSIG(status));
    last_words(process, words, sizeof words);
    perf_fail("peer %s %s%s%s", process->name, how, *words ? ": " : "", words);
}

static void read_line(struct peer_process *process, char line[PERF_PEER_LINE]) {
    errno = 0;
    const size_t length = fgets(line, PERF_PEER_LINE, process->connection) ? strlen(line) : 0;
    if (length == PERF_PEER_LINE - 1 && line[length - 1] != '\n')
        perf_fail("peer %s answers with a line of more than %d bytes", process->name, PERF_PEER_LINE - 1);
    if (length == 0 || line[length - 1] != '\n') {
        if (errno == EAGAIN)
            perf_fail("peer %s has not answered in %g seconds; --peer-timeout sets how long it may take", process->name,
                      process->patience);
        if (errno == EINTR)
            perf_fail("peer %s: %s", process->name, strerror(errno));
        report_end(process);
    }
    line[length - 1] = '\0';
    blank_controls(line);
}

void peer_process_ask(struct peer_process *process, char line[PERF_PEER_LINE]) {
    size_t length = strlen(line);
    line[length] = '\n'; /* where the text ended; what is sent is counted */
    for (size_t sent = 0; sent <= length;) {
        ssize_t put = send(fileno(process->connection), line + sent, length + 1 - sent, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            report_end(process);
        sent += (size_t)put;
    }
    read_line(process, line);
}

void peer_process_start(struct peer_process *process, const char *name, const char *path, const int shared[3],
                        double patience, char why[PERF_PEER_LINE]) {
    char version[48] = "", line[PERF_PEER_LINE];
    int how = 0;
    *process = (struct peer_process){.patience = patience, .log = -1};
    snprintf(process->name, sizeof process->name, "%.31s", name);
    start_child(process, path, shared);
    read_line(process, line);
    if (strncmp(line, "missing ", 8) == 0)
        snprintf(why, PERF_PEER_LINE, "%s", line + 8);
    else if (sscanf(line, "ready %47s %n", version, &how) != 1 || how == 0)
        perf_fail("peer %s begins with '%.100s', expected 'ready VERSION CALL' or 'missing WHY'", name, line);
    snprintf(process->title, sizeof process->title, "%.31s %s", name, version);
    snprintf(process->how, sizeof process->how, "%.150s", how ? line + how : "");
}
