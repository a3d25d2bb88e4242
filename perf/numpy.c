/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "perf/numpy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Commands come in as lines on descriptor 0 and answers go out on 1; the values are file 3. Edges are float64, so that
 * NumPy compares what everybody else compares. */
static const char script[] =
    "import os, signal, sys, time\n"
    "signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    "source, sink = os.fdopen(0, 'rb'), os.fdopen(1, 'wb')\n"
    "def say(line):\n"
    "    sink.write((' '.join(str(line).split()) + '\\n').encode())\n"
    "    sink.flush()\n"
    "try:\n"
    "    import numpy\n"
    "    with os.fdopen(3, 'rb') as file:\n"
    "        x = numpy.fromfile(file, dtype=sys.argv[2])\n"
    "    if x.size != int(sys.argv[1]):\n"
    "        raise OSError('%d of %s values arrived' % (x.size, sys.argv[1]))\n"
    "except Exception as problem:\n"
    "    say('no %s' % problem)\n"
    "    sys.exit(1)\n"
    "say('numpy ' + numpy.__version__)\n"
    "try:\n"
    "    for line in source:\n"
    "        command = line.split()\n"
    "        if command[0] == b'edges':\n"
    "            edges = numpy.frombuffer(source.read(8 * int(command[1])), dtype=numpy.float64)\n"
    "        elif command[0] == b'run':\n"
    "            cpu, start = time.process_time_ns(), time.perf_counter_ns()\n"
    "            counts, _ = numpy.histogram(x, bins=edges)\n"
    "            end = time.perf_counter_ns()\n"
    "            say('ran %d %d' % (end - start, time.process_time_ns() - cpu))\n"
    "        elif command[0] == b'bincount':\n"
    "            cpu, start = time.process_time_ns(), time.perf_counter_ns()\n"
    "            counts = numpy.bincount(x)\n"
    "            end = time.perf_counter_ns()\n"
    "            say('ran %d %d' % (end - start, time.process_time_ns() - cpu))\n"
    "        else:\n"
    "            sink.write(counts.astype(numpy.uint64).tobytes())\n"
    "            sink.flush()\n"
    "except Exception as problem:\n"
    "    say('failed %s' % problem)\n"
    "    sys.exit(1)\n";

struct perf_numpy {
    pid_t child;
    int socket;
    char version[64];
};

/* ---- talking ---------------------------------------------------------------------------------------------------- */

/* The handlers of unihist-perf do nothing but note the signal, so a call that it interrupts ends the run. */
static int lost(struct perf_error *error) {
    return errno == EINTR ? perf_fail(error, "interrupted")
                          : perf_fail(error, "the Python process that runs NumPy has ended");
}

static int send_all(const struct perf_numpy *numpy, const void *data, size_t size, struct perf_error *error) {
    const char *next = data;
    while (size) {
        ssize_t sent = send(numpy->socket, next, size, MSG_NOSIGNAL);
        if (sent < 0)
            return lost(error);
        next += sent;
        size -= (size_t)sent;
    }
    return PERF_OK;
}

static int receive_all(const struct perf_numpy *numpy, void *data, size_t size, struct perf_error *error) {
    char *next = data;
    while (size) {
        errno = 0;
        ssize_t got = recv(numpy->socket, next, size, 0);
        if (got <= 0)
            return lost(error);
        next += got;
        size -= (size_t)got;
    }
    return PERF_OK;
}

/* Reads a line, cut off where it is longer than the buffer. */
static int receive_line(const struct perf_numpy *numpy, char *line, size_t size, struct perf_error *error) {
    size_t length = 0;
    char c = '\0';
    int status;
    while ((status = receive_all(numpy, &c, 1, error)) == PERF_OK && c != '\n')
        if (length + 1 < size)
            line[length++] = c;
    line[length] = '\0';
    return status;
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

/* A file in memory that holds the values, to be read from its start. Returns its descriptor, or -1. */
static int share_values(const void *x, size_t bytes) {
    const char *next = x;
    size_t left = bytes;
    int file = memfd_create("unihist-perf", MFD_CLOEXEC);
    while (file >= 0 && left) {
        ssize_t written = write(file, next, left);
        if (written < 0) {
            int error_number = errno;
            close(file);
            errno = error_number;
            return -1;
        }
        next += written;
        left -= (size_t)written;
    }
    if (file >= 0)
        lseek(file, 0, SEEK_SET);
    return file;
}

/* Starts the process with `socket` as its standard input and output, and `values` as file 3. Returns an errno. */
static int start(const char *python, int socket, int values, size_t n, uh_dtype dtype, pid_t *child) {
    posix_spawn_file_actions_t actions;
    char count[32], type[32], name[] = "python3", option[] = "-c";
    char *code = strdup(script);
    char *arguments[] = {name, option, code, count, type, NULL};
    int failed = code ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    snprintf(type, sizeof type, "%s", uh_dtype_name(dtype));
    snprintf(count, sizeof count, "%zu", n);
    if (!failed) {
        /* The copies are made from high descriptors first, so that none of them is overwritten before its turn. */
        failed = posix_spawn_file_actions_adddup2(&actions, socket, 0);
        failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, socket, 1);
        failed = failed ? failed : posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, values, 3);
        failed = failed ? failed : posix_spawnp(child, python, &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(code);
    return failed;
}

/* Moves a descriptor out of the way of 0 to 3, which the process gets. Returns the new one, or -1. */
static int move_up(int descriptor) {
    int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
    int error_number = errno;
    if (descriptor >= 0)
        close(descriptor);
    errno = error_number;
    return moved;
}

/* Reads the first line: the version, or why there is none. */
static int greet(struct perf_numpy *numpy, char *why, size_t why_size, struct perf_error *error) {
    char line[256];
    int status = receive_line(numpy, line, sizeof line, error);
    if (status != PERF_OK)
        return errno == EINTR ? status : (snprintf(why, why_size, "Python ends at once"), PERF_OK);
    if (strncmp(line, "numpy ", 6) == 0)
        snprintf(numpy->version, sizeof numpy->version, "%.63s", line + 6);
    else
        snprintf(why, why_size, "%s", strncmp(line, "no ", 3) == 0 ? line + 3 : line);
    return PERF_OK;
}

int perf_numpy_create(uh_dtype dtype, const void *x, size_t n, struct perf_numpy **numpy, char *why, size_t why_size,
                      struct perf_error *error) {
    const char *python = getenv("PYTHON");
    int pair[2] = {-1, -1}, values = -1, status = PERF_OK, failed;
    struct perf_numpy *made = calloc(1, sizeof *made);
    *numpy = NULL;
    if (!made)
        return perf_fail(error, "out of memory for NumPy");
    made->socket = -1;
    python = python && *python ? python : "/usr/bin/python3";
    values = move_up(share_values(x, n * uh_dtype_size(dtype)));
    failed = values < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ? errno : 0;
    made->socket = pair[0];
    pair[1] = failed ? -1 : move_up(pair[1]);
    if (failed || pair[1] < 0) {
        status = perf_fail(error, "cannot share %zu values with Python: %s", n, strerror(failed ? failed : errno));
        goto out;
    }
    failed = start(python, pair[1], values, n, dtype, &made->child);
    close(pair[1]);
    pair[1] = -1;
    if (failed)
        snprintf(why, why_size, "cannot run %s: %s", python, strerror(failed));
    else
        status = greet(made, why, why_size, error);
out:
    if (pair[1] >= 0)
        close(pair[1]);
    if (values >= 0)
        close(values);
    if (status == PERF_OK && made->version[0])
        *numpy = made;
    else
        perf_numpy_destroy(made);
    return status;
}

void perf_numpy_destroy(struct perf_numpy *numpy) {
    if (!numpy)
        return;
    if (numpy->socket >= 0)
        close(numpy->socket);
    if (numpy->child > 0) {
        pid_t ended;
        kill(numpy->child, SIGKILL);
        do
            ended = waitpid(numpy->child, NULL, 0);
        while (ended < 0 && errno == EINTR);
    }
    free(numpy);
}

const char *perf_numpy_version(const struct perf_numpy *numpy) {
    return numpy->version;
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

int perf_numpy_edges(struct perf_numpy *numpy, const double *edges, size_t k, struct perf_error *error) {
    char line[48];
    int length = snprintf(line, sizeof line, "edges %zu\n", k + 1);
    int status = send_all(numpy, line, (size_t)length, error);
    return status == PERF_OK ? send_all(numpy, edges, (k + 1) * sizeof *edges, error) : status;
}

static int run(struct perf_numpy *numpy, const char *command, double *seconds, double *cpu, struct perf_error *error) {
    char line[256], *next = line;
    int status = send_all(numpy, command, strlen(command), error);
    if (status == PERF_OK)
        status = receive_line(numpy, line, sizeof line, error);
    if (status != PERF_OK)
        return status;
    if (strncmp(line, "ran ", 4) != 0)
        return perf_fail(error, "NumPy: %s", line);
    *seconds = 1e-9 * (double)strtoull(line + 4, &next, 10);
    *cpu = 1e-9 * (double)strtoull(next, NULL, 10);
    return PERF_OK;
}

int perf_numpy_run(struct perf_numpy *numpy, double *seconds, double *cpu, struct perf_error *error) {
    return run(numpy, "run\n", seconds, cpu, error);
}

int perf_numpy_bincount(struct perf_numpy *numpy, double *seconds, double *cpu, struct perf_error *error) {
    return run(numpy, "bincount\n", seconds, cpu, error);
}

int perf_numpy_counts(struct perf_numpy *numpy, uint64_t *counts, size_t k, struct perf_error *error) {
    int status = send_all(numpy, "counts\n", 7, error);
    return status == PERF_OK ? receive_all(numpy, counts, k * sizeof *counts, error) : status;
}
